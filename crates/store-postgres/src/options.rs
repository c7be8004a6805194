//! Options for connecting to a server.

use crate::Postgres;
use keyscape_store::{Admission, Limits, Spaces, StoreError};
use keyscape_store_remote::bounded;
use std::time::Duration;

/// Options for connecting to a server. Times are at least a millisecond and at most a week.
///
/// ```no_run
/// use keyscape_store::{Db, Spaces, StoreId};
/// use keyscape_store_postgres::Options;
///
/// let options = Options::new().connections(4);
/// let engine = options.create("postgres://user@localhost/shop", Spaces::new(["shop"])?)?;
/// Db::new(engine).write(|tx| tx.put(StoreId::of("shop"), b"ink", b"3"))?;
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug)]
pub struct Options {
    pub(crate) connections: usize,
    pub(crate) attempts: u32,
    pub(crate) connect_timeout: Duration,
    pub(crate) pool_timeout: Duration,
    pub(crate) statement_timeout: Duration,
    pub(crate) resolve_timeout: Duration,
    pub(crate) limits: Limits,
    pub(crate) admission: Admission,
    #[cfg(feature = "tls")]
    pub(crate) root_certificates: Option<std::path::PathBuf>,
}

impl Options {
    /// Returns the defaults: 16 connections, 16 attempts, 10 seconds to connect, 30 seconds for
    /// everything else.
    #[must_use]
    pub fn new() -> Options {
        Options {
            connections: 16,
            attempts: 16,
            connect_timeout: Duration::from_secs(10),
            pool_timeout: Duration::from_secs(30),
            statement_timeout: Duration::from_secs(30),
            resolve_timeout: Duration::from_secs(30),
            limits: Limits::NONE,
            admission: Admission::new(),
            #[cfg(feature = "tls")]
            root_certificates: None,
        }
    }

    /// Sets the maximum number of connections. Each open session uses one.
    #[must_use]
    pub fn connections(self, connections: usize) -> Options {
        Options { connections, ..self }
    }

    /// Sets how often [`Db::write`](keyscape_store::Db::write) runs a transaction that conflicts.
    /// At least two attempts are made; the last one is exclusive.
    #[must_use]
    pub fn attempts(self, attempts: u32) -> Options {
        Options { attempts, ..self }
    }

    /// Sets the time to wait for a server that does not answer, or that is starting.
    #[must_use]
    pub fn connect_timeout(self, connect_timeout: Duration) -> Options {
        Options { connect_timeout: bounded(connect_timeout), ..self }
    }

    /// Sets the time to wait for a free connection. After it,
    /// [`Busy`](keyscape_store::StoreErrorKind::Busy) is returned.
    #[must_use]
    pub fn pool_timeout(self, pool_timeout: Duration) -> Options {
        Options { pool_timeout: bounded(pool_timeout), ..self }
    }

    /// Sets the time after which the server ends a statement. A connection that does not answer for
    /// half as much longer is lost.
    #[must_use]
    pub fn statement_timeout(self, statement_timeout: Duration) -> Options {
        Options { statement_timeout: bounded(statement_timeout), ..self }
    }

    /// Sets the time to find out whether a commit succeeded after its answer was lost. After it,
    /// [`CommitUnknown`](keyscape_store::StoreErrorKind::CommitUnknown) is returned.
    #[must_use]
    pub fn resolve_timeout(self, resolve_timeout: Duration) -> Options {
        Options { resolve_timeout: bounded(resolve_timeout), ..self }
    }

    /// Sets tighter limits than those of the server.
    #[must_use]
    pub fn limits(self, limits: Limits) -> Options {
        Options { limits, ..self }
    }

    /// Sets the changes that opening the database with layouts may make to it.
    #[must_use]
    pub fn admission(self, admission: Admission) -> Options {
        Options { admission, ..self }
    }

    /// Sets the file with the certificates of authorities, in PEM form. By default, those of the
    /// system are trusted. Connections are encrypted if the address contains `sslmode=require`.
    #[cfg(feature = "tls")]
    #[must_use]
    pub fn root_certificates(self, path: impl Into<std::path::PathBuf>) -> Options {
        Options { root_certificates: Some(path.into()), ..self }
    }

    /// The time after which a connection is lost.
    pub(crate) fn patience(&self) -> Duration {
        self.statement_timeout * 3 / 2 + Duration::from_millis(100)
    }

    /// Whether the schema of the address contains a database.
    ///
    /// # Errors
    /// If the server cannot be reached.
    pub fn exists(&self, address: &str) -> Result<bool, StoreError> {
        Postgres::is_at(address, self)
    }

    /// Creates the schema of the address with its tables, in one transaction.
    ///
    /// # Errors
    /// If the schema already contains a database, and errors of the server.
    pub fn create(&self, address: &str, spaces: Spaces) -> Result<Postgres, StoreError> {
        Postgres::create(address, spaces, self)
    }

    /// Opens a database for reading and writing. Creates the tables of new spaces.
    ///
    /// # Errors
    /// If the schema contains no database, and errors of the server.
    pub fn open(&self, address: &str, spaces: Spaces) -> Result<Postgres, StoreError> {
        Postgres::open(address, spaces, self, false)
    }

    /// Opens a database for reading.
    ///
    /// # Errors
    /// As [`Options::open`].
    pub fn open_read_only(&self, address: &str, spaces: Spaces) -> Result<Postgres, StoreError> {
        Postgres::open(address, spaces, self, true)
    }

    /// Opens all spaces of a database for reading.
    ///
    /// # Errors
    /// As [`Options::open`].
    pub fn open_all_spaces(&self, address: &str) -> Result<Postgres, StoreError> {
        self.open_read_only(address, Postgres::spaces_of(address, self)?)
    }
}

impl Default for Options {
    fn default() -> Options {
        Options::new()
    }
}
