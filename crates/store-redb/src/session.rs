//! Reading one state of a redb file.

use crate::{
    database::{Redb, Table},
    error::{catch, store_error},
    revision,
};
use keyscape_store::{
    Commit, Cursor, Direction, KeyRange, Mode, Revision, Row, Session, StoreError, StoreErrorKind,
    StoreId, Watch, WritePass,
};
use redb::{AccessGuard, ReadOnlyTable, ReadTransaction, ReadableTable, TableError};
use std::{cell::OnceCell, ops::Bound};

type Bytes = &'static [u8];
type OpenTable = ReadOnlyTable<Bytes, Bytes>;

/// A read transaction of redb. What is written stays with the transaction above until it commits,
/// so that this is all a session needs in every mode.
pub(crate) struct RedbSession<'db> {
    database: &'db Redb,
    transaction: ReadTransaction,
    revision: Revision,
    /// By slot, opened when needed; `None` if the file has no such table yet.
    tables: Vec<OnceCell<Option<OpenTable>>>,
    /// There in [`Mode::Write`].
    pass: Option<WritePass<'db>>,
    /// There in [`Mode::Optimistic`].
    watch: Option<Watch<'db>>,
}

impl<'db> RedbSession<'db> {
    pub(crate) fn begin(database: &'db Redb, mode: Mode) -> Result<Self, StoreError> {
        if mode != Mode::Read && database.is_read_only() {
            return Err(StoreErrorKind::ReadOnly.into());
        }
        let pass = if mode == Mode::Write { Some(database.gate.enter()?) } else { None };
        let watch = (mode == Mode::Optimistic).then(|| database.log.watch());
        let (transaction, revision) = revision::begin_read(database)?;
        let tables = (0..database.spaces.len()).map(|_| OnceCell::new()).collect();
        Ok(RedbSession { database, transaction, revision, tables, pass, watch })
    }

    fn table(&self, store: StoreId) -> Result<Option<&OpenTable>, StoreError> {
        let slot = self.database.slot(store)?;
        let cell = &self.tables[slot];
        if let Some(table) = cell.get() {
            return Ok(table.as_ref());
        }
        let name = self.database.spaces.name(store).unwrap_or_default();
        let table = catch(|| match self.transaction.open_table(Table::new(name)) {
            Ok(table) => Ok(Some(table)),
            Err(TableError::TableDoesNotExist(_)) => Ok(None),
            Err(error) => Err(store_error(error)),
        })
        .map_err(|error| error.in_store(name.to_owned()))?;
        Ok(cell.get_or_init(|| table).as_ref())
    }
}

impl Session for RedbSession<'_> {
    fn revision(&self) -> Revision {
        self.revision
    }

    fn read(
        &self,
        store: StoreId,
        key: &[u8],
        found: &mut dyn FnMut(&[u8]),
    ) -> Result<bool, StoreError> {
        let Some(table) = self.table(store)? else { return Ok(false) };
        let value = catch(|| table.get(key).map_err(store_error))?;
        let Some(value) = value else { return Ok(false) };
        found(catch(|| Ok(value.value()))?);
        Ok(true)
    }

    fn cursor(
        &self,
        store: StoreId,
        range: KeyRange<'_>,
    ) -> Result<Box<dyn Cursor + '_>, StoreError> {
        let Some(table) = self.table(store)?.filter(|_| !range.is_empty()) else {
            return Ok(Box::new(NoRows));
        };
        let direction = range.direction();
        let stop = match direction {
            Direction::Forward => range.end(),
            Direction::Backward => range.start(),
        };
        let cursor = catch(|| {
            match direction {
                Direction::Forward => table.lower_bound(range.start()),
                Direction::Backward => table.upper_bound(range.end()),
            }
            .map_err(store_error)
        })?;
        Ok(Box::new(RedbCursor {
            cursor,
            direction,
            stop: stop.map(Into::into),
            row: None,
            ended: false,
        }))
    }

    fn commit(self: Box<Self>, commit: Commit) -> Result<Revision, StoreError> {
        let RedbSession { database, transaction, revision, tables, pass, watch } = *self;
        // redb keeps the pages of this state as long as it is read.
        drop((tables, transaction));
        match (pass, watch) {
            (Some(pass), _) => database.commit_alone(pass, &commit),
            (None, Some(watch)) => database.commit_beside_others(watch, revision, commit),
            (None, None) => Err(StoreErrorKind::ReadOnly.into()),
        }
    }
}

type Guards<'a> = (AccessGuard<'a, Bytes>, AccessGuard<'a, Bytes>);

struct RedbCursor<'a> {
    cursor: redb::Cursor<'a, Bytes, Bytes>,
    direction: Direction,
    /// Where the rows end, in their direction.
    stop: Bound<Box<[u8]>>,
    row: Option<Guards<'a>>,
    ended: bool,
}

impl RedbCursor<'_> {
    fn is_beyond(&self, key: &[u8]) -> bool {
        match (&self.stop, self.direction) {
            (Bound::Unbounded, _) => false,
            (Bound::Included(stop), Direction::Forward) => key > &**stop,
            (Bound::Excluded(stop), Direction::Forward) => key >= &**stop,
            (Bound::Included(stop), Direction::Backward) => key < &**stop,
            (Bound::Excluded(stop), Direction::Backward) => key <= &**stop,
        }
    }
}

impl Cursor for RedbCursor<'_> {
    fn next(&mut self) -> Result<Option<Row<'_>>, StoreError> {
        if self.ended {
            return Ok(None);
        }
        self.row = catch(|| {
            let next = match self.direction {
                Direction::Forward => self.cursor.next(),
                Direction::Backward => self.cursor.prev(),
            };
            // Where they lie in the page is looked up here, so that `row` can rely on it.
            let row = next.map_err(store_error)?.map(|row| (row.1.value().len(), row).1);
            Ok(row.filter(|(key, _)| !self.is_beyond(key.value())))
        })?;
        self.ended = self.row.is_none();
        Ok(self.row())
    }

    fn row(&self) -> Option<Row<'_>> {
        self.row.as_ref().map(|(key, value)| Row { key: key.value(), value: value.value() })
    }
}

/// The cursor of a range without keys, or of a table that is not there.
struct NoRows;

impl Cursor for NoRows {
    fn next(&mut self) -> Result<Option<Row<'_>>, StoreError> {
        Ok(None)
    }

    fn row(&self) -> Option<Row<'_>> {
        None
    }
}
