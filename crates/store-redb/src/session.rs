//! A session that reads one state of a redb file.

use crate::{
    cursor::{NoRows, RedbCursor, Spare},
    database::{Bytes, Redb, Table},
    error::{catch, store_error},
    key::ByteKey,
    revision,
};
use keyscape_store::{
    Commit, Cursor, KeyRange, LogGuard, Mode, Revision, Session, StoreError, StoreErrorKind,
    StoreId, WritePass,
};
use redb::{AccessGuard, ReadOnlyTable, ReadTransaction, TableError};
use std::cell::OnceCell;

type OpenTable = ReadOnlyTable<ByteKey, Bytes>;

/// A read transaction of redb. `keyscape-store` holds pending writes until the commit, so a session
/// only reads, in every mode.
pub(crate) struct RedbSession<'db> {
    database: &'db Redb,
    transaction: ReadTransaction,
    revision: Revision,
    /// Indexed by slot, opened on demand; `None` if the file has no such table yet.
    tables: Vec<OnceCell<Option<OpenTable>>>,
    /// A reusable buffer for the next cursor.
    spare: Spare,
    /// Present in [`Mode::Write`].
    pass: Option<WritePass<'db>>,
    /// Present in [`Mode::Optimistic`].
    guard: Option<LogGuard<'db>>,
}

impl<'db> RedbSession<'db> {
    pub(crate) fn begin(database: &'db Redb, mode: Mode) -> Result<Self, StoreError> {
        if mode != Mode::Read && database.is_read_only() {
            return Err(StoreErrorKind::ReadOnly.into());
        }
        let pass = if mode == Mode::Write { Some(database.gate.enter()?) } else { None };
        let guard = (mode == Mode::Optimistic).then(|| database.log.hold());
        let (transaction, revision) = revision::begin_read(database)?;
        let tables = (0..database.spaces.len()).map(|_| OnceCell::new()).collect();
        let spare = Spare::default();
        Ok(RedbSession { database, transaction, revision, tables, spare, pass, guard })
    }

    #[inline]
    fn table(&self, store: StoreId) -> Result<Option<&OpenTable>, StoreError> {
        let cell = &self.tables[self.database.spaces.try_slot(store)?];
        match cell.get() {
            Some(table) => Ok(table.as_ref()),
            None => self.open_table(store, cell),
        }
    }

    #[cold]
    fn open_table<'s>(
        &'s self,
        store: StoreId,
        cell: &'s OnceCell<Option<OpenTable>>,
    ) -> Result<Option<&'s OpenTable>, StoreError> {
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
        let mut value = None;
        catch(|| {
            value = table.get(key).map_err(store_error)?;
            // Resolve the position of the value in its page here, because redb may panic.
            value.as_ref().map(AccessGuard::value);
            Ok(())
        })?;
        let Some(value) = value else { return Ok(false) };
        found(value.value());
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
        Ok(RedbCursor::open(table, &range, &self.spare)?)
    }

    fn commit(self: Box<Self>, commit: Commit) -> Result<Revision, StoreError> {
        let RedbSession { database, transaction, revision, tables, pass, guard, .. } = *self;
        // redb keeps the pages of this state while the transaction is open.
        drop((tables, transaction));
        match (pass, guard) {
            (Some(pass), _) => database.commit_alone(pass, &commit),
            (None, Some(guard)) => database.commit_beside_others(guard, revision, commit),
            (None, None) => Err(StoreErrorKind::ReadOnly.into()),
        }
    }
}
