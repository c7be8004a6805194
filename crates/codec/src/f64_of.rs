//! `f64_of(u64)`: an integer rounded to the nearest floating-point number, in the form of `f64`.
//! Above 2^53 several integers have one encoding. Systems use this form for scores that were meant
//! to be exact.

use crate::{
    Loss, Malformed, Order,
    fixed::interval,
    float,
    integer_codec::IntegerForm,
    integers::{IntDomain, Number},
    order,
};
use alloc::vec::Vec;
use keyscape_automata::{Budget, ByteSet, Dfa, Lang, OverBudget};

/// The sortable bits of zero.
const ZERO: u64 = 1 << 63;

/// Integers below this are exact.
const EXACT: u128 = 1 << 53;

/// Returns the nearest floating-point number; ties round to even.
#[inline]
fn nearest(number: Number) -> f64 {
    let magnitude = number.magnitude().as_u128() as f64;
    if number.is_negative() { -magnitude } else { magnitude }
}

/// Returns the first two integers, counted from zero outwards, that have one encoding.
fn shared(domain: &IntDomain) -> Option<(Number, Number)> {
    let (below, above) = domain.halves();
    let search = |near: Number, far: Number, with: fn(u128) -> Number| {
        let start = near.magnitude().as_u128().max(EXACT);
        // Of four neighbours that are not all exact, two have one encoding.
        (start..start + 4).map(|from| (from, from + 1)).find_map(|(a, b)| {
            let pair = (with(a), with(b));
            let same = nearest(pair.0).to_bits() == nearest(pair.1).to_bits();
            (same && b <= far.magnitude().as_u128()).then_some(pair)
        })
    };
    above
        .and_then(|half| search(half.low, half.high, Number::positive))
        .or_else(|| below.and_then(|half| search(half.high, half.low, Number::negative)))
}

/// Returns the least integer of a domain whose rounded value is not below `number`.
fn first_from(domain: &IntDomain, number: f64) -> Number {
    let (mut low, mut high) = (domain.low.low_i128(), domain.high.low_i128());
    while low < high {
        let middle = (low + high).div_euclid(2);
        if nearest(Number::signed(middle)) < number {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    Number::signed(low)
}

/// Returns the integers from 2^`exponent` up to, but excluding, the next power of two, with their
/// sign, as sortable bits.
fn integers_of(exponent: u32, negative: bool) -> Lang {
    let free = u64::MAX >> 12 >> exponent.min(52);
    // The fraction bits are 0; the integer bits are free.
    let free = (u64::MAX >> 12) & !free;
    let fixed = u64::from(1023 + exponent) << 52 | 1 << 63;
    let (fixed, free) = if negative { (!fixed & !free, free) } else { (fixed, free) };
    let bytes = fixed.to_be_bytes().into_iter().zip(free.to_be_bytes());
    Lang::Join(
        bytes
            .map(|(fixed, free)| {
                let fits = |byte: &u8| (byte ^ fixed) & !free == 0;
                Lang::Class((0..=u8::MAX).filter(fits).collect::<ByteSet>())
            })
            .collect(),
    )
}

/// `f64_of(u8)`, …, `f64_of(i64)`.
#[derive(Clone, Copy, Debug)]
pub(crate) struct F64Of;

impl IntegerForm for F64Of {
    fn put(&self, number: Number, out: &mut Vec<u8>) {
        // The number is never NaN, and zero has no sign, so `put` cannot fail.
        let _ = float::put(nearest(number), out);
    }

    /// Returns the integer that the number represents, if it is in the domain; otherwise the least
    /// integer that is rounded to it.
    fn parse(&self, bytes: &[u8], domain: &IntDomain) -> Result<Number, Malformed> {
        let number = float::parse(bytes)?;
        let whole = number as i128;
        if whole.unsigned_abs() > 1 << 64 || whole as f64 != number {
            return Err(Malformed { reason: "a number is not an integer" });
        }
        let whole = Number::signed(whole);
        let first = first_from(domain, nearest(whole));
        let is_rounded = nearest(first).to_bits() == nearest(whole).to_bits();
        Ok(if is_rounded && !domain.contains(whole) { first } else { whole })
    }

    fn language(&self, domain: &IntDomain, budget: Budget) -> Result<Dfa, OverBudget> {
        let mut arms = Vec::from([interval(ZERO, ZERO, u64::BITS)]);
        for exponent in 0..=64 {
            arms.extend([false, true].map(|negative| integers_of(exponent, negative)));
        }
        let whole = Dfa::from_lang(&Lang::Alt(arms), budget)?;
        let end = |number| float::sortable(nearest(number));
        let (low, high) = (end(domain.low), end(domain.high));
        let held = Dfa::from_lang(&interval(low, high, u64::BITS), budget)?;
        whole.intersect(&held, budget)
    }

    fn lossless(&self, domain: &IntDomain) -> Loss {
        shared(domain)
            .map_or(Loss::None, |(a, b)| Loss::Lossy { a: domain.value(a), b: domain.value(b) })
    }

    /// Rounding never reverses two integers, but it can make them equal.
    fn order(&self, domain: &IntDomain) -> Order {
        shared(domain).map_or(order::ORDERED, |(a, b)| Order::Tied {
            lower: domain.value(a.min(b)),
            higher: domain.value(a.max(b)),
        })
    }
}
