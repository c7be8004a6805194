//! Liquidity of pools, ticks and positions.

use super::{Breaches, Broken, pools};
use crate::{
    Error,
    keeper::{self, is_full_range},
    layout::concentratedliquidity::{FULL_RANGE, TICKS},
    math::Dec,
};
use keyscape::store::Read;
use std::collections::BTreeMap;

/// Checks that the active liquidity of a pool is the sum of the net liquidity of all ticks at or
/// below its tick.
///
/// # Errors
/// Errors of the database.
pub fn active_liquidity(state: &(impl Read + ?Sized)) -> Result<Vec<Broken>, Error> {
    let mut breaches = Breaches::of("active liquidity");
    for id in pools(state)? {
        let pool = keeper::get_pool(state, id)?;
        let mut sum = Dec::ZERO;
        let mut scan = TICKS.prefix_pool(id).range(..=pool.tick).scan(state)?;
        while let Some(row) = scan.next_row()? {
            sum = sum.plus(row.value()?.net)?;
        }
        breaches.equal(|| format!("pool {id}"), &pool.liquidity, &sum);
    }
    Ok(breaches.reported())
}

/// Checks that the gross and net liquidity of a tick are the sums over the positions that use it.
///
/// # Errors
/// Errors of the database.
pub fn tick_liquidity(state: &(impl Read + ?Sized)) -> Result<Vec<Broken>, Error> {
    let mut breaches = Breaches::of("tick liquidity");
    for id in pools(state)? {
        let mut sums = BTreeMap::<i64, (Dec, Dec)>::new();
        for position in keeper::pool_positions(state, id)? {
            let position = keeper::get_position(state, position)?;
            let ends = [
                (position.lower, position.liquidity),
                (position.upper, position.liquidity.negated()),
            ];
            for (tick, net) in ends {
                let sum = sums.entry(tick).or_default();
                *sum = (sum.0.plus(position.liquidity)?, sum.1.plus(net)?);
            }
        }
        for (tick, info) in keeper::ticks(state, id)? {
            let (gross, net) = sums.remove(&tick).unwrap_or_default();
            breaches.equal(|| format!("gross of tick {tick} of pool {id}"), &info.gross, &gross);
            breaches.equal(|| format!("net of tick {tick} of pool {id}"), &info.net, &net);
        }
        for (tick, (gross, _)) in sums {
            let of = || format!("gross of tick {tick} of pool {id}");
            breaches.number(of, "missing", &gross.to_string());
        }
    }
    Ok(breaches.reported())
}

/// Checks that the full-range liquidity of a pool is the sum over its full-range positions.
///
/// # Errors
/// Errors of the database.
pub fn full_range(state: &(impl Read + ?Sized)) -> Result<Vec<Broken>, Error> {
    let mut breaches = Breaches::of("full range");
    for id in pools(state)? {
        let mut sum = Dec::ZERO;
        for position in keeper::pool_positions(state, id)? {
            let position = keeper::get_position(state, position)?;
            if is_full_range(&position) {
                sum = sum.plus(position.liquidity)?;
            }
        }
        breaches.equal(|| format!("pool {id}"), &keeper::full_range_liquidity(state, id)?, &sum);
    }
    let known = pools(state)?;
    for row in FULL_RANGE.scan_all(state)? {
        let (key, liquidity) = row?;
        if !known.contains(&key.pool) || liquidity.0.is_zero() {
            breaches.number(|| format!("pool {}", key.pool), &liquidity.0.to_string(), "no row");
        }
    }
    Ok(breaches.reported())
}
