//! `f64_of(u64)`: an integer rounded to the nearest floating-point number, in the form of `f64`.
//! Above 2^53 several integers have one encoding. Systems use this form for scores that were meant
//! to be exact.

use crate::{
    Codec, Description, Language, Loss, Malformed, Order, Value, ValueError,
    fixed::interval,
    float,
    integers::{IntDomain, Number, values_of_integers},
    order,
    sink::Sink,
};
use alloc::{sync::Arc, vec::Vec};
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

/// Writes an integer.
///
/// ```
/// let (mut a, mut b) = (Vec::new(), Vec::new());
/// keyscape_codec::f64_of::put(9_007_199_254_740_992, &mut a);
/// keyscape_codec::f64_of::put(9_007_199_254_740_993, &mut b);
/// assert_eq!(a, b);
/// ```
#[inline]
pub fn put(value: i128, sink: &mut impl Sink) {
    // The number is never NaN, and zero has no sign, so `put` cannot fail.
    let _ = float::put(nearest(Number::signed(value)), sink);
}

/// Parses an integer from all of `bytes`.
///
/// # Errors
/// [`Malformed`] if there are not eight bytes, or if the number is not an integer of 65 bits.
#[inline]
pub fn parse(bytes: &[u8]) -> Result<i128, Malformed> {
    let number = float::parse(bytes)?;
    let value = number as i128;
    let small = value.unsigned_abs() <= 1 << 64;
    if small && value as f64 == number {
        Ok(value)
    } else {
        Err(Malformed { reason: "a number is not an integer" })
    }
}

/// `f64_of(u8)`, …, `f64_of(i64)`.
#[derive(Clone, Debug)]
pub(crate) struct F64Of {
    // INVARIANT: the type has at most 64 bits.
    pub(crate) domain: IntDomain,
}

impl F64Of {
    /// Returns the first two integers, counted from zero outwards, that have one encoding.
    fn shared(&self) -> Option<(Number, Number)> {
        let (below, above) = self.domain.halves();
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

    /// Returns the least integer of the domain whose rounded value is not below `number`.
    fn first_from(&self, number: f64) -> Number {
        let (mut low, mut high) = (self.domain.low.low_i128(), self.domain.high.low_i128());
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

impl Codec for F64Of {
    values_of_integers!();

    fn describe(&self) -> Description {
        self.domain.describe("f64_of")
    }

    fn encode(&self, value: &Value, out: &mut Vec<u8>) -> Result<(), ValueError> {
        let number = nearest(self.domain.number(value)?);
        float::put(number, out).map_err(|_| ValueError::Outside { allowed: self.allowed() })
    }

    /// Returns the integer that the number represents, if it is in the domain; otherwise the least
    /// integer that is rounded to it.
    fn decode(&self, bytes: &[u8]) -> Result<Value, Malformed> {
        let whole = Number::signed(parse(bytes)?);
        if self.domain.contains(whole) {
            return Ok(self.domain.value(whole));
        }
        let first = self.first_from(nearest(whole));
        if nearest(first).to_bits() == nearest(whole).to_bits() {
            Ok(self.domain.value(first))
        } else {
            Err(Malformed { reason: "an integer is outside its range" })
        }
    }

    fn language(&self, budget: Budget) -> Result<Language, OverBudget> {
        let mut arms = Vec::from([interval(ZERO, ZERO, u64::BITS)]);
        for exponent in 0..=64 {
            arms.extend([false, true].map(|negative| integers_of(exponent, negative)));
        }
        let whole = Dfa::from_lang(&Lang::Alt(arms), budget)?;
        let end = |number| float::sortable(nearest(number));
        let (low, high) = (end(self.domain.low), end(self.domain.high));
        let held = Dfa::from_lang(&interval(low, high, u64::BITS), budget)?;
        Ok(Language::Exact(Arc::new(whole.intersect(&held, budget)?)))
    }

    fn lossless(&self) -> Loss {
        self.shared().map_or(Loss::None, |(a, b)| Loss::Lossy {
            a: self.domain.value(a),
            b: self.domain.value(b),
        })
    }

    /// Rounding never reverses two integers, but it can make them equal.
    fn order(&self) -> Order {
        match self.lossless() {
            Loss::None => order::ORDERED,
            Loss::Lossy { a, b } => order::tied(self, a, b),
        }
    }

    fn longest(&self) -> Option<usize> {
        Some(8)
    }
}
