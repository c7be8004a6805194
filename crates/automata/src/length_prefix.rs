//! Length-prefixed words, built from the end, so no state is created twice.

use crate::{Budget, DEAD, Dfa, OverBudget, StateId, budget::Meter, dfa::Parts};
use alloc::{vec, vec::Vec};
use hashbrown::HashMap;

impl Dfa {
    /// Returns the words of at most `longest` bytes, each after `prefix(its length)`. No prefix may
    /// be empty or a prefix of another.
    ///
    /// For each length, the remaining part of words of exactly that length is a state. Equal rests
    /// share one state from the start, so the table never grows beyond the result. The work is at
    /// most `longest` times the states of this automaton, or `longest` alone if only the length of
    /// a word matters.
    ///
    /// # Errors
    /// [`OverBudget`] if the result needs too many states.
    pub fn with_length_prefix(
        &self,
        longest: usize,
        prefix: &dyn Fn(usize) -> Vec<u8>,
        budget: Budget,
    ) -> Result<Self, OverBudget> {
        let examples = self.class_examples();
        let meter = &mut Meter::new(budget);
        let mut rests = Rests::new(examples.len());
        let starts = match examples.as_slice() {
            [any] => self.starts_by_length(longest, *any, &mut rests, meter)?,
            _ => self.starts(longest, &examples, &mut rests, meter)?,
        };
        let mut heads = Heads { rows: vec![vec![DEAD; 256]], links: vec![HashMap::new()] };
        for (length, &start) in starts.iter().enumerate().filter(|(_, start)| **start != DEAD) {
            heads.add(&prefix(length), start);
        }
        let states = rests.rows.len() + heads.rows.len();
        meter.states(states)?;
        meter.steps(256 * states)?;
        Self::from_parts(rests.into_parts(self, heads), meter)
    }

    /// Computes the start state for words of each length, by the distance of each state from the
    /// end. For each length, only predecessors of states with words of the previous length are
    /// examined.
    fn starts(
        &self,
        longest: usize,
        examples: &[u8],
        rests: &mut Rests,
        meter: &mut Meter<'_>,
    ) -> Result<Vec<StateId>, OverBudget> {
        let mut sources: Vec<Vec<StateId>> = vec![Vec::new(); self.len()];
        for state in self.states() {
            for &target in self.row(state).iter().filter(|&&target| target != DEAD) {
                let sources = &mut sources[target as usize];
                if sources.last() != Some(&state) {
                    sources.push(state);
                }
            }
        }
        meter.steps(4 * self.size())?;
        let mut starts = Vec::new();
        let mut level = vec![DEAD; self.len()];
        let mut alive: Vec<StateId> = self.states().filter(|&s| self.is_accepting(s)).collect();
        alive.iter().for_each(|&state| level[state as usize] = END);
        for _ in 0..=longest {
            starts.push(level.first().copied().unwrap_or(DEAD));
            let mut before: Vec<StateId> = Vec::new();
            alive.iter().for_each(|&state| before.extend(&sources[state as usize]));
            before.sort_unstable();
            before.dedup();
            meter.steps((STEPS_PER_REST + examples.len()) * before.len())?;
            let rest = |&state: &StateId| {
                let row = examples.iter().map(|&byte| match self.step(state, byte) {
                    DEAD => DEAD,
                    target => level[target as usize],
                });
                rests.state(row.collect())
            };
            let next: Vec<StateId> = before.iter().map(rest).collect();
            meter.states(rests.rows.len())?;
            alive.iter().for_each(|&state| level[state as usize] = DEAD);
            before.iter().zip(next).for_each(|(&state, rest)| level[state as usize] = rest);
            alive = before;
        }
        Ok(starts)
    }

    /// Computes the start states if all bytes are equivalent. The rests then form one chain.
    fn starts_by_length(
        &self,
        longest: usize,
        any: u8,
        rests: &mut Rests,
        meter: &mut Meter<'_>,
    ) -> Result<Vec<StateId>, OverBudget> {
        let mut starts = Vec::new();
        let (mut at, mut rest) = (self.start(), END);
        for _ in 0..=longest {
            if at == DEAD {
                break;
            }
            starts.push(if self.is_accepting(at) { rest } else { DEAD });
            at = self.step(at, any);
            rest = rests.state(vec![rest]);
            meter.steps(STEPS_PER_REST)?;
            meter.states(rests.rows.len())?;
        }
        Ok(starts)
    }

    /// Returns a byte of each class, by the number of the class.
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

/// The elementary steps of a rest in addition to its row: allocation and lookup.
const STEPS_PER_REST: usize = 16;

/// The final state of a word. The start of the result is state 0.
const END: StateId = 1;

/// The states of the result after the lengths, by the targets of each byte class.
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

    /// Builds the table over single bytes, because each byte can be part of a length. State 0 is
    /// the first head; the others follow the rests.
    fn into_parts(self, of: &Dfa, heads: Heads) -> Parts {
        let mut map = [0; 256];
        for (byte, class) in map.iter_mut().enumerate() {
            *class = byte as u8;
        }
        let later = self.rows.len() as StateId - 1;
        let mut heads = heads.numbered(later).into_iter();
        let mut table = heads.next().unwrap_or_default();
        for row in self.rows.iter().skip(1) {
            table.extend(of.classes().iter().map(|&class| row[usize::from(class)]));
        }
        heads.for_each(|head| table.extend(head));
        let mut accepting = vec![false; table.len() / 256];
        accepting[END as usize] = true;
        Parts { map, width: 256, table, accepting }
    }
}

/// The bytes of the lengths, as a tree whose leaves are rests.
struct Heads {
    rows: Vec<Vec<StateId>>,
    /// For each head, the heads that its bytes lead to.
    links: Vec<HashMap<u8, usize>>,
}

impl Heads {
    fn add(&mut self, prefix: &[u8], rest: StateId) {
        let Some((&last, inner)) = prefix.split_last() else { return };
        let mut at = 0;
        for &byte in inner {
            let fresh = self.rows.len();
            let next = *self.links[at].entry(byte).or_insert(fresh);
            if next == fresh {
                self.rows.push(vec![DEAD; 256]);
                self.links.push(HashMap::new());
            }
            at = next;
        }
        self.rows[at][usize::from(last)] = rest;
    }

    /// Returns the rows, with links as states: head `n` is state `later + n`, but the first one is
    /// state 0.
    fn numbered(mut self, later: StateId) -> Vec<Vec<StateId>> {
        for (row, links) in self.rows.iter_mut().zip(self.links) {
            for byte in 0..=u8::MAX {
                if let Some(&to) = links.get(&byte) {
                    row[usize::from(byte)] = later + to as StateId;
                }
            }
        }
        self.rows
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{ByteSet, Lang, regex::parse_text};

    fn one_byte(length: usize) -> Vec<u8> {
        Vec::from([length as u8])
    }

    #[test]
    fn exactly_the_words_with_their_length_are_accepted() {
        let budget = Budget::default();
        for pattern in ["a{0,3}|bb", "[ab]{2,4}", "", "a*", "(ab|a)+", "[a&&b]"] {
            let dfa = Dfa::from_lang(&parse_text(pattern).unwrap(), budget).unwrap();
            let prefixed = dfa.with_length_prefix(255, &one_byte, budget).unwrap();
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
        assert_eq!(dfa.with_length_prefix(255, &one_byte, small).unwrap().len(), 257);
    }

    #[test]
    fn lengths_of_two_bytes_precede_words() {
        let budget = Budget::default();
        let prefix = |length: usize| Vec::from((length as u16).to_be_bytes());
        let any = Dfa::from_lang(&Lang::bytes(ByteSet::ANY, 1, Some(4096)), budget).unwrap();
        let prefixed = any.with_length_prefix(4096, &prefix, budget).unwrap();
        // The start, one head per distinct first byte, and a chain.
        assert!(prefixed.is_prefix_free() && prefixed.len() < 4096 + 20, "{}", prefixed.len());
        assert_eq!(prefixed.longest(), Some(4098));
        for length in [1, 255, 256, 4096] {
            let mut word = prefix(length);
            word.resize(length + 2, 7);
            assert!(prefixed.accepts(&word), "{length}");
            word.push(7);
            assert!(!prefixed.accepts(&word), "{length}");
        }
        assert!(!prefixed.accepts(&[0, 0]));
        let some = Dfa::from_lang(&parse_text("a{0,2}|b{300}").unwrap(), budget).unwrap();
        let prefixed = some.with_length_prefix(400, &prefix, budget).unwrap();
        let long = [&[1, 44][..], &[b'b'; 300]].concat();
        assert!(prefixed.accepts(&long) && prefixed.accepts(b"\x00\x01a"));
        assert!(!prefixed.accepts(b"\x00\x01b") && prefixed.accepts(b"\x00\x00"));
    }
}
