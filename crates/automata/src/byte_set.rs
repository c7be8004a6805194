//! Sets of bytes.

use core::fmt;

/// A set of bytes, as 256 bits.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct ByteSet([u64; 4]);

impl ByteSet {
    /// The empty set.
    pub const EMPTY: Self = Self([0; 4]);
    /// The set of all 256 bytes.
    pub const ANY: Self = Self([u64::MAX; 4]);

    /// Returns the set that contains only `byte`.
    #[must_use]
    pub const fn of(byte: u8) -> Self {
        Self::range(byte, byte)
    }

    /// Returns the bytes from `first` to `last`, both included.
    #[must_use]
    pub const fn range(first: u8, last: u8) -> Self {
        let mut set = Self::EMPTY;
        let mut byte = first as usize;
        while byte <= last as usize {
            set.0[byte >> 6] |= 1 << (byte & 63);
            byte += 1;
        }
        set
    }

    /// Whether the set contains `byte`.
    #[must_use]
    pub const fn contains(&self, byte: u8) -> bool {
        self.0[(byte >> 6) as usize] & (1 << (byte & 63)) != 0
    }

    /// Adds `byte`.
    pub const fn insert(&mut self, byte: u8) {
        self.0[(byte >> 6) as usize] |= 1 << (byte & 63);
    }

    /// Returns the bytes of either set.
    #[must_use]
    pub const fn union(&self, other: &Self) -> Self {
        let (a, b) = (self.0, other.0);
        Self([a[0] | b[0], a[1] | b[1], a[2] | b[2], a[3] | b[3]])
    }

    /// Returns the bytes of both sets.
    #[must_use]
    pub const fn intersection(&self, other: &Self) -> Self {
        let (a, b) = (self.0, other.0);
        Self([a[0] & b[0], a[1] & b[1], a[2] & b[2], a[3] & b[3]])
    }

    /// Returns the bytes outside the set.
    #[must_use]
    pub const fn complement(&self) -> Self {
        Self([!self.0[0], !self.0[1], !self.0[2], !self.0[3]])
    }

    /// Whether the set is empty.
    #[must_use]
    pub const fn is_empty(&self) -> bool {
        self.0[0] | self.0[1] | self.0[2] | self.0[3] == 0
    }

    /// Returns the number of bytes.
    #[must_use]
    pub const fn len(&self) -> usize {
        (self.0[0].count_ones()
            + self.0[1].count_ones()
            + self.0[2].count_ones()
            + self.0[3].count_ones()) as usize
    }

    /// Returns the bytes in ascending order.
    pub fn iter(&self) -> impl Iterator<Item = u8> + use<> {
        let mut words = self.0;
        core::iter::from_fn(move || {
            let (at, word) = words.iter_mut().enumerate().find(|(_, word)| **word != 0)?;
            let bit = word.trailing_zeros();
            *word &= *word - 1;
            Some((at as u32 * u64::BITS + bit) as u8)
        })
    }

    /// Returns the smallest byte.
    #[must_use]
    pub fn first(&self) -> Option<u8> {
        self.iter().next()
    }

    /// Returns the largest byte.
    #[must_use]
    pub fn last(&self) -> Option<u8> {
        let (at, word) = self.0.iter().enumerate().rev().find(|(_, word)| **word != 0)?;
        Some((at as u32 * u64::BITS + word.ilog2()) as u8)
    }
}

impl FromIterator<u8> for ByteSet {
    fn from_iter<I: IntoIterator<Item = u8>>(bytes: I) -> Self {
        let mut set = Self::EMPTY;
        for byte in bytes {
            set.insert(byte);
        }
        set
    }
}

impl fmt::Debug for ByteSet {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_set().entries(self.iter()).finish()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ranges_hold_their_ends_and_nothing_else() {
        let set = ByteSet::range(0x3f, 0x41);
        assert_eq!(set.iter().collect::<alloc::vec::Vec<_>>(), [0x3f, 0x40, 0x41]);
        assert_eq!((set.first(), set.last(), set.len()), (Some(0x3f), Some(0x41), 3));
        assert_eq!(ByteSet::range(0, 255), ByteSet::ANY);
        assert!(!set.complement().contains(0x40));
        assert_eq!(set.union(&set.complement()), ByteSet::ANY);
    }
}
