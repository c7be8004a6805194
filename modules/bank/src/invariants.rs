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

/// A violation of an invariant.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum Broken {
    /// A supply that differs from the sum of the balances.
    #[error("supply: {stated}{denom} are stated, and the balances add up to {}", sum(*.summed, .denom))]
    Supply {
        /// The denomination.
        denom: Denom<'static>,
        /// The stored supply.
        stated: U256,
        /// The sum of the balances; `None` if it exceeds 256 bits.
        summed: Option<U256>,
    },
    /// A row that does not fit the layout, or has an invalid value.
    #[error("row: {}key {} in the store `{store}`: {why}", rows::described(.store, .key), Hex(.key))]
    Row {
        /// The store.
        store: &'static str,
        /// The key.
        key: Box<[u8]>,
        /// The reason.
        why: String,
    },
    /// An index that does not match its map.
    #[error("index `{index}`: {fault}")]
    Index {
        /// The index.
        index: &'static str,
        /// The fault.
        fault: IndexFault,
    },
    /// An account that does not match its key, or is inconsistent.
    #[error("account: `{address}`: {why}")]
    Account {
        /// The address in the key.
        address: Address<'static>,
        /// The reason.
        why: String,
    },
    /// An account with more delegated vesting coins than vesting coins.
    #[error(
        "delegated vesting: `{address}` has `{delegated}` noted as delegated out of `{original}` that vest"
    )]
    DelegatedVesting {
        /// The address of the account.
        address: Address<'static>,
        /// The delegated vesting coins.
        delegated: Coins,
        /// The original vesting coins.
        original: Coins,
    },
    /// An account number that the sequence has not issued yet.
    #[error("account number: `{address}` has the number {number}, but the next one is {next}")]
    Number {
        /// The address of the account.
        address: Address<'static>,
        /// Its number.
        number: u64,
        /// The next number of the sequence.
        next: u64,
    },
    /// Violations that are not listed.
    #[error("{0}")]
    Unlisted(Unlisted),
}

impl From<Unlisted> for Broken {
    fn from(unlisted: Unlisted) -> Broken {
        Broken::Unlisted(unlisted)
    }
}

/// Describes the sum of the balances of a denomination.
fn sum(summed: Option<U256>, denom: &Denom<'_>) -> String {
    summed.map_or_else(|| "more than 2^256 - 1".to_owned(), |sum| format!("{sum}{denom}"))
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
        ("account_numbers", accounts::number_entries(state)),
        ("account number", accounts::next_number(state)),
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
