//! `keyscape import`

use super::audit;
use crate::{
    audit::Findings,
    database::{Additions, DatabaseArgument, engine, publish, stage, warn_unbuilt},
    failure::{Exit, Failure},
    input::{
        layout,
        load::{ImportMode, Load, RowSource, input},
    },
    output::stderr::{self, many},
};
use clap::Args;
use keyscape_diagnostics::file::{self, FileError};
use keyscape_layout::Layout;
use std::{
    io::{BufRead, Read as _},
    path::{Path, PathBuf},
};

/// Import rows from lines in the format of `export`
///
/// A row of a map is written with its index entries. Lines for index entries and records of
/// structures are written unchanged. A member of a set, zset or queue without `family` is
/// written as by `put`. An existing row is replaced, so an import can be repeated; it also restores
/// missing index entries.
///
/// Lines are committed in batches of some thousand. A bad line ends the import; the message names
/// the line and the committed lines. With --atomic all lines are one commit, which is held in
/// memory. With --create, the file is complete or does not exist. Finally, indexes and structures
/// whose entries or records were imported are compared with the rows that they follow from.
///
/// Rows can also be given as bytes, for instance from another tool: {"store", "key", "value"}, both
/// in hexadecimal. A row that belongs to a keyspace is written as if its fields were given.
///
/// Proves the layout first, and verifies the checksums of an existing file. Exit status: 1 if an
/// index and its map do not agree, or the layout is not sound; 2 if a line is bad.
#[derive(Args, Debug)]
#[command(after_help = "\
EXAMPLES
  keyscape import copy.redb shop.jsonl --create --layout shop.keys
  keyscape export shop.redb | keyscape import copy.redb --create --layout shop.redb
  echo '{\"keyspace\":\"orders\",\"fields\":{\"user\":1,\"order\":7},\"value\":\"ink\"}' \\
    | keyscape import shop.redb")]
pub(crate) struct Import {
    #[command(flatten)]
    database: DatabaseArgument,
    /// The file with the lines [default: stdin, as with `-`]
    #[arg(value_name = "FILE")]
    file: Option<PathBuf>,
    /// Create the database file; it must not exist
    #[arg(long, requires = "layout")]
    create: bool,
    /// Write all lines in one commit
    #[arg(long)]
    atomic: bool,
    #[command(flatten)]
    additions: Additions,
}

/// The maximum length of a line, in bytes.
const MAX_LINE_BYTES: u64 = 256 << 20;

impl Import {
    pub(crate) fn run(self) -> Result<Exit, Failure> {
        let is_stdin = self.file.as_deref().is_none_or(file::is_stdin);
        if is_stdin && self.database.layout.as_deref().is_some_and(file::is_stdin) {
            return Err(layout::stdin_twice("the lines"));
        }
        let layout = self.database.load()?;
        let (name, input) = input(self.file.as_deref())?;
        let source = RowSource { name, separator: ":", is_new: self.create };
        let (base, staged) = if self.create {
            stage(&layout, &self.database.db)?
        } else {
            (self.database.open(&layout, self.additions)?, None)
        };
        let mode = if self.atomic { ImportMode::Atomic } else { ImportMode::Replace };
        warn_unbuilt(&base);
        let mut load = Load::new(&base, &source, mode);
        let outcome = self.fill(&layout, &mut load, &source.name, input);
        let is_written = !self.atomic || matches!(outcome, Ok(Exit::Fine));
        drop(load);
        let exit = outcome?;
        if is_written {
            publish(base, staged)?;
        }
        Ok(exit)
    }

    fn fill(
        &self,
        layout: &Layout,
        load: &mut Load<'_>,
        name: &str,
        mut input: Box<dyn BufRead>,
    ) -> Result<Exit, Failure> {
        let unreadable = |source| FileError::Read { path: name.into(), source };
        let mut text = Vec::new();
        loop {
            let mut line = (&mut input).take(MAX_LINE_BYTES + 1);
            if line.read_until(b'\n', &mut text).map_err(unreadable)? == 0 {
                break;
            }
            if text.len() as u64 > MAX_LINE_BYTES {
                return Err(load.line_too_long(MAX_LINE_BYTES));
            }
            load.write_line(&text)?;
            text.clear();
        }
        let inconsistent = load.finish()?;
        warn_unknown(&self.database.db, load.unknown_rows);
        Ok(report_result(layout, &inconsistent, load.rows, self.atomic))
    }
}

/// Warns about rows that no keyspace of the layout has.
fn warn_unknown(db: &Path, rows: u64) {
    if rows == 0 {
        return;
    }
    let verb = if rows == 1 { "fits" } else { "fit" };
    let title = format!("{} {verb} no keyspace of the layout", many(rows, "imported row"));
    let help = format!("`keyscape audit {}` lists them", engine::without_password(db).display());
    stderr::warn(title, Some(&help));
}

fn report_result(layout: &Layout, inconsistent: &Findings, rows: u64, atomic: bool) -> Exit {
    for finding in inconsistent.iter() {
        stderr::say(&audit::message(layout, &finding).with_help(Some(
            "import rows and entries together, or build the index with `keyscape index build` or \
             your program"
                .to_owned(),
        )));
    }
    match (inconsistent.is_empty(), atomic) {
        (true, _) => {
            stderr::line(&format!("imported {}", many(rows, "row")));
            Exit::Fine
        }
        (false, true) => {
            stderr::line("nothing was written");
            Exit::Refuted
        }
        (false, false) => {
            stderr::line(&format!("imported {} with these findings", many(rows, "row")));
            Exit::Refuted
        }
    }
}
