//! Writes rows of maps together with the entries of their indexes.

use super::Location;
use crate::{Error, ErrorKind, access};
use keyscape_store::{Read, ReadExt, StoreError, Tx};
use std::cell::Cell;

/// A row of a map, and the entries that follow from its key and value.
pub trait RowEntries {
    /// The error of listing entries, and of the engine.
    type Error: From<Error> + From<StoreError>;

    /// The map.
    fn location(&self) -> Location;

    /// The key of the row.
    fn key(&self) -> &[u8];

    /// Whether the map has an index.
    fn has_indexes(&self) -> bool;

    /// Whether an index takes a field from the value. Then a write reads the old value first.
    fn reads_value(&self) -> bool;

    /// Whether an entry that already exists is left as it is, perhaps in an older form.
    fn keeps_entries(&self) -> bool {
        false
    }

    /// Lists the entries of the row with this value, one for each index in the same order. Without
    /// a value, the entries of indexes that take a field from the value are skipped.
    ///
    /// # Errors
    /// If a field of an entry cannot be read or encoded.
    fn list_entries(
        &self,
        value: Option<&[u8]>,
        entries: &mut EntryList,
    ) -> Result<(), Self::Error>;
}

/// The entries of one row in the indexes of its map.
#[derive(Debug, Default)]
pub struct EntryList {
    bytes: Vec<u8>,
    entries: Vec<Option<ListedEntry>>,
}

/// The bytes from `start` to `key_end` are the key, those up to `value_end` the value.
#[derive(Debug)]
struct ListedEntry {
    index: Location,
    is_unique: bool,
    start: usize,
    key_end: usize,
    value_end: usize,
}

#[derive(Clone, Copy)]
struct Entry<'a> {
    index: &'a Location,
    is_unique: bool,
    key: &'a [u8],
    value: &'a [u8],
}

impl EntryList {
    /// Adds the entry of an index. `encode_key` appends its key.
    ///
    /// # Errors
    /// Errors of `encode_key`. The list is then unusable.
    pub fn add<E>(
        &mut self,
        index: Location,
        is_unique: bool,
        value: &[u8],
        encode_key: impl FnOnce(&mut Vec<u8>) -> Result<(), E>,
    ) -> Result<(), E> {
        let start = self.bytes.len();
        encode_key(&mut self.bytes)?;
        let key_end = self.bytes.len();
        self.bytes.extend_from_slice(value);
        let value_end = self.bytes.len();
        self.entries.push(Some(ListedEntry { index, is_unique, start, key_end, value_end }));
        Ok(())
    }

    /// Leaves out the entry of an index. Entries before and after a write are compared by position.
    pub fn skip(&mut self) {
        self.entries.push(None);
    }

    fn get(&self, at: usize) -> Option<Entry<'_>> {
        let entry = self.entries.get(at)?.as_ref()?;
        let ListedEntry { index, is_unique, start, key_end, value_end } = entry;
        Some(Entry {
            index,
            is_unique: *is_unique,
            key: self.bytes.get(*start..*key_end)?,
            value: self.bytes.get(*key_end..*value_end)?,
        })
    }

    fn iter(&self) -> impl Iterator<Item = Entry<'_>> {
        (0..self.entries.len()).filter_map(|at| self.get(at))
    }

    /// Lends an empty list.
    fn with<T>(run: impl FnOnce(&mut Self) -> T) -> T {
        thread_local! {
            static IDLE: Cell<Vec<EntryList>> = const { Cell::new(Vec::new()) };
        }
        access::lend(&IDLE, run, |list| {
            list.bytes.clear();
            list.entries.clear();
            list.bytes.capacity() <= access::MAX_IDLE_CAPACITY
        })
    }
}

/// Puts a row and its entries.
///
/// # Errors
/// [`ErrorKind::NotUnique`] if a unique index has an entry of another row under the same key; see
/// [`ErrorKind`]. Then nothing has changed.
pub fn put<R: RowEntries>(tx: &mut Tx<'_>, row: &R, value: &[u8]) -> Result<(), R::Error> {
    with_old_value(tx, row, |tx, old| put_over(tx, row, old, value))
}

/// Puts a row over its old value, if that is known. Entries that stay the same are not written
/// again.
pub(crate) fn put_over<R: RowEntries>(
    tx: &mut Tx<'_>,
    row: &R,
    old: Option<&[u8]>,
    value: &[u8],
) -> Result<(), R::Error> {
    if !row.has_indexes() {
        let location = row.location();
        let put = tx.put(location.store, row.key(), value);
        return put.map_err(|error| location.failed(error).into());
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
/// See [`ErrorKind`]. Then nothing has changed.
pub fn delete<R: RowEntries>(tx: &mut Tx<'_>, row: &R) -> Result<(), R::Error> {
    with_old_value(tx, row, |tx, old| delete_old(tx, row, old))
}

/// Deletes a row whose value is given if it exists and an index needs the value.
pub(crate) fn delete_old<R: RowEntries>(
    tx: &mut Tx<'_>,
    row: &R,
    old: Option<&[u8]>,
) -> Result<(), R::Error> {
    if !row.has_indexes() {
        let location = row.location();
        let deleted = tx.delete(location.store, row.key());
        return deleted.map_err(|error| location.failed(error).into());
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
        let location = row.location();
        let exists = tx
            .read(location.store, row.key(), &mut |value| old.extend_from_slice(value))
            .map_err(|error| location.failed(error))?;
        run(tx, exists.then_some(&**old))
    })
}

/// Writes or deletes a row, and replaces the entries `before` by those `after`.
fn write<R: RowEntries>(
    tx: &mut Tx<'_>,
    row: &R,
    value: Option<&[u8]>,
    before: &EntryList,
    after: &EntryList,
) -> Result<(), R::Error> {
    for entry in after.iter().filter(|entry| entry.is_unique) {
        if entry.is_owned(tx)? == Some(false) {
            let index = entry.index.keyspace.clone();
            return Err(Error::from(ErrorKind::NotUnique { index, key: entry.key.into() }).into());
        }
    }
    let location = row.location();
    tx.attempt(|tx| {
        match value {
            Some(value) => tx.put(location.store, row.key(), value),
            None => tx.delete(location.store, row.key()),
        }
        .map_err(|error| location.failed(error))?;
        for at in 0..before.entries.len().max(after.entries.len()) {
            let (old, new) = (before.get(at), after.get(at));
            if old.zip(new).is_some_and(|(old, new)| old.key == new.key) {
                continue;
            }
            if let Some(old) = old {
                old.delete(tx)?;
            }
            if let Some(new) = new {
                new.put(tx, row.keeps_entries())?;
            }
        }
        Ok(())
    })
}

impl Entry<'_> {
    /// Whether the stored entry of a unique index belongs to the row; `None` if there is no entry.
    fn is_owned(&self, tx: &Tx<'_>) -> Result<Option<bool>, Error> {
        tx.get_with(self.index.store, self.key, |stored| stored == self.value)
            .map_err(|error| self.index.failed(error))
    }

    fn put(&self, tx: &mut Tx<'_>, keeps_existing: bool) -> Result<(), Error> {
        let failed = |error| self.index.failed(error);
        if keeps_existing && tx.contains(self.index.store, self.key).map_err(failed)? {
            return Ok(());
        }
        tx.put(self.index.store, self.key, self.value).map_err(failed)
    }

    /// Deletes the entry. Under the key of a unique index there may be the entry of another row,
    /// which stays.
    fn delete(&self, tx: &mut Tx<'_>) -> Result<(), Error> {
        if self.is_unique && self.is_owned(tx)? != Some(true) {
            return Ok(());
        }
        tx.delete(self.index.store, self.key).map_err(|error| self.index.failed(error))
    }
}
