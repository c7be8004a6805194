//! What always holds.
//!
//! Each invariant reads sets and hashes in order and looks up what has to be there, so memory does not
//! grow with the state.

mod broken;
mod lists;
mod outputs;
mod places;
mod spends;
mod structures;
mod undone;

pub use broken::Broken;
pub use lists::listings;
pub use outputs::{events, merkle, outputs, satoshis, topics};
pub use places::places;
pub use spends::{spends, spent};
pub use structures::structures;
pub use undone::undo;

use crate::error::Error;
use keyscape::store::Read;

/// Runs all invariants and returns what is broken.
///
/// # Errors
/// If the store fails, or a row does not fit the layout.
pub fn check(read: &impl Read) -> Result<Vec<Broken>, Error> {
    let mut broken = structures(read)?;
    broken.extend(outputs(read)?);
    broken.extend(events(read)?);
    broken.extend(satoshis(read)?);
    broken.extend(topics(read)?);
    broken.extend(merkle(read)?);
    broken.extend(spends(read)?);
    broken.extend(spent(read)?);
    broken.extend(listings(read)?);
    broken.extend(places(read)?);
    broken.extend(undo(read)?);
    Ok(broken)
}
