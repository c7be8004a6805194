//! `keyscape import`

use crate::{
    audit::Findings,
    database::{Additions, Opened, Verification, open, warn_unbuilt},
    exit::Exit,
    failure::Failure,
    input::{
        InputError,
        layout::DatabaseArgument,
        load::{How, Load, Places},
    },
    output::{
        audit,
        talk::{self, many},
    },
};
use clap::Args;
use keyscape_layout::Layout;
use keyscape_report::file::{self, FileError};
use std::{
    fs::{self, File},
    io::{BufRead, BufReader, IsTerminal},
    path::PathBuf,
};

/// Import rows from lines in the format of `export`
///
/// A row of a map is written with its index entries. Entries and records of structures that are
/// lines of their own are written unchanged. A member of a set, zset or queue without `family` is
/// written as by `put`. An existing row is replaced, so an import can be repeated; it also restores
/// missing index entries.
///
/// Lines are committed in batches of some thousand. A bad line ends the import; the message names
/// the line and the committed lines. With --atomic all lines are one commit, which is held in
/// memory. Finally, indexes and structures whose entries or records were lines of their own are
/// compared with the rows that they follow from.
///
/// Rows can also be given as bytes, for instance from another tool: {"store", "key", "value"}, both in
/// hexadecimal. A row that belongs to a keyspace is written as if its fields were given.
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
    /// The lines; default: stdin
    #[arg(value_name = "FILE")]
    file: Option<PathBuf>,
    /// Create the database file; it must not exist
    #[arg(long)]
    create: bool,
    /// Write all lines in one commit
    #[arg(long)]
    atomic: bool,
    #[command(flatten)]
    additions: Additions,
    #[command(flatten)]
    verification: Verification,
}

/// The lines of a file or of stdin, as positions for error messages.
struct Lines {
    of: String,
}

impl Places for Lines {
    fn place(&self, line: u64) -> String {
        format!("{}:{line}", self.of)
    }

    fn written(&self, committed: u64) -> String {
        match committed {
            0 => "nothing was written".to_owned(),
            lines => format!("lines 1 to {lines} were written, later ones were not"),
        }
    }
}

impl Import {
    pub(crate) fn run(self) -> Result<Exit, Failure> {
        if self.file.is_none() && self.database.layout.as_deref().is_some_and(file::is_stdin) {
            return Err(InputError::Stdin { what: "the lines" }.into());
        }
        let layout = self.database.load()?;
        let (lines, input) = self.input()?;
        let opened = if self.create {
            Opened::New
        } else {
            Opened::ToWrite(self.verification, self.additions)
        };
        let base = open(&layout, &self.database.db, opened)?;
        let how = if self.atomic { How::Atomic } else { How::Replacing };
        warn_unbuilt(&base);
        let mut load = Load::new(&base, &lines, how);
        let outcome = self.fill(&layout, &mut load, &lines, input);
        let nothing = !load.has_committed();
        drop(load);
        drop(base);
        if self.create && nothing && !matches!(outcome, Ok(Exit::Fine)) {
            // Best-effort removal of an empty new file.
            let _ = fs::remove_file(&self.database.db);
        }
        outcome
    }

    fn fill(
        &self,
        layout: &Layout,
        load: &mut Load<'_>,
        lines: &Lines,
        mut input: Box<dyn BufRead>,
    ) -> Result<Exit, Failure> {
        let unreadable = |source| FileError::Read { path: lines.of.clone().into(), source };
        let mut text = Vec::new();
        while input.read_until(b'\n', &mut text).map_err(unreadable)? > 0 {
            load.take(&text)?;
            text.clear();
        }
        let astray = load.finish()?;
        Ok(tell(layout, &astray, load.rows(), self.atomic))
    }

    fn input(&self) -> Result<(Lines, Box<dyn BufRead>), Failure> {
        match &self.file {
            Some(path) => {
                let opened = File::open(path);
                let file =
                    opened.map_err(|source| FileError::Read { path: path.clone(), source })?;
                let lines = Lines { of: path.display().to_string() };
                Ok((lines, Box::new(BufReader::with_capacity(1 << 18, file))))
            }
            None => {
                let stdin = std::io::stdin();
                if stdin.is_terminal() {
                    talk::print("reading lines from the terminal\n");
                }
                let lines = Lines { of: "stdin".to_owned() };
                Ok((lines, Box::new(BufReader::with_capacity(1 << 18, stdin))))
            }
        }
    }
}

fn tell(layout: &Layout, astray: &Findings, rows: u64, atomic: bool) -> Exit {
    for finding in astray.iter() {
        talk::say(&audit::message(layout, &finding).with_help(Some(
            "import rows and entries together, or rebuild the index with your program".to_owned(),
        )));
    }
    match (astray.is_empty(), atomic) {
        (true, _) => {
            talk::print(&format!("imported {}\n", many(rows, "row")));
            Exit::Fine
        }
        (false, true) => {
            talk::print("nothing was written\n");
            Exit::Refuted
        }
        (false, false) => {
            talk::print(&format!("imported {} nevertheless\n", many(rows, "row")));
            Exit::Refuted
        }
    }
}
