//! Automata defined by a step function.

use crate::{Budget, ByteSet, DEAD, Dfa, OverBudget, StateId, budget::Meter, dfa::Parts};
use alloc::vec::Vec;
use core::hash::Hash;
use hashbrown::HashMap;

/// The elementary steps of following a byte: the state is cloned and looked up.
const STEPS_PER_BYTE: usize = 4;

impl Dfa {
    /// Builds the automaton that starts in `start` and follows `step`. A state accepts if `accepts`
    /// returns true. Words contain only bytes of `alphabet`.
    ///
    /// # Errors
    /// [`OverBudget`] if it needs more states than the budget allows.
    pub fn from_steps<S: Clone + Eq + Hash>(
        start: S,
        alphabet: &ByteSet,
        step: impl Fn(&S, u8) -> Option<S>,
        accepts: impl Fn(&S) -> bool,
        budget: Budget,
    ) -> Result<Self, OverBudget> {
        let mut meter = Meter::new(budget);
        // One class per byte of the alphabet, and one for all other bytes.
        let bytes: Vec<u8> = alphabet.iter().collect();
        let width = bytes.len() + usize::from(bytes.len() < 256);
        let mut map = [bytes.len() as u8; 256];
        for (class, &byte) in bytes.iter().enumerate() {
            map[byte as usize] = class as u8;
        }
        let mut ids: HashMap<S, StateId> = HashMap::from([(start.clone(), 0)]);
        let mut states = Vec::from([start]);
        let mut table = Vec::new();
        let mut at = 0;
        while let Some(state) = states.get(at).cloned() {
            meter.steps(STEPS_PER_BYTE * bytes.len())?;
            for &byte in &bytes {
                let Some(next) = step(&state, byte) else {
                    table.push(DEAD);
                    continue;
                };
                let fresh = states.len() as StateId;
                let id = *ids.entry(next.clone()).or_insert(fresh);
                if id == fresh {
                    states.push(next);
                    meter.states(states.len())?;
                }
                table.push(id);
            }
            at += 1;
            table.resize(at * width, DEAD);
        }
        let accepting = states.iter().map(accepts).collect();
        Self::from_parts(Parts { map, width, table, accepting }, &mut meter)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::regex::parse_text;

    #[test]
    fn steps_give_the_same_automaton_as_an_expression() {
        let budget = Budget::default();
        let even = Dfa::from_steps(
            (0, false),
            &ByteSet::range(b'a', b'b'),
            |&(count, _), byte| (count < 4).then_some((count + 1, byte == b'b')),
            |&(count, last_is_b)| count % 2 == 0 && !last_is_b,
            budget,
        );
        let same = Dfa::from_lang(&parse_text("|[ab]a|[ab]{3}a").unwrap(), budget);
        assert_eq!(even, same);
        let small = Budget { states: 3, ..budget };
        let step = |&count: &u32, _: u8| Some(count + 1);
        assert!(Dfa::from_steps(0, &ByteSet::ANY, step, |_| true, small).is_err());
    }
}
