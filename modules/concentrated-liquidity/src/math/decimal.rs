//! The operations of both decimals.

/// Implements a decimal on the scaled integer that it wraps. The file defines its `PLACES`, its
/// `UNIT`, which is one as a scaled integer, and `in_range`.
macro_rules! decimal {
    ($decimal:ident) => {
        impl $decimal {
            /// Zero.
            pub const ZERO: $decimal = $decimal(Number::ZERO);
            /// One.
            pub const ONE: $decimal = $decimal(UNIT);

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

            /// Returns the absolute value.
            #[must_use]
            pub fn absolute(self) -> $decimal {
                $decimal(self.0.absolute())
            }

            /// Adds.
            ///
            /// # Errors
            /// [`MathError::Overflow`].
            pub fn plus(self, other: $decimal) -> Result<$decimal, MathError> {
                $decimal(self.0.plus(other.0)?).in_range()
            }

            /// Subtracts.
            ///
            /// # Errors
            /// [`MathError::Overflow`].
            pub fn minus(self, other: $decimal) -> Result<$decimal, MathError> {
                $decimal(self.0.minus(other.0)?).in_range()
            }

            /// Multiplies, and rounds half to even.
            ///
            /// # Errors
            /// [`MathError::Overflow`].
            pub fn mul_even(self, other: $decimal) -> Result<$decimal, MathError> {
                $decimal(self.0.times_over(other.0, UNIT)?.half_even()?).in_range()
            }

            /// Multiplies, and truncates towards zero.
            ///
            /// # Errors
            /// [`MathError::Overflow`].
            pub fn mul_truncate(self, other: $decimal) -> Result<$decimal, MathError> {
                $decimal(self.0.times_over(other.0, UNIT)?.truncated()).in_range()
            }

            /// Multiplies, and rounds towards positive infinity.
            ///
            /// # Errors
            /// [`MathError::Overflow`].
            pub fn mul_up(self, other: $decimal) -> Result<$decimal, MathError> {
                $decimal(self.0.times_over(other.0, UNIT)?.up()?).in_range()
            }

            /// Divides, cuts after twice the places, and rounds half to even.
            ///
            /// # Errors
            /// [`MathError::Overflow`], [`MathError::DivisionByZero`].
            pub fn quo_even(self, other: $decimal) -> Result<$decimal, MathError> {
                $decimal(self.0.times_over(UNIT, other.0)?.cut_half_even(UNIT)?).in_range()
            }

            /// Divides, and truncates towards zero.
            ///
            /// # Errors
            /// As [`quo_even`](Self::quo_even).
            pub fn quo_truncate(self, other: $decimal) -> Result<$decimal, MathError> {
                $decimal(self.0.times_over(UNIT, other.0)?.truncated()).in_range()
            }

            /// Returns the value as a scaled integer, in text, the form in rows.
            #[must_use]
            pub fn to_scaled(self) -> String {
                self.0.to_string()
            }
        }

        impl Default for $decimal {
            fn default() -> $decimal {
                $decimal::ZERO
            }
        }

        impl fmt::Display for $decimal {
            fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
                self.0.show_decimal(PLACES, out)
            }
        }

        impl FromStr for $decimal {
            type Err = BadNumber;

            fn from_str(text: &str) -> Result<$decimal, BadNumber> {
                let range = |_| BadNumber::Range { text: text.to_owned() };
                $decimal(Number::parse_decimal(text, PLACES)?).in_range().map_err(range)
            }
        }
    };
}

pub(super) use decimal;
