//! Errors of typed access.

use crate::{BadValue, DomainError};
use keyscape_codec::{Malformed, Overflow};
use keyscape_store::{Hex, StoreError, StoreErrorKind};
use std::borrow::Cow;

/// An error of typed access. One pointer wide.
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
#[derive(Debug, thiserror::Error)]
#[error(transparent)]
pub struct Error(Box<ErrorKind>);

/// Returns a success with [`Error`] as its error type, at the end of a closure that does not state
/// one.
///
/// ```
/// # use keyscape_samples::shop::{Order, layout::{ORDERS, Ticket}};
/// # use keyscape_store::{Db, Memory, Spaces};
/// # let db = Db::new(Memory::new(Spaces::new(["shop"])?));
/// db.write(|tx| {
///     ORDERS.put(tx, (7, 1), &Order { ticket: Ticket::new("ab")?, amount: 3 })?;
///     keyscape_runtime::Ok(())
/// })?;
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # Errors
/// None.
#[expect(non_snake_case, reason = "it is a constructor of `Result`")]
pub fn Ok<T>(value: T) -> Result<T, Error> {
    Result::Ok(value)
}

/// The cause of an error of typed access.
///
/// ```
/// # use keyscape_samples::shop::layout::{NUMBERS, ORDERS};
/// # use keyscape_store::{Db, Memory, Spaces, StoreId};
/// use keyscape_runtime::ErrorKind;
///
/// # let db = Db::new(Memory::new(Spaces::new(["shop"])?));
/// db.write(|tx| tx.put(StoreId::of("shop"), b"o/\0\0\0\0\0\0\0\x07\0\0\0\x01", b"?"))?;
/// let error = ORDERS.get(&db.read()?, (7, 1)).err().ok_or("it is corrupt")?;
/// let ErrorKind::CorruptValue { keyspace, .. } = error.kind() else { return Err(error.into()) };
/// assert_eq!(keyspace, "orders");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ErrorKind {
    /// An error of the database.
    #[error(transparent)]
    Store(#[from] StoreError),
    /// A value is outside its domain.
    #[error(transparent)]
    Domain(#[from] DomainError),
    /// A key is longer than the longest key of its keyspace.
    #[error(transparent)]
    Overflow(#[from] Overflow),
    /// A stored key does not belong to its keyspace.
    #[error("keyspace `{keyspace}`: the stored key {} does not belong to it: {source}", Hex(key))]
    CorruptKey {
        /// The name of the keyspace.
        keyspace: Cow<'static, str>,
        /// The stored key.
        key: Box<[u8]>,
        /// The error of decoding the key.
        source: Malformed,
    },
    /// A stored value does not have the form of its keyspace.
    #[error("keyspace `{keyspace}`: the value of the key {} is corrupt: {source}", Hex(key))]
    CorruptValue {
        /// The name of the keyspace.
        keyspace: Cow<'static, str>,
        /// The stored key.
        key: Box<[u8]>,
        /// The error of decoding the value.
        source: BadValue,
    },
    /// A value cannot be encoded.
    #[error(
        "keyspace `{keyspace}`: the value for the key {} cannot be encoded: {source}",
        Hex(key)
    )]
    Unencodable {
        /// The name of the keyspace.
        keyspace: Cow<'static, str>,
        /// The key of the row.
        key: Box<[u8]>,
        /// The reason.
        source: DomainError,
    },
    /// The value of a row does not provide a field of an index.
    #[error(
        "index `{index}`: the value of the row {} does not provide `{field}`: {source}",
        Hex(key)
    )]
    Extract {
        /// The name of the index.
        index: Cow<'static, str>,
        /// The name of the field.
        field: Cow<'static, str>,
        /// The key of the row.
        key: Box<[u8]>,
        /// The error of the extractor.
        source: Box<dyn std::error::Error + Send + Sync>,
    },
    /// A unique index has an entry of another row under the same key.
    #[error("index `{index}` is unique, and its entry {} belongs to another row", Hex(key))]
    NotUnique {
        /// The name of the index.
        index: Cow<'static, str>,
        /// The key of the entry.
        key: Box<[u8]>,
    },
    /// A sequence has too few numbers left.
    #[error("sequence `{keyspace}` has too few numbers left: it has reached {next}")]
    Exhausted {
        /// The name of the sequence.
        keyspace: Cow<'static, str>,
        /// The next number, which the row holds.
        next: u128,
    },
    /// A page cursor belongs to another scan.
    #[error("the cursor does not belong to this scan of `{keyspace}`: {why}")]
    ForeignCursor {
        /// The name of the keyspace.
        keyspace: Cow<'static, str>,
        /// The difference between the scans.
        why: &'static str,
    },
    /// The claim of a member has ended.
    #[error("queue `{keyspace}`: the claim is lost: {why} (record {})", Hex(key))]
    ClaimLost {
        /// The name of the queue.
        keyspace: Cow<'static, str>,
        /// The stored key of the member.
        key: Box<[u8]>,
        /// The state of the member.
        why: &'static str,
    },
    /// Stored records contradict each other.
    #[error("keyspace `{keyspace}`: its records do not agree: {what} (record {})", Hex(key))]
    Inconsistent {
        /// The name of the keyspace.
        keyspace: Cow<'static, str>,
        /// The contradiction.
        what: &'static str,
        /// The stored key of the record.
        key: Box<[u8]>,
    },
}

impl Error {
    /// Returns the cause of the error.
    #[must_use]
    pub fn kind(&self) -> &ErrorKind {
        &self.0
    }

    /// Returns the cause of the error, owned.
    #[must_use]
    pub fn into_kind(self) -> ErrorKind {
        *self.0
    }

    /// Returns the name of the keyspace or index, if it is known.
    ///
    /// ```
    /// # use keyscape_samples::shop::layout::ORDERS;
    /// # use keyscape_store::{Db, Memory, Spaces, StoreId};
    /// # let db = Db::new(Memory::new(Spaces::new(["shop"])?));
    /// db.write(|tx| tx.put(StoreId::of("shop"), b"o/\0\0\0\0\0\0\0\x07\0\0\0\x01", b"?"))?;
    /// let error = ORDERS.get(&db.read()?, (7, 1)).err().ok_or("it is corrupt")?;
    /// assert_eq!(error.keyspace(), Some("orders"));
    /// assert!(error.key().is_some_and(|key| key.starts_with(b"o/")));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[must_use]
    pub fn keyspace(&self) -> Option<&str> {
        match self.kind() {
            ErrorKind::Store(error) => error.keyspace(),
            ErrorKind::Domain(error) => error.what.split_once('.').map(|(keyspace, _)| keyspace),
            ErrorKind::Overflow(_) => None,
            ErrorKind::NotUnique { index: keyspace, .. }
            | ErrorKind::Extract { index: keyspace, .. }
            | ErrorKind::CorruptKey { keyspace, .. }
            | ErrorKind::CorruptValue { keyspace, .. }
            | ErrorKind::Unencodable { keyspace, .. }
            | ErrorKind::Exhausted { keyspace, .. }
            | ErrorKind::ForeignCursor { keyspace, .. }
            | ErrorKind::ClaimLost { keyspace, .. }
            | ErrorKind::Inconsistent { keyspace, .. } => Some(keyspace),
        }
    }

    /// Returns the stored key of the row, entry or record, if it is known.
    #[must_use]
    pub fn key(&self) -> Option<&[u8]> {
        match self.kind() {
            ErrorKind::Store(error) => error.key(),
            ErrorKind::CorruptKey { key, .. }
            | ErrorKind::CorruptValue { key, .. }
            | ErrorKind::Unencodable { key, .. }
            | ErrorKind::Extract { key, .. }
            | ErrorKind::NotUnique { key, .. }
            | ErrorKind::ClaimLost { key, .. }
            | ErrorKind::Inconsistent { key, .. } => Some(key),
            ErrorKind::Domain(_)
            | ErrorKind::Overflow(_)
            | ErrorKind::Exhausted { .. }
            | ErrorKind::ForeignCursor { .. } => None,
        }
    }

    /// Returns the field whose value is wrong, if it is known.
    #[must_use]
    pub fn field(&self) -> Option<&str> {
        match self.kind() {
            ErrorKind::Domain(error) => error.what.split_once('.').map(|(_, field)| field),
            ErrorKind::Unencodable { source, .. } => Some(source.what),
            ErrorKind::Extract { field, .. } => Some(field),
            _ => None,
        }
    }

    /// Whether the transaction may succeed if it is run again from its beginning.
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
