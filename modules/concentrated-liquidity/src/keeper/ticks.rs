//! Ticks that positions use.

use crate::{
    Error,
    keeper::accumulators::Uptimes,
    layout::concentratedliquidity::TICKS,
    math::Dec,
    values::{AccumulatorContent, Pool, TickInfo},
};
use keyscape::store::{Read, Tx};

/// Returns a tick. A tick that no position uses is as it would be created: all growth so far was
/// below it if the price is not below it.
pub(super) fn get(
    state: &(impl Read + ?Sized),
    pool: &Pool,
    tick: i64,
    spread: &AccumulatorContent,
    uptimes: &Uptimes,
) -> Result<TickInfo, Error> {
    if let Some(found) = TICKS.get(state, (pool.id, tick))? {
        return Ok(found);
    }
    let mut new = TickInfo::default();
    if pool.tick >= tick {
        new.spread = spread.value.clone();
        for (growth, content) in new.uptimes.iter_mut().zip(uptimes) {
            *growth = content.value.clone();
        }
    }
    Ok(new)
}

/// Adds liquidity to a tick, at the lower or the upper end of a range. Empty ticks are removed by
/// [`remove_if_empty`], after rewards were computed from them.
pub(super) fn change(
    tx: &mut Tx<'_>,
    pool: &Pool,
    tick: i64,
    mut info: TickInfo,
    change: Dec,
    is_upper: bool,
) -> Result<TickInfo, Error> {
    info.gross = info.gross.plus(change)?;
    info.net = if is_upper { info.net.minus(change)? } else { info.net.plus(change)? };
    TICKS.put(tx, (pool.id, tick), &info)?;
    Ok(info)
}

/// Deletes a tick that no position uses any more.
pub(super) fn remove_if_empty(
    tx: &mut Tx<'_>,
    pool: u64,
    tick: i64,
    info: &TickInfo,
) -> Result<(), Error> {
    if info.gross.is_zero() && info.net.is_zero() {
        TICKS.delete(tx, (pool, tick))?;
    }
    Ok(())
}
