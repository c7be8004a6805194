//! Invariants of the index.
//!
//! Each invariant reads sets and hashes in order and looks up related rows, so memory does not grow
//! with the state. Only the check for cycles of spends holds the unconfirmed transactions.

mod broken;
mod lists;
mod outputs;
mod places;
mod rows;
mod spends;
mod structures;
mod undone;

pub use broken::Broken;
pub use lists::listings;
pub use outputs::{dependents, events, merkle, outputs, satoshis, topics};
pub use places::{places, positions};
pub use rows::rows;
pub use spends::{spends, spent};
pub use structures::structures;
pub use undone::undo;

use crate::error::Error;
use keyscape::store::Read;
pub use keyscape_sim::SHOWN;
use keyscape_sim::joined;

/// Checks all invariants and returns the violations: the first [`SHOWN`] of each, and the number of
/// further ones.
///
/// Unreadable rows are violations too. An invariant that cannot continue because of one is
/// [`Unchecked`](Broken::Unchecked); the others continue.
///
/// # Errors
/// If the store fails.
pub fn check(read: &impl Read) -> Result<Vec<Broken>, Error> {
    let mut broken = rows(read)?;
    let reports = [
        ("structures", structures(read)),
        ("outputs", outputs(read)),
        ("events", events(read)),
        ("satoshis", satoshis(read)),
        ("topics", topics(read)),
        ("merkle", merkle(read)),
        ("dependents", dependents(read)),
        ("spends", spends(read)),
        ("spent", spent(read)),
        ("listings", listings(read)),
        ("places", places(read)),
        ("positions", positions(read)),
        ("undo", undo(read)),
    ];
    broken.extend(joined(reports, Error::is_corrupt)?);
    Ok(broken)
}
