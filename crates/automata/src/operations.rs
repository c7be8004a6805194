//! Operations on languages that have been built.

use crate::{Budget, ByteSet, DEAD, Dfa, Lang, OverBudget, StateId, dfa::Parts, nfa::Nfa};
use alloc::{sync::Arc, vec::Vec};
use hashbrown::HashMap;

impl Dfa {
    /// The words of both.
    ///
    /// # Errors
    /// [`OverBudget`] if the product needs too many states.
    pub fn intersect(&self, other: &Self, budget: Budget) -> Result<Self, OverBudget> {
        product(self, other, budget, |a, b| a && b)
    }

    /// The words of `self` that are not words of `other`.
    ///
    /// # Errors
    /// [`OverBudget`] if the product needs too many states.
    pub fn without(&self, other: &Self, budget: Budget) -> Result<Self, OverBudget> {
        product(self, other, budget, |a, b| a && !b)
    }

    /// The words whose length lies from `min` to `max`.
    ///
    /// # Errors
    /// [`OverBudget`] if the product needs too many states.
    pub fn with_length(&self, min: u32, max: u32, budget: Budget) -> Result<Self, OverBudget> {
        let lengths = Self::from_lang(&Lang::bytes(ByteSet::ANY, min, Some(max)), budget)?;
        self.intersect(&lengths, budget)
    }

    /// The words, each byte replaced by `replace(byte)`, which must never be empty.
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
        for state in self.states() {
            // Words that begin alike share their beginnings, so that the subsets stay small.
            let mut inside: HashMap<(usize, u8), usize> = HashMap::new();
            let mut steps: HashMap<(usize, usize), ByteSet> = HashMap::new();
            for byte in self.next_bytes(state).iter() {
                let target = self.step(state, byte) as usize;
                let mut at = state as usize;
                let Some((&last, beginning)) = words[byte as usize].split_last() else { continue };
                for &out in beginning {
                    let next = match inside.get(&(at, out)) {
                        Some(&next) => next,
                        None => nfa.add()?,
                    };
                    inside.insert((at, out), next);
                    steps.entry((at, next)).or_insert(ByteSet::EMPTY).insert(out);
                    at = next;
                }
                steps.entry((at, target)).or_insert(ByteSet::EMPTY).insert(last);
            }
            let mut steps: Vec<((usize, usize), ByteSet)> = steps.into_iter().collect();
            steps.sort_unstable_by_key(|&(ends, _)| ends);
            for ((from, to), bytes) in steps {
                nfa.states[from].steps.push((bytes, to));
            }
        }
        Self::from_nfa(&nfa, budget)
    }

    /// The words, read backwards.
    ///
    /// # Errors
    /// [`OverBudget`] if the result needs too many states.
    pub fn reversed(&self, budget: Budget) -> Result<Self, OverBudget> {
        Self::from_nfa(&Nfa::reversed(self, budget)?, budget)
    }

    /// This language as a part of a larger one.
    #[must_use]
    pub fn into_lang(self) -> Lang {
        Lang::Built(Arc::new(self))
    }
}

fn product(
    a: &Dfa,
    b: &Dfa,
    budget: Budget,
    accept: impl Fn(bool, bool) -> bool,
) -> Result<Dfa, OverBudget> {
    // One class per pair of classes, so that the table stays narrow.
    let mut pairs: HashMap<(u8, u8), u8> = HashMap::new();
    let mut map = [0_u8; 256];
    let mut examples: Vec<u8> = Vec::new();
    for byte in 0..=255_u8 {
        let pair = (a.classes()[byte as usize], b.classes()[byte as usize]);
        map[byte as usize] = *pairs.entry(pair).or_insert_with(|| {
            examples.push(byte);
            (examples.len() - 1) as u8
        });
    }
    let mut ids: HashMap<(StateId, StateId), StateId> = HashMap::new();
    let mut todo = alloc::vec![(a.start(), b.start())];
    ids.insert(todo[0], 0);
    let mut table = Vec::new();
    let mut accepting = Vec::new();
    let mut at = 0;
    while at < todo.len() {
        let (x, y) = todo[at];
        accepting.push(accept(a.is_accepting(x), y != DEAD && b.is_accepting(y)));
        for &byte in &examples {
            let next_x = a.step(x, byte);
            if next_x == DEAD {
                table.push(DEAD);
                continue;
            }
            let next = (next_x, if y == DEAD { DEAD } else { b.step(y, byte) });
            let fresh = todo.len() as StateId;
            let id = *ids.entry(next).or_insert(fresh);
            if id == fresh {
                if todo.len() >= budget.states {
                    return Err(OverBudget { what: "automaton states", limit: budget.states });
                }
                todo.push(next);
            }
            table.push(id);
        }
        at += 1;
    }
    Ok(Dfa::from_parts(Parts { map, width: examples.len(), table, accepting }))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::regex::parse_text;

    fn dfa(pattern: &str) -> Dfa {
        Dfa::from_lang(&parse_text(pattern).unwrap(), Budget::default()).unwrap()
    }

    #[test]
    fn sets_of_words_behave_like_sets() {
        let budget = Budget::default();
        let (a, b) = (dfa("[ab]{1,3}"), dfa("a*"));
        assert_eq!(a.intersect(&b, budget).unwrap(), dfa("a{1,3}"));
        assert_eq!(dfa("a|b|c").without(&dfa("b"), budget).unwrap(), dfa("a|c"));
        assert_eq!(a.with_length(2, 9, budget).unwrap(), dfa("[ab]{2,3}"));
        assert_eq!(dfa("ab*c").reversed(budget).unwrap(), dfa("cb*a"));
    }

    #[test]
    fn substitution_spells_bytes_out() {
        let hex = |byte: u8| alloc::format!("{byte:02x}").into_bytes();
        let dfa = dfa("[a-c]+").substitute(hex, Budget::default()).unwrap();
        assert!(dfa.accepts(b"6163") && !dfa.accepts(b"64") && !dfa.accepts(b"616"));
    }
}
