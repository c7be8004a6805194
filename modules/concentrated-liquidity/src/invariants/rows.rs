//! Rows, and the rows that they refer to.

use super::{Breaches, Broken, pools};
use crate::{
    Error,
    layout::{
        concentratedliquidity::{
            Accumulator, Accumulators, BalancerFullRange, INCENTIVES, Incentives, LAYOUT,
            LOCK_POSITIONS, NEXT_INCENTIVE, NEXT_POSITION, POSITION_LOCKS, POSITIONS,
            SpreadPositions, Ticks, UptimePositions, fits,
        },
        lockup::{LOCKS, NEXT_LOCK},
    },
};
use keyscape::{
    store::{KeyRange, Read, StoreId},
    traits::Keyspace,
};
use std::collections::BTreeSet;

/// Checks that every row belongs to the layout and to an existing pool, and that the id in the
/// value of a position is that of its key.
///
/// # Errors
/// Errors of the database.
pub fn belonging(state: &(impl Read + ?Sized)) -> Result<Vec<Broken>, Error> {
    let mut breaches = Breaches::of("belonging");
    let pools: BTreeSet<u64> = pools(state)?.into_iter().collect();
    let in_pool = |breaches: &mut Breaches, row: &dyn Fn() -> String, pool: u64| {
        if !pools.contains(&pool) {
            breaches.number(|| format!("the pool of {}", row()), &pool.to_string(), "a pool");
        }
    };
    for row in POSITIONS.scan_all(state)? {
        let (key, position) = row?;
        let of = || format!("position {}", key.position);
        in_pool(&mut breaches, &of, position.pool);
        breaches.equal(|| format!("the id of {}", of()), &position.id, &key.position);
    }
    for space in LAYOUT.spaces {
        let mut cursor = state.rows(StoreId::of(space), KeyRange::all())?;
        while let Some(row) = cursor.next()? {
            if let Err(misfit) = fits(space, row.key, row.value) {
                let of = || format!("a row of store `{space}`");
                breaches.number(of, &misfit.to_string(), "a row of the layout");
            } else if let Some((keyspace, pool)) = pool_of(row.key) {
                in_pool(&mut breaches, &|| format!("a row of `{keyspace}`"), pool);
            }
        }
    }
    Ok(breaches.reported())
}

/// Returns the keyspace and the pool of a key that contains a pool.
fn pool_of(key: &[u8]) -> Option<(&'static str, u64)> {
    if let Ok(key) = Ticks::decode(key) {
        return Some(("ticks", key.pool));
    }
    if let Ok(key) = Incentives::decode(key) {
        return Some(("incentives", key.pool));
    }
    if let Ok(key) = Accumulators::decode(key) {
        let (Accumulator::Spread { pool } | Accumulator::Uptime { pool, .. }) = key.name;
        return Some(("accumulators", pool));
    }
    if let Ok(key) = SpreadPositions::decode(key) {
        return Some(("spread_positions", key.pool));
    }
    if let Ok(key) = UptimePositions::decode(key) {
        return Some(("uptime_positions", key.pool));
    }
    let key = BalancerFullRange::decode(key).ok()?;
    Some(("balancer_full_range", key.pool))
}

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
            breaches.number(|| format!("position {position}"), "missing", "a position with a lock");
        }
        if !LOCKS.contains(state, lock)? {
            breaches.number(|| format!("lock {lock}"), "missing", "a lock with a position");
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
            let of = || format!("lock {}", key.lock);
            breaches.number(of, "stored", "no lock without a position");
        }
    }
    Ok(breaches.reported())
}
