//! `rev(c)`: the encoding of `c` backwards. All encodings of `c` must have one length.

use crate::{
    BuildReason, Codec, Comparison, Description, IntRange, Language, Malformed, Order, Stretch,
    Value, ValueError, order,
    sink::Sink,
    wrapped::{encoded, map_language, values_of_inner},
};
use alloc::{sync::Arc, vec::Vec};
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
#[derive(Clone, Debug)]
pub(crate) struct Rev {
    inner: Arc<dyn Codec>,
    order: Order,
}

impl Rev {
    pub(crate) fn new(inner: Arc<dyn Codec>, budget: Budget) -> Result<Self, BuildReason> {
        let language = inner.language(budget).map_err(BuildReason::OverBudget)?;
        if !order::one_length(language.over()) {
            return Err(BuildReason::VaryingLength { name: "rev", inner: inner.text() });
        }
        let order = inner.order_by(Comparison::FromTheRight, budget);
        Ok(Self { inner, order })
    }
}

impl Codec for Rev {
    values_of_inner!();

    fn shows_shortest_loss(&self) -> bool {
        self.inner.shows_shortest_loss()
    }

    fn describe(&self) -> Description {
        Description::around("rev", &*self.inner)
    }

    fn encode(&self, value: &Value, out: &mut Vec<u8>) -> Result<(), ValueError> {
        put(&encoded(&*self.inner, value)?, out);
        Ok(())
    }

    fn decode(&self, bytes: &[u8]) -> Result<Value, Malformed> {
        let mut inner = Vec::with_capacity(bytes.len());
        put(bytes, &mut inner);
        self.inner.decode(&inner)
    }

    fn language(&self, budget: Budget) -> Result<Language, OverBudget> {
        map_language(self.inner.language(budget)?, |dfa| dfa.reversed(budget))
    }

    fn order(&self) -> Order {
        self.order.clone()
    }

    fn order_by(&self, comparison: Comparison, _: Budget<'_>) -> Order {
        match comparison {
            Comparison::LengthFirst => self.order(),
            Comparison::FromTheRight => self.inner.order(),
        }
    }

    fn longest(&self) -> Option<usize> {
        self.inner.longest()
    }

    fn stretch(&self) -> Option<(&dyn Codec, Stretch)> {
        Some((&*self.inner, Stretch::NONE))
    }

    fn restrict(&self, range: &IntRange) -> Option<Arc<dyn Codec>> {
        Some(Arc::new(Self::new(self.inner.restrict(range)?, Budget::default()).ok()?))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn blocks_are_no_different_from_bytes() {
        for length in 0..=50_u8 {
            let bytes: Vec<u8> = (0..length).collect();
            let mut turned = Vec::new();
            put(&bytes, &mut turned);
            assert!(turned.iter().eq(bytes.iter().rev()));
        }
    }
}
