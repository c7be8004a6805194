//! A session that reads one state of the database.

use crate::{
    database::{ROWS_AT_ONCE, Tikv},
    error::Fault,
    exclusive,
    names::plain,
};
use keyscape_store::{
    Commit, Cursor, Direction, KeyRange, Mode, Revision, Row, Session, StoreError, StoreErrorKind,
    StoreId, WritePass,
};
use keyscape_store_remote::{Page, PageEnd, PageSource, PagedCursor, Rest};
use tikv_client::{Timestamp, TimestampExt as _, Transaction};

/// One state of the database. Writes are sent at the commit.
pub(crate) struct TikvSession<'db> {
    pub(crate) database: &'db Tikv,
    pub(crate) mode: Mode,
    pub(crate) at: Timestamp,
    /// The transaction for the commit. `None` in [`Mode::Read`], and after the commit has begun. In
    /// [`Mode::Write`], it holds the locks that other writers wait for.
    pub(crate) tx: Option<Transaction>,
    /// Present in [`Mode::Write`]. Other threads of this process wait here, not in the cluster.
    _pass: Option<WritePass<'db>>,
}

impl<'db> TikvSession<'db> {
    pub(crate) fn begin(database: &'db Tikv, mode: Mode) -> Result<Self, StoreError> {
        if mode != Mode::Read && database.is_read_only {
            return Err(StoreErrorKind::ReadOnly.into());
        }
        let _pass = if mode == Mode::Write { Some(database.gate.enter()?) } else { None };
        let (tx, at) = match mode {
            Mode::Read => (None, database.cluster.now().map_err(Fault::into_error)?),
            Mode::Optimistic => {
                let tx = database.cluster.begin().map_err(Fault::into_error)?;
                let at = tx.start_timestamp();
                (Some(tx), at)
            }
            Mode::Write => {
                let tx = exclusive::begin(database)?;
                // Read the state after the last commit of earlier lock holders.
                match database.cluster.now() {
                    Ok(at) => (Some(tx), at),
                    Err(fault) => {
                        database.roll_back(tx);
                        return Err(fault.into_error());
                    }
                }
            }
        };
        Ok(TikvSession { database, mode, at, tx, _pass })
    }
}

/// The rows of one space in one state.
pub(crate) struct StoreRows<'s> {
    pub(crate) database: &'s Tikv,
    pub(crate) space: &'s str,
    pub(crate) at: &'s Timestamp,
}

impl PageSource for StoreRows<'_> {
    type Row = (Vec<u8>, Vec<u8>, usize);
    const LONGEST_PAGE: u32 = ROWS_AT_ONCE;

    fn page(&self, rest: &Rest, rows: u32) -> Result<Page<Self::Row>, StoreError> {
        let names = &self.database.names;
        let (range, prefix) = (names.rows(self.space, rest), names.row_prefix(self.space));
        if range.0 >= range.1 {
            return Ok(Page { rows: Vec::new(), end: PageEnd::Last });
        }
        let is_backward = rest.direction == Direction::Backward;
        let found = self.database.scan(self.at, &range, is_backward, rows);
        let found = found.map_err(Fault::into_error)?;
        let row = |(key, value): (tikv_client::Key, Vec<u8>)| (Vec::from(key), value, prefix);
        let end = if found.len() < rows as usize { PageEnd::Last } else { PageEnd::Full };
        Ok(Page { rows: found.into_iter().map(|pair| row(pair.into())).collect(), end })
    }

    fn row((key, value, prefix): &Self::Row) -> Row<'_> {
        Row { key: key.get(*prefix..).unwrap_or_default(), value: plain(value) }
    }
}

impl Session for TikvSession<'_> {
    fn revision(&self) -> Revision {
        Revision(self.at.version())
    }

    fn read(
        &self,
        store: StoreId,
        key: &[u8],
        found: &mut dyn FnMut(&[u8]),
    ) -> Result<bool, StoreError> {
        let key = self.database.names.row(self.database.name(store)?, key);
        let value = self.database.get(&self.at, &key).map_err(Fault::into_error)?;
        let Some(value) = value else { return Ok(false) };
        found(plain(&value));
        Ok(true)
    }

    fn read_many(
        &self,
        store: StoreId,
        keys: &[&[u8]],
        found: &mut dyn FnMut(usize, &[u8]),
    ) -> Result<(), StoreError> {
        let space = self.database.name(store)?;
        let names = &self.database.names;
        let mut requested: Vec<(Vec<u8>, usize)> =
            keys.iter().enumerate().map(|(place, key)| (names.row(space, key), place)).collect();
        requested.sort_unstable();
        let mut distinct: Vec<Vec<u8>> = requested.iter().map(|(key, _)| key.clone()).collect();
        distinct.dedup();
        let pairs = self.database.get_many(&self.at, &distinct);
        for pair in pairs.map_err(Fault::into_error)? {
            let key: &[u8] = pair.key().into();
            let first = requested.partition_point(|(requested, _)| requested.as_slice() < key);
            let places = requested[first..].iter().take_while(|(requested, _)| requested == key);
            places.for_each(|(_, place)| found(*place, plain(pair.value())));
        }
        Ok(())
    }

    fn cursor(
        &self,
        store: StoreId,
        range: KeyRange<'_>,
    ) -> Result<Box<dyn Cursor + '_>, StoreError> {
        let (database, space) = (self.database, self.database.name(store)?);
        Ok(Box::new(PagedCursor::new(StoreRows { database, space, at: &self.at }, &range)))
    }

    fn commit(mut self: Box<Self>, commit: Commit) -> Result<Revision, StoreError> {
        for store in commit.changes.stores() {
            self.database.name(store.id())?;
        }
        let Some(tx) = self.tx.take() else { return Err(StoreErrorKind::ReadOnly.into()) };
        if self.mode == Mode::Write {
            return exclusive::write(self.database, tx, &commit);
        }
        // A thread that holds the write lock would wait for itself.
        self.database.gate.check()?;
        self.write(tx, &commit)
    }
}

impl Drop for TikvSession<'_> {
    fn drop(&mut self) {
        if let Some(tx) = self.tx.take().filter(|_| self.mode == Mode::Write) {
            self.database.roll_back(tx);
        }
    }
}
