//! Invariants of the exchange.

use super::{Breaches, Broken};
use crate::{
    Error,
    keeper::{account_of, balance, dex, pool_account},
    layout::paw::{
        CIRCUIT_BREAKERS, LAST_ACTIONS, LIQUIDITY, LOCKS, NEXT_POOL, POOL_FEES, POOLS,
        PROTOCOL_FEES, SHARES,
    },
    number,
};
use keyscape::{U256, store::Read};

/// Pairs are sorted, ids are below their counter, reserves and shares are positive, and each pool
/// has a circuit breaker.
///
/// # Errors
/// Errors of the database.
pub fn pools(state: &(impl Read + ?Sized)) -> Result<Vec<Broken>, Error> {
    let mut breaches = Breaches::of("pools");
    let next = NEXT_POOL.peek(state)?;
    let mut count = 0;
    for row in POOLS.scan_all(state)?.rows() {
        let (key, pool) = row?;
        let id = key.pool;
        count += 1;
        breaches.unless(id < next, || format!("pool {id} is not below {next}"));
        breaches.unless(pool.token_a < pool.token_b, || format!("pool {id} is not sorted"));
        let least = pool.reserve_a.min(pool.reserve_b).min(pool.shares);
        breaches.unless(least > U256::ZERO, || format!("pool {id} is empty"));
        let has_breaker = CIRCUIT_BREAKERS.contains(state, id)?;
        breaches.unless(has_breaker, || format!("pool {id} has no circuit breaker"));
    }
    let breakers = CIRCUIT_BREAKERS.prefix_all().count(state)?;
    breaches.unless(breakers == count, || format!("{count} pools have {breakers} breakers"));
    Ok(breaches.reported())
}

/// The account of a pool covers its reserves and the fees of its providers, and that of the module
/// the fees of the protocol.
///
/// # Errors
/// Errors of the database.
pub fn pool_coins(state: &(impl Read + ?Sized)) -> Result<Vec<Broken>, Error> {
    let mut breaches = Breaches::of("pool coins");
    for row in POOLS.scan_all(state)?.rows() {
        let (key, pool) = row?;
        let account = pool_account(key.pool)?;
        for (token, reserve) in [(&pool.token_a, pool.reserve_a), (&pool.token_b, pool.reserve_b)] {
            let fees = POOL_FEES.get(state, (key.pool, token.by_ref()))?.unwrap_or(U256::ZERO);
            let (needed, held) = (number::add(reserve, fees)?, balance(state, &account, token)?);
            breaches.unless(held >= needed, || {
                format!("pool {} holds {held}{token}, expected {needed}{token}", key.pool)
            });
        }
    }
    for row in PROTOCOL_FEES.scan_all(state)?.rows() {
        let (key, fees) = row?;
        let held = balance(state, &account_of("dex")?, &key.token)?;
        let token = &key.token;
        breaches.unless(held >= fees, || format!("the module holds {held}{token}, not {fees}"));
    }
    Ok(breaches.reported())
}

/// The shares of a pool add up to its total, positions and shares have the same keys, and the fees
/// of all providers together are covered.
///
/// # Errors
/// Errors of the database.
pub fn shares(state: &(impl Read + ?Sized)) -> Result<Vec<Broken>, Error> {
    let mut breaches = Breaches::of("shares");
    let mut count = 0;
    for row in POOLS.scan_all(state)?.rows() {
        let (key, pool) = row?;
        let id = key.pool;
        let (mut sum, mut fee_a, mut fee_b) = (U256::ZERO, U256::ZERO, U256::ZERO);
        for row in SHARES.scan_pool(state, id)?.rows() {
            let (key, shares) = row?;
            count += 1;
            sum = number::add(sum, shares)?;
            let Some(position) = LIQUIDITY.get(state, (id, key.provider.by_ref()))? else {
                breaches.unless(false, || format!("`{}` has no position", key.provider));
                continue;
            };
            let has_action = LAST_ACTIONS.contains(state, (id, key.provider.by_ref()))?;
            breaches.unless(has_action, || format!("`{}` has no last action", key.provider));
            let fees = dex::pending(&pool, &position, shares)?;
            (fee_a, fee_b) = (number::add(fee_a, fees.a)?, number::add(fee_b, fees.b)?);
        }
        breaches.unless(sum == pool.shares, || {
            format!("the shares of pool {id} add up to {sum}, not {}", pool.shares)
        });
        for (token, owed) in [(&pool.token_a, fee_a), (&pool.token_b, fee_b)] {
            let fees = POOL_FEES.get(state, (id, token.by_ref()))?.unwrap_or(U256::ZERO);
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

/// No pool is locked between two blocks.
///
/// # Errors
/// Errors of the database.
pub fn locks(state: &(impl Read + ?Sized)) -> Result<Vec<Broken>, Error> {
    let mut breaches = Breaches::of("locks");
    for row in LOCKS.scan_all(state)?.rows() {
        let (key, lock) = row?;
        breaches.unless(false, || format!("pool {} is locked by {}", key.pool, lock.operation));
    }
    Ok(breaches.reported())
}
