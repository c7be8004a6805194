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
        for state in self.states() {
            for byte in self.next_bytes(state).iter() {
                let target = self.step(state, byte) as usize;
                let mut at = state as usize;
                let word = replace(byte);
                for (index, &out) in word.iter().enumerate() {
                    let next = if index + 1 == word.len() { target } else { nfa.add()? };
                    nfa.states[at].steps.push((ByteSet::of(out), next));
                    at = next;
                }
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

    /// The words, each behind one byte that holds its length; words above 255 bytes have no such
    /// form and are left out.
    ///
    /// # Errors
    /// [`OverBudget`] if the result needs too many states.
    pub fn length_prefixed(&self, budget: Budget) -> Result<Self, OverBudget> {
        // A state is (bytes to come, state of the body); the start has the table's first row.
        let mut ids: HashMap<(u8, StateId), StateId> = HashMap::new();
        let mut todo: Vec<(u8, StateId)> = Vec::new();
        let mut table: Vec<StateId> = Vec::new();
        let mut id_of = |key: (u8, StateId), todo: &mut Vec<(u8, StateId)>| {
            let fresh = todo.len() as StateId + 1;
            let id = *ids.entry(key).or_insert(fresh);
            if id == fresh {
                todo.push(key);
            }
            id
        };
        for length in 0..=255_u8 {
            table.push(id_of((length, self.start()), &mut todo));
        }
        let mut accepting = alloc::vec![false];
        let mut at = 0;
        while at < todo.len() {
            if todo.len() >= budget.states {
                return Err(OverBudget { what: "automaton states", limit: budget.states });
            }
            let (left, state) = todo[at];
            accepting.push(left == 0 && self.is_accepting(state));
            for byte in 0..=255_u8 {
                let target = self.step(state, byte);
                let dead =
                    left == 0 || target == DEAD || self.nearest(target) > u32::from(left - 1);
                table.push(if dead { DEAD } else { id_of((left - 1, target), &mut todo) });
            }
            at += 1;
        }
        let mut map = [0; 256];
        for (byte, class) in map.iter_mut().enumerate() {
            *class = byte as u8;
        }
        Ok(Self::from_parts(Parts { map, width: 256, table, accepting }))
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
    fn a_length_prefix_makes_words_prefix_free() {
        let prefixed = dfa("a{0,3}|bb").length_prefixed(Budget::default()).unwrap();
        assert!(prefixed.is_prefix_free());
        for good in [&b"\x00"[..], b"\x01a", b"\x03aaa", b"\x02bb"] {
            assert!(prefixed.accepts(good));
        }
        for bad in [&b""[..], b"\x01b", b"\x04aaaa", b"\x02a", b"\x00a"] {
            assert!(!prefixed.accepts(bad));
        }
        let any = Dfa::from_lang(&Lang::anything(), Budget::default()).unwrap();
        assert_eq!(any.length_prefixed(Budget::default()).unwrap().len(), 257);
    }

    #[test]
    fn substitution_spells_bytes_out() {
        let hex = |byte: u8| alloc::format!("{byte:02x}").into_bytes();
        let dfa = dfa("[a-c]+").substitute(hex, Budget::default()).unwrap();
        assert!(dfa.accepts(b"6163") && !dfa.accepts(b"64") && !dfa.accepts(b"616"));
    }
}
