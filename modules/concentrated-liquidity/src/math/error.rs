//! Errors of arithmetic.

use super::{BigDec, Dec};

/// An operation has no result.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum MathError {
    /// A result is out of range.
    #[error("a number leaves its range")]
    Overflow,
    /// A divisor is zero.
    #[error("a divisor is zero")]
    DivisionByZero,
    /// A square root of a negative number.
    #[error("a negative number has no square root")]
    NegativeRoot,
    /// A price below zero.
    #[error("a price is negative")]
    NegativePrice,
    /// Two sqrt prices that must differ are equal.
    #[error("the sqrt prices of a range are both {0}")]
    EmptyRange(Box<BigDec>),
    /// A change of liquidity of zero.
    #[error("the liquidity is zero")]
    ZeroLiquidity,
    /// A tick is below the first.
    #[error("tick {tick} is below the first, {min}")]
    TickBelow {
        /// The tick.
        tick: i64,
        /// The first tick.
        min: i64,
    },
    /// A tick is above the last.
    #[error("tick {tick} is above the last, {max}")]
    TickAbove {
        /// The tick.
        tick: i64,
        /// The last tick.
        max: i64,
    },
    /// A tick is out of bounds.
    #[error("tick {tick} is not in {min}..={max}")]
    TickOutOfBounds {
        /// The tick.
        tick: i64,
        /// The first tick.
        min: i64,
        /// The last tick.
        max: i64,
    },
    /// A range is empty.
    #[error("the lower tick {lower} is not below the upper tick {upper}")]
    TickOrder {
        /// The lower tick.
        lower: i64,
        /// The upper tick.
        upper: i64,
    },
    /// A tick spacing of zero, or of more than ticks can have.
    #[error("{0} is not a tick spacing")]
    TickSpacing(u64),
    /// A price is out of bounds.
    #[error("price {0} is out of bounds")]
    PriceOutOfBounds(Box<BigDec>),
    /// No tick has this sqrt price.
    #[error("sqrt price {0} has no tick")]
    SqrtPriceToTick(Box<BigDec>),
    /// A sqrt price limit is not between the current sqrt price and the end of the range.
    #[error("the sqrt price limit {limit} is not in {lower}..={upper}")]
    SqrtPriceLimit {
        /// The limit.
        limit: Box<BigDec>,
        /// The lowest limit.
        lower: Box<BigDec>,
        /// The highest limit.
        upper: Box<BigDec>,
    },
    /// The rounded-up amount of a step exceeds the remaining amount of the swap.
    #[error("the spread charge of a step would be {0}; swap a larger amount")]
    NegativeSpreadCharge(Box<Dec>),
}

/// A reason why text is not a number.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum BadNumber {
    /// Something else than the digits of a number.
    #[error("`{0}` is not a number")]
    Digits(String),
    /// A number that is too large for its type.
    #[error("`{0}` is out of range")]
    Range(String),
}
