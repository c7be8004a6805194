//! `complement(c)`: the encoding of `c` with every bit inverted. Values keep their order, unlike
//! with `desc(c)`.

use crate::{
    Codec, Language, Malformed, Order, Stretch,
    changed::{Change, Changed, Inner},
    checksummed::{FEW, order_of},
    desc, order,
    wrapped::map_language,
};
use alloc::vec::Vec;
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
    fn name(&self) -> &'static str {
        "complement"
    }

    fn stretch(&self) -> Option<Stretch> {
        Some(Stretch::NONE)
    }

    fn put(&self, encoding: &[u8], out: &mut Vec<u8>) {
        desc::put(encoding, out);
    }

    fn parse(&self, bytes: &[u8]) -> Result<Vec<u8>, Malformed> {
        let mut inner = Vec::with_capacity(bytes.len());
        desc::put(bytes, &mut inner);
        Ok(inner)
    }

    fn language(&self, of: &Inner<'_>) -> Result<Language, OverBudget> {
        map_language(of.language.clone(), |dfa| {
            dfa.substitute(|byte| Vec::from([!byte]), of.budget)
        })
    }

    /// If the inner codec sorts, any two encodings that differ at a byte are misordered. Otherwise
    /// values are compared one by one.
    fn order(changed: &Changed<Self>, of: &Inner<'_>) -> Result<Order, OverBudget> {
        let order = of.codec.order();
        if let Order::Ordered { .. } = order {
            let found = match order::search(&of.language, |dfa| Ok(order::differing(dfa)))? {
                order::PairSearch::Nothing => return Ok(order),
                found => found.into_order(of.codec),
            };
            return Ok(simpler(changed, &found).unwrap_or(found));
        }
        let words = of.language.exact().and_then(|_| changed.under().few_words(FEW));
        let all = words.is_some();
        let mut rows = Vec::new();
        if let Some(words) = words {
            let decoded =
                words.into_iter().filter_map(|word| Some((changed.decode(&word).ok()?, word)));
            rows.extend(decoded);
        } else {
            for value in changed.samples().into_iter().take(FEW) {
                let mut word = Vec::new();
                if changed.encode(&value, &mut word).is_ok() {
                    rows.push((value, word));
                }
            }
        }
        Ok(order_of(changed, &rows, all))
    }
}
