//! Decimals with a fixed number of places.

use super::{
    BadNumber, MathError,
    number::{Magnitude, Number, Quotient, power_of_two},
};
use keyscape::U256;
use std::{fmt, str::FromStr};

/// A signed decimal with a fixed number of places. The wrapped integer counts the smallest step,
/// 10^-`PLACES`.
///
/// ```
/// use keyscape_concentrated_liquidity::math::{BigDec, Dec};
///
/// let third = Dec::ONE.quo_even("3".parse()?)?;
/// assert_eq!(third.to_string(), "0.333333333333333333");
/// assert_eq!(third.mul_even("3".parse::<Dec>()?)?.to_string(), "0.999999999999999999");
/// let root = "2".parse::<BigDec>()?.sqrt()?;
/// assert_eq!(root.to_string(), "1.414213562373095048801688724209698079");
/// assert_eq!(root.truncate_dec().to_string(), "1.414213562373095048");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Decimal<const PLACES: u32>(Number);

/// A whole number below 2^256, as `Int` of the Cosmos SDK.
pub type Int = Decimal<0>;

/// A decimal with 18 places and a value below 2^256, as `LegacyDec` of the Cosmos SDK.
pub type Dec = Decimal<18>;

/// A decimal with 36 places and at most 1144 bits, as `BigDec` of Osmosis.
pub type BigDec = Decimal<36>;

impl<const PLACES: u32> Decimal<PLACES> {
    /// Zero.
    pub const ZERO: Self = Decimal(Number::ZERO);
    /// One.
    pub const ONE: Self = Decimal(Self::UNIT);
    /// The smallest positive decimal.
    pub const SMALLEST: Self = Decimal(Number::ONE);

    /// One as a scaled integer.
    const UNIT: Number = Number::power_of_ten(PLACES);

    /// The scaled integers of results are below this.
    const LIMIT: Magnitude = match PLACES {
        36 => power_of_two(1144),
        _ => power_of_two(256).wrapping_mul(*Self::UNIT.magnitude()),
    };

    /// The scaled integers in rows are below this.
    const ROW_LIMIT: Magnitude = match PLACES {
        36 => power_of_two(1024),
        _ => Self::LIMIT,
    };

    fn in_range(number: Number) -> Result<Self, MathError> {
        if *number.magnitude() < Self::LIMIT {
            Ok(Decimal(number))
        } else {
            Err(MathError::Overflow)
        }
    }

    fn parse(text: &str, places: u32, limit: &Magnitude) -> Result<Self, BadNumber> {
        let number = Number::parse(text, places)?;
        if number.magnitude() < limit {
            return Ok(Decimal(number));
        }
        Err(BadNumber::Range(text.to_owned()))
    }

    /// Parses the scaled integer, the form in rows: digits with an optional minus sign.
    ///
    /// # Errors
    /// [`BadNumber`].
    pub fn from_scaled(text: &str) -> Result<Self, BadNumber> {
        Self::parse(text, 0, &Self::ROW_LIMIT)
    }

    /// Returns the scaled integer as text, the form in rows.
    #[must_use]
    pub fn to_scaled(self) -> String {
        Decimal::<0>(self.0).to_string()
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

    /// Returns `-self`.
    #[must_use]
    pub fn negated(self) -> Self {
        Decimal(self.0.negated())
    }

    /// Returns the absolute value.
    #[must_use]
    pub fn absolute(self) -> Self {
        Decimal(self.0.absolute())
    }

    /// Adds.
    ///
    /// # Errors
    /// [`MathError::Overflow`].
    pub fn plus(self, other: Self) -> Result<Self, MathError> {
        Self::in_range(self.0.plus(other.0)?)
    }

    /// Subtracts.
    ///
    /// # Errors
    /// [`MathError::Overflow`].
    pub fn minus(self, other: Self) -> Result<Self, MathError> {
        Self::in_range(self.0.minus(other.0)?)
    }

    /// Returns the product with its remainder.
    fn product<const OTHER: u32>(self, other: Decimal<OTHER>) -> Result<Quotient, MathError> {
        self.0.times_over(other.0, Decimal::<OTHER>::UNIT)
    }

    /// Returns the quotient with its remainder.
    fn quotient<const OTHER: u32>(self, other: Decimal<OTHER>) -> Result<Quotient, MathError> {
        self.0.times_over(Decimal::<OTHER>::UNIT, other.0)
    }

    /// Divides the scaled integer by another integer.
    fn scaled_over(self, divisor: Number) -> Result<Quotient, MathError> {
        self.0.times_over(Number::ONE, divisor)
    }

    /// Multiplies, and rounds half to even.
    ///
    /// # Errors
    /// [`MathError::Overflow`].
    pub fn mul_even<const OTHER: u32>(self, other: Decimal<OTHER>) -> Result<Self, MathError> {
        Self::in_range(self.product(other)?.half_even()?)
    }

    /// Multiplies, and truncates towards zero.
    ///
    /// # Errors
    /// [`MathError::Overflow`].
    pub fn mul_truncate<const OTHER: u32>(self, other: Decimal<OTHER>) -> Result<Self, MathError> {
        Self::in_range(self.product(other)?.truncated())
    }

    /// Multiplies, and rounds towards positive infinity.
    ///
    /// # Errors
    /// [`MathError::Overflow`].
    pub fn mul_up<const OTHER: u32>(self, other: Decimal<OTHER>) -> Result<Self, MathError> {
        Self::in_range(self.product(other)?.up()?)
    }

    /// Divides, truncates to twice the places, and rounds half to even.
    ///
    /// # Errors
    /// [`MathError::Overflow`], [`MathError::DivisionByZero`].
    pub fn quo_even(self, other: Self) -> Result<Self, MathError> {
        Self::in_range(self.quotient(other)?.cut_half_even(Self::UNIT)?)
    }

    /// Divides, and truncates towards zero.
    ///
    /// # Errors
    /// As [`quo_even`](Self::quo_even).
    pub fn quo_truncate<const OTHER: u32>(self, other: Decimal<OTHER>) -> Result<Self, MathError> {
        Self::in_range(self.quotient(other)?.truncated())
    }

    /// Rounds towards positive infinity to a whole number.
    ///
    /// # Errors
    /// [`MathError::Overflow`].
    pub fn ceil(self) -> Result<Self, MathError> {
        Self::in_range(self.scaled_over(Self::UNIT)?.up()?.times(Self::UNIT)?)
    }

    /// Returns the square root, rounded up.
    ///
    /// # Errors
    /// [`MathError::NegativeRoot`], [`MathError::Overflow`].
    pub fn sqrt(self) -> Result<Self, MathError> {
        Ok(Decimal(self.0.times(Self::UNIT)?.sqrt_up()?))
    }
}

impl Int {
    /// Returns the absolute value as an amount of coins.
    #[must_use]
    pub fn magnitude(self) -> U256 {
        let bytes = self.0.magnitude().to_be_bytes::<144>();
        let low = bytes.last_chunk::<32>().copied().unwrap_or_default();
        U256::from_be_bytes(low)
    }
}

impl Dec {
    /// Returns a whole number as a decimal.
    ///
    /// # Errors
    /// [`MathError::Overflow`].
    pub fn from_int(value: Int) -> Result<Dec, MathError> {
        Dec::in_range(value.0.times(Dec::UNIT)?)
    }

    /// Returns the whole part.
    ///
    /// # Errors
    /// [`MathError::Overflow`] if it has more than 256 bits.
    pub fn truncate(self) -> Result<Int, MathError> {
        Int::in_range(self.scaled_over(Dec::UNIT)?.truncated())
    }

    /// Returns the same value with 36 places.
    ///
    /// # Errors
    /// [`MathError::Overflow`] if it was made from a [`BigDec`] out of range.
    pub fn to_big(self) -> Result<BigDec, MathError> {
        self.mul_exact(Dec::ONE)
    }

    /// Multiplies exactly: 18 places times 18 places are 36.
    ///
    /// # Errors
    /// [`MathError::Overflow`].
    pub fn mul_exact(self, other: Dec) -> Result<BigDec, MathError> {
        Ok(Decimal(self.0.times(other.0)?))
    }

    /// Divides and rounds up. A negative quotient that is not exact is one step too high, as in the
    /// Cosmos SDK, unless it truncates to zero.
    ///
    /// # Errors
    /// As [`quo_even`](Self::quo_even).
    pub fn quo_up(self, other: Dec) -> Result<Dec, MathError> {
        let quotient = self.quotient(other)?;
        // The origin compares the sign of the truncated quotient, which has no sign if it is zero.
        let same = quotient.truncated().is_negative() == other.is_negative();
        Dec::in_range(quotient.raised_if(same != self.is_negative())?)
    }
}

impl BigDec {
    /// Returns 10 to the power of an exponent in `-36..=120`; zero below.
    #[must_use]
    pub(crate) fn power_of_ten(exponent: i64) -> BigDec {
        let scaled = u32::try_from(exponent + 36);
        scaled.map_or(BigDec::ZERO, |scaled| Decimal(Number::power_of_ten(scaled)))
    }

    /// Divides. Adds the smallest step if the dividend is positive and the quotient is not exact.
    ///
    /// # Errors
    /// As [`quo_even`](Self::quo_even).
    pub fn quo_up<const OTHER: u32>(self, other: Decimal<OTHER>) -> Result<BigDec, MathError> {
        BigDec::in_range(self.quotient(other)?.raised_if(!self.is_negative())?)
    }

    /// Divides. Adds the smallest step if the quotient is not exact, for either sign.
    ///
    /// # Errors
    /// As [`quo_even`](Self::quo_even).
    pub fn quo_up_always(self, other: BigDec) -> Result<BigDec, MathError> {
        BigDec::in_range(self.quotient(other)?.raised_if(true)?)
    }

    /// Divides to a whole number. Adds one if the quotient is not exact, for either sign.
    ///
    /// # Errors
    /// As [`quo_even`](Self::quo_even).
    pub fn quo_up_to_integer(self, other: BigDec) -> Result<BigDec, MathError> {
        BigDec::in_range(self.scaled_over(other.0)?.raised_if(true)?.times(BigDec::UNIT)?)
    }

    /// Returns the whole part.
    ///
    /// # Errors
    /// [`MathError::Overflow`] if it does not fit in 64 bits.
    pub(crate) fn truncate_i64(self) -> Result<i64, MathError> {
        let whole = self.scaled_over(BigDec::UNIT)?.truncated();
        let magnitude = i64::try_from(*whole.magnitude()).map_err(|_| MathError::Overflow)?;
        Ok(if whole.is_negative() { -magnitude } else { magnitude })
    }

    /// Truncates to 18 places, without a check of the range.
    #[must_use]
    pub fn truncate_dec(self) -> Dec {
        Decimal(self.scaled_over(Dec::UNIT).map_or(Number::ZERO, |cut| cut.truncated()))
    }

    /// Truncates to 18 places. Adds the smallest step if the result is not exact, for either sign.
    ///
    /// # Errors
    /// [`MathError::Overflow`].
    pub fn up_dec(self) -> Result<Dec, MathError> {
        Ok(Decimal(self.scaled_over(Dec::UNIT)?.raised_if(true)?))
    }
}

impl From<U256> for Int {
    fn from(amount: U256) -> Int {
        Decimal(Number::new(false, Magnitude::from_be_slice(&amount.to_be_bytes())))
    }
}

impl<const PLACES: u32> From<i64> for Decimal<PLACES> {
    fn from(value: i64) -> Self {
        // The product has at most 184 bits.
        Decimal(Number::from_i64(value).times(Self::UNIT).unwrap_or_default())
    }
}

impl<const PLACES: u32> fmt::Display for Decimal<PLACES> {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt_decimal(PLACES, out)
    }
}

impl<const PLACES: u32> FromStr for Decimal<PLACES> {
    type Err = BadNumber;

    fn from_str(text: &str) -> Result<Self, BadNumber> {
        Self::parse(text, PLACES, &Self::LIMIT)
    }
}
