//! Errors of databases.

use crate::StoreId;
use std::{
    borrow::Cow,
    error::Error,
    fmt,
    path::{Path, PathBuf},
};

type Source = Box<dyn Error + Send + Sync>;
type Name = Cow<'static, str>;

/// An error of a database, with the file, store, keyspace and key if they are known.
///
/// One pointer wide. After any error except [`StoreErrorKind::CommitUnknown`], nothing of the
/// transaction has been written.
///
/// ```
/// use keyscape_store::{StoreError, StoreErrorKind};
///
/// let error = StoreError::new(StoreErrorKind::Corrupt { what: "a balance is not a number" })
///     .in_keyspace("balances")
///     .at_key(&[0x02, 0xff]);
/// let text = "corrupt: a balance is not a number (keyspace `balances`, key 02ff)";
/// assert_eq!(error.to_string(), text);
/// assert!(!error.is_retryable());
/// ```
pub struct StoreError(Box<Details>);

struct Details {
    kind: StoreErrorKind,
    file: Option<PathBuf>,
    store: Option<Name>,
    keyspace: Option<Name>,
    key: Option<Box<[u8]>>,
    source: Option<Source>,
}

/// The kinds of errors of a database.
///
/// ```
/// use keyscape_store::{Db, Memory, Spaces, StoreErrorKind, StoreId};
///
/// let db = Db::new(Memory::new(Spaces::new(["shop"])?));
/// let other = StoreId::of("bank");
/// let error = db.write(|tx| tx.put(other, b"ink", b"3")).unwrap_err();
/// assert_eq!(error.kind(), StoreErrorKind::UnknownStore(other));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum StoreErrorKind {
    /// A later commit wrote rows that this transaction has read. Run the transaction again.
    #[error("conflict: a later commit wrote rows that this transaction has read; run it again")]
    Conflict,
    /// The state of this transaction is gone, or too old to find conflicts. Run the transaction
    /// again.
    #[error("the state that this transaction reads is too old; run it again")]
    SnapshotExpired,
    /// The commit may or may not have been written. Open the database again and look it up.
    #[error(
        "it is not known whether the commit was written; open the database again and look it up"
    )]
    CommitUnknown,
    /// A limit of the engine is exceeded.
    #[error("{actual} exceeds {what} ({limit})")]
    Limit {
        /// The limited quantity.
        what: Limited,
        /// The limit.
        limit: u64,
        /// The actual value.
        actual: u64,
    },
    /// Another process, or this thread, holds a lock.
    #[error("busy: it is in use by another process or by this thread; close it there first")]
    Busy,
    /// The file was not closed cleanly and has to be repaired before it can be read.
    #[error("the file was not closed cleanly")]
    NeedsRepair,
    /// A write to a database that is open for reading only.
    #[error("read-only: the database cannot be written")]
    ReadOnly,
    /// Stored bytes are not valid.
    #[error("corrupt: {what}")]
    Corrupt {
        /// The invalid part.
        what: &'static str,
    },
    /// The file is not a database of the engine.
    #[error("corrupt: {what}")]
    NotADatabase {
        /// The engine.
        engine: &'static str,
        /// The difference from a database.
        what: &'static str,
    },
    /// The engine failed. [`Error::source`] has the cause.
    #[error("the engine {engine} failed")]
    Backend {
        /// The engine.
        engine: &'static str,
    },
    /// The database was opened without this store.
    #[error("the database was opened without the store that has {0:?}")]
    UnknownStore(StoreId),
    /// An earlier error poisoned this transaction.
    #[error("an earlier error ended this transaction; begin a new one")]
    Poisoned,
    /// The checkpoint was released or rolled back, or belongs to another transaction.
    #[error("the checkpoint was released or rolled back, or belongs to another transaction")]
    StaleCheckpoint,
    /// A subscription lost commits. Read a snapshot, which contains them, and continue.
    #[error("the subscription lost {commits} commits; read a snapshot and continue")]
    FellBehind {
        /// The number of lost commits.
        commits: u64,
    },
    /// The database of a subscription was closed.
    #[error("the database of the subscription was closed")]
    Closed,
    /// The engine cannot report all commits, because other processes may write.
    #[error("the engine cannot report commits, because other processes may write")]
    Unwatchable,
}

/// A limited quantity.
///
/// ```
/// use keyscape_store::{Limited, Limits, StoreErrorKind};
///
/// let limits = Limits { longest_key: 2, ..Limits::NONE };
/// let error = limits.check_key(b"ink").unwrap_err();
/// let what = Limited::LongestKey;
/// assert_eq!(error.kind(), StoreErrorKind::Limit { what, limit: 2, actual: 3 });
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum Limited {
    /// Shortest key, in bytes.
    #[error("the bytes of the shortest key")]
    ShortestKey,
    /// Longest key, in bytes.
    #[error("the bytes of the longest key")]
    LongestKey,
    /// Shortest value, in bytes.
    #[error("the bytes of the shortest value")]
    ShortestValue,
    /// Longest value, in bytes.
    #[error("the bytes of the longest value")]
    LongestValue,
    /// Rows in one commit.
    #[error("the rows of one commit")]
    Rows,
    /// Bytes in one commit.
    #[error("the bytes of one commit")]
    Bytes,
    /// The unit of a [`Meter`](crate::Meter).
    #[error("the budget of {0}")]
    Budget(&'static str),
}

impl StoreError {
    /// Creates an error.
    #[must_use]
    pub fn new(kind: StoreErrorKind) -> StoreError {
        StoreError(Box::new(Details {
            kind,
            file: None,
            store: None,
            keyspace: None,
            key: None,
            source: None,
        }))
    }

    /// Creates the error for a failure of an engine.
    #[must_use]
    pub fn backend(engine: &'static str, source: impl Into<Source>) -> StoreError {
        StoreError::new(StoreErrorKind::Backend { engine }).because(source)
    }

    /// Creates the error for an exceeded limit.
    #[must_use]
    pub fn limit(what: Limited, limit: u64, actual: u64) -> StoreError {
        StoreError::new(StoreErrorKind::Limit { what, limit, actual })
    }

    /// Adds the error that caused this one.
    #[must_use]
    pub fn because(mut self, source: impl Into<Source>) -> StoreError {
        self.0.source.get_or_insert(source.into());
        self
    }

    /// Adds the file, unless it is known.
    #[must_use]
    pub fn in_file(mut self, file: impl Into<PathBuf>) -> StoreError {
        self.0.file.get_or_insert(file.into());
        self
    }

    /// Adds the name of the store, unless it is known.
    #[must_use]
    pub fn in_store(mut self, store: impl Into<Name>) -> StoreError {
        self.0.store.get_or_insert(store.into());
        self
    }

    /// Adds the name of the keyspace, unless it is known.
    #[must_use]
    pub fn in_keyspace(mut self, keyspace: impl Into<Name>) -> StoreError {
        self.0.keyspace.get_or_insert(keyspace.into());
        self
    }

    /// Adds the key, unless it is known.
    #[must_use]
    pub fn at_key(mut self, key: &[u8]) -> StoreError {
        self.0.key.get_or_insert_with(|| key.into());
        self
    }

    /// Returns the kind of the error.
    #[must_use]
    pub fn kind(&self) -> StoreErrorKind {
        self.0.kind
    }

    /// Whether the transaction may succeed if it is run again from its beginning.
    #[must_use]
    pub fn is_retryable(&self) -> bool {
        self.0.kind.is_retryable()
    }

    /// Returns the file, if it is known.
    #[must_use]
    pub fn file(&self) -> Option<&Path> {
        self.0.file.as_deref()
    }

    /// Returns the store, if it is known.
    #[must_use]
    pub fn store(&self) -> Option<&str> {
        self.0.store.as_deref()
    }

    /// Returns the keyspace, if it is known.
    #[must_use]
    pub fn keyspace(&self) -> Option<&str> {
        self.0.keyspace.as_deref()
    }

    /// Returns the key, if it is known.
    #[must_use]
    pub fn key(&self) -> Option<&[u8]> {
        self.0.key.as_deref()
    }
}

impl StoreErrorKind {
    /// Whether the transaction may succeed if it is run again from its beginning.
    pub(crate) fn is_retryable(self) -> bool {
        matches!(self, Self::Conflict | Self::SnapshotExpired | Self::Busy)
    }
}

impl From<StoreErrorKind> for StoreError {
    fn from(kind: StoreErrorKind) -> StoreError {
        StoreError::new(kind)
    }
}

impl Error for StoreError {
    fn source(&self) -> Option<&(dyn Error + 'static)> {
        self.0.source.as_deref().map(|source| source as _)
    }
}

impl fmt::Debug for StoreError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let details = &*self.0;
        f.debug_struct("StoreError")
            .field("kind", &details.kind)
            .field("file", &details.file)
            .field("store", &details.store)
            .field("keyspace", &details.keyspace)
            .field("key", &details.key.as_deref().map(Hex))
            .field("source", &details.source)
            .finish()
    }
}

impl fmt::Display for StoreError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let details = &*self.0;
        write!(f, "{}", details.kind)?;
        let mut open = false;
        let mut part = |f: &mut fmt::Formatter<'_>, text: fmt::Arguments<'_>| {
            let before = if open { ", " } else { " (" };
            open = true;
            write!(f, "{before}{text}")
        };
        if let Some(file) = &details.file {
            part(f, format_args!("file `{}`", file.display()))?;
        }
        if let Some(store) = &details.store {
            part(f, format_args!("store `{store}`"))?;
        }
        if let Some(keyspace) = &details.keyspace {
            part(f, format_args!("keyspace `{keyspace}`"))?;
        }
        if let Some(key) = &details.key {
            part(f, format_args!("key {}", Hex(key)))?;
        }
        if open {
            f.write_str(")")?;
        }
        if let (StoreErrorKind::NeedsRepair, Some(file)) = (&details.kind, &details.file) {
            write!(f, ": run `keyscape repair {}`", file.display())?;
        }
        put_causes(self.source(), f)
    }
}

/// Appends the texts of all causes. A cause that only repeats the next one is omitted.
fn put_causes(
    mut cause: Option<&(dyn Error + 'static)>,
    f: &mut fmt::Formatter<'_>,
) -> fmt::Result {
    let mut last = String::new();
    while let Some(error) = cause {
        let text = error.to_string();
        if !last.contains(&text) {
            write!(f, ": {text}")?;
            last = text;
        }
        cause = error.source();
    }
    Ok(())
}

/// Displays bytes in lower-case hexadecimal.
///
/// ```
/// assert_eq!(keyscape_store::Hex(b"o/\xff").to_string(), "6f2fff");
/// ```
#[derive(Clone, Copy, Debug)]
pub struct Hex<'a>(pub &'a [u8]);

impl fmt::Display for Hex<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.iter().try_for_each(|byte| write!(f, "{byte:02x}"))
    }
}
