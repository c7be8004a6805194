//! Ticks that positions use, and the growth of accumulators inside and outside of a range.

use crate::{
    Error,
    keeper::accumulators::{Growth, UptimeGrowths, Uptimes},
    layout::concentratedliquidity::TICKS,
    math::Dec,
    values::{AccumulatorContent, Pool, Position, TickInfo},
};
use keyscape::store::{Read, Tx};

/// The ticks at the lower and the upper end of a range.
pub(super) type Ends = (TickInfo, TickInfo);

/// Returns the ticks of a pool that positions use, in ascending order.
///
/// # Errors
/// If a row is corrupt.
pub fn ticks(state: &(impl Read + ?Sized), pool: u64) -> Result<Vec<(i64, TickInfo)>, Error> {
    let rows = TICKS.scan_pool(state, pool)?;
    rows.map(|row| row.map(|(key, info)| (key.tick, info)).map_err(Error::from)).collect()
}

/// Returns both ticks of a position. A tick that no position uses yet counts all growth so far as
/// growth below it if the price is not below it.
pub(super) fn ends(
    state: &(impl Read + ?Sized),
    pool: &Pool,
    position: &Position,
    spread: &AccumulatorContent,
    uptimes: &Uptimes,
) -> Result<Ends, Error> {
    let get = |tick: i64| {
        if let Some(info) = TICKS.get(state, (pool.id, tick))? {
            return Ok::<_, Error>(info);
        }
        let mut new = TickInfo::default();
        if pool.tick >= tick {
            new.spread = spread.value.clone();
            for (growth, content) in new.uptimes.iter_mut().zip(uptimes) {
                *growth = content.value.clone();
            }
        }
        Ok(new)
    };
    Ok((get(position.lower)?, get(position.upper)?))
}

/// Adds liquidity to both ticks of a position. Empty ticks are removed by [`remove_if_empty`],
/// after rewards were computed from them.
pub(super) fn change(
    tx: &mut Tx<'_>,
    position: &Position,
    (lower, upper): &mut Ends,
    change: Dec,
) -> Result<(), Error> {
    let pool = position.pool;
    for (tick, info, net) in
        [(position.lower, lower, change), (position.upper, upper, change.negated())]
    {
        info.gross = info.gross.plus(change)?;
        info.net = info.net.plus(net)?;
        TICKS.put(tx, (pool, tick), &*info)?;
    }
    Ok(())
}

/// Deletes the ticks of a position that no position uses any more.
pub(super) fn remove_if_empty(
    tx: &mut Tx<'_>,
    position: &Position,
    (lower, upper): &Ends,
) -> Result<(), Error> {
    for (tick, info) in [(position.lower, lower), (position.upper, upper)] {
        if info.gross.is_zero() && info.net.is_zero() {
            TICKS.delete(tx, (position.pool, tick))?;
        }
    }
    Ok(())
}

/// Returns the growth of the spread accumulator for the range of a position.
pub(super) fn spread_growth(
    pool: &Pool,
    position: &Position,
    (lower, upper): &Ends,
    content: &AccumulatorContent,
) -> Result<Growth, Error> {
    let value = &content.value;
    let side = |info: &TickInfo, contains_price: bool| {
        if contains_price {
            Ok(value.minus(&info.spread)?.not_negative()?)
        } else {
            Ok::<_, Error>(info.spread.clone())
        }
    };
    let above = side(upper, pool.tick >= position.upper)?;
    let below = side(lower, pool.tick < position.lower)?;
    let outside = above.plus(&below)?;
    Ok(Growth { inside: value.minus(&outside)?, outside })
}

/// Returns the growth of the accumulators of all uptimes for the range of a position.
pub(super) fn uptime_growth(
    pool: &Pool,
    position: &Position,
    (lower, upper): &Ends,
    contents: &Uptimes,
) -> Result<UptimeGrowths, Error> {
    let mut all = UptimeGrowths::default();
    let sides = lower.uptimes.iter().zip(&upper.uptimes);
    for ((growth, content), (below, above)) in all.iter_mut().zip(contents).zip(sides) {
        let inside = if pool.tick < position.lower {
            below.minus(above)?
        } else if pool.tick < position.upper {
            content.value.minus(above)?.not_negative()?.minus(below)?
        } else {
            above.minus(below)?
        };
        let outside = content.value.minus(&inside)?.not_negative()?;
        *growth = Growth { inside, outside };
    }
    Ok(all)
}
