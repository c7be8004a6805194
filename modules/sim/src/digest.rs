//! The digest of a state.

use crate::Hex;
use keyscape::store::{KeyRange, Layout, Read, StoreError, StoreId};
use sha2::{Digest as _, Sha256};
use std::fmt;

/// The SHA-256 of all rows: equal states have equal digests.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Digest(pub [u8; 32]);

impl fmt::Display for Digest {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        Hex(&self.0).fmt(out)
    }
}

/// The size and the digest of a state.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct State {
    /// The number of rows.
    pub rows: u64,
    /// The total bytes of keys and values.
    pub bytes: u64,
    /// The digest of all rows.
    pub digest: Digest,
}

/// Computes the state of the stores of some layouts; other stores of the database are ignored.
///
/// # Errors
/// As [`Read::rows`].
pub fn state_of(read: &impl Read, layouts: &[&Layout<'_>]) -> Result<State, StoreError> {
    let mut spaces: Vec<&str> =
        layouts.iter().flat_map(|layout| layout.spaces.iter().copied()).collect();
    spaces.sort_unstable();
    spaces.dedup();
    let mut hash = Sha256::new();
    let (mut rows, mut bytes) = (0, 0);
    for space in spaces {
        hash_part(&mut hash, b's', space.as_bytes());
        let mut cursor = read.rows(StoreId::of(space), KeyRange::all())?;
        while let Some(row) = cursor.next()? {
            hash_part(&mut hash, b'k', row.key);
            hash_part(&mut hash, b'v', row.value);
            rows += 1;
            bytes += (row.key.len() + row.value.len()) as u64;
        }
    }
    Ok(State { rows, bytes, digest: Digest(hash.finalize().into()) })
}

/// Hashes a part after its kind and length, so different states never have the same input.
fn hash_part(hash: &mut Sha256, kind: u8, bytes: &[u8]) {
    hash.update([kind]);
    hash.update((bytes.len() as u64).to_be_bytes());
    hash.update(bytes);
}
