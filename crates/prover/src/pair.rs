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
            Step::Leaf(state) => key.extend(walk.machine.simplest_word(state)),
            Step::Rest(state) => key.extend(walk.shortest(state)),
        }
    }
    key
}

/// Two runs after some bytes, not yet settled.
pub(crate) struct Arrival {
    /// How many bytes.
    pub(crate) count: u64,
    /// Which bytes.
    pub(crate) step: Step,
    /// Where the first run is now.
    pub(crate) a: State,
    /// Where the second run is now.
    pub(crate) b: State,
}

/// Where two waiting states can go together.
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
) -> Vec<Arrival> {
    let machine = walk.machine;
    if locked && a == b && machine.is_leaf_start(a) && machine.is_prefix_free(a) {
        let word = machine.simplest_word(a);
        let to = word.iter().try_fold(a, |at, &byte| machine.step(at, byte));
        let count = word.len() as u64;
        return to
            .map(|to| Arrival { count, step: Step::Leaf(a), a: to, b: to })
            .into_iter()
            .collect();
    }
    let free = machine.free(a).min(machine.free(b));
    if free > 0 {
        let run = |from: State| (0..free).try_fold(from, |at, _| machine.step(at, ANY));
        let (count, step) = (u64::from(free), Step::Free(free));
        return run(a)
            .zip(run(b))
            .map(|(a, b)| Arrival { count, step, a, b })
            .into_iter()
            .collect();
    }
    let bytes = walk.shared_bytes(a, b);
    let steps = bytes.iter().filter_map(|&byte| {
        let (a, b) = machine.step(a, byte).zip(machine.step(b, byte))?;
        Some(Arrival { count: 1, step: Step::Byte(byte), a, b })
    });
    steps.collect()
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
