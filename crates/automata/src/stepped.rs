//! Automata defined by a step function.

use crate::{Budget, ByteSet, DEAD, Dfa, OverBudget, StateId, budget::Meter, dfa::Parts};
use alloc::vec::Vec;
use core::hash::Hash;
use hashbrown::HashMap;

/// The elementary steps for following one byte: the state is cloned and looked up.
const STEPS_PER_BYTE: usize = 4;

impl Dfa {
    /// Builds the automaton that starts in `start` and follows `step`. A state accepts if `accepts`
    /// returns true. Words contain only bytes of `alphabet`.
    ///
    /// # Errors
    /// [`OverBudget`] if the automaton needs more states than the budget allows.
    pub fn from_steps<S: Clone + Eq + Hash>(
        start: S,
        alphabet: &ByteSet,
        step: impl Fn(&S, u8) -> Option<S>,
        accepts: impl Fn(&S) -> bool,
        budget: Budget,
    ) -> Result<Self, OverBudget> {
        // Each byte of the alphabet is a class, and all other bytes are one class.
        let examples: Vec<u8> = alphabet.iter().collect();
        let mut map = [examples.len() as u8; 256];
        for (class, &byte) in examples.iter().enumerate() {
            map[byte as usize] = class as u8;
        }
        let meter = &mut Meter::new(budget);
        explored(start, &ByteClasses { map, examples }, STEPS_PER_BYTE, step, accepts, meter)
    }
}

/// Classes of bytes that no step distinguishes.
pub(crate) struct ByteClasses {
    /// The class of each byte. Bytes of a class without an example have no step.
    pub(crate) map: [u8; 256],
    /// A byte of each class.
    pub(crate) examples: Vec<u8>,
}

impl ByteClasses {
    /// Returns the classes of bytes that neither `a` nor `b` distinguishes.
    pub(crate) fn paired(a: &[u8; 256], b: &[u8; 256]) -> Self {
        let mut pairs: HashMap<(u8, u8), u8> = HashMap::new();
        let mut examples: Vec<u8> = Vec::new();
        let mut map = [0; 256];
        for byte in 0..=u8::MAX {
            let pair = (a[usize::from(byte)], b[usize::from(byte)]);
            map[usize::from(byte)] = *pairs.entry(pair).or_insert_with(|| {
                examples.push(byte);
                (examples.len() - 1) as u8
            });
        }
        Self { map, examples }
    }
}

/// Builds the automaton of all states that `step` reaches from `start`. Each followed class counts
/// as `price` elementary steps.
pub(crate) fn explored<S: Clone + Eq + Hash>(
    start: S,
    ByteClasses { map, examples }: &ByteClasses,
    price: usize,
    step: impl Fn(&S, u8) -> Option<S>,
    accepts: impl Fn(&S) -> bool,
    meter: &mut Meter<'_>,
) -> Result<Dfa, OverBudget> {
    let width = usize::from(map.iter().copied().max().unwrap_or(0)) + 1;
    let mut ids: HashMap<S, StateId> = HashMap::from([(start.clone(), 0)]);
    let mut states = Vec::from([start]);
    let mut table = Vec::new();
    let mut at = 0;
    while let Some(state) = states.get(at).cloned() {
        meter.steps(price * examples.len())?;
        // Neighbouring classes often have the same target.
        let mut last: Option<(S, StateId)> = None;
        for &byte in examples {
            let Some(next) = step(&state, byte) else {
                table.push(DEAD);
                continue;
            };
            let id = match &last {
                Some((known, id)) if *known == next => *id,
                _ => {
                    let fresh = states.len() as StateId;
                    let id = *ids.entry(next.clone()).or_insert(fresh);
                    if id == fresh {
                        states.push(next.clone());
                        meter.states(states.len())?;
                    }
                    last = Some((next, id));
                    id
                }
            };
            table.push(id);
        }
        at += 1;
        table.resize(at * width, DEAD);
    }
    let accepting = states.iter().map(accepts).collect();
    Dfa::from_parts(Parts { map: *map, width, table, accepting }, meter)
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
