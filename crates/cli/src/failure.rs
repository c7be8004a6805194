//! Errors that end a command, how they are reported, and the exit statuses.

use crate::{
    input::InputError,
    output::{message::Message, stderr},
};
use keyscape_diagnostics::{
    escape::escaped,
    file::{self, FileError},
};
use keyscape_inspect::database::DatabaseError;
use keyscape_migrate::MigrateError;
use keyscape_query::QueryError;
use keyscape_runtime::ErrorKind;
use keyscape_sim::{Fault, SimError};
use keyscape_store::{LayoutError, StoreError, StoreErrorKind};
use keyscape_store_remote::Advice;
use std::{error::Error as _, io, process::ExitCode};

/// The exit status of a run. The maximum of several statuses wins.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Exit {
    /// Success.
    Fine = 0,
    /// A claim is not proved, a key is unknown, a row is missing or does not fit, or a file or a
    /// database is different.
    Refuted = 1,
    /// The command line or its input is wrong.
    Input = 2,
    /// A bug in Keyscape, or a damaged file on which the engine fails.
    Bug = 3,
}

impl Exit {
    /// Returns the exit status of an error of a database.
    pub(crate) fn of(error: &DatabaseError) -> Self {
        match error {
            DatabaseError::Access(error) if matches!(error.kind(), ErrorKind::ClaimLost { .. }) => {
                Self::Refuted
            }
            DatabaseError::Layout {
                source:
                    LayoutError::Changed { .. }
                    | LayoutError::Missing { .. }
                    | LayoutError::NoCommonStore { .. }
                    | LayoutError::NewStore { .. }
                    | LayoutError::IndexNotBuilt { .. }
                    | LayoutError::Migrating { .. }
                    | LayoutError::Unfit { .. },
                ..
            }
            | DatabaseError::Unbuilt { .. }
            | DatabaseError::Derived
            | DatabaseError::NotUnique { .. }
            | DatabaseError::Buried { .. }
            | DatabaseError::Unsound { .. } => Self::Refuted,
            _ => Self::Input,
        }
    }
}

impl From<Exit> for ExitCode {
    fn from(exit: Exit) -> Self {
        Self::from(exit as u8)
    }
}

/// An error that ends a command.
#[derive(Debug, thiserror::Error)]
pub(crate) enum Failure {
    /// A layout could not be read.
    #[error(transparent)]
    Layout(#[from] file::LayoutError),
    /// A file could not be read or written.
    #[error(transparent)]
    File(#[from] FileError),
    /// Something on the command line does not fit the layout.
    #[error(transparent)]
    Input(#[from] InputError),
    /// A database file cannot be used for this command.
    #[error(transparent)]
    Database(#[from] DatabaseError),
    /// An error that the command describes itself.
    #[error("{}", .0.title)]
    Described(Box<Message>, Exit),
    /// A migration does not run.
    #[error(transparent)]
    Migrate(#[from] MigrateError),
    /// A simulation ended early.
    #[error(transparent)]
    Simulation(#[from] SimError),
    /// A system could not read its state.
    #[error("{0}")]
    System(#[source] Fault),
    /// A query of a system failed.
    #[error(transparent)]
    Query(#[from] QueryError),
    /// A session of the language server failed.
    #[error(transparent)]
    Lsp(#[from] keyscape_lsp::ServeError),
    /// The explorer cannot run.
    #[error(transparent)]
    Serve(#[from] keyscape_explorer::ServeError),
    /// stdin could not be read.
    #[error("cannot read stdin: {0}")]
    Stdin(#[source] io::Error),
    /// The output could not be written.
    #[error("cannot write the output: {0}")]
    Output(#[from] io::Error),
}

impl From<StoreError> for Failure {
    fn from(error: StoreError) -> Self {
        Self::Database(error.into())
    }
}

impl Failure {
    /// Returns an error in the input, with its help.
    pub(crate) fn input(title: impl Into<String>, help: impl Into<String>) -> Self {
        Self::described(title, Some(help.into()), Exit::Input)
    }

    /// Returns an error with its help and its exit status.
    pub(crate) fn described(title: impl Into<String>, help: Option<String>, exit: Exit) -> Self {
        Self::Described(Box::new(Message::error(title).with_help(help)), exit)
    }

    /// Returns the error of a row, key or member that does not exist, or of a check that fails.
    pub(crate) fn refuted(title: impl Into<String>) -> Self {
        Self::described(title, None, Exit::Refuted)
    }

    /// Returns the error of a state with violations, which are listed below the title.
    pub(crate) fn violated(
        title: impl Into<String>,
        violations: &[String],
        help: Option<String>,
    ) -> Self {
        let mut message = Message::error(title).with_help(help);
        violations.iter().for_each(|violation| message.line(escaped(violation)));
        Self::Described(Box::new(message), Exit::Refuted)
    }

    /// Prints the error to stderr. If rows are only copied to stdout, a closed pipe is not an
    /// error.
    pub(crate) fn report(&self) -> Exit {
        match self {
            Self::Output(error) if error.kind() == io::ErrorKind::BrokenPipe => return Exit::Fine,
            Self::Layout(file::LayoutError::Rejected(rejected)) => {
                stderr::print(&keyscape_diagnostics::rejected(rejected));
                return Exit::Input;
            }
            Self::Described(message, exit) => {
                stderr::say(message);
                return *exit;
            }
            Self::Simulation(SimError::Broken { broken, .. }) => {
                let text = self.to_string();
                let title = text.lines().next().unwrap_or_default();
                return Self::violated(title, broken, None).report();
            }
            Self::Database(DatabaseError::Unsound { findings }) => stderr::print(findings),
            _ => {}
        }
        let mut title = self.to_string();
        let (help, exit) = match self {
            Self::Input(error) => (error.help(), Exit::Input),
            Self::Database(error) | Self::Migrate(MigrateError::Database(error)) => {
                match server_problem(error) {
                    Some((problem, help)) => {
                        title = problem;
                        (help, Exit::of(error))
                    }
                    None => (error.help(), Exit::of(error)),
                }
            }
            Self::Migrate(error) => migration(error),
            Self::Query(QueryError::Argument { .. } | QueryError::Usage(_)) => {
                (Some("`--help` describes the arguments".to_owned()), Exit::Input)
            }
            Self::Simulation(error) => simulation(error),
            Self::Query(_) | Self::System(_) => (None, Exit::Refuted),
            _ => (None, Exit::Input),
        };
        stderr::say(&Message::error(title).with_help(help));
        exit
    }
}

/// Returns the problem and the remedy of an error of a server. The causes of the error repeat the
/// problem.
fn server_problem(error: &DatabaseError) -> Option<(String, Option<String>)> {
    let (DatabaseError::Store(error)
    | DatabaseError::Layout { source: LayoutError::Store(error), .. }) = error
    else {
        return None;
    };
    let StoreErrorKind::Backend { engine: "postgres" | "tikv" } = error.kind() else { return None };
    let source = error.source()?;
    Some(match source.downcast_ref::<Advice>() {
        Some(advice) => (advice.problem().to_owned(), Some(advice.remedy().to_owned())),
        None => (source.to_string(), None),
    })
}

/// Returns the help and the exit status of a migration that does not run.
fn migration(error: &MigrateError) -> (Option<String>, Exit) {
    match error {
        MigrateError::NotInPlace(_) => {
            (Some("copy to a new file with `--to NEW`".to_owned()), Exit::Refuted)
        }
        MigrateError::NotEmpty { .. } => {
            (Some("choose a file that does not exist".to_owned()), Exit::Input)
        }
        MigrateError::Refuted(code) => {
            (Some(format!("`keyscape rule {code}` describes the claim")), Exit::Refuted)
        }
        MigrateError::Row { .. } => {
            (Some("the old rows have not changed".to_owned()), Exit::Refuted)
        }
        MigrateError::Other { .. } | MigrateError::Unsound => (None, Exit::Refuted),
        _ => (None, Exit::Input),
    }
}

/// Returns the help and the exit status of a simulation that ended early.
fn simulation(error: &SimError) -> (Option<String>, Exit) {
    match error {
        SimError::Seed { stored, .. } => {
            (Some(format!("continue with `--seed {stored}`, or use another file")), Exit::Input)
        }
        SimError::Further { reached, .. } => {
            (Some(format!("use `--blocks {reached}` or more, or use another file")), Exit::Input)
        }
        SimError::Foreign { .. } => {
            (Some("choose another file; this one was not changed".to_owned()), Exit::Input)
        }
        SimError::Begin { .. } | SimError::Block { .. } => (None, Exit::Refuted),
        _ => (None, Exit::Input),
    }
}
