//! The trait of simulated systems.

use keyscape::store::{Layout, Read, Tx};

/// The reason why a block failed.
pub type Fault = Box<dyn std::error::Error + Send + Sync>;

/// The number of operations.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Tally {
    /// Valid operations, which were done.
    pub done: u64,
    /// Invalid operations, which were rejected.
    pub refused: u64,
}

/// A system with random operations and invariants.
///
/// `begin` and `block` may depend only on their arguments and on what the transaction reads.
pub trait System {
    /// Returns its name: at most 32 lower-case letters.
    fn name(&self) -> &'static str;

    /// Returns the layouts of its stores.
    fn layouts(&self) -> Vec<&'static Layout<'static>>;

    /// Writes the initial state.
    ///
    /// # Errors
    /// Any failure.
    fn begin(&self, tx: &mut Tx<'_>, seed: u64) -> Result<(), Fault>;

    /// Runs a block. A wrong outcome of an operation is an error.
    ///
    /// # Errors
    /// Any failure.
    fn block(&self, tx: &mut Tx<'_>, seed: u64, height: u64) -> Result<Tally, Fault>;

    /// Returns a description of each violated invariant.
    ///
    /// # Errors
    /// If the invariants cannot be checked.
    fn broken(&self, state: &dyn Read) -> Result<Vec<String>, Fault>;
}
