//! Keys in ordered maps.

use smallvec::SmallVec;
use std::{
    borrow::Borrow,
    cmp::Ordering,
    ops::{Bound, Deref},
};

/// A key in an ordered map. Short keys are stored inline, so comparing them follows no pointer. The
/// first bytes, the head, are compared as a number, which usually decides.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Key {
    head: u64,
    bytes: SmallVec<[u8; Key::SHORT]>,
}

impl Key {
    /// The maximum length of inline keys.
    pub(crate) const SHORT: usize = 40;

    pub(crate) fn new(key: &[u8]) -> Key {
        Key { head: head(key), bytes: SmallVec::from_slice(key) }
    }

    /// Returns a key to search for, if it can be stored inline. Longer keys are searched for as
    /// slices, in the same order.
    pub(crate) fn short(key: &[u8]) -> Option<Key> {
        (key.len() <= Key::SHORT).then(|| Key::new(key))
    }

    /// Returns bounds to search for, as [`Key::short`].
    pub(crate) fn short_bounds(
        (start, end): (Bound<&[u8]>, Bound<&[u8]>),
    ) -> Option<(Bound<Key>, Bound<Key>)> {
        let short = |bound| match bound {
            Bound::Included(key) => Key::short(key).map(Bound::Included),
            Bound::Excluded(key) => Key::short(key).map(Bound::Excluded),
            Bound::Unbounded => Some(Bound::Unbounded),
        };
        Some((short(start)?, short(end)?))
    }
}

impl Deref for Key {
    type Target = [u8];

    fn deref(&self) -> &[u8] {
        &self.bytes
    }
}

impl Borrow<[u8]> for Key {
    fn borrow(&self) -> &[u8] {
        self
    }
}

impl PartialOrd for Key {
    fn partial_cmp(&self, other: &Key) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for Key {
    fn cmp(&self, other: &Key) -> Ordering {
        self.head.cmp(&other.head).then_with(|| match (self.get(8..), other.get(8..)) {
            (Some(left), Some(right)) => compare_keys(left, right),
            // The heads are equal, so the longer key has zeros where the shorter one ends.
            _ => self.len().cmp(&other.len()),
        })
    }
}

/// Compares in byte order. Usually the heads decide, which is a comparison of two numbers.
///
/// ```
/// use keyscape_store::compare_keys;
/// use std::cmp::Ordering;
///
/// assert_eq!(compare_keys(b"o/1", b"o/10"), Ordering::Less);
/// assert_eq!(compare_keys(b"order/12", b"order/12"), Ordering::Equal);
/// ```
#[inline]
#[must_use]
pub fn compare_keys(left: &[u8], right: &[u8]) -> Ordering {
    let length = left.len().min(right.len());
    let (a, b) = (&left[..length], &right[..length]);
    let order = match length {
        0..4 => a.iter().cmp(b),
        4..8 => ends(a, b, u32::from_be_bytes),
        8..16 => ends(a, b, u64::from_be_bytes),
        16..32 => ends(a, b, u128::from_be_bytes),
        _ => a.cmp(b),
    };
    order.then_with(|| left.len().cmp(&right.len()))
}

/// Compares two byte strings of the same length: first their first bytes as a number, then their
/// last bytes. The two parts may overlap.
#[inline(always)]
fn ends<const N: usize, T: Ord>(left: &[u8], right: &[u8], number: fn([u8; N]) -> T) -> Ordering {
    let first = left.first_chunk().map(|bytes| number(*bytes));
    let last = || left.last_chunk().map(|bytes| number(*bytes));
    first
        .cmp(&right.first_chunk().map(|bytes| number(*bytes)))
        .then_with(|| last().cmp(&right.last_chunk().map(|bytes| number(*bytes))))
}

/// Returns the first bytes of a key as a number, padded with zeros at the end. Keys with a smaller
/// head are smaller.
#[inline]
fn head(key: &[u8]) -> u64 {
    if let Some(head) = key.first_chunk() {
        return u64::from_be_bytes(*head);
    }
    // The halves may overlap. A byte in both halves has the same position in both.
    let end = 8 * (8 - key.len());
    match (key.first_chunk(), key.last_chunk()) {
        (Some(first), Some(last)) => {
            u64::from(u32::from_be_bytes(*first)) << 32
                | u64::from(u32::from_be_bytes(*last)) << end
        }
        _ => match *key {
            [] => 0,
            [first, .., last] => {
                let middle = key[key.len() / 2];
                u64::from(first) << 56 | u64::from(middle) << 48 | u64::from(last) << end
            }
            [only] => u64::from(only) << 56,
        },
    }
}

/// Returns twice as many first bytes of a key as a number.
#[inline]
pub(crate) fn long_head(key: &[u8]) -> u128 {
    if let Some(head) = key.first_chunk() {
        return u128::from_be_bytes(*head);
    }
    u128::from(head(key)) << 64 | u128::from(key.get(8..).map_or(0, head))
}
