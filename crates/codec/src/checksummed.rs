//! Shared code of encodings with a checksum or a digest. An exact automaton is feasible only for
//! few values.

use crate::{
    BuildReason, Codec, Description, IntRange, Language, Loss, LowerBound, Malformed, Order,
    PrefixOrder, Stretch, Value, ValueError,
    order::{self, at_a_byte},
    wrapped::{encoded, values_of_inner},
};
use alloc::{sync::Arc, vec::Vec};
use core::{cmp::Ordering, fmt};
use keyscape_automata::{Budget, Dfa, Lang, Meter, OverBudget};

/// Up to this number of values, all of them are enumerated.
pub(crate) const FEW: usize = 256;
/// Otherwise this number of samples represents the domain.
const SOME: usize = 160;

/// The form of a text: its construction, and a language that contains all texts of certain
/// payloads.
pub(crate) trait Form: Clone + fmt::Debug + Send + Sync + 'static {
    /// Describes the codec around `inner`.
    fn describe(&self, inner: &dyn Codec) -> Description;

    /// Returns the name of the codec and the maximum number of bytes in a text, if limited.
    fn most(&self) -> Option<(&'static str, usize)>;

    fn put(&self, payload: &[u8], out: &mut Vec<u8>);

    fn parse(&self, text: &[u8]) -> Result<Vec<u8>, Malformed>;

    fn over(&self, payloads: &Arc<Dfa>) -> Lang;

    /// Returns the function of lengths, if the length of a text follows from that of its payload.
    fn stretch(&self) -> Option<Stretch> {
        None
    }

    /// Whether texts of one length sort like payloads of one length.
    fn keeps_order(&self) -> bool;
}

/// The encodings of an inner codec as text with a checksum.
#[derive(Clone, Debug)]
pub(crate) struct Checksummed<F> {
    inner: Arc<dyn Codec>,
    form: F,
    properties: Properties,
}

impl<F: Form> Checksummed<F> {
    pub(crate) fn new(inner: Arc<dyn Codec>, form: F, budget: Budget) -> Result<Self, BuildReason> {
        if let Some((name, most)) = form.most()
            && inner.longest().is_none_or(|longest| longest > most)
        {
            return Err(BuildReason::TooLong { name, most, inner: inner.text() });
        }
        let properties =
            Properties::new(&*inner, &form, budget).map_err(BuildReason::OverBudget)?;
        Ok(Self { inner, form, properties })
    }
}

impl<F: Form> Codec for Checksummed<F> {
    values_of_inner!();

    fn shows_shortest_loss(&self) -> bool {
        false
    }

    fn has_checksum(&self) -> bool {
        true
    }

    fn describe(&self) -> Description {
        self.form.describe(&*self.inner)
    }

    fn encode(&self, value: &Value, out: &mut Vec<u8>) -> Result<(), ValueError> {
        self.form.put(&encoded(&*self.inner, value)?, out);
        Ok(())
    }

    fn decode(&self, bytes: &[u8]) -> Result<Value, Malformed> {
        self.inner.decode(&self.form.parse(bytes)?)
    }

    fn language(&self, _: Budget) -> Result<Language, OverBudget> {
        Ok(self.properties.language.clone())
    }

    fn order(&self) -> Order {
        self.properties.order.clone()
    }

    fn longest(&self) -> Option<usize> {
        let by_inner = self.inner.longest().zip(self.form.stretch()).map(|(longest, stretch)| {
            usize::try_from(stretch.after(longest as u64)).unwrap_or(usize::MAX)
        });
        self.properties.language.over().longest().into_iter().chain(by_inner).min()
    }

    fn stretch(&self) -> Option<(&dyn Codec, Stretch)> {
        Some((&*self.inner, self.form.stretch()?))
    }

    fn restrict(&self, range: &IntRange) -> Option<Arc<dyn Codec>> {
        let inner = self.inner.restrict(range)?;
        Some(Arc::new(Self::new(inner, self.form.clone(), Budget::default()).ok()?))
    }
}

/// The computed properties of a codec with a checksum.
#[derive(Clone, Debug)]
struct Properties {
    language: Language,
    order: Order,
}

/// The elementary steps to create a sample, and to compare two samples.
const STEPS_PER_SAMPLE: usize = 256;
const STEPS_PER_PAIR: usize = 4;

impl Properties {
    fn new(inner: &dyn Codec, form: &impl Form, budget: Budget) -> Result<Self, OverBudget> {
        let language = inner.language(budget)?;
        let over = language.over();
        let few = language.exact().and_then(|dfa| dfa.few_words(FEW));
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
        let steps = STEPS_PER_SAMPLE * pairs.len() + STEPS_PER_PAIR * pairs.len() * pairs.len();
        Meter::new(budget).steps(steps)?;
        let mut order = order_of(inner, &pairs, all);
        let words: Vec<Vec<u8>> = pairs.into_iter().map(|(_, text)| text).collect();
        if all {
            let texts = Arc::new(Dfa::of_words(&words, budget)?);
            return Ok(Self { language: Language::Exact(texts), order });
        }
        let under = LowerBound::later(budget, move || {
            words.iter().map(|word| Lang::literal(word)).collect()
        });
        let texts = Dfa::from_lang(&form.over(over), budget)?;
        let one_length = order::one_length(over) && order::one_length(&texts);
        if one_length && form.keeps_order() && matches!(inner.order(), Order::Ordered { .. }) {
            order = order::ORDERED;
        }
        let prefix_free = texts.is_prefix_free();
        let language = Language::Between { over: Arc::new(texts), under, prefix_free };
        Ok(Self { language, order })
    }
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
