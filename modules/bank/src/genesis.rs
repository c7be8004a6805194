//! The conditions that an imported state must satisfy.

use crate::{
    Denom, Error,
    invariants::{self, Broken},
};
use keyscape::{U256, store::Read};

/// The reason why a state is not a valid genesis.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum GenesisError {
    /// A supply that differs from the sum of the balances.
    #[error("the supply of `{denom}` is stated as {stated}, but the balances add up to {}", sum(.summed))]
    Supply {
        /// The denomination.
        denom: Denom<'static>,
        /// The stored supply.
        stated: U256,
        /// The sum of the balances; `None` if it exceeds 256 bits.
        summed: Option<U256>,
    },
    /// Another invariant that does not hold.
    #[error("{0}")]
    Broken(Broken),
    /// The state could not be read.
    #[error(transparent)]
    Access(#[from] Error),
}

fn sum(summed: &Option<U256>) -> String {
    summed.map_or_else(|| "more than 2^256 - 1".to_owned(), |sum| sum.to_string())
}

/// Checks that all invariants hold. Returns the first violation as the error; [`invariants::check`]
/// returns all of them.
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
