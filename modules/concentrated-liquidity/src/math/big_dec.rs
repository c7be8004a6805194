//! Decimals with 36 places.

use super::{BadNumber, Dec, MathError, dec, decimal::decimal, number::Number};
use std::{fmt, str::FromStr};

/// A decimal with 36 places and at most 1144 bits, as `BigDec` of Osmosis.
///
/// ```
/// use keyscape_concentrated_liquidity::math::BigDec;
///
/// let root = "2".parse::<BigDec>()?.sqrt()?;
/// assert_eq!(root.to_string(), "1.414213562373095048801688724209698079");
/// assert_eq!(root.truncate_dec().to_string(), "1.414213562373095048");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct BigDec(pub(super) Number);

/// The digits after the point.
const PLACES: u32 = 36;

/// The bits of the largest scaled integer.
const MAX_BITS: usize = 1144;

/// One as a scaled integer.
const UNIT: Number = Number::power_of_ten(PLACES);

decimal!(BigDec);

impl BigDec {
    /// Returns 10 to the power of an exponent in `-36..=120`; zero below.
    #[must_use]
    pub(crate) fn power_of_ten(exponent: i64) -> BigDec {
        let scaled = u32::try_from(exponent + i64::from(PLACES));
        scaled.map_or(BigDec::ZERO, |scaled| BigDec(Number::power_of_ten(scaled)))
    }

    fn in_range(self) -> Result<BigDec, MathError> {
        if self.0.bits() <= MAX_BITS { Ok(self) } else { Err(MathError::Overflow) }
    }

    /// Multiplies by an integer.
    ///
    /// # Errors
    /// [`MathError::Overflow`].
    pub(crate) fn times(self, integer: i64) -> Result<BigDec, MathError> {
        BigDec(self.0.times(Number::from_i128(i128::from(integer)))?).in_range()
    }

    /// Multiplies by a decimal of 18 places, and rounds half to even.
    ///
    /// # Errors
    /// [`MathError::Overflow`].
    pub fn mul_dec(self, other: Dec) -> Result<BigDec, MathError> {
        BigDec(self.0.times_over(other.0, dec::UNIT)?.half_even()?).in_range()
    }

    /// Multiplies by a decimal of 18 places, and truncates towards zero.
    ///
    /// # Errors
    /// [`MathError::Overflow`].
    pub fn mul_truncate_dec(self, other: Dec) -> Result<BigDec, MathError> {
        BigDec(self.0.times_over(other.0, dec::UNIT)?.truncated()).in_range()
    }

    /// Multiplies by a decimal of 18 places, and rounds towards positive infinity.
    ///
    /// # Errors
    /// [`MathError::Overflow`].
    pub fn mul_up_dec(self, other: Dec) -> Result<BigDec, MathError> {
        BigDec(self.0.times_over(other.0, dec::UNIT)?.up()?).in_range()
    }

    /// Divides by a decimal of 18 places, and truncates towards zero.
    ///
    /// # Errors
    /// As [`quo_even`](BigDec::quo_even).
    pub fn quo_truncate_dec(self, other: Dec) -> Result<BigDec, MathError> {
        BigDec(self.0.times_over(dec::UNIT, other.0)?.truncated()).in_range()
    }

    /// Divides. Adds the smallest step if the dividend is positive and the quotient is not exact.
    ///
    /// # Errors
    /// As [`quo_even`](BigDec::quo_even).
    pub fn quo_up(self, other: BigDec) -> Result<BigDec, MathError> {
        self.raised(UNIT, other.0, !self.is_negative())
    }

    /// Divides by a decimal of 18 places, and rounds as [`quo_up`](BigDec::quo_up).
    ///
    /// # Errors
    /// As [`quo_even`](BigDec::quo_even).
    pub fn quo_up_dec(self, other: Dec) -> Result<BigDec, MathError> {
        self.raised(dec::UNIT, other.0, !self.is_negative())
    }

    /// Divides. Adds the smallest step if the quotient is not exact, for either sign.
    ///
    /// # Errors
    /// As [`quo_even`](BigDec::quo_even).
    pub fn quo_up_always(self, other: BigDec) -> Result<BigDec, MathError> {
        self.raised(UNIT, other.0, true)
    }

    /// Divides to a whole number. Adds one if the quotient is not exact, for either sign.
    ///
    /// # Errors
    /// As [`quo_even`](BigDec::quo_even).
    pub fn quo_up_to_integer(self, other: BigDec) -> Result<BigDec, MathError> {
        let whole = self.raised(Number::ONE, other.0, true)?;
        BigDec(whole.0.times(UNIT)?).in_range()
    }

    fn raised(self, factor: Number, divisor: Number, up: bool) -> Result<BigDec, MathError> {
        let quotient = self.0.times_over(factor, divisor)?;
        let value = quotient.truncated();
        let value = if up && !quotient.is_exact() { value.plus(Number::ONE)? } else { value };
        BigDec(value).in_range()
    }

    /// Rounds towards positive infinity to a whole number.
    ///
    /// # Errors
    /// [`MathError::Overflow`].
    pub fn ceil(self) -> Result<BigDec, MathError> {
        Ok(BigDec(self.0.times_over(Number::ONE, UNIT)?.up()?.times(UNIT)?))
    }

    /// Returns the whole part.
    ///
    /// # Errors
    /// [`MathError::Overflow`] if it does not fit in 64 bits.
    pub(crate) fn truncate_i64(self) -> Result<i64, MathError> {
        let whole = self.0.times_over(Number::ONE, UNIT)?.truncated();
        let magnitude = i64::try_from(*whole.magnitude()).map_err(|_| MathError::Overflow)?;
        Ok(if whole.is_negative() { -magnitude } else { magnitude })
    }

    /// Cuts after 18 places.
    #[must_use]
    pub fn truncate_dec(self) -> Dec {
        let cut = self.0.times_over(Number::ONE, dec::UNIT);
        Dec(cut.map_or(Number::ZERO, super::number::Quotient::truncated))
    }

    /// Truncates to 18 places. Adds the smallest step if the result is not exact, for either sign.
    ///
    /// # Errors
    /// [`MathError::Overflow`].
    pub fn up_dec(self) -> Result<Dec, MathError> {
        Ok(Dec(self.raised(Number::ONE, dec::UNIT, true)?.0))
    }

    /// Returns the square root, rounded up.
    ///
    /// # Errors
    /// [`MathError::NegativeRoot`], [`MathError::Overflow`].
    pub fn sqrt(self) -> Result<BigDec, MathError> {
        Ok(BigDec(self.0.times(UNIT)?.sqrt_up()?))
    }

    /// Parses the value times 10^36, the form in rows: digits with an optional minus sign.
    ///
    /// # Errors
    /// [`BadNumber`].
    pub fn from_scaled(text: &str) -> Result<BigDec, BadNumber> {
        let number = Number::parse(text)?;
        // Rows allow fewer bits than results.
        if number.bits() > 1024 {
            return Err(BadNumber::Range { text: text.to_owned() });
        }
        Ok(BigDec(number))
    }
}
