//! `nibbles(c)`: each byte of the encoding of `c` as two bytes, the higher half first, as in paths
//! of tries.

use crate::{
    Comparison, Language, Malformed, Order, Stretch,
    changed::{Change, Changed, Inner},
    order,
    sink::Sink,
    wrapped::map_language,
};
use alloc::vec::Vec;
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

/// `nibbles(c)`.
#[derive(Clone, Copy, Debug)]
pub(crate) struct ToNibbles;

impl Change for ToNibbles {
    fn name(&self) -> &'static str {
        "nibbles"
    }

    fn stretch(&self) -> Option<Stretch> {
        Some(Stretch::DOUBLE)
    }

    fn put(&self, encoding: &[u8], out: &mut Vec<u8>) {
        put(encoding, out);
    }

    fn parse(&self, bytes: &[u8]) -> Result<Vec<u8>, Malformed> {
        let mut inner = Vec::with_capacity(bytes.len() / 2);
        parse(bytes, &mut inner)?;
        Ok(inner)
    }

    fn language(&self, of: &Inner<'_>) -> Result<Language, OverBudget> {
        let halves = |byte: u8| Vec::from([byte >> 4, byte & 15]);
        map_language(of.language.clone(), |dfa| dfa.substitute(halves, of.budget))
    }

    // Two halves sort like their byte, and each byte has two, so all comparisons are kept.
    fn order(_: &Changed<Self>, of: &Inner<'_>) -> Result<Order, OverBudget> {
        Ok(of.codec.order())
    }

    fn order_by(changed: &Changed<Self>, comparison: Comparison, budget: Budget<'_>) -> Order {
        match comparison {
            Comparison::LengthFirst => changed.inner.order_by(comparison, budget),
            Comparison::FromTheRight => order::by(changed, comparison, budget),
        }
    }
}
