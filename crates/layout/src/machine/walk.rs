//! Walks over an automaton, with a cache of silent transitions.

use super::{Machine, MarkId, NodeId, NodeKind, State, TrackId};
use crate::model::Place;
use hashbrown::HashMap;
use keyscape_automata::{Budget, ByteSet, Dfa, OverBudget, STEPS_PER_UNIT, preferred_bytes};
use smallvec::SmallVec;
use std::{rc::Rc, sync::Arc};

/// The marks of a run at one offset: an index into the sequences of a [`Walk`]. Equal indices are
/// equal marks. The empty sequence is 0.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Marks(u32);

impl Marks {
    /// The empty sequence.
    pub const NONE: Self = Self(0);
}

/// The highest number of ways out of one state. More would need dozens of consecutive optional
/// parts.
const MAX_WAYS: usize = 4096;

/// The elementary steps to follow a silent transition.
pub const STEPS_PER_WAY: usize = 64;

/// The ways to settle after leaving a node.
type WaysAfter<T> = Rc<[(Marks, T)]>;

/// The marks of consecutive silent transitions. Most have none.
type Sequence = SmallVec<[MarkId; 4]>;

/// The ids of two leaves.
type Leaves = (u32, u32);

/// The ways to settle: first staying in the state, if possible, then those after leaving the node.
/// The target of each way is a [`State`], or `None` for a run that has reached its end.
#[derive(Clone, Debug)]
pub struct Ways<T = State> {
    here: Option<(Marks, T)>,
    after: Option<WaysAfter<T>>,
}

impl<T: Copy> Ways<T> {
    /// Returns the way of a run that stays in its state.
    #[must_use]
    pub const fn staying(state: T) -> Self {
        Self { here: Some((Marks::NONE, state)), after: None }
    }

    /// Returns the number of ways.
    #[must_use]
    #[inline]
    #[expect(clippy::len_without_is_empty, reason = "no caller needs `is_empty`")]
    pub fn len(&self) -> usize {
        usize::from(self.here.is_some()) + self.after.as_ref().map_or(0, |after| after.len())
    }

    /// Yields the marks and the target of each path, in the order of declaration.
    #[inline]
    pub fn iter(&self) -> impl Iterator<Item = (Marks, T)> + Clone + '_ {
        self.here.into_iter().chain(self.after.as_deref().unwrap_or_default().iter().copied())
    }
}

/// An automaton with a cache of its silent transitions.
#[derive(Debug)]
pub struct Walk<'a> {
    /// The automaton.
    pub machine: &'a Machine,
    sequences: Vec<Sequence>,
    ids: HashMap<Sequence, Marks>,
    /// The ways out of each node, once a run may leave it.
    after: HashMap<NodeId, WaysAfter<State>>,
    /// A small direct-mapped cache of `after`, because two runs usually stay in two leaves for
    /// long.
    recent: [Option<(NodeId, WaysAfter<State>)>; RECENT],
    /// The ways out of each node for runs of one track that end at a place.
    until: HashMap<(NodeId, TrackId, Place), WaysAfter<Option<State>>>,
    bytes: HashMap<Leaves, Rc<[u8]>>,
    /// The last requested bytes with their leaves.
    last_bytes: Option<(Leaves, Rc<[u8]>)>,
    /// Elementary steps that have not been charged yet.
    steps: usize,
}

/// The number of cached exits.
const RECENT: usize = 8;

impl<'a> Walk<'a> {
    /// Creates a walk with an empty cache.
    #[must_use]
    pub fn new(machine: &'a Machine) -> Self {
        Self {
            machine,
            sequences: vec![Sequence::new()],
            ids: HashMap::from([(Sequence::new(), Marks::NONE)]),
            after: HashMap::new(),
            recent: [const { None }; RECENT],
            until: HashMap::new(),
            bytes: HashMap::new(),
            last_bytes: None,
            steps: 0,
        }
    }

    /// Counts elementary steps of a search over the walk.
    #[inline]
    pub const fn count(&mut self, steps: usize) {
        self.steps = self.steps.saturating_add(steps);
    }

    /// Returns the steps counted since the last call.
    #[inline]
    pub const fn take_steps(&mut self) -> usize {
        std::mem::replace(&mut self.steps, 0)
    }

    /// Charges the counted steps to a budget, for a search that fails before it starts.
    pub fn charge(&mut self, budget: Budget<'_>) {
        let units = self.take_steps() / STEPS_PER_UNIT;
        // If too little is left, the total becomes zero, and the next search fails.
        let _ = budget.total.map(|total| total.take(units));
    }

    /// Returns the marks of a sequence in order.
    #[must_use]
    pub fn sequence(&self, marks: Marks) -> &[MarkId] {
        &self.sequences[marks.0 as usize]
    }

    /// Returns all ways to settle after arriving in `state`. Each consists of the marks of the
    /// silent transitions and a state that waits for a byte or is the end of a key.
    ///
    /// # Errors
    /// [`OverBudget`] if there are too many.
    #[inline]
    pub fn settle(&mut self, state: State) -> Result<Ways, OverBudget> {
        let machine = self.machine;
        let stays = machine.waits(state) || machine.accepted(state).is_some();
        let here = stays.then_some((Marks::NONE, state));
        let after = machine.may_leave(state).then(|| self.ways_after(state)).transpose()?;
        Ok(Ways { here, after })
    }

    /// Returns the ways to settle for a run that leaves the node of `state`. They do not depend on
    /// the path to the exit of the node.
    #[inline]
    fn ways_after(&mut self, state: State) -> Result<WaysAfter<State>, OverBudget> {
        let slot = state.node.index() % RECENT;
        if let Some((node, cached)) = &self.recent[slot]
            && *node == state.node
        {
            return Ok(cached.clone());
        }
        let ways = match self.after.get(&state.node) {
            Some(cached) => cached.clone(),
            None => {
                let ways = self.find_ways(state, None)?;
                let ways = ways.into_iter().filter_map(|(marks, to)| Some((marks, to?))).collect();
                self.after.entry(state.node).or_insert(ways).clone()
            }
        };
        self.recent[slot] = Some((state.node, ways.clone()));
        Ok(ways)
    }

    /// Finds the ways to settle for a run that leaves the node of `state`, in the order of
    /// declaration. With `until`, the run is one of that track and ends at that place.
    fn find_ways(
        &mut self,
        state: State,
        until: Option<(TrackId, Place)>,
    ) -> Result<Vec<(Marks, Option<State>)>, OverBudget> {
        let machine = self.machine;
        let is_used = |to: State| until.is_none_or(|(track, _)| machine.uses(track, to));
        let ends = until.map_or(&[][..], |(track, end)| machine.nodes_at(track, end));
        let push_exits = |marks: &[MarkId], at: State, stack: &mut Vec<(Sequence, State)>| {
            let start = stack.len();
            let exits = machine.exits(at).filter(|(_, to)| is_used(*to));
            stack.extend(exits.map(|(new, to)| {
                (marks.iter().copied().chain(new.into_iter().flatten()).collect(), to)
            }));
            // Reverse the order, because the stack returns the last element first.
            stack[start..].reverse();
        };
        let mut ways = Vec::new();
        let mut stack = Vec::new();
        push_exits(&[], state, &mut stack);
        while let Some((marks, at)) = stack.pop() {
            if ends.contains(&at.node) {
                ways.push((self.intern(&marks), None));
                continue;
            }
            if machine.waits(at) || until.is_none() && machine.accepted(at).is_some() {
                ways.push((self.intern(&marks), Some(at)));
            }
            push_exits(&marks, at, &mut stack);
            self.count(STEPS_PER_WAY + marks.len());
            if ways.len() + stack.len() > MAX_WAYS {
                return Err(OverBudget { what: "silent steps at one place", limit: MAX_WAYS });
            }
        }
        Ok(ways)
    }

    /// Like [`Walk::settle`] for a run of one track that ends at a place of its key.
    ///
    /// # Errors
    /// [`OverBudget`] if there are too many ways.
    pub fn settle_until(
        &mut self,
        state: State,
        track: TrackId,
        end: Place,
    ) -> Result<Ways<Option<State>>, OverBudget> {
        let machine = self.machine;
        if state.at == 0 && machine.nodes_at(track, end).contains(&state.node) {
            return Ok(Ways::staying(None));
        }
        let here = machine.waits(state).then_some((Marks::NONE, Some(state)));
        if !machine.may_leave(state) {
            return Ok(Ways { here, after: None });
        }
        // The ways do not depend on the path to the exit of the node.
        let key = (state.node, track, end);
        let after = match self.until.get(&key) {
            Some(cached) => cached.clone(),
            None => {
                let ways = self.find_ways(state, Some((track, end)))?;
                self.until.entry(key).or_insert(ways.into()).clone()
            }
        };
        Ok(Ways { here, after: Some(after) })
    }

    fn intern(&mut self, marks: &[MarkId]) -> Marks {
        if let Some(&id) = self.ids.get(marks) {
            return id;
        }
        let id = Marks(self.sequences.len() as u32);
        self.sequences.push(marks.into());
        self.ids.insert(marks.into(), id);
        id
    }

    /// Returns one byte for each pair of byte classes of two waiting states, the most readable
    /// first.
    pub fn shared_bytes(&mut self, a: State, b: State) -> Rc<[u8]> {
        if let Some(byte) = self.machine.literal_byte(a).or_else(|| self.machine.literal_byte(b)) {
            return [byte].into();
        }
        let (Some(x), Some(y)) = (self.machine.leaf_of(a), self.machine.leaf_of(b)) else {
            return [].into();
        };
        if let Some((leaves, known)) = &self.last_bytes
            && *leaves == (x, y)
        {
            return known.clone();
        }
        let (p, q) = (&self.machine.leaf(x).dfa, &self.machine.leaf(y).dfa);
        let bytes = self.bytes.entry((x, y)).or_insert_with(|| examples(p, q)).clone();
        self.last_bytes = Some(((x, y), bytes.clone()));
        bytes
    }

    /// Returns one byte for each byte class of a waiting state.
    pub fn next_bytes(&mut self, state: State) -> Rc<[u8]> {
        self.shared_bytes(state, state)
    }

    /// Returns the shortest word of readable bytes from `state` to the end of a key, or the empty
    /// word if none exists.
    pub fn shortest(&self, state: State) -> Vec<u8> {
        let mut word = Vec::new();
        let mut at = state;
        loop {
            let node = self.machine.node(at.node);
            match node.kind {
                NodeKind::Accept(_) => return word,
                NodeKind::Split => {}
                NodeKind::Byte(byte) => word.extend((at.at == 0).then_some(byte)),
                NodeKind::Leaf(_) if at.at == 0 => word.extend(self.machine.simplest_word(at)),
                NodeKind::Leaf(leaf) => {
                    let dfa = &self.machine.leaf(leaf).dfa;
                    let free = self.machine.free(at);
                    match free > 0 && free == dfa.nearest(at.at) {
                        true => word.extend(self.machine.filler(at, free)),
                        false => word.extend(dfa.shortest_from(at.at)),
                    }
                }
            }
            let ways = node.edges.iter().map(|&(_, to)| State { node: to, at: 0 });
            let Some(next) = ways.min_by_key(|&to| self.machine.nearest(to)) else {
                return word;
            };
            at = next;
        }
    }
}

/// Returns a byte for each pair of classes, the most readable first.
fn examples(p: &Arc<Dfa>, q: &Arc<Dfa>) -> Rc<[u8]> {
    if Arc::ptr_eq(p, q) {
        return p.examples().into();
    }
    let (p, q) = (p.classes(), q.classes());
    let mut seen = [ByteSet::EMPTY; 256];
    let mut is_new = |byte: usize| {
        let seen = &mut seen[usize::from(p[byte])];
        let is_new = !seen.contains(q[byte]);
        seen.insert(q[byte]);
        is_new
    };
    preferred_bytes().iter().copied().filter(|&byte| is_new(byte.into())).collect()
}
