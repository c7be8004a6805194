//! A simulation: blocks of random operations over all of the keeper's and all messages.
//!
//! One operation is left out: [`set_balance`](keeper::set_balance) is for a genesis, and would break the
//! supply.
//!
//! A block depends on the seed, its height and the state, and on nothing else: a run that was stopped goes
//! on as if it had not been. Most operations are possible in the state in which they are drawn; each of these
//! must be done, and must change what it says and nothing else that it could. The others must be
//! refused, for the right reason, and leave no trace.

mod draw;
mod expect;
mod invalid;
mod look;
mod valid;

use crate::{Coins, Error, Params, Permission, keeper};
use draw::Draw;
use keyscape::store::{StoreError, Tx};

/// How many operations there were.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Tally {
    /// Those that were valid, and were done.
    pub done: u64,
    /// Those that were not, and were refused.
    pub refused: u64,
}

/// The bank did what it must not, or failed.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum SimError {
    /// The state could not be read or written.
    #[error(transparent)]
    Bank(#[from] Error),
    /// An operation that is possible was refused.
    #[error("refused, but possible: {operation}")]
    Refused {
        /// The operation.
        operation: String,
        /// Why the bank refused it.
        source: Error,
    },
    /// An operation that is not possible was done.
    #[error("done, but not possible: {operation}")]
    Accepted {
        /// The operation.
        operation: String,
    },
    /// An operation was refused for another reason than it should have been.
    #[error("refused for another reason than expected: {operation}")]
    OtherReason {
        /// The operation.
        operation: String,
        /// The reason.
        source: Error,
    },
    /// An operation that was refused has written something.
    #[error("refused, but something of it is written: {operation}")]
    Trace {
        /// The operation.
        operation: String,
    },
    /// An operation has not changed what it should have, or something else.
    #[error("{operation}: {what} should be {expected} and is {found}")]
    Wrong {
        /// The operation.
        operation: String,
        /// What is not as it should be.
        what: String,
        /// What it should be.
        expected: String,
        /// What it is.
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

/// The module that makes coins.
const MINT: &str = "mint";
/// The module that takes delegations, and destroys what is slashed.
const POOL: &str = "bonded_tokens_pool";
/// A module that may do nothing but hold coins, and that users cannot send to.
const FEES: &str = "fee_collector";

/// The modules, and what they may do.
const MODULES: [(&str, &[Permission]); 3] = [
    (MINT, &[Permission::Minter]),
    (POOL, &[Permission::Burner, Permission::Staking]),
    (FEES, &[]),
];

/// The time of a block, in seconds.
fn time(height: u64) -> i64 {
    i64::try_from(height.saturating_mul(5)).unwrap_or(i64::MAX)
}

/// Writes what is there before the first block: modules, and some coins in some accounts.
///
/// # Errors
/// What the bank reports.
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
/// [`SimError`]: an operation was not done as it should have been.
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
