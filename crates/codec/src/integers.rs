//! Domains of integers, and the arithmetic of all integer codecs.

use crate::{
    Arg, Description, IntBounds, IntRange, IntType, Kind, Malformed, Order, Uint, Value,
    ValueError, Values, order,
};
use alloc::{boxed::Box, format, string::String, vec::Vec};
use core::{cmp::Ordering, fmt, iter::successors};

/// A signed or unsigned integer of 256 bits: an end of an [`IntRange`], in order.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Number {
    // INVARIANT: zero is not negative.
    negative: bool,
    magnitude: Uint,
}

impl Number {
    pub(crate) const ZERO: Self = Self { negative: false, magnitude: Uint::ZERO };

    /// Creates a number from its sign and its magnitude.
    #[must_use]
    pub fn new(negative: bool, magnitude: Uint) -> Self {
        Self { negative: negative && magnitude != Uint::ZERO, magnitude }
    }

    pub(crate) fn positive(magnitude: impl Into<Uint>) -> Self {
        Self::new(false, magnitude.into())
    }

    pub(crate) fn negative(magnitude: impl Into<Uint>) -> Self {
        Self::new(true, magnitude.into())
    }

    pub(crate) const fn signed(value: i128) -> Self {
        Self { negative: value < 0, magnitude: Uint::new(value.unsigned_abs()) }
    }

    /// Whether the number is below zero.
    #[must_use]
    pub const fn is_negative(self) -> bool {
        self.negative
    }

    /// Returns the number without its sign.
    #[must_use]
    pub const fn magnitude(self) -> Uint {
        self.magnitude
    }

    /// Returns the two's complement in 256 bits.
    pub(crate) fn bits(self) -> Uint {
        if self.negative { self.magnitude.wrapping_neg() } else { self.magnitude }
    }

    /// Returns the number whose two's complement, in the width of `of`, is in the low bits of
    /// `bits`.
    pub(crate) fn from_bits(bits: Uint, of: IntType) -> Self {
        if of.signed {
            let unused = u128::BITS - of.bits;
            Self::signed((bits.as_u128() << unused).cast_signed() >> unused)
        } else {
            let unused = Uint::BITS - of.bits;
            Self::positive((bits << unused) >> unused)
        }
    }

    /// Returns the magnitude, for types of at most 64 bits.
    pub(crate) const fn low_u64(self) -> u64 {
        self.magnitude.as_u64()
    }

    /// Returns the number, for types whose integers fit `i128`.
    pub(crate) fn low_i128(self) -> i128 {
        self.bits().as_i128()
    }

    /// Returns the number minus one; saturates at 256 bits.
    #[must_use]
    pub fn previous(self) -> Self {
        if self.negative || self.magnitude == 0 {
            Self::negative(self.magnitude.saturating_add(Uint::ONE))
        } else {
            Self::positive(self.magnitude - Uint::ONE)
        }
    }

    pub(crate) fn next(self) -> Self {
        if self.negative {
            Self::negative(self.magnitude - Uint::ONE)
        } else {
            Self::positive(self.magnitude.saturating_add(Uint::ONE))
        }
    }

    /// Returns the number divided by 256, rounded down, as an ordered number.
    pub(crate) fn page(self) -> Self {
        if self.negative {
            let up = u8::from(self.magnitude.as_u8() != 0);
            Self::negative((self.magnitude >> 8) + Uint::from(up))
        } else {
            Self::positive(self.magnitude >> 8)
        }
    }
}

impl From<u128> for Number {
    fn from(magnitude: u128) -> Self {
        Self::positive(magnitude)
    }
}

impl Ord for Number {
    fn cmp(&self, other: &Self) -> Ordering {
        match (self.negative, other.negative) {
            (false, false) => self.magnitude.cmp(&other.magnitude),
            (true, true) => other.magnitude.cmp(&self.magnitude),
            (negative, _) => {
                if negative {
                    Ordering::Less
                } else {
                    Ordering::Greater
                }
            }
        }
    }
}

impl PartialOrd for Number {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl fmt::Display for Number {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}{}", if self.negative { "-" } else { "" }, self.magnitude)
    }
}

/// The integers of one codec: a type and the allowed range.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct IntDomain {
    pub(crate) of: IntType,
    // INVARIANT: low <= high, and both are of the type.
    pub(crate) low: Number,
    pub(crate) high: Number,
}

impl IntDomain {
    pub(crate) fn full(of: IntType) -> Self {
        let top = of.bits - u32::from(of.signed);
        let high = Number::positive(Uint::MAX >> (Uint::BITS - top));
        let low = if of.signed { Number::negative(Uint::ONE << top) } else { Number::ZERO };
        Self { of, low, high }
    }

    /// Returns the domain from `low` to `high`; `None` if it would be empty.
    pub(crate) fn narrowed(self, low: Number, high: Number) -> Option<Self> {
        let (low, high) = (low.max(self.low), high.min(self.high));
        (low <= high).then_some(Self { low, high, ..self })
    }

    pub(crate) fn range(&self) -> IntRange {
        let (low, high) = (self.low, self.high);
        match self.of.signed {
            true => IntRange::Signed { low: low.low_i128(), high: high.low_i128() },
            false => IntRange::Unsigned { low: low.magnitude, high: high.magnitude },
        }
    }

    pub(crate) const fn kind(&self) -> Kind {
        if self.of.signed { Kind::Int } else { Kind::Uint }
    }

    /// Describes `name(u64)`, with `in` if some integers of the type are excluded.
    pub(crate) fn describe(&self, name: &'static str) -> Description {
        let mut described =
            Description::new(name, Values::Integers(self.of)).arg(Arg::Int(self.of));
        described.domain = (*self != Self::full(self.of)).then(|| self.bounds());
        described
    }

    /// Describes the domain as an argument of a codec.
    pub(crate) fn argument(&self) -> Arg<Box<Description>> {
        if *self == Self::full(self.of) {
            Arg::Int(self.of)
        } else {
            Arg::IntIn(self.of, self.bounds())
        }
    }

    pub(crate) const fn bounds(&self) -> IntBounds {
        IntBounds { low: Some(self.low), high: Some(self.high) }
    }

    pub(crate) fn allowed(&self) -> String {
        if self.low == self.high {
            format!("the integer {}", self.low)
        } else {
            format!("an integer from {} to {}", self.low, self.high)
        }
    }

    pub(crate) fn contains(&self, number: Number) -> bool {
        (self.low..=self.high).contains(&number)
    }

    pub(crate) fn number(&self, value: &Value) -> Result<Number, ValueError> {
        let number = match (value, self.of.signed) {
            (Value::Uint(value), false) => Number::positive(*value),
            (Value::Int(value), true) => Number::signed(*value),
            _ => return Err(ValueError::Kind { expected: self.allowed() }),
        };
        if self.contains(number) {
            Ok(number)
        } else {
            Err(ValueError::Outside { allowed: self.allowed() })
        }
    }

    pub(crate) fn value(&self, number: Number) -> Value {
        if self.of.signed { Value::Int(number.low_i128()) } else { Value::Uint(number.magnitude) }
    }

    /// Returns both ends, for unsigned types of at most 128 bits.
    pub(crate) const fn magnitudes(&self) -> (u128, u128) {
        (self.low.magnitude.as_u128(), self.high.magnitude.as_u128())
    }

    /// Returns the order for two misordered integers with the fewest bytes; if there are none, all
    /// integers are ordered.
    pub(crate) fn order<N: Into<Number>>(&self, misordered: Option<(N, N)>) -> Order {
        misordered.map_or(order::ORDERED, |(lower, higher)| Order::Misordered {
            lower: self.value(lower.into()),
            higher: self.value(higher.into()),
            minimal: true,
        })
    }

    /// Splits the domain into its negative and its non-negative part.
    pub(crate) fn halves(&self) -> (Option<Self>, Option<Self>) {
        let below = self.narrowed(self.low, Number::signed(-1));
        let above = self.narrowed(Number::ZERO, self.high);
        (below, above)
    }

    /// Returns the first of the [samples](Self::samples): zero, or the end nearest to it.
    pub(crate) fn simplest(&self) -> Value {
        let end = if self.low.negative { self.high } else { self.low };
        self.value(if self.contains(Number::ZERO) { Number::ZERO } else { end })
    }

    /// Returns both ends, small numbers, and powers of 2, 10 and 256 with their neighbours.
    pub(crate) fn samples(&self) -> Vec<Value> {
        let small = |first: u32, last: u32| (first..=last).map(Uint::from);
        let mut above: Vec<Uint> = small(0, 300)
            .chain(around(10, Exponents::All))
            .chain(around(2, Exponents::All))
            .collect();
        if self.low > Number::positive(300_u32) {
            above.extend(small(0, 299).map(|more| self.low.magnitude.saturating_add(more)));
        }
        let mut below: Vec<Uint> = Vec::new();
        if self.low.negative {
            // Fewer negative samples, to bound the total number.
            below.extend(small(1, 60));
            below.extend(around(10, Exponents::All).chain(around(2, Exponents::Bytes)));
        }
        for end in [self.low, self.high] {
            if end.negative { &mut below } else { &mut above }.push(end.magnitude);
        }
        let mut numbers: Vec<Number> = above.into_iter().map(Number::positive).collect();
        numbers.extend(below.into_iter().filter(|&m| m != Uint::ZERO).map(Number::negative));
        numbers.retain(|&number| self.contains(number));
        numbers.sort_unstable_by_key(|number| (number.magnitude, number.negative));
        numbers.dedup();
        numbers.into_iter().map(|number| self.value(number)).collect()
    }
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Exponents {
    All,
    Bytes,
}

/// Returns powers of `base` and their neighbours, for all exponents or only those at byte
/// boundaries. Above 128 bits, only byte boundaries are used, to bound their number.
fn around(base: u32, exponents: Exponents) -> impl Iterator<Item = Uint> {
    let at_end = |exponent: u32| matches!(exponent % 8, 0 | 7);
    let powers = successors(Some(Uint::ONE), move |power| power.checked_mul(Uint::from(base)));
    (0..256)
        .zip(powers)
        .filter(move |&(exponent, _)| {
            let few = exponents == Exponents::Bytes || exponent > 128;
            !few || base != 2 || at_end(exponent)
        })
        .flat_map(|(_, power)| [power - Uint::ONE, power, power.saturating_add(Uint::ONE)])
}

pub(crate) const OUTSIDE: Malformed = Malformed { reason: "an integer is outside its range" };
pub(crate) const TRUNCATED: Malformed =
    Malformed { reason: "an integer of variable length is truncated" };
pub(crate) const NOT_SHORTEST: Malformed =
    Malformed { reason: "an integer is not in its shortest form" };

/// Converts an integer to its type. If it fits, `rest` remains of `bytes`.
#[inline]
pub(crate) fn narrowed<'b, N, T: TryFrom<N>>(
    value: N,
    bytes: &mut &'b [u8],
    rest: &'b [u8],
) -> Result<T, Malformed> {
    let value = T::try_from(value).map_err(|_| OUTSIDE)?;
    *bytes = rest;
    Ok(value)
}

/// Parses with `take` and rejects bytes that are left over.
#[inline]
pub(crate) fn all_of<T>(
    bytes: &[u8],
    take: impl FnOnce(&mut &[u8]) -> Result<T, Malformed>,
) -> Result<T, Malformed> {
    let mut rest = bytes;
    let value = take(&mut rest)?;
    if rest.is_empty() { Ok(value) } else { Err(Malformed { reason: "bytes follow an integer" }) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn domains_reach_from_end_to_end_of_their_type() {
        let ends = |bits, signed| {
            let domain = IntDomain::full(IntType { bits, signed });
            format!("{} {}", domain.low, domain.high)
        };
        assert_eq!(ends(8, true), "-128 127");
        assert_eq!(ends(8, false), "0 255");
        assert_eq!(ends(128, true), format!("{} {}", i128::MIN, i128::MAX));
        assert_eq!(ends(128, false), format!("0 {}", u128::MAX));
        assert_eq!(ends(256, false), format!("0 {}", Uint::MAX));
    }

    #[test]
    fn bits_round_trip_with_their_sign() {
        for (bits, signed) in
            [(8, true), (64, true), (128, true), (8, false), (128, false), (256, false)]
        {
            let of = IntType { bits, signed };
            let domain = IntDomain::full(of);
            for number in [domain.low, domain.high, Number::ZERO] {
                assert_eq!(Number::from_bits(number.bits(), of), number);
            }
        }
    }

    #[test]
    fn samples_are_of_the_domain_and_simplest_first() {
        let of = IntType { bits: 128, signed: true };
        let samples = IntDomain::full(of).samples();
        assert!(samples.len() < 1200, "{}", samples.len());
        assert_eq!(samples[..3], [Value::Int(0), Value::Int(1), Value::Int(-1)]);
        assert!(
            samples.contains(&Value::Int(i128::MIN)) && samples.contains(&Value::Int(i128::MAX))
        );
    }
}
