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
use keyscape_sim::{Hex, joined};
pub use keyscape_sim::{SHOWN, Unlisted};
use std::fmt;

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
    /// Violations that are not listed.
    Unlisted(Unlisted),
}

impl From<Unlisted> for Broken {
    fn from(unlisted: Unlisted) -> Broken {
        Broken::Unlisted(unlisted)
    }
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
                write!(f, "{} in the store `{store}`: {why}", Hex(key))
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
            Broken::Unlisted(unlisted) => unlisted.fmt(f),
        }
    }
}

/// The violations of one invariant.
type Breaches = keyscape_sim::Breaches<Broken>;

/// Checks all invariants.
///
/// # Errors
/// Errors of the database. A corrupt row is a [`Broken`], not an error: checks that need the row
/// are skipped, and all others run.
pub fn check(state: &(impl Read + ?Sized)) -> Result<Vec<Broken>, Error> {
    let mut broken = rows(state)?;
    let reports = [
        ("holders", holders(state)),
        ("supply", supply(state)),
        ("account_numbers", accounts::entries(state)),
        ("account number", accounts::past_all_numbers(state)),
        ("account", accounts(state)),
        ("delegated vesting", delegated_vesting(state)),
    ];
    broken.extend(joined(reports, Error::is_corrupt)?);
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
    let mut breaches = Breaches::of(index);
    breaches.add_index(report, |fault| Broken::Index { index, fault });
    breaches.reported()
}
