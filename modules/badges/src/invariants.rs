//! The invariants of the module, one function each, and [`check`] for all of them.
//!
//! They read rows in order. Besides one row at a time, they keep the total of one collection in
//! memory, the approvals of one approver, and the ids of all address lists that approvals name.

mod approvals;
mod rows;

pub use approvals::{leaves, lists, trackers, versions};
pub use rows::{belonging, counters, rows, totals};

use crate::{
    Error,
    layout::badges::{COLLECTIONS, Id},
};
use keyscape::store::Read;
pub use keyscape_sim::Broken;
use keyscape_sim::joined;

/// Looks up collections. Caches the last one, because the rows of one collection are adjacent.
struct Collections<'s> {
    state: &'s dyn Read,
    last: Option<(Id, Option<bool>)>,
}

impl<'s> Collections<'s> {
    fn new(state: &'s dyn Read) -> Collections<'s> {
        Collections { state, last: None }
    }

    /// Whether a collection is being deleted, or `None` if it does not exist.
    fn is_deleting(&mut self, id: Id) -> Result<Option<bool>, Error> {
        let deleting = match self.last {
            Some((last, deleting)) if last == id => deleting,
            _ => COLLECTIONS.get_with(self.state, id, |collection| collection.deleting)?,
        };
        self.last = Some((id, deleting));
        Ok(deleting)
    }
}

/// Checks all invariants.
///
/// # Errors
/// Errors of the database. A corrupt row is reported as a [`Broken`], and the invariants that do
/// not need it are checked.
pub fn check(state: &(impl Read + ?Sized)) -> Result<Vec<Broken>, Error> {
    joined([
        ("row", rows(state)),
        ("total", totals(state)),
        ("belonging", belonging(state)),
        ("lists", lists(state)),
        ("version", versions(state)),
        ("counter", counters(state)),
        ("tracker limit", trackers(state)),
        ("leaf limit", leaves(state)),
    ])
}
