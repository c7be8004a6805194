//! Positions: reading them, and changing their liquidity.

use crate::{
    Error, ErrorKind,
    keeper::{
        accumulators::{self, UptimeGrowths, Uptimes, Which},
        growth, incentives, pools, ticks, totals,
    },
    layout::concentratedliquidity::POSITIONS,
    math::{self, Dec, Int},
    values::{Pool, Position, TickInfo},
};
use keyscape::store::{Read, Tx};
use keyscape_bank::Address;

/// A change of a position's liquidity.
#[derive(Debug)]
pub(super) struct Updated {
    /// The amounts of both tokens: paid in if positive, paid out if negative.
    pub(super) amounts: (Int, Int),
    /// Both ticks after the change.
    pub(super) ends: (TickInfo, TickInfo),
}

/// Returns a position.
///
/// # Errors
/// [`PositionNotFound`](ErrorKind::PositionNotFound).
pub fn get_position(state: &(impl Read + ?Sized), position: u64) -> Result<Position, Error> {
    POSITIONS.get(state, position)?.ok_or_else(|| ErrorKind::PositionNotFound { position }.into())
}

/// Rejects an address that is not the owner.
pub(super) fn check_owner(position: &Position, owner: &Address<'_>) -> Result<(), Error> {
    if position.owner.as_bytes() == owner.as_bytes() {
        return Ok(());
    }
    Err(ErrorKind::NotOwner { position: position.id }.into())
}

/// Returns the growth of all uptimes for the range of a position.
pub(super) fn uptime_growth(
    pool: &Pool,
    position: &Position,
    ends: (&TickInfo, &TickInfo),
    contents: &Uptimes,
) -> Result<UptimeGrowths, Error> {
    growth::uptimes(pool, (position.lower, position.upper), ends, contents)
}

/// Changes the liquidity of a position in its ticks, accumulators and pool, and writes all of them.
/// The argument is the position before the change. A new position has no liquidity.
pub(super) fn change_liquidity(
    tx: &mut Tx<'_>,
    now: i64,
    pool: &mut Pool,
    position: &mut Position,
    change: Dec,
) -> Result<Updated, Error> {
    let mut uptimes = incentives::accrue_and_store(tx, now, pool)?;
    let spread_of = Which::Spread { pool: pool.id };
    let mut spread = spread_of.get(tx)?;
    let (lower, upper) = (position.lower, position.upper);
    let info = ticks::get(tx, pool, lower, &spread, &uptimes)?;
    let first = ticks::change(tx, pool, lower, info, change, false)?;
    let info = ticks::get(tx, pool, upper, &spread, &uptimes)?;
    let last = ticks::change(tx, pool, upper, info, change, true)?;
    let growths = uptime_growth(pool, position, (&first, &last), &uptimes)?;
    let each = accumulators::places().zip(uptimes.iter_mut().zip(&growths));
    for (uptime, (content, growth)) in each {
        let which = Which::Uptime { pool: pool.id, uptime };
        which.change_shares(tx, content, position.id, change, growth)?;
    }
    position.liquidity = position.liquidity.plus(change)?;
    POSITIONS.put(tx, position.id, &*position)?;
    totals::change_full_range(tx, position, change)?;
    let range = (lower, upper);
    let (amount0, amount1) = math::position_amounts(pool.tick, pool.sqrt_price, range, change)?;
    if pool.is_active(lower, upper) {
        pool.liquidity = pool.liquidity.plus(change)?;
    }
    pools::put(tx, pool)?;
    let growth = growth::spread(pool, range, (&first, &last), &spread)?;
    spread_of.change_shares(tx, &mut spread, position.id, change, &growth)?;
    Ok(Updated { amounts: (amount0.truncate()?, amount1.truncate()?), ends: (first, last) })
}
