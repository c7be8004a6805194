//! The check of a state that was imported row by row.

use crate::{
    Error,
    invariants::{self, Broken},
    layout::concentratedliquidity::{INCENTIVE_SCALE_FROM, SPREAD_SCALE_FROM},
};
use keyscape::store::Read;

/// Why a state cannot be the first one.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum GenesisError {
    /// An item that operations need is missing.
    #[error("`{item}` is missing")]
    Missing {
        /// The item.
        item: &'static str,
    },
    /// An invariant does not hold.
    #[error("{0}")]
    Broken(Broken),
    /// The state could not be read.
    #[error(transparent)]
    Access(#[from] Error),
}

/// Checks that the module can work on a state: the items that operations need exist, and all invariants
/// hold. The first breach is the error; [`invariants::check`] returns all of them.
///
/// # Errors
/// [`GenesisError`].
pub fn verify(state: &(impl Read + ?Sized)) -> Result<(), GenesisError> {
    for (item, found) in [
        ("incentive_scale_from", INCENTIVE_SCALE_FROM.get(state).map_err(Error::from)?),
        ("spread_scale_from", SPREAD_SCALE_FROM.get(state).map_err(Error::from)?),
    ] {
        if found.is_none() {
            return Err(GenesisError::Missing { item });
        }
    }
    match invariants::check(state)?.into_iter().next() {
        None => Ok(()),
        Some(broken) => Err(GenesisError::Broken(broken)),
    }
}
