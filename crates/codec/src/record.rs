//! The bytes of structures on an ordered store. No other module knows them.
//!
//! ```text
//! record = kind  structure key, escaped  family  rest
//! plain row in a store of structures = 'r'  key
//! ```
//!
//! The kind is one byte. In the structure's key, `00 FF` replaces each `00`, and `00 01` follows
//! it. So no structure's key is a prefix of another, and keys keep their order. The family is one
//! byte. All records of a structure are in one range.
//!
//! | kind | family | rest | value |
//! |---|---|---|---|
//! | `h` hash | `f` field | field | as declared for the field |
//! | `s` set | `m` member | member | empty |
//! | | `c` count | | u64, big-endian |
//! | `z` zset | `m` member | member | score |
//! | | `s` score | score, member | empty |
//! | | `c` count | | u64, big-endian |
//! | | `k` rank | level (one byte), score, member | children and members, each u64, big-endian |
//! | `q` queue | `i` item | member | [`Item`] |
//! | | `r` ready | score, member | empty |
//! | | `w` waiting | due (u64, big-endian), member | empty |
//! | | `l` leased | deadline (u64, big-endian), member | empty |
//! | | `d` dead | member | empty |
//! | | `t` token | | u64, big-endian |
//!
//! The first rank record of each level sorts before all members and contains only the level.
//!
//! A score is stored unchanged if all scores have one length; otherwise it is escaped like a
//! structure's key. So records are in the order of (score, member).
//!
//! ```
//! use keyscape_codec::record::{Family, Kind, begin, split};
//!
//! let mut record = Vec::new();
//! begin(Kind::Set, b"s:\x00", Family::Member, &mut record);
//! record.extend_from_slice(b"ann");
//! assert_eq!(record, b"ss:\x00\xff\x00\x01mann");
//!
//! let parts = split(&record)?;
//! assert_eq!((parts.kind, &*parts.structure), (Kind::Set, &b"s:\x00"[..]));
//! assert_eq!((parts.family, parts.rest), (Some(Family::Member), &b"ann"[..]));
//! # Ok::<(), keyscape_codec::Malformed>(())
//! ```

use crate::{
    Malformed, Sink,
    escaped::{self, End},
    fixed,
};
use alloc::{borrow::Cow, vec::Vec};

/// The kind of a key in a store of structures.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[repr(u8)]
pub enum Kind {
    /// A plain row: a map, an index, an item or a sequence.
    Row = b'r',
    /// Fields with values.
    Hash = b'h',
    /// Members.
    Set = b's',
    /// Members ordered by score.
    Zset = b'z',
    /// Members to process.
    Queue = b'q',
}

impl Kind {
    /// All kinds, in the order of their bytes.
    pub const ALL: [Kind; 5] = [Kind::Hash, Kind::Queue, Kind::Row, Kind::Set, Kind::Zset];

    /// Returns the first byte of its records.
    ///
    /// ```
    /// # use keyscape_codec::record::Kind;
    /// assert_eq!(Kind::Zset.byte(), b'z');
    /// ```
    #[must_use]
    pub const fn byte(self) -> u8 {
        self as u8
    }

    /// Returns the kind with this byte.
    ///
    /// ```
    /// # use keyscape_codec::record::Kind;
    /// assert_eq!(Kind::of(b'q'), Some(Kind::Queue));
    /// assert_eq!(Kind::of(b'?'), None);
    /// ```
    #[must_use]
    pub fn of(byte: u8) -> Option<Kind> {
        Kind::ALL.into_iter().find(|kind| kind.byte() == byte)
    }

    /// Returns the families of its records, in the order of their bytes. Plain rows have none.
    ///
    /// ```
    /// # use keyscape_codec::record::{Family, Kind};
    /// assert_eq!(Kind::Set.families(), [Family::Count, Family::Member]);
    /// ```
    #[must_use]
    pub const fn families(self) -> &'static [Family] {
        match self {
            Kind::Row => &[],
            Kind::Hash => &[Family::Field],
            Kind::Set => &[Family::Count, Family::Member],
            Kind::Zset => &[Family::Count, Family::Rank, Family::Member, Family::Score],
            Kind::Queue => &[
                Family::Dead,
                Family::Item,
                Family::Leased,
                Family::Ready,
                Family::Token,
                Family::Waiting,
            ],
        }
    }
}

/// The purpose of a record of a structure.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[repr(u8)]
pub enum Family {
    /// The number of members.
    Count = b'c',
    /// A dead member of a queue.
    Dead = b'd',
    /// A field of a hash.
    Field = b'f',
    /// The state of a member of a queue.
    Item = b'i',
    /// The number of members of a zset in one bucket of its order.
    Rank = b'k',
    /// A leased member of a queue, by the end of the lease.
    Leased = b'l',
    /// A member of a set or zset.
    Member = b'm',
    /// A member of a queue that can be claimed, by score.
    Ready = b'r',
    /// A member of a zset, by score.
    Score = b's',
    /// The last token that a queue has issued.
    Token = b't',
    /// A member of a queue that can be claimed later, by due time.
    Waiting = b'w',
}

impl Family {
    /// Returns the byte after the structure's key.
    ///
    /// ```
    /// # use keyscape_codec::record::Family;
    /// assert_eq!(Family::Ready.byte(), b'r');
    /// ```
    #[must_use]
    pub const fn byte(self) -> u8 {
        self as u8
    }

    /// Returns the parts after the family's byte, in order. The first bucket of each rank level
    /// contains only the level.
    ///
    /// ```
    /// # use keyscape_codec::record::{Family, Rest};
    /// assert_eq!(Family::Score.rest(), [Rest::Score, Rest::Member]);
    /// ```
    #[must_use]
    pub const fn rest(self) -> &'static [Rest] {
        match self {
            Family::Count | Family::Token => &[],
            Family::Field => &[Rest::Field],
            Family::Member | Family::Item | Family::Dead => &[Rest::Member],
            Family::Score | Family::Ready => &[Rest::Score, Rest::Member],
            Family::Waiting | Family::Leased => &[Rest::Time, Rest::Member],
            Family::Rank => &[Rest::Level, Rest::Score, Rest::Member],
        }
    }
}

/// A part of a record after its family.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Rest {
    /// The key of a field of a hash.
    Field,
    /// A member.
    Member,
    /// A score: see [`put_score`].
    Score,
    /// A time: u64, big-endian.
    Time,
    /// A rank level: one byte, at least 1.
    Level,
}

/// The maximum number of members of a zset in one rank bucket. Above it, rank records begin with a
/// score and a member.
pub const RANK_BUCKET: u64 = 64;

/// The parts of a record.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Record<'r> {
    /// The kind of its key.
    pub kind: Kind,
    /// The key of the structure, or of a plain row. Borrowed unless it contains a `00`.
    pub structure: Cow<'r, [u8]>,
    /// The purpose of the record; `None` for plain rows.
    pub family: Option<Family>,
    /// The bytes after the family.
    pub rest: &'r [u8],
}

const EMPTY: Malformed = Malformed { reason: "a record is empty" };
const KIND: Malformed = Malformed { reason: "a record begins with an unknown kind" };
const FAMILY: Malformed = Malformed { reason: "a record has a family that its kind does not have" };
const STATE: Malformed = Malformed { reason: "a queue item has an unknown state" };
const REST: Malformed = Malformed { reason: "bytes follow the end of a queue item" };

/// Appends the beginning of a record: everything except the rest.
pub fn begin(kind: Kind, structure: &[u8], family: Family, out: &mut Vec<u8>) {
    begin_structure(kind, structure, out);
    Sink::push(out, family.byte());
}

/// Appends the common prefix of all records of one structure. No other record has it.
///
/// ```
/// # use keyscape_codec::record::{Kind, begin_structure};
/// let mut start = Vec::new();
/// begin_structure(Kind::Hash, b"h:sats", &mut start);
/// assert_eq!(start, b"hh:sats\x00\x01");
/// ```
pub fn begin_structure(kind: Kind, structure: &[u8], out: &mut Vec<u8>) {
    Sink::push(out, kind.byte());
    escaped::put(structure, End::ZeroOne, out);
}

/// Returns the prefix of the records of all structures whose key begins with `prefix`. As a bound,
/// it keeps the order: the records of a structure are below it exactly if the structure's key is
/// below `prefix`.
///
/// ```
/// # use keyscape_codec::record::{Kind, prefix};
/// assert_eq!(prefix(Kind::Hash, b"h:\x00"), b"hh:\x00\xff");
/// ```
#[must_use]
pub fn prefix(kind: Kind, prefix: &[u8]) -> Vec<u8> {
    let mut out = Vec::with_capacity(prefix.len() + 8);
    begin_structure(kind, prefix, &mut out);
    // A prefix has no terminator: more of the key may follow.
    out.truncate(out.len() - 2);
    out
}

/// Returns the record key of a plain row in a store of structures.
///
/// ```
/// # use keyscape_codec::record::row;
/// assert_eq!(row(b"height"), b"rheight");
/// ```
#[must_use]
pub fn row(key: &[u8]) -> Vec<u8> {
    [&[Kind::Row.byte()], key].concat()
}

/// Splits a record into its parts.
///
/// # Errors
/// [`Malformed`] if the bytes are not a record.
pub fn split(record: &[u8]) -> Result<Record<'_>, Malformed> {
    let (kind, mut rest) = record.split_first().ok_or(EMPTY)?;
    let kind = Kind::of(*kind).ok_or(KIND)?;
    if kind == Kind::Row {
        return Ok(Record { kind, structure: Cow::Borrowed(rest), family: None, rest: &[] });
    }
    let structure = take_escaped(&mut rest)?;
    let (byte, rest) = rest.split_first().ok_or(FAMILY)?;
    let family = kind.families().iter().find(|family| family.byte() == *byte);
    let family = Some(*family.ok_or(FAMILY)?);
    Ok(Record { kind, structure, family, rest })
}

/// Parses an escaped part from the left; copies it only if it contains a `00`.
fn take_escaped<'r>(rest: &mut &'r [u8]) -> Result<Cow<'r, [u8]>, Malformed> {
    let whole = *rest;
    let plain = whole.iter().position(|byte| *byte == 0).unwrap_or(whole.len());
    if let Some(tail) = whole[plain..].strip_prefix(&[0x00, 0x01]) {
        *rest = tail;
        return Ok(Cow::Borrowed(&whole[..plain]));
    }
    let mut part = Vec::with_capacity(whole.len());
    escaped::take(rest, End::ZeroOne, &mut part)?;
    Ok(Cow::Owned(part))
}

/// Appends a score. `width` is the length of all scores, if they have one length.
///
/// ```
/// # use keyscape_codec::record::{put_score, take_score};
/// let mut rest = Vec::new();
/// put_score(b"\x00\x07", Some(2), &mut rest);
/// put_score(b"\x00\x07", None, &mut rest);
/// assert_eq!(rest, b"\x00\x07\x00\xff\x07\x00\x01");
///
/// let mut left = &rest[..];
/// assert_eq!(&*take_score(&mut left, Some(2))?, b"\x00\x07");
/// assert_eq!(&*take_score(&mut left, None)?, b"\x00\x07");
/// assert!(left.is_empty());
/// # Ok::<(), keyscape_codec::Malformed>(())
/// ```
pub fn put_score(score: &[u8], width: Option<usize>, out: &mut Vec<u8>) {
    match width {
        Some(_) => out.put(score),
        None => escaped::put(score, End::ZeroOne, out),
    }
}

/// Parses a score from the left.
///
/// # Errors
/// [`Malformed`] if the bytes do not begin with a score.
pub fn take_score<'r>(
    rest: &mut &'r [u8],
    width: Option<usize>,
) -> Result<Cow<'r, [u8]>, Malformed> {
    let Some(width) = width else { return take_escaped(rest) };
    let short = Malformed { reason: "a score is too short" };
    let (score, tail) = rest.split_at_checked(width).ok_or(short)?;
    *rest = tail;
    Ok(Cow::Borrowed(score))
}

/// The state of a member of a queue: the value of its item record.
///
/// ```text
/// state (one byte)  at (u64)  attempts (u32)  token (u64)  again (00 or 01)  score  [score]
/// ```
///
/// Integers are big-endian. The second score belongs to a push during the lease; it is present if
/// `again` is `01`.
///
/// ```
/// use keyscape_codec::record::{Item, State};
///
/// let (state, score) = (State::Leased(60), b"s".into());
/// let item = Item { state, attempts: 1, token: 7, score, again: None };
/// let bytes = item.bytes(Some(1));
/// assert_eq!(bytes, b"l\0\0\0\0\0\0\0\x3c\0\0\0\x01\0\0\0\0\0\0\0\x07\0s");
/// assert_eq!(Item::read(&bytes, Some(1))?, item);
/// # Ok::<(), keyscape_codec::Malformed>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Item<'r> {
    /// The state of the member.
    pub state: State,
    /// The number of claims since the last push.
    pub attempts: u32,
    /// The token of the newest claim; 0 if the member was never claimed.
    pub token: u64,
    /// Its score.
    pub score: Cow<'r, [u8]>,
    /// The next score, if the member was pushed again during a lease.
    pub again: Option<Cow<'r, [u8]>>,
}

/// The state of a member of a queue.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum State {
    /// Can be claimed.
    Ready,
    /// Can be claimed from this time on.
    Waiting(u64),
    /// Claimed until this time.
    Leased(u64),
    /// Not claimed until it is revived.
    Dead,
}

impl State {
    /// Returns the family of the record that lists members in this state.
    ///
    /// ```
    /// # use keyscape_codec::record::{Family, State};
    /// assert_eq!(State::Waiting(5).family(), Family::Waiting);
    /// ```
    #[must_use]
    pub const fn family(self) -> Family {
        match self {
            State::Ready => Family::Ready,
            State::Waiting(_) => Family::Waiting,
            State::Leased(_) => Family::Leased,
            State::Dead => Family::Dead,
        }
    }

    const fn at(self) -> u64 {
        match self {
            State::Waiting(at) | State::Leased(at) => at,
            State::Ready | State::Dead => 0,
        }
    }
}

impl<'r> Item<'r> {
    /// Encodes the item.
    #[must_use]
    pub fn bytes(&self, width: Option<usize>) -> Vec<u8> {
        let mut out = Vec::with_capacity(32 + self.score.len());
        Sink::push(&mut out, self.state.family().byte());
        fixed::put_be(self.state.at(), &mut out);
        fixed::put_be(self.attempts, &mut out);
        fixed::put_be(self.token, &mut out);
        Sink::push(&mut out, u8::from(self.again.is_some()));
        put_score(&self.score, width, &mut out);
        if let Some(again) = &self.again {
            put_score(again, width, &mut out);
        }
        out
    }

    /// Decodes an item.
    ///
    /// # Errors
    /// [`Malformed`] if the bytes are not an item.
    pub fn read(bytes: &'r [u8], width: Option<usize>) -> Result<Item<'r>, Malformed> {
        let (state, mut rest) = bytes.split_first().ok_or(STATE)?;
        let at: u64 = fixed::take_be(&mut rest)?;
        let attempts = fixed::take_be(&mut rest)?;
        let token = fixed::take_be(&mut rest)?;
        let state = match (*state, at) {
            (b'r', 0) => State::Ready,
            (b'd', 0) => State::Dead,
            (b'w', due) => State::Waiting(due),
            (b'l', deadline) => State::Leased(deadline),
            _ => return Err(STATE),
        };
        let (again, mut rest) = rest.split_first().ok_or(STATE)?;
        let score = take_score(&mut rest, width)?;
        let again = match again {
            0 => None,
            1 => Some(take_score(&mut rest, width)?),
            _ => return Err(STATE),
        };
        if rest.is_empty() { Ok(Item { state, attempts, token, score, again }) } else { Err(REST) }
    }
}
