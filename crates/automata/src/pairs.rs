//! Pairs of words of one automaton, with the fewest bytes in total.

use crate::{
    Budget, ByteSet, DEAD, Dfa, Meter, OverBudget, StateId, preferred_bytes,
    search::{Graph, Visit, cheapest},
    state_lengths::StateLengths,
};
use alloc::{collections::VecDeque, vec, vec::Vec};

/// Two words.
type Pair = (Vec<u8>, Vec<u8>);

/// The maximum number of states times lengths.
const MOST_LENGTHS: usize = 1 << 25;

impl Dfa {
    /// Finds a word and a larger word (in byte order) that is shorter, with the fewest bytes in
    /// total.
    ///
    /// # Errors
    /// [`OverBudget`] if there are too many states and lengths.
    pub fn below_although_longer(&self, budget: Budget<'_>) -> Result<Option<Pair>, OverBudget> {
        struct Best {
            total: usize,
            state: StateId,
            bytes: (u8, u8),
            length: u64,
        }
        let meter = &mut Meter::new(budget);
        let longest = self.longest().unwrap_or(usize::MAX);
        if longest.saturating_mul(self.len()) > MOST_LENGTHS {
            return Err(OverBudget { what: "lengths of words", limit: MOST_LENGTHS });
        }
        let lengths = StateLengths::new(self, longest as u64 + 1, meter)?;
        let prefixes = Prefixes::of(self);
        let mut best: Option<Best> = None;
        for state in self.states() {
            let steps = self.steps(state);
            meter.steps(steps.len() * steps.len())?;
            for (low, left) in &steps {
                for (high, right) in &steps {
                    // A longer rest of the higher word would make the lower one longer still.
                    let rest = self.nearest(*right);
                    let Some(length) = lengths.above(*left, rest.into()) else { continue };
                    let total = 2 * (prefixes.depth(state) + 1) + length as usize + rest as usize;
                    if best.as_ref().is_some_and(|best| best.total <= total) {
                        continue;
                    }
                    if let Some(bytes) = ascending(low, high) {
                        best = Some(Best { total, state, bytes, length });
                    }
                }
            }
        }
        let Some(Best { state, bytes: (a, b), length, .. }) = best else { return Ok(None) };
        let mut lower = prefixes.word(state);
        let mut higher = lower.clone();
        lower.push(a);
        let is_kept = |state, left: usize| state != DEAD && lengths.contains(state, left as u64);
        lower.extend(
            self.spelled(self.step(state, a), length as usize, &is_kept).unwrap_or_default(),
        );
        higher.push(b);
        higher.extend(self.shortest_from(self.step(state, b)));
        Ok(Some((lower, higher)))
    }

    /// Finds a word and a longer word that continues it with a byte of `next`, with the fewest
    /// bytes in total.
    #[must_use]
    pub fn beginning_of_another(&self, next: &ByteSet) -> Option<Pair> {
        let prefixes = Prefixes::of(self);
        let mut best: Option<(usize, StateId, u8)> = None;
        for state in self.states().filter(|&state| self.is_accepting(state)) {
            for &byte in preferred_bytes().iter().filter(|&&byte| next.contains(byte)) {
                let target = self.step(state, byte);
                if target == DEAD {
                    continue;
                }
                let total = 2 * prefixes.depth(state) + 1 + self.nearest(target) as usize;
                if best.is_none_or(|(fewest, ..)| total < fewest) {
                    best = Some((total, state, byte));
                }
            }
        }
        let (_, state, byte) = best?;
        let shorter = prefixes.word(state);
        let mut longer = shorter.clone();
        longer.push(byte);
        longer.extend(self.shortest_from(self.step(state, byte)));
        Some((shorter, longer))
    }

    /// Finds two words that differ at a byte, the smaller one first, with the fewest bytes in
    /// total.
    #[must_use]
    pub fn differing(&self) -> Option<Pair> {
        let prefixes = Prefixes::of(self);
        let mut best: Option<(usize, StateId, (u8, u8))> = None;
        for state in self.states() {
            let steps = self.steps(state);
            for (low, left) in &steps {
                for (high, right) in &steps {
                    let rests = (self.nearest(*left) + self.nearest(*right)) as usize;
                    let total = 2 * (prefixes.depth(state) + 1) + rests;
                    if best.is_some_and(|(fewest, ..)| fewest <= total) {
                        continue;
                    }
                    if let Some(bytes) = ascending(low, high) {
                        best = Some((total, state, bytes));
                    }
                }
            }
        }
        let (_, state, (a, b)) = best?;
        let word = |byte| {
            let mut word = prefixes.word(state);
            word.push(byte);
            word.extend(self.shortest_from(self.step(state, byte)));
            word
        };
        Some((word(a), word(b)))
    }

    /// Finds two words of one length, the first smaller from the left but larger from the right.
    /// All words must have one length.
    ///
    /// # Errors
    /// [`OverBudget`] if the search takes too much work.
    pub fn larger_from_the_right(&self, budget: Budget) -> Result<Option<Pair>, OverBudget> {
        let start = Two { left: self.start(), right: self.start(), last: Last::Equal };
        let path = cheapest(&mut TwoWords { dfa: self, taken: 0 }, [(start, 0, (0, 0))], budget)?;
        Ok(path.map(|path| path.labels.into_iter().skip(1).unzip()))
    }
}

/// The runs of two words and their last difference. The left word is smaller at the first
/// difference.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
struct Two {
    left: StateId,
    right: StateId,
    last: Last,
}

#[derive(Clone, Copy, PartialEq, Eq, Hash)]
enum Last {
    Equal,
    Smaller,
    Larger,
}

struct TwoWords<'a> {
    dfa: &'a Dfa,
    /// Elementary steps that have not been charged yet.
    taken: usize,
}

/// The elementary steps of choosing bytes from two sets.
const STEPS_PER_PAIR: usize = 32;

impl Graph for TwoWords<'_> {
    type Node = Two;
    type Label = (u8, u8);

    fn expand(
        &mut self,
        node: Two,
        _: u64,
        steps: &mut impl FnMut(Two, u64, (u8, u8)),
    ) -> Result<Visit, OverBudget> {
        let accepting = self.dfa.is_accepting(node.left) && self.dfa.is_accepting(node.right);
        if accepting && node.last == Last::Larger {
            return Ok(Visit::Goal);
        }
        let rights = self.dfa.steps(node.right);
        self.taken += 512;
        for (a, left) in self.dfa.steps(node.left) {
            self.taken += STEPS_PER_PAIR * rights.len();
            for &(b, right) in &rights {
                if let Some(byte) =
                    preferred_bytes().iter().find(|&&byte| a.contains(byte) && b.contains(byte))
                {
                    steps(Two { left, right, last: node.last }, 1, (*byte, *byte));
                }
                if let Some(bytes) = ascending(&a, &b) {
                    steps(Two { left, right, last: Last::Smaller }, 1, bytes);
                }
                if node.last != Last::Equal
                    && let Some((low, high)) = ascending(&b, &a)
                {
                    steps(Two { left, right, last: Last::Larger }, 1, (high, low));
                }
            }
        }
        Ok(Visit::On)
    }

    fn steps_taken(&mut self) -> usize {
        core::mem::take(&mut self.taken)
    }
}

/// Returns a byte of `low` and a larger byte of `high`, preferring readable ones.
fn ascending(low: &ByteSet, high: &ByteSet) -> Option<(u8, u8)> {
    let last = high.last()?;
    let a = preferred_bytes().iter().find(|&&byte| byte < last && low.contains(byte))?;
    let b = preferred_bytes().iter().find(|&&byte| byte > *a && high.contains(byte))?;
    Some((*a, *b))
}

/// The shortest path to each state, by its most readable bytes.
struct Prefixes {
    from: Vec<Option<(StateId, u8)>>,
    depth: Vec<usize>,
}

impl Prefixes {
    fn of(dfa: &Dfa) -> Self {
        let mut from = vec![None; dfa.len()];
        let mut depth = vec![usize::MAX; dfa.len()];
        let mut queue = VecDeque::from([dfa.start()]);
        depth[dfa.start() as usize] = 0;
        while let Some(state) = queue.pop_front() {
            for &byte in preferred_bytes() {
                let target = dfa.step(state, byte);
                if target != DEAD && depth[target as usize] == usize::MAX {
                    depth[target as usize] = depth[state as usize] + 1;
                    from[target as usize] = Some((state, byte));
                    queue.push_back(target);
                }
            }
        }
        Self { from, depth }
    }

    fn depth(&self, state: StateId) -> usize {
        self.depth[state as usize]
    }

    fn word(&self, state: StateId) -> Vec<u8> {
        let mut word = Vec::new();
        let mut at = state;
        while let Some((from, byte)) = self.from[at as usize] {
            word.push(byte);
            at = from;
        }
        word.reverse();
        word
    }
}
