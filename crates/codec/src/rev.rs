//! `rev(c)`: the encoding of `c` backwards. All encodings of `c` must have one length.

use crate::{
    BuildReason, Codec, Comparison, Description, Language, Malformed, Order, Stretch,
    changed::{Change, Changed, Inner},
    order,
    sink::Sink,
};
use alloc::{borrow::Cow, format, vec::Vec};
use keyscape_automata::{Budget, OverBudget};

/// Writes bytes backwards.
#[inline]
pub fn put(bytes: &[u8], sink: &mut impl Sink) {
    // In blocks from the right, to call the sink once for many bytes.
    let (rest, blocks) = bytes.as_rchunks::<16>();
    for block in blocks.iter().rev() {
        sink.put(&reversed(*block));
    }
    for &byte in rest.iter().rev() {
        sink.push(byte);
    }
}

/// Reverses an array, for keys of a known length.
#[inline]
#[must_use]
pub fn reversed<const N: usize>(mut bytes: [u8; N]) -> [u8; N] {
    bytes.reverse();
    bytes
}

/// `rev(c)`.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Rev;

impl Change for Rev {
    fn describe(&self, inner: &dyn Codec) -> Description {
        Description::around("rev", inner)
    }

    fn check(&self, of: &Inner<'_>) -> Result<(), BuildReason> {
        if order::one_length(of.language.over()) {
            return Ok(());
        }
        let inner = of.codec.text();
        Err(BuildReason::Declaration(format!(
            "`rev` needs encodings of one length, but those of `{inner}` vary"
        )))
    }

    fn put(&self, encoding: &[u8], out: &mut Vec<u8>) {
        put(encoding, out);
    }

    fn parse<'b>(&self, bytes: &'b [u8]) -> Result<Cow<'b, [u8]>, Malformed> {
        Ok(bytes.iter().rev().copied().collect())
    }

    fn language(&self, of: &Inner<'_>) -> Result<Language, OverBudget> {
        of.map(|dfa| dfa.reversed(of.budget))
    }

    fn order(_: &Changed<Self>, of: &Inner<'_>) -> Result<Order, OverBudget> {
        Ok(of.codec.order_by(Comparison::FromTheRight, of.budget))
    }

    fn order_by(changed: &Changed<Self>, comparison: Comparison, _: Budget<'_>) -> Order {
        match comparison {
            Comparison::LengthFirst => changed.order(),
            Comparison::FromTheRight => changed.inner.order(),
        }
    }

    fn stretch(&self) -> Option<Stretch> {
        Some(Stretch::NONE)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn blocks_and_single_bytes_agree() {
        for length in 0..=50_u8 {
            let bytes: Vec<u8> = (0..length).collect();
            let mut turned = Vec::new();
            put(&bytes, &mut turned);
            assert!(turned.iter().eq(bytes.iter().rev()));
        }
    }
}
