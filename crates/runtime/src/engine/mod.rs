//! Rows, index entries and structures as bytes.
//!
//! The engine decides what a write changes besides the row itself: entries of indexes, the owners
//! of unique entries, counts, ranks, and the state of queues. The typed handles of this crate and
//! the database commands of the program write through the same functions. The engine needs no
//! generated code and no layout: the caller encodes keys, values, members and scores.
//!
//! Every function that writes more than one row is an attempt: after an error nothing has changed.

mod entries;
mod queue;
mod ranks;
mod report;
mod rows;
mod set;
mod structure;
mod zset;

pub use entries::EntryList;
pub use queue::{ClaimBytes, QueueRecords};
pub use report::{StructureFault, StructureFaultKind, StructureReport};
pub use rows::{RowEntries, delete, put};
pub use set::SetRecords;
pub use structure::StructureRecords;
pub use zset::ZsetRecords;

pub(crate) use rows::{delete_old, put_over};
pub(crate) use structure::{Edge, Span};

use crate::{DomainError, EntryError, Error, ErrorKind, Keyspace, access};
use keyscape_store::{
    Db, KeyRange, Read, ReadExt, Row, Rows, StoreError, StoreId, Subscription, Tx,
};
use std::{borrow::Cow, ops::ControlFlow};

/// A keyspace as the engine sees it: its name, and the space that holds its rows. Reads and writes
/// rows, and adds the keyspace to errors.
#[derive(Clone, Debug)]
pub struct Location {
    keyspace: Cow<'static, str>,
    space: Cow<'static, str>,
    store: StoreId,
}

impl Location {
    /// Returns the location of a keyspace in the space with this name.
    #[must_use]
    pub fn new(
        keyspace: impl Into<Cow<'static, str>>,
        space: impl Into<Cow<'static, str>>,
    ) -> Self {
        let space = space.into();
        Self { keyspace: keyspace.into(), store: StoreId::of(&space), space }
    }

    pub(crate) const fn of<K: Keyspace>() -> Self {
        let store = const { StoreId::of(K::SPACE) };
        Self { keyspace: Cow::Borrowed(K::NAME), space: Cow::Borrowed(K::SPACE), store }
    }

    /// Passes the borrowed value of a row to `read`, and returns its result.
    #[inline]
    pub(crate) fn get_with<T>(
        &self,
        state: &(impl Read + ?Sized),
        key: &[u8],
        read: impl FnOnce(&[u8]) -> T,
    ) -> Result<Option<T>, Error> {
        state.get_with(self.store, key, read).map_err(|error| self.failed(error))
    }

    /// Appends the value of a row to `out`. Returns whether the row exists.
    pub(crate) fn copy(
        &self,
        state: &(impl Read + ?Sized),
        key: &[u8],
        out: &mut Vec<u8>,
    ) -> Result<bool, Error> {
        let found = self.get_with(state, key, |value| out.extend_from_slice(value))?;
        Ok(found.is_some())
    }

    /// Passes the values of existing rows to `read`, as [`Read::read_many`].
    pub(crate) fn read_many(
        &self,
        state: &(impl Read + ?Sized),
        keys: &[&[u8]],
        read: &mut dyn FnMut(usize, &[u8]),
    ) -> Result<(), Error> {
        state.read_many(self.store, keys, read).map_err(|error| self.failed(error))
    }

    pub(crate) fn contains(&self, state: &(impl Read + ?Sized), key: &[u8]) -> Result<bool, Error> {
        state.contains(self.store, key).map_err(|error| self.failed(error))
    }

    pub(crate) fn put(&self, tx: &mut Tx<'_>, key: &[u8], value: &[u8]) -> Result<(), Error> {
        tx.put(self.store, key, value).map_err(|error| self.failed(error))
    }

    pub(crate) fn delete(&self, tx: &mut Tx<'_>, key: &[u8]) -> Result<(), Error> {
        tx.delete(self.store, key).map_err(|error| self.failed(error))
    }

    /// Deletes the rows of a range whose keys are selected. Returns their number.
    pub(crate) fn delete_selected(
        &self,
        tx: &mut Tx<'_>,
        range: KeyRange<'_>,
        is_selected: impl Fn(&[u8]) -> bool,
    ) -> Result<u64, Error> {
        let deleted = tx.delete_selected(self.store, range, is_selected);
        deleted.map_err(|error| self.failed(error))
    }

    pub(crate) fn rows<'t>(
        &self,
        state: &'t (impl Read + ?Sized),
        range: KeyRange<'_>,
    ) -> Result<LocatedRows<'t>, Error> {
        let rows = state.rows(self.store, range).map_err(|error| self.failed(error))?;
        Ok(LocatedRows { rows, location: self.clone() })
    }

    /// Subscribes to the commits that change rows in a range.
    pub(crate) fn watch(&self, db: &Db, range: KeyRange<'_>) -> Result<Subscription, Error> {
        db.watch([(self.store, range)]).map_err(|error| self.failed(error))
    }

    /// Passes copies of rows to `visit`, which may write, and continues after each.
    pub(crate) fn walk<E: From<Error>>(
        &self,
        tx: &mut Tx<'_>,
        range: KeyRange<'_>,
        mut visit: impl FnMut(&mut Tx<'_>, Row<'_>) -> Result<ControlFlow<()>, E>,
    ) -> Result<(), E> {
        // An error of `visit` ends the walk, and has its own type.
        let mut failed = None;
        let walked = tx.walk(self.store, range, |tx, row| match visit(tx, row) {
            Ok(flow) => Ok::<_, StoreError>(flow),
            Err(error) => {
                failed = Some(error);
                Ok(ControlFlow::Break(()))
            }
        });
        match failed {
            Some(error) => Err(error),
            None => walked.map_err(|error| self.failed(error).into()),
        }
    }

    /// Adds the keyspace to an error of the store.
    #[cold]
    pub(crate) fn failed(&self, error: StoreError) -> Error {
        error.in_store(self.space.clone()).in_keyspace(self.keyspace.clone()).into()
    }

    /// Returns the error for a row that cannot be decoded.
    #[cold]
    pub(crate) fn corrupt(&self, key: &[u8], source: impl Into<EntryError>) -> Error {
        let (keyspace, key) = (self.keyspace.clone(), key.into());
        match source.into() {
            EntryError::Field(source) => ErrorKind::CorruptKey { keyspace, key, source }.into(),
            EntryError::Value(source) => ErrorKind::CorruptValue { keyspace, key, source }.into(),
        }
    }

    /// Returns the error for a value that cannot be encoded.
    #[cold]
    pub(crate) fn unencodable(&self, key: &[u8], source: DomainError) -> Error {
        let (keyspace, key) = (self.keyspace.clone(), key.into());
        ErrorKind::Unencodable { keyspace, key, source }.into()
    }

    /// Returns the error for rows that contradict each other.
    #[cold]
    pub(crate) fn inconsistent(&self, key: &[u8], what: &'static str) -> Error {
        let (keyspace, key) = (self.keyspace.clone(), key.into());
        ErrorKind::Inconsistent { keyspace, what, key }.into()
    }

    /// Returns the error for an entry of a unique index that belongs to another row.
    #[cold]
    pub(crate) fn not_unique(&self, key: &[u8]) -> Error {
        ErrorKind::NotUnique { index: self.keyspace.clone(), key: key.into() }.into()
    }
}

/// Rows of a keyspace, whose errors name it.
#[derive(Debug)]
pub(crate) struct LocatedRows<'t> {
    rows: Rows<'t>,
    location: Location,
}

impl LocatedRows<'_> {
    #[inline]
    pub(crate) fn next(&mut self) -> Result<Option<Row<'_>>, Error> {
        self.rows.next().map_err(|error| self.location.failed(error))
    }

    /// Returns the row that [`next`](Self::next) returned last.
    pub(crate) fn row(&self) -> Option<Row<'_>> {
        self.rows.row()
    }

    /// Counts the remaining rows.
    pub(crate) fn count(mut self) -> Result<u64, Error> {
        access::count_steps(|| Ok(self.next()?.is_some()))
    }
}
