//! Words behind their lengths, built from the end, so that nothing is made twice.

use crate::{Budget, DEAD, Dfa, OverBudget, StateId, dfa::Parts};
use alloc::{vec, vec::Vec};
use hashbrown::HashMap;

impl Dfa {
    /// The words, each behind one byte that holds its length; words above 255 bytes have no such
    /// form and are left out.
    ///
    /// For each length, what is left to read of words of exactly that length is a state; equal
    /// rests are one state from the start, so the table never grows beyond the result.
    ///
    /// # Errors
    /// [`OverBudget`] if the result needs too many states.
    pub fn behind_length(&self, budget: Budget) -> Result<Self, OverBudget> {
        let examples = self.class_examples();
        let mut rests = Rests::new(examples.len());
        let mut starts = Vec::new();
        let mut level: Vec<StateId> =
            self.states().map(|state| if self.is_accepting(state) { END } else { DEAD }).collect();
        for _ in 0..=u8::MAX {
            starts.push(level.first().copied().unwrap_or(DEAD));
            let mut next = Vec::with_capacity(level.len());
            for state in self.states() {
                let row = examples.iter().map(|&byte| match self.step(state, byte) {
                    DEAD => DEAD,
                    target => level[target as usize],
                });
                next.push(rests.state(row.collect()));
            }
            if rests.rows.len() > budget.states {
                return Err(OverBudget { what: "automaton states", limit: budget.states });
            }
            level = next;
        }
        Ok(Self::from_parts(rests.into_parts(self, &starts)))
    }

    /// A byte of each class, by the number of the class.
    fn class_examples(&self) -> Vec<u8> {
        let mut examples = Vec::new();
        for byte in 0..=u8::MAX {
            // Classes are numbered by their smallest byte.
            if usize::from(self.classes()[byte as usize]) == examples.len() {
                examples.push(byte);
            }
        }
        examples
    }
}

/// Where a word ends. The start of the result is state 0.
const END: StateId = 1;

/// The states of the result, by where each class of bytes leads.
struct Rests {
    ids: HashMap<Vec<StateId>, StateId>,
    rows: Vec<Vec<StateId>>,
}

impl Rests {
    fn new(classes: usize) -> Self {
        let none = vec![DEAD; classes];
        Self { ids: HashMap::new(), rows: vec![none.clone(), none] }
    }

    fn state(&mut self, row: Vec<StateId>) -> StateId {
        if row.iter().all(|&target| target == DEAD) {
            return DEAD;
        }
        let fresh = self.rows.len() as StateId;

        *self.ids.entry(row).or_insert_with_key(|row| {
            self.rows.push(row.clone());
            fresh
        })
    }

    /// The table over single bytes, because each of them is a length at the start.
    fn into_parts(self, of: &Dfa, starts: &[StateId]) -> Parts {
        let mut map = [0; 256];
        for (byte, class) in map.iter_mut().enumerate() {
            *class = byte as u8;
        }
        let mut table = starts.to_vec();
        for row in self.rows.iter().skip(1) {
            table.extend(of.classes().iter().map(|&class| row[usize::from(class)]));
        }
        let mut accepting = vec![false; self.rows.len()];
        accepting[END as usize] = true;
        Parts { map, width: 256, table, accepting }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{ByteSet, Lang, regex::parse_text};

    #[test]
    fn exactly_the_words_with_their_length_are_accepted() {
        let budget = Budget::default();
        for pattern in ["a{0,3}|bb", "[ab]{2,4}", "", "a*", "(ab|a)+", "[a&&b]"] {
            let dfa = Dfa::from_lang(&parse_text(pattern).unwrap(), budget).unwrap();
            let prefixed = dfa.behind_length(budget).unwrap();
            assert!(prefixed.is_prefix_free());
            let mut words = vec![Vec::new()];
            for _ in 0..5 {
                for word in &words {
                    for length in 0..8 {
                        let key = [&[length][..], word].concat();
                        let expected = usize::from(length) == word.len() && dfa.accepts(word);
                        assert_eq!(prefixed.accepts(&key), expected, "{pattern} {key:?}");
                    }
                }
                words = words
                    .iter()
                    .flat_map(|word| [b'a', b'b'].map(|byte| [&word[..], &[byte]].concat()))
                    .collect();
            }
        }
    }

    #[test]
    fn long_bytes_need_one_state_per_length() {
        let lang = Lang::bytes(ByteSet::ANY, 1, Some(255));
        let small = Budget { states: 300, ..Budget::default() };
        let dfa = Dfa::from_lang(&lang, small).unwrap();
        assert_eq!(dfa.behind_length(small).unwrap().len(), 257);
    }
}
