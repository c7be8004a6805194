//! `nibbles(c)`: each byte of the encoding of `c` as two bytes, the higher half first, as in paths
//! of tries.

use crate::{
    Codec, Comparison, Description, Language, Malformed, Order, Stretch,
    changed::{Change, Changed, Inner, parsed},
    sink::Sink,
};
use alloc::{borrow::Cow, vec::Vec};
use keyscape_automata::{Budget, OverBudget};

/// Writes each byte as two.
#[inline]
pub fn put(bytes: &[u8], sink: &mut impl Sink) {
    for &byte in bytes {
        sink.put(&[byte >> 4, byte & 15]);
    }
}

/// Parses all of `bytes`, two for one, into `out`.
///
/// # Errors
/// [`Malformed`] if the number of bytes is odd, or a byte is above 0F. The bytes read so far are
/// written then.
///
/// ```
/// let mut out = Vec::new();
/// keyscape_codec::nibbles::parse(&[0x0a, 0x0b], &mut out)?;
/// assert_eq!(out, [0xab]);
/// # Ok::<(), keyscape_codec::Malformed>(())
/// ```
#[inline]
pub fn parse(bytes: &[u8], out: &mut impl Sink) -> Result<(), Malformed> {
    let (pairs, rest) = bytes.as_chunks::<2>();
    if !rest.is_empty() {
        return Err(Malformed { reason: "there is an odd number of nibbles" });
    }
    for &[high, low] in pairs {
        if high > 15 || low > 15 {
            return Err(Malformed { reason: "a nibble is above 0f" });
        }
        out.push(high << 4 | low);
    }
    Ok(())
}

/// `nibbles(c)`. Two halves sort like their byte, and each byte has two, so all comparisons are
/// kept.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Nibbles;

impl Change for Nibbles {
    fn describe(&self, inner: &dyn Codec) -> Description {
        Description::around("nibbles", inner)
    }

    fn put(&self, encoding: &[u8], out: &mut Vec<u8>) {
        put(encoding, out);
    }

    fn parse<'b>(&self, bytes: &'b [u8]) -> Result<Cow<'b, [u8]>, Malformed> {
        parsed(|out| parse(bytes, out))
    }

    fn language(&self, of: &Inner<'_>) -> Result<Language, OverBudget> {
        of.substitute(|byte| [byte >> 4, byte & 15])
    }

    fn order_by(changed: &Changed<Self>, comparison: Comparison, budget: Budget<'_>) -> Order {
        changed.order_by_inner_length(comparison, budget)
    }

    fn stretch(&self) -> Option<Stretch> {
        Some(Stretch::DOUBLE)
    }
}
