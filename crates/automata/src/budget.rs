//! Limits on every construction and search.

use core::sync::atomic::{AtomicUsize, Ordering};

/// The limits of a construction or a search.
///
/// States and pairs bound memory; work bounds time. One unit of work is [`STEPS_PER_UNIT`]
/// elementary steps, about 50 ns. A node of a search costs one unit or more.
#[derive(Clone, Copy, Debug)]
pub struct Budget<'t> {
    /// Maximum states of one automaton, deterministic or not.
    pub states: usize,
    /// Maximum units of work of one search, whose nodes are pairs of states for a product.
    pub pairs: usize,
    /// Maximum units of work of one construction.
    pub work: usize,
    /// Units of work that several constructions and searches share.
    pub total: Option<&'t Total>,
}

/// The elementary steps of one unit of work. A step is an element of a subset, a transition or a
/// cell of a table, about 3 ns.
pub const STEPS_PER_UNIT: usize = 16;

impl Default for Budget<'_> {
    fn default() -> Self {
        Self { states: 1 << 16, pairs: 1 << 23, work: 1 << 21, total: None }
    }
}

impl Budget<'_> {
    /// Charges the work of a search in advance. Returns `false`, and charges nothing, if the search
    /// would not reach its end.
    #[must_use]
    pub fn try_take(&self, units: usize) -> bool {
        let left = self.left().unwrap_or(usize::MAX);
        let may = units <= self.pairs.min(u32::MAX as usize) && units <= left;
        may && self.total.is_none_or(|total| total.take(units).is_ok())
    }

    /// Returns the same limits without the total.
    #[must_use]
    pub const fn alone(self) -> Budget<'static> {
        Budget { states: self.states, pairs: self.pairs, work: self.work, total: None }
    }

    /// Returns the units of work that are left of the total, if any.
    #[must_use]
    pub fn left(&self) -> Option<usize> {
        self.total.map(Total::left)
    }
}

/// An amount of work that several constructions and searches share.
///
/// Only one thread draws from a total at a time. The type is `Sync` because holders of a budget
/// must be.
#[derive(Debug)]
pub struct Total {
    what: &'static str,
    limit: usize,
    left: AtomicUsize,
}

impl Total {
    /// Creates a total of `limit` units; `what` names them in [`OverBudget`].
    #[must_use]
    pub const fn new(what: &'static str, limit: usize) -> Self {
        Self { what, limit, left: AtomicUsize::new(limit) }
    }

    /// Charges units.
    ///
    /// # Errors
    /// [`OverBudget`] if fewer are left; none are left then.
    pub fn take(&self, units: usize) -> Result<(), OverBudget> {
        let left = self.left().checked_sub(units);
        self.left.store(left.unwrap_or(0), Ordering::Relaxed);
        match left {
            Some(_) => Ok(()),
            None => Err(self.over()),
        }
    }

    /// Returns the remaining units.
    #[must_use]
    pub fn left(&self) -> usize {
        self.left.load(Ordering::Relaxed)
    }

    /// Returns the charged units.
    #[must_use]
    pub fn spent(&self) -> usize {
        self.limit - self.left()
    }

    /// Returns the error of an exhausted total.
    #[must_use]
    pub const fn over(&self) -> OverBudget {
        OverBudget { what: self.what, limit: self.limit }
    }
}

/// Counts the work of one construction.
#[derive(Debug)]
pub struct Meter<'t> {
    budget: Budget<'t>,
    /// Remaining units of this construction.
    left: usize,
    /// Steps that do not make a whole unit yet.
    steps: usize,
}

/// The steps of the smallest construction, which fills tables by byte.
const STEPS_OF_ANY: usize = 1024;

impl<'t> Meter<'t> {
    /// Starts counting the work of a construction.
    #[must_use]
    pub const fn new(budget: Budget<'t>) -> Self {
        Self { budget, left: budget.work, steps: STEPS_OF_ANY }
    }

    /// Counts elementary steps.
    ///
    /// # Errors
    /// [`OverBudget`] if the construction exceeds its own limit or the shared total.
    #[inline]
    pub fn steps(&mut self, steps: usize) -> Result<(), OverBudget> {
        self.steps = self.steps.saturating_add(steps);
        if self.steps < STEPS_PER_UNIT { Ok(()) } else { self.settle() }
    }

    fn settle(&mut self) -> Result<(), OverBudget> {
        let units = self.steps / STEPS_PER_UNIT;
        self.steps %= STEPS_PER_UNIT;
        if let Some(total) = self.budget.total {
            total.take(units)?;
        }
        let limit = self.budget.work;
        let left = self.left.checked_sub(units);
        self.left = left.ok_or(OverBudget { what: "units of work", limit })?;
        Ok(())
    }

    /// Checks that an automaton may have this many states.
    ///
    /// # Errors
    /// [`OverBudget`] if it may not.
    pub const fn states(&self, states: usize) -> Result<(), OverBudget> {
        let limit = self.budget.states;
        if states > limit {
            return Err(OverBudget { what: "automaton states", limit });
        }
        Ok(())
    }
}

/// A construction or search that reached its [`Budget`]. Callers treat it as a result.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("more than {limit} {what} would be needed")]
pub struct OverBudget {
    /// The quantity that reached its limit.
    pub what: &'static str,
    /// The limit.
    pub limit: usize,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_construction_ends_at_its_own_limit_or_at_the_shared_one() {
        let total = Total::new("units in all", 200);
        let budget = Budget { work: 100, total: Some(&total), ..Budget::default() };
        let mut meter = Meter::new(budget);
        assert_eq!(meter.steps((100 * STEPS_PER_UNIT) - STEPS_OF_ANY), Ok(()));
        assert_eq!(total.spent(), 100);
        let own = OverBudget { what: "units of work", limit: 100 };
        assert_eq!(meter.steps(STEPS_PER_UNIT), Err(own));
        let mut meter = Meter::new(budget);
        let shared = OverBudget { what: "units in all", limit: 200 };
        assert_eq!(meter.steps(100 * STEPS_PER_UNIT), Err(shared));
        assert_eq!(total.left(), 0);
    }
}
