//! Shortest keys of a minimal length, from the possible lengths of each part of a key.

use super::{Machine, MachineLeaf, NodeId, NodeKind, ROOT, Side};
use keyscape_automata::{Budget, Lengths, Meter, OverBudget};

/// The length of the longest key to construct. Longer keys are expensive to replay and do not help
/// a reader.
pub const LONGEST_SPELLED: usize = 1 << 16;

impl Machine {
    /// Returns a shortest key of at least `least` bytes, or `None` if all keys are shorter.
    ///
    /// If the automaton of a codec is not exact, its words are replaced by encodings of the same
    /// length, if the codec provides one. The caller must decode the key.
    ///
    /// # Errors
    /// [`OverBudget`] if there are too many progressions of lengths, or the key is too long to
    /// construct.
    pub fn key_of_length(
        &self,
        least: usize,
        budget: Budget,
    ) -> Result<Option<Vec<u8>>, OverBudget> {
        let mut long = LongKeys::new(self, least as u64, budget)?;
        let Some(total) = long.least() else { return Ok(None) };
        if total > LONGEST_SPELLED as u64 {
            return Err(OverBudget { what: "bytes of a key", limit: LONGEST_SPELLED });
        }
        long.spell(total).map(Some)
    }

    /// Returns the length of the shortest key of at least `least` bytes, or `None` if all are
    /// shorter.
    ///
    /// # Errors
    /// [`OverBudget`] if there are too many progressions of lengths.
    pub fn least_length(&self, least: usize, budget: Budget) -> Result<Option<usize>, OverBudget> {
        let total = LongKeys::new(self, least as u64, budget)?.least();
        Ok(total.map(|total| usize::try_from(total).unwrap_or(usize::MAX)))
    }
}

struct LongKeys<'a, 't> {
    machine: &'a Machine,
    budget: Budget<'t>,
    meter: Meter<'t>,
    /// The lengths of the words of each leaf.
    leaves: Vec<Lengths>,
    /// The lengths of the paths after each node.
    after: Vec<Lengths>,
    zero: Lengths,
    one: Lengths,
}

impl<'a, 't> LongKeys<'a, 't> {
    fn new(machine: &'a Machine, cap: u64, budget: Budget<'t>) -> Result<Self, OverBudget> {
        let mut meter = Meter::new(budget);
        let mut leaves = Vec::with_capacity(machine.leaves.len());
        for leaf in &machine.leaves {
            let longest = leaf.codec.longest().map(|longest| longest as u64);
            let lengths = leaf.dfa.lengths(longest, cap, budget)?;
            leaves.push(match (leaf.exact, machine.side) {
                (true, _) | (false, Side::Over) => lengths,
                // The lower automaton has few words. The codec may report more lengths.
                (false, Side::Under) => {
                    lengths.union(&leaf.codec.lengths(cap, budget)?, &mut meter)?
                }
            });
        }
        let mut this = Self {
            machine,
            budget,
            meter,
            leaves,
            after: vec![Lengths::none(cap); machine.nodes.len()],
            zero: Lengths::one(0, cap),
            one: Lengths::one(1, cap),
        };
        this.find_after()?;
        Ok(this)
    }

    /// Returns the least length at or above the cap.
    fn least(&self) -> Option<u64> {
        self.after[ROOT.0 as usize].reaching()
    }

    /// Computes the lengths after each node.
    fn find_after(&mut self) -> Result<(), OverBudget> {
        for id in self.machine.ends_first() {
            let mut after = self.after[id.index()].clone();
            for &(_, to) in &self.machine.node(id).edges {
                let from = self.from(to)?;
                after = after.union(&from, &mut self.meter)?;
            }
            self.after[id.index()] = after;
        }
        Ok(())
    }

    /// Returns the lengths of the paths from a node.
    fn from(&mut self, id: NodeId) -> Result<Lengths, OverBudget> {
        if let NodeKind::Accept(_) = self.machine.node(id).kind {
            return Ok(self.zero.clone());
        }
        let Self { machine, leaves, zero, one, after, meter, .. } = self;
        inside(machine, id, leaves, zero, one).plus(&after[id.index()], meter)
    }

    /// Constructs a key of `total` bytes in which earlier parts are as long as possible.
    fn spell(&mut self, total: u64) -> Result<Vec<u8>, OverBudget> {
        let mut key = Vec::with_capacity(total as usize);
        let mut at = ROOT;
        let mut left = total;
        loop {
            let Self { machine, leaves, zero, one, after, meter, .. } = self;
            let node = machine.node(at);
            let own = inside(machine, at, leaves, zero, one);
            let Some(length) = own.longest_part(left, &after[at.index()], meter)? else {
                // Only the end of a key has no path.
                return Ok(key);
            };
            match node.kind {
                NodeKind::Byte(byte) => key.push(byte),
                NodeKind::Leaf(leaf) => {
                    key.extend(self.word(self.machine.leaf(leaf), length as usize)?);
                }
                NodeKind::Split | NodeKind::Accept(_) => {}
            }
            left -= length;
            let mut ways = node.edges.iter().map(|&(_, to)| to);
            let next = ways.find_map(|to| match self.from(to) {
                Ok(lengths) => lengths.contains(left).then_some(Ok(to)),
                Err(over) => Some(Err(over)),
            });
            match next {
                Some(to) => at = to?,
                None => return Ok(key),
            }
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

/// Returns the lengths of the words of a node.
fn inside<'l>(
    machine: &Machine,
    id: NodeId,
    leaves: &'l [Lengths],
    zero: &'l Lengths,
    one: &'l Lengths,
) -> &'l Lengths {
    match machine.node(id).kind {
        NodeKind::Byte(_) => one,
        NodeKind::Leaf(leaf) => &leaves[leaf as usize],
        NodeKind::Split | NodeKind::Accept(_) => zero,
    }
}
