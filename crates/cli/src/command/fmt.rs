//! `keyscape fmt`

use crate::{
    failure::{Exit, Failure},
    output::{destination, stderr, stdout},
};
use clap::Args;
use keyscape_diagnostics::escape::escaped;
use keyscape_diagnostics::file::{
    FileError, LayoutError, STDIN, is_stdin, read_bytes, stdin_bytes, text_of,
};
use keyscape_layout::{Rejected, Sources, syntax};
use std::{
    io::Write,
    path::{Path, PathBuf},
};

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
        let is_stdin = is_stdin(path);
        let (shown, bytes) = if is_stdin {
            (STDIN.to_owned(), stdin_bytes()?)
        } else {
            (path.display().to_string(), read_bytes(path)?)
        };
        let old = text_of(&shown, &bytes).map_err(LayoutError::Rejected)?;
        let new = format(&shown, &old)?;
        let mut out = stdout::plain();
        if self.check {
            if new == old {
                return Ok(Exit::Fine);
            }
            writeln!(out, "{}", escaped(&shown))?;
            return Ok(Exit::Refuted);
        }
        if is_stdin {
            out.write_all(new.as_bytes())?;
            out.flush()?;
        } else if new != old {
            destination::replace(path, &new)
                .map_err(|source| FileError::Write { path: path.to_owned(), source })?;
            stderr::line(&format!("formatted {shown}"));
        }
        Ok(Exit::Fine)
    }
}

fn format(path: &str, text: &str) -> Result<String, LayoutError> {
    syntax::format(text).map_err(|diagnostics| {
        let mut sources = Sources::default();
        sources.add(path, text);
        LayoutError::Rejected(Box::new(Rejected { diagnostics, sources, work: 0 }))
    })
}
