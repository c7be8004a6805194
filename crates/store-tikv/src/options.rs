//! Options for connecting to a cluster.

use keyscape_store::{Admission, Limits};
use keyscape_store_remote::bounded;
use std::time::Duration;

/// Options for connecting to a cluster. Times are raised to at least a millisecond and lowered to
/// at most a week.
///
/// ```no_run
/// use keyscape_store::{Db, Spaces, StoreId};
/// use keyscape_store_tikv::Options;
///
/// let options = Options { attempts: 4, ..Options::new() };
/// let engine = options.create("tikv://127.0.0.1:2379/shop", Spaces::new(["shop"])?)?;
/// Db::new(engine).write(|tx| tx.put(StoreId::of("shop"), b"ink", b"3"))?;
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug)]
pub struct Options {
    /// The maximum number of times that [`Db::write`](keyscape_store::Db::write) runs a transaction
    /// that conflicts, at least two. The last attempt is exclusive.
    pub attempts: u32,
    /// The maximum number of rows of a commit. Every request of a commit contains at most 16 KiB of
    /// rows, and lists all keys of the commit. Therefore the time of a commit grows with the square
    /// of its rows.
    pub rows: u64,
    /// The time to wait for a cluster that does not answer, or that is starting.
    pub connect_timeout: Duration,
    /// The time to wait for the answer of one store. After it, the request is sent again.
    pub request_timeout: Duration,
    /// The time for a read or a commit, including retries while a region moves. After it,
    /// [`SnapshotExpired`](keyscape_store::StoreErrorKind::SnapshotExpired) is returned.
    pub timeout: Duration,
    /// The time to find out whether a commit succeeded after its answer was lost. After it,
    /// [`CommitUnknown`](keyscape_store::StoreErrorKind::CommitUnknown) is returned.
    pub resolve_timeout: Duration,
    /// Tighter limits than those of the engine.
    pub limits: Limits,
    /// The changes that opening the database with layouts may make to it.
    pub admission: Admission,
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

    /// Returns the options with times that clients accept.
    pub(crate) fn adjusted(&self) -> Options {
        Options {
            connect_timeout: bounded(self.connect_timeout),
            request_timeout: bounded(self.request_timeout),
            timeout: bounded(self.timeout),
            resolve_timeout: bounded(self.resolve_timeout),
            ..self.clone()
        }
    }
}

impl Default for Options {
    fn default() -> Options {
        Options::new()
    }
}
