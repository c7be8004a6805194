//! Converts errors of redb to errors of a database.

use crate::ENGINE;
use keyscape_store::{StoreError, StoreErrorKind};
use redb::{
    CommitError, DatabaseError, SetDurabilityError, StorageError, TableError, TransactionError,
};
use std::{
    error::Error,
    fmt, io,
    panic::{self, AssertUnwindSafe},
    sync::Arc,
};

const CORRUPT_WORDS: &str = "not a redb file, or damaged";

pub(crate) const CORRUPT: StoreErrorKind = StoreErrorKind::Corrupt { what: CORRUPT_WORDS };

/// The error for a file that does not begin like a database.
pub(crate) const NOT_REDB: StoreErrorKind =
    StoreErrorKind::NotADatabase { engine: ENGINE, what: CORRUPT_WORDS };

/// The error for a pipe, socket or device.
pub(crate) const NOT_A_FILE: StoreErrorKind =
    StoreErrorKind::NotADatabase { engine: ENGINE, what: "not a regular file" };

/// The error for damage that redb does not recognise.
const DAMAGED: StoreErrorKind = StoreErrorKind::Corrupt { what: "damaged" };

/// Conversion of errors of redb.
pub(crate) trait IntoStoreError {
    fn into_store_error(self) -> StoreError;
}

impl IntoStoreError for io::Error {
    fn into_store_error(self) -> StoreError {
        match self.kind() {
            io::ErrorKind::PermissionDenied | io::ErrorKind::ReadOnlyFilesystem => {
                StoreError::new(StoreErrorKind::ReadOnly).because(self)
            }
            io::ErrorKind::InvalidData | io::ErrorKind::UnexpectedEof => {
                StoreError::new(CORRUPT).because(self)
            }
            _ => StoreError::backend(ENGINE, self),
        }
    }
}

impl IntoStoreError for StorageError {
    fn into_store_error(self) -> StoreError {
        match self {
            StorageError::Io(error) => error.into_store_error(),
            StorageError::Corrupted(_) => StoreError::new(CORRUPT).because(self),
            _ => StoreError::backend(ENGINE, self),
        }
    }
}

impl IntoStoreError for DatabaseError {
    fn into_store_error(self) -> StoreError {
        match self {
            DatabaseError::DatabaseAlreadyOpen => StoreErrorKind::Busy.into(),
            DatabaseError::RepairAborted => StoreErrorKind::NeedsRepair.into(),
            DatabaseError::Storage(error) => error.into_store_error(),
            _ => StoreError::backend(ENGINE, self),
        }
    }
}

impl IntoStoreError for TransactionError {
    fn into_store_error(self) -> StoreError {
        match self {
            TransactionError::Storage(error) => error.into_store_error(),
            _ => StoreError::backend(ENGINE, self.to_string()),
        }
    }
}

impl IntoStoreError for TableError {
    fn into_store_error(self) -> StoreError {
        match self {
            TableError::Storage(error) => error.into_store_error(),
            TableError::TableTypeMismatch { .. }
            | TableError::TableIsMultimap(_)
            | TableError::TypeDefinitionChanged { .. } => {
                let what = "a table of this name holds something else than byte strings";
                StoreError::new(StoreErrorKind::Corrupt { what }).because(self)
            }
            _ => StoreError::backend(ENGINE, self),
        }
    }
}

impl IntoStoreError for SetDurabilityError {
    fn into_store_error(self) -> StoreError {
        StoreError::backend(ENGINE, self)
    }
}

impl IntoStoreError for CommitError {
    /// redb guarantees atomicity after every error except this one.
    fn into_store_error(self) -> StoreError {
        match self {
            CommitError::TransactionPoisoned => StoreError::backend(ENGINE, self),
            // redb's error does not name its source.
            CommitError::Storage(StorageError::Io(error)) => {
                StoreError::new(StoreErrorKind::CommitUnknown).because(error)
            }
            _ => StoreError::new(StoreErrorKind::CommitUnknown).because(self),
        }
    }
}

pub(crate) fn store_error(error: impl IntoStoreError) -> StoreError {
    error.into_store_error()
}

/// Runs redb code that may panic on damaged bytes, and converts the panic to an error. Only for
/// code of redb alone. After a panic, the affected objects must not be used, or must panic again.
pub(crate) fn catch<T>(work: impl FnOnce() -> Result<T, StoreError>) -> Result<T, StoreError> {
    panic::catch_unwind(AssertUnwindSafe(work)).unwrap_or_else(|panic| {
        let words = panic.downcast_ref::<String>().map(String::as_str);
        let words = words.or_else(|| panic.downcast_ref::<&str>().copied());
        Err(StoreError::new(DAMAGED).because(words.unwrap_or("redb panicked").to_owned()))
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
