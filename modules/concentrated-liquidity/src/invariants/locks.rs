//! Locks and their positions.

use super::{Breaches, Broken};
use crate::{
    Error,
    layout::{
        concentratedliquidity::{LOCK_POSITIONS, POSITION_LOCKS, POSITIONS},
        lockup::LOCKS,
    },
};
use keyscape::store::Read;

/// Checks that positions and locks refer to each other: each lock has one existing position, and
/// each locked position has one lock.
///
/// # Errors
/// Errors of the database.
pub fn locks(state: &(impl Read + ?Sized)) -> Result<Vec<Broken>, Error> {
    let mut breaches = Breaches::of("locks");
    let text = |id: Option<u64>| id.map_or("missing".to_owned(), |id| id.to_string());
    for row in POSITION_LOCKS.scan_all(state)? {
        let (key, lock) = row?;
        let position = key.position;
        let back = LOCK_POSITIONS.get(state, lock)?;
        let of = || format!("position of lock {lock}");
        breaches.equal(of, &text(back), &position.to_string());
        if !POSITIONS.contains(state, position)? {
            breaches.number(|| format!("position {position}"), "missing", "there, with a lock");
        }
        if !LOCKS.contains(state, lock)? {
            breaches.number(|| format!("lock {lock}"), "missing", "there, with a position");
        }
    }
    for row in LOCK_POSITIONS.scan_all(state)? {
        let (key, position) = row?;
        let back = POSITION_LOCKS.get(state, position)?;
        let of = || format!("lock of position {position}");
        breaches.equal(of, &text(back), &key.lock.to_string());
    }
    for row in LOCKS.scan_all(state)? {
        let (key, _) = row?;
        if !LOCK_POSITIONS.contains(state, key.lock)? {
            breaches.number(
                || format!("lock {}", key.lock),
                "there",
                "missing, without a position",
            );
        }
    }
    Ok(breaches.reported())
}
