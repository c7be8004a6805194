//! A simulation: blocks of random operations of the keeper and of messages.
//!
//! [`set_balance`](keeper::set_balance) is excluded: it is for genesis, and would break the supply.
//!
//! A block depends only on the seed, its height and the state, so a stopped run continues with the
//! same results. Most operations are valid in the state in which they are drawn; they must succeed
//! and have exactly the expected effects. The others must be rejected for the right reason, without
//! a trace.

mod accounts;
mod draw;
mod expect;
mod invalid;
mod look;
mod pages;
mod rules;
mod valid;

use crate::{Coins, Error, Params, Permission, keeper};
use draw::Draw;
use keyscape::store::{StoreError, Tx};

/// The number of operations.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Tally {
    /// Valid operations, which were done.
    pub done: u64,
    /// Invalid operations, which were rejected.
    pub refused: u64,
}

/// A wrong outcome, or a failure.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum SimError {
    /// The state could not be read or written.
    #[error(transparent)]
    Bank(#[from] Error),
    /// A valid operation was rejected.
    #[error("a valid operation was rejected: {operation}")]
    Refused {
        /// The operation.
        operation: String,
        /// The error of the bank.
        source: Error,
    },
    /// An invalid operation was accepted.
    #[error("an invalid operation was accepted: {operation}")]
    Accepted {
        /// The operation.
        operation: String,
    },
    /// An operation was rejected for the wrong reason.
    #[error("an operation was rejected for an unexpected reason: {operation}")]
    OtherReason {
        /// The operation.
        operation: String,
        /// The actual reason.
        source: Error,
    },
    /// A rejected operation has written something.
    #[error("a rejected operation has written rows: {operation}")]
    Trace {
        /// The operation.
        operation: String,
    },
    /// An operation had a wrong effect.
    #[error("{operation}: {what} should be {expected} and is {found}")]
    Wrong {
        /// The operation.
        operation: String,
        /// The value that is wrong.
        what: String,
        /// The expected value.
        expected: String,
        /// The actual value.
        found: String,
    },
}

impl From<StoreError> for SimError {
    fn from(error: StoreError) -> SimError {
        SimError::Bank(error.into())
    }
}

impl From<keyscape::Error> for SimError {
    fn from(error: keyscape::Error) -> SimError {
        SimError::Bank(error.into())
    }
}

/// The module that mints coins.
const MINT: &str = "mint";
/// The module that receives delegations, and burns slashed coins.
const POOL: &str = "bonded_tokens_pool";
/// A module without permissions, to which users cannot send.
const FEES: &str = "fee_collector";

/// The modules and their permissions.
const MODULES: [(&str, &[Permission]); 3] = [
    (MINT, &[Permission::Minter]),
    (POOL, &[Permission::Burner, Permission::Staking]),
    (FEES, &[]),
];

/// Returns the time of a block, in seconds.
fn time(height: u64) -> i64 {
    i64::try_from(height.saturating_mul(5)).unwrap_or(i64::MAX)
}

/// Writes the initial state: modules, and some coins in some accounts.
///
/// # Errors
/// Errors of the bank.
pub fn begin(tx: &mut Tx<'_>, seed: u64) -> Result<(), SimError> {
    keeper::set_params(tx, &Params { default_send_enabled: true, ..Params::default() })?;
    for (module, permissions) in MODULES {
        keeper::create_module_account(tx, module, permissions)?;
    }
    let mint = keeper::module_address(MINT)?;
    let mut draw = Draw::new(seed, 0);
    for place in 0..draw.accounts() {
        let address = draw.address_at(place)?;
        let coin = crate::Coin { denom: draw.denom()?, amount: draw.new_amount() };
        let coins = Coins::try_from(coin).map_err(Error::from)?;
        keeper::mint(tx, MINT, &coins)?;
        keeper::send(tx, time(0), &mint, &address, &coins)?;
    }
    Ok(())
}

/// Runs a block of 20 to 60 operations.
///
/// # Errors
/// [`SimError`] if an operation had the wrong outcome.
pub fn block(tx: &mut Tx<'_>, seed: u64, height: u64) -> Result<Tally, SimError> {
    let mut draw = Draw::new(seed, height);
    let mut tally = Tally::default();
    for _ in 0..20 + draw.below(41) {
        if draw.below(100) < 15 {
            invalid::operation(tx, &mut draw)?;
            tally.refused += 1;
        } else {
            tally.done += valid::operation(tx, &mut draw)?;
        }
    }
    Ok(tally)
}
