//! Signed integers that are wide enough for every decimal, and their products and quotients.

use super::{BadNumber, MathError};
use ruint::Uint;
use std::{cmp::Ordering, fmt};

/// The absolute value of a number. Decimals have at most 1144 bits.
pub(super) type Magnitude = Uint<1152, 18>;

/// A product of two magnitudes.
type Wide = Uint<2304, 36>;

/// A product of ordinary magnitudes: sqrt prices and liquidity have fewer than 256 bits.
type Narrow = Uint<512, 8>;

/// A signed integer. Zero is not negative.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub(super) struct Number {
    negative: bool,
    magnitude: Magnitude,
}

/// A truncated quotient with its remainder.
#[derive(Clone, Copy, Debug)]
pub(super) struct Quotient {
    /// Truncated towards zero.
    value: Number,
    /// The absolute value of the remainder.
    remainder: Magnitude,
    /// The absolute value of the divisor.
    divisor: Magnitude,
    /// Whether the exact quotient is below zero.
    negative: bool,
}

impl Number {
    pub(super) const ZERO: Number = Number { negative: false, magnitude: Magnitude::ZERO };
    pub(super) const ONE: Number = Number { negative: false, magnitude: Magnitude::ONE };

    pub(super) const fn new(negative: bool, magnitude: Magnitude) -> Number {
        Number { negative: negative && !magnitude.const_is_zero(), magnitude }
    }

    const fn positive(magnitude: Magnitude) -> Number {
        Number { negative: false, magnitude }
    }

    pub(super) fn from_i64(value: i64) -> Number {
        Number::new(value < 0, Magnitude::from(value.unsigned_abs()))
    }

    /// Returns 10 to the power of an exponent of at most 300.
    pub(super) const fn power_of_ten(exponent: u32) -> Number {
        let ten = power_of_two(3).wrapping_add(power_of_two(1));
        let mut power = Magnitude::ONE;
        let mut left = exponent;
        while left > 0 {
            power = power.wrapping_mul(ten);
            left -= 1;
        }
        Number::positive(power)
    }

    pub(super) const fn magnitude(&self) -> &Magnitude {
        &self.magnitude
    }

    pub(super) const fn is_zero(&self) -> bool {
        self.magnitude.const_is_zero()
    }

    pub(super) const fn is_negative(&self) -> bool {
        self.negative
    }

    fn bits(&self) -> usize {
        self.magnitude.bit_len()
    }

    pub(super) fn negated(self) -> Number {
        Number::new(!self.negative, self.magnitude)
    }

    pub(super) fn absolute(self) -> Number {
        Number::positive(self.magnitude)
    }

    pub(super) fn plus(self, other: Number) -> Result<Number, MathError> {
        if self.negative == other.negative {
            let sum = self.magnitude.checked_add(other.magnitude).ok_or(MathError::Overflow)?;
            return Ok(Number::new(self.negative, sum));
        }
        Ok(match self.magnitude.cmp(&other.magnitude) {
            Ordering::Less => Number::new(other.negative, other.magnitude - self.magnitude),
            _ => Number::new(self.negative, self.magnitude - other.magnitude),
        })
    }

    pub(super) fn minus(self, other: Number) -> Result<Number, MathError> {
        self.plus(other.negated())
    }

    pub(super) fn times(self, other: Number) -> Result<Number, MathError> {
        let product = self.magnitude.checked_mul(other.magnitude).ok_or(MathError::Overflow)?;
        Ok(Number::new(self.negative != other.negative, product))
    }

    /// Divides `self × factor` by `divisor`. The product may be wider than any number.
    pub(super) fn times_over(self, factor: Number, divisor: Number) -> Result<Quotient, MathError> {
        if divisor.is_zero() {
            return Err(MathError::DivisionByZero);
        }
        let narrow = self.bits() + factor.bits() <= Narrow::BITS && divisor.bits() <= Narrow::BITS;
        let (value, remainder) = if narrow {
            let product = to_narrow(&self.magnitude).wrapping_mul(to_narrow(&factor.magnitude));
            let (value, remainder) = product.div_rem(to_narrow(&divisor.magnitude));
            (
                Magnitude::from_limbs_slice(value.as_limbs()),
                Magnitude::from_limbs_slice(remainder.as_limbs()),
            )
        } else {
            let product = to_wide(&self.magnitude).wrapping_mul(to_wide(&factor.magnitude));
            let (value, remainder) = product.div_rem(to_wide(&divisor.magnitude));
            (
                from_wide(&value).ok_or(MathError::Overflow)?,
                from_wide(&remainder).ok_or(MathError::Overflow)?,
            )
        };
        let negative = (self.negative != factor.negative) != divisor.negative;
        let value = Number::new(negative, value);
        Ok(Quotient { value, remainder, divisor: divisor.magnitude, negative })
    }

    /// Returns the square root, rounded up: the smallest number whose square is not below `self`.
    pub(super) fn sqrt_up(self) -> Result<Number, MathError> {
        if self.negative {
            return Err(MathError::NegativeRoot);
        }
        let square = self.magnitude;
        if square.is_zero() {
            return Ok(Number::ZERO);
        }
        // Newton's iteration from above falls until it reaches the truncated root.
        let mut root = Magnitude::ONE << square.bit_len().div_ceil(2);
        loop {
            let next = (root + square / root) >> 1;
            if next >= root {
                break;
            }
            root = next;
        }
        let exact = root * root == square;
        Ok(Number::positive(if exact { root } else { root + Magnitude::ONE }))
    }

    /// Reads a decimal with at most `places` digits after its point, and scales it by them. Rejects
    /// leading zeros, a plus sign, and `-0` as a whole number.
    pub(super) fn parse(text: &str, places: u32) -> Result<Number, BadNumber> {
        let places = places as usize;
        let (negative, unsigned) = match text.strip_prefix('-') {
            Some(rest) => (true, rest),
            None => (false, text),
        };
        let (whole, fraction) = unsigned.split_once('.').unwrap_or((unsigned, ""));
        let has_empty_part = whole.is_empty() || unsigned.ends_with('.');
        let has_leading_zero = whole.starts_with('0') && whole.len() > 1;
        let is_negative_zero = places == 0 && text == "-0";
        let digits = format!("{whole}{fraction:0<places$}");
        if has_empty_part
            || has_leading_zero
            || is_negative_zero
            || fraction.len() > places
            || !digits.bytes().all(|byte| byte.is_ascii_digit())
        {
            return Err(BadNumber::Digits(text.to_owned()));
        }
        let magnitude = Magnitude::from_str_radix(&digits, 10)
            .map_err(|_| BadNumber::Range(text.to_owned()))?;
        Ok(Number::new(negative, magnitude))
    }

    /// Writes the number with a point before its last `places` digits, without zeros at the end.
    pub(super) fn fmt_decimal(&self, places: u32, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        let places = places as usize;
        let digits = format!("{:0>width$}", digits(&self.magnitude), width = places + 1);
        let (whole, fraction) = digits.split_at(digits.len() - places);
        let fraction = fraction.trim_end_matches('0');
        let point = if fraction.is_empty() { "" } else { "." };
        out.pad_integral(!self.negative, "", &format!("{whole}{point}{fraction}"))
    }
}

impl Quotient {
    /// Returns the quotient, rounded towards zero.
    pub(super) fn truncated(self) -> Number {
        self.value
    }

    /// Returns the quotient, rounded towards zero. Adds one if the quotient has a fraction and `up`
    /// is set.
    pub(super) fn raised_if(self, up: bool) -> Result<Number, MathError> {
        if up && !self.remainder.is_zero() { self.value.plus(Number::ONE) } else { Ok(self.value) }
    }

    /// Returns the quotient, rounded towards positive infinity.
    pub(super) fn up(self) -> Result<Number, MathError> {
        self.raised_if(!self.negative)
    }

    /// Returns the nearest integer. Rounds halves to even.
    pub(super) fn half_even(self) -> Result<Number, MathError> {
        // The fraction exceeds one half if the remainder exceeds the rest of the divisor.
        self.rounded(self.remainder.cmp(&(self.divisor - self.remainder)))
    }

    /// As [`half_even`](Quotient::half_even), but first truncates the fraction to some decimal
    /// places. `precision` is 10 to the power of their number.
    pub(super) fn cut_half_even(self, precision: Number) -> Result<Number, MathError> {
        let remainder = Number::positive(self.remainder);
        let fraction = remainder.times_over(precision, Number::positive(self.divisor))?;
        let half = precision.magnitude >> 1_usize;
        self.rounded(fraction.value.magnitude.cmp(&half))
    }

    /// Rounds half to even. `order` compares the fraction with one half.
    fn rounded(self, order: Ordering) -> Result<Number, MathError> {
        let is_odd = self.value.magnitude.bit(0);
        if order == Ordering::Less || (order == Ordering::Equal && !is_odd) {
            return Ok(self.value);
        }
        let one = Number::new(self.negative, Magnitude::ONE);
        self.value.plus(one)
    }
}

/// Returns 2 to the power of an exponent below 1152.
pub(super) const fn power_of_two(exponent: usize) -> Magnitude {
    let mut limbs = [0; Magnitude::LIMBS];
    limbs[exponent / 64] = 1 << (exponent % 64);
    Magnitude::from_limbs(limbs)
}

fn to_narrow(magnitude: &Magnitude) -> Narrow {
    let (low, _) = magnitude.as_limbs().split_at(Narrow::LIMBS);
    Narrow::from_limbs_slice(low)
}

fn to_wide(magnitude: &Magnitude) -> Wide {
    Wide::from_limbs_slice(magnitude.as_limbs())
}

fn from_wide(wide: &Wide) -> Option<Magnitude> {
    Magnitude::checked_from_limbs_slice(wide.as_limbs())
}

/// Returns the decimal digits of a magnitude. Most are short, and short integers print faster.
fn digits(magnitude: &Magnitude) -> String {
    if magnitude.bit_len() <= Narrow::BITS {
        to_narrow(magnitude).to_string()
    } else {
        magnitude.to_string()
    }
}

impl PartialOrd for Number {
    fn partial_cmp(&self, other: &Number) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for Number {
    fn cmp(&self, other: &Number) -> Ordering {
        match (self.negative, other.negative) {
            (false, true) => Ordering::Greater,
            (true, false) => Ordering::Less,
            (false, false) => self.magnitude.cmp(&other.magnitude),
            (true, true) => other.magnitude.cmp(&self.magnitude),
        }
    }
}
