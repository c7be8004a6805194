//! The states of runs.

use super::NodeId;
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
pub(super) const LEFT: u32 = u32::MAX;

/// A state inside a leaf.
#[derive(Clone, Copy, Debug)]
pub struct Inside<'m> {
    pub(super) outgoing: Outgoing<'m>,
    pub(super) node: NodeId,
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
