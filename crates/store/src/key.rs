//! Keys as maps hold them.

use smallvec::SmallVec;
use std::{
    borrow::Borrow,
    cmp::Ordering,
    ops::{Bound, Deref},
};

/// A key. A short one lies in the node of its map, so that a search need not follow a pointer at
/// each comparison, and keys mostly differ in their heads, which are compared as numbers.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Key {
    head: u64,
    bytes: SmallVec<[u8; Key::SHORT]>,
}

impl Key {
    const SHORT: usize = 40;

    /// The first bytes as a number.
    pub(crate) fn head(&self) -> u64 {
        self.head
    }

    pub(crate) fn new(key: &[u8]) -> Key {
        Key { head: head(key), bytes: SmallVec::from_slice(key) }
    }

    /// A key to look for, if that takes no allocation. Others are looked for as slices, in the same
    /// order.
    pub(crate) fn short(key: &[u8]) -> Option<Key> {
        (key.len() <= Key::SHORT).then(|| Key::new(key))
    }

    /// Bounds to look for, as [`Key::short`].
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
        self.head.cmp(&other.head).then_with(|| compare(self, other))
    }
}

/// The order of byte strings. Keys mostly differ early: their first bytes are compared as numbers,
/// which needs no call.
#[inline]
pub(crate) fn compare(left: &[u8], right: &[u8]) -> Ordering {
    let (mut left, mut right) = (left, right);
    for _ in 0..2 {
        let (Some((a, rest_of_left)), Some((b, rest_of_right))) =
            (left.split_first_chunk(), right.split_first_chunk())
        else {
            break;
        };
        if a != b {
            return u64::from_be_bytes(*a).cmp(&u64::from_be_bytes(*b));
        }
        (left, right) = (rest_of_left, rest_of_right);
    }
    left.cmp(right)
}

/// The first bytes of a key as a number, with zeros behind it if it is shorter. Keys with a smaller
/// head are smaller.
fn head(key: &[u8]) -> u64 {
    if let Some(head) = key.first_chunk() {
        return u64::from_be_bytes(*head);
    }
    let mut head = [0; 8];
    let length = key.len().min(8);
    head[..length].copy_from_slice(&key[..length]);
    u64::from_be_bytes(head)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_are_in_byte_order() {
        let long = [7; 45];
        let mut keys: Vec<Vec<u8>> = Vec::new();
        for length in [0, 1, 7, 8, 9, 15, 16, 17, 39, 40, 41] {
            keys.push(long[..length].to_vec());
            for at in 0..length {
                for byte in [0, 6, 8, 0xff] {
                    let mut key = long[..length].to_vec();
                    key[at] = byte;
                    keys.push(key);
                }
            }
        }
        for a in &keys {
            for b in &keys {
                assert_eq!(compare(a, b), a.cmp(b), "{a:02x?} {b:02x?}");
                assert_eq!(Key::new(a).cmp(&Key::new(b)), a.cmp(b), "{a:02x?} {b:02x?}");
            }
        }
    }
}
