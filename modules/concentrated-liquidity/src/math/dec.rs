//! Decimals with 18 places.

use super::{BadNumber, BigDec, Int, MathError, decimal::decimal, number::Number};
use std::{fmt, str::FromStr};

/// A decimal with 18 places and a value below 2^256, as `LegacyDec` of the Cosmos SDK.
///
/// ```
/// use keyscape_concentrated_liquidity::math::Dec;
///
/// let third = Dec::ONE.quo_even("3".parse()?)?;
/// assert_eq!(third.to_string(), "0.333333333333333333");
/// assert_eq!(third.mul_even("3".parse()?)?.to_string(), "0.999999999999999999");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Dec(pub(super) Number);

/// The digits after the point.
pub(super) const PLACES: u32 = 18;

/// One as a scaled integer.
pub(super) const UNIT: Number = Number::power_of_ten(PLACES);

decimal!(Dec);

impl Dec {
    /// The smallest positive decimal, 10^-18.
    pub const SMALLEST: Dec = Dec(Number::ONE);

    /// Returns a whole number as a decimal.
    #[must_use]
    pub fn from_i64(value: i64) -> Dec {
        // 64 and 60 bits.
        Dec(Number::from_i128(i128::from(value)).times(UNIT).unwrap_or(Number::ZERO))
    }

    /// Returns a whole number as a decimal.
    ///
    /// # Errors
    /// [`MathError::Overflow`].
    pub fn from_int(value: Int) -> Result<Dec, MathError> {
        Dec(value.0.times(UNIT)?).in_range()
    }

    pub(super) fn in_range(self) -> Result<Dec, MathError> {
        // Below 2^256 × 10^18.
        let max = super::number::Magnitude::ONE << 256;
        let whole = self.0.magnitude() / UNIT.magnitude();
        if whole < max { Ok(self) } else { Err(MathError::Overflow) }
    }

    /// Whether it is above zero.
    #[must_use]
    pub fn is_positive(&self) -> bool {
        !self.is_zero() && !self.is_negative()
    }

    /// Returns `-self`.
    #[must_use]
    pub fn negated(self) -> Dec {
        Dec(self.0.negated())
    }

    /// Divides and rounds up. A negative quotient that is not exact is one step too high, as in the
    /// Cosmos SDK, unless it truncates to zero.
    ///
    /// # Errors
    /// As [`quo_even`](Dec::quo_even).
    pub fn quo_up(self, other: Dec) -> Result<Dec, MathError> {
        let quotient = self.0.times_over(UNIT, other.0)?;
        let value = quotient.truncated();
        // The origin compares the sign of the truncated quotient, which has no sign if it is zero.
        let same = value.is_negative() == other.is_negative();
        let up = !quotient.is_exact() && (same != self.is_negative());
        Dec(if up { value.plus(Number::ONE)? } else { value }).in_range()
    }

    /// Rounds towards positive infinity to a whole number.
    ///
    /// # Errors
    /// [`MathError::Overflow`].
    pub fn ceil(self) -> Result<Dec, MathError> {
        Dec(self.0.times_over(Number::ONE, UNIT)?.up()?.times(UNIT)?).in_range()
    }

    /// Returns the whole part.
    ///
    /// # Errors
    /// [`MathError::Overflow`] if it has more than 256 bits.
    pub fn truncate(self) -> Result<Int, MathError> {
        Int::checked(self.0.times_over(Number::ONE, UNIT)?.truncated())
    }

    /// Returns the square root, rounded up.
    ///
    /// # Errors
    /// [`MathError::NegativeRoot`].
    pub fn sqrt(self) -> Result<Dec, MathError> {
        Ok(Dec(self.0.times(UNIT)?.sqrt_up()?))
    }

    /// Returns the same value with 36 places.
    ///
    /// # Errors
    /// [`MathError::Overflow`] if it was made from a [`BigDec`] out of range.
    pub fn to_big(self) -> Result<BigDec, MathError> {
        Ok(BigDec(self.0.times(UNIT)?))
    }

    /// Multiplies exactly: 18 places times 18 places are 36.
    ///
    /// # Errors
    /// [`MathError::Overflow`].
    pub fn mul_exact(self, other: Dec) -> Result<BigDec, MathError> {
        Ok(BigDec(self.0.times(other.0)?))
    }

    /// Parses the value times 10^18, the form in rows: digits with an optional minus sign.
    ///
    /// # Errors
    /// [`BadNumber`].
    pub fn from_scaled(text: &str) -> Result<Dec, BadNumber> {
        let range = |_| BadNumber::Range { text: text.to_owned() };
        Dec(Number::parse(text)?).in_range().map_err(range)
    }
}
