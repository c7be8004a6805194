//! Operations with an expected outcome.

use crate::Fault;
use keyscape::store::Tx;
use std::fmt::{Debug, Display};

/// An error of the operations of a module.
pub trait OperationError: std::error::Error + Send + Sync + 'static {
    /// The reason.
    type Kind;

    /// Returns the reason.
    fn kind(&self) -> &Self::Kind;

    /// Returns the error of typed access that caused this error, if any.
    fn access(&self) -> Option<&keyscape::Error>;

    /// Whether the operation was rejected. Other errors end a simulation: the database failed, or a
    /// row is corrupt.
    fn is_refusal(&self) -> bool;

    /// Whether the database failed. Otherwise the operation was rejected, or a row is corrupt.
    fn is_failure(&self) -> bool {
        let access = self.access();
        access.is_some_and(|error| matches!(error.kind(), keyscape::ErrorKind::Store(_)))
    }
}

/// Implements the error of a module, `struct Error(Box<ErrorKind>)`: the methods `kind` and
/// `access`, conversions from kinds and from errors of the store, and [`OperationError`].
///
/// The kind has a variant `Access` for a [`keyscape::Error`]. The error has a method `is_refusal`.
/// The third argument is a variant for the error of another module.
#[macro_export]
macro_rules! boxed_error {
    ($error:ident, $kind:ident $(, $module:ident)?) => {
        impl $error {
            /// Returns the reason.
            #[must_use]
            pub fn kind(&self) -> &$kind {
                &self.0
            }

            /// Returns the error of typed access that caused this error, if any.
            #[must_use]
            pub fn access(&self) -> Option<&$crate::AccessError> {
                match &*self.0 {
                    $kind::Access(error) => Some(error),
                    $($kind::$module(error) => error.access(),)?
                    _ => None,
                }
            }
        }

        impl<K: Into<$kind>> From<K> for $error {
            fn from(kind: K) -> $error {
                $error(Box::new(kind.into()))
            }
        }

        impl From<$crate::store::StoreError> for $kind {
            fn from(error: $crate::store::StoreError) -> $kind {
                $kind::Access(error.into())
            }
        }

        impl $crate::OperationError for $error {
            type Kind = $kind;

            fn kind(&self) -> &$kind {
                &self.0
            }

            fn access(&self) -> Option<&$crate::AccessError> {
                self.access()
            }

            fn is_refusal(&self) -> bool {
                self.is_refusal()
            }
        }
    };
}

/// An operation with a wrong outcome.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Unexpected {
    /// A valid operation was rejected, or an invalid one with the wrong error.
    #[error("{operation} was rejected: {source}")]
    Refused {
        /// The operation.
        operation: String,
        /// The error of the module.
        source: Fault,
    },
    /// An invalid operation was accepted.
    #[error("{operation} was accepted, but is invalid")]
    Accepted {
        /// The operation.
        operation: String,
    },
    /// A rejected operation has written something.
    #[error("{operation} was rejected, but has written rows")]
    Trace {
        /// The operation.
        operation: String,
    },
    /// An operation had a wrong effect.
    #[error("{operation}: {what}")]
    Wrong {
        /// The operation.
        operation: String,
        /// The difference from the expected effect.
        what: String,
    },
}

/// Runs an operation. Returns `None` if the module rejects it with an error that `may_refuse`
/// accepts.
///
/// # Errors
/// [`Unexpected`] if the module rejects the operation with another error, or the rejected operation
/// has written rows. Other errors of the module are returned as they are.
pub fn attempt<T, E: OperationError>(
    tx: &mut Tx<'_>,
    operation: impl Display,
    may_refuse: impl FnOnce(&E::Kind) -> bool,
    run: impl FnOnce(&mut Tx<'_>) -> Result<T, E>,
) -> Result<Option<T>, Fault> {
    let before = tx.changes().clone();
    let operation = || operation.to_string();
    match run(tx) {
        Ok(result) => Ok(Some(result)),
        Err(error) if !error.is_refusal() => Err(error.into()),
        Err(error) if !may_refuse(error.kind()) => {
            Err(Unexpected::Refused { operation: operation(), source: error.into() }.into())
        }
        Err(_) if !tx.changes().iter().eq(before.iter()) => {
            Err(Unexpected::Trace { operation: operation() }.into())
        }
        Err(_) => Ok(None),
    }
}

/// Runs a valid operation.
///
/// # Errors
/// [`Unexpected`] if the module rejects it. Other errors of the module are returned as they are.
pub fn done<T, E: OperationError>(
    tx: &mut Tx<'_>,
    operation: impl Display,
    run: impl FnOnce(&mut Tx<'_>) -> Result<T, E>,
) -> Result<T, Fault> {
    run(tx).map_err(|error| {
        if !error.is_refusal() {
            return error.into();
        }
        Unexpected::Refused { operation: operation.to_string(), source: error.into() }.into()
    })
}

/// Runs an invalid operation, which the module must reject for this reason without writing rows.
///
/// # Errors
/// [`Unexpected`] if the module does not. Other errors of the module are returned as they are.
pub fn refused<T, E: OperationError>(
    tx: &mut Tx<'_>,
    operation: impl Display,
    reason: impl FnOnce(&E::Kind) -> bool,
    run: impl FnOnce(&mut Tx<'_>) -> Result<T, E>,
) -> Result<(), Fault> {
    match attempt(tx, &operation, reason, run)? {
        None => Ok(()),
        Some(_) => Err(Unexpected::Accepted { operation: operation.to_string() }.into()),
    }
}

/// Checks a condition after an operation.
///
/// # Errors
/// [`Unexpected::Wrong`] with the text `what`, unless the condition holds.
pub fn check(
    operation: impl Display,
    holds: bool,
    what: impl FnOnce() -> String,
) -> Result<(), Fault> {
    if holds {
        return Ok(());
    }
    Err(Unexpected::Wrong { operation: operation.to_string(), what: what() }.into())
}

/// Checks that an operation had an expected effect.
///
/// # Errors
/// [`Unexpected::Wrong`] unless both values are equal.
pub fn same<T: PartialEq<F> + Debug, F: Debug>(
    operation: impl Display,
    what: impl Display,
    expected: &T,
    found: &F,
) -> Result<(), Fault> {
    check(operation, expected == found, || {
        format!("{what} should be {expected:?} and is {found:?}")
    })
}

/// Returns a function that recognises some variants of an enum, by default of the `ErrorKind` in
/// scope.
///
/// ```
/// # enum ErrorKind { Full, Closed { until: u64 }, Broken(u8) }
/// let reason = keyscape_sim::is!(Full | Closed);
/// assert!(reason(&ErrorKind::Closed { until: 5 }) && !reason(&ErrorKind::Broken(1)));
/// assert!(keyscape_sim::is!(ErrorKind: Broken)(&ErrorKind::Broken(1)));
/// ```
#[macro_export]
macro_rules! is {
    ($($kind:ident)|+) => {
        $crate::is!(ErrorKind: $($kind)|+)
    };
    ($error:ident: $($kind:ident)|+) => {
        |error: &$error| matches!(error, $($error::$kind { .. })|+)
    };
}
