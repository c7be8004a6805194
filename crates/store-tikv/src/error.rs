//! Converts errors from the cluster.

use crate::ENGINE;
use keyscape_store::{StoreError, StoreErrorKind};
use keyscape_store_remote::Advice;
use std::{io, time::Duration};
use tikv_client::{Error, ProtoKeyError};

/// Returns a problem of this engine and its remedy.
pub(crate) fn advice(problem: impl Into<String>, remedy: &'static str) -> Advice {
    Advice::new(ENGINE, problem, remedy)
}

/// The failure of a request.
#[derive(Debug)]
pub(crate) struct Fault {
    pub(crate) kind: FaultKind,
    pub(crate) advice: Advice,
}

/// The kinds of failures. If a request has several failures, the first kind in this order applies.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum FaultKind {
    /// Another transaction wrote a key, or holds its lock. Nothing is written.
    Conflict,
    /// The cluster rejected the request.
    Rejected,
    /// The cluster did not answer, or a region moved. The request may or may not have run.
    Unavailable,
    /// The engine was called inside an asynchronous runtime, and could start no thread.
    NoThread,
}

/// The gRPC codes for messages that are too large.
const TOO_LARGE: [i32; 2] = [8, 11];
const RUN_AGAIN: &str = "run it again";

impl From<Error> for Fault {
    fn from(error: Error) -> Fault {
        let (kind, problem) = classify(&error);
        let remedy = match kind {
            FaultKind::Rejected => "see the logs of the stores",
            _ => RUN_AGAIN,
        };
        Fault { kind, advice: advice(problem, remedy).because(error) }
    }
}

fn classify(error: &Error) -> (FaultKind, String) {
    match error {
        Error::KeyError(key) => of_key(key),
        Error::ResolveLockError(_) => (FaultKind::Conflict, "a key stays locked".to_owned()),
        Error::ExtractedErrors(errors) | Error::MultipleKeyErrors(errors) => {
            let first = errors.iter().map(classify).min_by_key(|(kind, _)| *kind);
            first
                .unwrap_or_else(|| (FaultKind::Unavailable, "an error without a reason".to_owned()))
        }
        Error::PessimisticLockError { inner, .. } => classify(inner),
        Error::GrpcAPI(status) if TOO_LARGE.contains(&i32::from(status.code())) => {
            (FaultKind::Rejected, error.to_string())
        }
        Error::Unimplemented
        | Error::DuplicateKeyInsertion
        | Error::InvalidTransactionType
        | Error::OperationAfterCommitError
        | Error::NoPrimaryKey
        | Error::UnsupportedMode
        | Error::Url(_)
        | Error::MaxScanLimitExceeded { .. }
        | Error::KeyspaceNotFound(_)
        | Error::InvalidSemver(_) => (FaultKind::Rejected, error.to_string()),
        other => (FaultKind::Unavailable, other.to_string()),
    }
}

/// Converts the error of a key. Locks and later versions of a key are conflicts, which are found
/// before anything is committed. All other errors may follow a lost answer.
fn of_key(error: &ProtoKeyError) -> (FaultKind, String) {
    if error.conflict.is_some() {
        return (FaultKind::Conflict, "another commit wrote a key".to_owned());
    }
    if error.locked.is_some() || error.deadlock.is_some() {
        return (FaultKind::Conflict, "another transaction holds a key".to_owned());
    }
    let words = [error.retryable.as_str(), error.abort.as_str()].join(" ");
    match words.trim() {
        "" => (FaultKind::Unavailable, format!("{error:?}")),
        words => (FaultKind::Unavailable, words.to_owned()),
    }
}

impl Fault {
    /// Returns the failure of a request without an answer.
    pub(crate) fn silent(after: Duration) -> Fault {
        let problem = format!("no answer of the cluster after {after:?}");
        Fault { kind: FaultKind::Unavailable, advice: advice(problem, RUN_AGAIN) }
    }

    /// Returns the failure of a request that could not be sent.
    pub(crate) fn no_thread(error: io::Error) -> Fault {
        Fault { kind: FaultKind::NoThread, advice: Advice::no_thread(ENGINE, error) }
    }

    /// Returns the error of a transaction that has written nothing.
    pub(crate) fn into_error(self) -> StoreError {
        match self.kind {
            FaultKind::Conflict => StoreError::new(StoreErrorKind::Conflict).because(self.advice),
            FaultKind::Unavailable => {
                StoreError::new(StoreErrorKind::SnapshotExpired).because(self.advice)
            }
            FaultKind::Rejected | FaultKind::NoThread => self.advice.into(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn kind(error: Error) -> StoreErrorKind {
        Fault::from(error).into_error().kind()
    }

    fn key(change: impl FnOnce(&mut ProtoKeyError)) -> Error {
        let mut error = ProtoKeyError::default();
        change(&mut error);
        Error::KeyError(Box::new(error))
    }

    #[test]
    fn locks_and_later_versions_are_conflicts() {
        let conflict = || key(|error| error.conflict = Some(Default::default()));
        let locked = || key(|error| error.locked = Some(Default::default()));
        assert_eq!(kind(conflict()), StoreErrorKind::Conflict);
        assert_eq!(kind(locked()), StoreErrorKind::Conflict);
        assert_eq!(kind(Error::ResolveLockError(Vec::new())), StoreErrorKind::Conflict);
        let lock = Error::PessimisticLockError { inner: Box::new(locked()), success_keys: vec![] };
        assert_eq!(kind(lock), StoreErrorKind::Conflict);
        let away = Error::StringError("away".to_owned());
        assert_eq!(
            kind(Error::MultipleKeyErrors(vec![away, conflict()])),
            StoreErrorKind::Conflict
        );
    }

    /// The client reports a lock that is lost during the commit as an error of the key. The commit
    /// may have happened.
    #[test]
    fn other_errors_may_follow_a_commit() {
        let lost = || key(|error| error.retryable = "TxnLockNotFound".to_owned());
        let unknown = Error::UndeterminedError(Box::new(lost()));
        for error in [lost(), unknown, Error::ExtractedErrors(vec![]), key(|_| ())] {
            assert_eq!(Fault::from(error).kind, FaultKind::Unavailable);
        }
        assert_eq!(kind(lost()), StoreErrorKind::SnapshotExpired);
        let wrong = kind(Error::OperationAfterCommitError);
        assert_eq!(wrong, StoreErrorKind::Backend { engine: "tikv" });
    }

    #[test]
    fn the_error_of_the_client_is_a_source() {
        for error in [key(|_| ()), Error::ResolveLockError(Vec::new()), Error::NoPrimaryKey] {
            let error = Fault::from(error).into_error();
            let mut source = std::error::Error::source(&error);
            while let Some(next) = source.filter(|source| !source.is::<Error>()) {
                source = next.source();
            }
            assert!(source.is_some(), "{error:?}");
        }
    }
}
