//! What searches see of a machine.

use super::{Machine, NodeKind, TrackId};
use std::sync::Arc;

/// What of a machine a search over it can see: two machines of one side with equal shapes have equal
/// searches, with equal answers. Names and places of fields are not seen.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Shape {
    /// The nodes, each told by numbers that say where it ends.
    nodes: Vec<u32>,
    /// The codecs of the leaves; codecs of one text have one language.
    leaves: Vec<Arc<str>>,
}

impl Shape {
    /// How much it takes, in words.
    #[must_use]
    pub fn size(&self) -> usize {
        self.nodes.len() + self.leaves.len()
    }
}

impl Machine {
    /// What searches see of the machine.
    #[must_use]
    pub fn shape(&self) -> Shape {
        // Marks are told apart by their numbers; no mark has the number 0 here.
        let number = |index: Option<u32>| index.map_or(0, |index| index + 1);
        let mut nodes = Vec::with_capacity(self.nodes.len() * 6);
        for node in &self.nodes {
            let (kind, of) = match node.kind {
                NodeKind::Byte(byte) => (0, u32::from(byte)),
                NodeKind::Leaf(leaf) => (1, leaf),
                NodeKind::Split => (2, 0),
                NodeKind::Accept(TrackId(track)) => (3, track),
            };
            let exit = number(node.exit.map(|mark| mark.0));
            let owner = number(node.owner.map(|track| track.0));
            nodes.extend([kind, of, exit, owner, node.edges.len() as u32]);
            for &(mark, to) in &node.edges {
                nodes.extend([number(mark.map(|mark| mark.0)), to.0]);
            }
        }
        Shape { nodes, leaves: self.leaves.iter().map(|leaf| leaf.text.clone()).collect() }
    }
}
