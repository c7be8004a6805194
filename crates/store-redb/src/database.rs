//! An open redb file as a database.

use crate::{
    ENGINE, Options,
    commit::Queue,
    error::{CORRUPT, catch, store_error},
    key::ByteKey,
    revision::{self, Revisions},
    session::RedbSession,
};
use keyscape_store::{
    ConflictLog, Database, Limits, Mode, Session, Spaces, StoreError, Watchers, WriteGate,
};
use redb::{ReadTransaction, ReadableDatabase, TableDefinition, TableHandle};
use std::{fmt, sync::Arc};

pub(crate) type Bytes = &'static [u8];
pub(crate) type Table<'n> = TableDefinition<'n, ByteKey, Bytes>;

/// The limits of redb: 3 GiB for a value, and 3.75 GiB for a value with its key.
pub(crate) const LIMITS: Limits =
    Limits { longest_key: 768 << 20, longest_value: 3 << 30, ..Limits::NONE };

/// A database in a redb file; each space is a table of its name.
///
/// The functions of this crate create it; [`Db::new`](keyscape_store::Db::new) takes it.
///
/// ```
/// use keyscape_store::{Database, Db, Spaces};
/// use keyscape_store_redb::{Options, Redb};
///
/// let folder = tempfile::tempdir()?;
/// let file = folder.path().join("shop.redb");
/// let engine: Redb = Options::new().create(&file, Spaces::new(["shop"])?)?;
/// assert_eq!(engine.engine(), "redb");
/// let db = Db::new(engine);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub struct Redb {
    pub(crate) file: File,
    pub(crate) spaces: Arc<Spaces>,
    pub(crate) limits: Limits,
    pub(crate) quick_repair: bool,
    pub(crate) gate: WriteGate,
    pub(crate) log: ConflictLog,
    pub(crate) revisions: Revisions,
    pub(crate) queue: Queue,
    pub(crate) watchers: Watchers,
}

pub(crate) enum File {
    Writable(Closing),
    ReadOnly(redb::ReadOnlyDatabase),
}

/// A file that is closed without a panic. Closing writes, and redb may panic on damaged pages.
pub(crate) struct Closing(Option<redb::Database>);

impl Closing {
    pub(crate) fn file(&self) -> Result<&redb::Database, StoreError> {
        self.0.as_ref().ok_or_else(|| CORRUPT.into())
    }

    pub(crate) fn file_mut(&mut self) -> Result<&mut redb::Database, StoreError> {
        self.0.as_mut().ok_or_else(|| CORRUPT.into())
    }
}

impl Drop for Closing {
    fn drop(&mut self) {
        let file = self.0.take();
        let closed = catch(|| {
            drop(file);
            Ok(())
        });
        if let Err(error) = closed {
            tracing::warn!(%error, "the file could not be closed cleanly");
        }
    }
}

impl File {
    pub(crate) fn writable(file: redb::Database) -> File {
        File::Writable(Closing(Some(file)))
    }

    pub(crate) fn begin_read(&self) -> Result<ReadTransaction, StoreError> {
        catch(|| {
            match self {
                File::Writable(file) => file.file()?.begin_read(),
                File::ReadOnly(file) => file.begin_read(),
            }
            .map_err(store_error)
        })
    }
}

impl Redb {
    /// Returns the names of all spaces of a file, except reserved ones.
    pub(crate) fn spaces_of(file: &File) -> Result<Spaces, StoreError> {
        let transaction = file.begin_read()?;
        let tables = catch(|| transaction.list_tables().map_err(store_error))?;
        let mut names: Vec<String> = tables.map(|table| table.name().to_owned()).collect();
        names.sort_unstable();
        Spaces::stored(ENGINE, names)
    }

    pub(crate) fn new(file: File, spaces: Spaces, options: &Options) -> Result<Redb, StoreError> {
        let revision = revision::read(&file.begin_read()?)?;
        Ok(Redb {
            file,
            spaces: Arc::new(spaces),
            limits: options.limits.and(LIMITS),
            quick_repair: options.quick_repair,
            gate: WriteGate::new(),
            log: ConflictLog::new(options.conflict_bytes),
            revisions: Revisions::starting_at(revision),
            queue: Queue::default(),
            watchers: Watchers::default(),
        })
    }

    pub(crate) fn is_read_only(&self) -> bool {
        matches!(self.file, File::ReadOnly(_))
    }
}

impl Database for Redb {
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
        Ok(Box::new(RedbSession::begin(self, mode)?))
    }

    fn sync(&self) -> Result<(), StoreError> {
        self.flush()
    }

    fn watchers(&self) -> Option<&Watchers> {
        Some(&self.watchers)
    }
}

impl fmt::Debug for Redb {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Redb")
            .field("spaces", &self.spaces)
            .field("read_only", &self.is_read_only())
            .finish_non_exhaustive()
    }
}
