//! What can go wrong with typed access.

use crate::{BadValue, DomainError};
use keyscape_codec::{Malformed, Overflow};
use keyscape_store::{StoreError, StoreErrorKind};
use std::fmt;

/// Typed access failed. It is one pointer wide.
///
/// ```
/// use keyscape_runtime::{Error, ErrorKind};
/// use keyscape_store::StoreErrorKind;
///
/// let error = Error::from(StoreErrorKind::Conflict);
/// assert!(error.is_retryable());
/// assert!(matches!(error.kind(), ErrorKind::Store(_)));
/// assert_eq!(size_of::<Error>(), size_of::<usize>());
/// ```
#[derive(Debug)]
pub struct Error(Box<ErrorKind>);

/// Why typed access failed.
///
/// ```
/// # mod shop { include!(concat!(env!("CARGO_MANIFEST_DIR"), "/tests/typed/shop.rs")); }
/// # use shop::layout::{NUMBERS, ORDERS};
/// # use keyscape_store::{Db, Memory, Spaces, StoreId};
/// use keyscape_runtime::ErrorKind;
///
/// # let db = Db::new(Memory::new(Spaces::new(["shop"])?));
/// db.write(|tx| tx.put(StoreId::of("shop"), b"o/\0\0\0\0\0\0\0\x07\0\0\0\x01", b"?"))?;
/// let error = ORDERS.get(&db.read()?, (7, 1)).err().ok_or("it is corrupt")?;
/// assert!(matches!(error.kind(), ErrorKind::CorruptValue { keyspace: "orders", .. }));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ErrorKind {
    /// The database failed or refused.
    #[error(transparent)]
    Store(#[from] StoreError),
    /// A value is outside its domain.
    #[error(transparent)]
    Domain(#[from] DomainError),
    /// A key is longer than its keyspace said that keys are.
    #[error(transparent)]
    Overflow(#[from] Overflow),
    /// A key that is stored is not one of its keyspace.
    #[error("keyspace `{keyspace}`: the stored key {} is none of its keys: {source}", Hex(key))]
    CorruptKey {
        /// The keyspace.
        keyspace: &'static str,
        /// The key.
        key: Box<[u8]>,
        /// What is wrong with it.
        source: Malformed,
    },
    /// What is stored under a key is not a value of its keyspace.
    #[error("keyspace `{keyspace}`: the value of the key {} is corrupt: {source}", Hex(key))]
    CorruptValue {
        /// The keyspace.
        keyspace: &'static str,
        /// The key.
        key: Box<[u8]>,
        /// What is wrong with the value.
        source: BadValue,
    },
    /// A unique index has another row under the same key.
    #[error("index `{index}` is unique and has another row under the key {}", Hex(key))]
    NotUnique {
        /// The index.
        index: &'static str,
        /// The key of the index.
        key: Box<[u8]>,
    },
    /// A sequence has no number left.
    #[error("sequence `{keyspace}` has no number left after {last}")]
    Exhausted {
        /// The sequence.
        keyspace: &'static str,
        /// The last number.
        last: u128,
    },
    /// A page cursor does not belong to the scan that it was given to.
    #[error("the cursor does not belong to this scan of `{keyspace}`: {why}")]
    ForeignCursor {
        /// The keyspace.
        keyspace: &'static str,
        /// What does not fit.
        why: &'static str,
    },
    /// Somebody else has claimed the item since, or it is gone.
    #[error("queue `{keyspace}`: the claim is lost: {why}")]
    ClaimLost {
        /// The queue.
        keyspace: &'static str,
        /// What has become of the item.
        why: &'static str,
    },
    /// What is stored breaks a promise of its structure.
    #[error("keyspace `{keyspace}`: its records do not agree: {what} (record {})", Hex(key))]
    Inconsistent {
        /// The keyspace.
        keyspace: &'static str,
        /// What does not agree.
        what: &'static str,
        /// The record.
        key: Box<[u8]>,
    },
}

impl Error {
    /// Why it failed.
    #[must_use]
    pub fn kind(&self) -> &ErrorKind {
        &self.0
    }

    /// Whether the same transaction, run again from its beginning, may succeed.
    #[must_use]
    pub fn is_retryable(&self) -> bool {
        matches!(&*self.0, ErrorKind::Store(error) if error.is_retryable())
    }
}

impl<K: Into<ErrorKind>> From<K> for Error {
    fn from(kind: K) -> Self {
        Self(Box::new(kind.into()))
    }
}

impl From<StoreErrorKind> for ErrorKind {
    fn from(kind: StoreErrorKind) -> Self {
        Self::Store(kind.into())
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

impl std::error::Error for Error {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        self.0.source()
    }
}

/// Bytes as they are shown.
pub(crate) struct Hex<'a>(pub(crate) &'a [u8]);

impl fmt::Display for Hex<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.iter().try_for_each(|byte| write!(f, "{byte:02x}"))
    }
}
