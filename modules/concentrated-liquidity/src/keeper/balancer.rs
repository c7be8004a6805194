//! The full-range parts of balancer pools that are linked to a pool.

use crate::{
    Error, ErrorKind,
    keeper::{accumulators, pools},
    layout::concentratedliquidity::BALANCER_FULL_RANGE,
    math::Dec,
    values::{DecProto, UPTIMES},
};
use keyscape::store::{Read, Tx};

/// Sets the liquidity of a linked balancer pool for one uptime. Zero deletes the row.
///
/// # Errors
/// [`PoolNotFound`](ErrorKind::PoolNotFound), [`Uptime`](ErrorKind::Uptime).
pub fn set_balancer_full_range(
    tx: &mut Tx<'_>,
    pool: u64,
    balancer: u64,
    uptime: i64,
    liquidity: Dec,
) -> Result<(), Error> {
    pools::get_pool(tx, pool)?;
    let place = accumulators::places().zip(UPTIMES).find(|(_, each)| *each == uptime);
    let (place, _) = place.ok_or(ErrorKind::Uptime { uptime })?;
    let key = (pool, balancer, accumulators::uptime(place)?);
    if liquidity.is_zero() {
        BALANCER_FULL_RANGE.delete(tx, key)?;
    } else {
        BALANCER_FULL_RANGE.put(tx, key, &DecProto(liquidity))?;
    }
    Ok(())
}

/// Returns the balancer pools that are linked to a pool: their ids, the uptimes in nanoseconds, and
/// the liquidity.
///
/// # Errors
/// If a row is corrupt.
pub fn balancer_full_range(
    state: &(impl Read + ?Sized),
    pool: u64,
) -> Result<Vec<(u64, i64, Dec)>, Error> {
    let mut found = Vec::new();
    for row in BALANCER_FULL_RANGE.scan_pool(state, pool)? {
        let (key, liquidity) = row?;
        let uptime = UPTIMES.get(usize::from(key.uptime.get())).copied().unwrap_or_default();
        found.push((key.balancer, uptime, liquidity.0));
    }
    found.sort_unstable_by_key(|(balancer, uptime, _)| (*balancer, *uptime));
    Ok(found)
}
