//! The conditions on an initial state.
//!
//! A state is exported and imported row by row with `keyscape export` and `keyscape import`. It
//! contains the rows of both stores. Without the rows of `txo_undo`, the state is complete, but no
//! confirmed transaction can be rolled back: a rollback before the first block that begins is
//! [`TooDeep`](Error::TooDeep), and its transactions are [`Final`](Error::Final).

use crate::{
    error::Error,
    invariants::{self, Broken},
};
use keyscape::store::Read;

/// The reason why a state is not a valid genesis.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum GenesisError {
    /// Invariants do not hold.
    #[error("{first} ({more} more of the kind)")]
    Broken {
        /// The first violation.
        first: Broken,
        /// The number of further violations.
        more: u64,
    },
    /// The state could not be read.
    #[error(transparent)]
    Read(#[from] Error),
}

/// Verifies that every invariant of [`invariants`] holds.
///
/// # Errors
/// [`GenesisError`].
pub fn verify(read: &impl Read) -> Result<(), GenesisError> {
    let mut broken = invariants::check(read)?.into_iter();
    match broken.next() {
        None => Ok(()),
        Some(first) => {
            let more = broken.map(|broken| match broken {
                Broken::More { count, .. } => count,
                _ => 1,
            });
            Err(GenesisError::Broken { first, more: more.sum() })
        }
    }
}
