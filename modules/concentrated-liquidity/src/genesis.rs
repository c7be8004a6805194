//! The check of a state that was imported row by row.

use crate::{
    Error,
    invariants::{self, Broken},
    layout::{
        concentratedliquidity::{
            INCENTIVE_SCALE_FROM, NEXT_INCENTIVE, NEXT_POSITION, SPREAD_SCALE_FROM,
        },
        lockup::NEXT_LOCK,
    },
};
use keyscape::store::Read;

/// The reason why a state is not a valid genesis.
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

/// Checks that the items that operations need exist, and that all invariants hold. Returns the
/// first breach as the error. [`invariants::check`] returns all of them.
///
/// # Errors
/// [`GenesisError`].
pub fn verify(state: &(impl Read + ?Sized)) -> Result<(), GenesisError> {
    if let Some(item) = missing_item(state)? {
        return Err(GenesisError::Missing { item });
    }
    match invariants::check(state)?.into_iter().next() {
        None => Ok(()),
        Some(broken) => Err(GenesisError::Broken(broken)),
    }
}

fn missing_item(state: &(impl Read + ?Sized)) -> Result<Option<&'static str>, Error> {
    let items = [
        ("incentive_scale_from", INCENTIVE_SCALE_FROM.get(state)?.is_some()),
        ("spread_scale_from", SPREAD_SCALE_FROM.get(state)?.is_some()),
        // A counter without a row would issue the id 0, which is reserved.
        ("next_position", NEXT_POSITION.peek(state)? > 0),
        ("next_incentive", NEXT_INCENTIVE.peek(state)? > 0),
        ("next_lock", NEXT_LOCK.peek(state)? > 0),
    ];
    Ok(items.into_iter().find(|(_, is_stored)| !is_stored).map(|(item, _)| item))
}
