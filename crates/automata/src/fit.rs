//! Words truncated to a length, and words padded to it.

use crate::{Budget, ByteSet, Dfa, OverBudget, StateId, nfa::Nfa};
use alloc::vec::Vec;
use hashbrown::HashMap;

impl Dfa {
    /// Returns the words truncated to `most` bytes.
    ///
    /// # Errors
    /// [`OverBudget`] if the result needs too many states.
    pub fn cut(&self, most: u32, budget: Budget) -> Result<Self, OverBudget> {
        self.fitted(most, None, budget)
    }

    /// Returns the words truncated to `length` bytes, with shorter ones padded with `fill`.
    ///
    /// # Errors
    /// [`OverBudget`] if the result needs too many states.
    pub fn filled(&self, length: u32, fill: u8, budget: Budget) -> Result<Self, OverBudget> {
        self.fitted(length, Some(fill), budget)
    }

    fn fitted(&self, most: u32, fill: Option<u8>, budget: Budget) -> Result<Self, OverBudget> {
        let mut nfa = Nfa::new(budget);
        // The padding after a word, by the number of missing bytes.
        let mut fills = Vec::from([nfa.add()?]);
        nfa.states[fills[0]].accepting = true;
        if let Some(fill) = fill {
            for missing in 0..most as usize {
                let state = nfa.add()?;
                nfa.states[state].steps.push((ByteSet::of(fill), fills[missing]));
                fills.push(state);
            }
        }
        let end = |read: u32| match fill {
            Some(_) => fills.get((most - read) as usize).copied().unwrap_or(fills[0]),
            None => fills[0],
        };
        nfa.start = nfa.add()?;
        let mut level = HashMap::from([(self.start(), nfa.start)]);
        for read in 0..=most {
            let mut next: HashMap<StateId, usize> = HashMap::new();
            let mut here: Vec<(StateId, usize)> = level.into_iter().collect();
            here.sort_unstable();
            for (state, id) in here {
                // Every state of a non-empty language leads to acceptance, so a word is truncated
                // here.
                if (read == most && !self.is_empty()) || self.is_accepting(state) {
                    nfa.states[id].silent.push(end(read));
                }
                if read == most {
                    continue;
                }
                nfa.meter.steps(256)?;
                for (set, target) in self.steps(state) {
                    let to = match next.get(&target) {
                        Some(&to) => to,
                        None => nfa.add()?,
                    };
                    next.insert(target, to);
                    nfa.states[id].steps.push((set, to));
                }
            }
            level = next;
        }
        Self::from_nfa(nfa)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::regex::{parse_bytes, parse_text};

    fn dfa(pattern: &str) -> Dfa {
        Dfa::from_lang(&parse_text(pattern).unwrap(), Budget::default()).unwrap()
    }

    #[test]
    fn long_words_are_cut_and_short_ones_stay() {
        let budget = Budget::default();
        assert_eq!(dfa("a|bcdef|x*").cut(3, budget).unwrap(), dfa("a|bcd|x{0,3}"));
        assert_eq!(dfa("abc").cut(0, budget).unwrap(), dfa(""));
        assert_eq!(dfa("[a&&b]").cut(2, budget).unwrap(), dfa("[a&&b]"));
    }

    #[test]
    fn short_words_are_filled_up() {
        let filled = dfa("|[1-9][0-9]*").filled(4, 0, Budget::default()).unwrap();
        let expected =
            parse_bytes(r"\x00{4}|[1-9]\x00{3}|[1-9][0-9]\x00{2}|[1-9][0-9]{2}\x00|[1-9][0-9]{3}");
        assert_eq!(filled, Dfa::from_lang(&expected.unwrap(), Budget::default()).unwrap());
    }
}
