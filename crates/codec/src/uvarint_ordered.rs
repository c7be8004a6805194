//! `uvarint_ordered(u64)`: one to nine bytes, the first of which determines the length, so bytes
//! sort like numbers; the form of SQLite4. Only the shortest form is an encoding.

use crate::{
    Malformed,
    integer_codec::IntegerForm,
    integers::{self, IntDomain, Number},
    interval::between,
    sink::Sink,
};
use alloc::vec::Vec;
use keyscape_automata::{Budget, Dfa, Lang, OverBudget};

/// The last integers of one, two and three bytes. Longer encodings are a length byte and the plain
/// bytes.
const ONE: u64 = 240;
const TWO: u64 = 2287;
const THREE: u64 = 67_823;

/// Writes an integer.
///
/// ```
/// let mut key = Vec::new();
/// keyscape_codec::uvarint_ordered::put(2287_u64, &mut key);
/// assert_eq!(key, [0xf8, 0xff]);
/// ```
#[inline]
pub fn put(value: impl Into<u64>, sink: &mut impl Sink) {
    let value = value.into();
    match value {
        0..=ONE => sink.push(value as u8),
        _ if value <= TWO => {
            let rest = value - ONE;
            sink.put(&[(rest >> 8) as u8 + 241, rest as u8]);
        }
        _ if value <= THREE => {
            let rest = value - TWO - 1;
            sink.put(&[249, (rest >> 8) as u8, rest as u8]);
        }
        _ => {
            let zeros = value.leading_zeros() as usize / 8;
            let bytes = value.to_be_bytes();
            let bytes = bytes.get(zeros..).unwrap_or_default();
            sink.push(247 + bytes.len() as u8);
            sink.put(bytes);
        }
    }
}

/// Parses an integer from the left of `bytes`.
///
/// # Errors
/// [`Malformed`] if there are too few bytes, if the integer is outside the type, or if a shorter
/// form of it exists; nothing is consumed then.
#[inline]
pub fn take<T: TryFrom<u64>>(bytes: &mut &[u8]) -> Result<T, Malformed> {
    let (&first, rest) = bytes.split_first().ok_or(integers::TRUNCATED)?;
    let width = match first {
        0..=240 => 0,
        241..=248 => 1,
        249 => 2,
        _ => usize::from(first - 247),
    };
    let (body, rest) = rest.split_at_checked(width).ok_or(integers::TRUNCATED)?;
    let number = body.iter().fold(0_u64, |number, &byte| number << 8 | u64::from(byte));
    let (value, min) = match first {
        0..=240 => (u64::from(first), 0),
        241..=248 => (ONE + (u64::from(first - 241) << 8) + number, ONE + 1),
        249 => (TWO + 1 + number, TWO + 1),
        250 => (number, THREE + 1),
        _ => (number, 1 << (8 * (width - 1))),
    };
    if value < min {
        return Err(integers::NOT_SHORTEST);
    }
    integers::narrowed(value, bytes, rest)
}

/// Parses an integer from all of `bytes`.
///
/// # Errors
/// [`Malformed`] as for [`take`], or if bytes are left over.
#[inline]
pub fn parse<T: TryFrom<u64>>(bytes: &[u8]) -> Result<T, Malformed> {
    integers::all_of(bytes, take)
}

/// Returns the last integer with as many bytes as `value`.
fn last_alike(value: u64) -> u64 {
    match value {
        0..=ONE => ONE,
        _ if value <= TWO => TWO,
        _ if value <= THREE => THREE,
        _ => u64::MAX >> (value.leading_zeros() / 8 * 8),
    }
}

/// `uvarint_ordered(u8)`, …, `uvarint_ordered(u64)`.
#[derive(Clone, Copy, Debug)]
pub(crate) struct UvarintOrdered;

impl IntegerForm for UvarintOrdered {
    fn put(&self, number: Number, out: &mut Vec<u8>) {
        put(number.low_u64(), out);
    }

    fn parse(&self, bytes: &[u8], _: &IntDomain) -> Result<Number, Malformed> {
        parse::<u64>(bytes).map(Number::positive)
    }

    fn language(&self, domain: &IntDomain, budget: Budget) -> Result<Dfa, OverBudget> {
        let (mut first, high) = (domain.low.low_u64(), domain.high.low_u64());
        let mut arms = Vec::new();
        loop {
            let last = last_alike(first).min(high);
            let [start, end] = [first, last].map(|number| self.word(Number::positive(number)));
            arms.push(between(&start, &end, (0x00, 0xff)));
            match last.checked_add(1) {
                Some(next) if next <= high => first = next,
                _ => break,
            }
        }
        Dfa::from_lang(&Lang::Alt(arms), budget)
    }
}
