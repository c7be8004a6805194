//! `keyscape fmt`

use crate::{
    database::engine,
    failure::{Exit, Failure},
    input::layout::{is_database, read_text, rejected},
    output::{destination, stderr, stdout},
};
use clap::Args;
use keyscape_diagnostics::{
    escape::escaped,
    file::{FileError, is_stdin},
};
use keyscape_layout::syntax;
use std::path::{Path, PathBuf};

/// Format layouts
///
/// Replaces each file atomically. A file with a syntax error is not changed. `-` reads stdin and
/// writes stdout.
#[derive(Args, Debug)]
#[command(after_help = "\
EXAMPLES
  keyscape fmt shop.keys
  keyscape fmt --check layouts/*.keys
  keyscape fmt - < shop.keys")]
pub(crate) struct Fmt {
    /// Files to format, or `-`
    #[arg(required = true, value_name = "FILE")]
    files: Vec<PathBuf>,
    /// Print the files that would change, without changing them
    #[arg(long)]
    check: bool,
}

impl Fmt {
    pub(crate) fn run(self) -> Result<Exit, Failure> {
        let mut exit = Exit::Fine;
        for path in &self.files {
            let outcome = self.file(path);
            exit = exit.max(match outcome {
                Ok(exit) => exit,
                Err(failure @ Failure::Output(_)) => return Err(failure),
                Err(failure) => failure.report(),
            });
        }
        Ok(exit)
    }

    fn file(&self, path: &Path) -> Result<Exit, Failure> {
        if is_database(path) {
            let path = engine::without_password(path);
            return Err(Failure::input(
                format!("`{}` is a database, not a layout file", path.display()),
                format!("`keyscape layout {}` prints the layout that it stores", path.display()),
            ));
        }
        let (name, old) = read_text(path)?;
        let new = syntax::format(&old).map_err(|diagnostics| rejected(&name, &old, diagnostics))?;
        if self.check {
            if new == old {
                return Ok(Exit::Fine);
            }
            stdout::print_data(format!("{}\n", escaped(&name)))?;
            return Ok(Exit::Refuted);
        }
        if is_stdin(path) {
            stdout::print_data(&new)?;
        } else if new != old {
            destination::replace(path, &new)
                .map_err(|source| FileError::Write { path: path.to_owned(), source })?;
            stderr::line(&format!("formatted {name}"));
        }
        Ok(Exit::Fine)
    }
}
