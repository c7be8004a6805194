//! The part of an automaton that searches depend on.

use super::{Machine, NodeId, NodeKind, ROOT, TrackId};
use std::sync::Arc;

/// The part of an automaton that searches depend on. Searches over two automata of the same side
/// with equal shapes have equal results. A shape does not contain names or places of fields.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Shape {
    /// The nodes as numbers. The encoding of each node contains its length.
    nodes: Vec<u32>,
    /// The codecs of the leaves. Codecs with the same text have the same language.
    leaves: Vec<Arc<str>>,
}

impl Shape {
    /// Returns the size of the shape in words.
    #[must_use]
    pub fn size(&self) -> usize {
        self.nodes.len() + self.leaves.len()
    }
}

impl Machine {
    /// Returns the shape of the automaton.
    #[must_use]
    pub fn shape(&self) -> Shape {
        self.shape_after(0)
    }

    /// Returns the literal prefix of all keys of the automaton, and the shape after it.
    ///
    /// Two automata with the same shape after their prefixes differ only in these prefixes, if both
    /// have one. All runs read the prefix first, and no other transition leads to its nodes. A
    /// search in which all runs start together visits one node per byte of the prefix and then
    /// continues identically. Its cost is higher by the length of the prefix, and its words begin
    /// with the prefix. The indices of all later nodes are shifted by the same number, so their
    /// order is unchanged.
    ///
    /// The shape records whether a prefix exists, because a search reaches the nodes after a prefix
    /// by a step, and the first nodes without a step.
    #[must_use]
    pub fn shape_after_literal(&self) -> (Vec<u8>, Shape) {
        let mut literal = Vec::new();
        let mut at = ROOT;
        while let [(None, next)] = self.node(at).edges[..]
            && next.index() == literal.len() + 1
            && let NodeKind::Byte(byte) = self.node(next).kind
        {
            literal.push(byte);
            at = next;
        }
        let shape = self.shape_after(literal.len());
        (literal, shape)
    }

    /// Returns the shape with the first literal bytes replaced by one node without a byte. Each of
    /// these bytes must have only the next one as its successor.
    fn shape_after(&self, literals: usize) -> Shape {
        // Number 0 means no mark.
        let number = |index: Option<u32>| index.map_or(0, |index| index + 1);
        let omitted = literals.saturating_sub(1);
        let id = |to: NodeId| match to.index() {
            to if to <= literals => to.min(1) as u32,
            to => (to - omitted) as u32,
        };
        let mut nodes = Vec::with_capacity(self.nodes.len() * 6);
        for (index, node) in self.nodes.iter().enumerate() {
            if (1..=omitted).contains(&index) {
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
