//! `len8(c)`: one byte that holds the length, then the encoding of `c`.

use crate::{
    BuildReason, Codec, Comparison, IntRange, Language, Malformed, Order, Value, ValueError, order,
    sink::Sink,
    wrapped::{encoded, map_language, values_of_inner},
};
use alloc::{format, string::String, sync::Arc, vec::Vec};
use core::cmp::Ordering;
use keyscape_automata::{Budget, Dfa, Lang, OverBudget};

/// The largest length that one byte holds.
pub const MOST: usize = 255;

/// More than 255 bytes cannot stand behind one length byte.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{length} bytes do not fit behind a length byte, which holds at most 255")]
pub struct TooLong {
    /// How many there were.
    pub length: usize,
}

/// Writes the length of `bytes` and then `bytes`.
///
/// # Errors
/// [`TooLong`] above 255 bytes; nothing is written then.
#[inline]
pub fn put(bytes: &[u8], sink: &mut impl Sink) -> Result<(), TooLong> {
    let length = u8::try_from(bytes.len()).map_err(|_| TooLong { length: bytes.len() })?;
    sink.push(length);
    sink.put(bytes);
    Ok(())
}

/// Peels a length and as many bytes off the left of `bytes`.
///
/// # Errors
/// [`Malformed`] if there are too few bytes; none are taken then.
///
/// ```
/// let mut key = &b"\x02abrest"[..];
/// assert_eq!(keyscape_codec::len8::take(&mut key)?, b"ab");
/// assert_eq!(key, b"rest");
/// # Ok::<(), keyscape_codec::Malformed>(())
/// ```
#[inline]
pub fn take<'a>(bytes: &mut &'a [u8]) -> Result<&'a [u8], Malformed> {
    const SHORT: Malformed = Malformed { reason: "a length is larger than what follows it" };
    let (&length, rest) = bytes.split_first().ok_or(SHORT)?;
    let (body, rest) = rest.split_at_checked(usize::from(length)).ok_or(SHORT)?;
    *bytes = rest;
    Ok(body)
}

/// Reads all of `bytes` as a length and as many bytes.
///
/// # Errors
/// [`Malformed`] if the length is not that of what follows.
#[inline]
pub fn parse(bytes: &[u8]) -> Result<&[u8], Malformed> {
    let mut rest = bytes;
    let body = take(&mut rest)?;
    if rest.is_empty() {
        Ok(body)
    } else {
        Err(Malformed { reason: "a length is smaller than what follows it" })
    }
}

/// `len8(c)`.
#[derive(Clone, Debug)]
pub(crate) struct Len8 {
    inner: Arc<dyn Codec>,
    order: Order,
}

impl Len8 {
    pub(crate) fn new(inner: Arc<dyn Codec>) -> Result<Self, BuildReason> {
        if inner.longest().is_none_or(|longest| longest > MOST) {
            return Err(BuildReason::TooLong { name: "len8", most: MOST, inner: inner.text() });
        }
        // The length byte comes first, so shorter encodings do, and equal lengths sort as inside.
        // No encoding is the beginning of another.
        let order = match inner.order_by(Comparison::LengthFirst) {
            Order::Ordered { .. } => order::ORDERED,
            other => other,
        };
        Ok(Self { inner, order })
    }
}

/// The words behind their lengths. A few words are listed: an automaton of real encodings has a
/// state for almost every byte of them, too many to pair with every length.
fn prefixed(dfa: &Dfa, budget: Budget) -> Result<Dfa, OverBudget> {
    const FEW: usize = 256;
    let words = dfa.words(FEW + 1);
    if words.len() > FEW {
        return dfa.behind_length(budget);
    }
    let prefixed = words.iter().filter_map(|word| {
        let mut bytes = Vec::with_capacity(word.len() + 1);
        put(word, &mut bytes).ok().map(|()| Lang::literal(&bytes))
    });
    Dfa::from_lang(&Lang::Alt(prefixed.collect()), budget)
}

impl Codec for Len8 {
    values_of_inner!();

    fn text(&self) -> String {
        format!("len8({})", self.inner.text())
    }

    fn encode(&self, value: &Value, out: &mut Vec<u8>) -> Result<(), ValueError> {
        let bytes = encoded(&*self.inner, value)?;
        put(&bytes, out).map_err(|_| ValueError::Outside { allowed: self.allowed() })
    }

    fn decode(&self, bytes: &[u8]) -> Result<Value, Malformed> {
        self.inner.decode(parse(bytes)?)
    }

    fn language(&self, budget: Budget) -> Result<Language, OverBudget> {
        map_language(self.inner.language(budget)?, |dfa| prefixed(dfa, budget))
    }

    fn order(&self) -> Order {
        self.order.clone()
    }

    fn order_by(&self, comparison: Comparison) -> Order {
        match comparison {
            Comparison::LengthFirst => self.order(),
            Comparison::FromTheRight => order::by(self, comparison),
        }
    }

    fn compare(&self, a: &Value, b: &Value) -> Ordering {
        self.inner.compare(a, b)
    }

    fn longest(&self) -> Option<usize> {
        self.inner.longest().map(|longest| longest + 1)
    }

    fn restrict(&self, range: &IntRange) -> Option<Arc<dyn Codec>> {
        Some(Arc::new(Self::new(self.inner.restrict(range)?).ok()?))
    }
}
