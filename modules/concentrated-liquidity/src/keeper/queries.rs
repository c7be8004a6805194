//! Reading the state.

use crate::{
    Error,
    keeper::{accounts, positions::get_position},
    layout::concentratedliquidity::{
        Asset, FULL_RANGE, INCENTIVES, OWNER_POSITIONS, POOL_POSITIONS, POSITION_LOCKS, TICKS,
        TOTAL_LIQUIDITY,
    },
    math::Dec,
    values::{IncentiveRecordBody, Position, TickInfo, UPTIMES},
};
use keyscape::{U256, store::Read};
use keyscape_bank::{Address, Denom};

/// Returns the positions of an owner, in one pool or in all, in order of their ids.
///
/// # Errors
/// If a row is corrupt.
pub fn user_positions(
    state: &(impl Read + ?Sized),
    owner: &Address<'_>,
    pool: Option<u64>,
) -> Result<Vec<Position>, Error> {
    let owner = accounts::owner(owner)?;
    let mut ids = Vec::new();
    match pool {
        Some(pool) => {
            for row in OWNER_POSITIONS.scan_owner_pool(state, &owner, pool)? {
                ids.push(row?.0.position);
            }
        }
        None => {
            for row in OWNER_POSITIONS.scan_owner(state, &owner)? {
                ids.push(row?.0.position);
            }
        }
    }
    ids.sort_unstable();
    ids.into_iter().map(|id| get_position(state, id)).collect()
}

/// Returns the ids of the positions in a pool, in their order.
///
/// # Errors
/// If a row is corrupt.
pub fn pool_positions(state: &(impl Read + ?Sized), pool: u64) -> Result<Vec<u64>, Error> {
    let rows = POOL_POSITIONS.scan_pool(state, pool)?;
    rows.map(|row| Ok(row?.0.position)).collect()
}

/// Counts the positions in a pool, and stops at a number.
pub(crate) fn count_up_to(
    state: &(impl Read + ?Sized),
    pool: u64,
    most: u64,
) -> Result<u64, Error> {
    Ok(POOL_POSITIONS.prefix_pool(pool).limit(most).count(state)?)
}

/// Returns the ticks of a pool that positions use, in their order.
///
/// # Errors
/// If a row is corrupt.
pub fn ticks(state: &(impl Read + ?Sized), pool: u64) -> Result<Vec<(i64, TickInfo)>, Error> {
    let rows = TICKS.scan_pool(state, pool)?;
    let tick = |row: Result<_, keyscape::Error>| {
        let (key, info): (crate::layout::concentratedliquidity::TicksKey, TickInfo) = row?;
        Ok((key.tick, info))
    };
    rows.map(tick).collect()
}

/// Returns the incentives of a pool: ids, uptimes in nanoseconds, and remaining amounts.
///
/// # Errors
/// If a row is corrupt.
pub fn incentives(
    state: &(impl Read + ?Sized),
    pool: u64,
) -> Result<Vec<(u64, i64, IncentiveRecordBody)>, Error> {
    let mut found = Vec::new();
    for row in INCENTIVES.scan_pool(state, pool)? {
        let (key, body) = row?;
        let uptime = UPTIMES.get(usize::from(key.uptime.get())).copied().unwrap_or_default();
        found.push((key.incentive, uptime, body));
    }
    found.sort_unstable_by_key(|(id, ..)| *id);
    Ok(found)
}

/// Returns the lock of a position. It can have ended.
///
/// # Errors
/// If the row is corrupt.
pub fn lock_of(state: &(impl Read + ?Sized), position: u64) -> Result<Option<u64>, Error> {
    Ok(POSITION_LOCKS.get(state, position)?)
}

/// Returns the liquidity of all full-range positions of a pool.
///
/// # Errors
/// If the row is corrupt.
pub fn full_range_liquidity(state: &(impl Read + ?Sized), pool: u64) -> Result<Dec, Error> {
    Ok(FULL_RANGE.get(state, pool)?.unwrap_or_default().0)
}

/// Returns the amount of a denomination that is liquidity of any pool. Rewards do not count.
///
/// # Errors
/// If the row is corrupt.
pub fn total_liquidity(state: &(impl Read + ?Sized), denom: &Denom<'_>) -> Result<U256, Error> {
    let asset = Asset::new(denom.as_str()).map_err(keyscape::Error::from)?;
    Ok(TOTAL_LIQUIDITY.get(state, asset.by_ref())?.unwrap_or(U256::ZERO))
}
