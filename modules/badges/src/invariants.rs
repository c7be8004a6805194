//! The invariants of the module, one function each, and [`check`] for all of them.
//!
//! They read rows in order, with the rows of one collection in memory at a time.

mod belonging;
mod limits;
mod rows;
mod totals;

pub use belonging::{belonging, counters, lists, versions};
pub use limits::{leaves, trackers};
pub use rows::rows;
pub use totals::totals;

use crate::{Amounts, Error, layout::badges::Id};
use keyscape::{U256, store::Read};
use std::fmt;

/// The highest number of separately reported breaches of one invariant.
pub const SHOWN: usize = 100;

/// A breach of an invariant.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Broken {
    /// The total of a collection is not the sum of its users' badges.
    Total {
        /// The collection.
        collection: Id,
        /// The stored total.
        stated: Amounts,
        /// The sum; `None` if it exceeds 256 bits.
        summed: Option<Amounts>,
    },
    /// A row does not belong to the layout, or contains a value that the module never writes.
    Row {
        /// The key.
        key: Box<[u8]>,
        /// The reason.
        why: String,
    },
    /// The owner of a row does not exist.
    Orphan {
        /// The keyspace of the row.
        keyspace: &'static str,
        /// The key.
        key: String,
        /// The missing owner.
        missing: String,
    },
    /// A tracker or a leaf is above its limit.
    Limit {
        /// The keyspace of the row.
        keyspace: &'static str,
        /// The key.
        key: String,
        /// The limit and the value.
        why: String,
    },
    /// An approval has another version than the row of its version.
    Version {
        /// The approval.
        approval: String,
        /// The version in the approval.
        stated: String,
        /// The version in its row.
        row: String,
    },
    /// A counter is not above the ids that exist.
    Counter {
        /// The counter.
        counter: &'static str,
        /// Its next id.
        next: Id,
        /// An id that exists.
        found: Id,
    },
    /// The counter of address lists does not match their number. Lists are never deleted.
    Lists {
        /// The next number.
        next: U256,
        /// The number of lists.
        count: u64,
    },
    /// An invariant could not be checked to its end, because a row that it needs is corrupt.
    Unchecked {
        /// The invariant.
        invariant: &'static str,
        /// The reason.
        why: String,
    },
    /// The number of further breaches of one invariant.
    More {
        /// The invariant.
        invariant: &'static str,
        /// Their number.
        count: u64,
    },
}

impl fmt::Display for Broken {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Broken::Total { collection, stated, summed } => {
                write!(f, "total: collection {collection} states {stated}, and its users own ")?;
                match summed {
                    Some(summed) => write!(f, "{summed}"),
                    None => f.write_str("more than 2^256 - 1 of a badge"),
                }
            }
            Broken::Row { key, why } => {
                write!(f, "row: key {}: {why}", crate::keeper::hex(key))
            }
            Broken::Orphan { keyspace, key, missing } => {
                write!(f, "belonging: {keyspace} {key}: {missing} does not exist")
            }
            Broken::Limit { keyspace, key, why } => write!(f, "limit: {keyspace} {key}: {why}"),
            Broken::Version { approval, stated, row } => write!(
                f,
                "version: approval {approval} states version {stated}, and its row version {row}"
            ),
            Broken::Counter { counter, next, found } => {
                write!(f, "counter: {counter} is at {next}, and id {found} exists")
            }
            Broken::Lists { next, count } => {
                write!(f, "counter: next_address_list is at {next}, and {count} lists exist")
            }
            Broken::Unchecked { invariant, why } => write!(f, "{invariant}: not checked: {why}"),
            Broken::More { invariant, count } => write!(f, "{invariant}: {count} more"),
        }
    }
}

/// The breaches of one invariant.
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
/// Errors of the database. A corrupt row is not an error but a [`Broken`]; everything that does not
/// need it is checked.
pub fn check(state: &(impl Read + ?Sized)) -> Result<Vec<Broken>, Error> {
    let mut broken = rows(state)?;
    for (invariant, found) in [
        ("total", totals(state)),
        ("belonging", belonging(state)),
        ("lists", lists(state)),
        ("version", versions(state)),
        ("counter", counters(state)),
        ("tracker limit", trackers(state)),
        ("leaf limit", leaves(state)),
    ] {
        match found {
            Ok(found) => broken.extend(found),
            Err(error) if error.is_corrupt() || error.is_refusal() => {
                broken.push(Broken::Unchecked { invariant, why: error.to_string() });
            }
            Err(error) => return Err(error),
        }
    }
    Ok(broken)
}
