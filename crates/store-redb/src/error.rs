//! Converts errors of redb to errors of a database.

use crate::ENGINE;
use keyscape_store::{StoreError, StoreErrorKind};
use redb::{CommitError, StorageError};
use std::{
    error::Error,
    fmt, io,
    panic::{self, AssertUnwindSafe},
    sync::Arc,
};

const NOT_REDB_OR_DAMAGED: &str = "not a redb file, or damaged";

pub(crate) const CORRUPT: StoreErrorKind = StoreErrorKind::Corrupt { what: NOT_REDB_OR_DAMAGED };

/// The error for a file that does not begin like a database.
pub(crate) const NOT_REDB: StoreErrorKind =
    StoreErrorKind::NotADatabase { engine: ENGINE, what: NOT_REDB_OR_DAMAGED };

/// The error for a pipe, socket or device.
pub(crate) const NOT_A_FILE: StoreErrorKind =
    StoreErrorKind::NotADatabase { engine: ENGINE, what: "not a regular file" };

/// The error for a table of another program.
const OTHER_TABLE: StoreErrorKind =
    StoreErrorKind::Corrupt { what: "a table of this name does not hold byte strings" };

/// The error for damage that redb does not recognise.
const DAMAGED: StoreErrorKind = StoreErrorKind::Corrupt { what: "damaged" };

/// Converts an error of redb or of the file system.
pub(crate) fn store_error(error: impl Into<redb::Error>) -> StoreError {
    let error = error.into();
    let kind = match &error {
        redb::Error::DatabaseAlreadyOpen => return StoreErrorKind::Busy.into(),
        redb::Error::RepairAborted => return StoreErrorKind::NeedsRepair.into(),
        redb::Error::Corrupted(_) => CORRUPT,
        redb::Error::TableTypeMismatch { .. }
        | redb::Error::TableIsMultimap(_)
        | redb::Error::TypeDefinitionChanged { .. } => OTHER_TABLE,
        redb::Error::Io(error) => match error.kind() {
            io::ErrorKind::PermissionDenied | io::ErrorKind::ReadOnlyFilesystem => {
                StoreErrorKind::ReadOnly
            }
            io::ErrorKind::InvalidData | io::ErrorKind::UnexpectedEof => CORRUPT,
            _ => StoreErrorKind::Backend { engine: ENGINE },
        },
        _ => StoreErrorKind::Backend { engine: ENGINE },
    };
    match error {
        redb::Error::Io(error) => StoreError::new(kind).because(error),
        // An error may contain a transaction, which cannot be sent to other threads.
        error => StoreError::new(kind).because(error.to_string()),
    }
}

/// Converts the error of a commit. Only for a poisoned transaction, redb guarantees that nothing
/// was written.
pub(crate) fn commit_error(error: CommitError) -> StoreError {
    let unknown = StoreError::new(StoreErrorKind::CommitUnknown);
    match error {
        CommitError::TransactionPoisoned => store_error(error),
        // redb's error does not name its source.
        CommitError::Storage(StorageError::Io(error)) => unknown.because(error),
        _ => unknown.because(error),
    }
}

/// Runs redb code that may panic on damaged bytes, and converts the panic to an error. Only for
/// code of redb alone. After a panic, the affected objects must not be used, or must panic again.
pub(crate) fn catch<T>(work: impl FnOnce() -> Result<T, StoreError>) -> Result<T, StoreError> {
    panic::catch_unwind(AssertUnwindSafe(work)).unwrap_or_else(|panic| {
        let message = panic.downcast_ref::<String>().map(String::as_str);
        let message = message.or_else(|| panic.downcast_ref::<&str>().copied());
        Err(StoreError::new(DAMAGED).because(message.unwrap_or("redb panicked").to_owned()))
    })
}

/// One error for all commits of a group.
#[derive(Clone, Debug)]
pub(crate) struct SharedError(Arc<StoreError>);

impl SharedError {
    pub(crate) fn new(error: StoreError) -> SharedError {
        SharedError(Arc::new(error))
    }

    pub(crate) fn one(&self) -> StoreError {
        StoreError::new(self.0.kind()).because(self.clone())
    }
}

impl fmt::Display for SharedError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a commit of the same group failed")
    }
}

impl Error for SharedError {
    fn source(&self) -> Option<&(dyn Error + 'static)> {
        self.0.source()
    }
}
