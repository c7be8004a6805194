//! The states of runs, and the transitions between them.

use super::{Machine, MachineLeaf, MarkId, NodeId, NodeKind};
use keyscape_automata::{DEAD, Outgoing};
use std::hash::{Hash, Hasher};

/// The state of a run: a node, and the progress inside it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct State {
    pub(crate) node: NodeId,
    /// The state of a leaf's automaton. For a literal byte, 0 before and 1 after it.
    pub(crate) at: u32,
}

/// Hashes one number, because searches look up states frequently.
impl Hash for State {
    #[inline]
    fn hash<H: Hasher>(&self, hasher: &mut H) {
        hasher.write_u64(u64::from(self.node.0) << 32 | u64::from(self.at));
    }
}

impl State {
    /// Returns the node.
    #[must_use]
    pub const fn node(self) -> NodeId {
        self.node
    }

    /// Returns the progress inside the node, a number that differs between states of one node.
    #[must_use]
    #[inline]
    pub const fn inside(self) -> u32 {
        self.at
    }
}

/// The progress of a run that has read a whole encoding and cannot continue it.
const LEFT: u32 = u32::MAX;

/// A state inside a leaf.
#[derive(Clone, Copy, Debug)]
pub struct Inside<'m> {
    outgoing: Outgoing<'m>,
    node: NodeId,
}

impl Inside<'_> {
    /// Returns the state after `byte`.
    #[must_use]
    #[inline]
    pub fn step(&self, byte: u8) -> Option<State> {
        match self.outgoing.step(byte) {
            DEAD => None,
            at => Some(State { node: self.node, at }),
        }
    }
}

impl Machine {
    /// Returns the state of a run that has read any encoding of its leaf and can only leave the
    /// leaf. The caller must settle it immediately.
    #[must_use]
    pub const fn after_leaf(&self, state: State) -> State {
        State { node: state.node, at: LEFT }
    }

    /// Whether the state is the start of a leaf.
    #[must_use]
    #[inline]
    pub fn is_leaf_start(&self, state: State) -> bool {
        matches!(self.node(state.node).kind, NodeKind::Leaf(_)) && state.at == 0
    }

    /// Returns a state inside a leaf, for steps with many bytes, or `None` if the state is in no
    /// leaf.
    #[must_use]
    #[inline]
    pub fn inside(&self, state: State) -> Option<Inside<'_>> {
        let dfa = &self.leaf(self.leaf_of(state)?).dfa;
        Some(Inside { outgoing: dfa.outgoing(state.at), node: state.node })
    }

    /// Returns the state after `byte`, from a state that waits for a byte.
    #[must_use]
    #[inline]
    pub fn step(&self, state: State, byte: u8) -> Option<State> {
        match self.node(state.node).kind {
            NodeKind::Byte(expected) => {
                (state.at == 0 && expected == byte).then_some(State { node: state.node, at: 1 })
            }
            NodeKind::Leaf(leaf) => match self.leaf(leaf).dfa.step(state.at, byte) {
                DEAD => None,
                at => Some(State { node: state.node, at }),
            },
            NodeKind::Split | NodeKind::Accept(_) => None,
        }
    }

    /// Whether the automaton alone decides about leaving the state: it is in no leaf, or in a leaf
    /// with an exact automaton.
    #[must_use]
    pub fn is_exact_leaf(&self, state: State) -> bool {
        self.leaf_of(state).is_none_or(|leaf| self.leaf(leaf).exact)
    }

    /// Whether `word` is an encoding of the leaf of a state.
    pub(crate) fn decodes(&self, state: State, word: &[u8]) -> bool {
        self.codec_of(state).is_some_and(|codec| codec.decode(word).is_ok())
    }

    /// Whether the state is inside a leaf that may end here.
    #[must_use]
    pub fn may_leave_leaf(&self, state: State) -> bool {
        self.dfa_of(state).is_some_and(|dfa| dfa.is_accepting(state.at))
    }

    /// Returns the byte that a state waits for, if it is a literal.
    #[must_use]
    #[inline]
    pub fn literal_byte(&self, state: State) -> Option<u8> {
        match self.node(state.node).kind {
            NodeKind::Byte(byte) if state.at == 0 => Some(byte),
            _ => None,
        }
    }

    /// Returns the number of steps from a waiting state that accept any byte and neither end nor
    /// branch.
    #[must_use]
    #[inline]
    pub fn free(&self, state: State) -> u32 {
        match self.node(state.node).kind {
            NodeKind::Leaf(leaf) => self.leaf(leaf).dfa.free(state.at),
            _ => 0,
        }
    }

    /// Whether a run may leave the node of a state silently.
    #[inline]
    pub(crate) fn may_leave(&self, state: State) -> bool {
        match self.node(state.node).kind {
            NodeKind::Byte(_) => state.at == 1,
            NodeKind::Leaf(leaf) => state.at == LEFT || self.leaf(leaf).dfa.is_accepting(state.at),
            NodeKind::Split => true,
            NodeKind::Accept(_) => false,
        }
    }

    /// Returns the marks and the target of each silent transition of a state. A state that waits
    /// for a byte can have silent transitions too, if its leaf can end.
    pub(crate) fn exits(&self, state: State) -> impl Iterator<Item = ([Option<MarkId>; 2], State)> {
        let node = self.node(state.node);
        let edges = if self.may_leave(state) { &node.edges[..] } else { &[] };
        edges.iter().map(|&(mark, to)| ([node.exit, mark], self.state_at(to)))
    }

    /// Whether a run that arrives in `state` is lost, because it can neither read the next byte nor
    /// end. May return `false` for a run that is lost later.
    pub(crate) fn is_lost(&self, state: State, ahead: Option<u8>) -> bool {
        match (self.node(state.node).kind, ahead) {
            (NodeKind::Byte(expected), ahead) => state.at == 0 && ahead != Some(expected),
            (NodeKind::Leaf(leaf), ahead) => {
                let dfa = &self.leaf(leaf).dfa;
                let stays = ahead.is_some_and(|byte| dfa.step(state.at, byte) != DEAD);
                !stays && !dfa.is_accepting(state.at)
            }
            (NodeKind::Accept(_), ahead) => ahead.is_some(),
            (NodeKind::Split, _) => false,
        }
    }

    /// Reads bytes inside a leaf as long as only staying in the leaf can read the next byte. The
    /// run must be able to read the first of `bytes`. Returns the new state and the number of bytes
    /// read. At least one byte is left.
    pub(crate) fn glide(&self, state: State, bytes: &[u8]) -> (State, usize) {
        let node = self.node(state.node);
        let (NodeKind::Leaf(leaf), Some((&first, rest))) = (node.kind, bytes.split_first()) else {
            return (state, 0);
        };
        let dfa = &*self.leaf(leaf).dfa;
        let (mut at, mut to, mut read) = (state.at, dfa.step(state.at, first), 0);
        for &ahead in rest {
            if to == DEAD {
                break;
            }
            let then = dfa.step(to, ahead);
            let may_leave = |&(_, next): &(Option<MarkId>, NodeId)| {
                !self.is_lost(State { node: next, at: 0 }, Some(ahead))
            };
            if then == DEAD || dfa.is_accepting(to) && node.edges.iter().any(may_leave) {
                break;
            }
            (at, to, read) = (to, then, read + 1);
        }
        (State { node: state.node, at }, read)
    }

    /// Whether a run that arrives in the state waits there and has no silent transitions.
    #[must_use]
    #[inline]
    pub fn stays(&self, state: State) -> bool {
        match self.node(state.node).kind {
            NodeKind::Byte(_) => state.at == 0,
            NodeKind::Leaf(leaf) => {
                let dfa = &self.leaf(leaf).dfa;
                state.at != LEFT && !dfa.is_accepting(state.at) && dfa.nearest(state.at) != u32::MAX
            }
            NodeKind::Split | NodeKind::Accept(_) => false,
        }
    }

    /// Whether the state waits for a byte. It may be able to end too.
    pub(crate) fn waits(&self, state: State) -> bool {
        match self.node(state.node).kind {
            NodeKind::Byte(_) => state.at == 0,
            NodeKind::Leaf(leaf) => {
                state.at != LEFT && !self.leaf(leaf).dfa.next_bytes_is_empty(state.at)
            }
            NodeKind::Split | NodeKind::Accept(_) => false,
        }
    }

    /// Returns `count` bytes for a state that accepts any bytes. If the whole leaf accepts any
    /// bytes of its length, these are bytes of the simplest word, which makes integers small.
    /// Otherwise they are letters.
    #[must_use]
    pub fn filler(&self, state: State, count: u32) -> Vec<u8> {
        let rest = self.leaf_of(state).and_then(|leaf| {
            let MachineLeaf { dfa, simplest, .. } = self.leaf(leaf);
            let is_free = dfa.free(dfa.start()) as usize == simplest.len();
            let from = simplest.len().checked_sub(dfa.free(state.at) as usize)?;
            let rest = simplest.get(from..from + count as usize)?;
            is_free.then(|| rest.to_vec())
        });
        rest.unwrap_or_else(|| vec![b'a'; count as usize])
    }

    /// Whether a state is in a leaf of integers.
    #[must_use]
    pub fn is_integer(&self, state: State) -> bool {
        self.leaf_of(state).is_some_and(|leaf| self.leaf(leaf).codec.integers().is_some())
    }
}
