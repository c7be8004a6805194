//! A digest of a set of rows that does not depend on their order.

use sha2::{Digest as _, Sha256};
use std::fmt;

/// The number of rows and the sum of their SHA-256 digests, as four numbers of 64 bits.
///
/// The digest finds rows that are missing, added or changed by accident. It does not protect
/// against somebody who chooses rows with the same sum.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Digest {
    rows: u64,
    sum: [u64; 4],
}

const BYTES: usize = 5 * 8;

impl Digest {
    /// Adds a row of a space.
    pub fn add(&mut self, space: &str, key: &[u8], value: &[u8]) {
        let mut hash = Sha256::new();
        for part in [space.as_bytes(), key, value] {
            hash.update((part.len() as u64).to_be_bytes());
            hash.update(part);
        }
        let hash = hash.finalize();
        for (sum, bytes) in self.sum.iter_mut().zip(hash.chunks_exact(8)) {
            *sum = sum.wrapping_add(number(bytes));
        }
        self.rows += 1;
    }

    /// Returns the number of rows.
    #[must_use]
    pub const fn rows(&self) -> u64 {
        self.rows
    }

    /// Encodes the number of rows and the sum.
    pub(crate) fn to_bytes(self) -> [u8; BYTES] {
        let mut bytes = [0; BYTES];
        let numbers = std::iter::once(self.rows).chain(self.sum);
        for (chunk, number) in bytes.chunks_exact_mut(8).zip(numbers) {
            chunk.copy_from_slice(&number.to_be_bytes());
        }
        bytes
    }

    pub(crate) fn from_bytes(bytes: &[u8; BYTES]) -> Self {
        let (rows, sum) = bytes.split_at(8);
        Self { rows: number(rows), sum: std::array::from_fn(|at| number(&sum[at * 8..][..8])) }
    }

    pub(crate) fn parse(text: &str) -> Option<Self> {
        let (rows, sum) = text.split_once(' ')?;
        let mut numbers = [0; 4];
        for (at, number) in numbers.iter_mut().enumerate() {
            *number = u64::from_str_radix(sum.get(at * 16..at * 16 + 16)?, 16).ok()?;
        }
        Some(Self { rows: rows.parse().ok()?, sum: numbers })
    }
}

fn number(bytes: &[u8]) -> u64 {
    bytes.try_into().map_or(0, u64::from_be_bytes)
}

impl fmt::Display for Digest {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} ", self.rows)?;
        self.sum.iter().try_for_each(|number| write!(f, "{number:016x}"))
    }
}

#[cfg(test)]
mod tests {
    use super::Digest;

    #[test]
    fn a_digest_depends_on_the_rows_and_not_on_their_order() {
        let of = |rows: &[(&str, &[u8], &[u8])]| {
            let mut digest = Digest::default();
            rows.iter().for_each(|(space, key, value)| digest.add(space, key, value));
            digest
        };
        let (a, b): ((&str, &[u8], &[u8]), _) = (("s", b"k", b"v"), ("s", &b"kv"[..], &b""[..]));
        assert_eq!(of(&[a, b]), of(&[b, a]));
        for other in
            [of(&[a]), of(&[b, b]), of(&[a, ("t", b"kv", b"")]), of(&[a, ("s", b"k", b"v")])]
        {
            assert_ne!(of(&[a, b]), other);
        }
        assert_eq!(Digest::parse(&of(&[a, b]).to_string()), Some(of(&[a, b])));
        assert_eq!(Digest::parse("2 00"), None);
    }
}
