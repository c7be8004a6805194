//! Two runs over the same bytes, together.

use keyscape_automata::OverBudget;
use keyscape_layout::machine::{Marks, State, Walk};

/// What a step of a search adds to a key.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Step {
    /// Nothing.
    Silent,
    /// One byte.
    Byte(u8),
    /// This many bytes, which may be anything.
    Free(u32),
    /// The shortest word of the leaf that this state is in the beginning of.
    Leaf(State),
    /// The shortest way from this state to the end of a key.
    Rest(State),
}

/// A byte for places that take any: the most readable one.
const ANY: u8 = b'a';

/// The bytes that the steps of a path spell.
pub(crate) fn spell(walk: &mut Walk<'_>, steps: &[Step]) -> Vec<u8> {
    let mut key = Vec::new();
    for step in steps {
        match *step {
            Step::Silent => {}
            Step::Byte(byte) => key.push(byte),
            Step::Free(count) => key.extend(std::iter::repeat_n(ANY, count as usize)),
            Step::Leaf(state) => key.extend(leaf_word(walk, state)),
            Step::Rest(state) => key.extend(walk.shortest(state)),
        }
    }
    key
}

fn leaf_word(walk: &Walk<'_>, state: State) -> Vec<u8> {
    walk.machine.dfa_of(state).map_or_else(Vec::new, |dfa| dfa.shortest_from(dfa.start()))
}

/// Where two waiting states can go together: how many bytes, which, and where both arrive (not yet
/// settled).
///
/// Two shortcuts keep products small. Two runs in one state at the start of a prefix-free leaf
/// leave it together, whatever its bytes, so they cross it at once (`locked` says that the runs
/// agree so far). And where both take any byte for a while, they go on together for the shorter
/// while.
pub(crate) fn steps_together(
    walk: &mut Walk<'_>,
    a: State,
    b: State,
    locked: bool,
    visit: &mut dyn FnMut(u64, Step, State, State) -> Result<(), OverBudget>,
) -> Result<(), OverBudget> {
    let machine = walk.machine;
    if locked && a == b && machine.is_leaf_start(a) {
        if let Some(dfa) = machine.dfa_of(a).filter(|dfa| dfa.is_prefix_free()) {
            let word = dfa.shortest_from(dfa.start());
            let to = word.iter().try_fold(a, |at, &byte| machine.step(at, byte));
            return match to {
                Some(to) if !word.is_empty() => visit(word.len() as u64, Step::Leaf(a), to, to),
                _ => Ok(()),
            };
        }
    }
    let free = machine.free(a).min(machine.free(b));
    if free > 0 {
        let run = |from: State| (0..free).try_fold(from, |at, _| machine.step(at, ANY));
        return match (run(a), run(b)) {
            (Some(x), Some(y)) => visit(u64::from(free), Step::Free(free), x, y),
            _ => Ok(()),
        };
    }
    for &byte in walk.shared_bytes(a, b).iter() {
        if let (Some(x), Some(y)) = (machine.step(a, byte), machine.step(b, byte)) {
            visit(1, Step::Byte(byte), x, y)?;
        }
    }
    Ok(())
}

/// All ways in which two runs that have arrived can settle: what each says, and where it waits.
pub(crate) fn settle_both(
    walk: &mut Walk<'_>,
    a: State,
    b: State,
    visit: &mut dyn FnMut((Marks, State), (Marks, State)),
) -> Result<(), OverBudget> {
    let (ways_a, ways_b) = (walk.settle(a)?, walk.settle(b)?);
    for &x in ways_a.iter() {
        for &y in ways_b.iter() {
            visit(x, y);
        }
    }
    Ok(())
}
