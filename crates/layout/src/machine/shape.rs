//! The part of a machine that searches depend on.

use super::{Machine, NodeId, NodeKind, ROOT, TrackId};
use std::sync::Arc;

/// The part of a machine that searches depend on: searches over two machines of one side with equal
/// shapes have equal answers. Names and places of fields are not part of it.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Shape {
    /// The nodes as numbers; each node encodes its own end.
    nodes: Vec<u32>,
    /// The codecs of the leaves; codecs of one text have one language.
    leaves: Vec<Arc<str>>,
}

impl Shape {
    /// Returns its size in words.
    #[must_use]
    pub fn size(&self) -> usize {
        self.nodes.len() + self.leaves.len()
    }
}

impl Machine {
    /// Returns the shape of the machine.
    #[must_use]
    pub fn shape(&self) -> Shape {
        self.shape_behind(0)
    }

    /// The literal bytes with which every key of the machine begins, and what searches see behind
    /// them.
    ///
    /// Two machines with the same shape behind their literals differ only in these: in how many there
    /// are, if there are any, and which. All runs take them first, one after the other, and nothing
    /// else leads to their nodes. So a search that begins with all runs together goes through one node
    /// for each of them and then does the same, at a cost that is higher by their number; and what it
    /// spells begins with them. Numbers of nodes are smaller by one number for all that follow, so
    /// that they compare as they did.
    ///
    /// Whether there are any is seen: what follows them has been stepped to, what stands first has not.
    #[must_use]
    pub fn shape_behind_literal(&self) -> (Vec<u8>, Shape) {
        let mut literal = Vec::new();
        let mut at = ROOT;
        while let [(None, next)] = self.node(at).edges[..]
            && next.index() == literal.len() + 1
            && let NodeKind::Byte(byte) = self.node(next).kind
        {
            literal.push(byte);
            at = next;
        }
        let shape = self.shape_behind(literal.len());
        (literal, shape)
    }

    /// The same where the first literal bytes, each of which leads to the next one alone, are one
    /// node that does not say which byte it is.
    fn shape_behind(&self, literals: usize) -> Shape {
        // Marks are told apart by their numbers; no mark has the number 0 here.
        let number = |index: Option<u32>| index.map_or(0, |index| index + 1);
        let left_out = literals.saturating_sub(1);
        let id = |to: NodeId| match to.index() {
            to if to <= literals => to.min(1) as u32,
            to => (to - left_out) as u32,
        };
        let mut nodes = Vec::with_capacity(self.nodes.len() * 6);
        for (index, node) in self.nodes.iter().enumerate() {
            if (1..=left_out).contains(&index) {
                continue;
            }
            let (kind, of) = match node.kind {
                NodeKind::Byte(_) if (1..=literals).contains(&index) => (4, 0),
                NodeKind::Byte(byte) => (0, u32::from(byte)),
                NodeKind::Leaf(leaf) => (1, leaf),
                NodeKind::Split => (2, 0),
                NodeKind::Accept(TrackId(track)) => (3, track),
            };
            let exit = number(node.exit.map(|mark| mark.0));
            let owner = number(node.owner.map(|track| track.0));
            nodes.extend([kind, of, exit, owner, node.edges.len() as u32]);
            for &(mark, to) in &node.edges {
                nodes.extend([number(mark.map(|mark| mark.0)), id(to)]);
            }
        }
        Shape { nodes, leaves: self.leaves.iter().map(|leaf| leaf.text.clone()).collect() }
    }
}
