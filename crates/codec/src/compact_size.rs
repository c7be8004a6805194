//! `compact_size(u64)`: one byte below FD, or FD, FE, FF and two, four, eight bytes, little-endian;
//! as Bitcoin writes counts. Only the shortest form is an encoding.

use crate::{
    Malformed, Order,
    fixed::{self, interval},
    integer_codec::IntegerForm,
    integers::{self, IntDomain, Number},
    sink::Sink,
};
use alloc::vec::Vec;
use keyscape_automata::{Budget, Dfa, Lang, OverBudget};

/// The last integers of one, three and five bytes.
const ONE: u64 = 0xfc;
const THREE: u64 = 0xffff;
const FIVE: u64 = 0xffff_ffff;

/// Writes an integer.
///
/// ```
/// let mut key = Vec::new();
/// keyscape_codec::compact_size::put(515_u64, &mut key);
/// assert_eq!(key, [0xfd, 0x03, 0x02]);
/// ```
#[inline]
pub fn put(value: impl Into<u64>, sink: &mut impl Sink) {
    let value = value.into();
    match value {
        0..=ONE => sink.push(value as u8),
        _ if value <= THREE => {
            sink.push(0xfd);
            fixed::put_le(value as u16, sink);
        }
        _ if value <= FIVE => {
            sink.push(0xfe);
            fixed::put_le(value as u32, sink);
        }
        _ => {
            sink.push(0xff);
            fixed::put_le(value, sink);
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
    let (&first, mut rest) = bytes.split_first().ok_or(integers::TRUNCATED)?;
    let (value, below): (u64, u64) = match first {
        0xfd => (fixed::take_le::<u16>(&mut rest)?.into(), ONE),
        0xfe => (fixed::take_le::<u32>(&mut rest)?.into(), THREE),
        0xff => (fixed::take_le::<u64>(&mut rest)?, FIVE),
        _ => return integers::narrowed(first.into(), bytes, rest),
    };
    if value <= below {
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

/// The forms: prefix, first and last integer, number of bits.
const FORMS: [(&[u8], u64, u64, u32); 4] = [
    (&[], 0, ONE, 8),
    (&[0xfd], ONE + 1, THREE, 16),
    (&[0xfe], THREE + 1, FIVE, 32),
    (&[0xff], FIVE + 1, u64::MAX, 64),
];

/// Returns the forms of a domain, each with its range.
fn forms(domain: &IntDomain) -> impl Iterator<Item = (&'static [u8], u64, u64, u32)> {
    let (low, high) = (domain.low.low_u64(), domain.high.low_u64());
    let forms = FORMS.into_iter();
    let forms =
        forms.map(move |(code, first, last, bits)| (code, first.max(low), last.min(high), bits));
    forms.filter(|(_, first, last, _)| first <= last)
}

/// `compact_size(u8)`, …, `compact_size(u64)`.
#[derive(Clone, Copy, Debug)]
pub(crate) struct CompactSize;

impl IntegerForm for CompactSize {
    fn put(&self, number: Number, out: &mut Vec<u8>) {
        put(number.low_u64(), out);
    }

    fn parse(&self, bytes: &[u8], _: &IntDomain) -> Result<Number, Malformed> {
        parse::<u64>(bytes).map(Number::positive)
    }

    fn language(&self, domain: &IntDomain, budget: Budget) -> Result<Dfa, OverBudget> {
        let mut arms = Vec::new();
        for (code, first, last, bits) in forms(domain) {
            let numbers = Dfa::from_lang(&interval(first, last, bits), budget)?;
            let numbers = numbers.reversed(budget)?.into_lang();
            arms.push(Lang::Join(Vec::from([Lang::literal(code), numbers])));
        }
        Dfa::from_lang(&Lang::Alt(arms), budget)
    }

    /// Forms sort by their first byte. Inside a form, the lowest byte comes first, so numbers sort
    /// while only that byte varies.
    fn order(&self, domain: &IntDomain) -> Order {
        domain.order(forms(domain).find_map(|(_, first, last, _)| {
            let next = (first / 256).checked_add(1)?.checked_mul(256)?;
            (next <= last).then(|| (u128::from(first.max(next - 255)), u128::from(next)))
        }))
    }
}
