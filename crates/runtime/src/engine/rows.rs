//! Writes rows of maps together with the entries of their indexes.

use super::{EntryList, Location};
#[cfg(doc)]
use crate::ErrorKind;
use crate::{Error, access};
use keyscape_store::{StoreError, Tx};

/// A row of a map, and the index entries that are derived from its key and value.
pub trait RowEntries {
    /// The error type of listing entries and of the engine.
    type Error: From<Error> + From<StoreError>;

    /// Returns the location of the map.
    fn location(&self) -> Location;

    /// Returns the encoded key of the row.
    fn key(&self) -> &[u8];

    /// Whether the map has an index.
    fn has_indexes(&self) -> bool;

    /// Whether an index takes a field from the value. A write then reads the old value first.
    fn reads_value(&self) -> bool;

    /// Whether an existing entry stays unchanged, even if it has an older form.
    fn keeps_entries(&self) -> bool {
        false
    }

    /// Lists the entries of the row with this value, index by index in a fixed order. Without a
    /// value, the indexes that take a field from the value are skipped.
    ///
    /// # Errors
    /// If a field of an entry cannot be read or encoded.
    fn list_entries(
        &self,
        value: Option<&[u8]>,
        entries: &mut EntryList,
    ) -> Result<(), Self::Error>;
}

/// Puts a row and its entries.
///
/// # Errors
/// [`ErrorKind::NotUnique`] if another row has the same entry in a unique index; see [`ErrorKind`].
/// After an error, nothing has changed.
pub fn put<R: RowEntries>(tx: &mut Tx<'_>, row: &R, value: &[u8]) -> Result<(), R::Error> {
    with_old_value(tx, row, |tx, old| put_over(tx, row, old, value))
}

/// Puts a row and its entries. `old` is the value of the existing row, if the caller has read it.
/// With `old`, unchanged entries are not written again.
pub(crate) fn put_over<R: RowEntries>(
    tx: &mut Tx<'_>,
    row: &R,
    old: Option<&[u8]>,
    value: &[u8],
) -> Result<(), R::Error> {
    if !row.has_indexes() {
        return Ok(row.location().put(tx, row.key(), value)?);
    }
    EntryList::with(|after| {
        row.list_entries(Some(value), after)?;
        EntryList::with(|before| {
            if old.is_some() {
                row.list_entries(old, before)?;
            }
            write(tx, row, Some(value), before, after)
        })
    })
}

/// Deletes a row and its entries. The row need not exist.
///
/// # Errors
/// See [`ErrorKind`]. After an error, nothing has changed.
pub fn delete<R: RowEntries>(tx: &mut Tx<'_>, row: &R) -> Result<(), R::Error> {
    with_old_value(tx, row, |tx, old| delete_old(tx, row, old))
}

/// Deletes a row and its entries. `old` is the value of the row, if the row exists and an index
/// needs the value.
pub(crate) fn delete_old<R: RowEntries>(
    tx: &mut Tx<'_>,
    row: &R,
    old: Option<&[u8]>,
) -> Result<(), R::Error> {
    if !row.has_indexes() {
        return Ok(row.location().delete(tx, row.key())?);
    }
    EntryList::with(|before| {
        row.list_entries(old, before)?;
        write(tx, row, None, before, &EntryList::default())
    })
}

/// Passes the old value to `run` if an index needs it and the row exists.
fn with_old_value<R: RowEntries, T>(
    tx: &mut Tx<'_>,
    row: &R,
    run: impl FnOnce(&mut Tx<'_>, Option<&[u8]>) -> Result<T, R::Error>,
) -> Result<T, R::Error> {
    if !row.reads_value() {
        return run(tx, None);
    }
    access::with_buffer(|old| {
        let exists = row.location().copy(tx, row.key(), old)?;
        run(tx, exists.then_some(&**old))
    })
}

/// Writes or deletes a row, and replaces the entries `before` by the entries `after`.
fn write<R: RowEntries>(
    tx: &mut Tx<'_>,
    row: &R,
    value: Option<&[u8]>,
    before: &EntryList,
    after: &EntryList,
) -> Result<(), R::Error> {
    if let Some((index, key)) = after.find_taken(tx)? {
        return Err(index.not_unique(key).into());
    }
    let location = row.location();
    tx.attempt(|tx| {
        match value {
            Some(value) => location.put(tx, row.key(), value)?,
            None => location.delete(tx, row.key())?,
        }
        before.replace_by(after, row.keeps_entries(), tx)?;
        Ok(())
    })
}
