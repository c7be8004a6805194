//! Whole amounts.

use super::{BadNumber, MathError, number::Number};
use keyscape::U256;
use std::{fmt, str::FromStr};

/// A signed whole number of at most 256 bits, as `Int` of the Cosmos SDK.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Int(pub(super) Number);

impl Int {
    /// Zero.
    pub const ZERO: Int = Int(Number::ZERO);

    pub(super) fn checked(number: Number) -> Result<Int, MathError> {
        if number.bits() <= 256 { Ok(Int(number)) } else { Err(MathError::Overflow) }
    }

    /// Whether it is zero.
    #[must_use]
    pub fn is_zero(&self) -> bool {
        self.0.is_zero()
    }

    /// Whether it is below zero.
    #[must_use]
    pub fn is_negative(&self) -> bool {
        self.0.is_negative()
    }

    /// Whether it is above zero.
    #[must_use]
    pub fn is_positive(&self) -> bool {
        !self.is_zero() && !self.is_negative()
    }

    /// Returns the absolute value as an amount of coins.
    #[must_use]
    pub fn magnitude(self) -> U256 {
        let bytes = self.0.magnitude().to_be_bytes::<144>();
        let low = bytes.last_chunk::<32>().copied().unwrap_or_default();
        U256::from_be_bytes(low)
    }

    /// Adds.
    ///
    /// # Errors
    /// [`MathError::Overflow`].
    pub fn plus(self, other: Int) -> Result<Int, MathError> {
        Int::checked(self.0.plus(other.0)?)
    }

    /// Subtracts.
    ///
    /// # Errors
    /// [`MathError::Overflow`].
    pub fn minus(self, other: Int) -> Result<Int, MathError> {
        Int::checked(self.0.minus(other.0)?)
    }
}

impl Default for Int {
    fn default() -> Int {
        Int::ZERO
    }
}

impl From<U256> for Int {
    fn from(amount: U256) -> Int {
        let bytes = amount.to_be_bytes();
        Int(Number::positive(super::number::Magnitude::from_be_slice(&bytes)))
    }
}

impl From<i64> for Int {
    fn from(value: i64) -> Int {
        Int(Number::from_i128(i128::from(value)))
    }
}

impl fmt::Display for Int {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(out)
    }
}

impl FromStr for Int {
    type Err = BadNumber;

    fn from_str(text: &str) -> Result<Int, BadNumber> {
        let range = |_| BadNumber::Range { text: text.to_owned() };
        Int::checked(Number::parse(text)?).map_err(range)
    }
}
