//! Changes that add a checksum or a digest. An exact automaton is feasible only for few values.

use crate::{
    Codec, Language, Loss, LowerBound, Order, PrefixOrder, Value,
    changed::{Change, Changed, Inner},
    order::{self, at_a_byte},
};
use alloc::{sync::Arc, vec::Vec};
use core::cmp::Ordering;
use keyscape_automata::{Dfa, Lang, Meter, OverBudget};

/// Up to this number of values, all of them are enumerated.
pub(crate) const FEW: usize = 256;
/// Otherwise this number of samples represents the domain.
const SOME: usize = 160;

/// The elementary steps to create a sample, and to compare two samples.
const STEPS_PER_SAMPLE: usize = 256;
const STEPS_PER_PAIR: usize = 4;

/// Values of a codec with their changed encodings.
pub(crate) struct Known {
    texts: Vec<(Value, Vec<u8>)>,
    /// Whether no other values exist.
    is_all: bool,
}

impl Known {
    pub(crate) fn new(change: &impl Change, inner: &dyn Codec, language: &Language) -> Self {
        let few = language.exact().and_then(|dfa| dfa.few_words(FEW));
        let is_all = few.is_some();
        let payloads = few.unwrap_or_else(|| {
            let samples = encodings(inner, SOME);
            samples.into_iter().map(|(_, payload)| payload).collect()
        });
        let decoded = payloads.iter().filter_map(|payload| {
            let mut text = Vec::new();
            change.put(payload, &mut text);
            Some((inner.decode(payload).ok()?, text))
        });
        Self { texts: decoded.collect(), is_all }
    }
}

/// Returns at most `max` samples of a codec with their encodings.
pub(crate) fn encodings<C: Codec + ?Sized>(codec: &C, max: usize) -> Vec<(Value, Vec<u8>)> {
    let samples = codec.samples().into_iter().take(max);
    samples.filter_map(|value| codec.encoding(&value).ok().map(|bytes| (value, bytes))).collect()
}

/// Returns the language of texts with a checksum. `over` contains the texts of all payloads.
pub(crate) fn language(
    change: &impl Change,
    of: &Inner<'_>,
    over: impl FnOnce(&Arc<Dfa>) -> Lang,
) -> Result<Language, OverBudget> {
    let Known { texts, is_all } = of.known(change);
    let steps = STEPS_PER_SAMPLE * texts.len() + STEPS_PER_PAIR * texts.len() * texts.len();
    Meter::new(of.budget).steps(steps)?;
    let words: Vec<Vec<u8>> = texts.iter().map(|(_, text)| text.clone()).collect();
    if *is_all {
        return Ok(Language::Exact(Arc::new(Dfa::of_words(&words, of.budget)?)));
    }
    let under = LowerBound::later(of.budget, move || {
        words.iter().map(|word| Lang::literal(word)).collect()
    });
    let over = Arc::new(Dfa::from_lang(&over(of.language.over()), of.budget)?);
    let prefix_free = over.is_prefix_free();
    Ok(Language::Between { over, under, prefix_free })
}

/// Returns the order of texts with a checksum. If `keeps_order`, texts of one length sort like
/// payloads of one length.
pub(crate) fn order<C: Change>(changed: &Changed<C>, of: &Inner<'_>, keeps_order: bool) -> Order {
    let Known { texts, is_all } = of.known(&changed.change);
    let one_length = order::one_length(of.language.over()) && order::one_length(changed.over());
    if !is_all && one_length && keeps_order && matches!(of.codec.order(), Order::Ordered { .. }) {
        return order::ORDERED;
    }
    order_of(of.codec, texts, *is_all)
}

/// Returns the order of values with known texts; `all` if no other values exist.
pub(crate) fn order_of(inner: &dyn Codec, pairs: &[(Value, Vec<u8>)], all: bool) -> Order {
    let mut best: Option<(usize, &Value, &Value)> = None;
    let mut nested = Vec::new();
    for (lower, low) in pairs {
        for (higher, high) in pairs {
            if inner.compare(lower, higher) != Ordering::Less {
                continue;
            }
            let total = low.len() + high.len();
            match at_a_byte(low, high) {
                Some(Ordering::Greater) if best.is_none_or(|(fewest, ..)| total < fewest) => {
                    best = Some((total, lower, higher));
                }
                None => nested.push(low.len() < high.len()),
                _ => {}
            }
        }
    }
    if let Some((_, lower, higher)) = best {
        return Order::Misordered { lower: lower.clone(), higher: higher.clone(), minimal: all };
    }
    if let Loss::Lossy { a, b } = inner.lossless() {
        return order::tied(inner, a, b);
    }
    match (all, nested.contains(&true), nested.contains(&false)) {
        (false, ..) => Order::Unknown("a checksum or digest is not followed by the proof"),
        (true, true, true) => Order::Unknown("some texts are the beginning of others"),
        (true, _, false) => Order::Ordered { prefix: PrefixOrder::ShorterFirst },
        (true, false, true) => Order::Ordered { prefix: PrefixOrder::LongerFirst },
    }
}
