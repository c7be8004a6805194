//! Invariants, each as a function, and all of them together.
//!
//! Each invariant reports its first breaches and the number of further ones. They read the state in
//! passes over pools, with the sums of one pool in memory at a time.

mod balances;
mod liquidity;
mod rows;

pub use balances::{pool_balances, total_liquidity};
pub use liquidity::{active_liquidity, full_range, prices, shares, tick_liquidity};
pub use rows::{belonging, counters, locks};

use crate::{
    Error,
    layout::concentratedliquidity::{OWNER_POSITIONS, POOL_POSITIONS, POOLS},
};
use keyscape::{IndexFault, IndexReport, store::Read};
use keyscape_sim::joined;
pub use keyscape_sim::{SHOWN, Unlisted};
use std::fmt;

/// A breach of an invariant.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum Broken {
    /// Two numbers that must be equal differ, or one does not cover the other.
    #[error("{invariant}: {of} is {stored}, expected {expected}")]
    Number {
        /// The invariant.
        invariant: &'static str,
        /// The row or sum.
        of: String,
        /// The stored value.
        stored: String,
        /// The expected value.
        expected: String,
    },
    /// An index does not match its map.
    #[error("index `{index}`: {fault}")]
    Index {
        /// The index.
        index: &'static str,
        /// The fault of the index.
        fault: IndexFault,
    },
    /// An invariant of the bank is broken.
    #[error("bank: {0}")]
    Bank(keyscape_bank::invariants::Broken),
    /// Violations that are not listed.
    #[error("{0}")]
    Unlisted(Unlisted),
}

impl From<Unlisted> for Broken {
    fn from(unlisted: Unlisted) -> Broken {
        Broken::Unlisted(unlisted)
    }
}

/// The breaches of one invariant.
struct Breaches(keyscape_sim::Breaches<Broken>);

impl Breaches {
    fn of(invariant: &'static str) -> Breaches {
        Breaches(keyscape_sim::Breaches::of(invariant))
    }

    /// Reports a number that is not as expected.
    fn number(&mut self, of: impl FnOnce() -> String, stored: &str, expected: &str) {
        self.0.add_with(|invariant| {
            let (stored, expected) = (stored.to_owned(), expected.to_owned());
            Broken::Number { invariant, of: of(), stored, expected }
        });
    }

    /// Reports two values that differ.
    fn equal<T: PartialEq + fmt::Display>(
        &mut self,
        of: impl FnOnce() -> String,
        stored: &T,
        expected: &T,
    ) {
        if stored != expected {
            self.number(of, &stored.to_string(), &expected.to_string());
        }
    }

    fn reported(self) -> Vec<Broken> {
        self.0.reported()
    }
}

/// Checks all invariants, including those of the bank.
///
/// # Errors
/// Errors of the database. A corrupt row is a [`Broken`].
pub fn check(state: &(impl Read + ?Sized)) -> Result<Vec<Broken>, Error> {
    let reports = [
        ("owner_positions", owner_positions(state)),
        ("pool_positions", pool_positions(state)),
        ("belonging", belonging(state)),
        ("counters", counters(state)),
        ("prices", prices(state)),
        ("active liquidity", active_liquidity(state)),
        ("tick liquidity", tick_liquidity(state)),
        ("full range", full_range(state)),
        ("shares", shares(state)),
        ("locks", locks(state)),
        ("total liquidity", total_liquidity(state)),
        ("pool balances", pool_balances(state)),
    ];
    let mut broken = joined(reports, Error::is_corrupt)?;
    broken.extend(keyscape_bank::invariants::check(state)?.into_iter().map(Broken::Bank));
    Ok(broken)
}

/// Checks that the index of positions by owner has an entry for each position and no other.
///
/// # Errors
/// Errors of the database.
pub fn owner_positions(state: &(impl Read + ?Sized)) -> Result<Vec<Broken>, Error> {
    Ok(index("owner_positions", OWNER_POSITIONS.check(state)?))
}

/// Checks that the index of positions by pool has an entry for each position and no other.
///
/// # Errors
/// Errors of the database.
pub fn pool_positions(state: &(impl Read + ?Sized)) -> Result<Vec<Broken>, Error> {
    Ok(index("pool_positions", POOL_POSITIONS.check(state)?))
}

fn index(index: &'static str, report: IndexReport) -> Vec<Broken> {
    let mut breaches = Breaches::of(index);
    breaches.0.add_index(report, |fault| Broken::Index { index, fault });
    breaches.reported()
}

/// Returns the ids of all pools.
fn pools(state: &(impl Read + ?Sized)) -> Result<Vec<u64>, Error> {
    POOLS.scan_all(state)?.map(|row| Ok(row?.0.pool)).collect()
}
