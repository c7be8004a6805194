//! Codecs that change the encodings of an inner codec by a rule and keep its values.

use crate::{
    BuildReason, Codec, Comparison, Description, IntRange, Kind, Language, Loss, Malformed, Order,
    PrefixOrder, Stretch, Value, ValueError,
    checksummed::Known,
    order::{self, PairSearch},
    stretch,
};
use alloc::{borrow::Cow, format, string::String, sync::Arc, vec::Vec};
use core::{cell::OnceCell, cmp, fmt};
use keyscape_automata::{Budget, ByteSet, Dfa, Lengths, OverBudget};

/// A change of encodings. Distinct encodings must stay distinct.
pub(crate) trait Change: Clone + fmt::Debug + Send + Sync + 'static {
    /// Whether changed encodings contain a checksum or digest.
    const HAS_CHECKSUM: bool = false;

    /// Whether the logical order of values is reversed.
    const REVERSES: bool = false;

    /// Whether a shorter encoding never becomes longer than a longer one.
    const KEEPS_SHORTER: bool = true;

    /// Describes the codec.
    fn describe(&self, inner: &dyn Codec) -> Description;

    /// Checks whether it can be applied.
    fn check(&self, of: &Inner<'_>) -> Result<(), BuildReason> {
        let _ = of;
        Ok(())
    }

    /// Writes an encoding of the inner codec in its changed form.
    fn put(&self, encoding: &[u8], out: &mut Vec<u8>);

    /// Reverses the change.
    fn parse<'b>(&self, bytes: &'b [u8]) -> Result<Cow<'b, [u8]>, Malformed>;

    /// Returns the language of the changed encodings.
    fn language(&self, of: &Inner<'_>) -> Result<Language, OverBudget>;

    /// Returns the order of the changed encodings; that of the inner codec, if comparisons are
    /// kept. The language of `changed` is known already.
    fn order(changed: &Changed<Self>, of: &Inner<'_>) -> Result<Order, OverBudget> {
        let _ = changed;
        Ok(of.codec.order())
    }

    /// Returns the order under another comparison.
    fn order_by(changed: &Changed<Self>, comparison: Comparison, budget: Budget<'_>) -> Order {
        order::by(changed, comparison, budget)
    }

    /// Returns the function of lengths, if the length of a changed encoding follows from the length
    /// before the change.
    fn stretch(&self) -> Option<Stretch> {
        None
    }

    /// Returns the fewest and the most bytes of a changed encoding of `length` bytes, if they are
    /// known. Used for changes without a [`Change::stretch`].
    fn growth(&self, length: usize) -> Option<(usize, usize)> {
        let _ = length;
        None
    }
}

/// The inner codec and its language.
pub(crate) struct Inner<'a> {
    pub(crate) codec: &'a dyn Codec,
    pub(crate) language: Language,
    pub(crate) budget: Budget<'a>,
    known: OnceCell<Known>,
}

impl Inner<'_> {
    /// Maps both automata of the language, by a map that keeps the language prefix-free if it was.
    pub(crate) fn map(
        &self,
        change: impl Fn(&Dfa) -> Result<Dfa, OverBudget>,
    ) -> Result<Language, OverBudget> {
        Ok(match &self.language {
            Language::Exact(dfa) => Language::Exact(Arc::new(change(dfa)?)),
            Language::Between { over, under, prefix_free } => {
                let (over, under) = (Arc::new(change(over)?), Arc::new(change(under)?).into());
                let prefix_free = *prefix_free || over.is_prefix_free();
                Language::Between { over, under, prefix_free }
            }
        })
    }

    /// Replaces each byte of the language by `replace(byte)`.
    pub(crate) fn substitute<const N: usize>(
        &self,
        replace: impl Fn(u8) -> [u8; N],
    ) -> Result<Language, OverBudget> {
        self.map(|dfa| dfa.substitute(|byte| replace(byte).into(), self.budget))
    }

    /// Returns values with their changed encodings, which are computed once.
    pub(crate) fn known(&self, change: &impl Change) -> &Known {
        self.known.get_or_init(|| Known::new(change, self.codec, &self.language))
    }

    /// Checks that no encoding has more than `max` bytes.
    pub(crate) fn check_longest(&self, name: &str, max: usize) -> Result<(), BuildReason> {
        if self.codec.longest().is_some_and(|longest| longest <= max) {
            return Ok(());
        }
        let inner = self.codec.text();
        Err(BuildReason::Declaration(format!(
            "`{name}` holds at most {max} bytes, but `{inner}` can be longer; give it a length range"
        )))
    }

    /// Returns the total length of the inner encodings of two values.
    pub(crate) fn total(&self, a: &Value, b: &Value) -> Option<usize> {
        order::total(self.codec, a, b)
    }
}

/// Marks a language as prefix-free.
pub(crate) fn prefix_free(language: Language) -> Language {
    match language {
        Language::Between { over, under, .. } => {
            Language::Between { over, under, prefix_free: true }
        }
        exact @ Language::Exact(_) => exact,
    }
}

/// `name(inner)`.
#[derive(Clone, Debug)]
pub(crate) struct Changed<C> {
    pub(crate) inner: Arc<dyn Codec>,
    pub(crate) change: C,
    language: Language,
    order: Order,
}

impl<C: Change> Changed<C> {
    pub(crate) fn build(
        inner: Arc<dyn Codec>,
        change: C,
        budget: Budget,
    ) -> Result<Arc<dyn Codec>, BuildReason> {
        let codec = Arc::clone(&inner);
        let language = codec.language(budget)?;
        let of = Inner { codec: &*codec, language, budget, known: OnceCell::new() };
        change.check(&of)?;
        let language = change.language(&of)?;
        let order = Order::Unknown("not yet asked");
        let mut this = Self { inner, change, language, order };
        this.order = C::order(&this, &of)?;
        Ok(Arc::new(this))
    }

    /// Returns the upper automaton of the changed language.
    pub(crate) const fn over(&self) -> &Arc<Dfa> {
        self.language.over()
    }

    /// Returns the lower automaton of the changed language.
    pub(crate) fn under(&self) -> &Arc<Dfa> {
        self.language.under()
    }

    /// Returns the total length of two encodings; `None` unless both values are in the domain.
    pub(crate) fn total(&self, a: &Value, b: &Value) -> Option<usize> {
        order::total(self, a, b)
    }

    /// Returns the order under another comparison, for a change that keeps the comparison of
    /// encodings by length, then byte by byte.
    pub(crate) fn order_by_inner_length(
        &self,
        comparison: Comparison,
        budget: Budget<'_>,
    ) -> Order {
        match comparison {
            Comparison::LengthFirst => self.inner.order_by(comparison, budget),
            Comparison::FromTheRight => order::by(self, comparison, budget),
        }
    }

    /// Returns the order of encodings that keep all comparisons, but may gain bytes. A pair stays
    /// minimal if it gains no byte, because no pair loses one.
    pub(crate) fn grown(&self, of: &Inner<'_>) -> Order {
        match of.codec.order() {
            Order::Misordered { lower, higher, minimal } => {
                let total = self.total(&lower, &higher);
                let minimal = minimal && total.is_some() && total == of.total(&lower, &higher)
                    || total.is_some_and(|total| self.is_shortest(total));
                Order::Misordered { lower, higher, minimal }
            }
            other => other,
        }
    }

    /// Whether no two encodings have fewer bytes in total.
    fn is_shortest(&self, total: usize) -> bool {
        self.over().shortest().is_some_and(|shortest| total <= 2 * shortest)
    }

    /// Returns the order of encodings that keep their bytes and gain a terminator. The terminator
    /// sorts below every byte that can follow. If one encoding is a prefix of another, their bytes
    /// differ only if the longer one continues with a byte of `next`. Each encoding gains at least
    /// `least` bytes.
    pub(crate) fn ended(
        &self,
        of: &Inner<'_>,
        next: &ByteSet,
        least: usize,
    ) -> Result<Order, OverBudget> {
        let order = match of.codec.order() {
            Order::Ordered { prefix: PrefixOrder::ShorterFirst } => return Ok(order::ORDERED),
            Order::Ordered { prefix: PrefixOrder::LongerFirst } => {
                let find = |dfa: &Dfa| {
                    let pair = dfa.beginning_of_another(next);
                    Ok(pair.map(|(shorter, longer)| (longer, shorter)))
                };
                match order::search(&of.language, find)? {
                    PairSearch::Nothing => Order::Ordered { prefix: PrefixOrder::LongerFirst },
                    found => found.into_order(of.codec),
                }
            }
            // Inner bytes that differ still differ.
            other => other,
        };
        let Order::Misordered { lower, higher, minimal } = order else { return Ok(order) };
        let (Some(total), Some(before)) = (self.total(&lower, &higher), of.total(&lower, &higher))
        else {
            return Ok(Order::Misordered { lower, higher, minimal: false });
        };
        // A pair that was minimal before the change stays minimal under two conditions. It gained
        // no more bytes than every pair does. No shorter pair consists of an encoding and its
        // prefix, because the change may have misordered such a pair.
        let stays_minimal = || {
            let nested = of.language.over().beginning_of_another(next);
            total <= before + 2 * least
                && nested.is_none_or(|(shorter, longer)| shorter.len() + longer.len() >= before)
        };
        let minimal = self.is_shortest(total) || minimal && stays_minimal();
        Ok(Order::Misordered { lower, higher, minimal })
    }
}

impl<C: Change> Codec for Changed<C> {
    fn describe(&self) -> Description {
        self.change.describe(&*self.inner)
    }

    fn kind(&self) -> Kind {
        self.inner.kind()
    }

    fn allowed(&self) -> String {
        self.inner.allowed()
    }

    fn encode(&self, value: &Value, out: &mut Vec<u8>) -> Result<(), ValueError> {
        self.change.put(&self.inner.encoding(value)?, out);
        Ok(())
    }

    fn decode(&self, bytes: &[u8]) -> Result<Value, Malformed> {
        self.inner.decode(&self.change.parse(bytes)?)
    }

    fn language(&self, _: Budget) -> Result<Language, OverBudget> {
        Ok(self.language.clone())
    }

    fn order(&self) -> Order {
        self.order.clone()
    }

    fn order_by(&self, comparison: Comparison, budget: Budget<'_>) -> Order {
        C::order_by(self, comparison, budget)
    }

    fn compare(&self, a: &Value, b: &Value) -> cmp::Ordering {
        if C::REVERSES { self.inner.compare(b, a) } else { self.inner.compare(a, b) }
    }

    fn lossless(&self) -> Loss {
        self.inner.lossless()
    }

    fn shows_shortest_loss(&self) -> bool {
        C::KEEPS_SHORTER && self.inner.shows_shortest_loss()
    }

    fn longest(&self) -> Option<usize> {
        let by_inner = self.inner.longest().and_then(|longest| match self.change.stretch() {
            Some(stretch) => usize::try_from(stretch.after(longest as u64)).ok(),
            None => self.change.growth(longest).map(|(_, max)| max),
        });
        self.over().longest().into_iter().chain(by_inner).min()
    }

    fn stretch(&self) -> Option<(&dyn Codec, Stretch)> {
        Some((&*self.inner, self.change.stretch()?))
    }

    fn lengths(&self, cap: u64, budget: Budget) -> Result<Lengths, OverBudget> {
        let growth = self.inner.longest().and_then(|longest| self.change.growth(longest));
        match (&self.language, growth) {
            // A word that is longer before the change is not shorter after it, so the short words
            // of the upper automaton are encodings.
            (Language::Between { over, .. }, Some((fewest, _))) if self.inner.is_cut() => {
                over.lengths(Some(fewest as u64), cap, budget)
            }
            _ => stretch::lengths(self, cap, budget),
        }
    }

    fn samples(&self) -> Vec<Value> {
        self.inner.samples()
    }

    fn simplest(&self) -> Option<Value> {
        self.inner.simplest()
    }

    fn restrict(&self, range: &IntRange) -> Option<Arc<dyn Codec>> {
        let inner = self.inner.restrict(range)?;
        Self::build(inner, self.change.clone(), Budget::default()).ok()
    }

    fn integers(&self) -> Option<IntRange> {
        self.inner.integers()
    }

    fn has_checksum(&self) -> bool {
        C::HAS_CHECKSUM
    }

    fn hashes(&self) -> Option<&'static str> {
        self.inner.hashes()
    }
}
