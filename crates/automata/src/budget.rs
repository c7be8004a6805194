//! Limits on every construction.

/// How much a construction or a search may grow before it gives up.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Budget {
    /// States of one automaton, deterministic or not.
    pub states: usize,
    /// Nodes of one search (pairs of states, for a product).
    pub pairs: usize,
}

impl Default for Budget {
    fn default() -> Self {
        Self { states: 1 << 16, pairs: 1 << 22 }
    }
}

/// A construction reached its [`Budget`]. This is an answer, not a failure of the program.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("more than {limit} {what} would be needed")]
pub struct OverBudget {
    /// What there would have been too many of.
    pub what: &'static str,
    /// The limit that was reached.
    pub limit: usize,
}
