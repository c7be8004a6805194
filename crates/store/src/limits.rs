//! Limits of engines.

use crate::{Limited, StoreError};

/// The limits of an engine. [`Tx`](crate::Tx) checks every write against them; engines need not.
///
/// ```
/// use keyscape_store::Limits;
///
/// let limits = Limits { longest_key: 4, ..Limits::NONE };
/// assert!(limits.check_key(b"1234").is_ok());
/// assert!(limits.check_key(b"12345").is_err());
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limits {
    /// Shortest key in bytes: 0, or 1 if keys must not be empty.
    pub shortest_key: u64,
    /// Longest key in bytes.
    pub longest_key: u64,
    /// Shortest value in bytes: 0, or 1 if values must not be empty.
    pub shortest_value: u64,
    /// Longest value in bytes.
    pub longest_value: u64,
    /// Maximum number of rows, put or deleted, in one commit.
    pub rows: u64,
    /// Maximum number of bytes of keys and values in one commit.
    pub bytes: u64,
}

impl Limits {
    /// No limits.
    pub const NONE: Limits = Limits {
        shortest_key: 0,
        longest_key: u64::MAX,
        shortest_value: 0,
        longest_value: u64::MAX,
        rows: u64::MAX,
        bytes: u64::MAX,
    };

    /// Returns the stricter of both limits.
    #[must_use]
    pub fn and(self, other: Limits) -> Limits {
        Limits {
            shortest_key: self.shortest_key.max(other.shortest_key),
            longest_key: self.longest_key.min(other.longest_key),
            shortest_value: self.shortest_value.max(other.shortest_value),
            longest_value: self.longest_value.min(other.longest_value),
            rows: self.rows.min(other.rows),
            bytes: self.bytes.min(other.bytes),
        }
    }

    /// Returns how many rows, at most `rows`, a program reads for one commit. Each of them may
    /// cause four written rows, for example an old row, a new row and two entries of indexes.
    ///
    /// ```
    /// use keyscape_store::Limits;
    ///
    /// assert_eq!(Limits::NONE.batch(4096), 4096);
    /// assert_eq!(Limits { rows: 200, ..Limits::NONE }.batch(4096), 50);
    /// ```
    #[must_use]
    pub fn batch(&self, rows: usize) -> usize {
        rows.min(usize::try_from(self.rows / 4).unwrap_or(usize::MAX)).max(1)
    }

    /// Checks a key.
    ///
    /// # Errors
    /// [`Limit`](crate::StoreErrorKind::Limit) with the first bytes of the key.
    pub fn check_key(&self, key: &[u8]) -> Result<(), StoreError> {
        at_least(Limited::ShortestKey, self.shortest_key, key.len())
            .and_then(|()| at_most(Limited::LongestKey, self.longest_key, key.len()))
            .map_err(|error| error.at_key(first_bytes(key)))
    }

    /// Checks a row.
    ///
    /// # Errors
    /// As [`Limits::check_key`].
    pub fn check_row(&self, key: &[u8], value: &[u8]) -> Result<(), StoreError> {
        self.check_key(key)?;
        at_least(Limited::ShortestValue, self.shortest_value, value.len())
            .and_then(|()| at_most(Limited::LongestValue, self.longest_value, value.len()))
            .map_err(|error| error.at_key(first_bytes(key)))
    }

    /// Checks the size of one commit.
    ///
    /// # Errors
    /// [`Limit`](crate::StoreErrorKind::Limit).
    pub fn check_commit(&self, rows: u64, bytes: u64) -> Result<(), StoreError> {
        if rows > self.rows {
            return Err(StoreError::limit(Limited::Rows, self.rows, rows));
        }
        if bytes > self.bytes {
            return Err(StoreError::limit(Limited::Bytes, self.bytes, bytes));
        }
        Ok(())
    }
}

/// Returns the part of a key that an error contains. The key may be much too long.
fn first_bytes(key: &[u8]) -> &[u8] {
    key.get(..64).unwrap_or(key)
}

fn at_least(what: Limited, limit: u64, actual: usize) -> Result<(), StoreError> {
    let actual = actual as u64;
    if actual < limit { Err(StoreError::limit(what, limit, actual)) } else { Ok(()) }
}

fn at_most(what: Limited, limit: u64, actual: usize) -> Result<(), StoreError> {
    let actual = actual as u64;
    if actual > limit { Err(StoreError::limit(what, limit, actual)) } else { Ok(()) }
}
