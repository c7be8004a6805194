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
use keyscape_sim::{Hex, joined};
pub use keyscape_sim::{SHOWN, Unlisted};
use std::fmt;

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
            Broken::Total { collection, stated, summed } => {
                write!(f, "total: collection {collection} states {stated}, and its users own ")?;
                match summed {
                    Some(summed) => write!(f, "{summed}"),
                    None => f.write_str("more than 2^256 - 1 of a badge"),
                }
            }
            Broken::Row { key, why } => write!(f, "row: key {}: {why}", Hex(key)),
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
            Broken::Unlisted(unlisted) => unlisted.fmt(f),
        }
    }
}

/// The violations of one invariant.
type Breaches = keyscape_sim::Breaches<Broken>;

/// Checks all invariants.
///
/// # Errors
/// Errors of the database. A corrupt row is not an error but a [`Broken`]; everything that does not
/// need it is checked.
pub fn check(state: &(impl Read + ?Sized)) -> Result<Vec<Broken>, Error> {
    let mut broken = rows(state)?;
    let reports = [
        ("total", totals(state)),
        ("belonging", belonging(state)),
        ("lists", lists(state)),
        ("version", versions(state)),
        ("counter", counters(state)),
        ("tracker limit", trackers(state)),
        ("leaf limit", leaves(state)),
    ];
    broken.extend(joined(reports, |error| error.is_corrupt() || error.is_refusal())?);
    Ok(broken)
}
