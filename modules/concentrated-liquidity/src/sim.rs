//! A simulation: blocks of random operations over the whole keeper.
//!
//! A block depends only on the seed, its height and the state, so a stopped run can continue. Valid
//! operations must succeed, unless rounding or a lack of liquidity makes them impossible. The
//! others must be rejected with the right error. A rejected operation must write nothing.

mod draw;
mod invalid;
mod look;
mod valid;

use crate::{Error, ErrorKind, keeper, values::Params};
use draw::Draw;
use keyscape::store::Tx;
use keyscape_bank::{Coins, Permission, keeper as bank};

/// The number of operations of a block.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Tally {
    /// Operations that were done.
    pub done: u64,
    /// Operations that were correctly rejected.
    pub refused: u64,
}

/// An unexpected result of an operation.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum SimError {
    /// The state could not be read or written.
    #[error(transparent)]
    Access(#[from] Error),
    /// An operation was rejected with an error that does not apply.
    #[error("{operation} was rejected: {source}")]
    Refused {
        /// The operation.
        operation: &'static str,
        /// The reason.
        source: Error,
    },
    /// An operation that is not possible was done.
    #[error("{operation} was accepted, but is invalid")]
    Accepted {
        /// The operation.
        operation: &'static str,
    },
    /// A rejected operation has written something.
    #[error("{operation} was rejected, but has written rows")]
    Trace {
        /// The operation.
        operation: &'static str,
    },
    /// A result is wrong.
    #[error("{operation}: {what}")]
    Wrong {
        /// The operation.
        operation: &'static str,
        /// The difference from the expected result.
        what: String,
    },
}

impl<K: Into<ErrorKind>> From<K> for SimError {
    fn from(kind: K) -> SimError {
        SimError::Access(Error::from(kind))
    }
}

const MINT: &str = "mint";

/// Writes the state before the first block: accounts with coins, and pools without positions.
///
/// # Errors
/// [`SimError`].
pub fn begin(tx: &mut Tx<'_>, seed: u64) -> Result<(), SimError> {
    let mut draw = Draw::new(seed, 0);
    keeper::initialize(tx, &Params::launch(), 0, 0)?;
    let mint = bank::module_address(MINT)?;
    // Another system may have created the account in the same bank.
    if !bank::has_account(tx, &mint)? {
        bank::create_module_account(tx, MINT, &[Permission::Minter])?;
    }
    for place in 0..draw::ACCOUNTS {
        let text = draw::DENOMS.map(|denom| format!("{}{denom}", draw::FUNDS)).join(",");
        let coins: Coins = text.parse().map_err(keyscape_bank::Error::from)?;
        bank::mint(tx, MINT, &coins)?;
        bank::send(tx, 0, &mint, &draw.account_at(place)?, &coins)?;
    }
    for id in draw::POOLS {
        valid::pool(tx, &mut draw, id)?;
    }
    Ok(())
}

/// Runs a block of random operations.
///
/// # Errors
/// [`SimError`].
pub fn block(tx: &mut Tx<'_>, seed: u64, height: u64) -> Result<Tally, SimError> {
    let mut draw = Draw::new(seed, height);
    let mut tally = Tally::default();
    for _ in 0..6 + draw.below(10) {
        let is_done = match draw.below(20) {
            0..3 => invalid::operation(tx, &mut draw)?,
            3 => look::operation(tx, &mut draw)?,
            _ => valid::operation(tx, &mut draw)?,
        };
        match is_done {
            Some(true) => tally.done += 1,
            Some(false) => tally.refused += 1,
            None => {}
        }
    }
    Ok(tally)
}

/// Runs an operation. A refusal for an allowed reason is `None`.
fn run<T>(
    tx: &mut Tx<'_>,
    operation: &'static str,
    may_refuse: impl Fn(&ErrorKind) -> bool,
    run: impl FnOnce(&mut Tx<'_>) -> Result<T, Error>,
) -> Result<Option<T>, SimError> {
    let before = changes(tx);
    match run(tx) {
        Ok(result) => Ok(Some(result)),
        Err(error) if !error.is_refusal() => Err(error.into_kind().into()),
        Err(source) if !may_refuse(source.kind()) => Err(SimError::Refused { operation, source }),
        Err(_) if changes(tx) != before => Err(SimError::Trace { operation }),
        Err(_) => Ok(None),
    }
}

/// The rows that a transaction would write: store, key and value of each.
type Changes = Vec<(String, Vec<u8>, Option<Vec<u8>>)>;

fn changes(tx: &Tx<'_>) -> Changes {
    let rows = tx.changes().iter();
    rows.map(|row| (row.name.to_owned(), row.key.to_vec(), row.value.map(<[u8]>::to_vec))).collect()
}

fn check(
    operation: &'static str,
    holds: bool,
    what: impl FnOnce() -> String,
) -> Result<(), SimError> {
    if holds { Ok(()) } else { Err(SimError::Wrong { operation, what: what() }) }
}
