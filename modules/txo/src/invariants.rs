//! Invariants of the index.
//!
//! Each invariant reads sets and hashes in order and looks up related rows, so memory does not grow
//! with the state. Only the check for cycles of spends holds the unconfirmed transactions.

mod outputs;
mod rows;
mod spends;
mod transactions;
mod undo;

pub use outputs::{dependents, events, merkle, outputs, satoshis, topics};
pub use rows::{rows, structures};
pub use spends::{spends, spent};
pub use transactions::{listings, positions, scores};
pub use undo::undo;

use crate::{error::Error, layout::txo::Score};
use keyscape::{
    Prefix, Zset,
    listings::Scored,
    store::Read,
    traits::{Field, ScanRows, ZsetKeyspace},
};
pub use keyscape_sim::Broken;
use keyscape_sim::joined;

/// Checks all invariants and returns the first violations of each, and the number of further ones.
///
/// Unreadable rows are violations too. An invariant that cannot continue because of one is reported
/// as not checked; the others continue.
///
/// # Errors
/// If the store fails.
pub fn check(read: &impl Read) -> Result<Vec<Broken>, Error> {
    joined([
        ("rows", rows(read)),
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
        ("scores", scores(read)),
        ("positions", positions(read)),
        ("undo", undo(read)),
    ])
}

/// Visits every member of every sorted set of a scan.
fn each_member<K: ZsetKeyspace<Score = Score>, B: ScanRows<K>>(
    read: &impl Read,
    sets: &Prefix<K, B>,
    mut visit: impl FnMut(
        &K::Key<'_>,
        Scored<<K::Member as Field>::View<'_>, Score>,
    ) -> Result<(), Error>,
) -> Result<(), Error> {
    let mut keys = sets.structures(read)?;
    while let Some(key) = keys.next_key()? {
        let mut members = Zset::<K>::new().members(key.clone()).scan(read)?;
        while let Some(row) = members.next_row()? {
            visit(&key, row)?;
        }
    }
    Ok(())
}
