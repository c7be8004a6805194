//! The steps of a swap. A step ends at the next tick, so its liquidity is constant.

use super::{
    BigDec, Dec, MAX_TICK, MIN_TICK, MathError, amount0_delta, amount1_delta,
    tick::{in_bounds, launch_price},
    tick_to_sqrt_price,
};

/// The direction and the fee of a swap.
#[derive(Clone, Copy, Debug)]
pub struct SwapMath {
    /// Whether token0 is swapped in. Then the price falls, otherwise it rises.
    pub zero_for_one: bool,
    /// The fraction of the amount in that positions earn.
    pub spread_factor: Dec,
}

/// The result of a step.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Step {
    /// The sqrt price after the step.
    pub sqrt_price: BigDec,
    /// The amount in without the spread, a whole number.
    pub amount_in: Dec,
    /// The amount out.
    pub amount_out: Dec,
    /// The spread, charged in addition to the amount in.
    pub spread: Dec,
}

impl SwapMath {
    /// Runs a step for an exact amount in.
    ///
    /// # Errors
    /// [`MathError::NegativeSpreadCharge`] if the rounded-up amount in exceeds the remaining
    /// amount; [`MathError::Overflow`], [`MathError::DivisionByZero`].
    pub fn out_given_in(
        &self,
        sqrt_price: BigDec,
        target: BigDec,
        liquidity: Dec,
        remaining: Dec,
    ) -> Result<Step, MathError> {
        let to_target = self.in_delta(liquidity, target, sqrt_price)?;
        let available = remaining.mul_exact(Dec::ONE.minus(self.spread_factor)?)?;
        let next = if available >= to_target {
            target
        } else if self.zero_for_one {
            next_sqrt_price_amount0_in(sqrt_price, liquidity.to_big()?, available)?
        } else {
            next_sqrt_price_amount1_in(sqrt_price, liquidity, available)?
        };
        let reached = next == target;
        let amount_in =
            if reached { to_target } else { self.in_delta(liquidity, next, sqrt_price)? };
        let amount_out = self.out_delta(liquidity, next, sqrt_price)?;
        let amount_in = amount_in.up_dec()?;
        let spread = self.spread_of_step(reached, amount_in, remaining)?;
        Ok(Step { sqrt_price: next, amount_in, amount_out: amount_out.truncate_dec(), spread })
    }

    /// Runs a step for an exact amount out.
    ///
    /// # Errors
    /// [`MathError::Overflow`], [`MathError::DivisionByZero`].
    pub fn in_given_out(
        &self,
        sqrt_price: BigDec,
        target: BigDec,
        liquidity: Dec,
        remaining: Dec,
    ) -> Result<Step, MathError> {
        let requested = remaining.to_big()?;
        let to_target = self.out_delta(liquidity, target, sqrt_price)?;
        let next = if requested >= to_target {
            target
        } else if self.zero_for_one {
            next_sqrt_price_amount1_out(sqrt_price, liquidity, requested)?
        } else {
            next_sqrt_price_amount0_out(sqrt_price, liquidity.to_big()?, remaining)?
        };
        let amount_out =
            if next == target { to_target } else { self.out_delta(liquidity, next, sqrt_price)? };
        let amount_in = self.in_delta(liquidity, next, sqrt_price)?.up_dec()?;
        let spread = amount_in.mul_up(self.spread_ratio()?)?;
        let amount_out = amount_out.min(requested).truncate_dec();
        Ok(Step { sqrt_price: next, amount_in, amount_out, spread })
    }

    /// Returns the nearer of the next tick's sqrt price and the limit.
    #[must_use]
    pub fn target(&self, next_tick: BigDec, limit: BigDec) -> BigDec {
        if self.zero_for_one { next_tick.max(limit) } else { next_tick.min(limit) }
    }

    /// Rejects a limit that is not between the current sqrt price and the end of the range.
    ///
    /// # Errors
    /// [`MathError::SqrtPriceLimit`].
    pub fn check_limit(&self, limit: BigDec, current: BigDec) -> Result<(), MathError> {
        let (lower, upper) = if self.zero_for_one {
            (tick_to_sqrt_price(MIN_TICK)?, current)
        } else {
            (current, tick_to_sqrt_price(MAX_TICK)?)
        };
        if limit >= lower && limit <= upper {
            return Ok(());
        }
        let (limit, lower, upper) = (Box::new(limit), Box::new(lower), Box::new(upper));
        Err(MathError::SqrtPriceLimit { limit, lower, upper })
    }

    fn in_delta(&self, liquidity: Dec, a: BigDec, b: BigDec) -> Result<BigDec, MathError> {
        let delta = if self.zero_for_one { amount0_delta } else { amount1_delta };
        delta(liquidity, a, b, true)
    }

    fn out_delta(&self, liquidity: Dec, a: BigDec, b: BigDec) -> Result<BigDec, MathError> {
        let delta = if self.zero_for_one { amount1_delta } else { amount0_delta };
        delta(liquidity, a, b, false)
    }

    /// Returns the spread for one unit of the amount in.
    fn spread_ratio(&self) -> Result<Dec, MathError> {
        self.spread_factor.quo_up(Dec::ONE.minus(self.spread_factor)?)
    }

    fn spread_of_step(
        &self,
        reached: bool,
        amount_in: Dec,
        remaining: Dec,
    ) -> Result<Dec, MathError> {
        if self.spread_factor.is_zero() {
            return Ok(Dec::ZERO);
        }
        // A step that does not reach its target is the last one, and charges all that is left.
        let charge = if reached {
            amount_in.mul_up(self.spread_ratio()?)?
        } else {
            remaining.minus(amount_in)?
        };
        if charge.is_negative() {
            return Err(MathError::NegativeSpreadCharge(Box::new(charge)));
        }
        Ok(charge)
    }
}

/// Returns the sqrt price limit of a price limit. Zero means the end of the range.
///
/// # Errors
/// [`MathError::PriceOutOfBounds`].
pub fn sqrt_price_limit(price: BigDec, zero_for_one: bool) -> Result<BigDec, MathError> {
    if price.is_zero() {
        return tick_to_sqrt_price(if zero_for_one { MIN_TICK } else { MAX_TICK });
    }
    let price = in_bounds(price)?;
    if price >= launch_price() { price.truncate_dec().sqrt()?.to_big() } else { price.sqrt() }
}

/// Returns the sqrt price after a deposit of token0, rounded up.
///
/// # Errors
/// [`MathError::Overflow`], [`MathError::DivisionByZero`].
pub fn next_sqrt_price_amount0_in(
    sqrt_price: BigDec,
    liquidity: BigDec,
    amount: BigDec,
) -> Result<BigDec, MathError> {
    if amount.is_zero() {
        return Ok(sqrt_price);
    }
    let denominator = amount.mul_truncate(sqrt_price)?.plus(liquidity)?;
    liquidity.mul_up(sqrt_price)?.quo_up_always(denominator)
}

/// Returns the sqrt price after an amount of token0 has gone out, rounded up.
///
/// # Errors
/// As [`next_sqrt_price_amount0_in`].
pub fn next_sqrt_price_amount0_out(
    sqrt_price: BigDec,
    liquidity: BigDec,
    amount: Dec,
) -> Result<BigDec, MathError> {
    if amount.is_zero() {
        return Ok(sqrt_price);
    }
    let denominator = liquidity.minus(sqrt_price.mul_up(amount)?)?;
    liquidity.mul_up(sqrt_price)?.quo_up_always(denominator)
}

/// Returns the sqrt price after a deposit of token1, rounded down.
///
/// # Errors
/// As [`next_sqrt_price_amount0_in`].
pub fn next_sqrt_price_amount1_in(
    sqrt_price: BigDec,
    liquidity: Dec,
    amount: BigDec,
) -> Result<BigDec, MathError> {
    amount.quo_truncate(liquidity)?.plus(sqrt_price)
}

/// Returns the sqrt price after an amount of token1 has gone out, rounded down.
///
/// # Errors
/// As [`next_sqrt_price_amount0_in`].
pub fn next_sqrt_price_amount1_out(
    sqrt_price: BigDec,
    liquidity: Dec,
    amount: BigDec,
) -> Result<BigDec, MathError> {
    sqrt_price.minus(amount.quo_up(liquidity)?)
}
