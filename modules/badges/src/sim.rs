//! A simulation: blocks of random operations over the whole keeper.
//!
//! A block depends only on the seed, its height and the state, so a stopped run can continue. Most
//! operations are possible in the state in which they are drawn. They must succeed and make exactly
//! the expected changes. The others must be rejected with the right error and write nothing.

mod draw;
mod expect;
mod invalid;
mod records;
mod valid;

use crate::{Error, ErrorKind, keeper, values::UserBalanceStore};
use draw::Draw;
use keyscape::store::{StoreError, Tx};

/// The number of operations.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Tally {
    /// Possible operations, which succeeded.
    pub done: u64,
    /// Impossible operations, which were rejected.
    pub refused: u64,
}

/// A failure, or an unexpected result of an operation.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum SimError {
    /// The state could not be read or written.
    #[error(transparent)]
    Badges(#[from] Error),
    /// A possible operation was rejected.
    #[error("a valid operation was rejected: {operation}")]
    Refused {
        /// The operation.
        operation: String,
        /// The reason of the module.
        source: Error,
    },
    /// An impossible operation was done.
    #[error("an invalid operation was accepted: {operation}")]
    Accepted {
        /// The operation.
        operation: String,
    },
    /// An operation was rejected with another error than expected.
    #[error("an operation was rejected for an unexpected reason: {operation}")]
    OtherReason {
        /// The operation.
        operation: String,
        /// The reason.
        source: Error,
    },
    /// A rejected operation has written something.
    #[error("a rejected operation has written rows: {operation}")]
    Trace {
        /// The operation.
        operation: String,
    },
    /// An operation has made other changes than expected.
    #[error("{operation}: {what} should be {expected} and is {found}")]
    Wrong {
        /// The operation.
        operation: String,
        /// The thing that differs.
        what: String,
        /// Its expected value.
        expected: String,
        /// Its value.
        found: String,
    },
}

impl From<StoreError> for SimError {
    fn from(error: StoreError) -> SimError {
        SimError::Badges(error.into())
    }
}

impl From<keyscape::Error> for SimError {
    fn from(error: keyscape::Error) -> SimError {
        SimError::Badges(error.into())
    }
}

impl From<ErrorKind> for SimError {
    fn from(kind: ErrorKind) -> SimError {
        SimError::Badges(kind.into())
    }
}

/// Writes the state before the first block: two collections and a dynamic store.
///
/// # Errors
/// Errors of the module.
pub fn begin(tx: &mut Tx<'_>, seed: u64) -> Result<(), SimError> {
    let mut draw = Draw::new(seed, 0);
    for _ in 0..2 {
        let manager = draw.address()?;
        let changes = draw.template(&manager);
        keeper::create_collection(tx, &manager, &UserBalanceStore::default(), changes)?;
    }
    keeper::create_dynamic_store(tx, &draw.address()?, false)?;
    Ok(())
}

/// Runs a block of 20 to 60 operations.
///
/// # Errors
/// [`SimError`]: an operation was not done as it should have been.
pub fn block(tx: &mut Tx<'_>, seed: u64, height: u64) -> Result<Tally, SimError> {
    let mut draw = Draw::new(seed, height);
    let mut tally = Tally::default();
    for _ in 0..20 + draw.below(41) {
        if draw.below(100) < 15 {
            invalid::operation(tx, &mut draw)?;
            tally.refused += 1;
        } else {
            valid::operation(tx, &mut draw)?;
            tally.done += 1;
        }
    }
    Ok(tally)
}
