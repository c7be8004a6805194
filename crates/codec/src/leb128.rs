//! `leb128(u64)`: seven bits per byte, the lowest first, and the eighth bit set if another byte
//! follows, as in Protocol Buffers. Only the shortest form is an encoding.

use crate::{
    Malformed, Order,
    integer_codec::IntegerForm,
    integers::{self, IntDomain, Number},
    interval::between,
    sink::Sink,
};
use alloc::vec::Vec;
use keyscape_automata::{Budget, Dfa, Lang, OverBudget};

/// Writes an integer.
///
/// ```
/// let mut key = Vec::new();
/// keyscape_codec::leb128::put(300_u64, &mut key);
/// assert_eq!(key, [0xac, 0x02]);
/// ```
#[inline]
pub fn put(value: impl Into<u128>, sink: &mut impl Sink) {
    let mut rest = value.into();
    while rest >= 0x80 {
        sink.push(rest as u8 | 0x80);
        rest >>= 7;
    }
    sink.push(rest as u8);
}

/// Parses an integer from the left of `bytes`.
///
/// # Errors
/// [`Malformed`] if there are too few bytes, if the integer is outside the type, or if a shorter
/// form of it exists; nothing is consumed then.
#[inline]
pub fn take<T: TryFrom<u128>>(bytes: &mut &[u8]) -> Result<T, Malformed> {
    let (mut value, mut rest) = (0_u128, *bytes);
    for shift in (0..u128::BITS).step_by(7) {
        let (&byte, tail) = rest.split_first().ok_or(integers::TRUNCATED)?;
        rest = tail;
        let bits = u128::from(byte & 0x7f);
        if bits << shift >> shift != bits {
            return Err(integers::OUTSIDE);
        }
        value |= bits << shift;
        if byte < 0x80 {
            if byte == 0 && shift > 0 {
                return Err(integers::NOT_SHORTEST);
            }
            return integers::narrowed(value, bytes, rest);
        }
    }
    Err(integers::OUTSIDE)
}

/// Parses an integer from all of `bytes`.
///
/// # Errors
/// [`Malformed`] as for [`take`], or if bytes are left over.
#[inline]
pub fn parse<T: TryFrom<u128>>(bytes: &[u8]) -> Result<T, Malformed> {
    integers::all_of(bytes, take)
}

/// Returns the encodings of the integers from `low` to `high`, one interval per length.
pub(crate) fn language(low: u128, high: u128, budget: Budget) -> Result<Dfa, OverBudget> {
    // Backwards, the last byte (below 80) comes first, and words sort like numbers.
    let backwards = |value: u128| {
        let mut bytes = Vec::new();
        put(value, &mut bytes);
        bytes.reverse();
        bytes
    };
    let mut arms = Vec::new();
    let mut first = low;
    loop {
        let start = backwards(first);
        let bits = 7 * start.len() as u32;
        let last = 1_u128.checked_shl(bits).map_or(u128::MAX, |next| next - 1).min(high);
        arms.push(between(&start, &backwards(last), (0x80, 0xff)));
        match last.checked_add(1) {
            Some(next) if next <= high => first = next,
            _ => break,
        }
    }
    Dfa::from_lang(&Lang::Alt(arms), budget)?.reversed(budget)
}

/// Returns two integers from `low` to `high`, the larger with the smaller bytes, with the fewest
/// bytes. Single bytes come before all others and sort by value. Longer encodings begin with the
/// lowest bits, so they sort while only those vary.
pub(crate) fn misordered(low: u128, high: u128) -> Option<(u128, u128)> {
    let low = low.max(0x80);
    let next = (low >> 7).checked_add(1)?.checked_mul(0x80)?;
    (next <= high).then(|| (low.max(next - 0x7f), next))
}

/// `leb128(u8)`, …, `leb128(u128)`.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Leb128;

impl IntegerForm for Leb128 {
    fn put(&self, number: Number, out: &mut Vec<u8>) {
        put(number.magnitude().as_u128(), out);
    }

    fn parse(&self, bytes: &[u8], _: &IntDomain) -> Result<Number, Malformed> {
        parse::<u128>(bytes).map(Number::positive)
    }

    fn language(&self, domain: &IntDomain, budget: Budget) -> Result<Dfa, OverBudget> {
        let (low, high) = domain.magnitudes();
        language(low, high, budget)
    }

    fn order(&self, domain: &IntDomain) -> Order {
        let (low, high) = domain.magnitudes();
        domain.order(misordered(low, high))
    }
}
