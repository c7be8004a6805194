//! Reading snapshots and transactions.

use crate::{KeyRange, ReadState, Revision, Rows, StoreError, StoreId};

/// Reads one fixed state, including the transaction's own writes.
///
/// [`Snapshot`](crate::Snapshot) and [`Tx`](crate::Tx) implement this trait. Code that only reads
/// takes `&dyn Read` or `&impl Read`, and works on both with any engine.
///
/// ```
/// use keyscape_store::{Db, KeyRange, Memory, Read, Spaces, StoreError, StoreId};
///
/// /// For snapshots and transactions alike.
/// fn rows(state: &impl Read) -> Result<usize, StoreError> {
///     Ok(state.rows(StoreId::of("shop"), KeyRange::all())?.to_vec()?.len())
/// }
///
/// let db = Db::new(Memory::new(Spaces::new(["shop"])?));
/// assert_eq!((rows(&db.read()?)?, db.write(|tx| rows(tx))?), (0, 0));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub trait Read {
    /// Returns the state that all other methods read. A wrapper returns that of its inner value.
    fn read_state(&self) -> ReadState<'_>;

    /// Returns the revision of the state, without the transaction's own writes.
    fn revision(&self) -> Revision {
        self.read_state().tracked.session.revision()
    }

    /// Passes the borrowed value of a key to `found`. Returns whether the row exists.
    ///
    /// # Errors
    /// See [`StoreErrorKind`](crate::StoreErrorKind).
    fn read(
        &self,
        store: StoreId,
        key: &[u8],
        found: &mut dyn FnMut(&[u8]),
    ) -> Result<bool, StoreError> {
        self.read_state().read(store, key, found)
    }

    /// Passes the values of existing rows to `found`, each with the position of its key in `keys`,
    /// in any order.
    ///
    /// # Errors
    /// See [`StoreErrorKind`](crate::StoreErrorKind).
    fn read_many(
        &self,
        store: StoreId,
        keys: &[&[u8]],
        found: &mut dyn FnMut(usize, &[u8]),
    ) -> Result<(), StoreError> {
        self.read_state().read_many(store, keys, found)
    }

    /// Opens the rows of a range.
    ///
    /// # Errors
    /// See [`StoreErrorKind`](crate::StoreErrorKind).
    fn rows(&self, store: StoreId, range: KeyRange<'_>) -> Result<Rows<'_>, StoreError> {
        self.read_state().rows(store, range)
    }
}

/// Forwards every method, because a wrapper may implement some of them differently.
impl<R: Read + ?Sized> Read for &R {
    fn read_state(&self) -> ReadState<'_> {
        (**self).read_state()
    }

    fn revision(&self) -> Revision {
        (**self).revision()
    }

    fn read(
        &self,
        store: StoreId,
        key: &[u8],
        found: &mut dyn FnMut(&[u8]),
    ) -> Result<bool, StoreError> {
        (**self).read(store, key, found)
    }

    fn read_many(
        &self,
        store: StoreId,
        keys: &[&[u8]],
        found: &mut dyn FnMut(usize, &[u8]),
    ) -> Result<(), StoreError> {
        (**self).read_many(store, keys, found)
    }

    fn rows(&self, store: StoreId, range: KeyRange<'_>) -> Result<Rows<'_>, StoreError> {
        (**self).rows(store, range)
    }
}

/// Shorthands for reading.
///
/// ```
/// use keyscape_store::{Db, Memory, ReadExt, Spaces, StoreId};
///
/// const SHOP: StoreId = StoreId::of("shop");
/// let db = Db::new(Memory::new(Spaces::new(["shop"])?));
/// db.write(|tx| tx.put(SHOP, b"ink", b"3"))?;
///
/// let snapshot = db.read()?;
/// assert_eq!(snapshot.get(SHOP, b"ink")?, Some(b"3".to_vec()));
/// assert_eq!(snapshot.get_with(SHOP, b"ink", |value| value.len())?, Some(1));
/// assert!(!snapshot.contains(SHOP, b"pen")?);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub trait ReadExt: Read {
    /// Passes the borrowed value of a key to `found`, and returns its result.
    ///
    /// # Errors
    /// As [`Read::read`].
    fn get_with<T>(
        &self,
        store: StoreId,
        key: &[u8],
        found: impl FnOnce(&[u8]) -> T,
    ) -> Result<Option<T>, StoreError> {
        let mut found = Some(found);
        let mut answer = None;
        self.read(store, key, &mut |value| {
            if let Some(found) = found.take() {
                answer = Some(found(value));
            }
        })?;
        Ok(answer)
    }

    /// Returns a copy of the value of a key.
    ///
    /// # Errors
    /// As [`Read::read`].
    fn get(&self, store: StoreId, key: &[u8]) -> Result<Option<Vec<u8>>, StoreError> {
        self.get_with(store, key, <[u8]>::to_vec)
    }

    /// Whether a row exists.
    ///
    /// # Errors
    /// As [`Read::read`].
    fn contains(&self, store: StoreId, key: &[u8]) -> Result<bool, StoreError> {
        self.read(store, key, &mut |_| {})
    }
}

impl<R: Read + ?Sized> ReadExt for R {}
