//! Totals: full-range liquidity by pool and by linked balancer pool, and the liquidity of all pools
//! by denomination.
//!
//! Osmosis never lowers its totals when liquidity is withdrawn. Here they follow the positions.

use crate::{
    Error,
    keeper::{
        accumulators::{nanoseconds, uptime_of},
        pools,
    },
    layout::concentratedliquidity::{Asset, BALANCER_FULL_RANGE, FULL_RANGE, TOTAL_LIQUIDITY},
    math::{Dec, MAX_TICK, MIN_TICK, MathError},
    values::{DecProto, Position},
};
use keyscape::{
    U256,
    store::{Read, Tx},
};
use keyscape_bank::{Coins, Denom};

/// Returns the liquidity of all full-range positions of a pool.
///
/// # Errors
/// If the row is corrupt.
pub fn full_range_liquidity(state: &(impl Read + ?Sized), pool: u64) -> Result<Dec, Error> {
    Ok(FULL_RANGE.get(state, pool)?.unwrap_or_default().dec)
}

/// Returns the amount of a denomination that is liquidity of any pool. Rewards do not count.
///
/// # Errors
/// If the row is corrupt.
pub fn total_liquidity(state: &(impl Read + ?Sized), denom: &Denom<'_>) -> Result<U256, Error> {
    let asset = Asset::new(denom.as_str())?;
    Ok(TOTAL_LIQUIDITY.get(state, asset.by_ref())?.unwrap_or(U256::ZERO))
}

/// Sets the liquidity of a linked balancer pool for one uptime. Zero deletes the row.
///
/// # Errors
/// [`PoolNotFound`](crate::ErrorKind::PoolNotFound), [`Uptime`](crate::ErrorKind::Uptime).
pub fn set_balancer_full_range(
    tx: &mut Tx<'_>,
    pool: u64,
    balancer: u64,
    uptime: i64,
    liquidity: Dec,
) -> Result<(), Error> {
    pools::get_pool(tx, pool)?;
    let key = (pool, balancer, uptime_of(uptime)?);
    if liquidity.is_zero() {
        BALANCER_FULL_RANGE.delete(tx, key)?;
    } else {
        BALANCER_FULL_RANGE.put(tx, key, &DecProto { dec: liquidity })?;
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
    let mut linked = Vec::new();
    for row in BALANCER_FULL_RANGE.scan_pool(state, pool)? {
        let (key, liquidity) = row?;
        linked.push((key.balancer, nanoseconds(key.uptime), liquidity.dec));
    }
    linked.sort_unstable_by_key(|(balancer, uptime, _)| (*balancer, *uptime));
    Ok(linked)
}

/// Whether a position covers all ticks.
pub(crate) fn is_full_range(position: &Position) -> bool {
    (position.lower, position.upper) == (MIN_TICK, MAX_TICK)
}

/// Adds a change of a position's liquidity to the full-range liquidity of its pool.
pub(super) fn change_full_range(
    tx: &mut Tx<'_>,
    position: &Position,
    change: Dec,
) -> Result<(), Error> {
    if !is_full_range(position) {
        return Ok(());
    }
    FULL_RANGE.update(tx, position.pool, |before| {
        let dec = before.unwrap_or_default().dec.plus(change)?;
        Ok((!dec.is_zero()).then_some(DecProto { dec }))
    })
}

/// Adds coins that a pool has received.
pub(super) fn add(tx: &mut Tx<'_>, coins: &Coins) -> Result<(), Error> {
    change(tx, coins, U256::checked_add)
}

/// Subtracts coins that have left a pool.
pub(super) fn subtract(tx: &mut Tx<'_>, coins: &Coins) -> Result<(), Error> {
    change(tx, coins, U256::checked_sub)
}

fn change(
    tx: &mut Tx<'_>,
    coins: &Coins,
    change: impl Fn(U256, U256) -> Option<U256>,
) -> Result<(), Error> {
    for coin in coins {
        TOTAL_LIQUIDITY.update(tx, Asset::new(coin.denom.as_str())?, |before| {
            let after = change(before.unwrap_or(U256::ZERO), coin.amount);
            let after = after.ok_or(MathError::Overflow)?;
            Ok::<_, Error>((after != U256::ZERO).then_some(after))
        })?;
    }
    Ok(())
}
