//! Swaps, flash loans and the fees of the protocol.

use super::{MODULE, breaker, liquidity, locked, params, pools};
use crate::{
    Error, ErrorKind,
    keeper::{Block, account_of, coins, only, pool_account, require},
    layout::paw::{Account, POOLS, PROTOCOL_FEES, Token},
    number,
    values::{DexParams, Pool, PoolOperation},
};
use keyscape::{
    U256,
    store::{Read, Tx},
};

/// The outcome of an operation that the circuit breaker can stop.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[must_use]
pub enum Outcome<T> {
    /// The operation was done.
    Done(T),
    /// The operation was not done, and the pool is paused. The pause is written: commit it.
    Paused {
        /// The second in which the pause ends.
        until: u64,
    },
}

/// A swap of an exact amount.
#[derive(Clone, Copy, Debug)]
pub struct Swap<'a> {
    /// The pool.
    pub pool: u64,
    /// The account that pays and receives.
    pub trader: &'a Account<'a>,
    /// The token that the trader pays with.
    pub token_in: &'a Token<'a>,
    /// The amount that the trader pays, fees included.
    pub amount_in: U256,
    /// The smallest amount that the trader accepts.
    pub min_out: U256,
}

/// The amounts of a swap.
struct Legs {
    /// Whether the trader pays with the first token of the pool.
    is_a: bool,
    lp_fee: U256,
    protocol_fee: U256,
    out: U256,
    /// The pool with the reserves after the swap.
    after: Pool,
}

/// Returns the fee of the providers, rounded up, so no swap is free.
fn lp_fee(params: &DexParams, amount: U256) -> Result<U256, Error> {
    number::mul_div_up(amount, params.lp_fee_bp.into(), number::BASIS.into())
}

/// Computes a swap, without the checks of slippage and of the circuit breaker.
fn legs(
    params: &DexParams,
    id: u64,
    pool: &Pool,
    token_in: &Token<'_>,
    amount: U256,
) -> Result<Legs, Error> {
    let is_a = pools::is_first_token(id, pool, token_in)?;
    let (reserve_in, reserve_out) =
        if is_a { (pool.reserve_a, pool.reserve_b) } else { (pool.reserve_b, pool.reserve_a) };
    let most = number::part(reserve_in, params.max_swap_bp)?;
    require(U256::ZERO < amount && amount <= most, || {
        ErrorKind::Invalid("the swap is zero or too large for the reserve")
    })?;
    let lp_fee = lp_fee(params, amount)?;
    let protocol_fee = number::part(amount, params.protocol_fee_bp)?;
    let net = number::sub(number::sub(amount, lp_fee)?, protocol_fee)?;
    let grown = number::add(reserve_in, net)?;
    require(grown <= pools::MAX_RESERVE, || ErrorKind::Overflow("reserve"))?;
    let out = number::mul_div(reserve_out, net, grown)?;
    require(out > U256::ZERO, || ErrorKind::Invalid("the swap is too small to return anything"))?;
    let left = number::sub(reserve_out, out)?;
    let min = params.min_reserve;
    require(left >= min, || ErrorKind::Reserve { left, min })?;
    let mut after = pool.clone();
    (after.reserve_a, after.reserve_b) = if is_a { (grown, left) } else { (left, grown) };
    Ok(Legs { is_a, lp_fee, protocol_fee, out, after })
}

/// Returns the amount that a swap would return, without checking the circuit breaker.
///
/// # Errors
/// As [`swap`].
pub fn quote(
    state: &(impl Read + ?Sized),
    pool: u64,
    token_in: &Token<'_>,
    amount_in: U256,
) -> Result<U256, Error> {
    let row = pools::get_pool(state, pool)?;
    Ok(legs(&params(state)?, pool, &row, token_in, amount_in)?.out)
}

/// Swaps one token of a pool for the other. Returns the amount out, or that the pool is now paused.
/// Only a swap that the trader could pay pauses a pool.
///
/// # Errors
/// [`NoPool`](ErrorKind::NoPool), [`NotInPool`](ErrorKind::NotInPool),
/// [`PoolPaused`](ErrorKind::PoolPaused), [`PoolLocked`](ErrorKind::PoolLocked),
/// [`Slippage`](ErrorKind::Slippage), [`Reserve`](ErrorKind::Reserve),
/// [`Invalid`](ErrorKind::Invalid), [`Overflow`](ErrorKind::Overflow), errors of the bank.
pub fn swap(tx: &mut Tx<'_>, block: Block, swap: &Swap<'_>) -> Result<Outcome<U256>, Error> {
    let params = params(tx)?;
    let id = swap.pool;
    locked(tx, block, id, PoolOperation::Swap, |tx| {
        let mut pool = pools::get_pool(tx, id)?;
        let breaker = breaker::open(tx, block, &params, id, &pool)?;
        let legs = legs(&params, id, &pool, swap.token_in, swap.amount_in)?;
        let (result, limit) = (legs.out, swap.min_out);
        require(result >= limit, || ErrorKind::Slippage { result, limit })?;
        let price = pools::price(&legs.after)?;
        let (account, token_in) = (pool_account(id)?, swap.token_in);
        if breaker::is_tripped(&params, &breaker, price)? {
            coins::check_send(tx, block, swap.trader, &account, token_in, swap.amount_in)?;
            let until = breaker::trip(tx, block, &params, id, &breaker)?;
            return Ok(Outcome::Paused { until });
        }
        pools::accumulate(block, &mut pool)?;
        (pool.reserve_a, pool.reserve_b) = (legs.after.reserve_a, legs.after.reserve_b);
        liquidity::earn(tx, id, &mut pool, legs.is_a, legs.lp_fee)?;
        POOLS.put(tx, id, &pool)?;
        let to_pool = number::sub(swap.amount_in, legs.protocol_fee)?;
        coins::send(tx, block, swap.trader, &account, token_in, to_pool)?;
        let dex = account_of(MODULE)?;
        coins::send(tx, block, swap.trader, &dex, token_in, legs.protocol_fee)?;
        if legs.protocol_fee > U256::ZERO {
            PROTOCOL_FEES.update(tx, token_in, |fees| {
                let fees = number::add(fees.unwrap_or(U256::ZERO), legs.protocol_fee)?;
                Ok::<_, Error>(Some(fees))
            })?;
        }
        let token_out = if legs.is_a { &pool.token_b } else { &pool.token_a };
        coins::send(tx, block, &account, swap.trader, token_out, legs.out)?;
        Ok(Outcome::Done(legs.out))
    })
}

/// Lends coins of a pool during `run`, and collects them with the fee of a swap for the providers.
/// Inside `run`, every operation on this pool is rejected.
///
/// # Errors
/// Errors of `run`, errors of the bank if the borrower cannot pay back, and as [`swap`].
pub fn flash_loan(
    tx: &mut Tx<'_>,
    block: Block,
    id: u64,
    borrower: &Account<'_>,
    token: &Token<'_>,
    amount: U256,
    run: impl FnOnce(&mut Tx<'_>) -> Result<(), Error>,
) -> Result<U256, Error> {
    let params = params(tx)?;
    locked(tx, block, id, PoolOperation::Loan, |tx| {
        let mut pool = pools::get_pool(tx, id)?;
        breaker::open(tx, block, &params, id, &pool)?;
        let is_a = pools::is_first_token(id, &pool, token)?;
        let reserve = if is_a { pool.reserve_a } else { pool.reserve_b };
        require(U256::ZERO < amount && amount <= reserve, || {
            ErrorKind::Invalid("the loan is zero or above the reserve")
        })?;
        let fee = lp_fee(&params, amount)?;
        let account = pool_account(id)?;
        coins::send(tx, block, &account, borrower, token, amount)?;
        run(tx)?;
        coins::send(tx, block, borrower, &account, token, number::add(amount, fee)?)?;
        liquidity::earn(tx, id, &mut pool, is_a, fee)?;
        POOLS.put(tx, id, &pool)?;
        Ok(fee)
    })
}

/// Pays the fees of the protocol in one token to an account, by governance. Returns the amount.
///
/// # Errors
/// [`Unauthorized`](ErrorKind::Unauthorized), errors of the bank.
pub fn collect_protocol_fees(
    tx: &mut Tx<'_>,
    block: Block,
    by: &Account<'_>,
    token: &Token<'_>,
    to: &Account<'_>,
) -> Result<U256, Error> {
    only(by, &params(tx)?.governance)?;
    tx.attempt(|tx| {
        let fees = PROTOCOL_FEES.take(tx, token)?.unwrap_or(U256::ZERO);
        coins::send(tx, block, &account_of(MODULE)?, to, token, fees)?;
        Ok(fees)
    })
}
