//! Creating positions.

use crate::{
    Error, ErrorKind,
    keeper::{accounts, issued, pools, positions::change_liquidity, totals},
    layout::concentratedliquidity::NEXT_POSITION,
    math::{self, Dec, Int, MAX_TICK, MIN_TICK, MathError},
    values::{Pool, Position},
};
use keyscape::store::Tx;
use keyscape_bank::{Address, Coins};

/// A position to create.
#[derive(Clone, Debug)]
pub struct NewPosition<'a> {
    /// The account that pays for and owns the position.
    pub owner: &'a Address<'a>,
    /// The pool.
    pub pool: u64,
    /// The most that is paid.
    pub tokens: &'a Coins,
    /// The least that is paid of token0.
    pub min0: Int,
    /// The least that is paid of token1.
    pub min1: Int,
    /// The first tick of the range.
    pub lower: i64,
    /// The tick after the range.
    pub upper: i64,
}

/// A position that was created.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Created {
    /// The id.
    pub id: u64,
    /// The amount of token0 that was paid.
    pub amount0: Int,
    /// The amount of token1 that was paid.
    pub amount1: Int,
    /// The liquidity.
    pub liquidity: Dec,
    /// The first tick of the range.
    pub lower: i64,
    /// The tick after the range.
    pub upper: i64,
}

/// Creates a position, and transfers its coins to the pool. The first position of a pool sets the
/// price.
///
/// # Errors
/// [`PoolNotFound`](ErrorKind::PoolNotFound), [`NotAPoolToken`](ErrorKind::NotAPoolToken),
/// [`TickSpacing`](ErrorKind::TickSpacing), [`TickOutOfBounds`](ErrorKind::TickOutOfBounds),
/// [`NoTokens`](ErrorKind::NoTokens), [`NegativeMinimum`](ErrorKind::NegativeMinimum),
/// [`InitialLiquidity`](ErrorKind::InitialLiquidity), [`NoLiquidity`](ErrorKind::NoLiquidity),
/// [`BelowMinimum`](ErrorKind::BelowMinimum), [`Bank`](ErrorKind::Bank) if the owner has too
/// little.
pub fn create_position(tx: &mut Tx<'_>, now: i64, new: &NewPosition<'_>) -> Result<Created, Error> {
    tx.attempt(|tx| create(tx, now, new))
}

pub(super) fn create(tx: &mut Tx<'_>, now: i64, new: &NewPosition<'_>) -> Result<Created, Error> {
    let mut pool = pools::get_pool(tx, new.pool)?;
    let (amount0, amount1) = check(&pool, new)?;
    let (a, b) = math::ticks_to_sqrt_prices(new.lower, new.upper)?;
    let lower = math::sqrt_price_to_tick_spacing(a, pool.spacing)?;
    let upper = math::sqrt_price_to_tick_spacing(b, pool.spacing)?;
    if (lower, upper) != (new.lower, new.upper) {
        check_range(pool.spacing, lower, upper)?;
    }
    let id = issued("next_position", NEXT_POSITION.next(tx)?)?;
    if !pool.has_position() {
        set_price(&mut pool, amount0, amount1)?;
    }
    let liquidity = math::liquidity_from_amounts(pool.sqrt_price, a, b, amount0, amount1)?;
    if liquidity.is_zero() {
        let (amount0, amount1) = (Box::new(amount0), Box::new(amount1));
        return Err(ErrorKind::NoLiquidity { amount0, amount1 }.into());
    }
    let owner = accounts::owner(new.owner)?;
    let liquidity_before = Dec::ZERO;
    let mut position =
        Position { id, owner, pool: pool.id, lower, upper, join: now, liquidity: liquidity_before };
    let updated = change_liquidity(tx, now, &mut pool, &mut position, liquidity)?;
    let (amount0, amount1) = updated.amounts;
    for (token, actual, minimum) in [(0, amount0, new.min0), (1, amount1, new.min1)] {
        if actual < minimum {
            let (actual, minimum) = (Box::new(actual), Box::new(minimum));
            return Err(ErrorKind::BelowMinimum { token, actual, minimum }.into());
        }
    }
    let coins = accounts::pool_coins(&pool, amount0, amount1)?;
    let to = accounts::account(&pool.address)?;
    accounts::send(tx, now, new.owner, &to, &coins)?;
    totals::add(tx, &coins)?;
    Ok(Created { id, amount0, amount1, liquidity, lower, upper })
}

/// Returns the amounts of both tokens.
fn check(pool: &Pool, new: &NewPosition<'_>) -> Result<(Int, Int), Error> {
    let (token0, token1) = (accounts::denom(&pool.token0)?, accounts::denom(&pool.token1)?);
    for coin in new.tokens {
        if coin.denom != token0 && coin.denom != token1 {
            let denom = coin.denom.to_string();
            return Err(ErrorKind::NotAPoolToken { denom, pool: pool.id }.into());
        }
    }
    check_range(pool.spacing, new.lower, new.upper)?;
    let amount = |denom| Int::from(new.tokens.amount_of(denom));
    let (amount0, amount1) = (amount(&token0), amount(&token1));
    if amount0.is_zero() && amount1.is_zero() {
        return Err(ErrorKind::NoTokens.into());
    }
    for minimum in [new.min0, new.min1] {
        if minimum.is_negative() {
            return Err(ErrorKind::NegativeMinimum { amount: Box::new(minimum) }.into());
        }
    }
    Ok((amount0, amount1))
}

fn check_range(spacing: u64, lower: i64, upper: i64) -> Result<(), Error> {
    let fits = |tick: i64| {
        let spacing = i64::try_from(spacing).ok();
        spacing.and_then(|spacing| tick.checked_rem(spacing)) == Some(0)
    };
    if !fits(lower) || !fits(upper) {
        return Err(ErrorKind::TickSpacing { lower, upper, spacing }.into());
    }
    if !(MIN_TICK..MAX_TICK).contains(&lower) {
        return Err(ErrorKind::TickOutOfBounds { tick: lower, is_lower: true }.into());
    }
    if upper > MAX_TICK || upper <= MIN_TICK {
        return Err(ErrorKind::TickOutOfBounds { tick: upper, is_lower: false }.into());
    }
    if lower >= upper {
        return Err(MathError::TickOrder { lower, upper }.into());
    }
    Ok(())
}

/// Sets the price of a pool without positions. The tick is a multiple of the spacing and may differ
/// from the tick of the price.
fn set_price(pool: &mut Pool, amount0: Int, amount1: Int) -> Result<(), Error> {
    if !amount0.is_positive() || !amount1.is_positive() {
        return Err(ErrorKind::InitialLiquidity.into());
    }
    let price = Dec::from_int(amount1)?.quo_even(Dec::from_int(amount0)?)?;
    let sqrt_price = price.sqrt()?.to_big()?;
    pool.tick = math::sqrt_price_to_tick_spacing(sqrt_price, pool.spacing)?;
    pool.sqrt_price = sqrt_price;
    Ok(())
}
