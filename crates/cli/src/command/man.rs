//! `keyscape man`

use crate::{
    command::Arguments,
    failure::{Exit, Failure},
};
use clap::{Args, CommandFactory};
use keyscape_diagnostics::file::FileError;
use std::path::PathBuf;

/// Generate manual pages
///
/// Writes one page per command, `keyscape.1` and `keyscape-COMMAND.1`, and replaces older pages.
#[derive(Args, Debug)]
#[command(after_help = "\
EXAMPLES
  keyscape man ~/.local/share/man/man1
  man keyscape-check")]
pub(crate) struct Man {
    /// The existing directory to write the pages to
    directory: PathBuf,
}

impl Man {
    pub(crate) fn run(self) -> Result<Exit, Failure> {
        let path = self.directory.display();
        let problem = match (self.directory.is_dir(), self.directory.exists()) {
            (true, _) => None,
            (false, true) => Some(format!("`{path}` is not a directory")),
            (false, false) => Some(format!("there is no directory `{path}`")),
        };
        if let Some(problem) = problem {
            return Err(Failure::input(problem, "name an existing directory"));
        }
        clap_mangen::generate_to(Arguments::command(), &self.directory)
            .map_err(|source| FileError::Write { path: self.directory, source })?;
        Ok(Exit::Fine)
    }
}
