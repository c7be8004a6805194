//! `complement(c)`: the encoding of `c` with every bit inverted. Values keep their order, unlike
//! with `desc(c)`.

use crate::{
    Codec, Description, Language, Malformed, Order, Stretch,
    changed::{Change, Changed, Inner},
    checksummed::{FEW, encodings, order_of},
    desc::{self, Desc},
    order,
};
use alloc::{borrow::Cow, vec::Vec};
use core::cmp::Ordering;
use keyscape_automata::OverBudget;

/// `complement(c)`. Its bytes are those of [`desc`](mod@crate::desc).
#[derive(Clone, Copy, Debug)]
pub(crate) struct Complemented;

/// Returns small misordered integers, if they have no more bytes than the given pair.
fn simpler(changed: &Changed<Complemented>, found: &Order) -> Option<Order> {
    changed.integers()?;
    let Order::Misordered { lower, higher, minimal } = found else { return None };
    let compared = |a: &[u8], b: &[u8]| order::at_a_byte(a, b).unwrap_or(Ordering::Equal);
    match order::by_samples(changed, compared)? {
        Order::Misordered { lower: low, higher: high, .. }
            if changed.total(&low, &high) == changed.total(lower, higher) =>
        {
            Some(Order::Misordered { lower: low, higher: high, minimal: *minimal })
        }
        _ => None,
    }
}

impl Change for Complemented {
    fn describe(&self, inner: &dyn Codec) -> Description {
        Description::around("complement", inner)
    }

    fn put(&self, encoding: &[u8], out: &mut Vec<u8>) {
        desc::put(encoding, out);
    }

    fn parse<'b>(&self, bytes: &'b [u8]) -> Result<Cow<'b, [u8]>, Malformed> {
        Desc.parse(bytes)
    }

    fn language(&self, of: &Inner<'_>) -> Result<Language, OverBudget> {
        Desc.language(of)
    }

    fn stretch(&self) -> Option<Stretch> {
        Desc.stretch()
    }

    /// If the inner codec sorts, any two encodings that differ at a byte are misordered. Otherwise
    /// values are compared one by one.
    fn order(changed: &Changed<Self>, of: &Inner<'_>) -> Result<Order, OverBudget> {
        let order = of.codec.order();
        if let Order::Ordered { .. } = order {
            let found = match order::search(&of.language, |dfa| Ok(dfa.differing()))? {
                order::PairSearch::Nothing => return Ok(order),
                found => found.into_order(of.codec),
            };
            return Ok(simpler(changed, &found).unwrap_or(found));
        }
        let words = of.language.exact().and_then(|_| changed.under().few_words(FEW));
        let all = words.is_some();
        let rows = match words {
            Some(words) => {
                let decoded =
                    words.into_iter().filter_map(|word| Some((changed.decode(&word).ok()?, word)));
                decoded.collect()
            }
            None => encodings(changed, FEW),
        };
        Ok(order_of(changed, &rows, all))
    }
}
