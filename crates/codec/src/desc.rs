//! `desc(c)`: the encoding of `c` with every bit inverted, so larger values come first.

use crate::{
    Codec, Description, Language, Malformed, Order, PrefixOrder, Stretch, Values,
    changed::{Change, Changed, Inner},
    sink::Sink,
};
use alloc::{borrow::Cow, vec::Vec};
use keyscape_automata::OverBudget;

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
#[derive(Clone, Copy, Debug)]
pub(crate) struct Desc;

impl Change for Desc {
    const REVERSES: bool = true;

    fn describe(&self, inner: &dyn Codec) -> Description {
        Description::new("desc", Values::Reversed).codec(inner)
    }

    fn put(&self, encoding: &[u8], out: &mut Vec<u8>) {
        put(encoding, out);
    }

    fn parse<'b>(&self, bytes: &'b [u8]) -> Result<Cow<'b, [u8]>, Malformed> {
        Ok(bytes.iter().map(|byte| !byte).collect())
    }

    fn language(&self, of: &Inner<'_>) -> Result<Language, OverBudget> {
        of.substitute(|byte| [!byte])
    }

    /// Bytes and values are both reversed. If one encoding is a prefix of another, only the values
    /// are.
    fn order(_: &Changed<Self>, of: &Inner<'_>) -> Result<Order, OverBudget> {
        Ok(match of.codec.order() {
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
        })
    }

    fn stretch(&self) -> Option<Stretch> {
        Some(Stretch::NONE)
    }
}
