//! `nibbles(c)`: each byte of the encoding of `c` as two bytes, the higher half first, as in paths
//! of tries.

use crate::{
    Codec, Comparison, Description, Language, Malformed, Order, Stretch,
    changed::{Change, Changed, Inner},
};
use alloc::{borrow::Cow, vec::Vec};
use keyscape_automata::{Budget, OverBudget};

const fn halves(byte: u8) -> [u8; 2] {
    [byte >> 4, byte & 15]
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
        encoding.iter().for_each(|&byte| out.extend(halves(byte)));
    }

    fn parse<'b>(&self, bytes: &'b [u8]) -> Result<Cow<'b, [u8]>, Malformed> {
        let (pairs, rest) = bytes.as_chunks::<2>();
        if !rest.is_empty() {
            return Err(Malformed { reason: "there is an odd number of nibbles" });
        }
        let byte = |&[high, low]: &[u8; 2]| match high | low {
            0..=15 => Ok(high << 4 | low),
            _ => Err(Malformed { reason: "a nibble is above 0f" }),
        };
        pairs.iter().map(byte).collect()
    }

    fn language(&self, of: &Inner<'_>) -> Result<Language, OverBudget> {
        of.substitute(halves)
    }

    fn order_by(changed: &Changed<Self>, comparison: Comparison, budget: Budget<'_>) -> Order {
        changed.order_by_inner_length(comparison, budget)
    }

    fn stretch(&self) -> Option<Stretch> {
        Some(Stretch::DOUBLE)
    }
}
