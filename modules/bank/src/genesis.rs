//! What a state that was imported row by row must satisfy before the bank works on it.

use crate::{
    Denom, Error,
    invariants::{self, Broken},
};
use keyscape::{U256, store::Read};

/// Why a state is no genesis of the bank.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum GenesisError {
    /// A stated supply is not the sum of the balances.
    #[error("the supply of `{denom}` is stated as {stated}, but the balances add up to {}", sum(.summed))]
    Supply {
        /// The denomination.
        denom: Denom<'static>,
        /// What is stated.
        stated: U256,
        /// What the balances add up to; `None` if that is more than 256 bits hold.
        summed: Option<U256>,
    },
    /// Something else does not hold.
    #[error("{0}")]
    Broken(Broken),
    /// The state could not be read.
    #[error(transparent)]
    Access(#[from] Error),
}

fn sum(summed: &Option<U256>) -> String {
    summed.map_or_else(|| "more than 2^256 - 1".to_owned(), |sum| sum.to_string())
}

/// Checks that a state is one that the bank can work on: all invariants hold. The first breach is the
/// error; [`invariants::check`] has all of them.
///
/// # Errors
/// [`GenesisError`].
pub fn verify(state: &(impl Read + ?Sized)) -> Result<(), GenesisError> {
    match invariants::check(state)?.into_iter().next() {
        None => Ok(()),
        Some(Broken::Supply { denom, stated, summed }) => {
            Err(GenesisError::Supply { denom, stated, summed })
        }
        Some(broken) => Err(GenesisError::Broken(broken)),
    }
}
