//! What a state must satisfy to begin with.
//!
//! A state is exported and imported row by row by the layout, with `keyscape export` and `keyscape
//! import`. Rows of both stores belong to it; without those of `txo_undo` the state is complete, and
//! nothing of it can be taken back: going back to before the first block that begins is
//! [`TooDeep`](Error::TooDeep), and its transactions are [`Final`](Error::Final).

use crate::{
    error::Error,
    invariants::{self, Broken},
};
use keyscape::store::Read;

/// A state cannot be begun with.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum GenesisError {
    /// Something in it does not agree.
    #[error("{first} ({more} more of the kind)")]
    Broken {
        /// The first thing that does not agree.
        first: Broken,
        /// How many more there are.
        more: u64,
    },
    /// It cannot be read.
    #[error(transparent)]
    Read(#[from] Error),
}

/// Verifies an imported state: every invariant of [`invariants`] holds.
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
