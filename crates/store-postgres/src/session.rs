//! A session that reads one state of the database.

use crate::{
    commit::key_chunks,
    cursor::{LARGEST_PAGE, Table},
    database::Postgres,
    error::Fault,
    link::Sql,
    pool::Lease,
};
use keyscape_store::{
    Commit, Cursor, KeyRange, Mode, Revision, Session, StoreError, StoreErrorKind, StoreId,
    WritePass,
};
use keyscape_store_remote::PagedCursor;
use std::{
    cell::Cell,
    time::{Duration, Instant},
};
use tokio_postgres::{
    Row as PgRow,
    types::{FromSql, ToSql},
};

/// The maximum number of connections that a session tries if the server has closed idle ones.
const MAX_TRIES: u32 = 3;
const SHORTEST_TRY: Duration = Duration::from_millis(100);

/// A transaction on the server. Writes are sent at the commit.
pub(crate) struct PgSession<'db> {
    pub(crate) database: &'db Postgres,
    pub(crate) lease: Lease<'db>,
    pub(crate) mode: Mode,
    revision: Revision,
    /// Whether the transaction has ended on the server.
    pub(crate) has_ended: Cell<bool>,
    /// Present in [`Mode::Write`]. Other threads of this process wait here, not on the server.
    _pass: Option<WritePass<'db>>,
}

impl<'db> PgSession<'db> {
    pub(crate) fn begin(database: &'db Postgres, mode: Mode) -> Result<Self, StoreError> {
        if mode != Mode::Read && database.is_read_only {
            return Err(StoreErrorKind::ReadOnly.into());
        }
        let _pass = if mode == Mode::Write { Some(database.gate.enter()?) } else { None };
        let options = &database.pool.options;
        let (begin, time) =
            (Instant::now(), options.patience().saturating_add(options.connect_timeout));
        let mut tries = MAX_TRIES;
        loop {
            let lease = database.pool.lease()?;
            let left = time.saturating_sub(begin.elapsed()).max(SHORTEST_TRY);
            match begin_on(&lease, database, mode, left.min(lease.patience())) {
                Ok(revision) => {
                    let has_ended = Cell::new(false);
                    return Ok(PgSession { database, lease, mode, revision, has_ended, _pass });
                }
                Err(fault) if fault.is_lost() && tries > 0 && begin.elapsed() < time => {
                    // The server has probably closed the other free connections as well.
                    database.pool.discard_free();
                    tries -= 1;
                }
                Err(fault) => {
                    lease.give_up();
                    return Err(match mode {
                        Mode::Write => fault.into_waiting_error(),
                        _ => fault.into_error(),
                    });
                }
            }
        }
    }

    pub(crate) fn query(
        &self,
        slot: usize,
        sql: Sql,
        params: &[&(dyn ToSql + Sync)],
    ) -> Result<Vec<PgRow>, StoreError> {
        if !self.database.has_table(&self.lease, slot).map_err(Fault::into_error)? {
            return Ok(Vec::new());
        }
        let link = &*self.lease;
        let rows = link
            .statement(slot, sql, self.database.table(slot))
            .and_then(|statement| link.run(link.client.query(&statement, params)));
        rows.map_err(Fault::into_error)
    }
}

/// Begins the transaction, and takes its snapshot.
pub(crate) fn begin_on(
    lease: &Lease<'_>,
    database: &Postgres,
    mode: Mode,
    patience: Duration,
) -> Result<Revision, Fault> {
    let server = lease.server;
    let (isolation, first) = match mode {
        Mode::Read => ("repeatable read read only", String::new()),
        Mode::Optimistic => ("serializable", String::new()),
        Mode::Write => ("serializable", server.exclude_writers(&database.commits)),
    };
    lease.state(patience, &format!("begin isolation level {isolation}; {first}"))
}

impl Session for PgSession<'_> {
    fn revision(&self) -> Revision {
        self.revision
    }

    fn read(
        &self,
        store: StoreId,
        key: &[u8],
        found: &mut dyn FnMut(&[u8]),
    ) -> Result<bool, StoreError> {
        let rows = self.query(self.database.spaces.try_slot(store)?, Sql::Get, &[&key])?;
        let Some(row) = rows.first() else { return Ok(false) };
        found(bytes(row, 0)?);
        Ok(true)
    }

    fn read_many(
        &self,
        store: StoreId,
        keys: &[&[u8]],
        found: &mut dyn FnMut(usize, &[u8]),
    ) -> Result<(), StoreError> {
        let slot = self.database.spaces.try_slot(store)?;
        let mut requested: Vec<(&[u8], usize)> =
            keys.iter().enumerate().map(|(place, key)| (*key, place)).collect();
        requested.sort_unstable();
        let mut distinct: Vec<&[u8]> = requested.iter().map(|(key, _)| *key).collect();
        distinct.dedup();
        let mut report = |key: &[u8], value: &[u8]| {
            let first = requested.partition_point(|(requested, _)| *requested < key);
            let places = requested[first..].iter().take_while(|(requested, _)| *requested == key);
            places.for_each(|(_, place)| found(*place, value));
        };
        let mut large: Vec<(Vec<u8>, i64)> = Vec::new();
        for chunk in key_chunks(&distinct) {
            let longest = LARGEST_PAGE / i64::try_from(chunk.len()).unwrap_or(i64::MAX).max(1);
            for row in self.query(slot, Sql::GetMany, &[&chunk, &longest])? {
                match short_value(&row)? {
                    Some(value) => report(bytes(&row, 0)?, value),
                    None => large.push((bytes(&row, 0)?.to_vec(), column(&row, 2)?)),
                }
            }
        }
        // Fetch large values in further queries of bounded size.
        while !large.is_empty() {
            let mut size = 0_i64;
            let fits = |(_, length): &&(Vec<u8>, i64)| {
                size = size.saturating_add(*length);
                size <= LARGEST_PAGE
            };
            let count = large.iter().take_while(fits).count().max(1);
            let keys: Vec<Vec<u8>> = large.drain(..count).map(|(key, _)| key).collect();
            for row in self.query(slot, Sql::GetMany, &[&keys, &i64::MAX])? {
                report(bytes(&row, 0)?, bytes(&row, 1)?);
            }
        }
        Ok(())
    }

    fn cursor(
        &self,
        store: StoreId,
        range: KeyRange<'_>,
    ) -> Result<Box<dyn Cursor + '_>, StoreError> {
        let slot = self.database.spaces.try_slot(store)?;
        Ok(Box::new(PagedCursor::new(Table { session: self, slot }, &range)))
    }

    fn commit(self: Box<Self>, commit: Commit) -> Result<Revision, StoreError> {
        if self.mode == Mode::Read {
            return Err(StoreErrorKind::ReadOnly.into());
        }
        if self.mode == Mode::Optimistic {
            // A thread that holds the write lock would wait for itself.
            self.database.gate.check()?;
        }
        self.write(&commit)
    }

    fn finish(self: Box<Self>) -> Result<Revision, StoreError> {
        if self.mode == Mode::Optimistic {
            self.lease.ask("commit").map_err(Fault::into_error)?;
            self.has_ended.set(true);
        }
        Ok(self.revision)
    }
}

/// Returns a column of a row. Opening the database has checked the type of each column.
fn column<'r, T: FromSql<'r>>(row: &'r PgRow, column: usize) -> Result<T, StoreError> {
    row.try_get(column).map_err(|error| {
        StoreError::new(StoreErrorKind::Corrupt { what: "a column is not of type `bytea`" })
            .because(error)
    })
}

pub(crate) fn bytes(row: &PgRow, place: usize) -> Result<&[u8], StoreError> {
    column(row, place)
}

/// Returns the value of a row in a list, or `None` if the value is too long for the list.
pub(crate) fn short_value(row: &PgRow) -> Result<Option<&[u8]>, StoreError> {
    column(row, 1)
}

impl Drop for PgSession<'_> {
    fn drop(&mut self) {
        if !self.has_ended.get() && self.lease.is_usable() && self.lease.ask("rollback").is_err() {
            self.lease.give_up();
        }
    }
}
