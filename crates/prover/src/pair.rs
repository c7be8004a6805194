//! Pairs of runs over the same bytes.

use keyscape_automata::OverBudget;
use keyscape_layout::machine::{Inside, Machine, Marks, State, Walk};
use std::rc::Rc;

/// The bytes that a step of a search adds to a key.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Step {
    /// No bytes.
    Silent,
    /// One byte.
    Byte(u8),
    /// This many arbitrary bytes in the leaf of this state.
    Free(State, u32),
    /// The shortest word of the leaf that begins in this state.
    Leaf(State),
    /// The shortest word from this state to the end of a key.
    Rest(State),
}

/// A byte for steps that accept any byte. [`spell`] chooses the bytes that are shown.
pub(crate) const ANY: u8 = b'a';

/// Returns the bytes of the steps of a path.
pub(crate) fn spell(walk: &mut Walk<'_>, steps: &[Step]) -> Vec<u8> {
    let mut key = Vec::new();
    for step in steps {
        match *step {
            Step::Silent => {}
            Step::Byte(byte) => key.push(byte),
            Step::Free(state, count) => key.extend(walk.machine.filler(state, count)),
            Step::Leaf(state) => key.extend(walk.machine.simplest_word(state)),
            Step::Rest(state) => key.extend(walk.shortest(state)),
        }
    }
    key
}

/// Two runs after some bytes, not yet settled.
pub(crate) struct Arrival {
    /// The number of bytes of the step.
    pub(crate) count: u64,
    /// The bytes of the step.
    pub(crate) step: Step,
    /// The state of the first run.
    pub(crate) a: State,
    /// The state of the second run.
    pub(crate) b: State,
}

/// Yields the pairs of states that two waiting states can reach together.
///
/// Two shortcuts keep products small. First, two runs in one state at the start of a prefix-free
/// leaf leave the leaf together, so they cross it in one step (`locked` means that the runs agree
/// so far). Neither run can stay inside, even if the automaton continues after the word. Both runs
/// read encodings from the same bytes, so one encoding would be a prefix of the other. Second, if
/// both runs accept any byte for some steps, they take the smaller number of steps at once.
pub(crate) fn steps_together<'m>(
    walk: &mut Walk<'m>,
    a: State,
    b: State,
    locked: bool,
) -> Arrivals<'m> {
    let machine = walk.machine;
    if locked && a == b && machine.is_leaf_start(a) && machine.is_prefix_free(a) {
        let word = machine.simplest_word(a);
        let to = word.iter().try_fold(a, |at, &byte| machine.step(at, byte));
        let count = word.len() as u64;
        let left = to.filter(|&to| machine.may_leave_leaf(to)).map(|to| machine.after_leaf(to));
        let arrival = left.map(|left| Arrival { count, step: Step::Leaf(a), a: left, b: left });
        return Arrivals::One(arrival);
    }
    let free = machine.free(a).min(machine.free(b));
    if free > 0 {
        let run = |from: State| (0..free).try_fold(from, |at, _| machine.step(at, ANY));
        walk.count(2 * free as usize);
        // Integers are easier to read if they are small.
        let shown = if machine.is_integer(a) || !machine.is_integer(b) { a } else { b };
        let (count, step) = (u64::from(free), Step::Free(shown, free));
        return Arrivals::One(run(a).zip(run(b)).map(|(a, b)| Arrival { count, step, a, b }));
    }
    // Most steps of a search are literal bytes, which need no list of bytes.
    if let Some(byte) = machine.literal_byte(a).or_else(|| machine.literal_byte(b)) {
        return Arrivals::One(step_together(machine, a, b, byte));
    }
    let (bytes, seen) = (walk.shared_bytes(a, b), Seen::default());
    walk.count(bytes.len());
    match machine.inside(a).zip(machine.inside(b)) {
        Some((x, y)) => Arrivals::Bytes { a: x, b: (a != b).then_some(y), bytes, next: 0, seen },
        None => Arrivals::One(None),
    }
}

/// Returns the states that two waiting states reach with one byte.
fn step_together(machine: &Machine, a: State, b: State, byte: u8) -> Option<Arrival> {
    let a = machine.step(a, byte)?;
    let b = machine.step(b, byte)?;
    Some(Arrival { count: 1, step: Step::Byte(byte), a, b })
}

/// A lazy iterator over the arrivals of [`steps_together`], which may repeat.
pub(crate) enum Arrivals<'m> {
    /// At most one arrival.
    One(Option<Arrival>),
    /// The arrivals of some bytes inside leaves, from index `next` on. `b` is present if it differs
    /// from `a`.
    Bytes {
        a: Inside<'m>,
        b: Option<Inside<'m>>,
        bytes: Rc<[u8]>,
        next: usize,
        seen: Seen<(u32, u32)>,
    },
}

/// The last targets of the bytes of a node. Most bytes lead to one of few targets. A search uses
/// the first byte to a target, so later ones with the same cost need not be offered.
pub(crate) struct Seen<T> {
    places: [Option<T>; 4],
    newest: usize,
}

impl<T: Copy> Default for Seen<T> {
    fn default() -> Self {
        Self { places: [None; 4], newest: 0 }
    }
}

impl<T: PartialEq> Seen<T> {
    /// Whether a target is not among the last ones. Adds it to them.
    #[inline]
    pub(crate) fn is_new(&mut self, place: T) -> bool {
        let place = Some(place);
        // Adjacent bytes usually have the same target.
        if self.places[self.newest] == place || self.places.contains(&place) {
            return false;
        }
        self.newest = (self.newest + 1) % self.places.len();
        self.places[self.newest] = place;
        true
    }
}

impl Iterator for Arrivals<'_> {
    type Item = Arrival;

    fn next(&mut self) -> Option<Arrival> {
        match self {
            Self::One(arrival) => arrival.take(),
            Self::Bytes { a, b, bytes, next, seen } => loop {
                let byte = *bytes.get(*next)?;
                *next += 1;
                let Some(to_a) = a.step(byte) else { continue };
                let to_b = match b {
                    Some(b) => b.step(byte),
                    None => Some(to_a),
                };
                if let Some(to_b) = to_b
                    && seen.is_new((to_a.inside(), to_b.inside()))
                {
                    return Some(Arrival { count: 1, step: Step::Byte(byte), a: to_a, b: to_b });
                }
            },
        }
    }
}

/// Whether two runs that wait for a byte, or have ended, may reach the end of a key together. If
/// not, both read no common key and never reach one state, so the search can drop them.
#[inline]
pub(crate) fn may_go_on_together(machine: &Machine, a: State, b: State) -> bool {
    if a == b {
        return true;
    }
    // Most pairs wait for two different literal bytes.
    let fits = match (machine.literal_byte(a), machine.literal_byte(b)) {
        (Some(x), Some(y)) => x == y,
        (Some(byte), None) => machine.step(b, byte).is_some(),
        (None, Some(byte)) => machine.step(a, byte).is_some(),
        (None, None) => true,
    };
    fits && machine.ahead(a).meets(machine.ahead(b))
}

/// Visits all ways in which two arrived runs can settle, each with its marks and its waiting state.
/// The runs are interchangeable, so symmetric pairs of runs in one state are visited once.
pub(crate) fn settle_both(
    walk: &mut Walk<'_>,
    a: State,
    b: State,
    visit: &mut impl FnMut((Marks, State), (Marks, State)),
) -> Result<(), OverBudget> {
    // The common case: leaves contain no silent transitions.
    let stays = |state| walk.machine.stays(state).then_some((Marks::NONE, state));
    if let (Some(x), Some(y)) = (stays(a), stays(b)) {
        visit(x, y);
        return Ok(());
    }
    let ways_a = walk.settle(a)?;
    if a == b {
        walk.count(ways_a.len() * ways_a.len() / 2);
        for (at, x) in ways_a.iter().enumerate() {
            ways_a.iter().skip(at).for_each(|y| visit(x, y));
        }
        return Ok(());
    }
    let ways_b = walk.settle(b)?;
    walk.count(ways_a.len() * ways_b.len());
    for x in ways_a.iter() {
        ways_b.iter().for_each(|y| visit(x, y));
    }
    Ok(())
}
