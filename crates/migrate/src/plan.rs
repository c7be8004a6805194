//! The state of a migration that a database stores: the plan, the position after each commit, and
//! the digest of the new rows.

use crate::error::MigrateError;
use keyscape_store::{KeyRange, Read, SavedMigration};
use sha2::{Digest as _, Sha256};
use std::fmt;

/// The description of a migration in a database, during the migration and after it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Plan {
    /// The text of the declaration.
    pub declaration: String,
    /// The text of the old layout.
    pub old: String,
    /// The text of the new layout.
    pub new: String,
    /// The text of the inverse migration, if one exists.
    pub inverse: Option<String>,
    /// The digest of the new rows, computed from the old rows. The digest contains neither derived
    /// rows nor the counters of tokens, and is complete after the migration has ended.
    pub digest: Digest,
}

const PARTS: usize = 5;

impl Plan {
    /// Encodes the plan. NUL separates the parts, because no layout contains NUL.
    #[must_use]
    pub fn encode(&self) -> Vec<u8> {
        let digest = self.digest.to_string();
        let inverse = self.inverse.as_ref().map_or_else(String::new, |text| format!("+{text}"));
        let parts = [&self.declaration, &self.old, &self.new, &inverse, &digest];
        parts.map(|part| part.replace('\0', " ")).join("\0").into_bytes()
    }

    /// Decodes a plan.
    #[must_use]
    pub fn decode(bytes: &[u8]) -> Option<Self> {
        let parts: Vec<&str> = std::str::from_utf8(bytes).ok()?.split('\0').collect();
        let [declaration, old, new, inverse, digest]: [&str; PARTS] = parts.try_into().ok()?;
        Some(Self {
            declaration: declaration.to_owned(),
            old: old.to_owned(),
            new: new.to_owned(),
            inverse: inverse.strip_prefix('+').map(str::to_owned),
            digest: Digest::parse(digest)?,
        })
    }

    /// Reads the plan of a migration that has started in a database and not ended.
    ///
    /// # Errors
    /// Errors of the database, and [`MigrateError::Plan`] if the plan cannot be decoded.
    pub fn running(state: &(impl Read + ?Sized)) -> Result<Option<Self>, MigrateError> {
        let saved = SavedMigration::read(state)?;
        saved.map(|saved| Self::decode(&saved.plan).ok_or(MigrateError::Plan)).transpose()
    }

    /// Reads the plan of the last migration that has ended in a database.
    ///
    /// # Errors
    /// Errors of the database, and [`MigrateError::Plan`] if the plan cannot be decoded.
    pub fn last(state: &(impl Read + ?Sized)) -> Result<Option<Self>, MigrateError> {
        let saved = SavedMigration::last(state)?;
        saved.map(|saved| Self::decode(&saved).ok_or(MigrateError::Plan)).transpose()
    }
}

/// The part of a migration that is running.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Phase {
    /// Rows are moved.
    Rows,
    /// Indexes are built.
    Indexes,
}

/// The position of a migration: the number of the space, and the last key that was read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Position {
    pub(crate) phase: Phase,
    /// The digest of new rows: in a copy, up to the position; in place, of all rows.
    pub(crate) digest: Digest,
    pub(crate) space: u32,
    pub(crate) after: Option<Vec<u8>>,
}

impl Position {
    pub(crate) const fn start(digest: Digest) -> Self {
        Self { phase: Phase::Rows, digest, space: 0, after: None }
    }

    /// Returns the range of the keys that have not been read.
    pub(crate) fn rest(&self) -> KeyRange<'_> {
        match &self.after {
            Some(key) => KeyRange::all().after(key),
            None => KeyRange::all(),
        }
    }

    pub(crate) const fn next_space(&self) -> Self {
        Self { space: self.space + 1, after: None, ..*self }
    }

    /// Encodes the phase, the digest, the number of the space, whether a key follows, and the key.
    pub(crate) fn encode(&self) -> Vec<u8> {
        let phase = match self.phase {
            Phase::Rows => b'R',
            Phase::Indexes => b'I',
        };
        let mut bytes = vec![phase];
        bytes.extend_from_slice(&self.digest.to_bytes());
        bytes.extend_from_slice(&self.space.to_be_bytes());
        bytes.push(u8::from(self.after.is_some()));
        bytes.extend_from_slice(self.after.as_deref().unwrap_or_default());
        bytes
    }

    pub(crate) fn decode(bytes: &[u8]) -> Option<Self> {
        let (phase, rest) = bytes.split_first()?;
        let (digest, rest) = rest.split_first_chunk()?;
        let (space, rest) = rest.split_first_chunk()?;
        let phase = match phase {
            b'R' => Phase::Rows,
            b'I' => Phase::Indexes,
            _ => return None,
        };
        let after = match rest {
            [0] => None,
            [1, key @ ..] => Some(key.to_vec()),
            _ => return None,
        };
        let digest = Digest::from_bytes(digest);
        Some(Self { phase, digest, space: u32::from_be_bytes(*space), after })
    }
}

/// The number of rows and the sum of their SHA-256 digests, as four 64-bit numbers.
///
/// The digest detects rows that are missing, added or changed by accident. It does not protect
/// against rows that an attacker chose to have the same sum.
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
