//! `nul(c)`: the encoding of `c`, then a byte 00. If an encoding of `c` can contain 00, the first
//! 00 need not be its end; the language reflects that.

use crate::{
    Codec, Comparison, Description, IntRange, Language, Malformed, Order, PrefixOrder, Stretch,
    Value, ValueError,
    order::{self, ABOVE_ZERO, PairSearch},
    sink::Sink,
    wrapped::{map_language, values_of_inner},
};
use alloc::{sync::Arc, vec::Vec};
use core::ffi::CStr;
use keyscape_automata::{Budget, ByteSet, Dfa, Lang, OverBudget};

/// Writes `bytes` and then 00.
#[inline]
pub fn put(bytes: &[u8], sink: &mut impl Sink) {
    sink.put(bytes);
    sink.push(0);
}

/// Parses everything up to and including the first 00 from the left of `bytes`. Correct only if the
/// bytes before the terminator cannot contain 00.
///
/// # Errors
/// [`Malformed`] if no byte is 00; nothing is consumed then.
#[inline]
pub fn take<'a>(bytes: &mut &'a [u8]) -> Result<&'a [u8], Malformed> {
    // `CStr` examines many bytes at once, which `position` does not.
    let body = CStr::from_bytes_until_nul(bytes).map_err(|_| UNTERMINATED)?.to_bytes();
    *bytes = bytes.get(body.len() + 1..).ok_or(UNTERMINATED)?;
    Ok(body)
}

/// Returns all of `bytes` except the 00 at its end.
///
/// # Errors
/// [`Malformed`] if the last byte is not 00.
#[inline]
pub fn parse(bytes: &[u8]) -> Result<&[u8], Malformed> {
    match bytes {
        [body @ .., 0] => Ok(body),
        _ => Err(UNTERMINATED),
    }
}

const UNTERMINATED: Malformed = Malformed { reason: "the byte 00 that ends a field is missing" };

/// `nul(c)`.
#[derive(Clone, Debug)]
pub(crate) struct Nul {
    inner: Arc<dyn Codec>,
    order: Order,
}

impl Nul {
    pub(crate) fn new(inner: Arc<dyn Codec>, budget: Budget) -> Result<Self, OverBudget> {
        let order = match inner.order() {
            // After the shorter encoding comes 00, which is the smallest byte.
            Order::Ordered { prefix: PrefixOrder::ShorterFirst } => order::ORDERED,
            Order::Ordered { prefix: PrefixOrder::LongerFirst } => longer_first(&*inner, budget)?,
            // Inner bytes that differ still differ.
            Order::Misordered { lower, higher, minimal } => {
                let minimal = minimal && still_fewest(&*inner, [&lower, &higher], budget)?;
                Order::Misordered { lower, higher, minimal }
            }
            other @ (Order::Tied { .. } | Order::Unknown(_)) => other,
        };
        Ok(Self { inner, order })
    }
}

/// The longer encoding belongs to the smaller value, but sorts after the 00 of the shorter one,
/// unless it continues with 00 itself.
fn longer_first(inner: &dyn Codec, budget: Budget) -> Result<Order, OverBudget> {
    let language = inner.language(budget)?;
    let find = |dfa: &Dfa| {
        let pair = order::beginning_of_another(dfa, &ABOVE_ZERO);
        Ok(pair.map(|(shorter, longer)| (longer, shorter)))
    };
    Ok(match order::search(&language, find)? {
        PairSearch::Nothing => Order::Ordered { prefix: PrefixOrder::LongerFirst },
        found => found.into_order(inner),
    })
}

/// Whether no pair of an encoding and its prefix could have fewer bytes.
fn still_fewest(inner: &dyn Codec, pair: [&Value; 2], budget: Budget) -> Result<bool, OverBudget> {
    let mut bytes = Vec::new();
    for value in pair {
        if inner.encode(value, &mut bytes).is_err() {
            return Ok(false);
        }
    }
    let language = inner.language(budget)?;
    let nested = order::beginning_of_another(language.over(), &ByteSet::ANY);
    Ok(nested.is_none_or(|(shorter, longer)| shorter.len() + longer.len() >= bytes.len()))
}

impl Codec for Nul {
    values_of_inner!();

    fn shows_shortest_loss(&self) -> bool {
        self.inner.shows_shortest_loss()
    }

    fn describe(&self) -> Description {
        Description::around("nul", &*self.inner)
    }

    fn encode(&self, value: &Value, out: &mut Vec<u8>) -> Result<(), ValueError> {
        self.inner.encode(value, out)?;
        put(&[], out);
        Ok(())
    }

    fn decode(&self, bytes: &[u8]) -> Result<Value, Malformed> {
        self.inner.decode(parse(bytes)?)
    }

    fn language(&self, budget: Budget) -> Result<Language, OverBudget> {
        map_language(self.inner.language(budget)?, |dfa| {
            let parts = [dfa.clone().into_lang(), Lang::literal(&[0])];
            Dfa::from_lang(&Lang::Join(parts.into()), budget)
        })
    }

    fn order(&self) -> Order {
        self.order.clone()
    }

    fn order_by(&self, comparison: Comparison, budget: Budget<'_>) -> Order {
        match comparison {
            Comparison::LengthFirst => self.inner.order_by(comparison, budget),
            Comparison::FromTheRight => order::by(self, comparison, budget),
        }
    }

    fn longest(&self) -> Option<usize> {
        self.inner.longest().map(|longest| longest + 1)
    }

    fn stretch(&self) -> Option<(&dyn Codec, Stretch)> {
        Some((&*self.inner, Stretch::by(1)))
    }

    fn restrict(&self, range: &IntRange) -> Option<Arc<dyn Codec>> {
        Some(Arc::new(Self::new(self.inner.restrict(range)?, Budget::default()).ok()?))
    }
}
