//! Shortest keys of a minimal length, from the possible lengths of each part of a key.

use super::{Machine, MachineLeaf, NodeId, NodeKind, ROOT, Side};
use keyscape_automata::{Budget, Lengths, Meter, OverBudget};

/// The length of the longest key to construct. Longer keys are expensive to replay and do not help
/// a reader.
pub const LONGEST_SPELLED: usize = 1 << 16;

impl Machine {
    /// Returns a shortest key of at least `min` bytes, or `None` if all keys are shorter.
    ///
    /// If the automaton of a codec is not exact, its words are replaced by encodings of the same
    /// length, if the codec provides one. The caller must decode the key.
    ///
    /// # Errors
    /// [`OverBudget`] if there are too many progressions of lengths, or the key is too long to
    /// construct.
    pub fn key_of_length(&self, min: usize, budget: Budget) -> Result<Option<Vec<u8>>, OverBudget> {
        let mut meter = Meter::new(budget);
        let long = LongKeys::new(self, min as u64, budget, &mut meter)?;
        let Some(total) = long.min_length() else { return Ok(None) };
        if total > LONGEST_SPELLED as u64 {
            return Err(OverBudget { what: "bytes of a key", limit: LONGEST_SPELLED });
        }
        long.spell(total, &mut meter).map(Some)
    }

    /// Returns the length of the shortest key of at least `min` bytes, or `None` if all are
    /// shorter.
    ///
    /// # Errors
    /// [`OverBudget`] if there are too many progressions of lengths.
    pub fn least_length(&self, min: usize, budget: Budget) -> Result<Option<usize>, OverBudget> {
        let long = LongKeys::new(self, min as u64, budget, &mut Meter::new(budget))?;
        Ok(long.min_length().map(|total| usize::try_from(total).unwrap_or(usize::MAX)))
    }
}

struct LongKeys<'a, 't> {
    machine: &'a Machine,
    budget: Budget<'t>,
    /// The lengths of the words of each leaf.
    leaves: Vec<Lengths>,
    /// The lengths of the paths after each node.
    after: Vec<Lengths>,
    zero: Lengths,
    one: Lengths,
}

impl<'a, 't> LongKeys<'a, 't> {
    fn new(
        machine: &'a Machine,
        cap: u64,
        budget: Budget<'t>,
        meter: &mut Meter<'t>,
    ) -> Result<Self, OverBudget> {
        let mut leaves = Vec::with_capacity(machine.leaves.len());
        for leaf in &machine.leaves {
            let longest = leaf.codec.longest().map(|longest| longest as u64);
            let lengths = leaf.dfa.lengths(longest, cap, budget)?;
            leaves.push(match (leaf.exact, machine.side) {
                (true, _) | (false, Side::Over) => lengths,
                // The lower automaton has few words. The codec may report more lengths.
                (false, Side::Under) => lengths.union(&leaf.codec.lengths(cap, budget)?, meter)?,
            });
        }
        let after = vec![Lengths::none(cap); machine.nodes.len()];
        let (zero, one) = (Lengths::one(0, cap), Lengths::one(1, cap));
        let mut this = Self { machine, budget, leaves, after, zero, one };
        for id in machine.ends_first() {
            let mut after = Lengths::none(cap);
            for &(_, to) in &machine.node(id).edges {
                after = after.union(&this.from(to, meter)?, meter)?;
            }
            this.after[id.index()] = after;
        }
        Ok(this)
    }

    /// Returns the smallest length at or above the cap.
    fn min_length(&self) -> Option<u64> {
        self.after[ROOT.index()].reaching()
    }

    /// Returns the lengths of the words of a node.
    fn inside(&self, id: NodeId) -> &Lengths {
        match self.machine.node(id).kind {
            NodeKind::Byte(_) => &self.one,
            NodeKind::Leaf(leaf) => &self.leaves[leaf as usize],
            NodeKind::Split | NodeKind::Accept(_) => &self.zero,
        }
    }

    /// Returns the lengths of the paths from a node.
    fn from(&self, id: NodeId, meter: &mut Meter<'t>) -> Result<Lengths, OverBudget> {
        if let NodeKind::Accept(_) = self.machine.node(id).kind {
            return Ok(self.zero.clone());
        }
        self.inside(id).plus(&self.after[id.index()], meter)
    }

    /// Constructs a key of `total` bytes in which earlier parts are as long as possible.
    fn spell(&self, total: u64, meter: &mut Meter<'t>) -> Result<Vec<u8>, OverBudget> {
        let mut key = Vec::with_capacity(total as usize);
        let (mut at, mut left) = (ROOT, total);
        loop {
            let node = self.machine.node(at);
            let longest = self.inside(at).longest_part(left, &self.after[at.index()], meter)?;
            // Only the end of a key has no path.
            let Some(length) = longest else { return Ok(key) };
            match node.kind {
                NodeKind::Byte(byte) => key.push(byte),
                NodeKind::Leaf(leaf) => {
                    key.extend(self.word(self.machine.leaf(leaf), length as usize)?);
                }
                NodeKind::Split | NodeKind::Accept(_) => {}
            }
            left -= length;
            let mut next = None;
            for &(_, to) in &node.edges {
                if self.from(to, meter)?.contains(left) {
                    next = Some(to);
                    break;
                }
            }
            let Some(to) = next else { return Ok(key) };
            at = to;
        }
    }

    fn word(&self, leaf: &MachineLeaf, length: usize) -> Result<Vec<u8>, OverBudget> {
        if !leaf.exact
            && let Some(word) = leaf.codec.of_length(length, self.budget)?
        {
            return Ok(word);
        }
        Ok(leaf.dfa.word_of_length(length, self.budget)?.unwrap_or_default())
    }
}
