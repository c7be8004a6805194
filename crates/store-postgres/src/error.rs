//! Converts errors from the server and from connections.

use crate::ENGINE;
use keyscape_store::{StoreError, StoreErrorKind};
use keyscape_store_remote::Advice;
use std::{error::Error as _, io, time::Duration};
use tokio_postgres::error::{DbError, Severity, SqlState};

/// Returns a problem of this engine and its remedy.
pub(crate) fn advice(problem: impl Into<String>, remedy: &'static str) -> Advice {
    Advice::new(ENGINE, problem, remedy)
}

/// The failure of a statement.
#[derive(Debug)]
pub(crate) enum Fault {
    /// The server rejected the statement, and the connection is usable.
    Rejected(tokio_postgres::Error),
    /// The connection ended. The server may or may not have run the statement.
    Lost(tokio_postgres::Error),
    /// The server did not answer in time. The connection must not be used again.
    Silent(Duration),
    /// The engine was called inside an asynchronous runtime, and could start no thread.
    NoThread(io::Error),
    /// The server did not return the number of its state.
    NoState,
}

impl From<tokio_postgres::Error> for Fault {
    fn from(error: tokio_postgres::Error) -> Fault {
        match error.as_db_error() {
            Some(refusal) if !ends_connection(refusal) => Fault::Rejected(error),
            _ => Fault::Lost(error),
        }
    }
}

/// Whether the server closes the connection after this error.
fn ends_connection(error: &DbError) -> bool {
    let code = error.code().code();
    matches!(error.parsed_severity(), Some(Severity::Fatal | Severity::Panic))
        || code.starts_with("57P")
        || code.starts_with("08")
}

impl Fault {
    pub(crate) fn is_lost(&self) -> bool {
        matches!(self, Fault::Lost(_) | Fault::Silent(_))
    }

    pub(crate) fn code(&self) -> Option<&SqlState> {
        match self {
            Fault::Rejected(error) | Fault::Lost(error) => error.code(),
            Fault::Silent(_) | Fault::NoThread(_) | Fault::NoState => None,
        }
    }

    /// Whether a failed `COMMIT` certainly wrote nothing.
    pub(crate) fn aborts_commit(&self) -> bool {
        let Fault::Rejected(error) = self else { return false };
        error.code().is_some_and(|code| {
            code.code().starts_with("40") && *code != SqlState::T_R_STATEMENT_COMPLETION_UNKNOWN
        })
    }

    /// Whether another client created the same table or schema at the same time.
    pub(crate) fn is_duplicate(&self) -> bool {
        let duplicates = [
            SqlState::UNIQUE_VIOLATION,
            SqlState::DUPLICATE_TABLE,
            SqlState::DUPLICATE_SCHEMA,
            SqlState::DUPLICATE_OBJECT,
        ];
        self.code().is_some_and(|code| duplicates.contains(code))
    }

    /// Whether the server cancelled the statement because of a timeout.
    pub(crate) fn is_cancelled(&self) -> bool {
        self.code() == Some(&SqlState::QUERY_CANCELED)
    }

    /// Returns the error of a statement that may have waited for an exclusive writer.
    pub(crate) fn into_waiting_error(self) -> StoreError {
        if !self.is_cancelled() {
            return self.into_error();
        }
        let advice = advice("an exclusive writer did not finish in time", WAIT_FOR_WRITER);
        StoreError::new(StoreErrorKind::Busy).because(advice.because(self.into_error()))
    }

    /// Returns the error of a session that has not tried to commit.
    pub(crate) fn into_error(self) -> StoreError {
        match self {
            Fault::Lost(error) => {
                let problem = format!("the connection was lost: {}", message(&error));
                let advice = advice(problem, RUN_AGAIN).because(error);
                StoreError::new(StoreErrorKind::SnapshotExpired).because(advice)
            }
            Fault::Silent(after) => StoreError::new(StoreErrorKind::SnapshotExpired)
                .because(advice(format!("no answer of the server after {after:?}"), RUN_AGAIN)),
            Fault::NoThread(error) => Advice::no_thread(ENGINE, error).into(),
            Fault::NoState => advice(
                "the server returned no number of its state",
                "use PostgreSQL 15 or later, or CockroachDB",
            )
            .into(),
            Fault::Rejected(error) => rejected(error),
        }
    }
}

fn rejected(error: tokio_postgres::Error) -> StoreError {
    let code = error.code().cloned().unwrap_or(SqlState::INTERNAL_ERROR);
    let conflicts = [
        SqlState::T_R_SERIALIZATION_FAILURE,
        SqlState::T_R_DEADLOCK_DETECTED,
        // Two transactions inserted the same key.
        SqlState::UNIQUE_VIOLATION,
    ];
    let problem = message(&error);
    if conflicts.contains(&code) {
        let advice = advice(problem, RUN_AGAIN).because(error);
        return StoreError::new(StoreErrorKind::Conflict).because(advice);
    }
    let kind = match code {
        SqlState::LOCK_NOT_AVAILABLE => StoreErrorKind::Busy,
        SqlState::READ_ONLY_SQL_TRANSACTION | SqlState::INSUFFICIENT_PRIVILEGE => {
            StoreErrorKind::ReadOnly
        }
        _ => StoreErrorKind::Backend { engine: ENGINE },
    };
    StoreError::new(kind).because(advice(problem, remedy(&code)).because(error))
}

const RUN_AGAIN: &str = "run it again";
const WAIT_FOR_WRITER: &str = "another client writes alone; try again when it has finished";

/// Returns the advice for an error of the server.
fn remedy(code: &SqlState) -> &'static str {
    match code.code() {
        "57014" => "allow more time with `Options::statement_timeout`, or write less at once",
        "55P03" => WAIT_FOR_WRITER,
        "25006" => "connect to the primary server, or open the database for reading",
        "42501" => "grant the rights on the schema to this user",
        "53100" => "free disk space on the server",
        "53200" => "raise `max_pred_locks_per_transaction` of the server, or read less at once",
        "53300" => "raise `max_connections` of the server, or lower `Options::connections`",
        "28P01" | "28000" => "correct the user or the password in the address",
        "3D000" => "create the database on the server, or correct its name in the address",
        "3F000" | "42P01" => "create the Keyscape database first",
        "54000" => "shorten the key",
        _ => "see the log of the server",
    }
}

/// Returns the message of an error, including the reason that the server gives.
pub(crate) fn message(error: &tokio_postgres::Error) -> String {
    match error.as_db_error() {
        Some(refusal) => {
            let detail = refusal.detail().map(|detail| format!(" ({detail})")).unwrap_or_default();
            format!("{}{detail} [{}]", refusal.message(), refusal.code().code())
        }
        None => {
            let source = error.source().map(|source| format!(": {source}")).unwrap_or_default();
            format!("{error}{source}")
        }
    }
}

/// Returns the error of a failed attempt to connect.
pub(crate) fn connect_error(error: tokio_postgres::Error) -> StoreError {
    let (problem, remedy) = match error.as_db_error() {
        Some(refusal) if !is_temporary(refusal) => (message(&error), remedy(refusal.code())),
        _ => {
            // The message of the library repeats the problem, so remove that part.
            let reason = message(&error);
            let reason = reason.strip_prefix("error connecting to server: ").unwrap_or(&reason);
            (format!("cannot connect to the server: {reason}"), remedy_at_start(&error))
        }
    };
    advice(problem, remedy).because(error).into()
}

fn remedy_at_start(error: &tokio_postgres::Error) -> &'static str {
    if is_untrusted(error) {
        return "name the authority of the server's certificate with `Options::root_certificates`, \
                and use the host name of the certificate";
    }
    let source = error.source().map(ToString::to_string).unwrap_or_default();
    if source.contains("does not support TLS") {
        return "set `ssl = on` on the server, or remove `sslmode=require` from the address";
    }
    "start the server, or correct the address"
}

/// Whether encryption failed, because a certificate or the protocol is not acceptable.
fn is_untrusted(error: &tokio_postgres::Error) -> bool {
    let source = error.source().and_then(|source| source.downcast_ref::<io::Error>());
    source.is_some_and(|error| error.kind() == io::ErrorKind::InvalidData)
}

/// Whether a later attempt to connect may succeed.
pub(crate) fn can_connect_later(error: &tokio_postgres::Error) -> bool {
    match error.as_db_error() {
        Some(refusal) => is_temporary(refusal),
        None => {
            let is_io = error.source().is_some_and(|source| source.is::<io::Error>());
            (is_io && !is_untrusted(error)) || error.is_closed()
        }
    }
}

fn is_temporary(refusal: &DbError) -> bool {
    let code = refusal.code().code();
    code.starts_with("57P") || code == "53300"
}
