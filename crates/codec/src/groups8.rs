//! `groups8(c)`: the encoding of `c` in groups of eight bytes, each followed by a byte that says how
//! full it is: FF where another group follows, otherwise FF less the number of 00 that fill it up.
//! Bytes keep their order, and no encoding is the beginning of another.

use crate::{
    Language, Malformed, Order,
    changed::{Change, Changed, Inner},
    sink::Sink,
    wrapped::{map_language, prefix_free},
};
use alloc::vec::Vec;
use keyscape_automata::{ByteSet, OverBudget};

/// The bytes of a group.
const SIZE: usize = 8;

/// How many bytes a group and its marker have.
const WHOLE: usize = SIZE + 1;

/// Writes bytes in groups.
///
/// ```
/// let mut key = Vec::new();
/// keyscape_codec::groups8::put(b"abc", &mut key);
/// assert_eq!(key, b"abc\x00\x00\x00\x00\x00\xfa");
/// ```
#[inline]
pub fn put(bytes: &[u8], sink: &mut impl Sink) {
    let (groups, rest) = bytes.as_chunks::<SIZE>();
    for group in groups {
        sink.put(group);
        sink.push(0xff);
    }
    let missing = SIZE - rest.len();
    sink.put(rest);
    sink.put([0; SIZE].get(..missing).unwrap_or_default());
    sink.push(0xff - missing as u8);
}

/// Peels groups off the left of `bytes` up to the last one, and writes what they hold to `out`.
///
/// # Errors
/// [`Malformed`] if there is no last group, or if a marker does not fit its group. Nothing is taken
/// then, but what was read is written.
#[inline]
pub fn take(bytes: &mut &[u8], out: &mut impl Sink) -> Result<(), Malformed> {
    const SHORT: Malformed = Malformed { reason: "the last group of eight bytes is missing" };
    let mut rest = *bytes;
    loop {
        let (group, tail) = rest.split_first_chunk::<WHOLE>().ok_or(SHORT)?;
        let [body @ .., marker] = group;
        rest = tail;
        let missing = usize::from(0xff - marker);
        let used = SIZE.checked_sub(missing).ok_or(MARKER)?;
        let (held, fill) = body.split_at_checked(used).ok_or(MARKER)?;
        if fill.iter().any(|&byte| byte != 0) {
            return Err(Malformed { reason: "a group of eight bytes is not filled up with 00" });
        }
        out.put(held);
        if missing > 0 {
            *bytes = rest;
            return Ok(());
        }
    }
}

const MARKER: Malformed = Malformed { reason: "the byte behind a group of eight says too much" };

/// Reads all of `bytes` and writes what the groups hold to `out`.
///
/// # Errors
/// [`Malformed`] as for [`take`], or if something follows the last group.
#[inline]
pub fn parse(bytes: &[u8], out: &mut impl Sink) -> Result<(), Malformed> {
    let mut rest = bytes;
    take(&mut rest, out)?;
    if rest.is_empty() {
        Ok(())
    } else {
        Err(Malformed { reason: "bytes follow the last group of eight" })
    }
}

/// `groups8(c)`.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Groups8;

impl Change for Groups8 {
    fn name(&self) -> &'static str {
        "groups8"
    }

    fn put(&self, encoding: &[u8], out: &mut Vec<u8>) {
        put(encoding, out);
    }

    fn parse(&self, bytes: &[u8]) -> Result<Vec<u8>, Malformed> {
        let mut inner = Vec::with_capacity(bytes.len());
        parse(bytes, &mut inner)?;
        Ok(inner)
    }

    fn language(&self, of: &Inner<'_>) -> Result<Language, OverBudget> {
        let size = SIZE as u8;
        map_language(of.language.clone(), |dfa| dfa.in_groups(size, of.budget)).map(prefix_free)
    }

    /// Where a word ends stands 00, and behind it, at the latest, a smaller marker. A word of seven
    /// bytes gains the fewest: a 00 and a marker.
    fn order(changed: &Changed<Self>, of: &Inner<'_>) -> Result<Order, OverBudget> {
        changed.ended(of, &ByteSet::ANY, 2)
    }
}
