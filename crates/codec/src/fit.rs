//! `truncate(c)[8]` and `pad_right(c)[8]`: the encoding of `c` in a limited number of bytes. Longer
//! encodings are truncated. Shorter ones are unchanged, or padded with 00. Both lose the truncated
//! bytes, and `pad_right` also loses the difference between padding and a trailing 00.

use crate::{
    BuildReason, Codec, Comparison, Description, IntRange, Language, Loss, Malformed, Order,
    PrefixOrder, Value, ValueError,
    order::{self, ABOVE_ZERO},
    sample_words::choices,
};
use alloc::{collections::BTreeMap, format, string::String, sync::Arc, vec::Vec};
use core::cmp::Ordering;
use keyscape_automata::{Budget, ByteSet, DEAD, Dfa, OverBudget, StateId};

/// The maximum width in bytes.
const MAX_WIDTH: usize = 4096;

/// `truncate(c)[…]` or, if `padded`, `pad_right(c)[…]`.
#[derive(Clone, Debug)]
pub(crate) struct Fit {
    inner: Arc<dyn Codec>,
    name: &'static str,
    width: usize,
    padded: bool,
    /// The encodings of `inner` before and after fitting.
    before: Arc<Dfa>,
    after: Arc<Dfa>,
    loss: Loss,
    order: Order,
}

impl Fit {
    pub(crate) fn new(
        inner: Arc<dyn Codec>,
        name: &'static str,
        width: u32,
        padded: bool,
        budget: Budget,
    ) -> Result<Self, BuildReason> {
        let Language::Exact(before) = inner.language(budget)? else {
            return Err(BuildReason::Declaration(format!(
                "`{name}` needs a codec with an exact language, unlike `{}`",
                inner.text()
            )));
        };
        if width as usize > MAX_WIDTH {
            return Err(BuildReason::width(name, width as usize, &inner.text(), MAX_WIDTH));
        }
        let after = Arc::new(before.fitted(width, padded.then_some(0), budget)?);
        let mut this = Self {
            name,
            width: width as usize,
            padded,
            loss: inner.lossless(),
            order: Order::Unknown("not yet asked"),
            inner,
            before,
            after,
        };
        if this.loss == Loss::None
            && let Some((a, b)) = this.shared()
            && let (Ok(a), Ok(b)) = (this.inner.decode(&a), this.inner.decode(&b))
        {
            let (a, b) = this.simple().unwrap_or((a, b));
            this.loss = Loss::Lossy { a, b };
        }
        this.order = this.find_order();
        Ok(this)
    }

    /// Returns two small integers with one encoding, if the values are integers.
    fn simple(&self) -> Option<(Value, Value)> {
        self.inner.integers()?;
        let mut known = BTreeMap::new();
        for value in self.inner.samples() {
            if let Some(smaller) = known.insert(self.encoding(&value).ok()?, value.clone()) {
                return Some((smaller, value));
            }
        }
        None
    }

    /// Returns two words that become one, with the fewest bytes.
    fn shared(&self) -> Option<(Vec<u8>, Vec<u8>)> {
        let dfa = &self.before;
        let mut best: Option<(Vec<u8>, Vec<u8>)> = None;
        let mut offer = |a: Vec<u8>, b: Vec<u8>| {
            let total = a.len() + b.len();
            if best.as_ref().is_none_or(|(x, y)| total < x.len() + y.len()) {
                best = Some((a, b));
            }
        };
        let mut level = BTreeMap::from([(dfa.start(), Vec::new())]);
        for _ in 0..self.width {
            if self.padded {
                for (&state, word) in level.iter().filter(|(state, _)| dfa.is_accepting(**state)) {
                    if let Some(longer) = self.with_zeros(state, word) {
                        offer(word.clone(), longer);
                    }
                }
            }
            level = next_level(dfa, &level);
        }
        for (state, word) in &level {
            if let Some((a, b)) = two_words(dfa, *state) {
                offer([&word[..], &a].concat(), [&word[..], &b].concat());
            }
        }
        best
    }

    /// Returns a longer word that begins with `word` and continues with 00 up to the width, or to
    /// its own end.
    fn with_zeros(&self, state: StateId, word: &[u8]) -> Option<Vec<u8>> {
        let mut longer = word.to_vec();
        let mut at = state;
        while longer.len() < self.width {
            at = self.before.step(at, 0);
            if at == DEAD {
                return None;
            }
            longer.push(0);
            if self.before.is_accepting(at) {
                return Some(longer);
            }
        }
        longer.extend(self.before.shortest_from(at));
        Some(longer)
    }

    /// Returns the shortest word that becomes `bytes`.
    fn shortest_preimage(&self, bytes: &[u8]) -> Option<Vec<u8>> {
        if !self.after.accepts(bytes) {
            return None;
        }
        let content = bytes.iter().rposition(|&byte| byte != 0).map_or(0, |last| last + 1);
        let shortest = if self.padded { content } else { bytes.len() };
        for length in shortest..=bytes.len() {
            let word = bytes.get(..length)?;
            if self.before.accepts(word) {
                return Some(word.to_vec());
            }
        }
        let at = self.before.run(self.before.start(), bytes);
        let mut word = bytes.to_vec();
        word.extend((at != DEAD).then(|| self.before.shortest_from(at))?);
        Some(word)
    }

    /// Returns the pair as a misordered one, if its bytes differ and are in the wrong order.
    fn misordered(&self, lower: Value, higher: Value, minimal: bool) -> Option<Order> {
        let (low, high) = (self.encoding(&lower).ok()?, self.encoding(&higher).ok()?);
        let greater = order::at_a_byte(&low, &high) == Some(Ordering::Greater);
        // All padded encodings have one length.
        greater.then_some(Order::Misordered { lower, higher, minimal: minimal || self.padded })
    }

    /// Whether all encodings of `inner` have one length and lose the same last bytes, or none.
    fn cuts_alike(&self) -> bool {
        let dfa = &self.before;
        if self.loss != Loss::None || dfa.shortest() != dfa.longest() {
            return false;
        }
        let mut level = BTreeMap::from([(dfa.start(), Vec::new())]);
        for _ in 0..self.width.min(dfa.longest().unwrap_or(0)) {
            level = next_level(dfa, &level);
        }
        // Nothing is lost, so one word follows each state, and equal words follow equal states.
        level.len() == 1
    }

    fn find_order(&self) -> Order {
        let fits = self.before.longest().is_some_and(|longest| longest <= self.width);
        let (found, ordered) = match self.inner.order() {
            // A word that is truncated, or padded with the least byte, never passes a larger one.
            ordered @ Order::Ordered { prefix: PrefixOrder::ShorterFirst } => (None, ordered),
            ordered @ Order::Ordered { .. } if !self.padded => (None, ordered),
            Order::Ordered { .. } => {
                let pair = self.before.beginning_of_another(&ABOVE_ZERO);
                let found = pair.and_then(|(shorter, longer)| {
                    let (higher, lower) = (self.inner.decode(&shorter), self.inner.decode(&longer));
                    self.misordered(lower.ok()?, higher.ok()?, true)
                });
                let nested = self.before.beginning_of_another(&ByteSet::ANY).is_some();
                let unknown = Order::Unknown("longer encodings come first and are filled up");
                (found, if nested { unknown } else { order::ORDERED })
            }
            Order::Misordered { lower, higher, minimal } => {
                let unknown = Order::Unknown("what sorts wrongly is cut off");
                (self.misordered(lower, higher, minimal && fits), unknown)
            }
            other => (None, other),
        };
        match (found, &self.loss) {
            (Some(misordered), _) => misordered,
            (None, Loss::Lossy { a, b }) => order::tied(self, a.clone(), b.clone()),
            (None, Loss::None) => ordered,
        }
    }
}

/// Returns a word for each state that one more byte reaches.
fn next_level(dfa: &Dfa, level: &BTreeMap<StateId, Vec<u8>>) -> BTreeMap<StateId, Vec<u8>> {
    let mut next: BTreeMap<StateId, Vec<u8>> = BTreeMap::new();
    for (&state, word) in level {
        for (byte, target) in choices(dfa, state) {
            next.entry(target).or_insert_with(|| [&word[..], &[byte]].concat());
        }
    }
    next
}

/// Returns the two shortest words from a state, if two exist.
fn two_words(dfa: &Dfa, state: StateId) -> Option<(Vec<u8>, Vec<u8>)> {
    let first = dfa.shortest_from(state);
    let mut second: Option<Vec<u8>> = None;
    let mut at = state;
    // The other word leaves the first one at some byte, or continues after it.
    for index in 0..=first.len() {
        let taken = first.get(index);
        for (byte, target) in choices(dfa, at).filter(|(byte, _)| Some(byte) != taken) {
            let length = index + 1 + dfa.nearest(target) as usize;
            if second.as_ref().is_none_or(|known| length < known.len()) {
                let mut word = first.get(..index).unwrap_or_default().to_vec();
                word.push(byte);
                word.extend(dfa.shortest_from(target));
                second = Some(word);
            }
        }
        if let Some(&byte) = taken {
            at = dfa.step(at, byte);
        }
    }
    second.map(|second| (first, second))
}

impl Codec for Fit {
    fn describe(&self) -> Description {
        Description::around(self.name, &*self.inner).width(self.width)
    }

    fn kind(&self) -> crate::Kind {
        self.inner.kind()
    }

    fn allowed(&self) -> String {
        self.inner.allowed()
    }

    fn encode(&self, value: &Value, out: &mut Vec<u8>) -> Result<(), ValueError> {
        let bytes = self.inner.encoding(value)?;
        out.extend_from_slice(bytes.get(..self.width).unwrap_or(&bytes));
        if self.padded {
            out.extend((bytes.len()..self.width).map(|_| 0));
        }
        Ok(())
    }

    /// Returns the value with the shortest inner encoding among those with these bytes.
    fn decode(&self, bytes: &[u8]) -> Result<Value, Malformed> {
        let none = Malformed { reason: "no truncated or padded value has these bytes" };
        self.inner.decode(&self.shortest_preimage(bytes).ok_or(none)?)
    }

    fn language(&self, _: Budget) -> Result<Language, OverBudget> {
        Ok(Language::Exact(Arc::clone(&self.after)))
    }

    fn order(&self) -> Order {
        self.order.clone()
    }

    fn order_by(&self, comparison: Comparison, budget: Budget<'_>) -> Order {
        match comparison {
            // From the right, encodings that all end alike first differ at the same byte as before.
            Comparison::FromTheRight if self.cuts_alike() => {
                self.inner.order_by(comparison, budget)
            }
            _ => order::by(self, comparison, budget),
        }
    }

    fn compare(&self, a: &Value, b: &Value) -> Ordering {
        self.inner.compare(a, b)
    }

    fn lossless(&self) -> Loss {
        self.loss.clone()
    }

    fn longest(&self) -> Option<usize> {
        self.after.longest()
    }

    fn samples(&self) -> Vec<Value> {
        self.inner.samples()
    }

    fn simplest(&self) -> Option<Value> {
        self.inner.simplest()
    }

    fn integers(&self) -> Option<IntRange> {
        self.inner.integers()
    }

    fn restrict(&self, range: &IntRange) -> Option<Arc<dyn Codec>> {
        let inner = self.inner.restrict(range)?;
        let width = u32::try_from(self.width).ok()?;
        Some(Arc::new(Self::new(inner, self.name, width, self.padded, Budget::default()).ok()?))
    }

    fn hashes(&self) -> Option<&'static str> {
        self.inner.hashes()
    }
}
