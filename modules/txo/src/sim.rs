//! A simulation.
use crate::error::Error;
use keyscape::store::Tx;

/// What a block did.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Tally {
    /// Operations that were done.
    pub done: u64,
    /// Operations that were refused, as they had to be.
    pub refused: u64,
}

/// A promise was broken.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum SimError {
    /// A valid operation was refused, or the store failed.
    #[error(transparent)]
    Operation(#[from] Error),
}

/// The state before the first block.
///
/// # Errors
/// [`SimError`].
pub fn begin(_tx: &mut Tx<'_>, _seed: u64) -> Result<(), SimError> {
    Ok(())
}

/// One block of random operations.
///
/// # Errors
/// [`SimError`].
pub fn block(_tx: &mut Tx<'_>, _seed: u64, _height: u64) -> Result<Tally, SimError> {
    Ok(Tally::default())
}
