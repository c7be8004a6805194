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

pub use broken::{Broken, SHOWN};
pub use lists::listings;
pub use outputs::{dependents, events, merkle, outputs, satoshis, topics};
pub use places::{places, positions};
pub use rows::rows;
pub use spends::{spends, spent};
pub use structures::structures;
pub use undone::undo;

use crate::error::Error;
use keyscape::store::Read;

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
    let mut add = |invariant, found: Result<Vec<Broken>, Error>| {
        match found {
            Ok(found) => broken.extend(found),
            Err(error) if error.is_corrupt() => {
                broken.push(Broken::Unchecked { invariant, why: error.to_string() });
            }
            Err(error) => return Err(error),
        }
        Ok(())
    };
    add("structures", structures(read))?;
    add("outputs", outputs(read))?;
    add("events", events(read))?;
    add("satoshis", satoshis(read))?;
    add("topics", topics(read))?;
    add("merkle", merkle(read))?;
    add("dependents", dependents(read))?;
    add("spends", spends(read))?;
    add("spent", spent(read))?;
    add("listings", listings(read))?;
    add("places", places(read))?;
    add("positions", positions(read))?;
    add("undo", undo(read))?;
    Ok(broken)
}
