//! Swaps.

use crate::{
    Error, ErrorKind,
    keeper::{
        accounts, accumulators, pools,
        quotes::{self, Outcome, Quote, Request, Side},
        totals,
    },
    layout::concentratedliquidity::{Accumulator, TICKS},
    math::{BigDec, Int, MAX_TICK, MIN_CURRENT_TICK, MathError},
    values::{DecCoins, Pool},
};
use keyscape::store::Tx;
use keyscape_bank::{Address, Coin, Coins, Denom};

/// A swap of an exact amount in.
#[derive(Clone, Debug)]
pub struct SwapIn<'a> {
    /// The account that pays and is paid.
    pub sender: &'a Address<'a>,
    /// The pool.
    pub pool: u64,
    /// The coin in.
    pub coin: &'a Coin,
    /// The denomination out.
    pub denom_out: &'a Denom<'a>,
    /// The minimal amount out.
    pub min_out: Int,
    /// The price at which the swap stops early. Without a limit, the swap stops at the end of the
    /// range.
    pub price_limit: Option<BigDec>,
}

/// A swap of an exact amount out.
#[derive(Clone, Debug)]
pub struct SwapOut<'a> {
    /// The account that pays and is paid.
    pub sender: &'a Address<'a>,
    /// The pool.
    pub pool: u64,
    /// The denomination in.
    pub denom_in: &'a Denom<'a>,
    /// The maximal amount in.
    pub max_in: Int,
    /// The coin out.
    pub coin: &'a Coin,
    /// As in [`SwapIn`].
    pub price_limit: Option<BigDec>,
}

/// The amounts that a swap has moved.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Swapped {
    /// The amount in, including the spread.
    pub amount_in: Int,
    /// The amount out.
    pub amount_out: Int,
    /// The ticks that were crossed, in order.
    pub crossed: Vec<i64>,
}

/// Swaps an exact amount in. At the price limit, the swap stops without an error and uses less.
///
/// # Errors
/// [`PoolNotFound`](ErrorKind::PoolNotFound), [`SameDenom`](ErrorKind::SameDenom),
/// [`DenomNotInPool`](ErrorKind::DenomNotInPool), [`NoPrice`](ErrorKind::NoPrice),
/// [`OutOfTicks`](ErrorKind::OutOfTicks), [`LessThanMinimum`](ErrorKind::LessThanMinimum),
/// [`SenderCannotPay`](ErrorKind::SenderCannotPay), [`PoolCannotPay`](ErrorKind::PoolCannotPay),
/// [`Math`](ErrorKind::Math) if rounding makes the last step impossible.
pub fn swap_in(tx: &mut Tx<'_>, now: i64, swap: &SwapIn<'_>) -> Result<Swapped, Error> {
    let request = Request {
        denom_in: swap.coin.denom.as_str(),
        denom_out: swap.denom_out.as_str(),
        amount: Int::from(swap.coin.amount),
        side: Side::In,
        price_limit: swap.price_limit,
    };
    run(tx, now, swap.pool, &request, swap.sender, |amount| {
        let minimum = swap.min_out;
        (amount < minimum).then(|| ErrorKind::LessThanMinimum {
            amount: Box::new(amount),
            minimum: Box::new(minimum),
        })
    })
}

/// Swaps for an exact amount out. At the price limit, the swap stops without an error and pays
/// less.
///
/// # Errors
/// As [`swap_in`], and [`MoreThanMaximum`](ErrorKind::MoreThanMaximum).
pub fn swap_out(tx: &mut Tx<'_>, now: i64, swap: &SwapOut<'_>) -> Result<Swapped, Error> {
    let request = Request {
        denom_in: swap.denom_in.as_str(),
        denom_out: swap.coin.denom.as_str(),
        amount: Int::from(swap.coin.amount),
        side: Side::Out,
        price_limit: swap.price_limit,
    };
    run(tx, now, swap.pool, &request, swap.sender, |amount| {
        let maximum = swap.max_in;
        (amount > maximum).then(|| ErrorKind::MoreThanMaximum {
            amount: Box::new(amount),
            maximum: Box::new(maximum),
        })
    })
}

/// Runs a swap. `refusal` returns an error if the computed amount exceeds the limit of the sender.
fn run(
    tx: &mut Tx<'_>,
    now: i64,
    pool: u64,
    request: &Request<'_>,
    sender: &Address<'_>,
    refusal: impl FnOnce(Int) -> Option<ErrorKind>,
) -> Result<Swapped, Error> {
    let pool = pools::get_pool(tx, pool)?;
    if request.denom_in == request.denom_out {
        return Err(ErrorKind::SameDenom(request.denom_in.to_owned()).into());
    }
    let outcome = quotes::run(tx, &pool, request, Some(now))?;
    let amount = match request.side {
        Side::In => outcome.quote.amount_out,
        Side::Out => outcome.quote.amount_in,
    };
    if !amount.is_positive() {
        return Err(ErrorKind::AmountNotPositive(Box::new(amount)).into());
    }
    tx.attempt(|tx| {
        let swapped = settle(tx, now, pool, request, sender, &outcome)?;
        refusal(amount).map_or(Ok(swapped), |kind| Err(kind.into()))
    })
}

/// Moves the coins of a swap, and writes the ticks, accumulators and price that it has changed.
fn settle(
    tx: &mut Tx<'_>,
    now: i64,
    mut pool: Pool,
    request: &Request<'_>,
    sender: &Address<'_>,
    outcome: &Outcome,
) -> Result<Swapped, Error> {
    let Quote { amount_in, amount_out } = outcome.quote;
    let spread = outcome.spread.ceil()?.truncate()?;
    let liquidity_in = amount_in.minus(spread)?;
    let account = accounts::account(&pool.address)?;
    let rewards = accounts::account(&pool.spread_rewards_address)?;
    let (coins_in, coins_out) =
        (single(request.denom_in, liquidity_in)?, single(request.denom_out, amount_out)?);
    let sender_pays = |error: Error| wrap_refusal(error, ErrorKind::SenderCannotPay);
    send(tx, now, sender, &account, &coins_in).map_err(sender_pays)?;
    accounts::send(tx, now, sender, &rewards, &single(request.denom_in, spread)?)
        .map_err(sender_pays)?;
    send(tx, now, &account, sender, &coins_out)
        .map_err(|error| wrap_refusal(error, ErrorKind::PoolCannotPay))?;
    if let Some(accrued) = &outcome.accrued {
        accrued.store(tx, &mut pool)?;
    }
    for (tick, info) in &outcome.crossed {
        TICKS.put(tx, (pool.id, *tick), info)?;
    }
    let growth = DecCoins::one(request.denom_in, outcome.growth);
    if !growth.is_empty() {
        accumulators::grow(tx, Accumulator::Spread { pool: pool.id }, &growth)?;
    }
    apply(&mut pool, outcome)?;
    pools::put(tx, &pool)?;
    totals::add(tx, &coins_in)?;
    totals::subtract(tx, &coins_out)?;
    let crossed = outcome.crossed.iter().map(|(tick, _)| *tick).collect();
    Ok(Swapped { amount_in, amount_out, crossed })
}

/// Sets the liquidity, the tick and the price of a pool after a swap.
fn apply(pool: &mut Pool, outcome: &Outcome) -> Result<(), Error> {
    let (tick, min, max) = (outcome.tick, MIN_CURRENT_TICK, MAX_TICK);
    if outcome.liquidity.is_negative() || outcome.sqrt_price.is_negative() {
        return Err(Error::corrupt(format!("a swap leaves pool {} below zero", pool.id)));
    }
    if !(min..=max).contains(&tick) {
        return Err(MathError::TickOutOfBounds { tick, min, max }.into());
    }
    (pool.liquidity, pool.tick, pool.sqrt_price) = (outcome.liquidity, tick, outcome.sqrt_price);
    Ok(())
}

fn single(denom: &str, amount: Int) -> Result<Coins, Error> {
    accounts::coins(&[(denom.to_owned(), amount)])
}

/// Sends coins. A zero payment is an error: Osmosis passes a zero coin to the bank, which rejects
/// it, unlike an empty list.
fn send(
    tx: &mut Tx<'_>,
    now: i64,
    from: &Address<'_>,
    to: &Address<'_>,
    coins: &Coins,
) -> Result<(), Error> {
    if coins.is_empty() {
        return Err(keyscape_bank::Error::from(keyscape_bank::ErrorKind::NoCoins).into());
    }
    accounts::send(tx, now, from, to, coins)
}

/// Wraps a refusal of the bank; other errors stay as they are.
fn wrap_refusal(error: Error, wrap: impl Fn(keyscape_bank::Error) -> ErrorKind) -> Error {
    match error.into_kind() {
        ErrorKind::Bank(error) if error.is_refusal() => wrap(error).into(),
        kind => kind.into(),
    }
}
