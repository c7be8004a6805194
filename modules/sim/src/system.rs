//! What can be simulated.

use keyscape::store::{Layout, Read, Tx};

/// Why a block could not be run as it must.
pub type Fault = Box<dyn std::error::Error + Send + Sync>;

/// How many operations there were.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Tally {
    /// Those that were valid, and were done.
    pub done: u64,
    /// Those that were not, and were refused.
    pub refused: u64,
}

/// A system with operations to draw from a seed, and with invariants.
///
/// `begin` and `block` may depend on their arguments and on what the transaction reads, and on nothing else.
pub trait System {
    /// What it is called: lower-case letters, 32 at most.
    fn name(&self) -> &'static str;

    /// The layouts of its stores.
    fn layouts(&self) -> Vec<&'static Layout<'static>>;

    /// Writes what is there before the first block.
    ///
    /// # Errors
    /// What went wrong.
    fn begin(&self, tx: &mut Tx<'_>, seed: u64) -> Result<(), Fault>;

    /// Runs a block. An operation that was done and should not have been, or the other way round, is an error.
    ///
    /// # Errors
    /// What went wrong.
    fn block(&self, tx: &mut Tx<'_>, seed: u64, height: u64) -> Result<Tally, Fault>;

    /// The invariants that do not hold, in words.
    ///
    /// # Errors
    /// Why that cannot be said.
    fn broken(&self, state: &dyn Read) -> Result<Vec<String>, Fault>;
}
