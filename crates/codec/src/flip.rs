//! `flip(i64)`: two's complement, big-endian, with the sign bit inverted, so bytes sort like
//! numbers.

use crate::{
    Malformed, Uint,
    fixed::{self, Endian, Fixed, interval, parse_bits, put_bits},
    integer_codec::IntegerForm,
    integers::{IntDomain, Number},
    sink::Sink,
};
use alloc::vec::Vec;
use keyscape_automata::{Budget, Dfa, OverBudget};

/// A signed integer type of Rust.
pub trait Signed: Fixed {
    /// Returns the number with its sign bit inverted.
    #[must_use]
    fn flip(self) -> Self;
}

macro_rules! signed {
    ($($int:ty),*) => {$(
        impl Signed for $int {
            #[inline]
            fn flip(self) -> Self {
                self ^ Self::MIN
            }
        }
    )*};
}

signed!(i8, i16, i32, i64, i128);

/// Writes an integer.
///
/// ```
/// let mut key = Vec::new();
/// keyscape_codec::flip::put(-1_i16, &mut key);
/// assert_eq!(key, [0x7f, 0xff]);
/// ```
#[inline]
pub fn put<T: Signed>(value: T, sink: &mut impl Sink) {
    fixed::put_be(value.flip(), sink);
}

/// Parses an integer from all of `bytes`.
///
/// # Errors
/// [`Malformed`] if the length is not that of the type.
#[inline]
pub fn parse<T: Signed>(bytes: &[u8]) -> Result<T, Malformed> {
    fixed::parse_be(bytes).map(T::flip)
}

/// `flip(i8)`, …, `flip(i128)`.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Flip {
    /// The width of the type, which is signed.
    pub(crate) bits: u32,
}

impl Flip {
    fn flipped(self, number: Number) -> Uint {
        number.bits() ^ Uint::ONE << (self.bits - 1)
    }
}

impl IntegerForm for Flip {
    fn put(&self, number: Number, out: &mut Vec<u8>) {
        put_bits(self.flipped(number), self.bits, Endian::Big, out);
    }

    fn parse(&self, bytes: &[u8], domain: &IntDomain) -> Result<Number, Malformed> {
        let bits = parse_bits(bytes, self.bits, Endian::Big)?;
        Ok(Number::from_bits(bits ^ Uint::ONE << (self.bits - 1), domain.of))
    }

    fn language(&self, domain: &IntDomain, budget: Budget) -> Result<Dfa, OverBudget> {
        let (low, high) = (self.flipped(domain.low), self.flipped(domain.high));
        Dfa::from_lang(&interval(low, high, self.bits), budget)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Codec, Value, integer_codec::Integers};

    #[test]
    fn the_static_and_the_dynamic_path_write_the_same_bytes() {
        let domain = IntDomain::full(crate::IntType { bits: 32, signed: true });
        let codec = Integers { name: "flip", domain, form: Flip { bits: 32 } };
        for value in [i32::MIN, -1, 0, 1, i32::MAX] {
            let (mut a, mut b) = (Vec::new(), Vec::new());
            put(value, &mut a);
            codec.encode(&Value::Int(value.into()), &mut b).unwrap();
            assert_eq!(a, b);
            assert_eq!(parse(&a), Ok(value));
        }
    }
}
