// What generated code looks like for a store of structures: a part of `layouts/onesat/sound.keys`,
// and some more.
//
// store txo structures
// zset events = "z:" {event: text(r"[a-z]+:.*")}   member Outpoint  score Score
// zset topics = "z:tp:" {topic: Name}              member Outpoint  score Score  counted
// zset board  = "b:" {game: u8}                    member Name      score u64be  counted  ranked
// queue tokens = "q:tok:" {token: Name}            member Outpoint  score Score    scan all
// set whitelist = "s:bsv21:whitelist"              member Name
// set friends = "f:" {of: Name}                    member Name      counted
// hash output = "h:" {outpoint: Outpoint}
//     field merkle = "ms" -> u64be
//     field data = "dt:" {tag: Name} -> bytes
//     scan outpoint.txid by vout
//     scan all also satoshis
// hash satoshis = "h:sats"
//     field amount = {outpoint: Outpoint} -> u64be

use keyscape_codec::{KeyBuf, Malformed, Sink, ValueError, fixed};
use keyscape_runtime as rt;
use rt::record::Kind;
use std::{borrow::Cow, ops::Deref};

/// A name without a colon.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Name<'k>(Cow<'k, str>);

impl<'k> Name<'k> {
    pub fn new(name: impl Into<Cow<'k, str>>) -> Result<Self, rt::DomainError> {
        let name = name.into();
        if name.is_empty() || name.len() > 255 || name.contains(':') {
            let source = ValueError::Outside { allowed: "1 to 255 bytes without a colon".into() };
            return Err(rt::DomainError { what: "Name", source });
        }
        Ok(Self(name))
    }

    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl rt::Field for Name<'static> {
    type View<'k> = Name<'k>;

    fn encode(view: &Name<'_>, out: &mut impl Sink) -> Result<(), rt::DomainError> {
        out.put(view.0.as_bytes());
        Ok(())
    }

    fn decode(bytes: &[u8]) -> Result<Name<'_>, Malformed> {
        let malformed = Malformed { reason: "a name is none" };
        let text = std::str::from_utf8(bytes).map_err(|_| malformed)?;
        Name::new(text).map_err(|_| malformed)
    }

    fn into_owned(view: Name<'_>) -> Name<'static> {
        Name(Cow::Owned(view.0.into_owned()))
    }
}

/// An output of a transaction.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Outpoint {
    pub txid: [u8; 32],
    pub vout: u32,
}

impl rt::Field for Outpoint {
    type View<'k> = Outpoint;

    fn encode(view: &Outpoint, out: &mut impl Sink) -> Result<(), rt::DomainError> {
        out.put(&view.txid);
        fixed::put_be(view.vout, out);
        Ok(())
    }

    fn decode(bytes: &[u8]) -> Result<Outpoint, Malformed> {
        let short = Malformed { reason: "an outpoint has 36 bytes" };
        let (txid, vout) = bytes.split_first_chunk().ok_or(short)?;
        Ok(Outpoint { txid: *txid, vout: fixed::parse_be(vout)? })
    }

    fn into_owned(view: Outpoint) -> Outpoint {
        view
    }
}

/// What members are sorted by. Its encodings have two lengths, so records escape them.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Score {
    Confirmed { height: u32, index: u64 },
    Unconfirmed { nanoseconds: u64 },
}

impl rt::Field for Score {
    type View<'k> = Score;

    fn encode(view: &Score, out: &mut impl Sink) -> Result<(), rt::DomainError> {
        match view {
            Score::Confirmed { height, index } => {
                out.push(0);
                fixed::put_be(*height, out);
                fixed::put_be(*index, out);
            }
            Score::Unconfirmed { nanoseconds } => {
                out.push(1);
                fixed::put_be(*nanoseconds, out);
            }
        }
        Ok(())
    }

    fn decode(bytes: &[u8]) -> Result<Score, Malformed> {
        match bytes {
            [0, rest @ ..] => {
                let mut rest = rest;
                let height = fixed::take_be(&mut rest)?;
                Ok(Score::Confirmed { height, index: fixed::parse_be(rest)? })
            }
            [1, rest @ ..] => Ok(Score::Unconfirmed { nanoseconds: fixed::parse_be(rest)? }),
            _ => Err(Malformed { reason: "a score is neither confirmed nor unconfirmed" }),
        }
    }

    fn into_owned(view: Score) -> Score {
        view
    }
}

/// Points: integers of one length.
type Points = rt::Be<u64>;

type Number = rt::Be<u64>;
type Raw = rt::Bytes;

/// Implements a keyspace whose key is a literal and one part, and its constant.
macro_rules! keyspace {
    ($marker:ident, $constant:ident, $handle:ident, $name:literal, $kind:ident, $literal:literal, $field:ty) => {
        #[derive(Clone, Copy, Debug)]
        pub struct $marker;

        pub const $constant: $marker = $marker;

        impl Deref for $marker {
            type Target = rt::$handle<$marker>;

            fn deref(&self) -> &Self::Target {
                const { &rt::$handle::new() }
            }
        }

        impl rt::Keyspace for $marker {
            const NAME: &'static str = $name;
            const SPACE: &'static str = "txo";
            type Buffer = KeyBuf<264>;
            type Key<'k> = <$field as rt::Field>::View<'k>;

            fn encode(key: &Self::Key<'_>, out: &mut impl Sink) -> Result<(), rt::DomainError> {
                out.put($literal);
                <$field as rt::Field>::encode(key, out)
            }

            fn decode(bytes: &[u8]) -> Result<Self::Key<'_>, Malformed> {
                let other = Malformed { reason: "the key begins with another literal" };
                <$field as rt::Field>::decode(bytes.strip_prefix($literal).ok_or(other)?)
            }

            fn into_owned(key: Self::Key<'_>) -> Self::Key<'static> {
                <$field as rt::Field>::into_owned(key)
            }
        }

        impl rt::Structure for $marker {
            const KIND: Kind = Kind::$kind;
        }
    };
}

/// Nothing: what keys without parts have.
#[derive(Clone, Copy, Debug)]
pub struct Nothing;

impl rt::Field for Nothing {
    type View<'k> = ();

    fn encode((): &(), _: &mut impl Sink) -> Result<(), rt::DomainError> {
        Ok(())
    }

    fn decode(bytes: &[u8]) -> Result<(), Malformed> {
        if bytes.is_empty() { Ok(()) } else { Err(Malformed { reason: "the key goes on" }) }
    }

    fn into_owned((): ()) {}
}

/// Any text behind `z:`.
#[derive(Clone, Copy, Debug)]
pub struct Event;

impl rt::Field for Event {
    type View<'k> = &'k str;

    fn encode(view: &&str, out: &mut impl Sink) -> Result<(), rt::DomainError> {
        out.put(view.as_bytes());
        Ok(())
    }

    fn decode(bytes: &[u8]) -> Result<&str, Malformed> {
        let malformed = Malformed { reason: "an event is no text" };
        std::str::from_utf8(bytes).map_err(|_| malformed)
    }

    fn into_owned(view: &str) -> &'static str {
        String::leak(view.to_owned())
    }
}

type Game = rt::Be<u8>;

keyspace!(Events, EVENTS, Zset, "events", Zset, b"z:", Event);

impl rt::ZsetKeyspace for Events {
    type Member = Outpoint;
    type Score = Score;
    const SCORE_WIDTH: Option<usize> = None;
    const COUNTED: bool = false;
    const RANKED: bool = false;
}

keyspace!(Topics, TOPICS, Zset, "topics", Zset, b"z:tp:", Name<'static>);

impl rt::ZsetKeyspace for Topics {
    type Member = Outpoint;
    type Score = Score;
    const SCORE_WIDTH: Option<usize> = None;
    const COUNTED: bool = true;
    const RANKED: bool = false;
}

keyspace!(Board, BOARD, Zset, "board", Zset, b"b:", Game);

impl rt::ZsetKeyspace for Board {
    type Member = Name<'static>;
    type Score = Points;
    const SCORE_WIDTH: Option<usize> = Some(8);
    const COUNTED: bool = true;
    const RANKED: bool = true;
}

keyspace!(Tokens, TOKENS, Queue, "tokens", Queue, b"q:tok:", Name<'static>);

impl rt::QueueKeyspace for Tokens {
    type Member = Outpoint;
    type Score = Score;
    const SCORE_WIDTH: Option<usize> = None;
}

keyspace!(Jobs, JOBS, Queue, "jobs", Queue, b"q:job:", Game);

impl rt::QueueKeyspace for Jobs {
    type Member = Name<'static>;
    type Score = Points;
    const SCORE_WIDTH: Option<usize> = Some(8);
}

keyspace!(Whitelist, WHITELIST, Set, "whitelist", Set, b"s:bsv21:whitelist", Nothing);

impl rt::SetKeyspace for Whitelist {
    type Member = Name<'static>;
    const COUNTED: bool = false;
}

keyspace!(Friends, FRIENDS, Set, "friends", Set, b"f:", Name<'static>);

impl rt::SetKeyspace for Friends {
    type Member = Name<'static>;
    const COUNTED: bool = true;
}

keyspace!(Output, OUTPUT, Hash, "output", Hash, b"h:", Outpoint);

/// A field of an output with its value.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum OutputEntry<'r> {
    Merkle(u64),
    Data { tag: Name<'r>, value: &'r [u8] },
}

impl rt::HashKeyspace for Output {
    type Entry<'r> = OutputEntry<'r>;

    fn entry<'r>(field: &'r [u8], value: &'r [u8]) -> Result<OutputEntry<'r>, rt::EntryError> {
        use rt::{Keyspace, ValueForm};
        if OutputMerkle::decode(field).is_ok() {
            return Ok(OutputEntry::Merkle(Number::decode(value)?));
        }
        let tag = OutputData::decode(field)?;
        Ok(OutputEntry::Data { tag, value: Raw::decode(value)? })
    }
}

/// Implements a field of a hash.
macro_rules! field {
    ($marker:ident, $constant:ident, $hash:ident, $name:literal, $literal:literal, $field:ty, $value:ty) => {
        #[derive(Clone, Copy, Debug)]
        pub struct $marker;

        pub const $constant: $marker = $marker;

        impl Deref for $marker {
            type Target = rt::HashFieldOf<$marker>;

            fn deref(&self) -> &Self::Target {
                const { &rt::HashFieldOf::new() }
            }
        }

        impl rt::Keyspace for $marker {
            const NAME: &'static str = $name;
            const SPACE: &'static str = "txo";
            type Buffer = KeyBuf<264>;
            type Key<'k> = <$field as rt::Field>::View<'k>;

            fn encode(key: &Self::Key<'_>, out: &mut impl Sink) -> Result<(), rt::DomainError> {
                out.put($literal);
                <$field as rt::Field>::encode(key, out)
            }

            fn decode(bytes: &[u8]) -> Result<Self::Key<'_>, Malformed> {
                let other = Malformed { reason: "the field begins with another literal" };
                <$field as rt::Field>::decode(bytes.strip_prefix($literal).ok_or(other)?)
            }

            fn into_owned(key: Self::Key<'_>) -> Self::Key<'static> {
                <$field as rt::Field>::into_owned(key)
            }
        }

        impl rt::Rows for $marker {
            type Value = $value;
        }

        impl rt::HashField for $marker {
            type Hash = $hash;
            const PREFIX: &'static [u8] = $literal;
        }
    };
}

field!(OutputMerkle, OUTPUT_MERKLE, Output, "output.merkle", b"ms", Nothing, Number);
field!(OutputData, OUTPUT_DATA, Output, "output.data", b"dt:", Name<'static>, Raw);

keyspace!(Satoshis, SATOSHIS, Hash, "satoshis", Hash, b"h:sats", Nothing);
field!(Amount, SATOSHIS_AMOUNT, Satoshis, "satoshis.amount", b"", Outpoint, Number);

impl rt::HashKeyspace for Satoshis {
    type Entry<'r> = (Outpoint, u64);

    fn entry<'r>(field: &'r [u8], value: &'r [u8]) -> Result<(Outpoint, u64), rt::EntryError> {
        use rt::{Keyspace, ValueForm};
        Ok((Amount::decode(field)?, Number::decode(value)?))
    }
}

impl Output {
    /// The outputs of a transaction.
    pub fn prefix_outpoint_txid(self, txid: [u8; 32]) -> rt::Prefix<Output, OutputByTxid> {
        rt::Prefix::new(|lead: &mut KeyBuf<264>| {
            lead.put(b"h:");
            lead.put(&txid);
            Ok(())
        })
    }

    /// Every output.
    pub fn prefix_all(self) -> rt::Prefix<Output, OutputAll> {
        rt::Prefix::new(|lead: &mut KeyBuf<264>| {
            lead.put(b"h:");
            Ok(())
        })
    }
}

/// The scan `outpoint.txid by vout`.
#[derive(Clone, Copy, Debug)]
pub struct OutputByTxid;

impl rt::ScanRows<Output> for OutputByTxid {
    const NAME: &'static str = "outpoint.txid";
}

impl rt::By<Output> for OutputByTxid {
    type Field = rt::Be<u32>;
    const LAST: bool = true;
}

/// The scan `all`.
#[derive(Clone, Copy, Debug)]
pub struct OutputAll;

impl rt::ScanRows<Output> for OutputAll {
    const NAME: &'static str = "all";
    const ALSO: bool = true;

    fn passes(key: &[u8]) -> bool {
        <Satoshis as rt::Keyspace>::decode(key).is_ok()
    }
}

impl Tokens {
    /// Every token that has work.
    pub fn prefix_all(self) -> rt::Prefix<Tokens, TokensAll> {
        rt::Prefix::new(|lead: &mut KeyBuf<264>| {
            lead.put(b"q:tok:");
            Ok(())
        })
    }
}

/// The scan `all`.
#[derive(Clone, Copy, Debug)]
pub struct TokensAll;

impl rt::ScanRows<Tokens> for TokensAll {
    const NAME: &'static str = "all";
}

/// Runs an example in a transaction on an empty database.
pub fn example(
    run: impl FnOnce(&mut keyscape_store::Tx<'_>) -> Result<(), Box<dyn std::error::Error>>,
) -> Result<(), Box<dyn std::error::Error>> {
    let spaces = keyscape_store::Spaces::new(["txo"])?;
    keyscape_store::Db::new(keyscape_store::Memory::new(spaces)).write(run)
}
