//! Ticks and prices.
//!
//! Prices are token1 for token0. Every power of ten is followed by 9 million ticks at equal
//! distances, so the price of tick 0 is 1, that of tick 9,000,000 is 10, and that of tick 1 is
//! 1.000001.

use super::{BigDec, Dec, Int, MathError};

/// The first tick that a position can use: the price is 10^-12.
pub const MIN_TICK: i64 = -108_000_000;
/// The last tick: the price is 10^38.
pub const MAX_TICK: i64 = 342_000_000;
/// The lowest current tick of a pool: one below the first tick.
pub const MIN_CURRENT_TICK: i64 = MIN_TICK - 1;
/// The first tick of the extended range: the price is 10^-30. No position can use it yet.
pub const MIN_TICK_V2: i64 = -270_000_000;
/// The lowest current tick in the extended range.
pub const MIN_CURRENT_TICK_V2: i64 = MIN_TICK_V2 - 1;

/// The number of ticks between two powers of ten.
const TICKS_IN_POWER: i64 = 9_000_000;
/// The distance of two prices after tick 0 is 10^-6.
const EXPONENT_AT_ONE: i64 = -6;
/// The exponents of the lowest and the highest price.
const MIN_EXPONENT: i64 = -30;
const MAX_EXPONENT: i64 = 38;
/// The exponent of the lowest price of the range that positions can use.
const LAUNCH_EXPONENT: i64 = -12;

/// Returns the price of a tick.
///
/// ```
/// use keyscape_concentrated_liquidity::math::tick_to_price;
///
/// assert_eq!(tick_to_price(9_000_001)?.to_string(), "10.00001");
/// assert_eq!(tick_to_price(-108_000_000)?.to_string(), "0.000000000001");
/// # Ok::<(), keyscape_concentrated_liquidity::math::MathError>(())
/// ```
///
/// # Errors
/// [`MathError::TickBelow`], [`MathError::TickAbove`].
pub fn tick_to_price(tick: i64) -> Result<BigDec, MathError> {
    if tick < MIN_CURRENT_TICK_V2 {
        return Err(MathError::TickBelow { tick, min: MIN_CURRENT_TICK_V2 });
    }
    if tick > MAX_TICK {
        return Err(MathError::TickAbove { tick, max: MAX_TICK });
    }
    if tick <= MIN_TICK_V2 {
        return Ok(BigDec::power_of_ten(MIN_EXPONENT));
    }
    // Division truncates: ticks below 0 count down from the next higher power of ten.
    let power = tick / TICKS_IN_POWER;
    let steps = tick % TICKS_IN_POWER;
    let (exponent, base) = if tick < 0 {
        (EXPONENT_AT_ONE + power - 1, 10_000_000)
    } else {
        (EXPONENT_AT_ONE + power, 1_000_000)
    };
    let price = BigDec::power_of_ten(exponent).mul_truncate(Int::from(base + steps))?;
    in_bounds(price)
}

/// Returns the sqrt price of a tick, rounded up: at 18 places for ticks that positions can use, and
/// at 36 places below.
///
/// # Errors
/// As [`tick_to_price`].
pub fn tick_to_sqrt_price(tick: i64) -> Result<BigDec, MathError> {
    let price = tick_to_price(tick)?;
    if tick >= MIN_TICK { price.truncate_dec().sqrt()?.to_big() } else { price.sqrt() }
}

/// Returns the sqrt prices of a range.
///
/// # Errors
/// [`MathError::TickOrder`], and as [`tick_to_price`].
pub fn ticks_to_sqrt_prices(lower: i64, upper: i64) -> Result<(BigDec, BigDec), MathError> {
    if lower >= upper {
        return Err(MathError::TickOrder { lower, upper });
    }
    let upper = tick_to_sqrt_price(upper)?;
    Ok((tick_to_sqrt_price(lower)?, upper))
}

/// Returns the tick of a price: the highest tick whose price is not above it, except for rounding.
///
/// # Errors
/// [`MathError::PriceOutOfBounds`], [`MathError::NegativePrice`].
pub fn price_to_tick(price: BigDec) -> Result<i64, MathError> {
    if price.is_negative() {
        return Err(MathError::NegativePrice);
    }
    let price = in_bounds(price)?;
    if price == BigDec::ONE {
        return Ok(0);
    }
    let price = if price >= BigDec::power_of_ten(LAUNCH_EXPONENT) {
        price.truncate_dec().to_big()?
    } else {
        price
    };
    let exponent = if price > BigDec::ONE {
        (0..MAX_EXPONENT).find(|exponent| BigDec::power_of_ten(exponent + 1) >= price)
    } else {
        (MIN_EXPONENT..0).rev().find(|exponent| BigDec::power_of_ten(*exponent) <= price)
    };
    let exponent = exponent.ok_or_else(|| MathError::PriceOutOfBounds(Box::new(price)))?;
    let above = price.minus(BigDec::power_of_ten(exponent))?;
    let steps = above.quo_even(BigDec::power_of_ten(EXPONENT_AT_ONE + exponent))?;
    Ok(steps.truncate_i64()? + TICKS_IN_POWER * exponent)
}

/// Returns the tick of a sqrt price: the highest tick whose sqrt price is not above it.
///
/// ```
/// use keyscape_concentrated_liquidity::math::{sqrt_price_to_tick, tick_to_sqrt_price};
///
/// assert_eq!(sqrt_price_to_tick(tick_to_sqrt_price(-39_386_000)?)?, -39_386_000);
/// # Ok::<(), keyscape_concentrated_liquidity::math::MathError>(())
/// ```
///
/// # Errors
/// [`MathError::PriceOutOfBounds`], [`MathError::TickBelow`], [`MathError::SqrtPriceToTick`].
pub fn sqrt_price_to_tick(sqrt_price: BigDec) -> Result<i64, MathError> {
    let no_tick = || MathError::SqrtPriceToTick(Box::new(sqrt_price));
    let near = price_to_tick(sqrt_price.mul_even(sqrt_price)?)?;
    if near < MIN_CURRENT_TICK {
        return Err(MathError::TickBelow { tick: near, min: MIN_CURRENT_TICK });
    }
    // The square is rounded, so the tick can be off by one in either direction.
    let at_end = near >= MAX_TICK - 1;
    let near = if at_end { MAX_TICK - 2 } else { near };
    if sqrt_price >= tick_to_sqrt_price(near + 1)? {
        let end = tick_to_sqrt_price(near + 2)?;
        return match sqrt_price.cmp(&end) {
            std::cmp::Ordering::Less => Ok(near + 1),
            std::cmp::Ordering::Equal if at_end => Ok(near + 2),
            _ => Err(no_tick()),
        };
    }
    if sqrt_price >= tick_to_sqrt_price(near)? {
        return Ok(near);
    }
    if sqrt_price < tick_to_sqrt_price(near - 1)? { Err(no_tick()) } else { Ok(near - 1) }
}

/// Rounds a tick down to a multiple of a spacing.
///
/// # Errors
/// [`MathError::TickOutOfBounds`], [`MathError::TickSpacing`].
pub fn round_down_to_spacing(tick: i64, spacing: u64) -> Result<i64, MathError> {
    let bad = MathError::TickSpacing(spacing);
    let spacing = i64::try_from(spacing).map_err(|_| bad.clone())?;
    let remainder = tick.checked_rem_euclid(spacing).ok_or(bad)?;
    let rounded = tick.checked_sub(remainder).ok_or(MathError::Overflow)?;
    if (MIN_TICK_V2..=MAX_TICK).contains(&rounded) {
        return Ok(rounded);
    }
    Err(MathError::TickOutOfBounds { tick: rounded, min: MIN_TICK_V2, max: MAX_TICK })
}

/// Returns the tick of a sqrt price, rounded down to a multiple of a spacing.
///
/// # Errors
/// As [`sqrt_price_to_tick`] and [`round_down_to_spacing`].
pub fn sqrt_price_to_tick_spacing(sqrt_price: BigDec, spacing: u64) -> Result<i64, MathError> {
    round_down_to_spacing(sqrt_price_to_tick(sqrt_price)?, spacing)
}

/// Rejects a price out of bounds.
pub(super) fn in_bounds(price: BigDec) -> Result<BigDec, MathError> {
    let (min, max) = (BigDec::power_of_ten(MIN_EXPONENT), BigDec::power_of_ten(MAX_EXPONENT));
    if (min..=max).contains(&price) {
        return Ok(price);
    }
    Err(MathError::PriceOutOfBounds(Box::new(price)))
}

/// Returns the lowest price of the range that positions can use.
pub(super) fn launch_price() -> BigDec {
    BigDec::power_of_ten(LAUNCH_EXPONENT)
}

/// Returns the prices at a sqrt price: token1 for token0, and token0 for token1. Both are truncated
/// to 18 places.
///
/// # Errors
/// [`MathError::DivisionByZero`] if the sqrt price is zero.
pub fn spot_prices(sqrt_price: BigDec) -> Result<(Dec, Dec), MathError> {
    let price = sqrt_price.mul_even(sqrt_price)?;
    Ok((price.truncate_dec(), BigDec::ONE.quo_even(price)?.truncate_dec()))
}
