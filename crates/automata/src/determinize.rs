//! The subset construction.

use crate::{
    ByteSet, DEAD, OverBudget, StateId, budget::Meter, dfa::Parts, nfa::NfaState, rows::Rows,
    stepped::ByteClasses,
};
use alloc::{vec, vec::Vec};

/// Builds the deterministic automaton with the same language, not yet minimised.
pub(crate) fn determinize(
    nfa: &[NfaState],
    start: usize,
    meter: &mut Meter<'_>,
) -> Result<Parts, OverBudget> {
    let classes = byte_classes(nfa, meter)?;
    let (width, heads) = (classes.examples.len(), classes.examples.iter().copied().collect());
    let mut subsets = Rows::default();
    let mut table: Vec<StateId> = Vec::new();
    let mut accepting: Vec<bool> = Vec::new();
    let mut closure = Closure::new(nfa);

    subsets.id(closure.of(&[start as u32], meter)?);
    let mut targets: Vec<Vec<u32>> = vec![Vec::new(); width];
    // The subset reached from each single state: most subsets come from one state.
    let mut alone: Vec<StateId> = vec![DEAD; nfa.len()];
    while accepting.len() < subsets.len() {
        let subset = subsets.get(accepting.len() as u32);
        let mut steps = subset.len() + width;
        for &state in subset {
            for (set, target) in &nfa[state as usize].steps {
                for byte in set.intersection(&heads).iter() {
                    targets[classes.map[byte as usize] as usize].push(*target as u32);
                    steps += 1;
                }
            }
        }
        accepting.push(subset.iter().any(|&state| nfa[state as usize].accepting));
        meter.steps(steps)?;
        for targets in &mut targets {
            let known = match targets[..] {
                [] => {
                    table.push(DEAD);
                    continue;
                }
                [only] => Some(only as usize),
                _ => None,
            };
            let mut id = known.map_or(DEAD, |only| alone[only]);
            if id == DEAD {
                id = subsets.id(closure.of(targets, meter)?);
                meter.states(subsets.len())?;
                if let Some(only) = known {
                    alone[only] = id;
                }
            }
            table.push(id);
            targets.clear();
        }
    }
    Ok(Parts { map: classes.map, width, table, accepting })
}

/// Follows silent steps, with a stamp per state instead of a set per call.
struct Closure<'a> {
    nfa: &'a [NfaState],
    seen: Vec<u32>,
    round: u32,
    stack: Vec<u32>,
    reached: Vec<u32>,
}

/// The elementary steps of sorting, hashing and comparing a state of a subset.
const STEPS_PER_ELEMENT: usize = 4;

impl<'a> Closure<'a> {
    fn new(nfa: &'a [NfaState]) -> Self {
        let seen = vec![0; nfa.len()];
        Self { nfa, seen, round: 0, stack: Vec::new(), reached: Vec::new() }
    }

    /// Returns the states reached silently, sorted, without states that have only silent steps.
    fn of(&mut self, starts: &[u32], meter: &mut Meter<'_>) -> Result<&[u32], OverBudget> {
        self.round += 1;
        self.stack.extend_from_slice(starts);
        self.reached.clear();
        let mut steps = starts.len();
        while let Some(state) = self.stack.pop() {
            if core::mem::replace(&mut self.seen[state as usize], self.round) == self.round {
                continue;
            }
            let node = &self.nfa[state as usize];
            if !node.steps.is_empty() || node.accepting {
                self.reached.push(state);
            }
            steps += node.silent.len();
            self.stack.extend(node.silent.iter().map(|&s| s as u32));
        }
        self.reached.sort_unstable();
        meter.steps(steps + STEPS_PER_ELEMENT * self.reached.len())?;
        Ok(&self.reached)
    }
}

/// Returns classes of bytes that no step of an automaton distinguishes.
fn byte_classes(nfa: &[NfaState], meter: &mut Meter<'_>) -> Result<ByteClasses, OverBudget> {
    let steps = nfa.iter().flat_map(|state| &state.steps);
    let mut distinct: Vec<ByteSet> = Vec::new();
    for (set, _) in steps {
        // Copies of one part follow each other.
        if distinct.last() != Some(set) {
            distinct.push(*set);
        }
    }
    meter.steps(nfa.len() + STEPS_PER_ELEMENT * distinct.len())?;
    distinct.sort_unstable();
    distinct.dedup();
    meter.steps(256 * distinct.len())?;
    let mut map = [0_u8; 256];
    let mut count = 1_usize;
    for set in &distinct {
        // Splits every class into the part inside the set and the part outside.
        let mut renamed: [Option<u8>; 256] = [None; 256];
        let mut outside = [false; 256];
        for byte in set.complement().iter() {
            outside[map[byte as usize] as usize] = true;
        }
        for byte in set.iter() {
            let old = map[byte as usize];
            if !outside[old as usize] {
                continue;
            }
            let new = *renamed[old as usize].get_or_insert_with(|| {
                count += 1;
                (count - 1) as u8
            });
            map[byte as usize] = new;
        }
    }
    let mut examples = vec![0; count];
    for (byte, &class) in (0..=255).zip(&map) {
        examples[class as usize] = byte;
    }
    Ok(ByteClasses { map, examples })
}
