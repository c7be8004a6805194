//! The conditions that an imported state must satisfy.

use crate::{
    Error,
    invariants::{self, Broken},
};
use keyscape::store::Read;

/// The reason why a state is not a valid genesis.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum GenesisError {
    /// An invariant does not hold.
    #[error("{0}")]
    Broken(Broken),
    /// The state could not be read.
    #[error(transparent)]
    Access(#[from] Error),
}

/// Checks that all invariants hold. Returns the first violation as the error; [`invariants::check`]
/// returns all of them.
///
/// # Errors
/// [`GenesisError`].
pub fn verify(state: &(impl Read + ?Sized)) -> Result<(), GenesisError> {
    match invariants::check(state)?.into_iter().next() {
        None => Ok(()),
        Some(broken) => Err(GenesisError::Broken(broken)),
    }
}
