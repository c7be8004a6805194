//! What encodings with a checksum or a digest have in common: a language that is not worth an automaton, except
//! where there are few values.

use crate::{
    Codec, Language, Loss, Malformed, Order, PrefixOrder, Value,
    order::{self, at_a_byte},
};
use alloc::{sync::Arc, vec::Vec};
use core::cmp::Ordering;
use keyscape_automata::{Budget, Dfa, Lang, OverBudget};

/// With up to so many values, each of them is looked at.
pub(crate) const FEW: usize = 256;
/// Otherwise so many of them stand for the rest.
const SOME: usize = 160;

/// The form of a text: how it is made, and a language that holds all texts of certain payloads.
pub(crate) trait Form {
    fn put(&self, payload: &[u8], out: &mut Vec<u8>);

    fn parse(&self, text: &[u8]) -> Result<Vec<u8>, Malformed>;

    fn over(&self, payloads: &Arc<Dfa>) -> Lang;

    /// Whether texts of one length sort as payloads of one length do.
    fn keeps_order(&self) -> bool;
}

/// What is known about a codec in such a form.
#[derive(Clone, Debug)]
pub(crate) struct Known {
    pub(crate) language: Language,
    pub(crate) order: Order,
}

impl Known {
    pub(crate) fn new(
        inner: &dyn Codec,
        form: &impl Form,
        budget: Budget,
    ) -> Result<Self, OverBudget> {
        let language = inner.language(budget)?;
        let (over, _) = order::ends(&language);
        let few = match &language {
            Language::Exact(dfa) => Some(dfa.words(FEW + 1)).filter(|words| words.len() <= FEW),
            Language::Between { .. } => None,
        };
        let all = few.is_some();
        let payloads = few.unwrap_or_else(|| {
            let mut some = Vec::new();
            for value in inner.samples().iter().take(SOME) {
                let mut payload = Vec::new();
                if inner.encode(value, &mut payload).is_ok() {
                    some.push(payload);
                }
            }
            some
        });
        let mut pairs = Vec::new();
        for payload in payloads {
            if let Ok(value) = inner.decode(&payload) {
                let mut text = Vec::new();
                form.put(&payload, &mut text);
                pairs.push((value, text));
            }
        }
        let texts = pairs.iter().map(|(_, text)| Lang::literal(text)).collect();
        let under = Arc::new(Dfa::from_lang(&Lang::Alt(texts), budget)?);
        let mut order = order_of(inner, &pairs, all);
        if all {
            return Ok(Self { language: Language::Exact(under), order });
        }
        let texts = Dfa::from_lang(&form.over(over), budget)?;
        let one_length = order::one_length(over) && order::one_length(&texts);
        if one_length && form.keeps_order() && matches!(inner.order(), Order::Ordered { .. }) {
            order = order::ORDERED;
        }
        let prefix_free = texts.is_prefix_free();
        let language = Language::Between { over: Arc::new(texts), under, prefix_free };
        Ok(Self { language, order })
    }

    pub(crate) fn longest(&self) -> Option<usize> {
        order::ends(&self.language).0.longest()
    }
}

/// The order of values whose texts are known; `all` if there are no others.
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
