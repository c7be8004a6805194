//! The invariants of the module, one function each, and [`check`] for all of them.
//!
//! They read rows in order, with the rows of one collection in memory at a time.

mod approvals;
mod rows;

pub use approvals::{leaves, lists, trackers, versions};
pub use rows::{belonging, counters, rows, totals};

use crate::{
    Amounts, Error,
    layout::badges::{COLLECTIONS, Id},
};
use keyscape::{U256, store::Read};
use keyscape_sim::{Hex, joined};
pub use keyscape_sim::{SHOWN, Unlisted};

/// A breach of an invariant.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum Broken {
    /// The total of a collection is not the sum of its users' badges.
    #[error("total: collection {collection} states {stated}, and its users own {}", sum_text(.summed))]
    Total {
        /// The collection.
        collection: Id,
        /// The stored total.
        stated: Amounts,
        /// The sum; `None` if it exceeds 256 bits.
        summed: Option<Amounts>,
    },
    /// A row does not belong to the layout, or contains a value that the module never writes.
    #[error("row: key {}: {why}", Hex(.key))]
    Row {
        /// The key.
        key: Box<[u8]>,
        /// The reason.
        why: String,
    },
    /// The owner of a row does not exist.
    #[error("belonging: {keyspace} {key}: {missing} does not exist")]
    Orphan {
        /// The keyspace of the row.
        keyspace: &'static str,
        /// The key.
        key: String,
        /// The missing owner.
        missing: String,
    },
    /// A tracker or a leaf is above its limit.
    #[error("limit: {keyspace} {key}: {why}")]
    Limit {
        /// The keyspace of the row.
        keyspace: &'static str,
        /// The key.
        key: String,
        /// The limit and the value.
        why: String,
    },
    /// An approval has another version than the row of its version.
    #[error("version: approval {approval} states version {stated}, and its row version {row}")]
    Version {
        /// The approval.
        approval: String,
        /// The version in the approval.
        stated: String,
        /// The version in its row.
        row: String,
    },
    /// A counter is not above the ids that exist.
    #[error("counter: {counter} is at {next}, and id {found} exists")]
    Counter {
        /// The counter.
        counter: &'static str,
        /// Its next id.
        next: Id,
        /// An id that exists.
        found: Id,
    },
    /// The counter of address lists does not match their number. Lists are never deleted.
    #[error("counter: next_address_list is at {next}, and {count} lists exist")]
    Lists {
        /// The next number.
        next: U256,
        /// The number of lists.
        count: u64,
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

fn sum_text(sum: &Option<Amounts>) -> String {
    let overflow = || "more than 2^256 - 1 of a badge".to_owned();
    sum.as_ref().map_or_else(overflow, ToString::to_string)
}

/// The violations of one invariant.
type Breaches = keyscape_sim::Breaches<Broken>;

/// Looks up collections. Caches the last one, because the rows of one collection are adjacent.
struct Collections<'s, R: Read + ?Sized> {
    state: &'s R,
    last: Option<(Id, Option<bool>)>,
}

impl<'s, R: Read + ?Sized> Collections<'s, R> {
    fn new(state: &'s R) -> Collections<'s, R> {
        Collections { state, last: None }
    }

    /// Whether a collection is being deleted, or `None` if it does not exist.
    fn is_deleting(&mut self, id: Id) -> Result<Option<bool>, Error> {
        let deleting = match self.last {
            Some((last, deleting)) if last == id => deleting,
            _ => COLLECTIONS.get_with(self.state, id, |found| found.deleting)?,
        };
        self.last = Some((id, deleting));
        Ok(deleting)
    }
}

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
