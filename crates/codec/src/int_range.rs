//! Ranges of integers.

use crate::{
    IntBounds, IntType, Uint, Value,
    integers::{IntDomain, Number},
};
use core::fmt;

/// Integers from `low` to `high`, both included. Signed types use the signed variant.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum IntRange {
    /// Unsigned integers.
    Unsigned {
        /// The smallest.
        low: Uint,
        /// The largest.
        high: Uint,
    },
    /// Signed integers.
    Signed {
        /// The smallest.
        low: i128,
        /// The largest.
        high: i128,
    },
}

impl IntRange {
    /// Returns all integers of a type.
    #[must_use]
    pub fn full(of: IntType) -> Self {
        IntDomain::full(of).range()
    }

    /// Returns the integers from `low` to `high`, or `None` if there are none.
    pub(crate) fn between(is_signed: bool, low: Number, high: Number) -> Option<Self> {
        debug_assert!(is_signed || !low.is_negative(), "unsigned integers begin at zero");
        (low <= high).then(|| match is_signed {
            true => Self::Signed { low: low.low_i128(), high: high.low_i128() },
            false => Self::Unsigned { low: low.magnitude(), high: high.magnitude() },
        })
    }

    /// Whether the integers are signed.
    #[must_use]
    pub const fn is_signed(&self) -> bool {
        matches!(self, Self::Signed { .. })
    }

    /// Returns the smallest and the largest integer.
    #[must_use]
    pub fn ends(&self) -> (Number, Number) {
        match *self {
            Self::Unsigned { low, high } => (Number::positive(low), Number::positive(high)),
            Self::Signed { low, high } => (Number::signed(low), Number::signed(high)),
        }
    }

    /// Returns the distance between the smallest and the largest integer.
    #[must_use]
    pub fn distance(&self) -> Uint {
        match *self {
            Self::Unsigned { low, high } => high.saturating_sub(low),
            Self::Signed { low, high } => Uint::new(high.abs_diff(low)),
        }
    }

    /// Whether a value is an integer of this range.
    #[must_use]
    pub fn contains_value(&self, value: &Value) -> bool {
        match (self, value) {
            (Self::Unsigned { low, high }, Value::Uint(n)) => (low..=high).contains(&n),
            (Self::Signed { low, high }, Value::Int(n)) => (low..=high).contains(&n),
            _ => false,
        }
    }

    /// Whether this range contains every integer of `other`. Signed and unsigned integers are
    /// different values.
    #[must_use]
    pub fn contains(&self, other: &Self) -> bool {
        self.intersect(other) == Some(*other)
    }

    /// Whether both ranges contain some integer.
    #[must_use]
    pub fn overlaps(&self, other: &Self) -> bool {
        self.intersect(other).is_some()
    }

    /// Returns the integers of both ranges.
    #[must_use]
    pub fn intersect(&self, other: &Self) -> Option<Self> {
        let ((low, high), (other_low, other_high)) = (self.ends(), other.ends());
        let is_signed = self.is_signed();
        if is_signed != other.is_signed() {
            return None;
        }
        Self::between(is_signed, low.max(other_low), high.min(other_high))
    }

    /// Returns the integers within bounds. A bound outside the type excludes nothing, or
    /// everything.
    #[must_use]
    pub fn within(&self, bounds: &IntBounds) -> Option<Self> {
        let (low, high) = self.ends();
        let low = bounds.low.map_or(low, |bound| low.max(bound));
        let high = bounds.high.map_or(high, |bound| high.min(bound));
        Self::between(self.is_signed(), low, high)
    }

    /// Returns the integers that `other` lacks: those below it, and those above it.
    #[must_use]
    pub fn without(&self, other: &Self) -> [Option<Self>; 2] {
        let ((low, high), (other_low, other_high)) = (self.ends(), other.ends());
        let is_signed = self.is_signed();
        if is_signed != other.is_signed() {
            return [Some(*self), None];
        }
        let below = (low < other_low)
            .then(|| Self::between(is_signed, low, high.min(other_low.previous())));
        let above =
            (other_high < high).then(|| Self::between(is_signed, low.max(other_high.next()), high));
        [below.flatten(), above.flatten()]
    }
}

/// Writes the range as a layout does: `0..=255`.
impl fmt::Display for IntRange {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (low, high) = self.ends();
        write!(f, "{low}..={high}")
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use alloc::{format, vec::Vec};

    fn small(is_signed: bool) -> impl Iterator<Item = IntRange> {
        let lowest = if is_signed { -3 } else { 0 };
        (lowest..4).flat_map(move |low| {
            (low..4).filter_map(move |high| {
                IntRange::between(is_signed, Number::signed(low), Number::signed(high))
            })
        })
    }

    fn integers(range: Option<IntRange>) -> Vec<i128> {
        let ends = range.map(|range| range.ends());
        ends.map_or(Vec::new(), |(low, high)| (low.low_i128()..=high.low_i128()).collect())
    }

    #[test]
    fn ranges_are_sets_of_integers() {
        for is_signed in [false, true] {
            for a in small(is_signed) {
                let all = integers(Some(a));
                assert_eq!(a.distance() + Uint::ONE, Uint::from(all.len() as u64));
                for b in small(is_signed) {
                    let others = integers(Some(b));
                    let (both, rest): (Vec<i128>, Vec<i128>) =
                        all.iter().copied().partition(|n| others.contains(n));
                    assert_eq!(integers(a.intersect(&b)), both, "{a} and {b}");
                    assert_eq!(a.overlaps(&b), !both.is_empty());
                    assert_eq!(a.contains(&b), others.iter().all(|n| all.contains(n)));
                    let left = a.without(&b).into_iter().flat_map(integers);
                    assert_eq!(left.collect::<Vec<_>>(), rest, "{a} without {b}");
                }
            }
        }
    }

    #[test]
    fn signs_are_never_mixed() {
        for (a, b) in small(false).flat_map(|a| small(true).map(move |b| (a, b))) {
            assert_eq!((a.contains(&b), a.overlaps(&b)), (false, false));
            assert_eq!(a.without(&b), [Some(a), None]);
        }
    }

    #[test]
    fn both_ends_of_the_widest_types_are_reached() {
        let all = IntRange::full(IntType { bits: 256, signed: false });
        let only = |n: Uint| IntRange::Unsigned { low: n, high: n };
        assert_eq!(all.distance(), Uint::MAX);
        let [below, above] = all.without(&only(Uint::MAX));
        assert_eq!(
            below.map(|range| range.ends().1),
            Some(Number::positive(Uint::MAX - Uint::ONE))
        );
        assert_eq!((above, all.without(&only(Uint::ZERO))[0]), (None, None));
        let signed = IntRange::full(IntType { bits: 128, signed: true });
        let least = IntRange::Signed { low: i128::MIN, high: i128::MIN };
        let rest = IntRange::Signed { low: i128::MIN + 1, high: i128::MAX };
        assert_eq!(signed.without(&least), [None, Some(rest)]);
        let [lowest, highest] = [true, false].map(|sign| Some(Number::new(sign, Uint::MAX)));
        let beyond = IntBounds { low: lowest, high: highest };
        assert_eq!(signed.within(&beyond), Some(signed));
        let none = IntBounds { low: highest, high: None };
        assert_eq!(signed.within(&none), None);
        assert_eq!(format!("{least}"), format!("{0}..={0}", i128::MIN));
    }
}
