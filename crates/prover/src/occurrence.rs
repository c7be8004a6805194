//! A search for keys that contain the bytes of a separator at other offsets than those of the
//! separator.
//!
//! The search explores the product of a keyspace's automaton with the Knuth-Morris-Pratt automaton
//! of the separator.

use crate::pair::{ANY, Step, spell};
use hashbrown::HashMap;
use keyscape_automata::{
    Budget, OverBudget, preferred_bytes,
    search::{Graph, Visit, cheapest},
};
use keyscape_layout::{
    machine::{Machine, State, TrackId, Walk},
    model::{Cut, Place},
};
use std::rc::Rc;

/// A separator to search, and its places in the layout.
pub(crate) struct Sought<'a> {
    pub(crate) bytes: &'a [u8],
    pub(crate) cut: Cut,
    /// The places at which the layout has the last byte of a separator.
    pub(crate) ends: Vec<Place>,
    /// The number of places of the literal prefix.
    pub(crate) prefix: u32,
    /// The place directly before a separator at which words end. `None` for whole keys.
    pub(crate) until: Option<Place>,
}

/// Returns a shortest word from one of the start states in which a split finds an occurrence that
/// is not a separator.
pub(crate) fn stray(
    machine: &Machine,
    track: TrackId,
    starts: &[State],
    sought: &Sought<'_>,
    budget: Budget<'_>,
) -> Result<Option<Vec<u8>>, OverBudget> {
    let pattern = Pattern::new(sought.bytes);
    let walk = Walk::new(machine);
    let mut search = Search { walk, track, sought, pattern, bytes: HashMap::new() };
    let mut first = Vec::new();
    let nothing = Progress { matched: 0, is_stray: false };
    for &state in starts {
        search.arrive(state, nothing, &mut |node| first.push((node, 0, Step::Silent)))?;
    }
    let path = cheapest(&mut search, first, budget)?;
    Ok(path.map(|path| spell(&mut search.walk, &path.labels)))
}

/// A separator with its table of borders.
struct Pattern<'a> {
    bytes: &'a [u8],
    /// For each prefix of the separator, the length of its longest border.
    borders: Vec<usize>,
}

impl<'a> Pattern<'a> {
    fn new(bytes: &'a [u8]) -> Self {
        let mut pattern = Self { bytes, borders: vec![0, 0] };
        for &byte in bytes.iter().skip(1) {
            let before = pattern.borders.last().copied().unwrap_or(0);
            let border = pattern.step(before, byte);
            pattern.borders.push(border);
        }
        pattern
    }

    /// Returns the number of matched bytes of the separator after one more byte.
    fn step(&self, mut matched: usize, byte: u8) -> usize {
        while self.bytes.get(matched) != Some(&byte) {
            if matched == 0 {
                return 0;
            }
            matched = self.borders.get(matched).copied().unwrap_or(0);
        }
        matched + 1
    }

    /// Whether a text followed by the separator contains an earlier occurrence.
    fn ends_early(&self, mut matched: usize) -> bool {
        let mut ahead = self.bytes.iter();
        ahead.next_back();
        ahead.any(|&byte| {
            matched = self.step(matched, byte);
            matched == self.bytes.len()
        })
    }
}

/// The progress of a run.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
struct Progress {
    /// The number of matched bytes of the separator.
    matched: usize,
    /// Whether the split finds an occurrence that is not a separator. For `last`, this refers to
    /// the last occurrence so far.
    is_stray: bool,
}

#[derive(Clone, Copy, PartialEq, Eq, Hash)]
enum Node {
    /// A run that waits for a byte, or has ended.
    At(State, Progress),
    /// A word that ends before a separator and contains a stray occurrence.
    Ended,
}

struct Search<'a> {
    walk: Walk<'a>,
    track: TrackId,
    sought: &'a Sought<'a>,
    pattern: Pattern<'a>,
    /// Bytes to try, by leaf.
    bytes: HashMap<u32, Rc<[u8]>>,
}

impl Search<'_> {
    /// Offers all nodes in which a run can wait after it has arrived in a state.
    fn arrive(
        &mut self,
        state: State,
        progress: Progress,
        offer: &mut dyn FnMut(Node),
    ) -> Result<(), OverBudget> {
        let Some(end) = self.sought.until else {
            let ways = self.walk.settle(state)?;
            ways.iter().for_each(|(_, state)| offer(Node::At(state, progress)));
            return Ok(());
        };
        for (_, to) in self.walk.settle_until(state, self.track, end)?.iter() {
            match to {
                Some(state) => offer(Node::At(state, progress)),
                None if progress.is_stray || self.pattern.ends_early(progress.matched) => {
                    offer(Node::Ended);
                }
                None => {}
            }
        }
        Ok(())
    }

    /// Returns the progress of a run after one more byte, or `None` if the run can no longer
    /// succeed.
    fn read(&self, state: State, progress: Progress, byte: u8) -> Option<Progress> {
        let Sought { cut, ends, prefix, .. } = self.sought;
        if self.is_settled(progress) {
            return Some(progress);
        }
        let matched = self.pattern.step(progress.matched, byte);
        if matched < self.pattern.bytes.len() {
            return Some(Progress { matched, ..progress });
        }
        // The texts of enums are literal bytes too, but are not separators.
        let place = self.walk.machine.place(self.track, state);
        let is_separator = self.walk.machine.literal_byte(state).is_some() && ends.contains(&place);
        match cut {
            Cut::Last => Some(Progress { matched, is_stray: !is_separator }),
            Cut::First if is_separator && place.0 >= *prefix => None,
            Cut::Every | Cut::First => Some(Progress { matched: 0, is_stray: !is_separator }),
        }
    }

    /// Whether later bytes do not change the result.
    fn is_settled(&self, progress: Progress) -> bool {
        progress.is_stray && self.sought.cut != Cut::Last
    }

    /// Returns the bytes to try in a state. Of the bytes with the same target, these are all bytes
    /// of the separator and one other.
    fn bytes(&mut self, state: State) -> Rc<[u8]> {
        let machine = self.walk.machine;
        if let Some(byte) = machine.literal_byte(state) {
            return [byte].into();
        }
        let (Some(leaf), Some(dfa)) = (machine.leaf_of(state), machine.dfa_of(state)) else {
            return [].into();
        };
        let separator = self.sought.bytes;
        let tried = self.bytes.entry(leaf).or_insert_with(|| {
            let mut seen = [false; 256];
            let is_tried = |byte: &u8| {
                let class = dfa.classes().get(usize::from(*byte)).copied();
                let seen = class.and_then(|class| seen.get_mut(usize::from(class)));
                separator.contains(byte) || seen.is_none_or(|seen| !std::mem::replace(seen, true))
            };
            preferred_bytes().iter().copied().filter(is_tried).collect()
        });
        tried.clone()
    }
}

impl Graph for Search<'_> {
    type Node = Node;
    type Label = Step;

    fn expand(
        &mut self,
        node: Node,
        _: u64,
        steps: &mut impl FnMut(Node, u64, Step),
    ) -> Result<Visit, OverBudget> {
        let Node::At(state, progress) = node else { return Ok(Visit::Goal) };
        let machine = self.walk.machine;
        if machine.accepted(state).is_some() {
            return Ok(if progress.is_stray { Visit::Goal } else { Visit::On });
        }
        let mut arrivals = Vec::new();
        if self.is_settled(progress) && machine.is_leaf_start(state) {
            arrivals.extend(
                cross(machine, state).map(|(to, count)| (to, progress, count, Step::Leaf(state))),
            );
        } else if self.is_settled(progress) && machine.free(state) > 0 {
            let free = machine.free(state);
            self.walk.count(free as usize);
            let to = (0..free).try_fold(state, |at, _| machine.step(at, ANY));
            arrivals.extend(to.map(|to| (to, progress, free.into(), Step::Free(state, free))));
        } else {
            let bytes = self.bytes(state);
            self.walk.count(bytes.len());
            for &byte in &*bytes {
                let read = self.read(state, progress, byte);
                let to = machine.step(state, byte).zip(read);
                arrivals.extend(to.map(|(to, progress)| (to, progress, 1, Step::Byte(byte))));
            }
        }
        for (to, progress, count, step) in arrivals {
            self.arrive(to, progress, &mut |node| steps(node, count, step))?;
        }
        Ok(Visit::On)
    }

    fn steps_taken(&mut self) -> usize {
        self.walk.take_steps()
    }
}

/// Returns the state after a shortest word of the leaf that a state begins, and its length.
fn cross(machine: &Machine, state: State) -> Option<(State, u64)> {
    let word = machine.simplest_word(state);
    let to = word.iter().try_fold(state, |at, &byte| machine.step(at, byte))?;
    machine.may_leave_leaf(to).then(|| (machine.after_leaf(to), word.len() as u64))
}
