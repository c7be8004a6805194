//! Operations on automata.

use crate::{
    Budget, ByteSet, DEAD, Dfa, Lang, OverBudget, StateId,
    budget::Meter,
    nfa::Nfa,
    stepped::{ByteClasses, explored},
};
use alloc::{sync::Arc, vec::Vec};

impl Dfa {
    /// Returns the words that both languages contain.
    ///
    /// # Errors
    /// [`OverBudget`] if the product needs too many states.
    pub fn intersect(&self, other: &Self, budget: Budget) -> Result<Self, OverBudget> {
        product(self, other, budget, |a, b| a && b)
    }

    /// Returns the words of `self` that are not words of `other`.
    ///
    /// # Errors
    /// [`OverBudget`] if the product needs too many states.
    pub fn without(&self, other: &Self, budget: Budget) -> Result<Self, OverBudget> {
        product(self, other, budget, |a, b| a && !b)
    }

    /// Returns the words whose length is from `min` to `max`, or at least `min`.
    ///
    /// # Errors
    /// [`OverBudget`] if the product needs too many states.
    pub fn with_length(
        &self,
        min: u32,
        max: Option<u32>,
        budget: Budget,
    ) -> Result<Self, OverBudget> {
        product(self, &Counted { min, max }, budget, |a, b| a && b)
    }

    /// Replaces each byte of the words by the bytes `replace(byte)`, which must not be empty.
    ///
    /// # Errors
    /// [`OverBudget`] if the result needs too many states.
    pub fn substitute(
        &self,
        replace: impl Fn(u8) -> Vec<u8>,
        budget: Budget,
    ) -> Result<Self, OverBudget> {
        let mut nfa = Nfa::new(budget);
        for state in self.states() {
            nfa.add()?;
            nfa.states[state as usize].accepting = self.is_accepting(state);
        }
        let words: Vec<Vec<u8>> = (0..=255).map(replace).collect();
        let spelled: usize = words.iter().map(Vec::len).sum();
        for state in self.states() {
            nfa.meter.steps(spelled)?;
            // Replacements with a common beginning share states, which keeps the subsets small.
            // Consecutive replacements mostly have a common beginning.
            let mut inside: Vec<(usize, u8, usize)> = Vec::new();
            let mut steps: Vec<((usize, usize), ByteSet)> = Vec::new();
            let add = |steps: &mut Vec<((usize, usize), ByteSet)>, ends, out: u8| match steps
                .iter_mut()
                .rev()
                .find(|(known, _)| *known == ends)
            {
                Some((_, bytes)) => bytes.insert(out),
                None => steps.push((ends, ByteSet::of(out))),
            };
            for byte in self.next_bytes(state).iter() {
                let target = self.step(state, byte) as usize;
                let mut at = state as usize;
                let Some((&last, beginning)) = words[byte as usize].split_last() else { continue };
                for &out in beginning {
                    let known = inside.iter().rev().find(|known| (known.0, known.1) == (at, out));
                    let next = match known {
                        Some(&(.., next)) => next,
                        None => {
                            let next = nfa.add()?;
                            inside.push((at, out, next));
                            next
                        }
                    };
                    add(&mut steps, (at, next), out);
                    at = next;
                }
                add(&mut steps, (at, target), last);
            }
            steps.sort_unstable_by_key(|&(ends, _)| ends);
            for ((from, to), bytes) in steps {
                nfa.states[from].steps.push((bytes, to));
            }
        }
        Self::from_nfa(nfa)
    }

    /// Returns the reversed words.
    ///
    /// # Errors
    /// [`OverBudget`] if the result needs too many states.
    pub fn reversed(&self, budget: Budget) -> Result<Self, OverBudget> {
        Self::from_nfa(Nfa::reversed(self, budget)?)
    }

    /// Converts this automaton to a part of a larger language.
    #[must_use]
    pub fn into_lang(self) -> Lang {
        Lang::Built(Arc::new(self))
    }
}

/// The second operand of a product: states and steps by byte.
trait Operand {
    fn classes(&self) -> &[u8; 256];
    fn step(&self, state: StateId, byte: u8) -> StateId;
    fn is_accepting(&self, state: StateId) -> bool;
}

impl Operand for Dfa {
    fn classes(&self) -> &[u8; 256] {
        self.classes()
    }

    fn step(&self, state: StateId, byte: u8) -> StateId {
        self.step(state, byte)
    }

    fn is_accepting(&self, state: StateId) -> bool {
        self.is_accepting(state)
    }
}

/// Strings of some lengths. A state is the number of bytes read, limited to the largest number that
/// matters.
struct Counted {
    min: u32,
    max: Option<u32>,
}

impl Operand for Counted {
    fn classes(&self) -> &[u8; 256] {
        &[0; 256]
    }

    fn step(&self, read: StateId, _: u8) -> StateId {
        match self.max {
            Some(max) if read >= max => DEAD,
            Some(_) => read + 1,
            None => (read + 1).min(self.min),
        }
    }

    fn is_accepting(&self, read: StateId) -> bool {
        read >= self.min
    }
}

fn product(
    a: &Dfa,
    b: &impl Operand,
    budget: Budget,
    accept: impl Fn(bool, bool) -> bool,
) -> Result<Dfa, OverBudget> {
    // Each pair of classes is one class, which keeps the table narrow.
    let classes = ByteClasses::paired(a.classes(), b.classes());
    let step = |&(x, y): &(StateId, StateId), byte| {
        let next_x = a.step(x, byte);
        (next_x != DEAD).then(|| (next_x, if y == DEAD { DEAD } else { b.step(y, byte) }))
    };
    let accepts =
        |&(x, y): &(StateId, StateId)| accept(a.is_accepting(x), y != DEAD && b.is_accepting(y));
    explored((a.start(), 0), &classes, STEPS_PER_CLASS, step, accepts, &mut Meter::new(budget))
}

/// The elementary steps of following a class of bytes in both automata.
const STEPS_PER_CLASS: usize = 2;

#[cfg(test)]
mod tests {
    use super::*;
    use crate::text_dfa as dfa;

    #[test]
    fn sets_of_words_behave_like_sets() {
        let budget = Budget::default();
        let (a, b) = (dfa("[ab]{1,3}"), dfa("a*"));
        assert_eq!(a.intersect(&b, budget).unwrap(), dfa("a{1,3}"));
        assert_eq!(dfa("a|b|c").without(&dfa("b"), budget).unwrap(), dfa("a|c"));
        assert_eq!(a.with_length(2, Some(9), budget).unwrap(), dfa("[ab]{2,3}"));
        assert_eq!(b.with_length(2, None, budget).unwrap(), dfa("aa+"));
        assert_eq!(b.with_length(0, Some(0), budget).unwrap(), dfa(""));
        assert!(b.with_length(3, Some(2), budget).unwrap().is_empty());
        let small = Budget { states: 9, ..budget };
        assert!(b.with_length(0, Some(9), small).is_err());
        assert_eq!(dfa("ab*c").reversed(budget).unwrap(), dfa("cb*a"));
    }

    #[test]
    fn substitution_spells_bytes_out() {
        let hex = |byte: u8| alloc::format!("{byte:02x}").into_bytes();
        let dfa = dfa("[a-c]+").substitute(hex, Budget::default()).unwrap();
        assert!(dfa.accepts(b"6163") && !dfa.accepts(b"64") && !dfa.accepts(b"616"));
    }
}
