//! Pools: their ids, accounts and prices.

use super::{Breaches, Broken};
use crate::{
    Error, address, keeper,
    layout::concentratedliquidity::POOLS,
    math::{self, BigDec},
    values::Pool,
};
use keyscape::store::Read;

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
        for (stated, derived) in stated.into_iter().zip(keeper::pool_addresses(id)?) {
            let derived = address::text(derived.as_bytes());
            breaches.equal(|| format!("an account of pool {id}"), stated, &derived);
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
