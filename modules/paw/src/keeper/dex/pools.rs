//! Pools and their prices.

use super::{breaker, liquidity, params};
use crate::{
    Error, ErrorKind,
    keeper::{Block, coins, pool_account, require},
    layout::paw::{Account, NEXT_POOL, POOL_BY_TOKENS, POOLS, Token},
    number,
    values::Pool,
};
use keyscape::{
    U256,
    store::{Read, Tx},
};

/// The largest reserve: products of two reserves stay far below 2^256.
pub(crate) const MAX_RESERVE: U256 = U256::new((1 << 112) - 1);
/// The largest sum of price times seconds up to [`MAX_TIME`](crate::number::MAX_TIME): a
/// price has at most 172 bits and a time 38.
pub(crate) const MAX_CUMULATIVE: U256 = U256::from_words(1 << (210 - 128), 0);

/// Returns a pool.
///
/// # Errors
/// [`NoPool`](ErrorKind::NoPool).
pub fn get_pool(state: &(impl Read + ?Sized), pool: u64) -> Result<Pool, Error> {
    POOLS.get(state, pool)?.ok_or_else(|| ErrorKind::NoPool(pool).into())
}

/// Returns the pool of two tokens, in any order.
///
/// # Errors
/// Errors of the database.
pub fn find_pool(
    state: &(impl Read + ?Sized),
    one: &Token<'_>,
    other: &Token<'_>,
) -> Result<Option<u64>, Error> {
    let (a, b) = if one.as_str() <= other.as_str() { (one, other) } else { (other, one) };
    Ok(POOL_BY_TOKENS.owner(state, (a, b))?.map(|key| key.pool))
}

/// Returns whether a token is the first one of a pool. Rejects tokens that are not in the pool.
pub(super) fn is_first_token(id: u64, pool: &Pool, token: &Token<'_>) -> Result<bool, Error> {
    let is_a = pool.token_a == *token;
    require(is_a || pool.token_b == *token, || ErrorKind::NotInPool {
        token: token.clone().into_owned(),
        pool: id,
    })?;
    Ok(is_a)
}

/// Creates the pool of two tokens with a first deposit. Returns its id and the shares of the
/// creator.
///
/// # Errors
/// [`PoolExists`](ErrorKind::PoolExists), [`Reserve`](ErrorKind::Reserve),
/// [`Invalid`](ErrorKind::Invalid), [`Overflow`](ErrorKind::Overflow), errors of the bank.
pub fn create_pool(
    tx: &mut Tx<'_>,
    block: Block,
    creator: &Account<'_>,
    one: (&Token<'_>, U256),
    other: (&Token<'_>, U256),
) -> Result<(u64, U256), Error> {
    let params = params(tx)?;
    require(one.0 != other.0, || ErrorKind::Invalid("a pool needs two different tokens"))?;
    if let Some(pool) = find_pool(tx, one.0, other.0)? {
        return Err(ErrorKind::PoolExists(pool).into());
    }
    let ((token_a, reserve_a), (token_b, reserve_b)) =
        if one.0.as_str() < other.0.as_str() { (one, other) } else { (other, one) };
    for left in [reserve_a, reserve_b] {
        let min = params.min_reserve;
        require(left >= min, || ErrorKind::Reserve { left, min })?;
        require(left <= MAX_RESERVE, || ErrorKind::Overflow("reserve"))?;
    }
    let ratio = reserve_a.max(reserve_b) / reserve_a.min(reserve_b);
    let in_range = ratio <= U256::from(params.max_ratio);
    require(in_range, || ErrorKind::Invalid("the two deposits are too different"))?;
    let id = NEXT_POOL.peek(tx)?;
    require(id <= params.max_pools, || ErrorKind::Invalid("no more pools are allowed"))?;
    tx.attempt(|tx| {
        let id = NEXT_POOL.next(tx)?;
        let account = pool_account(id)?;
        coins::send(tx, block, creator, &account, token_a, reserve_a)?;
        coins::send(tx, block, creator, &account, token_b, reserve_b)?;
        let shares = number::sqrt(reserve_a * reserve_b);
        let pool = Pool {
            token_a: token_a.clone().into_owned(),
            token_b: token_b.clone().into_owned(),
            reserve_a,
            reserve_b,
            shares,
            growth_a: U256::ZERO,
            growth_b: U256::ZERO,
            cumulative: U256::ZERO,
            updated: block.time,
        };
        POOLS.put(tx, id, &pool)?;
        breaker::begin(tx, block, id, &pool)?;
        liquidity::open(tx, block, id, creator, &pool)?;
        Ok((id, shares))
    })
}

/// Returns the price of the first token in the second token, in units of 10^-18.
///
/// # Errors
/// [`NoPool`](ErrorKind::NoPool), [`Overflow`](ErrorKind::Overflow).
pub fn spot_price(state: &(impl Read + ?Sized), pool: u64) -> Result<U256, Error> {
    price(&get_pool(state, pool)?)
}

pub(crate) fn price(pool: &Pool) -> Result<U256, Error> {
    let price = number::mul_div(pool.reserve_b, number::UNIT, pool.reserve_a)?;
    require(price > U256::ZERO, || ErrorKind::Overflow("ratio of the reserves"))?;
    Ok(price)
}

/// Adds the time since the last change to the cumulative price. Runs before the reserves change.
pub(super) fn accumulate(block: Block, pool: &mut Pool) -> Result<(), Error> {
    pool.cumulative = cumulative_at(block, pool)?;
    pool.updated = pool.updated.max(block.time);
    Ok(())
}

fn cumulative_at(block: Block, pool: &Pool) -> Result<U256, Error> {
    number::accumulated(pool.cumulative, price(pool)?, pool.updated, block.time)
}

/// The cumulative price of a pool at a time.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Observation {
    /// The sum of price times seconds since the creation of the pool.
    pub cumulative: U256,
    /// The second.
    pub time: u64,
}

/// Returns the current cumulative price of a pool. [`average_price`] computes the average between
/// two observations.
///
/// # Errors
/// [`NoPool`](ErrorKind::NoPool), [`Overflow`](ErrorKind::Overflow).
pub fn observe(
    state: &(impl Read + ?Sized),
    block: Block,
    pool: u64,
) -> Result<Observation, Error> {
    let cumulative = cumulative_at(block, &get_pool(state, pool)?)?;
    Ok(Observation { cumulative, time: block.time })
}

/// Returns the time-weighted average price between two observations of a pool, or `None` if no time
/// has passed.
#[must_use]
pub fn average_price(first: &Observation, last: &Observation) -> Option<U256> {
    let seconds = U256::from(last.time.checked_sub(first.time)?);
    last.cumulative.checked_sub(first.cumulative)?.checked_div(seconds)
}
