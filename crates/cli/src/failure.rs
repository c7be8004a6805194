//! Errors that end a command, and how they are reported.

use crate::{
    command::{DemoError, query_failed},
    database::{DatabaseError, engine},
    exit::Exit,
    input::{InputError, genesis::GenesisError, load::BadRow},
    output::{message::Message, stderr},
};
use keyscape_automata::OverBudget;
use keyscape_diagnostics::file::{self, FileError};
use keyscape_inspect::database::build_help;
use keyscape_migrate::MigrateError;
use keyscape_query::QueryError;
use keyscape_sim::{Fault, SimError};
use keyscape_store::{LayoutError, StoreError, StoreErrorKind};
use keyscape_store_remote::Advice;
use std::{error::Error as _, io, path::Path};

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
    /// The command line asks for something that is not possible.
    #[error("{0}")]
    Usage(String),
    /// An error whose advice only the command knows.
    #[error("{title}")]
    Advised { title: String, help: String, exit: Exit },
    /// A migration does not run.
    #[error(transparent)]
    Migrate(#[from] MigrateError),
    /// An import contains a bad row.
    #[error(transparent)]
    BadRow(Box<BadRow>),
    /// A genesis cannot be read, or the input is not a genesis.
    #[error(transparent)]
    Genesis(#[from] GenesisError),
    /// A simulation ended early.
    #[error(transparent)]
    Simulation(#[from] SimError),
    /// A system could not read its state.
    #[error("{0}")]
    System(#[source] Fault),
    /// A query of a system failed.
    #[error(transparent)]
    Query(#[from] QueryError),
    /// The demo failed.
    #[error(transparent)]
    Demo(#[from] DemoError),
    /// A session of the language server failed.
    #[error(transparent)]
    Lsp(#[from] keyscape_lsp::ServeError),
    /// The explorer cannot run.
    #[error(transparent)]
    Serve(#[from] keyscape_explorer::ServeError),
    /// Others can connect to the address of the explorer, and no token protects it.
    #[error("`{address}` is not a loopback address, so others can connect to it")]
    OpenAddress { address: std::net::SocketAddr },
    /// The automaton of a layout is too large to decode with.
    #[error("the layout is too large for decoding: {0}")]
    TooLarge(#[from] OverBudget),
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
    /// Adds the layout of the command line to the advice to build an index.
    pub(crate) fn with_layout(self, layout: Option<&Path>) -> Self {
        match self {
            Self::Database(ref error @ DatabaseError::Unbuilt { ref path, ref index, .. }) => {
                let help = engine::repeatable(build_help(path, index, layout));
                Self::Advised { title: error.to_string(), help, exit: Exit::of(error) }
            }
            failure => failure,
        }
    }

    /// Prints the error to stderr. If rows are only copied to stdout, a closed pipe is not an
    /// error.
    pub(crate) fn report(&self) -> Exit {
        match self {
            Self::Output(error) if error.kind() == io::ErrorKind::BrokenPipe => return Exit::Fine,
            Self::Layout(file::LayoutError::Rejected(rejected)) => {
                stderr::rejected(rejected);
                return Exit::Input;
            }
            Self::BadRow(row) => return row.report(),
            Self::Database(DatabaseError::Unsound { findings }) => stderr::print(findings),
            _ => {}
        }
        let (title, help, exit) = self.described();
        stderr::say(&Message::error(title).with_help(help));
        exit
    }

    /// Returns the title, the help and the exit status.
    fn described(&self) -> (String, Option<String>, Exit) {
        let (help, exit) = match self {
            Self::Input(error) => (error.help(), Exit::Input),
            Self::Database(error) => match server_problem(error) {
                Some((title, help)) => return (title, help, Exit::of(error)),
                None => (error.help().map(engine::repeatable), Exit::of(error)),
            },
            Self::Advised { help, exit, .. } => (Some(help.clone()), *exit),
            Self::Migrate(error) => migration(error),
            Self::Genesis(error) => (error.help(), error.exit()),
            Self::Query(error) => query_failed(error),
            Self::Demo(error) => (error.help(), error.exit()),
            Self::Simulation(error) => simulation(error),
            Self::OpenAddress { .. } => {
                let help = "add `--token TOKEN`, or `--no-token` to let everybody read";
                (Some(help.to_owned()), Exit::Input)
            }
            Self::System(_) => (None, Exit::Refuted),
            _ => (None, Exit::Input),
        };
        (self.to_string(), help, exit)
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
        MigrateError::Database(error) => (error.help(), Exit::of(error)),
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
        SimError::Begin { .. } | SimError::Block { .. } | SimError::Broken { .. } => {
            (None, Exit::Refuted)
        }
        _ => (None, Exit::Input),
    }
}
