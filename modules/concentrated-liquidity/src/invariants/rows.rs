//! Rows, and the rows that they refer to.

use super::{Broken, pools};
use crate::{
    Error,
    layout::{
        concentratedliquidity::{
            Accumulator, Accumulators, BalancerFullRange, INCENTIVES, Incentives, LAYOUT,
            LOCK_POSITIONS, NEXT_INCENTIVE, NEXT_POSITION, POSITION_LOCKS, POSITIONS, Positions,
            SpreadPositions, Ticks, UptimePositions, fits,
        },
        lockup::{LOCKS, NEXT_LOCK},
    },
    values::Position,
};
use keyscape::{
    ValueForm,
    store::{KeyRange, Read, Row, StoreId},
    traits::Keyspace,
};
use keyscape_sim::{Breaches, Hex};

/// Checks that every row fits the layout and belongs to an existing pool, and that the id in the
/// value of a position is that of its key. A row that cannot be read does not hide others.
///
/// # Errors
/// Errors of the database.
pub fn belonging(state: &(impl Read + ?Sized)) -> Result<Vec<Broken>, Error> {
    let mut breaches = Breaches::of("belonging");
    let pools = pools(state)?;
    for space in LAYOUT.spaces {
        let mut cursor = state.rows(StoreId::of(space), KeyRange::all())?;
        while let Some(row) = cursor.next()? {
            if let Err(misfit) = fits(space, row.key, row.value) {
                breaches.add(format_args!("key {} in the store `{space}`: {misfit}", Hex(row.key)));
                continue;
            }
            let belongs_to = match position(row) {
                Some((id, position)) => {
                    breaches.compare(|| format!("the id of position {id}"), &position.id, &id);
                    Some(("positions", Some(id), position.pool))
                }
                None => pool_in(row.key).map(|(keyspace, pool)| (keyspace, None, pool)),
            };
            if let Some((keyspace, id, pool)) = belongs_to {
                breaches.unless(pools.contains(&pool), || {
                    let row = id.map_or_else(
                        || format!("a row of `{keyspace}`"),
                        |id| format!("position {id}"),
                    );
                    format!("the pool of {row} is {pool}, which does not exist")
                });
            }
        }
    }
    Ok(breaches.reported())
}

/// Returns the id in the key of a position, and the position.
fn position(row: Row<'_>) -> Option<(u64, Position)> {
    Some((Positions::decode(row.key).ok()?.position, Position::decode(row.value).ok()?))
}

/// Returns the keyspace and the pool of a key that contains a pool.
fn pool_in(key: &[u8]) -> Option<(&'static str, u64)> {
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
    let mut check = |kind: &str, id: u64, next: u64| {
        breaches.unless(id > 0, || format!("the id of a {kind} is 0, expected at least 1"));
        breaches.unless(id == 0 || id < next, || {
            format!("the next id of a {kind} is {next}, expected more than {id}")
        });
    };
    let next = NEXT_POSITION.peek(state)?;
    for row in POSITIONS.scan_all(state)? {
        check("position", row?.0.position, next);
    }
    let next = NEXT_INCENTIVE.peek(state)?;
    for pool in pools(state)? {
        for row in INCENTIVES.scan_pool(state, pool)? {
            check("incentive", row?.0.incentive, next);
        }
    }
    let next = NEXT_LOCK.peek(state)?;
    for row in LOCKS.scan_all(state)? {
        check("lock", row?.0.lock, next);
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
        breaches.compare(of, &text(back), &position.to_string());
        breaches.unless(POSITIONS.contains(state, position)?, || {
            format!("position {position} is missing, expected a position with lock {lock}")
        });
        breaches.unless(LOCKS.contains(state, lock)?, || {
            format!("lock {lock} is missing, expected a lock of position {position}")
        });
    }
    for row in LOCK_POSITIONS.scan_all(state)? {
        let (key, position) = row?;
        let back = POSITION_LOCKS.get(state, position)?;
        let of = || format!("lock of position {position}");
        breaches.compare(of, &text(back), &key.lock.to_string());
    }
    for row in LOCKS.scan_all(state)? {
        let lock = row?.0.lock;
        breaches.unless(LOCK_POSITIONS.contains(state, lock)?, || {
            format!("lock {lock} has no position")
        });
    }
    Ok(breaches.reported())
}
