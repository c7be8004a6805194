//! Minimised deterministic automata.

use crate::{
    Budget, ByteSet, Lang, OverBudget,
    budget::Meter,
    determinize::determinize,
    minimize::{Minimal, minimize},
    nfa::Nfa,
    preferred_bytes,
};
use alloc::{vec, vec::Vec};
use core::mem::replace;

/// A state of a [`Dfa`]: an index, or [`DEAD`].
pub type StateId = u32;

/// The target of a step that leaves the language.
pub const DEAD: StateId = StateId::MAX;

/// The intermediate form of constructions: a table of `width` byte classes per state, starting in
/// state 0.
#[derive(Debug)]
pub(crate) struct Parts {
    pub(crate) map: [u8; 256],
    pub(crate) width: usize,
    pub(crate) table: Vec<StateId>,
    pub(crate) accepting: Vec<bool>,
}

/// A minimised deterministic automaton over bytes. Every state leads to acceptance, except the
/// start state of the empty language. Equal languages have equal automata.
#[derive(Clone, PartialEq, Eq, Hash)]
pub struct Dfa {
    map: [u8; 256],
    width: usize,
    table: Vec<StateId>,
    accepting: Vec<bool>,
    nearest: Vec<u32>,
    onward: Vec<u32>,
    farthest: Vec<u32>,
    free: Vec<u32>,
    examples: Vec<u8>,
    prefix_free: bool,
}

/// The steps of one state of a [`Dfa`].
#[derive(Clone, Copy, Debug)]
pub struct Outgoing<'a> {
    map: &'a [u8; 256],
    row: &'a [StateId],
}

impl Outgoing<'_> {
    /// Returns the target of `byte`; [`DEAD`] if no word continues with it.
    #[must_use]
    #[inline]
    pub fn step(&self, byte: u8) -> StateId {
        self.row[usize::from(self.map[usize::from(byte)])]
    }
}

impl core::fmt::Debug for Dfa {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        f.debug_struct("Dfa")
            .field("states", &self.len())
            .field("classes", &self.width)
            .finish_non_exhaustive()
    }
}

impl Dfa {
    /// Builds the automaton of a language.
    ///
    /// # Errors
    /// [`OverBudget`] if it needs more states than the budget allows.
    pub fn from_lang(lang: &Lang, budget: Budget) -> Result<Self, OverBudget> {
        Self::from_nfa(Nfa::from_lang(lang, budget)?)
    }

    pub(crate) fn from_nfa(nfa: Nfa<'_>) -> Result<Self, OverBudget> {
        let Nfa { states, start, mut meter } = nfa;
        let parts = determinize(&states, start, &mut meter)?;
        drop(states);
        Self::from_parts(parts, &mut meter)
    }

    pub(crate) fn from_parts(parts: Parts, meter: &mut Meter<'_>) -> Result<Self, OverBudget> {
        let Minimal { parts, distances } = minimize(parts, meter)?;
        let Parts { map, width, table, accepting } = parts;
        let mut dfa = Self {
            map,
            width,
            table,
            accepting,
            nearest: distances.nearest,
            onward: Vec::new(),
            farthest: distances.farthest,
            free: Vec::new(),
            examples: Vec::new(),
            prefix_free: false,
        };
        dfa.prefix_free =
            dfa.states().all(|s| !dfa.is_accepting(s) || dfa.row(s).iter().all(|&t| t == DEAD));
        let onward = |state| {
            let targets = dfa.row(state).iter().filter(|&&target| target != DEAD);
            let nearest = targets.map(|&target| dfa.nearest[target as usize]).min();
            nearest.map_or(u32::MAX, |nearest| nearest.saturating_add(1))
        };
        dfa.onward = dfa.states().map(onward).collect();
        dfa.free = dfa.free_steps();
        let mut known = [false; 256];
        let is_new =
            |&byte: &u8| !replace(&mut known[usize::from(dfa.map[usize::from(byte)])], true);
        dfa.examples = preferred_bytes().iter().copied().filter(is_new).collect();
        Ok(dfa)
    }

    /// Returns the number of states.
    #[must_use]
    pub fn len(&self) -> usize {
        self.accepting.len()
    }

    /// Returns the number of transitions: one for each state and byte class.
    #[must_use]
    pub const fn size(&self) -> usize {
        self.table.len()
    }

    /// Whether the language has no word.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        !self.accepting.contains(&true)
    }

    /// Returns the start state.
    #[must_use]
    pub const fn start(&self) -> StateId {
        0
    }

    /// Returns all states.
    pub fn states(&self) -> impl Iterator<Item = StateId> + use<> {
        0..self.len() as StateId
    }

    /// Whether a word may end in `state`.
    #[must_use]
    #[inline]
    pub fn is_accepting(&self, state: StateId) -> bool {
        self.accepting[state as usize]
    }

    /// Returns the target of `byte` from `state`; [`DEAD`] if no word continues with it.
    #[must_use]
    #[inline]
    pub fn step(&self, state: StateId, byte: u8) -> StateId {
        self.table[state as usize * self.width + self.map[byte as usize] as usize]
    }

    /// Returns the steps of one state, for lookups of many bytes.
    #[must_use]
    #[inline]
    pub fn outgoing(&self, state: StateId) -> Outgoing<'_> {
        Outgoing { map: &self.map, row: self.row(state) }
    }

    #[inline]
    pub(crate) fn row(&self, state: StateId) -> &[StateId] {
        &self.table[state as usize * self.width..(state as usize + 1) * self.width]
    }

    /// Returns the transitions of `state`: for each target, the bytes that lead there.
    #[must_use]
    pub fn steps(&self, state: StateId) -> Vec<(ByteSet, StateId)> {
        let mut steps: Vec<(ByteSet, StateId)> = Vec::new();
        // Neighbouring bytes often have the same target.
        let mut last = 0;
        for byte in 0..=255 {
            let target = self.step(state, byte);
            if target == DEAD {
                continue;
            }
            if steps.get(last).is_none_or(|(_, known)| *known != target) {
                last = steps.iter().position(|(_, known)| *known == target).unwrap_or(steps.len());
            }
            match steps.get_mut(last) {
                Some((set, _)) => set.insert(byte),
                None => steps.push((ByteSet::of(byte), target)),
            }
        }
        steps
    }

    /// Returns the class of each byte: bytes of one class have the same target in every state.
    #[must_use]
    pub const fn classes(&self) -> &[u8; 256] {
        &self.map
    }

    /// Returns one byte of each class, the most readable first.
    #[must_use]
    pub fn examples(&self) -> &[u8] {
        &self.examples
    }

    /// Returns the bytes that can continue a word from `state`.
    #[must_use]
    pub fn next_bytes(&self, state: StateId) -> ByteSet {
        (0..=255).filter(|&byte| self.step(state, byte) != DEAD).collect()
    }

    /// Whether no byte can continue a word from `state`.
    #[must_use]
    #[inline]
    pub fn next_bytes_is_empty(&self, state: StateId) -> bool {
        self.onward(state) == u32::MAX
    }

    /// Runs over `bytes` from `state`, and returns the final state.
    #[must_use]
    pub fn run(&self, state: StateId, bytes: &[u8]) -> StateId {
        let mut at = state;
        for &byte in bytes {
            if at == DEAD {
                return DEAD;
            }
            at = self.step(at, byte);
        }
        at
    }

    /// Whether `word` is in the language.
    #[must_use]
    pub fn accepts(&self, word: &[u8]) -> bool {
        let end = self.run(self.start(), word);
        end != DEAD && self.is_accepting(end)
    }

    /// Returns the length of the longest prefix of `word` that is a prefix of a word of the
    /// language.
    #[must_use]
    pub fn readable(&self, word: &[u8]) -> usize {
        let mut at = self.start();
        for (read, &byte) in word.iter().enumerate() {
            at = self.step(at, byte);
            if at == DEAD {
                return read;
            }
        }
        word.len()
    }

    /// Returns the length of the shortest path from `state` to acceptance; `u32::MAX` if no path
    /// exists.
    #[must_use]
    #[inline]
    pub fn nearest(&self, state: StateId) -> u32 {
        self.nearest[state as usize]
    }

    /// Returns the length of the shortest non-empty path from `state` to acceptance.
    #[must_use]
    #[inline]
    pub fn onward(&self, state: StateId) -> u32 {
        self.onward[state as usize]
    }

    /// Returns the length of the longest path from `state` to acceptance; `u32::MAX` if it is
    /// unbounded.
    #[must_use]
    #[inline]
    pub fn farthest(&self, state: StateId) -> u32 {
        self.farthest[state as usize]
    }

    /// Returns the shortest word from `state` to acceptance, with the most readable bytes.
    #[must_use]
    pub fn shortest_from(&self, state: StateId) -> Vec<u8> {
        let mut word = Vec::new();
        let mut at = state;
        while self.nearest(at) > 0 && self.nearest(at) != u32::MAX {
            let closer = |&&byte: &&u8| {
                let target = self.step(at, byte);
                target != DEAD && self.nearest(target) < self.nearest(at)
            };
            let Some(&byte) = preferred_bytes().iter().find(closer) else { break };
            word.push(byte);
            at = self.step(at, byte);
        }
        word
    }

    /// Returns the number of steps from `state` that accept any byte and can neither end nor
    /// branch.
    #[must_use]
    #[inline]
    pub fn free(&self, state: StateId) -> u32 {
        self.free[state as usize]
    }

    /// Returns the length of the longest word; `None` if it is unbounded.
    #[must_use]
    pub fn longest(&self) -> Option<usize> {
        match self.farthest(self.start()) {
            u32::MAX => None,
            length => Some(length as usize),
        }
    }

    /// Returns the length of the shortest word; `None` for the empty language.
    #[must_use]
    pub fn shortest(&self) -> Option<usize> {
        match self.nearest(self.start()) {
            u32::MAX => None,
            length => Some(length as usize),
        }
    }

    /// Whether no word is a proper prefix of another.
    #[must_use]
    pub const fn is_prefix_free(&self) -> bool {
        self.prefix_free
    }

    fn free_steps(&self) -> Vec<u32> {
        let only = |state: StateId| {
            let row = self.row(state);
            let same = row.iter().all(|&t| t == row[0] && t != DEAD);
            (same && !self.is_accepting(state)).then(|| row[0])
        };
        let mut free = vec![u32::MAX; self.len()];
        for state in self.states() {
            let mut chain = Vec::new();
            let mut at = state;
            while free[at as usize] == u32::MAX {
                match only(at) {
                    Some(next) => {
                        chain.push(at);
                        at = next;
                    }
                    None => free[at as usize] = 0,
                }
            }
            let mut steps = free[at as usize];
            for &link in chain.iter().rev() {
                steps += 1;
                free[link as usize] = steps;
            }
        }
        free
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{regex::parse_text, text_dfa as dfa};

    #[test]
    fn equal_languages_are_equal_automata() {
        assert_eq!(dfa("a(b|c)*d?"), dfa("a[bc]*(d|)"));
        assert_eq!(dfa("(ab|ac|b)"), dfa("a[bc]|b"));
        assert_ne!(dfa("a+"), dfa("a*"));
        assert_eq!(dfa("[a-z]{3,5}").len(), 6);
    }

    #[test]
    fn lengths_and_prefixes_are_known() {
        let counted = dfa("[a-z][a-z0-9]{2,127}");
        assert_eq!((counted.shortest(), counted.longest()), (Some(3), Some(128)));
        assert!(!counted.is_prefix_free());
        assert!(dfa("[a-z]{8}").is_prefix_free());
        assert_eq!(dfa("a+b").longest(), None);
        let some = dfa("ab?|c*d");
        let after = |word: &[u8]| some.run(some.start(), word);
        assert_eq!((some.farthest(after(b"a")), some.onward(after(b"a"))), (1, 1));
        assert_eq!((some.onward(after(b"c")), some.onward(after(b"d"))), (1, u32::MAX));
        assert_eq!((some.farthest(after(b"c")), some.farthest(after(b"d"))), (u32::MAX, 0));
        assert_eq!(dfa("[a&&b]").shortest(), None);
        assert!(dfa("[a&&b]").is_empty());
    }

    #[test]
    fn shortest_words_prefer_readable_bytes() {
        let any = Dfa::from_lang(&Lang::bytes(ByteSet::ANY, 2, Some(4)), Budget::default());
        assert_eq!(any.unwrap().shortest_from(0), b"aa");
        assert_eq!(dfa("(zz|00|[A-Z]{2})x").shortest_from(0), b"zzx");
    }

    #[test]
    fn free_steps_count_down_to_the_end() {
        let lang = Lang::bytes(ByteSet::ANY, 32, Some(32));
        let dfa = Dfa::from_lang(&lang, Budget::default()).unwrap();
        assert_eq!(dfa.free(0), 32);
        assert_eq!(dfa.free(dfa.step(0, 9)), 31);
    }

    #[test]
    fn a_construction_over_budget_is_an_error() {
        let lang = parse_text("[a-z]*a[a-z]{16}").unwrap();
        let small = Budget { states: 1000, ..Budget::default() };
        assert!(Dfa::from_lang(&lang, small).is_err());
    }
}
