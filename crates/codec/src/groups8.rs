//! `groups8(c)`: the encoding of `c` in groups of eight bytes, each followed by a marker: FF if
//! another group follows, otherwise FF minus the number of padding 00 bytes. Bytes keep their
//! order, and no encoding is a prefix of another.

use crate::{
    Codec, Description, Language, Malformed, Order,
    changed::{Change, Changed, Inner, prefix_free},
};
use alloc::{borrow::Cow, vec::Vec};
use keyscape_automata::{ByteSet, OverBudget};

/// The bytes of a group.
const SIZE: usize = 8;

/// The bytes of a group with its marker.
const WHOLE: usize = SIZE + 1;

/// Parses groups from all of `bytes` and returns their contents.
fn parse(bytes: &[u8]) -> Result<Vec<u8>, Malformed> {
    let (mut out, mut rest) = (Vec::with_capacity(bytes.len()), bytes);
    loop {
        let short = Malformed { reason: "the last group of eight bytes is missing" };
        let ([body @ .., marker], tail) = rest.split_first_chunk::<WHOLE>().ok_or(short)?;
        rest = tail;
        let missing = usize::from(0xff - marker);
        let used = SIZE.checked_sub(missing).ok_or(MARKER)?;
        let (held, fill) = body.split_at_checked(used).ok_or(MARKER)?;
        if fill.iter().any(|&byte| byte != 0) {
            return Err(Malformed { reason: "a group of eight bytes is not padded with 00" });
        }
        out.extend_from_slice(held);
        match (missing, rest) {
            (0, _) => {}
            (_, []) => return Ok(out),
            _ => return Err(Malformed { reason: "bytes follow the last group of eight" }),
        }
    }
}

const MARKER: Malformed = Malformed { reason: "the marker of a group of eight is out of range" };

/// Writes bytes as a part of groups. `before` bytes of the first group are already used. A full
/// group is followed by FF, and the last group stays open.
pub(crate) fn put_part(bytes: &[u8], before: u8, out: &mut Vec<u8>) {
    for (index, &byte) in bytes.iter().enumerate() {
        out.push(byte);
        if (usize::from(before) + index) % SIZE == SIZE - 1 {
            out.push(0xff);
        }
    }
}

/// Returns the padding and marker of a last group of which `before` bytes are used.
pub(crate) fn ending(before: u8) -> Vec<u8> {
    let missing = SIZE - usize::from(before) % SIZE;
    let mut out = alloc::vec![0; missing];
    out.push(0xff - missing as u8);
    out
}

/// Parses the bytes that [`put_part`] writes.
fn parse_part(bytes: &[u8], before: u8) -> Result<Vec<u8>, Malformed> {
    let mut out = Vec::with_capacity(bytes.len());
    let mut place = usize::from(before);
    for &byte in bytes {
        if place < SIZE {
            out.push(byte);
            place += 1;
        } else if byte == 0xff {
            place = 0;
        } else {
            return Err(MARKER);
        }
    }
    if place < SIZE { Ok(out) } else { Err(MARKER) }
}

/// `groups8(c)`, and its form inside `wrap groups8(…)`, with other parts before or after.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Groups8 {
    /// The number of used bytes of the first group; less than eight.
    pub(crate) before: u8,
    /// Whether the last group ends here. If not, all encodings have one length.
    pub(crate) last: bool,
}

impl Groups8 {
    /// `groups8(c)`.
    pub(crate) const ALONE: Self = Self { before: 0, last: true };

    const LAST: [&str; SIZE] = [
        "groups8",
        "groups8_from_1",
        "groups8_from_2",
        "groups8_from_3",
        "groups8_from_4",
        "groups8_from_5",
        "groups8_from_6",
        "groups8_from_7",
    ];
    const OPEN: [&str; SIZE] = [
        "groups8_part_0",
        "groups8_part_1",
        "groups8_part_2",
        "groups8_part_3",
        "groups8_part_4",
        "groups8_part_5",
        "groups8_part_6",
        "groups8_part_7",
    ];
}

impl Change for Groups8 {
    fn describe(&self, inner: &dyn Codec) -> Description {
        let names = if self.last { &Self::LAST } else { &Self::OPEN };
        let name = names.get(usize::from(self.before)).copied().unwrap_or("groups8");
        let mut described = Description::around(name, inner);
        described.within = (!self.last || self.before > 0).then_some("in groups of eight bytes");
        described
    }

    fn growth(&self, length: usize) -> Option<(usize, usize)> {
        let before = usize::from(self.before);
        let whole = before.saturating_add(length) / SIZE;
        let longest = match self.last {
            true => whole.saturating_add(1).saturating_mul(WHOLE).saturating_sub(before),
            false => length.saturating_add(whole),
        };
        Some((length, longest))
    }

    fn put(&self, encoding: &[u8], out: &mut Vec<u8>) {
        put_part(encoding, self.before, out);
        if self.last {
            let taken = (usize::from(self.before) + encoding.len()) % SIZE;
            out.extend(ending(taken as u8));
        }
    }

    fn parse<'b>(&self, bytes: &'b [u8]) -> Result<Cow<'b, [u8]>, Malformed> {
        if !self.last {
            return parse_part(bytes, self.before).map(Cow::from);
        }
        // The used bytes count as 00.
        let before = usize::from(self.before);
        let whole = [&[0; SIZE][..before.min(SIZE)], bytes].concat();
        parse(&whole)?.get(before..).map(|inner| inner.to_vec().into()).ok_or(MARKER)
    }

    fn language(&self, of: &Inner<'_>) -> Result<Language, OverBudget> {
        let size = SIZE as u8;
        let language = of.map(|dfa| dfa.within_groups(size, self.before, self.last, of.budget))?;
        Ok(if self.last { prefix_free(language) } else { language })
    }

    /// After the end of a word comes 00 or, at the latest, a smaller marker. A word that leaves one
    /// byte in its group gains the fewest bytes: a 00 and a marker. A part that is not the last
    /// gains only FF markers, at the same offsets in all its encodings.
    fn order(changed: &Changed<Self>, of: &Inner<'_>) -> Result<Order, OverBudget> {
        if changed.change.last { changed.ended(of, &ByteSet::ANY, 2) } else { Ok(of.codec.order()) }
    }
}
