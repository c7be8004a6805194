//! Invariants of the bank: each as a function, and all of them together.
//!
//! They read rows in order with bounded memory, so they run on states of any size. Each reports its
//! first violations and the number of further ones.

mod accounts;
mod rows;
mod supply;
mod warnings;

pub use accounts::{account_numbers, accounts, delegated_vesting};
pub use rows::rows;
pub use supply::supply;
pub use warnings::{Warning, warnings};

use crate::{Address, Coins, Denom, Error, layout::bank};
use keyscape::{IndexFault, IndexReport, U256, store::Read};
use std::fmt;

/// The maximum number of violations of an invariant that are reported one by one.
pub const SHOWN: usize = 100;

/// A violation of an invariant.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Broken {
    /// A supply that differs from the sum of the balances.
    Supply {
        /// The denomination.
        denom: Denom<'static>,
        /// The stored supply.
        stated: U256,
        /// The sum of the balances; `None` if it exceeds 256 bits.
        summed: Option<U256>,
    },
    /// A row that does not fit the layout, or has an invalid value.
    Row {
        /// The store.
        store: &'static str,
        /// The key.
        key: Box<[u8]>,
        /// The reason.
        why: String,
    },
    /// An index that does not match its map.
    Index {
        /// The index.
        index: &'static str,
        /// The fault.
        fault: IndexFault,
    },
    /// An account that does not match its key, or is inconsistent.
    Account {
        /// The address in the key.
        address: Address<'static>,
        /// The reason.
        why: String,
    },
    /// An account with more delegated vesting coins than vesting coins.
    DelegatedVesting {
        /// The address of the account.
        address: Address<'static>,
        /// The delegated vesting coins.
        delegated: Coins,
        /// The original vesting coins.
        original: Coins,
    },
    /// An account number that the sequence has not issued yet.
    Number {
        /// The address of the account.
        address: Address<'static>,
        /// Its number.
        number: u64,
        /// The next number of the sequence.
        next: u64,
    },
    /// An invariant that could not be checked completely, because a row that it needs is corrupt.
    /// Its earlier findings are not reported.
    Unchecked {
        /// The invariant.
        invariant: &'static str,
        /// The error that stopped the check.
        why: String,
    },
    /// Further violations of the same invariant.
    More {
        /// The invariant.
        invariant: &'static str,
        /// The number of further violations.
        count: u64,
    },
}

impl fmt::Display for Broken {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Broken::Supply { denom, stated, summed: Some(summed) } => write!(
                f,
                "supply: {stated}{denom} are stated, and the balances add up to {summed}{denom}"
            ),
            Broken::Supply { denom, stated, summed: None } => write!(
                f,
                "supply: {stated}{denom} are stated, and the balances add up to more than 2^256 - 1"
            ),
            Broken::Row { store, key, why } => {
                write!(f, "row: ")?;
                match rows::named(store, key) {
                    Some(name) => write!(f, "{name}, key ")?,
                    None => write!(f, "key ")?,
                }
                key.iter().try_for_each(|byte| write!(f, "{byte:02x}"))?;
                write!(f, " in the store `{store}`: {why}")
            }
            Broken::Index { index, fault } => write!(f, "index `{index}`: {fault}"),
            Broken::Account { address, why } => write!(f, "account: `{address}`: {why}"),
            Broken::DelegatedVesting { address, delegated, original } => write!(
                f,
                "delegated vesting: `{address}` has `{delegated}` noted as delegated out of `{original}` that vest"
            ),
            Broken::Number { address, number, next } => write!(
                f,
                "account number: `{address}` has the number {number}, but the next one is {next}"
            ),
            Broken::Unchecked { invariant, why } => write!(f, "{invariant}: not checked: {why}"),
            Broken::More { invariant, count } => write!(f, "{invariant}: {count} more"),
        }
    }
}

/// The violations of one invariant.
struct Breaches {
    invariant: &'static str,
    first: Vec<Broken>,
    more: u64,
}

impl Breaches {
    fn of(invariant: &'static str) -> Breaches {
        Breaches { invariant, first: Vec::new(), more: 0 }
    }

    fn add(&mut self, broken: Broken) {
        if self.first.len() < SHOWN { self.first.push(broken) } else { self.more += 1 }
    }

    fn reported(mut self) -> Vec<Broken> {
        if self.more > 0 {
            self.first.push(Broken::More { invariant: self.invariant, count: self.more });
        }
        self.first
    }
}

/// Checks all invariants.
///
/// # Errors
/// Errors of the database. A corrupt row is a [`Broken`], not an error: checks that need the row
/// are skipped, and all others run.
pub fn check(state: &(impl Read + ?Sized)) -> Result<Vec<Broken>, Error> {
    let mut broken = rows(state)?;
    for (invariant, found) in [
        ("holders", holders(state)),
        ("supply", supply(state)),
        ("account_numbers", accounts::entries(state)),
        ("account number", accounts::past_all_numbers(state)),
        ("account", accounts(state)),
        ("delegated vesting", delegated_vesting(state)),
    ] {
        match found {
            Ok(found) => broken.extend(found),
            Err(error) if error.is_corrupt() => {
                broken.push(Broken::Unchecked { invariant, why: error.to_string() });
            }
            Err(error) => return Err(error),
        }
    }
    Ok(broken)
}

/// Checks that the index of holders has an entry for each balance and no other.
///
/// # Errors
/// Errors of the database.
pub fn holders(state: &(impl Read + ?Sized)) -> Result<Vec<Broken>, Error> {
    Ok(index("holders", bank::HOLDERS.check(state)?))
}

fn index(index: &'static str, report: IndexReport) -> Vec<Broken> {
    let shown = report.first.len() as u64;
    let faults = report.first.into_iter().map(|fault| Broken::Index { index, fault });
    let mut broken: Vec<Broken> = faults.collect();
    if report.faults > shown {
        broken.push(Broken::More { invariant: index, count: report.faults - shown });
    }
    broken
}
