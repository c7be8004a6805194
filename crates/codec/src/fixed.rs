//! Integers of a fixed width: `u8`, `u64be`, `i32le` and so on. Signed ones are two's complement.

use crate::{
    Comparison, Description, Malformed, Order, Uint,
    integer_codec::{IntegerForm, Integers},
    integers::{IntDomain, Number},
    interval::between,
    sink::Sink,
};
use alloc::vec::Vec;
use keyscape_automata::{Budget, Dfa, Lang, OverBudget};

/// An integer type of Rust.
pub trait Fixed: Copy + sealed::Sealed {
    /// Its bytes, as an array.
    type Bytes: AsRef<[u8]> + for<'a> TryFrom<&'a [u8]>;

    /// Returns the bytes, most significant first.
    fn to_be(self) -> Self::Bytes;

    /// Returns the bytes, least significant first.
    fn to_le(self) -> Self::Bytes;

    /// Returns the integer of big-endian bytes.
    fn from_be(bytes: Self::Bytes) -> Self;

    /// Returns the integer of little-endian bytes.
    fn from_le(bytes: Self::Bytes) -> Self;
}

pub(crate) mod sealed {
    pub trait Sealed {}
}

macro_rules! fixed {
    ($($int:ty),*) => {$(
        impl sealed::Sealed for $int {}

        impl Fixed for $int {
            type Bytes = [u8; size_of::<$int>()];

            #[inline]
            fn to_be(self) -> Self::Bytes {
                self.to_be_bytes()
            }

            #[inline]
            fn to_le(self) -> Self::Bytes {
                self.to_le_bytes()
            }

            #[inline]
            fn from_be(bytes: Self::Bytes) -> Self {
                Self::from_be_bytes(bytes)
            }

            #[inline]
            fn from_le(bytes: Self::Bytes) -> Self {
                Self::from_le_bytes(bytes)
            }
        }
    )*};
}

fixed!(u8, u16, u32, u64, u128, Uint, i8, i16, i32, i64, i128);

const LENGTH: Malformed = Malformed { reason: "an integer has the wrong number of bytes" };

/// Writes an integer, most significant byte first.
#[inline]
pub fn put_be<T: Fixed>(value: T, sink: &mut impl Sink) {
    sink.put(value.to_be().as_ref());
}

/// Writes an integer, least significant byte first.
#[inline]
pub fn put_le<T: Fixed>(value: T, sink: &mut impl Sink) {
    sink.put(value.to_le().as_ref());
}

/// Parses a big-endian integer from all of `bytes`.
///
/// # Errors
/// [`Malformed`] if the length is not that of the type.
#[inline]
pub fn parse_be<T: Fixed>(bytes: &[u8]) -> Result<T, Malformed> {
    T::Bytes::try_from(bytes).map(T::from_be).map_err(|_| LENGTH)
}

/// Parses a little-endian integer from all of `bytes`.
///
/// # Errors
/// [`Malformed`] if the length is not that of the type.
#[inline]
pub fn parse_le<T: Fixed>(bytes: &[u8]) -> Result<T, Malformed> {
    T::Bytes::try_from(bytes).map(T::from_le).map_err(|_| LENGTH)
}

/// Parses a big-endian integer from the left of `bytes`.
///
/// # Errors
/// [`Malformed`] if there are too few bytes; nothing is consumed then.
#[inline]
pub fn take_be<T: Fixed>(bytes: &mut &[u8]) -> Result<T, Malformed> {
    let (head, tail) = bytes.split_at_checked(size_of::<T>()).ok_or(LENGTH)?;
    *bytes = tail;
    parse_be(head)
}

/// Parses a little-endian integer from the left of `bytes`.
///
/// # Errors
/// [`Malformed`] if there are too few bytes; nothing is consumed then.
#[inline]
pub fn take_le<T: Fixed>(bytes: &mut &[u8]) -> Result<T, Malformed> {
    let (head, tail) = bytes.split_at_checked(size_of::<T>()).ok_or(LENGTH)?;
    *bytes = tail;
    parse_le(head)
}

/// A byte order.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Endian {
    /// The most significant byte first.
    Big,
    /// The least significant byte first.
    Little,
}

/// Writes the low `width` bits of `bits`.
pub(crate) fn put_bits(bits: Uint, width: u32, endian: Endian, sink: &mut impl Sink) {
    let count = width as usize / 8;
    match endian {
        Endian::Big => {
            let bytes = bits.to_be_bytes();
            sink.put(bytes.get(bytes.len() - count..).unwrap_or_default());
        }
        Endian::Little => sink.put(bits.to_le_bytes().get(..count).unwrap_or_default()),
    }
}

pub(crate) fn parse_bits(bytes: &[u8], width: u32, endian: Endian) -> Result<Uint, Malformed> {
    if bytes.len() != width as usize / 8 {
        return Err(LENGTH);
    }
    let mut wide = [0; size_of::<Uint>()];
    let unused = wide.len() - bytes.len();
    let place = match endian {
        Endian::Big => wide.get_mut(unused..),
        Endian::Little => wide.get_mut(..bytes.len()),
    };
    place.ok_or(LENGTH)?.copy_from_slice(bytes);
    Ok(match endian {
        Endian::Big => Uint::from_be_bytes(wide),
        Endian::Little => Uint::from_le_bytes(wide),
    })
}

/// Returns the words from `low` to `high`, as unsigned big-endian numbers of `width` bits.
pub(crate) fn interval(low: impl Into<Uint>, high: impl Into<Uint>, width: u32) -> Lang {
    let mut ends = (Vec::new(), Vec::new());
    put_bits(low.into(), width, Endian::Big, &mut ends.0);
    put_bits(high.into(), width, Endian::Big, &mut ends.1);
    between(&ends.0, &ends.1, (0x00, 0xff))
}

/// `u8`, `u16be`, …, `u256le`, `i8`, …, `i128le`.
#[derive(Clone, Copy, Debug)]
pub(crate) struct FixedInt {
    pub(crate) bits: u32,
    pub(crate) endian: Endian,
}

/// Returns the order of integers whose bytes are compared in one byte order.
fn order_from(domain: &IntDomain, first: Endian) -> Order {
    let IntDomain { of, low, high } = *domain;
    domain.order(if of.bits == 8 || first == Endian::Big {
        (low < Number::ZERO && high >= Number::ZERO).then_some((Number::signed(-1), Number::ZERO))
    } else {
        carry(low, high)
    })
}

/// The number of integers that differ only in their lowest byte.
const PAGE: Uint = Uint::new(256);

/// Returns two integers of neighbouring pages of 256: the lower one has a first byte above 00, and
/// the higher one begins with 00. Within one page, only the first byte varies, like the value.
fn carry(low: Number, high: Number) -> Option<(Number, Number)> {
    if low.page() == high.page() {
        return None;
    }
    let multiple = |page: Number| {
        if page.is_negative() {
            Number::negative(page.magnitude().saturating_mul(PAGE))
        } else {
            Number::positive(page.magnitude().saturating_mul(PAGE))
        }
    };
    if low < Number::ZERO && high >= Number::ZERO && high < Number::positive(PAGE) {
        return Some((Number::signed(-1), Number::ZERO));
    }
    let start = if high < Number::ZERO {
        multiple(high.page())
    } else {
        let page = low.max(Number::ZERO).page();
        multiple(Number::positive(page.magnitude() + Uint::ONE))
    };
    let first = if start.is_negative() {
        start.previous()
    } else {
        Number::positive(start.magnitude().saturating_sub(Uint::new(255)))
    };
    Some((first.max(low), start))
}

impl IntegerForm for FixedInt {
    fn describe(&self, name: &'static str, domain: &IntDomain) -> Description {
        let mut described = domain.describe(name);
        described.args.clear();
        described
    }

    fn put(&self, number: Number, out: &mut Vec<u8>) {
        put_bits(number.bits(), self.bits, self.endian, out);
    }

    fn parse(&self, bytes: &[u8], domain: &IntDomain) -> Result<Number, Malformed> {
        let bits = parse_bits(bytes, domain.of.bits, self.endian)?;
        Ok(Number::from_bits(bits, domain.of))
    }

    fn language(&self, domain: &IntDomain, budget: Budget) -> Result<Dfa, OverBudget> {
        let halves = domain.halves();
        let arms = [halves.0, halves.1].into_iter().flatten();
        let width = domain.of.bits;
        let arms = arms.map(|half| interval(half.low.bits(), half.high.bits(), width)).collect();
        let dfa = Dfa::from_lang(&Lang::Alt(arms), budget)?;
        match self.endian {
            Endian::Big => Ok(dfa),
            Endian::Little => dfa.reversed(budget),
        }
    }

    fn order(&self, domain: &IntDomain) -> Order {
        order_from(domain, self.endian)
    }

    fn order_by(codec: &Integers<Self>, comparison: Comparison, _: Budget<'_>) -> Order {
        let first = match (comparison, codec.form.endian) {
            (Comparison::LengthFirst, endian) => endian,
            (Comparison::FromTheRight, Endian::Big) => Endian::Little,
            (Comparison::FromTheRight, Endian::Little) => Endian::Big,
        };
        order_from(&codec.domain, first)
    }
}
