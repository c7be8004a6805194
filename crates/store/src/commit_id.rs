//! Commit ids, which show whether a commit was written.

use crate::{Read, ReadExt, StoreError, StoreId, Tx};

/// A name that the caller gives to a commit, to look it up after
/// [`CommitUnknown`](crate::StoreErrorKind::CommitUnknown). The id is written with the commit,
/// among the metadata.
///
/// ```
/// use keyscape_store::{CommitId, Db, Memory, Spaces, StoreId};
///
/// const SHOP: StoreId = StoreId::of("shop");
/// let db = Db::new(Memory::new(Spaces::new(["shop"])?));
/// let id = CommitId(*b"order 0000000001");
/// assert!(!id.is_in(&db.read()?)?);
/// db.write(|tx| {
///     tx.put(SHOP, b"ink", b"3")?;
///     id.put(tx)
/// })?;
/// assert!(id.is_in(&db.read()?)?);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct CommitId(pub [u8; 16]);

/// The prefix of the keys of commit ids in [`StoreId::META`].
const PREFIX: &[u8; 7] = b"commit/";

impl CommitId {
    /// Writes the id with the transaction.
    ///
    /// # Errors
    /// As [`Tx::put`].
    pub fn put(self, tx: &mut Tx<'_>) -> Result<(), StoreError> {
        tx.put(StoreId::META, &self.key(), &[1])
    }

    /// Whether the commit was written.
    ///
    /// # Errors
    /// As [`Read::read`].
    pub fn is_in(self, state: &(impl Read + ?Sized)) -> Result<bool, StoreError> {
        state.contains(StoreId::META, &self.key())
    }

    /// Deletes an id that is no longer needed.
    ///
    /// # Errors
    /// As [`Tx::delete`].
    pub fn forget(self, tx: &mut Tx<'_>) -> Result<(), StoreError> {
        tx.delete(StoreId::META, &self.key())
    }

    fn key(self) -> [u8; 23] {
        let mut key = [0; 23];
        key[..PREFIX.len()].copy_from_slice(PREFIX);
        key[PREFIX.len()..].copy_from_slice(&self.0);
        key
    }
}
