//! Counters and the ids that they have issued.

use super::{Breaches, Broken, pools};
use crate::{
    Error,
    layout::{
        concentratedliquidity::{INCENTIVES, NEXT_INCENTIVE, NEXT_POSITION, POSITIONS},
        lockup::{LOCKS, NEXT_LOCK},
    },
};
use keyscape::store::Read;

/// Checks that every id of a position, an incentive or a lock is at least 1 and below its counter.
///
/// # Errors
/// Errors of the database.
pub fn counters(state: &(impl Read + ?Sized)) -> Result<Vec<Broken>, Error> {
    let mut breaches = Breaches::of("counters");
    let mut check = |what: &str, id: u64, next: u64| {
        if id == 0 {
            breaches.number(|| format!("the id of {what}"), "0", "at least 1");
        } else if id >= next {
            let of = || format!("the next id of {what}");
            breaches.number(of, &next.to_string(), &format!("more than {id}"));
        }
    };
    let next = NEXT_POSITION.peek(state)?;
    for row in POSITIONS.scan_all(state)? {
        check("a position", row?.0.position, next);
    }
    let next = NEXT_INCENTIVE.peek(state)?;
    for pool in pools(state)? {
        for row in INCENTIVES.scan_pool(state, pool)? {
            check("an incentive", row?.0.incentive, next);
        }
    }
    let next = NEXT_LOCK.peek(state)?;
    for row in LOCKS.scan_all(state)? {
        check("a lock", row?.0.lock, next);
    }
    Ok(breaches.reported())
}
