//! A simulation.

use crate::{Error, Permission, keeper};
use keyscape::store::Tx;

/// What a block did.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Tally {
    /// Operations that were done.
    pub done: u64,
    /// Operations that were refused, as they should be.
    pub refused: u64,
}

/// The bank did what it must not.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum SimError {
    /// The bank failed.
    #[error(transparent)]
    Bank(#[from] Error),
}

impl From<keyscape::store::StoreError> for SimError {
    fn from(error: keyscape::store::StoreError) -> SimError {
        SimError::Bank(error.into())
    }
}

/// The state before the first block.
///
/// # Errors
/// What the bank reports.
pub fn begin(tx: &mut Tx<'_>, _seed: u64) -> Result<(), SimError> {
    keeper::create_module_account(tx, "mint", &[Permission::Minter])?;
    Ok(())
}

/// One block.
///
/// # Errors
/// [`SimError`].
pub fn block(_tx: &mut Tx<'_>, _seed: u64, _height: u64) -> Result<Tally, SimError> {
    Ok(Tally::default())
}
