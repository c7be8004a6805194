//! Options for connecting to a cluster.

use crate::Tikv;
use keyscape_store::{Admission, Limits, Spaces, StoreError};
use keyscape_store_remote::bounded;
use std::time::Duration;

/// Options for connecting to a cluster. Times are at least a millisecond and at most a week.
///
/// ```no_run
/// use keyscape_store::{Db, Spaces, StoreId};
/// use keyscape_store_tikv::Options;
///
/// let options = Options::new().attempts(4);
/// let engine = options.create("tikv://127.0.0.1:2379/shop", Spaces::new(["shop"])?)?;
/// Db::new(engine).write(|tx| tx.put(StoreId::of("shop"), b"ink", b"3"))?;
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug)]
pub struct Options {
    pub(crate) attempts: u32,
    pub(crate) rows: u64,
    pub(crate) connect_timeout: Duration,
    pub(crate) request_timeout: Duration,
    pub(crate) timeout: Duration,
    pub(crate) resolve_timeout: Duration,
    pub(crate) limits: Limits,
    pub(crate) admission: Admission,
}

impl Options {
    /// Returns the defaults: 16 attempts, 1,000 rows per commit, 10 seconds to connect, 2 seconds
    /// for a request to a store, 30 seconds for everything else.
    #[must_use]
    pub fn new() -> Options {
        Options {
            attempts: 16,
            rows: 1_000,
            connect_timeout: Duration::from_secs(10),
            request_timeout: Duration::from_secs(2),
            timeout: Duration::from_secs(30),
            resolve_timeout: Duration::from_secs(30),
            limits: Limits::NONE,
            admission: Admission::new(),
        }
    }

    /// Sets how often [`Db::write`](keyscape_store::Db::write) runs a transaction that conflicts.
    /// At least two attempts are made; the last one is exclusive.
    #[must_use]
    pub fn attempts(self, attempts: u32) -> Options {
        Options { attempts, ..self }
    }

    /// Sets the most rows of a commit. Every request of a commit has at most 16 KiB of rows, and
    /// lists all keys of the commit, so the time of a commit grows with the square of its rows.
    #[must_use]
    pub fn rows(self, rows: u64) -> Options {
        Options { rows, ..self }
    }

    /// Sets the time to wait for a cluster that does not answer, or that is starting.
    #[must_use]
    pub fn connect_timeout(self, connect_timeout: Duration) -> Options {
        Options { connect_timeout: bounded(connect_timeout), ..self }
    }

    /// Sets the time to wait for the answer of one store. After it, the request is sent again.
    #[must_use]
    pub fn request_timeout(self, request_timeout: Duration) -> Options {
        Options { request_timeout: bounded(request_timeout), ..self }
    }

    /// Sets the time for a read or a commit, including retries while a region moves. After it,
    /// [`SnapshotExpired`](keyscape_store::StoreErrorKind::SnapshotExpired) is returned.
    #[must_use]
    pub fn timeout(self, timeout: Duration) -> Options {
        Options { timeout: bounded(timeout), ..self }
    }

    /// Sets the time to find out whether a commit succeeded after its answer was lost. After it,
    /// [`CommitUnknown`](keyscape_store::StoreErrorKind::CommitUnknown) is returned.
    #[must_use]
    pub fn resolve_timeout(self, resolve_timeout: Duration) -> Options {
        Options { resolve_timeout: bounded(resolve_timeout), ..self }
    }

    /// Sets tighter limits than those of the engine.
    #[must_use]
    pub fn limits(self, limits: Limits) -> Options {
        Options { limits, ..self }
    }

    /// Sets the changes that opening the database with layouts may make to it.
    #[must_use]
    pub fn admission(self, admission: Admission) -> Options {
        Options { admission, ..self }
    }

    /// Whether the cluster contains the database of the address.
    ///
    /// # Errors
    /// If the cluster cannot be reached.
    pub fn exists(&self, address: &str) -> Result<bool, StoreError> {
        Tikv::is_at(address, self)
    }

    /// Creates a database.
    ///
    /// # Errors
    /// If the database exists, and errors of the cluster.
    pub fn create(&self, address: &str, spaces: Spaces) -> Result<Tikv, StoreError> {
        Tikv::create(address, spaces, self)
    }

    /// Opens a database for reading and writing. Adds new spaces.
    ///
    /// # Errors
    /// If the database does not exist, and errors of the cluster.
    pub fn open(&self, address: &str, spaces: Spaces) -> Result<Tikv, StoreError> {
        Tikv::open(address, spaces, self, false)
    }

    /// Opens a database for reading.
    ///
    /// # Errors
    /// As [`Options::open`].
    pub fn open_read_only(&self, address: &str, spaces: Spaces) -> Result<Tikv, StoreError> {
        Tikv::open(address, spaces, self, true)
    }

    /// Opens all spaces of a database for reading.
    ///
    /// # Errors
    /// As [`Options::open`].
    pub fn open_all_spaces(&self, address: &str) -> Result<Tikv, StoreError> {
        self.open_read_only(address, Tikv::spaces_of(address, self)?)
    }
}

impl Default for Options {
    fn default() -> Options {
        Options::new()
    }
}
