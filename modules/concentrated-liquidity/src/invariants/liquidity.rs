//! Pools and their prices, and the liquidity of pools, ticks, positions and accumulators.

use super::{Breaches, Broken, pools};
use crate::{
    Error, keeper,
    layout::concentratedliquidity::{
        Accumulator, FULL_RANGE, POOLS, SPREAD_POSITIONS, TICKS, UPTIME_POSITIONS,
    },
    math::{self, BigDec, Dec},
    values::Pool,
};
use keyscape::store::Read;
use std::collections::BTreeMap;

/// Checks that a pool has the id of its key and the accounts of its id. A pool without positions
/// has no price. In any other pool, the tick is that of the price.
///
/// # Errors
/// Errors of the database.
pub fn prices(state: &(impl Read + ?Sized)) -> Result<Vec<Broken>, Error> {
    let mut breaches = Breaches::of("prices");
    for row in POOLS.scan_all(state)? {
        let (key, pool) = row?;
        let id = key.pool;
        breaches.equal(|| format!("the id of pool {id}"), &pool.id, &id);
        let stated = [&pool.address, &pool.incentives_address, &pool.spread_rewards_address];
        for (stated, derived) in stated.into_iter().zip(keeper::pool_owners(id)?) {
            breaches.equal(|| format!("an account of pool {id}"), stated, &derived.to_string());
        }
        if keeper::count_up_to(state, id, 1)? == 0 {
            let of = || format!("the price of pool {id} without positions");
            breaches.equal(of, &pool.sqrt_price, &BigDec::ZERO);
            breaches.equal(|| format!("the tick of pool {id} without positions"), &pool.tick, &0);
        } else if !is_tick_of_price(&pool) {
            let of = || format!("the tick of pool {id}");
            let expected = format!("the tick of the sqrt price {}", pool.sqrt_price);
            breaches.number(of, &pool.tick.to_string(), &expected);
        }
    }
    Ok(breaches.reported())
}

/// Whether the tick of a pool is that of its price.
///
/// The first position sets the tick rounded down to the spacing, swaps set it unrounded. A swap
/// that crosses a tick downwards ends below the tick at the price of the tick.
fn is_tick_of_price(pool: &Pool) -> bool {
    let Ok(tick) = math::sqrt_price_to_tick(pool.sqrt_price) else { return false };
    let is_rounded = math::round_down_to_spacing(tick, pool.spacing) == Ok(pool.tick);
    let is_crossed = tick.checked_sub(1) == Some(pool.tick)
        && math::tick_to_sqrt_price(tick) == Ok(pool.sqrt_price);
    pool.tick == tick || is_rounded || is_crossed
}

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
        for position in keeper::positions_in(state, id)? {
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
        for position in keeper::positions_in(state, id)? {
            if keeper::is_full_range(&position) {
                sum = sum.plus(position.liquidity)?;
            }
        }
        breaches.equal(|| format!("pool {id}"), &keeper::full_range_liquidity(state, id)?, &sum);
    }
    let known = pools(state)?;
    for row in FULL_RANGE.scan_all(state)? {
        let (key, liquidity) = row?;
        if !known.contains(&key.pool) || liquidity.dec.is_zero() {
            breaches.number(|| format!("pool {}", key.pool), &liquidity.dec.to_string(), "no row");
        }
    }
    Ok(breaches.reported())
}

/// Checks that the shares of an accumulator are the sum of the shares of its positions. Each
/// position of the pool has its liquidity as shares in every accumulator of the pool; any other
/// share is zero.
///
/// # Errors
/// Errors of the database.
pub fn shares(state: &(impl Read + ?Sized)) -> Result<Vec<Broken>, Error> {
    let mut breaches = Breaches::of("shares");
    for pool in pools(state)? {
        let mut positions = BTreeMap::new();
        for position in keeper::pool_positions(state, pool)? {
            positions.insert(position, keeper::get_position(state, position)?.liquidity);
        }
        let mut all = Shares::new(Accumulator::Spread { pool }, &positions);
        for row in SPREAD_POSITIONS.scan_pool(state, pool)? {
            let (key, record) = row?;
            all.add(&mut breaches, key.position, record.shares)?;
        }
        all.end(state, &mut breaches)?;
        for uptime in keeper::uptimes() {
            let mut all = Shares::new(Accumulator::Uptime { pool, uptime }, &positions);
            for row in UPTIME_POSITIONS.scan_pool_uptime(state, pool, uptime)? {
                let (key, record) = row?;
                all.add(&mut breaches, key.position, record.shares)?;
            }
            all.end(state, &mut breaches)?;
        }
    }
    Ok(breaches.reported())
}

/// The shares of one accumulator.
struct Shares {
    accumulator: Accumulator,
    /// The liquidity of the positions whose share was not found yet.
    missing: BTreeMap<u64, Dec>,
    sum: Dec,
}

impl Shares {
    fn new(accumulator: Accumulator, positions: &BTreeMap<u64, Dec>) -> Shares {
        Shares { accumulator, missing: positions.clone(), sum: Dec::ZERO }
    }

    fn add(&mut self, breaches: &mut Breaches, id: u64, shares: Dec) -> Result<(), Error> {
        let accumulator = self.accumulator;
        self.sum = self.sum.plus(shares)?;
        let expected = self.missing.remove(&id).unwrap_or_default();
        breaches.equal(|| format!("share of position {id} in {accumulator:?}"), &shares, &expected);
        Ok(())
    }

    fn end(self, state: &(impl Read + ?Sized), breaches: &mut Breaches) -> Result<(), Error> {
        let Shares { accumulator, missing, sum } = self;
        for (id, liquidity) in missing {
            let of = || format!("share of position {id} in {accumulator:?}");
            breaches.number(of, "missing", &liquidity.to_string());
        }
        let stored = keeper::get_accumulator(state, accumulator)?.shares;
        breaches.equal(|| format!("{accumulator:?}"), &stored, &sum);
        Ok(())
    }
}
