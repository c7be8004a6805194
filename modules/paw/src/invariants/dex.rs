//! Invariants of the exchange.

use crate::{
    Error,
    keeper::{account_of, balance, dex, pool_account},
    layout::paw::{
        CIRCUIT_BREAKERS, LAST_ACTIONS, LIQUIDITY, LOCKS, NEXT_POOL, POOL_FEES, POOLS,
        PROTOCOL_FEES, SHARES,
    },
    number::MAX_TIME,
    values::Pool,
};
use keyscape::{U256, store::Read};
use keyscape_sim::{Breaches, Broken};

/// Checks that pairs are sorted, that ids are below their counter, that reserves, shares and prices
/// are positive and in range, and that each pool has a circuit breaker with a reference. The
/// product of the reserves is at least the square of the shares, because no operation lowers that
/// ratio.
///
/// # Errors
/// Errors of the database.
pub fn pools(state: &(impl Read + ?Sized)) -> Result<Vec<Broken>, Error> {
    let mut breaches = Breaches::of("pools");
    let next = NEXT_POOL.peek(state)?;
    let mut count = 0;
    for row in POOLS.scan_all(state)? {
        let (key, pool) = row?;
        let id = key.pool;
        count += 1;
        breaches.unless(id < next, || format!("pool {id} is not below {next}"));
        breaches.unless(pool.token_a < pool.token_b, || format!("pool {id} is not sorted"));
        let least = pool.reserve_a.min(pool.reserve_b).min(pool.shares);
        breaches.unless(least > U256::ZERO, || format!("pool {id} is empty"));
        let most = pool.reserve_a.max(pool.reserve_b);
        let in_range = most <= dex::MAX_RESERVE
            && pool.updated <= MAX_TIME
            && pool.cumulative <= dex::MAX_CUMULATIVE;
        breaches.unless(in_range, || format!("pool {id} has a number out of range"));
        breaches.take(dex::price(&pool), || format!("pool {id} has no price"))?;
        let (k, square) = (product(&pool), pool.shares.saturating_mul(pool.shares));
        breaches.unless(k >= square, || {
            format!("the reserves of pool {id} are worth less than its {} shares", pool.shares)
        });
        let breaker = CIRCUIT_BREAKERS.get(state, id)?;
        let has_reference = breaker.is_some_and(|breaker| breaker.reference > U256::ZERO);
        breaches.unless(has_reference, || {
            format!("pool {id} has no circuit breaker, or one without a reference")
        });
    }
    let breakers = CIRCUIT_BREAKERS.prefix_all().count(state)?;
    breaches.unless(breakers == count, || format!("{count} pools have {breakers} breakers"));
    Ok(breaches.reported())
}

fn product(pool: &Pool) -> U256 {
    pool.reserve_a.saturating_mul(pool.reserve_b)
}

/// Checks that the product of the reserves of a pool does not fall in a swap. `before` and `after`
/// are the pool around the swap.
#[must_use]
pub fn product_never_falls(pool: u64, before: &Pool, after: &Pool) -> Vec<Broken> {
    let mut breaches = Breaches::of("product");
    let (earlier, later) = (product(before), product(after));
    breaches.unless(later >= earlier, || format!("pool {pool} went from {earlier} to {later}"));
    breaches.reported()
}

/// Checks that the account of a pool covers its reserves and the fees of its providers, and that
/// the account of the module covers the fees of the protocol. Fees belong to a token of an existing
/// pool.
///
/// # Errors
/// Errors of the database.
pub fn pool_coins(state: &(impl Read + ?Sized)) -> Result<Vec<Broken>, Error> {
    let mut breaches = Breaches::of("pool coins");
    for row in POOLS.scan_all(state)? {
        let (key, pool) = row?;
        let account = pool_account(key.pool)?;
        for (token, reserve) in [(&pool.token_a, pool.reserve_a), (&pool.token_b, pool.reserve_b)] {
            let fees = POOL_FEES.get(state, (key.pool, token))?.unwrap_or(U256::ZERO);
            let (needed, held) = (reserve.saturating_add(fees), balance(state, &account, token)?);
            breaches.unless(held >= needed, || {
                format!("pool {} holds {held}{token}, expected {needed}{token}", key.pool)
            });
        }
    }
    for row in POOL_FEES.scan_all(state)? {
        let (key, fees) = row?;
        let pool = POOLS.get(state, key.pool)?;
        let is_own =
            pool.is_some_and(|pool| pool.token_a == key.token || pool.token_b == key.token);
        breaches.unless(is_own && fees > U256::ZERO, || {
            format!("fees of {fees}{} in pool {}, which has none", key.token, key.pool)
        });
    }
    for row in PROTOCOL_FEES.scan_all(state)? {
        let (key, fees) = row?;
        let held = balance(state, &account_of("dex")?, &key.token)?;
        let token = &key.token;
        breaches.unless(held >= fees, || format!("the module holds {held}{token}, not {fees}"));
    }
    Ok(breaches.reported())
}

/// Checks that the shares of a pool add up to its total, that positions and shares have the same
/// keys, and that the fees of all providers together are covered.
///
/// # Errors
/// Errors of the database.
pub fn shares(state: &(impl Read + ?Sized)) -> Result<Vec<Broken>, Error> {
    let mut breaches = Breaches::of("shares");
    let mut count = 0;
    for row in POOLS.scan_all(state)? {
        let (key, pool) = row?;
        let id = key.pool;
        let (mut sum, mut fee_a, mut fee_b) = (U256::ZERO, U256::ZERO, U256::ZERO);
        for row in SHARES.scan_pool(state, id)? {
            let (key, shares) = row?;
            count += 1;
            sum = sum.saturating_add(shares);
            breaches.unless(shares > U256::ZERO, || format!("`{}` has no shares", key.provider));
            let Some(position) = LIQUIDITY.get(state, (id, &key.provider))? else {
                breaches.add(format_args!("`{}` has no position", key.provider));
                continue;
            };
            let has_action = LAST_ACTIONS.contains(state, (id, &key.provider))?;
            breaches.unless(has_action, || format!("`{}` has no last action", key.provider));
            let fees = dex::pending(&pool, &position, shares);
            let fees = breaches.take(fees, || format!("fees of `{}`", key.provider))?;
            let fees = fees.unwrap_or_default();
            fee_a = fee_a.saturating_add(fees.a);
            fee_b = fee_b.saturating_add(fees.b);
        }
        breaches.unless(sum == pool.shares, || {
            format!("the shares of pool {id} add up to {sum}, not {}", pool.shares)
        });
        for (token, owed) in [(&pool.token_a, fee_a), (&pool.token_b, fee_b)] {
            let fees = POOL_FEES.get(state, (id, token))?.unwrap_or(U256::ZERO);
            breaches.unless(fees >= owed, || format!("pool {id} owes {owed}{token} of {fees}"));
        }
    }
    for (name, rows) in [
        ("shares", SHARES.prefix_all().count(state)?),
        ("positions", LIQUIDITY.prefix_all().count(state)?),
        ("last actions", LAST_ACTIONS.prefix_all().count(state)?),
    ] {
        breaches.unless(rows == count, || format!("{rows} {name}, expected {count}"));
    }
    Ok(breaches.reported())
}

/// Checks that no pool is locked between two blocks.
///
/// # Errors
/// Errors of the database.
pub fn locks(state: &(impl Read + ?Sized)) -> Result<Vec<Broken>, Error> {
    let mut breaches = Breaches::of("locks");
    for row in LOCKS.scan_all(state)? {
        let (key, lock) = row?;
        breaches.add(format_args!("pool {} is locked by {}", key.pool, lock.operation));
    }
    Ok(breaches.reported())
}
