//! Codecs that change the encodings of an inner codec by a rule and keep its values.

use crate::{
    BuildReason, Codec, Comparison, Description, IntRange, Language, Malformed, Order, PrefixOrder,
    Stretch, Value, ValueError,
    order::{self, PairSearch},
    stretch,
    wrapped::{encoded, values_of_inner},
};
use alloc::{sync::Arc, vec::Vec};
use core::fmt;
use keyscape_automata::{Budget, ByteSet, Dfa, Lengths, OverBudget};

/// A change of encodings. Distinct encodings must stay distinct.
pub(crate) trait Change: Clone + fmt::Debug + Send + Sync + 'static {
    /// Returns the name of the codec.
    fn name(&self) -> &'static str;

    /// Returns the form that joins the parts of a wrap, if a layout cannot write the name.
    fn wrap_form(&self) -> Option<&'static str> {
        None
    }

    /// Whether a shorter encoding never becomes longer than a longer one.
    fn keeps_shorter(&self) -> bool {
        true
    }

    /// Checks whether it can be applied to `inner`.
    fn check(&self, inner: &dyn Codec) -> Result<(), BuildReason> {
        let _ = inner;
        Ok(())
    }

    /// Writes an encoding of the inner codec in its changed form.
    fn put(&self, encoding: &[u8], out: &mut Vec<u8>);

    /// Reverses the change.
    fn parse(&self, bytes: &[u8]) -> Result<Vec<u8>, Malformed>;

    /// Returns the language of the changed encodings.
    fn language(&self, of: &Inner<'_>) -> Result<Language, OverBudget>;

    /// Returns the order of the changed encodings. The language of `changed` is known already.
    fn order(changed: &Changed<Self>, of: &Inner<'_>) -> Result<Order, OverBudget>;

    /// Returns the order under another comparison.
    fn order_by(changed: &Changed<Self>, comparison: Comparison, budget: Budget<'_>) -> Order {
        order::by(changed, comparison, budget)
    }

    /// Returns the function of lengths, if the length of a changed encoding follows from the length
    /// before the change.
    fn stretch(&self) -> Option<Stretch> {
        None
    }

    /// Returns the fewest and the most bytes of a changed encoding of `length` bytes. Used for
    /// changes without a [`Change::stretch`].
    fn growth(&self, length: usize) -> (usize, usize) {
        (length, length)
    }
}

/// The inner codec and its language.
#[derive(Debug)]
pub(crate) struct Inner<'a> {
    pub(crate) codec: &'a dyn Codec,
    pub(crate) language: Language,
    pub(crate) budget: Budget<'a>,
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
    pub(crate) fn new(
        inner: Arc<dyn Codec>,
        change: C,
        budget: Budget,
    ) -> Result<Self, BuildReason> {
        change.check(&*inner)?;
        Self::built(inner, change, budget).map_err(BuildReason::OverBudget)
    }

    fn built(inner: Arc<dyn Codec>, change: C, budget: Budget) -> Result<Self, OverBudget> {
        let codec = Arc::clone(&inner);
        let of = Inner { codec: &*codec, language: inner.language(budget)?, budget };
        let language = change.language(&of)?;
        let order = Order::Unknown("not yet asked");
        let mut this = Self { inner, change, language, order };
        this.order = C::order(&this, &of)?;
        Ok(this)
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
        let mut bytes = Vec::new();
        self.encode(a, &mut bytes).ok()?;
        self.encode(b, &mut bytes).ok()?;
        Some(bytes.len())
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
                    let pair = order::beginning_of_another(dfa, next);
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
        let minimal = self.fewest(of, [&lower, &higher], minimal, least)?;
        Ok(Order::Misordered { lower, higher, minimal })
    }

    /// Whether a pair has the fewest bytes. A pair that was minimal before the change stays minimal
    /// under two conditions. It gained no more bytes than every pair does. No shorter pair consists
    /// of an encoding and its prefix, because the change may have misordered such a pair.
    fn fewest(
        &self,
        of: &Inner<'_>,
        [lower, higher]: [&Value; 2],
        minimal: bool,
        least: usize,
    ) -> Result<bool, OverBudget> {
        let (Some(total), Some(shortest)) = (self.total(lower, higher), self.over().shortest())
        else {
            return Ok(false);
        };
        if total <= 2 * shortest {
            return Ok(true);
        }
        let mut bytes = Vec::new();
        if !minimal
            || of.codec.encode(lower, &mut bytes).is_err()
            || of.codec.encode(higher, &mut bytes).is_err()
            || total > bytes.len() + 2 * least
        {
            return Ok(false);
        }
        let nested = order::beginning_of_another(of.language.over(), &ByteSet::ANY);
        Ok(nested.is_none_or(|(shorter, longer)| shorter.len() + longer.len() >= bytes.len()))
    }
}

impl<C: Change> Codec for Changed<C> {
    values_of_inner!();

    fn shows_shortest_loss(&self) -> bool {
        self.change.keeps_shorter() && self.inner.shows_shortest_loss()
    }

    fn describe(&self) -> Description {
        let mut described = Description::around(self.change.name(), &*self.inner);
        described.within = self.change.wrap_form();
        described
    }

    fn encode(&self, value: &Value, out: &mut Vec<u8>) -> Result<(), ValueError> {
        self.change.put(&encoded(&*self.inner, value)?, out);
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

    fn longest(&self) -> Option<usize> {
        let by_inner = self.inner.longest().map(|longest| match self.change.stretch() {
            Some(stretch) => usize::try_from(stretch.after(longest as u64)).unwrap_or(usize::MAX),
            None => self.change.growth(longest).1,
        });
        self.over().longest().into_iter().chain(by_inner).min()
    }

    fn stretch(&self) -> Option<(&dyn Codec, Stretch)> {
        Some((&*self.inner, self.change.stretch()?))
    }

    fn lengths(&self, cap: u64, budget: Budget) -> Result<Lengths, OverBudget> {
        match (&self.language, self.inner.longest()) {
            // A word that is longer before the change is not shorter after it, so the short words
            // of the upper automaton are encodings.
            (Language::Between { over, .. }, Some(longest))
                if self.change.stretch().is_none() && self.inner.is_cut() =>
            {
                over.lengths(Some(self.change.growth(longest).0 as u64), cap, budget)
            }
            _ => stretch::lengths(self, cap, budget),
        }
    }

    fn restrict(&self, range: &IntRange) -> Option<Arc<dyn Codec>> {
        let inner = self.inner.restrict(range)?;
        Some(Arc::new(Self::new(inner, self.change.clone(), Budget::default()).ok()?))
    }
}
