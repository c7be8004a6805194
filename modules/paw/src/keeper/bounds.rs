//! Upper bounds of times, amounts and parameters.
//!
//! They keep sums and products far below 2^256, so the end of a block cannot overflow. They bound
//! the work of a block and the time for which coins are locked.

use crate::{Error, ErrorKind, keeper::require};
use keyscape::U256;
use std::ops::RangeInclusive;

/// The latest time of a block: the end of the year 9999, as in timestamps of protobuf.
pub const MAX_TIME: u64 = 253_402_300_799;
/// The longest duration of a parameter, in seconds: ten years.
pub const MAX_SECONDS: u64 = 10 * 365 * 24 * 3_600;
/// The longest duration of a parameter, in blocks.
pub const MAX_BLOCKS: u64 = 100_000_000;
/// The largest number of rows of each kind that the end of a block may settle or delete.
pub const MAX_PER_BLOCK: u64 = 10_000;
/// The largest stake, price or payment.
pub const MAX_AMOUNT: U256 = U256::new(u128::MAX);

/// Returns an error unless a parameter is in its range.
pub(super) fn within<T: Copy + PartialOrd + Into<U256>>(
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
pub(crate) fn bounded(what: &'static str, amount: U256) -> Result<(), Error> {
    require(amount <= MAX_AMOUNT, || ErrorKind::Overflow(what))
}

/// Returns an error unless a nonce is above the last one and has a successor.
pub(crate) fn rising(nonce: u64, last: u64) -> Result<(), Error> {
    require(nonce > last, || ErrorKind::Replay { nonce, last })?;
    require(nonce < u64::MAX, || ErrorKind::Overflow("nonce"))
}
