//! Bounds of times, amounts and parameters, and checked arithmetic on amounts.
//!
//! The bounds keep sums and products far below 2^256, so the end of a block cannot overflow. They
//! also bound the work of a block and the time for which coins are locked.

use crate::{Error, ErrorKind, keeper::require};
use keyscape::U256;
use std::ops::RangeInclusive;

/// The latest time of a block: the end of the year 9999, as in timestamps of protobuf. Callers must
/// not pass later times.
pub const MAX_TIME: u64 = 253_402_300_799;
/// The longest duration of a parameter, in seconds: ten years.
pub const MAX_SECONDS: u64 = 10 * 365 * 24 * 3_600;
/// The longest duration of a parameter, in blocks.
pub const MAX_BLOCKS: u64 = 100_000_000;
/// The largest number of rows of each kind that the end of a block may settle or delete.
pub const MAX_PER_BLOCK: u64 = 10_000;
/// The largest stake, price or payment.
pub const MAX_AMOUNT: U256 = U256::new(u128::MAX);

/// The number of basis points in one.
pub(crate) const BASIS: u64 = 10_000;

/// Prices are in units of 10^-18.
pub(crate) const UNIT: U256 = U256::new(1_000_000_000_000_000_000);

/// Returns an error unless a parameter is in its range.
pub(crate) fn within<T: Copy + PartialOrd + Into<U256>>(
    name: &'static str,
    value: T,
    range: RangeInclusive<T>,
) -> Result<(), Error> {
    let (least, most) = (*range.start(), *range.end());
    require(range.contains(&value), || ErrorKind::Parameter {
        name,
        value: value.into(),
        least: least.into(),
        most: most.into(),
    })
}

/// Returns an error if an amount is above [`MAX_AMOUNT`].
pub(crate) fn bounded(subject: &'static str, amount: U256) -> Result<(), Error> {
    require(amount <= MAX_AMOUNT, || ErrorKind::Overflow(subject))
}

/// Returns an error unless a nonce is above the last one and has a successor.
pub(crate) fn rising(nonce: u64, last: u64) -> Result<(), Error> {
    require(nonce > last, || ErrorKind::Replay { nonce, last })?;
    require(nonce < u64::MAX, || ErrorKind::Overflow("nonce"))
}

/// Returns `a + b`.
pub(crate) fn add(a: U256, b: U256) -> Result<U256, Error> {
    a.checked_add(b).ok_or_else(|| ErrorKind::Overflow("sum").into())
}

/// Returns `a - b`, which must not be negative.
pub(crate) fn sub(a: U256, b: U256) -> Result<U256, Error> {
    a.checked_sub(b).ok_or_else(|| ErrorKind::Overflow("difference").into())
}

/// Returns the difference of two numbers, in either order.
pub(crate) fn distance(a: U256, b: U256) -> U256 {
    a.max(b) - a.min(b)
}

/// Returns a sum of price times seconds, with a price since `since` added up to `now`.
pub(crate) fn accumulated(sum: U256, price: U256, since: u64, now: u64) -> Result<U256, Error> {
    let seconds = U256::from(now.saturating_sub(since));
    let more = price.checked_mul(seconds).ok_or(ErrorKind::Overflow("cumulative price"))?;
    add(sum, more)
}

/// Returns `a * b / c`, rounded down.
pub(crate) fn mul_div(a: U256, b: U256, c: U256) -> Result<U256, Error> {
    let product = a.checked_mul(b).ok_or(ErrorKind::Overflow("product"))?;
    Ok(product.checked_div(c).ok_or(ErrorKind::Invalid("a divisor is zero"))?)
}

/// Returns `a * b / c`, rounded up.
pub(crate) fn mul_div_up(a: U256, b: U256, c: U256) -> Result<U256, Error> {
    let down = mul_div(a, b, c)?;
    let is_exact = a.checked_mul(b).and_then(|product| product.checked_rem(c)) == Some(U256::ZERO);
    if is_exact { Ok(down) } else { add(down, U256::ONE) }
}

/// Returns a part of an amount, in hundredths of a percent, rounded down.
pub(crate) fn part(amount: U256, bp: u64) -> Result<U256, Error> {
    mul_div(amount, U256::from(bp), U256::from(BASIS))
}

/// Returns the largest number whose square is not above `square`.
pub fn sqrt(square: U256) -> U256 {
    if square < 2 {
        return square;
    }
    // Newton's method from above: the first guess is a power of two that is not below the root.
    let bits = 256 - square.leading_zeros();
    let mut root = U256::ONE << bits.div_ceil(2).min(255);
    loop {
        let next = (root + square / root) >> 1;
        if next >= root {
            return root;
        }
        root = next;
    }
}
