//! Liquidity and its amounts of both tokens.

use super::{BigDec, Dec, Int, MathError, ticks_to_sqrt_prices};

/// Returns the liquidity of an amount of token0 between two sqrt prices.
///
/// # Errors
/// [`MathError::EmptyRange`], [`MathError::Overflow`].
pub fn liquidity0(amount: Int, a: BigDec, b: BigDec) -> Result<Dec, MathError> {
    let (a, b) = (a.min(b), a.max(b));
    let product = a.mul_even(b)?;
    let difference = difference_of(a, b)?;
    Ok(to_big(amount)?.mul_even(product)?.quo_even(difference)?.truncate_dec())
}

/// Returns the liquidity of an amount of token1 between two sqrt prices.
///
/// # Errors
/// As [`liquidity0`].
pub fn liquidity1(amount: Int, a: BigDec, b: BigDec) -> Result<Dec, MathError> {
    let difference = difference_of(a.min(b), a.max(b))?;
    Ok(to_big(amount)?.quo_even(difference)?.truncate_dec())
}

/// Returns the liquidity of amounts of both tokens in a range, at a current sqrt price.
///
/// # Errors
/// As [`liquidity0`].
pub fn liquidity_from_amounts(
    sqrt_price: BigDec,
    a: BigDec,
    b: BigDec,
    amount0: Int,
    amount1: Int,
) -> Result<Dec, MathError> {
    let (a, b) = (a.min(b), a.max(b));
    if sqrt_price <= a {
        return liquidity0(amount0, a, b);
    }
    if sqrt_price >= b {
        return liquidity1(amount1, a, b);
    }
    Ok(liquidity0(amount0, sqrt_price, b)?.min(liquidity1(amount1, a, sqrt_price)?))
}

/// Returns the amount of token0 between two sqrt prices: rounded up to a whole number, or down.
///
/// # Errors
/// [`MathError::DivisionByZero`], [`MathError::Overflow`].
pub fn amount0_delta(
    liquidity: Dec,
    a: BigDec,
    b: BigDec,
    round_up: bool,
) -> Result<BigDec, MathError> {
    let (a, b) = (a.min(b), a.max(b));
    let difference = b.minus(a)?;
    if round_up {
        return difference.mul_up(liquidity)?.quo_up_always(b)?.quo_up_to_integer(a);
    }
    difference.mul_truncate(liquidity)?.quo_truncate(b)?.quo_truncate(a)
}

/// Returns the amount of token1 between two sqrt prices: rounded up to a whole number, or down.
///
/// # Errors
/// [`MathError::Overflow`].
pub fn amount1_delta(
    liquidity: Dec,
    a: BigDec,
    b: BigDec,
    round_up: bool,
) -> Result<BigDec, MathError> {
    let difference = b.minus(a)?.absolute();
    if round_up {
        return difference.mul_even(liquidity)?.ceil();
    }
    difference.mul_truncate(liquidity)
}

/// Returns the amounts of both tokens for a change of a position's liquidity. They are rounded up
/// for a deposit. A negative change is a withdrawal: amounts are negative and truncated.
///
/// # Errors
/// [`MathError::ZeroLiquidity`], and as [`ticks_to_sqrt_prices`] and [`amount0_delta`].
pub fn position_amounts(
    tick: i64,
    sqrt_price: BigDec,
    (lower, upper): (i64, i64),
    change: Dec,
) -> Result<(Dec, Dec), MathError> {
    if change.is_zero() {
        return Err(MathError::ZeroLiquidity);
    }
    let (a, b) = ticks_to_sqrt_prices(lower, upper)?;
    let up = change.is_positive();
    let (amount0, amount1) = if tick < lower {
        (amount0_delta(change, a, b, up)?, BigDec::ZERO)
    } else if tick < upper {
        (amount0_delta(change, sqrt_price, b, up)?, amount1_delta(change, sqrt_price, a, up)?)
    } else {
        (BigDec::ZERO, amount1_delta(change, a, b, up)?)
    };
    if up {
        return Ok((amount0.up_dec()?, amount1.up_dec()?));
    }
    Ok((amount0.truncate_dec(), amount1.truncate_dec()))
}

fn to_big(amount: Int) -> Result<BigDec, MathError> {
    Dec::from_int(amount)?.to_big()
}

/// Returns `b - a`, which must not be zero.
fn difference_of(a: BigDec, b: BigDec) -> Result<BigDec, MathError> {
    let difference = b.minus(a)?;
    if difference.is_zero() { Err(MathError::EmptyRange(Box::new(a))) } else { Ok(difference) }
}
