//! The number of bytes from a state to the end of a key.

use super::{Machine, NodeId, NodeKind, ROOT, State};

/// The lowest and the highest number of bytes to the end of a key. `u64::MAX` means unbounded.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Ahead {
    /// The lowest number.
    pub min: u64,
    /// The highest number.
    pub max: u64,
}

impl Ahead {
    const NONE: Self = Self { min: 0, max: 0 };

    /// Whether two runs may end after the same number of bytes.
    #[must_use]
    #[inline]
    pub const fn meets(self, other: Self) -> bool {
        self.min <= other.max && other.min <= self.max
    }

    const fn after(self, before: Self) -> Self {
        let min = self.min.saturating_add(before.min);
        Self { min, max: self.max.saturating_add(before.max) }
    }
}

/// Converts a length inside a leaf.
#[inline]
fn length(length: u32) -> u64 {
    if length == u32::MAX { u64::MAX } else { length.into() }
}

impl Machine {
    /// Returns the length of the shortest path from a state to the end of a key, or `u64::MAX` if
    /// none exists.
    #[must_use]
    #[inline]
    pub fn nearest(&self, state: State) -> u64 {
        let inside = match self.node(state.node).kind {
            NodeKind::Leaf(leaf) => length(self.leaf(leaf).dfa.nearest(state.at)),
            NodeKind::Byte(_) => u64::from(state.at == 0),
            NodeKind::Split | NodeKind::Accept(_) => 0,
        };
        self.after[state.node.index()].min.saturating_add(inside)
    }

    /// Returns the number of bytes from a state to the end of a key. The run waits for a byte, or
    /// has ended. `min` is exact.
    #[must_use]
    #[inline]
    pub fn ahead(&self, state: State) -> Ahead {
        let rest = self.after[state.node.index()];
        match self.node(state.node).kind {
            NodeKind::Byte(_) if state.at == 0 => rest.after(Ahead { min: 1, max: 1 }),
            NodeKind::Byte(_) | NodeKind::Split | NodeKind::Accept(_) => rest,
            NodeKind::Leaf(leaf) => {
                let dfa = &self.leaf(leaf).dfa;
                let (min, max) = (dfa.onward(state.at), dfa.farthest(state.at));
                rest.after(Ahead { min: length(min), max: length(max) })
            }
        }
    }

    /// Computes the number of bytes after each node.
    pub(super) fn look_ahead(&mut self) {
        // No key ends after a node without a known number.
        let mut known = vec![Ahead { min: u64::MAX, max: u64::MAX }; self.nodes.len()];
        for id in self.ends_first() {
            let node = self.node(id);
            let ways = node.edges.iter().map(|&(_, to)| {
                let inside = match self.node(to).kind {
                    NodeKind::Byte(_) => Ahead { min: 1, max: 1 },
                    NodeKind::Leaf(leaf) => {
                        let dfa = &self.leaf(leaf).dfa;
                        let (min, max) = (dfa.nearest(0), dfa.farthest(0));
                        Ahead { min: length(min), max: length(max) }
                    }
                    NodeKind::Split | NodeKind::Accept(_) => Ahead::NONE,
                };
                known[to.index()].after(inside)
            });
            let rest = ways.reduce(|a, b| Ahead { min: a.min.min(b.min), max: a.max.max(b.max) });
            let is_end = matches!(node.kind, NodeKind::Accept(_));
            if let Some(rest) = rest.or(is_end.then_some(Ahead::NONE)) {
                known[id.index()] = rest;
            }
        }
        self.after = known;
    }

    /// Returns the length of the longest key, or `None` if it is unbounded.
    #[must_use]
    pub fn longest(&self) -> Option<usize> {
        let mut known = vec![Some(0); self.nodes.len()];
        for id in self.ends_first() {
            let node = self.node(id);
            let inside = match node.kind {
                NodeKind::Byte(_) => Some(1),
                NodeKind::Leaf(leaf) => self.leaf(leaf).codec.longest(),
                NodeKind::Split | NodeKind::Accept(_) => Some(0),
            };
            let rest = node.edges.iter().map(|(_, to)| known[to.index()]);
            let rest = rest.reduce(|a, b| a.zip(b).map(|(a, b)| a.max(b))).unwrap_or(Some(0));
            known[id.index()] = inside.zip(rest).map(|(inside, rest)| inside + rest);
        }
        known[ROOT.index()]
    }

    /// Returns all nodes in an order in which the next nodes of a node precede it. The graph is
    /// acyclic, but edges lead to earlier and later nodes. Keys can be long, so this function must
    /// not recurse.
    pub(super) fn ends_first(&self) -> Vec<NodeId> {
        let mut order = Vec::with_capacity(self.nodes.len());
        let mut is_done = vec![false; self.nodes.len()];
        let mut stack: Vec<NodeId> = (0..self.nodes.len() as u32).map(NodeId).collect();
        while let Some(&id) = stack.last() {
            let open = self.node(id).edges.iter().find(|(_, to)| !is_done[to.index()]);
            if let Some(&(_, to)) = open {
                stack.push(to);
                continue;
            }
            stack.pop();
            if !std::mem::replace(&mut is_done[id.index()], true) {
                order.push(id);
            }
        }
        order
    }
}
