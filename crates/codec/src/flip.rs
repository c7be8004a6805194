//! `flip(i64)`: two's complement, big-endian, with the sign bit inverted, so bytes sort like
//! numbers.

use crate::{
    Codec, Description, Language, Malformed, Order, Uint, Value, ValueError,
    fixed::{self, Endian, Fixed, interval, parse_bits, put_bits},
    integers::{IntDomain, Number, values_of_integers},
    order,
    sink::Sink,
};
use alloc::{sync::Arc, vec::Vec};
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
#[derive(Clone, Debug)]
pub(crate) struct Flip {
    // INVARIANT: the type is signed.
    pub(crate) domain: IntDomain,
}

impl Flip {
    fn sign(&self) -> Uint {
        Uint::ONE << (self.domain.of.bits - 1)
    }
}

impl Codec for Flip {
    values_of_integers!();

    fn describe(&self) -> Description {
        self.domain.describe("flip")
    }

    fn encode(&self, value: &Value, out: &mut Vec<u8>) -> Result<(), ValueError> {
        let bits = self.domain.number(value)?.bits() ^ self.sign();
        put_bits(bits, self.domain.of.bits, Endian::Big, out);
        Ok(())
    }

    fn decode(&self, bytes: &[u8]) -> Result<Value, Malformed> {
        let bits = parse_bits(bytes, self.domain.of.bits, Endian::Big)? ^ self.sign();
        let number = Number::from_bits(bits, self.domain.of);
        if !self.domain.contains(number) {
            return Err(Malformed { reason: "an integer is outside its range" });
        }
        Ok(self.domain.value(number))
    }

    fn language(&self, budget: Budget) -> Result<Language, OverBudget> {
        let IntDomain { of, low, high } = self.domain;
        let lang = interval(low.bits() ^ self.sign(), high.bits() ^ self.sign(), of.bits);
        Ok(Language::Exact(Arc::new(Dfa::from_lang(&lang, budget)?)))
    }

    fn order(&self) -> Order {
        order::ORDERED
    }

    fn longest(&self) -> Option<usize> {
        Some(self.domain.of.bits as usize / 8)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_static_and_the_dynamic_path_write_the_same_bytes() {
        let of = crate::IntType { bits: 32, signed: true };
        let codec = Flip { domain: IntDomain::full(of) };
        for value in [i32::MIN, -1, 0, 1, i32::MAX] {
            let (mut a, mut b) = (Vec::new(), Vec::new());
            put(value, &mut a);
            codec.encode(&Value::Int(value.into()), &mut b).unwrap();
            assert_eq!(a, b);
            assert_eq!(parse(&a), Ok(value));
        }
    }
}
