//! Rows and ranges of keys.

use crate::key::{Key, compare_keys, long_head};
use smallvec::SmallVec;
use std::{borrow::Cow, cmp::Ordering, ops::Bound};

/// A borrowed row.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub struct Row<'a> {
    /// The encoded key.
    pub key: &'a [u8],
    /// The encoded value.
    pub value: &'a [u8],
}

/// The direction of a cursor in the byte order of keys.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Direction {
    /// Smallest key first.
    #[default]
    Forward,
    /// Greatest key first.
    Backward,
}

impl Direction {
    /// Returns the other direction.
    #[must_use]
    pub fn reversed(self) -> Direction {
        match self {
            Direction::Forward => Direction::Backward,
            Direction::Backward => Direction::Forward,
        }
    }
}

/// A range of keys, a direction, and the expected number of rows.
///
/// ```
/// use keyscape_store::KeyRange;
/// use std::ops::Bound;
///
/// let range = KeyRange::prefix(b"o/");
/// assert_eq!(range.end(), Bound::Excluded(&b"o0"[..]));
/// assert!(range.contains(b"o/1/1"));
/// assert!(!range.contains(b"o0"));
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct KeyRange<'a> {
    start: Bound<Cow<'a, [u8]>>,
    end: Bound<Cow<'a, [u8]>>,
    direction: Direction,
    expected: Option<usize>,
}

impl<'a> KeyRange<'a> {
    /// Selects all keys.
    #[must_use]
    pub const fn all() -> KeyRange<'a> {
        KeyRange {
            start: Bound::Unbounded,
            end: Bound::Unbounded,
            direction: Direction::Forward,
            expected: None,
        }
    }

    /// Selects the keys between two bounds. Bounds in the wrong order select no keys.
    #[must_use]
    pub fn new(start: Bound<&'a [u8]>, end: Bound<&'a [u8]>) -> KeyRange<'a> {
        KeyRange { start: start.map(Cow::Borrowed), end: end.map(Cow::Borrowed), ..KeyRange::all() }
    }

    /// Selects the keys that begin with a prefix. The empty prefix selects all keys.
    #[must_use]
    pub fn prefix(prefix: &'a [u8]) -> KeyRange<'a> {
        KeyRange {
            start: Bound::Included(Cow::Borrowed(prefix)),
            end: prefix_end(prefix).map_or(Bound::Unbounded, |end| Bound::Excluded(end.into())),
            ..KeyRange::all()
        }
    }

    /// Copies the bounds.
    #[must_use]
    pub fn into_owned(self) -> KeyRange<'static> {
        let owned = |bound: Bound<Cow<'_, [u8]>>| bound.map(|key| Cow::Owned(key.into_owned()));
        let KeyRange { start, end, direction, expected } = self;
        KeyRange { start: owned(start), end: owned(end), direction, expected }
    }

    /// Reads the greatest key first.
    #[must_use]
    pub fn backward(self) -> KeyRange<'a> {
        self.with_direction(Direction::Backward)
    }

    /// Sets the direction.
    #[must_use]
    pub fn with_direction(self, direction: Direction) -> KeyRange<'a> {
        KeyRange { direction, ..self }
    }

    /// Sets the expected number of rows. An engine may fetch that many at once. The result is the
    /// same with any number.
    #[must_use]
    pub fn expecting(self, rows: usize) -> KeyRange<'a> {
        KeyRange { expected: Some(rows), ..self }
    }

    /// Continues after a key, in the direction of the range. Never adds keys outside the range.
    #[must_use]
    pub fn after(self, key: &'a [u8]) -> KeyRange<'a> {
        let bound = Bound::Excluded(Cow::Borrowed(key));
        match self.direction {
            Direction::Forward if !before_start(key, self.start()) => {
                KeyRange { start: bound, ..self }
            }
            Direction::Backward if !after_end(key, self.end()) => KeyRange { end: bound, ..self },
            _ => self,
        }
    }

    /// Returns the lower bound.
    #[must_use]
    pub fn start(&self) -> Bound<&[u8]> {
        self.start.as_ref().map(|key| &**key)
    }

    /// Returns the upper bound.
    #[must_use]
    pub fn end(&self) -> Bound<&[u8]> {
        self.end.as_ref().map(|key| &**key)
    }

    /// Returns both bounds for ordered maps. Check [`KeyRange::is_empty`] first: some maps panic if
    /// the bounds are in the wrong order.
    #[must_use]
    pub fn bounds(&self) -> (Bound<&[u8]>, Bound<&[u8]>) {
        (self.start(), self.end())
    }

    /// Returns the direction.
    #[must_use]
    pub fn direction(&self) -> Direction {
        self.direction
    }

    /// Returns the expected number of rows, if it was set.
    #[must_use]
    pub fn expected(&self) -> Option<usize> {
        self.expected
    }

    /// Returns the end of the rows in the direction of the range.
    #[must_use]
    pub fn stop(&self) -> Stop {
        let bound = match self.direction {
            Direction::Forward => self.end(),
            Direction::Backward => self.start(),
        };
        Stop::new(bound, self.direction)
    }

    /// Whether the range contains a key.
    #[must_use]
    pub fn contains(&self, key: &[u8]) -> bool {
        !before_start(key, self.start()) && !after_end(key, self.end())
    }

    /// Whether the bounds exclude every key.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        match (self.start(), self.end()) {
            (_, Bound::Excluded([])) => true,
            (Bound::Unbounded, _) | (_, Bound::Unbounded) => false,
            (Bound::Included(start), Bound::Included(end)) => start > end,
            (Bound::Included(start) | Bound::Excluded(start), Bound::Excluded(end))
            | (Bound::Excluded(start), Bound::Included(end)) => start >= end,
        }
    }
}

/// The end of a range in its direction, for engines whose cursors have no end.
///
/// ```
/// use keyscape_store::KeyRange;
///
/// let stop = KeyRange::prefix(b"o/").stop();
/// assert!(!stop.is_before(b"o/1"));
/// assert!(stop.is_before(b"o0"));
/// ```
#[derive(Clone, Debug)]
pub struct Stop {
    /// The first bytes of the bound as a number, which usually decide the comparison. Without a
    /// bound, a number that no key exceeds.
    head: u128,
    forward: bool,
    bound: Bound<SmallVec<[u8; Key::SHORT]>>,
}

impl Stop {
    fn new(bound: Bound<&[u8]>, direction: Direction) -> Stop {
        let forward = direction == Direction::Forward;
        let head = match bound {
            Bound::Included(key) | Bound::Excluded(key) => long_head(key),
            Bound::Unbounded if forward => u128::MAX,
            Bound::Unbounded => 0,
        };
        Stop { head, forward, bound: bound.map(SmallVec::from_slice) }
    }

    /// Whether a key is past the end.
    #[inline]
    #[must_use]
    pub fn is_before(&self, key: &[u8]) -> bool {
        let head = long_head(key);
        if head == self.head {
            self.is_just_before(key)
        } else {
            (head > self.head) == self.forward
        }
    }

    /// Compares the whole key if its first bytes equal those of the bound.
    #[inline(never)]
    fn is_just_before(&self, key: &[u8]) -> bool {
        let (order, included) = match &self.bound {
            Bound::Included(bound) => (compare_keys(key, bound), true),
            Bound::Excluded(bound) => (compare_keys(key, bound), false),
            Bound::Unbounded => return false,
        };
        let beyond = if self.forward { Ordering::Greater } else { Ordering::Less };
        order == beyond || (order == Ordering::Equal && !included)
    }
}

fn before_start(key: &[u8], start: Bound<&[u8]>) -> bool {
    match start {
        Bound::Included(start) => key < start,
        Bound::Excluded(start) => key <= start,
        Bound::Unbounded => false,
    }
}

fn after_end(key: &[u8], end: Bound<&[u8]>) -> bool {
    match end {
        Bound::Included(end) => key > end,
        Bound::Excluded(end) => key >= end,
        Bound::Unbounded => false,
    }
}

/// Returns the smallest byte string that is greater than every string with this prefix. Returns
/// `None` for the empty prefix and for prefixes of `FF` bytes alone.
///
/// ```
/// use keyscape_store::prefix_end;
///
/// assert_eq!(prefix_end(b"ab"), Some(b"ac".to_vec()));
/// assert_eq!(prefix_end(&[0x61, 0xff]), Some(vec![0x62]));
/// assert_eq!(prefix_end(&[0xff, 0xff]), None);
/// assert_eq!(prefix_end(b""), None);
/// ```
#[must_use]
pub fn prefix_end(prefix: &[u8]) -> Option<Vec<u8>> {
    let last = prefix.iter().rposition(|byte| *byte != 0xff)?;
    let mut end = prefix[..=last].to_vec();
    end[last] += 1;
    Some(end)
}
