//! Pools and their prices, and the liquidity of pools, ticks, positions and accumulators.

use super::{Broken, pools};
use crate::{
    Error, keeper,
    layout::concentratedliquidity::{
        Accumulator, FULL_RANGE, POOLS, SPREAD_POSITIONS, TICKS, UPTIME_POSITIONS,
    },
    math::{self, BigDec, Dec},
    values::{DecProto, Pool},
};
use keyscape::store::Read;
use keyscape_sim::Breaches;
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
        breaches.compare(|| format!("the id of pool {id}"), &pool.id, &id);
        let stored = [&pool.address, &pool.incentives_address, &pool.spread_rewards_address];
        for (stored, derived) in stored.into_iter().zip(keeper::pool_owners(id)?) {
            breaches.compare(|| format!("an account of pool {id}"), stored, &derived.to_string());
        }
        if keeper::count_up_to(state, id, 1)? == 0 {
            let of = || format!("the price of pool {id} without positions");
            breaches.compare(of, &pool.sqrt_price, &BigDec::ZERO);
            breaches.compare(|| format!("the tick of pool {id} without positions"), &pool.tick, &0);
        } else {
            breaches.unless(is_tick_of_price(&pool), || {
                let Pool { tick, sqrt_price, .. } = &pool;
                format!(
                    "the tick of pool {id} is {tick}, expected that of the sqrt price {sqrt_price}"
                )
            });
        }
    }
    Ok(breaches.reported())
}

/// Whether the tick of a pool is that of its price.
///
/// The first position sets the tick rounded down to the spacing; swaps set it unrounded. A swap
/// that ends at the price of a tick that it has crossed downwards sets the tick below.
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
        breaches.compare(|| format!("pool {id}"), &pool.liquidity, &sum);
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
            breaches.compare(|| format!("gross of tick {tick} of pool {id}"), &info.gross, &gross);
            breaches.compare(|| format!("net of tick {tick} of pool {id}"), &info.net, &net);
        }
        for (tick, (gross, _)) in sums {
            breaches
                .add(format_args!("tick {tick} of pool {id} is missing, expected gross {gross}"));
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
    let pools = pools(state)?;
    for &id in &pools {
        let mut sum = Dec::ZERO;
        for position in keeper::positions_in(state, id)? {
            if keeper::is_full_range(&position) {
                sum = sum.plus(position.liquidity)?;
            }
        }
        breaches.compare(|| format!("pool {id}"), &keeper::full_range_liquidity(state, id)?, &sum);
    }
    for row in FULL_RANGE.scan_all(state)? {
        let (key, DecProto { dec }) = row?;
        breaches.unless(pools.contains(&key.pool) && !dec.is_zero(), || {
            format!("pool {} is {dec}, expected no row", key.pool)
        });
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
        let shares = SPREAD_POSITIONS.scan_pool(state, pool)?.map(|row| {
            let (key, record) = row?;
            Ok((key.position, record.shares))
        });
        let accumulator = Accumulator::Spread { pool };
        compare_shares(state, &mut breaches, accumulator, positions.clone(), shares)?;
        for uptime in keeper::uptimes() {
            let shares = UPTIME_POSITIONS.scan_pool_uptime(state, pool, uptime)?.map(|row| {
                let (key, record) = row?;
                Ok((key.position, record.shares))
            });
            let accumulator = Accumulator::Uptime { pool, uptime };
            compare_shares(state, &mut breaches, accumulator, positions.clone(), shares)?;
        }
    }
    Ok(breaches.reported())
}

/// Compares the shares of an accumulator with the liquidity of the positions, and with their sum in
/// the accumulator.
fn compare_shares(
    state: &(impl Read + ?Sized),
    breaches: &mut Breaches,
    accumulator: Accumulator,
    mut positions: BTreeMap<u64, Dec>,
    shares: impl Iterator<Item = Result<(u64, Dec), Error>>,
) -> Result<(), Error> {
    let mut sum = Dec::ZERO;
    for share in shares {
        let (id, share) = share?;
        sum = sum.plus(share)?;
        let expected = positions.remove(&id).unwrap_or_default();
        breaches.compare(
            || format!("share of position {id} in {accumulator:?}"),
            &share,
            &expected,
        );
    }
    for (id, liquidity) in positions {
        breaches.add(format_args!(
            "share of position {id} in {accumulator:?} is missing, expected {liquidity}"
        ));
    }
    let stored = keeper::get_accumulator(state, accumulator)?.shares;
    breaches.compare(|| format!("{accumulator:?}"), &stored, &sum);
    Ok(())
}
