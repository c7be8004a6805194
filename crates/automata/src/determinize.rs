//! The subset construction.

use crate::{Budget, ByteSet, DEAD, OverBudget, StateId, dfa::Parts, nfa::Nfa};
use alloc::{vec, vec::Vec};
use hashbrown::HashMap;

/// The deterministic automaton with the same language, not yet minimised.
pub(crate) fn determinize(nfa: &Nfa, budget: Budget) -> Result<Parts, OverBudget> {
    let classes = Classes::of(nfa.states.iter().flat_map(|s| s.steps.iter().map(|(set, _)| set)));
    let mut ids: HashMap<Vec<u32>, StateId> = HashMap::new();
    let mut subsets: Vec<Vec<u32>> = Vec::new();
    let mut table: Vec<StateId> = Vec::new();
    let mut closure = Closure::new(nfa);

    let first = closure.of(&[nfa.start as u32]);
    ids.insert(first.clone(), 0);
    subsets.push(first);
    let mut targets: Vec<Vec<u32>> = vec![Vec::new(); classes.count];
    // The subset that each state leads to by itself: most subsets come of one state.
    let mut alone: Vec<StateId> = vec![DEAD; nfa.states.len()];
    let mut at = 0;
    while at < subsets.len() {
        for &state in &subsets[at] {
            for (set, target) in &nfa.states[state as usize].steps {
                for byte in set.intersection(&classes.heads).iter() {
                    targets[classes.map[byte as usize] as usize].push(*target as u32);
                }
            }
        }
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
                let subset = closure.of(targets);
                let next = subsets.len() as StateId;
                id = *ids.entry_ref(&subset[..]).or_insert(next);
                if id == next {
                    if subsets.len() >= budget.states {
                        return Err(OverBudget { what: "automaton states", limit: budget.states });
                    }
                    subsets.push(subset);
                }
                if let Some(only) = known {
                    alone[only] = id;
                }
            }
            table.push(id);
            targets.clear();
        }
        at += 1;
    }
    let accepting = subsets
        .iter()
        .map(|subset| subset.iter().any(|&s| nfa.states[s as usize].accepting))
        .collect();
    Ok(Parts { map: classes.map, width: classes.count, table, accepting })
}

/// Follows silent steps, with a stamp per state instead of a set per call.
struct Closure<'a> {
    nfa: &'a Nfa,
    seen: Vec<u32>,
    round: u32,
    stack: Vec<u32>,
}

impl<'a> Closure<'a> {
    fn new(nfa: &'a Nfa) -> Self {
        Self { nfa, seen: vec![0; nfa.states.len()], round: 0, stack: Vec::new() }
    }

    /// The states reached silently, sorted; states that only pass on are left out.
    fn of(&mut self, starts: &[u32]) -> Vec<u32> {
        self.round += 1;
        self.stack.extend_from_slice(starts);
        let mut reached = Vec::new();
        while let Some(state) = self.stack.pop() {
            if core::mem::replace(&mut self.seen[state as usize], self.round) == self.round {
                continue;
            }
            let node = &self.nfa.states[state as usize];
            if !node.steps.is_empty() || node.accepting {
                reached.push(state);
            }
            self.stack.extend(node.silent.iter().map(|&s| s as u32));
        }
        reached.sort_unstable();
        reached
    }
}

/// Bytes that no set of a collection tells apart share a class.
struct Classes {
    map: [u8; 256],
    count: usize,
    /// One byte of each class.
    heads: ByteSet,
}

impl Classes {
    fn of<'a>(sets: impl Iterator<Item = &'a ByteSet>) -> Self {
        let mut distinct: Vec<ByteSet> = sets.copied().collect();
        distinct.sort_unstable();
        distinct.dedup();
        let mut map = [0_u8; 256];
        let mut count = 1_usize;
        for set in &distinct {
            // Split every class into the part inside the set and the part outside.
            let mut renamed: [Option<u8>; 256] = [None; 256];
            let mut outside = [false; 256];
            for byte in 0..=255_u8 {
                if !set.contains(byte) {
                    outside[map[byte as usize] as usize] = true;
                }
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
        let mut heads = ByteSet::EMPTY;
        let mut known = [false; 256];
        for byte in 0..=255_u8 {
            if !core::mem::replace(&mut known[map[byte as usize] as usize], true) {
                heads.insert(byte);
            }
        }
        Self { map, count, heads }
    }
}
