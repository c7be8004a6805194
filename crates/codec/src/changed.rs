//! Codecs that change the encodings of another codec, each by a rule of its own, and pass its values
//! on as they are.

use crate::{
    BuildReason, Codec, Comparison, Description, IntRange, Language, Malformed, Order, PrefixOrder,
    Value, ValueError,
    order::{self, Found},
    wrapped::{encoded, values_of_inner},
};
use alloc::{sync::Arc, vec::Vec};
use core::fmt;
use keyscape_automata::{Budget, ByteSet, Dfa, OverBudget};

/// How encodings are changed. Distinct encodings must stay distinct.
pub(crate) trait Change: Clone + fmt::Debug + Send + Sync + 'static {
    /// The name of the codec.
    fn name(&self) -> &'static str;

    /// In what parts of a wrap stand together, if no layout can write the name.
    fn stands_in(&self) -> Option<&'static str> {
        None
    }

    /// Whether what is shorter before the change is not longer behind it, whatever the bytes.
    fn keeps_shorter(&self) -> bool {
        true
    }

    /// Whether it can stand around `inner`.
    fn check(&self, inner: &dyn Codec) -> Result<(), BuildReason> {
        let _ = inner;
        Ok(())
    }

    /// Writes an encoding of the inner codec in its changed form.
    fn put(&self, encoding: &[u8], out: &mut Vec<u8>);

    /// Takes the change back.
    fn parse(&self, bytes: &[u8]) -> Result<Vec<u8>, Malformed>;

    /// The language of the changed encodings.
    fn language(&self, of: &Inner<'_>) -> Result<Language, OverBudget>;

    /// The order of the changed encodings. The language of `changed` is known already.
    fn order(changed: &Changed<Self>, of: &Inner<'_>) -> Result<Order, OverBudget>;

    /// The order under another comparison.
    fn order_by(changed: &Changed<Self>, comparison: Comparison) -> Order {
        order::by(changed, comparison)
    }

    /// The longest changed encoding; `over` holds all of them.
    fn longest(&self, inner: &dyn Codec, over: &Dfa) -> Option<usize> {
        let _ = inner;
        over.longest()
    }
}

/// What is changed.
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

    /// The wider automaton of the changed language.
    pub(crate) const fn over(&self) -> &Arc<Dfa> {
        order::over(&self.language)
    }

    /// The narrower automaton of the changed language.
    pub(crate) fn under(&self) -> &Arc<Dfa> {
        order::under(&self.language)
    }

    /// The bytes that two values have in all; `None` if they are not both of the domain.
    pub(crate) fn total(&self, a: &Value, b: &Value) -> Option<usize> {
        let mut bytes = Vec::new();
        self.encode(a, &mut bytes).ok()?;
        self.encode(b, &mut bytes).ok()?;
        Some(bytes.len())
    }

    /// The order of encodings that are kept byte by byte and gain an end. The end sorts below every
    /// byte that can follow, but of one encoding that is the beginning of another the bytes differ
    /// only where the longer one goes on with a byte out of `next`. Each encoding gains at least
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
                    Found::Nothing => Order::Ordered { prefix: PrefixOrder::LongerFirst },
                    found => found.into_order(of.codec),
                }
            }
            // Bytes that differ inside still do.
            other => other,
        };
        let Order::Misordered { lower, higher, minimal } = order else { return Ok(order) };
        let minimal = self.fewest(of, [&lower, &higher], minimal, least)?;
        Ok(Order::Misordered { lower, higher, minimal })
    }

    /// Whether a pair has the fewest bytes. If it had before the change (`minimal`), it still has
    /// where it gained no more than every pair does, and no encoding that is the beginning of
    /// another, which the change may have misordered, is shorter.
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
        let nested = order::beginning_of_another(order::over(&of.language), &ByteSet::ANY);
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
        described.within = self.change.stands_in();
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

    fn order_by(&self, comparison: Comparison) -> Order {
        C::order_by(self, comparison)
    }

    fn longest(&self) -> Option<usize> {
        self.change.longest(&*self.inner, self.over())
    }

    fn restrict(&self, range: &IntRange) -> Option<Arc<dyn Codec>> {
        let inner = self.inner.restrict(range)?;
        Some(Arc::new(Self::new(inner, self.change.clone(), Budget::default()).ok()?))
    }
}
