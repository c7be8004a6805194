//! Rows and the pools that they belong to.

use super::{Breaches, Broken, pools};
use crate::{
    Error,
    layout::concentratedliquidity::{
        Accumulator, Accumulators, BalancerFullRange, Incentives, LAYOUT, POSITIONS,
        SpreadPositions, Ticks, UptimePositions, fits,
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
