//! What looking for fixes may cost.
//!
//! Nothing here reads a clock: a layout has the same fixes wherever it is checked.

use crate::context::Totals;
use keyscape_automata::search::{Limit, Total};
use keyscape_codec::Language;
use keyscape_layout::model::{Segment, Type};

/// How many search nodes all changed layouts may need together, and those for one claim.
const NODES: usize = 1 << 23;
const NODES_OF_CLAIM: usize = 1 << 21;

/// How much may be read again, by all changed layouts together and by those for one claim: bytes of
/// text, and steps of automata.
const READ: usize = 1 << 26;
const READ_OF_CLAIM: usize = 1 << 24;

/// What may still be spent.
pub(super) struct Effort {
    /// For searches.
    pub(super) nodes: Totals,
    read: Total,
    /// What there was at first.
    given: Spent,
}

/// Search nodes, and what was read.
type Spent = (usize, usize);

impl Effort {
    /// For all claims of a layout.
    pub(super) fn of_layout() -> Self {
        Self::new((NODES, READ))
    }

    /// For one claim of the layout that has this much left.
    pub(super) fn of_claim(&self) -> Self {
        let (nodes, read) = self.left();
        Self::new((nodes.min(NODES_OF_CLAIM), read.min(READ_OF_CLAIM)))
    }

    fn new((nodes, read): Spent) -> Self {
        Self {
            nodes: [Total::new("search nodes for fixes", nodes)].into(),
            read: Total::new("steps of layouts with fixes", read),
            given: (nodes, read),
        }
    }

    fn left(&self) -> Spent {
        let left = |total| Limit { nodes: 0, total: Some(total) }.left().unwrap_or(0);
        (self.nodes.first().map_or(0, left), left(&self.read))
    }

    /// Whether one of both has come to its end.
    pub(super) fn is_spent(&self) -> bool {
        let (nodes, read) = self.left();
        nodes == 0 || read == 0
    }

    /// Takes what one claim has spent.
    pub(super) fn spend(&self, claim: &Self) {
        let (nodes, read) = claim.left();
        // A claim is given no more than there is, so both are there.
        let _ = self.nodes.first().map(|total| total.take(claim.given.0.saturating_sub(nodes)));
        let _ = self.read.take(claim.given.1.saturating_sub(read));
    }

    /// Takes what reading costs; whether it was there.
    pub(super) fn read(&self, steps: usize) -> bool {
        self.read.take(steps).is_ok()
    }
}

/// The steps of the automata in some segments.
pub(super) fn steps(segments: &[Segment]) -> usize {
    let of = |segment: &Segment| match segment {
        Segment::Literal(_) | Segment::Derived(_) => 0,
        Segment::Option(option) => steps(&option.segments),
        Segment::Field(field) => steps_of_type(&field.ty),
    };
    segments.iter().map(of).sum()
}

fn steps_of_type(ty: &Type) -> usize {
    match ty {
        Type::Leaf(leaf) => match &leaf.language {
            Language::Exact(dfa) | Language::Between { over: dfa, .. } => dfa.size(),
        },
        Type::Enum(_) => 0,
        Type::List(list) => steps_of_type(&list.element),
        Type::Composite(segments) => steps(segments),
        Type::Variant(arms) => arms.iter().map(|arm| steps(&arm.segments)).sum(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_a_claim_spends_is_missing_for_the_next() {
        let layout = Effort::of_layout();
        for _ in 0..READ / READ_OF_CLAIM {
            let claim = layout.of_claim();
            assert!(claim.read(READ_OF_CLAIM - 1) && !claim.is_spent());
            assert!(!claim.read(2) && claim.is_spent());
            layout.spend(&claim);
        }
        assert!(layout.is_spent() && !layout.of_claim().read(1));
    }
}
