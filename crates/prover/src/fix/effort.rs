//! The budget of the search for fixes.
//!
//! The budget counts work instead of time, so a layout has the same fixes on every machine.

use keyscape_automata::Total;
use std::rc::Rc;

/// The units of work for all changed layouts together, and for one claim. They cover construction,
/// searches, and parsing.
const WORK: usize = 1 << 22;
const WORK_OF_CLAIM: usize = 1 << 21;

/// The remaining budget.
pub(super) struct Effort {
    pub(super) total: Rc<Total>,
}

impl Effort {
    /// Creates the budget of all claims of a layout.
    pub(super) fn of_layout() -> Self {
        Self::new(WORK)
    }

    /// Creates the budget of one claim from the remaining budget of the layout.
    pub(super) fn of_claim(&self) -> Self {
        Self::new(self.total.left().min(WORK_OF_CLAIM))
    }

    fn new(units: usize) -> Self {
        Self { total: Rc::new(Total::new("search nodes for fixes", units)) }
    }

    /// Whether the budget is exhausted.
    pub(super) fn is_spent(&self) -> bool {
        self.total.left() == 0
    }

    /// Charges the work of one claim.
    pub(super) fn spend(&self, claim: &Self) {
        // The budget of a claim never exceeds the remaining budget.
        let _ = self.total.take(claim.total.spent());
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_a_claim_spends_is_missing_for_the_next() {
        let layout = Effort::of_layout();
        for _ in 0..WORK / WORK_OF_CLAIM {
            let claim = layout.of_claim();
            assert!(claim.total.take(WORK_OF_CLAIM - 1).is_ok() && !claim.is_spent());
            assert!(claim.total.take(2).is_err() && claim.is_spent());
            layout.spend(&claim);
        }
        assert!(layout.is_spent() && layout.of_claim().total.take(1).is_err());
    }
}
