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
        if !self.directory.is_dir() {
            let title = format!("`{}` is not an existing directory", self.directory.display());
            return Err(Failure::input(title, "create it first, or name another one"));
        }
        clap_mangen::generate_to(Arguments::command(), &self.directory)
            .map_err(|source| FileError::Write { path: self.directory, source })?;
        Ok(Exit::Fine)
    }
}
