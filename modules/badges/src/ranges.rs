//! Closed ranges of 256-bit ids or times, and sets of them.

use keyscape::U256;
use std::{convert::Infallible, fmt};

/// A closed range of ids or times. Neither can be 0.
///
/// ```
/// use keyscape_badges::Range;
///
/// let range = Range::new(1_u64, 10_u64)?;
/// assert_eq!(range.to_string(), "1-10");
/// assert!(Range::new(2_u64, 1_u64).is_err());
/// assert!(Range::new(0_u64, 1_u64).is_err());
/// # Ok::<(), keyscape_badges::BadRange>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Range {
    // INVARIANT: 1 <= start <= end.
    start: U256,
    end: U256,
}

/// A pair of numbers that is not a range.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("`{start}-{end}` is not a range: expected 1 <= start <= end")]
pub struct BadRange {
    /// The first number.
    pub start: U256,
    /// The last number.
    pub end: U256,
}

impl Range {
    /// Every id, or every time.
    pub const ALL: Range = Range { start: U256::ONE, end: U256::MAX };

    /// Creates a range from its first and its last number.
    ///
    /// # Errors
    /// [`BadRange`] if the range is empty or starts at 0.
    pub fn new(start: impl Into<U256>, end: impl Into<U256>) -> Result<Range, BadRange> {
        let (start, end) = (start.into(), end.into());
        if start == U256::ZERO || start > end {
            return Err(BadRange { start, end });
        }
        Ok(Range { start, end })
    }

    /// Returns the first number.
    #[must_use]
    pub fn start(self) -> U256 {
        self.start
    }

    /// Returns the last number.
    #[must_use]
    pub fn end(self) -> U256 {
        self.end
    }

    /// Whether the range contains a number.
    #[must_use]
    pub fn contains(self, number: U256) -> bool {
        self.start <= number && number <= self.end
    }

    /// Adds a number to both ends. Returns `None` if the end would exceed 256 bits.
    #[must_use]
    pub fn shifted(self, by: U256) -> Option<Range> {
        Some(Range { start: self.start.checked_add(by)?, end: self.end.checked_add(by)? })
    }
}

impl fmt::Display for Range {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}-{}", self.start, self.end)
    }
}

/// A set of numbers as sorted, disjoint ranges. Adjacent ranges are merged.
///
/// ```
/// use keyscape_badges::{Range, Ranges};
///
/// let ids: Ranges = [Range::new(5_u64, 9_u64)?, Range::new(1_u64, 4_u64)?].into_iter().collect();
/// assert_eq!(ids.to_string(), "1-9");
/// let odd = Ranges::from(Range::new(3_u64, 3_u64)?);
/// assert_eq!(ids.without(&odd).to_string(), "1-2, 4-9");
/// # Ok::<(), keyscape_badges::BadRange>(())
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub struct Ranges(Vec<(Range, ())>);

impl Ranges {
    /// Returns the set of every number.
    #[must_use]
    pub fn all() -> Ranges {
        Ranges::from(Range::ALL)
    }

    /// Whether the set is empty.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Whether the set contains a number.
    #[must_use]
    pub fn contains(&self, number: U256) -> bool {
        self.iter().any(|range| range.contains(number))
    }

    /// Returns the ranges in order.
    pub fn iter(&self) -> impl Iterator<Item = Range> + '_ {
        self.0.iter().map(|(range, ())| *range)
    }

    /// Returns the numbers of either set.
    #[must_use]
    pub fn union(&self, other: &Ranges) -> Ranges {
        self.combine(other, |left, right| left || right)
    }

    /// Returns the numbers of both sets.
    #[must_use]
    pub fn intersection(&self, other: &Ranges) -> Ranges {
        self.combine(other, |left, right| left && right)
    }

    /// Returns the numbers of this set that the other does not contain.
    #[must_use]
    pub fn without(&self, other: &Ranges) -> Ranges {
        self.combine(other, |left, right| left && !right)
    }

    /// Whether the other set contains every number of this one.
    #[must_use]
    pub fn is_subset(&self, other: &Ranges) -> bool {
        self.without(other).is_empty()
    }

    fn combine(&self, other: &Ranges, keep: impl Fn(bool, bool) -> bool) -> Ranges {
        let combined = merge(&self.0, &other.0, |left, right| {
            Ok::<_, Infallible>(keep(left.is_some(), right.is_some()).then_some(()))
        });
        match combined {
            Ok(pieces) => Ranges(pieces),
            Err(never) => match never {},
        }
    }
}

impl From<Range> for Ranges {
    fn from(range: Range) -> Ranges {
        Ranges(vec![(range, ())])
    }
}

impl FromIterator<Range> for Ranges {
    fn from_iter<I: IntoIterator<Item = Range>>(ranges: I) -> Ranges {
        let mut sorted: Vec<Range> = ranges.into_iter().collect();
        sorted.sort_unstable();
        let mut merged: Vec<(Range, ())> = Vec::with_capacity(sorted.len());
        for range in sorted {
            match merged.last_mut() {
                // The sum cannot overflow: a range that starts later starts above the end.
                Some((last, ())) if range.start <= last.end || range.start == last.end + 1 => {
                    last.end = last.end.max(range.end);
                }
                _ => merged.push((range, ())),
            }
        }
        Ranges(merged)
    }
}

impl fmt::Display for Ranges {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (index, range) in self.iter().enumerate() {
            write!(f, "{}{range}", if index == 0 { "" } else { ", " })?;
        }
        Ok(())
    }
}

/// Combines two piecewise functions into one.
///
/// Both sides are disjoint and sorted. A number outside all pieces has no value. `f` receives the
/// values of both sides for each piece on which neither changes. The result is sorted and disjoint,
/// and adjacent pieces with equal values are merged, so equal functions are equal lists.
pub(crate) fn merge<A, B, W: PartialEq, E>(
    left: &[(Range, A)],
    right: &[(Range, B)],
    mut f: impl FnMut(Option<&A>, Option<&B>) -> Result<Option<W>, E>,
) -> Result<Vec<(Range, W)>, E> {
    let (mut left, mut right) = (left.iter().peekable(), right.iter().peekable());
    let mut merged: Vec<(Range, W)> = Vec::new();
    let mut from = U256::ONE;
    loop {
        while left.next_if(|(range, _)| range.end < from).is_some() {}
        while right.next_if(|(range, _)| range.end < from).is_some() {}
        let (a, b) = (left.peek().copied(), right.peek().copied());
        let starts = [a.map(|(range, _)| range.start), b.map(|(range, _)| range.start)];
        let Some(start) = starts.into_iter().flatten().min().map(|start| start.max(from)) else {
            return Ok(merged);
        };
        let mut end = U256::MAX;
        let a = a.and_then(|piece| active(piece, start, &mut end));
        let b = b.and_then(|piece| active(piece, start, &mut end));
        if let Some(value) = f(a, b)? {
            match merged.last_mut() {
                Some((last, before)) if last.end + 1 == start && *before == value => last.end = end,
                _ => merged.push((Range { start, end }, value)),
            }
        }
        match end.checked_add(U256::ONE) {
            Some(next) => from = next,
            None => return Ok(merged),
        }
    }
}

/// Returns the value of a piece at `start`, and lowers `end` to the last number before the piece
/// begins or ends.
fn active<'a, V>((range, value): &'a (Range, V), start: U256, end: &mut U256) -> Option<&'a V> {
    if range.start > start {
        *end = (*end).min(range.start - 1);
        return None;
    }
    *end = (*end).min(range.end);
    Some(value)
}
