//! Options for connecting to a server.

use keyscape_store::{Admission, Limits};
use keyscape_store_remote::bounded;
use std::time::Duration;

/// Options for connecting to a server. Times are raised to at least a millisecond and lowered to at
/// most a week.
///
/// ```no_run
/// use keyscape_store::{Db, Spaces, StoreId};
/// use keyscape_store_postgres::Options;
///
/// let options = Options { connections: 4, ..Options::new() };
/// let engine = options.create("postgres://user@localhost/shop", Spaces::new(["shop"])?)?;
/// Db::new(engine).write(|tx| tx.put(StoreId::of("shop"), b"ink", b"3"))?;
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug)]
pub struct Options {
    /// The maximum number of connections. Each open session uses one.
    pub connections: usize,
    /// The maximum number of times that [`Db::write`](keyscape_store::Db::write) runs a transaction
    /// that conflicts, at least two. The last attempt is exclusive.
    pub attempts: u32,
    /// The time to wait for a server that does not answer, or that is starting.
    pub connect_timeout: Duration,
    /// The time to wait for a free connection. After it,
    /// [`Busy`](keyscape_store::StoreErrorKind::Busy) is returned.
    pub pool_timeout: Duration,
    /// The time after which the server cancels a statement. A connection that does not answer
    /// within 1.5 times this time is lost.
    pub statement_timeout: Duration,
    /// The time to find out whether a commit succeeded after its answer was lost. After it,
    /// [`CommitUnknown`](keyscape_store::StoreErrorKind::CommitUnknown) is returned.
    pub resolve_timeout: Duration,
    /// Tighter limits than those of the server.
    pub limits: Limits,
    /// The changes that opening the database with layouts may make to it.
    pub admission: Admission,
    /// The file with the certificates of authorities, in PEM form. By default, those of the system
    /// are trusted. Connections are encrypted if the address contains `sslmode=require`.
    #[cfg(feature = "tls")]
    pub root_certificates: Option<std::path::PathBuf>,
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

    /// Returns the options with times that servers and clients accept.
    pub(crate) fn adjusted(&self) -> Options {
        Options {
            connect_timeout: bounded(self.connect_timeout),
            pool_timeout: bounded(self.pool_timeout),
            statement_timeout: bounded(self.statement_timeout),
            resolve_timeout: bounded(self.resolve_timeout),
            ..self.clone()
        }
    }

    /// Returns the time after which a connection without an answer is lost.
    pub(crate) fn patience(&self) -> Duration {
        self.statement_timeout * 3 / 2 + Duration::from_millis(100)
    }
}

impl Default for Options {
    fn default() -> Options {
        Options::new()
    }
}
