//! `f64_sum(u32, u32, 1e9)`: two integers as one floating-point number, the first plus the second
//! divided by a scale, in the form of `f64`. Several pairs can have one encoding. Systems use this
//! form for scores that were meant to hold a height and an index, or seconds and nanoseconds.
//!
//! The first integer (the *whole*) is below 2^32, so it is exact. The spacing of floating-point
//! numbers around a sum depends only on the powers of two around the whole. Division, addition and
//! rounding keep the order of the second integers (the *parts*). Everything below uses these two
//! facts: a result for one whole holds up to the next power of two, and parts are found by
//! bisection.

use crate::{
    Arg, BuildError, BuildReason, Codec, Description, Kind, Language, Loss, LowerBound, Malformed,
    Order, PairDomain, Uint, Value, ValueError, Values,
    fixed::interval,
    float,
    integers::{IntDomain, Number},
    order,
};
use alloc::{collections::BTreeSet, format, string::String, sync::Arc, vec::Vec};
use core::cmp::Ordering;
use keyscape_automata::{Budget, Dfa, Lang, OverBudget};

/// Exponents of the scale: a power of ten from 10 to 10^9. No power of two is so close to one of
/// them that rounding a quotient could change their order.
const EXPONENTS: core::ops::RangeInclusive<u32> = 1..=9;

/// The maximum part, in scales. It limits the number of wholes that can give one sum.
const CARRIED: u64 = 16;

/// Up to this number of pairs, all sums are enumerated.
const FEW: u64 = 256;

/// Computes the sum exactly as deployed code does.
#[inline]
fn sum(whole: u64, part: u64, scale: u64) -> f64 {
    whole as f64 + part as f64 / scale as f64
}

/// `f64_sum(u32, u32, 1e9)` and so on.
#[derive(Clone, Debug)]
pub(crate) struct F64Sum {
    // INVARIANT: unsigned and at most 32 bits.
    whole: IntDomain,
    // INVARIANT: unsigned, from 0 to at most CARRIED scales.
    part: IntDomain,
    /// The scale is ten to this power.
    exponent: u32,
}

impl F64Sum {
    pub(crate) fn new(
        whole: IntDomain,
        part: IntDomain,
        exponent: u32,
    ) -> Result<Self, BuildError> {
        let wrong = |arg, expected: &str| {
            let message = format!("`f64_sum` needs {expected}");
            Err(BuildError::at(arg, BuildReason::Declaration(message)))
        };
        let this = Self { whole, part, exponent };
        if whole.of.signed || whole.of.bits > 32 {
            return wrong(0, "an unsigned type of at most 32 bits for the whole, such as `u32`");
        }
        if !EXPONENTS.contains(&exponent) {
            return wrong(2, "a power of ten from `1e1` to `1e9` for the scale");
        }
        let max = Uint::from(CARRIED * this.scale());
        if part.of.signed || part.low != Number::ZERO || part.high.magnitude() > max {
            return wrong(
                1,
                "an unsigned type for the parts, from 0 to at most 16 times the scale",
            );
        }
        Ok(this)
    }

    const fn scale(&self) -> u64 {
        10_u64.pow(self.exponent)
    }

    const fn wholes(&self) -> (u64, u64) {
        (self.whole.low.low_u64(), self.whole.high.low_u64())
    }

    const fn last_part(&self) -> u64 {
        self.part.high.low_u64()
    }

    fn sum(&self, whole: u64, part: u64) -> f64 {
        sum(whole, part, self.scale())
    }

    /// Returns the least part whose sum with `whole` is not below `number`, if any.
    fn first_part(&self, whole: u64, number: f64) -> Option<u64> {
        let reached = |part| self.sum(whole, part) >= number;
        reached(self.last_part()).then(|| first(0, self.last_part(), reached))
    }

    /// Returns the first of two neighbouring parts that have one sum with `whole`.
    ///
    /// Between two powers of two, floating-point numbers are evenly spaced. If neighbouring parts
    /// are further apart than these numbers, no two parts share a sum. Otherwise sums advance by at
    /// most one number at a time, and the first one that does not advance is the result.
    fn shared_part(&self, whole: u64) -> Option<u64> {
        let bits = |part| self.sum(whole, part).to_bits();
        // Zero is between no two powers of two, and no other sum is zero.
        let mut start = u64::from(whole == 0);
        while start < self.last_part() {
            let next_power = f64::from_bits(((bits(start) >> 52) + 1) << 52);
            let end = self.first_part(whole, next_power).map_or(self.last_part(), |part| part - 1);
            let has_repeated = |part| bits(part) - bits(start) < part - start;
            if has_repeated(end) {
                return Some(first(start, end, has_repeated) - 1);
            }
            start = end + 1;
        }
        None
    }

    /// Returns two pairs with one sum, with the least whole for which such pairs exist.
    fn shared(&self) -> Option<((u64, u64), (u64, u64))> {
        let (low, high) = self.wholes();
        let powers =
            (0..u32::BITS).map(|bit| 1 << bit).filter(|power| (low + 1..=high).contains(power));
        core::iter::once(low).chain(powers).find_map(|whole| {
            if let Some(part) = self.shared_part(whole) {
                return Some(((whole, part), (whole, part + 1)));
            }
            // The next whole is reached exactly: by the scale, or by a part that rounds up to it.
            let next = whole + 1;
            let part = self.first_part(whole, next as f64).filter(|_| next <= high)?;
            Some(((whole, part), (next, 0)))
        })
    }

    /// Returns the least whole from which on every floating-point number is a sum, if all fractions
    /// occur: neighbouring parts are then less than one number apart. A quotient below one has an
    /// error of at most 2^-54.
    fn dense_from(&self) -> Option<u64> {
        let scale = u128::from(self.scale());
        let power = (0..u32::BITS).find(|power| (2_u128 << power) * scale > (1 << 53) + scale)?;
        let (low, high) = self.wholes();
        let from = low.max(1 << power);
        (from <= high && self.last_part() + 1 >= self.scale()).then_some(from)
    }

    fn pair(&self, value: &Value) -> Result<(u64, u64), ValueError> {
        let Value::Pair(whole, part) = value else {
            return Err(ValueError::Kind { expected: self.allowed() });
        };
        let (whole, part) = (Number::positive(*whole), Number::positive(*part));
        if self.whole.contains(whole) && self.part.contains(part) {
            Ok((whole.low_u64(), part.low_u64()))
        } else {
            Err(ValueError::Outside { allowed: self.allowed() })
        }
    }
}

/// Bisects for the least number from `low` to `high` for which `holds` is true. `holds` must be
/// monotonic, and true for `high`.
fn first(mut low: u64, mut high: u64, holds: impl Fn(u64) -> bool) -> u64 {
    while low < high {
        let middle = low.midpoint(high);
        if holds(middle) {
            high = middle;
        } else {
            low = middle + 1;
        }
    }
    low
}

fn value((whole, part): (u64, u64)) -> Value {
    Value::Pair(whole.into(), part.into())
}

/// Returns a subset of the samples: the first ones, and an even selection of the rest.
fn thinned(domain: &IntDomain) -> Vec<u64> {
    let numbers = domain.samples().into_iter().filter_map(|value| match value {
        Value::Uint(number) => Some(number.as_u64()),
        _ => None,
    });
    let (small, large): (Vec<u64>, Vec<u64>) = numbers.partition(|&number| number < 300);
    let step = large.len().div_ceil(24).max(1);
    let ends = [domain.low.low_u64(), domain.high.low_u64()];
    let kept = small.into_iter().take(5).chain(large.into_iter().step_by(step)).chain(ends);
    kept.collect::<BTreeSet<_>>().into_iter().collect()
}

impl Codec for F64Sum {
    fn describe(&self) -> Description {
        Description::new("f64_sum", Values::Own)
            .arg(self.whole.argument())
            .arg(self.part.argument())
            .arg(Arg::Number(Uint::from(10_u8).pow(self.exponent)))
    }

    fn kind(&self) -> Kind {
        Kind::Pair
    }

    fn allowed(&self) -> String {
        format!("a pair of {} and {}", self.whole.allowed(), self.part.allowed())
    }

    fn encode(&self, value: &Value, out: &mut Vec<u8>) -> Result<(), ValueError> {
        let (whole, part) = self.pair(value)?;
        float::put(self.sum(whole, part), out)
            .map_err(|_| ValueError::Outside { allowed: self.allowed() })
    }

    /// Returns the greatest whole with this sum, and its least part.
    fn decode(&self, bytes: &[u8]) -> Result<Value, Malformed> {
        let number = float::parse(bytes)?;
        let none = Malformed { reason: "a number is not a sum of its two integers" };
        let (low, high) = self.wholes();
        if number < low as f64 {
            return Err(none);
        }
        // A sum is not below its whole, and a whole is exact.
        let mut whole = high.min(number as u64);
        loop {
            let part = self.first_part(whole, number).ok_or(none)?;
            if self.sum(whole, part).to_bits() == number.to_bits() {
                return Ok(value((whole, part)));
            }
            whole = whole.checked_sub(1).filter(|&whole| whole >= low).ok_or(none)?;
        }
    }

    /// If sums are sparse and numerous, the lower bound contains some of them.
    fn language(&self, budget: Budget) -> Result<Language, OverBudget> {
        let ends = |low, high| interval(float::sortable(low), float::sortable(high), u64::BITS);
        let (low, high) = self.wholes();
        if (high - low + 1).saturating_mul(self.last_part() + 1) <= FEW {
            let pairs = (low..=high).flat_map(|w| (0..=self.last_part()).map(move |p| (w, p)));
            let words: BTreeSet<u64> = pairs.map(|(w, p)| self.sum(w, p).to_bits()).collect();
            let arms = words.into_iter().map(f64::from_bits).map(|sum| ends(sum, sum)).collect();
            return Ok(Language::Exact(Arc::new(Dfa::from_lang(&Lang::Alt(arms), budget)?)));
        }
        let over = ends(self.sum(low, 0), self.sum(high, self.last_part()));
        let this = self.clone();
        let under = LowerBound::later(budget, move || {
            let dense = this.dense_from().map(|from| {
                let next = (high + 1) as f64;
                ends(from as f64, f64::from_bits(next.to_bits() - 1))
            });
            let words = this.samples().into_iter().filter_map(|sample| this.encoding(&sample).ok());
            let words = words.map(|word| Lang::literal(&word));
            dense.into_iter().chain(words).collect()
        });
        let over = Arc::new(Dfa::from_lang(&over, budget)?);
        Ok(Language::Between { over, under, prefix_free: true })
    }

    fn lossless(&self) -> Loss {
        self.shared().map_or(Loss::None, |(a, b)| Loss::Lossy { a: value(a), b: value(b) })
    }

    /// Sums of one whole are in the order of their parts. Sums of two wholes are in order if no
    /// part reaches the scale. A part that reaches the scale has the same sum as another pair.
    /// Decoding returns the larger pair for both, so the result is a tie instead of a misordered
    /// pair.
    fn order(&self) -> Order {
        match self.lossless() {
            Loss::None => order::ORDERED,
            Loss::Lossy { a, b } => order::tied(self, a, b),
        }
    }

    fn compare(&self, a: &Value, b: &Value) -> Ordering {
        match (a, b) {
            (Value::Pair(a, x), Value::Pair(b, y)) => (a, x).cmp(&(b, y)),
            _ => Ordering::Equal,
        }
    }

    fn longest(&self) -> Option<usize> {
        Some(8)
    }

    fn pairs(&self) -> Option<PairDomain> {
        let (wholes, last_part, scale) = (self.wholes(), self.last_part(), self.scale());
        let last = Number::positive(last_part.min(scale - 1));
        let fractions = Self { part: self.part.narrowed(Number::ZERO, last)?, ..self.clone() };
        let max_distinct_whole = match fractions.shared() {
            // Without the larger whole, the two sums are not equal.
            Some((_, (whole, _))) => whole.checked_sub(1).filter(|&whole| whole >= wholes.0),
            None => Some(wholes.1),
        };
        Some(PairDomain { wholes, last_part, scale, max_distinct_whole })
    }

    fn samples(&self) -> Vec<Value> {
        let parts = thinned(&self.part);
        let pairs = thinned(&self.whole)
            .into_iter()
            .flat_map(|whole| parts.iter().map(move |&part| (whole, part)));
        let mut pairs: Vec<(u64, u64)> = pairs.collect();
        pairs.sort_by_key(|&(whole, part)| (whole.max(part), whole, part));
        pairs.into_iter().map(value).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::IntType;

    fn sums((low, high): (u64, u64), last: u64, exponent: u32) -> F64Sum {
        let full = |bits| IntDomain::full(IntType { bits, signed: false });
        let whole = full(32).narrowed(Number::positive(low), Number::positive(high)).unwrap();
        let part = full(64).narrowed(Number::ZERO, Number::positive(last)).unwrap();
        F64Sum::new(whole, part, exponent).unwrap()
    }

    /// Compares loss, order and decoding with an enumeration of all pairs of a small domain.
    #[test]
    fn answers_are_those_of_trying_all_pairs() {
        let mut lossy = 0;
        for bit in [0, 1, 4, 12, 13, 14, 21, 22, 23, 24, 25, 28, 31] {
            for (below, above) in [(0, 0), (1, 0), (2, 3), (0, 1)] {
                let ends = (((1_u64 << bit) - below.min(1 << bit)), (1 << bit) + above);
                for (last, exponent) in [
                    (0, 9),
                    (1, 9),
                    (2, 9),
                    (700, 9),
                    (999, 3),
                    (1000, 3),
                    (1234, 3),
                    (160, 1),
                    (999, 6),
                ] {
                    let codec = sums(ends, last, exponent);
                    lossy += u32::from(codec.lossless() != Loss::None);
                    tried(&codec, ends, last);
                }
            }
        }
        assert!(lossy > 50, "{lossy}");
    }

    fn tried(codec: &F64Sum, (low, high): (u64, u64), last: u64) {
        let mut least: Option<((u64, u64), (u64, u64))> = None;
        let mut by_sum = alloc::collections::BTreeMap::new();
        let (mut before, mut sorted) = (0.0, true);
        for pair in (low..=high).flat_map(|whole| (0..=last).map(move |part| (whole, part))) {
            let sum = codec.sum(pair.0, pair.1);
            sorted &= sum >= before;
            before = sum;
            if let Some(first) = by_sum.insert(sum.to_bits(), pair) {
                // The least whole first; then pairs with equal wholes, which are simpler.
                let rank = |(a, b): ((u64, u64), (u64, u64))| (a.0, b.0, a.1);
                least = least.into_iter().chain([(first, pair)]).min_by_key(|&both| rank(both));
            }
        }
        let text = codec.text();
        match (codec.shared(), least) {
            (None, None) => {}
            (Some((a, b)), Some((c, d))) => {
                assert_eq!(codec.sum(a.0, a.1).to_bits(), codec.sum(b.0, b.1).to_bits(), "{text}");
                assert_eq!((a.0, b.0), (c.0, d.0), "{text}: {a:?} {b:?}, not {c:?} {d:?}");
            }
            (said, least) => panic!("{text}: {said:?}, not {least:?}"),
        }
        assert!(sorted || matches!(codec.order(), Order::Tied { .. }), "{text}");
        for bits in by_sum.keys().flat_map(|&bits| [bits.saturating_sub(1), bits, bits + 1]) {
            let mut word = Vec::new();
            float::put(f64::from_bits(bits), &mut word).unwrap();
            assert_eq!(codec.decode(&word).is_ok(), by_sum.contains_key(&bits), "{text}");
        }
    }

    #[test]
    fn no_scale_is_so_near_to_a_power_of_two_that_rounding_could_matter() {
        for exponent in EXPONENTS {
            let step = 1.0 / 10_u64.pow(exponent) as f64;
            for power in 1..=60 {
                let spacing = 1.0 / (1_u64 << power) as f64;
                // Quotients up to CARRIED have an error of at most 2^-50, differences of neighbours
                // at most twice that.
                assert!(
                    (step - spacing).abs() > 1.0 / (1_u64 << 48) as f64 || spacing < step / 2.0
                );
            }
        }
    }

    #[test]
    fn every_number_is_a_sum_from_where_sums_are_dense() {
        let codec = sums((0, u32::MAX.into()), 999_999_999, 9);
        let from = codec.dense_from().unwrap();
        assert_eq!(from, 1 << 23);
        let mut word = Vec::new();
        for step in 0..100_000_u64 {
            // Consecutive numbers first, then with growing distance.
            let bits = (from as f64).to_bits() + step + step.pow(3) / 9;
            word.clear();
            float::put(f64::from_bits(bits), &mut word).unwrap();
            assert!(codec.decode(&word).is_ok(), "{bits:x}");
        }
        let below = (from as f64).to_bits() - 100;
        let missed = (below..below + 100).filter(|&bits| {
            word.clear();
            float::put(f64::from_bits(bits), &mut word).unwrap();
            codec.decode(&word).is_err()
        });
        assert!(missed.count() > 0);
    }
}
