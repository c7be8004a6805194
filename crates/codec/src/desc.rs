//! `desc(c)`: the encoding of `c` with every bit inverted, so larger values come first.

use crate::{
    Codec, Description, IntRange, Language, Malformed, Order, PrefixOrder, Stretch, Value,
    ValueError, Values,
    sink::Sink,
    wrapped::{encoded, map_language, values_of_inner},
};
use alloc::{sync::Arc, vec::Vec};
use keyscape_automata::{Budget, OverBudget};

/// A sink that inverts every bit and passes the bytes on. Any codec can write into it.
///
/// ```
/// use keyscape_codec::{KeyBuf, desc::Complement, fixed};
///
/// let mut key = KeyBuf::<8>::new();
/// fixed::put_be(1_u64, &mut Complement(&mut key));
/// assert_eq!(key.bytes(), Ok(&[0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xfe][..]));
/// ```
#[derive(Debug)]
pub struct Complement<'a, S: ?Sized>(
    /// The target.
    pub &'a mut S,
);

impl<S: Sink + ?Sized> Sink for Complement<'_, S> {
    #[inline]
    fn put(&mut self, bytes: &[u8]) {
        // In chunks, so a fixed-width integer is one write.
        let (pieces, rest) = bytes.as_chunks::<8>();
        for piece in pieces {
            self.0.put(&piece.map(|byte| !byte));
        }
        for &byte in rest {
            self.0.push(!byte);
        }
    }

    #[inline]
    fn push(&mut self, byte: u8) {
        self.0.push(!byte);
    }
}

/// Writes bytes with every bit inverted.
#[inline]
pub fn put(bytes: &[u8], sink: &mut impl Sink) {
    Complement(sink).put(bytes);
}

/// `desc(c)`.
#[derive(Clone, Debug)]
pub(crate) struct Desc {
    pub(crate) inner: Arc<dyn Codec>,
}

impl Codec for Desc {
    values_of_inner!(descending);

    fn shows_shortest_loss(&self) -> bool {
        self.inner.shows_shortest_loss()
    }

    fn describe(&self) -> Description {
        Description::new("desc", Values::Reversed).codec(&*self.inner)
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
        map_language(self.inner.language(budget)?, |dfa| {
            dfa.substitute(|byte| Vec::from([!byte]), budget)
        })
    }

    /// Bytes and values are both reversed. If one encoding is a prefix of another, only the values
    /// are.
    fn order(&self) -> Order {
        match self.inner.order() {
            Order::Ordered { prefix: PrefixOrder::ShorterFirst } => {
                Order::Ordered { prefix: PrefixOrder::LongerFirst }
            }
            Order::Ordered { prefix: PrefixOrder::LongerFirst } => {
                Order::Ordered { prefix: PrefixOrder::ShorterFirst }
            }
            Order::Misordered { lower, higher, minimal } => {
                Order::Misordered { lower: higher, higher: lower, minimal }
            }
            Order::Tied { lower, higher } => Order::Tied { lower: higher, higher: lower },
            unknown @ Order::Unknown(_) => unknown,
        }
    }

    fn longest(&self) -> Option<usize> {
        self.inner.longest()
    }

    fn stretch(&self) -> Option<(&dyn Codec, Stretch)> {
        Some((&*self.inner, Stretch::NONE))
    }

    fn restrict(&self, range: &IntRange) -> Option<Arc<dyn Codec>> {
        Some(Arc::new(Self { inner: self.inner.restrict(range)? }))
    }
}
