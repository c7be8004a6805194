//! What a state comes to.

use keyscape::store::{KeyRange, Layout, Read, StoreError, StoreId};
use sha2::{Digest as _, Sha256};
use std::fmt;

/// The SHA-256 of all rows: equal states have equal digests.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Digest(pub [u8; 32]);

impl fmt::Display for Digest {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.iter().try_for_each(|byte| write!(out, "{byte:02x}"))
    }
}

/// How much there is, and what it comes to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct State {
    /// The number of rows.
    pub rows: u64,
    /// The bytes of their keys and values.
    pub bytes: u64,
    /// Over all of them.
    pub digest: Digest,
}

/// The state of the stores of some layouts, and of no others in the same database.
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
        part(&mut hash, b's', space.as_bytes());
        let mut cursor = read.rows(StoreId::of(space), KeyRange::all())?;
        while let Some(row) = cursor.next()? {
            part(&mut hash, b'k', row.key);
            part(&mut hash, b'v', row.value);
            rows += 1;
            bytes += (row.key.len() + row.value.len()) as u64;
        }
    }
    Ok(State { rows, bytes, digest: Digest(hash.finalize().into()) })
}

/// What it is and its length go before it, so that two different states never become the same bytes.
fn part(hash: &mut Sha256, kind: u8, bytes: &[u8]) {
    hash.update([kind]);
    hash.update((bytes.len() as u64).to_be_bytes());
    hash.update(bytes);
}
