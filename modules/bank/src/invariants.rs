//! What always holds, whatever was done: each invariant as a function, and all of them together.
//!
//! They read rows in order and hold a few of them at a time, so that they run on states of any size.
//! Each reports its first breaches, and then how many more there are.

mod accounts;
mod rows;
mod supply;

pub use accounts::{account_numbers, accounts, delegated_vesting};
pub use rows::rows;
pub use supply::supply;

use crate::{Address, Coins, Denom, Error, layout::bank};
use keyscape::{IndexFault, IndexReport, U256, store::Read};
use std::fmt;

/// How many breaches of an invariant are reported one by one.
pub const SHOWN: usize = 100;

/// Something that should hold and does not.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Broken {
    /// A supply is not the sum of the balances.
    Supply {
        /// The denomination.
        denom: Denom<'static>,
        /// What the row of the supply says.
        stated: U256,
        /// What the balances add up to; `None` if that is more than 256 bits hold.
        summed: Option<U256>,
    },
    /// A row is not one of the layout, or holds what it must not.
    Row {
        /// The store.
        store: &'static str,
        /// The key.
        key: Box<[u8]>,
        /// What is wrong with it.
        why: String,
    },
    /// An index is not what its map says.
    Index {
        /// The index.
        index: &'static str,
        /// What is wrong with it.
        fault: IndexFault,
    },
    /// An account is not that of its key, or says of itself what cannot be.
    Account {
        /// The address in the key.
        address: Address<'static>,
        /// What is wrong with it.
        why: String,
    },
    /// More is noted as delegated out of what vests than vests at all.
    DelegatedVesting {
        /// Whose account.
        address: Address<'static>,
        /// What is noted.
        delegated: Coins,
        /// What vests.
        original: Coins,
    },
    /// An account has a number that the sequence has not given yet.
    Number {
        /// Whose account.
        address: Address<'static>,
        /// Its number.
        number: u64,
        /// What the sequence gives next.
        next: u64,
    },
    /// An invariant could not be checked to its end, because a row that it needs is corrupt. What it had
    /// found until then is not reported.
    Unchecked {
        /// The invariant.
        invariant: &'static str,
        /// What stopped it.
        why: String,
    },
    /// More of the same.
    More {
        /// The invariant.
        invariant: &'static str,
        /// How many more breaches there are.
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

/// Breaches of one invariant.
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
/// What the database reports. A corrupt row is not an error but a [`Broken`]: what needs it is left out,
/// and everything else is checked.
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

/// The index of holders has an entry for each balance and no other.
///
/// # Errors
/// What the database reports.
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
