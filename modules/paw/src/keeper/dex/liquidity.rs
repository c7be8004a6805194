//! Deposits of providers, their shares and their fees.
//!
//! Only `shares` contains the number of shares. The row in `liquidity` contains the deposit and the
//! growth of the pool up to which its fees are paid. Both rows and the height of the last action
//! are created and deleted together.

use super::{breaker, locked, params, pools};
use crate::{
    Error, ErrorKind,
    keeper::{Block, coins, pool_account, require},
    layout::paw::{Account, LAST_ACTIONS, LIQUIDITY, POOL_FEES, POOLS, SHARES, Token},
    number,
    values::{Pool, PoolOperation, Position},
};
use keyscape::{
    U256,
    store::{Read, Tx},
};

/// Amounts of both tokens of a pool, in the order of the pool.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Amounts {
    /// The amount of the first token.
    pub a: U256,
    /// The amount of the second token.
    pub b: U256,
}

/// Returns the shares of a provider, or 0.
///
/// # Errors
/// Errors of the database.
pub fn get_shares(
    state: &(impl Read + ?Sized),
    pool: u64,
    provider: &Account<'_>,
) -> Result<U256, Error> {
    Ok(SHARES.get(state, (pool, provider))?.unwrap_or(U256::ZERO))
}

/// Writes the position of the creator of a pool.
pub(super) fn open(
    tx: &mut Tx<'_>,
    block: Block,
    id: u64,
    creator: &Account<'_>,
    pool: &Pool,
) -> Result<(), Error> {
    let position = Position {
        deposit_a: pool.reserve_a,
        deposit_b: pool.reserve_b,
        paid_a: U256::ZERO,
        paid_b: U256::ZERO,
    };
    put(tx, block, id, creator, pool.shares, &position)
}

/// Writes a position, or deletes it if it has no shares.
fn put(
    tx: &mut Tx<'_>,
    block: Block,
    id: u64,
    provider: &Account<'_>,
    shares: U256,
    position: &Position,
) -> Result<(), Error> {
    if shares == U256::ZERO {
        SHARES.delete(tx, (id, provider))?;
        LIQUIDITY.delete(tx, (id, provider))?;
        return Ok(LAST_ACTIONS.delete(tx, (id, provider))?);
    }
    SHARES.put(tx, (id, provider), shares)?;
    LIQUIDITY.put(tx, (id, provider), position)?;
    Ok(LAST_ACTIONS.put(tx, (id, provider), block.height)?)
}

/// Deposits both tokens in the ratio of the pool, at most `most`. Returns the new shares and the
/// deposits.
///
/// # Errors
/// [`NoPool`](ErrorKind::NoPool), [`PoolPaused`](ErrorKind::PoolPaused),
/// [`PoolLocked`](ErrorKind::PoolLocked), [`Slippage`](ErrorKind::Slippage),
/// [`Invalid`](ErrorKind::Invalid), [`Overflow`](ErrorKind::Overflow), errors of the bank.
pub fn add_liquidity(
    tx: &mut Tx<'_>,
    block: Block,
    id: u64,
    provider: &Account<'_>,
    most: Amounts,
    min_shares: U256,
) -> Result<(U256, Amounts), Error> {
    let params = params(tx)?;
    locked(tx, block, id, PoolOperation::Add, |tx| {
        let mut pool = pools::get_pool(tx, id)?;
        breaker::open(tx, block, &params, id, &pool)?;
        let by_a = number::mul_div(most.a, pool.shares, pool.reserve_a)?;
        let by_b = number::mul_div(most.b, pool.shares, pool.reserve_b)?;
        let new = by_a.min(by_b);
        require(new > U256::ZERO, || ErrorKind::Invalid("the deposit is worth no share"))?;
        require(new >= min_shares, || ErrorKind::Slippage { result: new, limit: min_shares })?;
        let used = Amounts {
            a: number::mul_div_up(new, pool.reserve_a, pool.shares)?,
            b: number::mul_div_up(new, pool.reserve_b, pool.shares)?,
        };
        let (shares, mut position) = settle(tx, block, id, &pool, provider)?;
        let account = pool_account(id)?;
        coins::send(tx, block, provider, &account, &pool.token_a, used.a)?;
        coins::send(tx, block, provider, &account, &pool.token_b, used.b)?;
        pools::accumulate(block, &mut pool)?;
        pool.reserve_a = number::add(pool.reserve_a, used.a)?;
        pool.reserve_b = number::add(pool.reserve_b, used.b)?;
        let is_bounded = pool.reserve_a.max(pool.reserve_b) <= pools::MAX_RESERVE;
        require(is_bounded, || ErrorKind::Overflow("reserve"))?;
        pool.shares = number::add(pool.shares, new)?;
        POOLS.put(tx, id, &pool)?;
        position.deposit_a = number::add(position.deposit_a, used.a)?;
        position.deposit_b = number::add(position.deposit_b, used.b)?;
        put(tx, block, id, provider, number::add(shares, new)?, &position)?;
        Ok((new, used))
    })
}

/// Withdraws the part of the reserves that belongs to some shares, and the fees of the provider.
/// Returns the part of the reserves.
///
/// # Errors
/// [`NoPool`](ErrorKind::NoPool), [`PoolPaused`](ErrorKind::PoolPaused),
/// [`PoolLocked`](ErrorKind::PoolLocked), [`Shares`](ErrorKind::Shares),
/// [`TooSoon`](ErrorKind::TooSoon), [`Reserve`](ErrorKind::Reserve),
/// [`Slippage`](ErrorKind::Slippage), [`Invalid`](ErrorKind::Invalid) if `removed` is 0.
pub fn remove_liquidity(
    tx: &mut Tx<'_>,
    block: Block,
    id: u64,
    provider: &Account<'_>,
    removed: U256,
    least: Amounts,
) -> Result<Amounts, Error> {
    let params = params(tx)?;
    locked(tx, block, id, PoolOperation::Remove, |tx| {
        let mut pool = pools::get_pool(tx, id)?;
        breaker::open(tx, block, &params, id, &pool)?;
        let owned = get_shares(tx, id, provider)?;
        require(removed <= owned, || ErrorKind::Shares(owned))?;
        require(removed > U256::ZERO, || ErrorKind::Invalid("no shares are removed"))?;
        let last = LAST_ACTIONS.get(tx, (id, provider))?.unwrap_or(0);
        let first = last.saturating_add(params.liquidity_delay);
        require(block.height >= first, || ErrorKind::TooSoon(first))?;
        let out = Amounts {
            a: number::mul_div(removed, pool.reserve_a, pool.shares)?,
            b: number::mul_div(removed, pool.reserve_b, pool.shares)?,
        };
        for (result, limit) in [(out.a, least.a), (out.b, least.b)] {
            require(result >= limit, || ErrorKind::Slippage { result, limit })?;
        }
        let (_, mut position) = settle(tx, block, id, &pool, provider)?;
        pools::accumulate(block, &mut pool)?;
        pool.reserve_a = number::sub(pool.reserve_a, out.a)?;
        pool.reserve_b = number::sub(pool.reserve_b, out.b)?;
        pool.shares = number::sub(pool.shares, removed)?;
        let (left, min) = (pool.reserve_a.min(pool.reserve_b), params.min_reserve);
        require(left >= min, || ErrorKind::Reserve { left, min })?;
        POOLS.put(tx, id, &pool)?;
        let account = pool_account(id)?;
        coins::send(tx, block, &account, provider, &pool.token_a, out.a)?;
        coins::send(tx, block, &account, provider, &pool.token_b, out.b)?;
        let shares = number::sub(owned, removed)?;
        position.deposit_a = number::mul_div(position.deposit_a, shares, owned)?;
        position.deposit_b = number::mul_div(position.deposit_b, shares, owned)?;
        put(tx, block, id, provider, shares, &position)?;
        Ok(out)
    })
}

/// Returns the fees that a provider can claim.
///
/// # Errors
/// [`NoPool`](ErrorKind::NoPool).
pub fn claimable_fees(
    state: &(impl Read + ?Sized),
    id: u64,
    provider: &Account<'_>,
) -> Result<Amounts, Error> {
    let pool = pools::get_pool(state, id)?;
    match LIQUIDITY.get(state, (id, provider))? {
        Some(position) => pending(&pool, &position, get_shares(state, id, provider)?),
        None => Ok(Amounts::default()),
    }
}

/// Returns the fees of some shares since they were last paid.
pub(crate) fn pending(pool: &Pool, position: &Position, shares: U256) -> Result<Amounts, Error> {
    let of = |growth: U256, paid: U256| {
        let grown = number::sub(growth, paid)?.checked_mul(shares);
        Ok::<U256, Error>(grown.ok_or(ErrorKind::Overflow("fee"))? >> GROWTH_BITS)
    };
    Ok(Amounts { a: of(pool.growth_a, position.paid_a)?, b: of(pool.growth_b, position.paid_b)? })
}

/// Growth is in units of 2^-64.
const GROWTH_BITS: u32 = 64;

/// Adds a fee to the fees of the providers and to the growth of the pool. The account of the pool
/// already contains the coins.
pub(super) fn earn(
    tx: &mut Tx<'_>,
    id: u64,
    pool: &mut Pool,
    is_a: bool,
    fee: U256,
) -> Result<(), Error> {
    let growth = number::mul_div(fee, U256::ONE << GROWTH_BITS, pool.shares)?;
    let (token, total) = if is_a {
        (&pool.token_a, &mut pool.growth_a)
    } else {
        (&pool.token_b, &mut pool.growth_b)
    };
    *total = number::add(*total, growth)?;
    change_fees(tx, id, token, |fees| number::add(fees, fee))
}

fn change_fees(
    tx: &mut Tx<'_>,
    id: u64,
    token: &Token<'_>,
    change: impl FnOnce(U256) -> Result<U256, Error>,
) -> Result<(), Error> {
    POOL_FEES.update(tx, (id, token), |fees| {
        let fees = change(fees.unwrap_or(U256::ZERO))?;
        Ok((fees > U256::ZERO).then_some(fees))
    })
}

/// Pays the fees of a provider. Returns its shares, and its position with the fees paid. The caller
/// writes both.
fn settle(
    tx: &mut Tx<'_>,
    block: Block,
    id: u64,
    pool: &Pool,
    provider: &Account<'_>,
) -> Result<(U256, Position), Error> {
    let shares = get_shares(tx, id, provider)?;
    let (paid_a, paid_b) = (pool.growth_a, pool.growth_b);
    let Some(position) = LIQUIDITY.get(tx, (id, provider))? else {
        let none = Position { deposit_a: U256::ZERO, deposit_b: U256::ZERO, paid_a, paid_b };
        return Ok((shares, none));
    };
    let fees = pending(pool, &position, shares)?;
    let account = pool_account(id)?;
    for (token, fee) in [(&pool.token_a, fees.a), (&pool.token_b, fees.b)] {
        if fee > U256::ZERO {
            change_fees(tx, id, token, |fees| number::sub(fees, fee))?;
            coins::send(tx, block, &account, provider, token, fee)?;
        }
    }
    Ok((shares, Position { paid_a, paid_b, ..position }))
}

/// Pays the fees of a provider in proportion to its shares, even during a pause. Returns the fees.
///
/// # Errors
/// [`NoPool`](ErrorKind::NoPool), [`PoolLocked`](ErrorKind::PoolLocked),
/// [`Shares`](ErrorKind::Shares).
pub fn claim_fees(
    tx: &mut Tx<'_>,
    block: Block,
    id: u64,
    provider: &Account<'_>,
) -> Result<Amounts, Error> {
    locked(tx, block, id, PoolOperation::Claim, |tx| {
        let pool = pools::get_pool(tx, id)?;
        let fees = claimable_fees(tx, id, provider)?;
        let (shares, position) = settle(tx, block, id, &pool, provider)?;
        require(shares > U256::ZERO, || ErrorKind::Shares(shares))?;
        // A claim does not change the liquidity, so the height of the last action stays.
        LIQUIDITY.put(tx, (id, provider), &position)?;
        Ok(fees)
    })
}
