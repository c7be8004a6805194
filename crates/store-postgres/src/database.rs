//! An open schema as a database.

use crate::{
    ENGINE, Options,
    address::Address,
    error::{Fault, advice},
    link::Link,
    pool::Pool,
    session::PgSession,
};
use keyscape_store::{Database, Limits, Mode, Session, Spaces, StoreError, WriteGate};
use keyscape_store_remote::check_spaces;
use std::{
    fmt,
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
    },
};

/// The engine's own table. It contains one row for each commit whose answer may be lost.
const COMMITS: &str = "keyscape:commits";
const CREATE_ATTEMPTS: u32 = 8;
const SYNC_ATTEMPTS: u32 = 3;

/// A database in a schema of PostgreSQL or CockroachDB; each space is a table of its name.
///
/// [`Options`] creates it; [`Db::new`](keyscape_store::Db::new) takes it.
pub struct Postgres {
    pub(crate) pool: Pool,
    pub(crate) spaces: Arc<Spaces>,
    pub(crate) limits: Limits,
    pub(crate) is_read_only: bool,
    pub(crate) gate: WriteGate,
    /// The quoted name of the engine's own table.
    pub(crate) commits: String,
    /// The quoted name of each table by slot, and whether the table is known to exist.
    tables: Vec<(String, AtomicBool)>,
}

impl Options {
    /// Whether the schema of the address contains a database.
    ///
    /// # Errors
    /// If the server cannot be reached.
    pub fn exists(&self, address: &str) -> Result<bool, StoreError> {
        let database = Postgres::connect_without_spaces(address, self)?;
        let lease = database.pool.lease()?;
        database.exists(&lease).map_err(Fault::into_error)
    }

    /// Creates the schema of the address with its tables, in one transaction.
    ///
    /// # Errors
    /// If the schema already contains a database, and errors of the server.
    pub fn create(&self, address: &str, spaces: Spaces) -> Result<Postgres, StoreError> {
        let database = Postgres::connect(address, spaces, self, false)?;
        let lease = database.pool.lease()?;
        let (schema, commits) = (&database.pool.address.schema, &database.commits);
        let exists = || {
            advice(
                format!("the schema `{schema}` already contains a Keyscape database"),
                "open it, or choose another schema with `?schema=NAME`",
            )
        };
        if database.exists(&lease).map_err(Fault::into_error)? {
            return Err(exists().into());
        }
        let sql = format!(
            "begin; create schema if not exists \"{schema}\"; \
             create table {commits} (id bytea primary key, fence boolean not null default false, \
             at timestamptz not null default now()); \
             insert into {commits} (id) values ('\\x'); {} commit",
            database.tables_sql()
        );
        lease.ask(&sql).map_err(|fault| {
            lease.give_up();
            // Another client has created the schema in the meantime.
            if fault.is_duplicate() { exists().into() } else { fault.into_error() }
        })?;
        database.mark_tables();
        database.check_columns(&lease)?;
        drop(lease);
        Ok(database)
    }

    /// Opens all spaces of a database for reading. Every table with the columns of a space counts
    /// as one.
    ///
    /// # Errors
    /// As [`Options::open`].
    pub fn open_all_spaces(&self, address: &str) -> Result<Postgres, StoreError> {
        let database = Postgres::connect_without_spaces(address, self)?;
        let lease = database.pool.lease()?;
        database.check_exists(&lease)?;
        let query = "select table_name::text from information_schema.columns \
                     where table_schema = $1 and column_name in ('key', 'value') \
                     and data_type = 'bytea' group by table_name having count(*) = 2 \
                     order by table_name";
        let client = &lease.client;
        let rows = lease.run(client.query(query, &[&database.pool.address.schema]));
        let rows = rows.map_err(Fault::into_error)?;
        let spaces = Spaces::stored(ENGINE, rows.iter().filter_map(|row| row.try_get(0).ok()))?;
        self.open_read_only(address, spaces)
    }

    pub(crate) fn open_with_mode(
        &self,
        address: &str,
        spaces: Spaces,
        is_read_only: bool,
    ) -> Result<Postgres, StoreError> {
        let database = Postgres::connect(address, spaces, self, is_read_only)?;
        let lease = database.pool.lease()?;
        database.check_exists(&lease)?;
        if !is_read_only {
            database.create_tables(&lease).map_err(Fault::into_error)?;
            database.mark_tables();
            // Delete ids of programs that ended before they could delete them.
            let old = format!(
                "delete from {} where at < now() - interval '1 day' and id <> '\\x'",
                database.commits
            );
            if let Err(error) =
                lease.ask(&format!("set lock_timeout = 20; {old}; set lock_timeout = 0"))
            {
                tracing::debug!(?error, "old ids of commits could not be deleted");
                lease.give_up();
            }
        }
        database.check_columns(&lease)?;
        drop(lease);
        Ok(database)
    }
}

impl Postgres {
    /// Creates the tables of new spaces. Runs again if another client creates them at the same
    /// time; the server reports this as a duplicate in its own tables.
    fn create_tables(&self, link: &Link) -> Result<(), Fault> {
        let mut attempt = 1;
        loop {
            match link.ask(&self.tables_sql()) {
                Err(fault) if fault.is_duplicate() && attempt < CREATE_ATTEMPTS => attempt += 1,
                outcome => return outcome.map(drop),
            }
        }
    }

    /// Checks that the tables of all spaces have the columns of this engine.
    fn check_columns(&self, link: &Link) -> Result<(), StoreError> {
        let query = "select table_name::text from information_schema.columns \
                     where table_schema = $1 and table_name = any($2) group by table_name \
                     having count(case when column_name in ('key', 'value') \
                     and data_type = 'bytea' and is_nullable = 'NO' then 1 end) <> 2";
        let names: Vec<&str> = self.spaces.iter().map(|(_, name)| name).collect();
        let schema = &self.pool.address.schema;
        let wrong = link.run(link.client.query(query, &[schema, &names]));
        let wrong = wrong.map_err(Fault::into_error)?;
        let Some(name) = wrong.first().and_then(|row| row.try_get::<_, String>(0).ok()) else {
            return Ok(());
        };
        Err(advice(
            format!("the table `{schema}.{name}` has no columns `key` and `value` of type `bytea`"),
            "choose another schema with `?schema=NAME`",
        )
        .into())
    }

    fn connect(
        address: &str,
        spaces: Spaces,
        options: &Options,
        is_read_only: bool,
    ) -> Result<Postgres, StoreError> {
        let address = Address::parse(address)?;
        let _span = tracing::info_span!("open", engine = ENGINE, schema = address.schema).entered();
        check_spaces(ENGINE, &spaces)?;
        let tables =
            spaces.iter().map(|(_, name)| (address.table(name), AtomicBool::new(false))).collect();
        let commits = address.table(COMMITS);
        let pool = Pool::new(address, options.adjusted());
        let limits = options.limits.and(pool.lease()?.server.limits());
        let (spaces, gate) = (Arc::new(spaces), WriteGate::new());
        Ok(Postgres { pool, spaces, limits, is_read_only, gate, commits, tables })
    }

    fn connect_without_spaces(address: &str, options: &Options) -> Result<Postgres, StoreError> {
        Postgres::connect(address, Spaces::stored(ENGINE, [])?, options, true)
    }

    fn exists(&self, link: &Link) -> Result<bool, Fault> {
        table_exists(link, &self.commits)
    }

    fn check_exists(&self, link: &Link) -> Result<(), StoreError> {
        if self.exists(link).map_err(Fault::into_error)? {
            return Ok(());
        }
        let schema = &self.pool.address.schema;
        let problem = format!("the schema `{schema}` contains no Keyscape database");
        Err(advice(problem, "create it first, or correct the address").into())
    }

    /// Returns the statements that create the tables of all spaces, unless they exist.
    fn tables_sql(&self) -> String {
        let create = |(table, _): &(String, AtomicBool)| {
            format!(
                "create table if not exists {table} (key bytea primary key, value bytea not null);"
            )
        };
        self.tables.iter().map(create).collect()
    }

    fn mark_tables(&self) {
        self.tables.iter().for_each(|(_, exists)| exists.store(true, Ordering::Relaxed));
    }

    /// Whether the table of a space exists. A database that is open for writing has all tables.
    pub(crate) fn has_table(&self, link: &Link, slot: usize) -> Result<bool, Fault> {
        let Some((table, exists)) = self.tables.get(slot) else { return Ok(false) };
        if exists.load(Ordering::Relaxed) {
            return Ok(true);
        }
        let found = table_exists(link, table)?;
        exists.store(found, Ordering::Relaxed);
        Ok(found)
    }

    pub(crate) fn table(&self, slot: usize) -> &str {
        self.tables.get(slot).map_or("", |(table, _)| table)
    }
}

fn table_exists(link: &Link, table: &str) -> Result<bool, Fault> {
    let row = link.run(link.client.query_one("select to_regclass($1)::text", &[&table]))?;
    Ok(row.try_get::<_, Option<String>>(0).is_ok_and(|name| name.is_some()))
}

impl Database for Postgres {
    fn engine(&self) -> &'static str {
        ENGINE
    }

    fn spaces(&self) -> &Arc<Spaces> {
        &self.spaces
    }

    fn limits(&self) -> Limits {
        self.limits
    }

    fn begin(&self, mode: Mode) -> Result<Box<dyn Session + '_>, StoreError> {
        Ok(Box::new(PgSession::begin(self, mode)?))
    }

    /// Commits a change of the engine's own row. The server writes its log in order, so all earlier
    /// commits are durable when this commit is.
    fn sync(&self) -> Result<(), StoreError> {
        if self.is_read_only {
            return Ok(());
        }
        // A thread that holds the write lock would wait for itself.
        self.gate.check()?;
        let query = format!("update {} set at = now() where id = '\\x'", self.commits);
        let mut attempt = 1;
        loop {
            match self.pool.lease()?.ask(&query) {
                // The update can be repeated safely.
                Err(fault) if fault.is_lost() && attempt < SYNC_ATTEMPTS => {
                    self.pool.discard_free();
                    attempt += 1;
                }
                outcome => return outcome.map(drop).map_err(Fault::into_waiting_error),
            }
        }
    }

    fn write_attempts(&self) -> u32 {
        self.pool.options.attempts.max(2)
    }

    fn pause(&self, attempt: u32) {
        keyscape_store_remote::pause(attempt);
    }
}

impl fmt::Debug for Postgres {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Postgres")
            .field("schema", &self.pool.address.schema)
            .field("spaces", &self.spaces)
            .field("read_only", &self.is_read_only)
            .finish_non_exhaustive()
    }
}
