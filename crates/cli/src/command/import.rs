//! `keyscape import`

use crate::{
    database::{IndexMismatch, OpenDatabase, Opened, Verification},
    exit::Exit,
    failure::Failure,
    input::{
        InputError,
        load::{How, Load, Places},
    },
    output::{
        message::Message,
        talk::{self, many},
    },
};
use clap::Args;
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
/// memory. Finally, each index whose entries only the program can compute is compared with its map:
/// each row needs an entry.
///
/// Proves the layout first, and verifies the checksums of an existing file. Exit status: 1 if an
/// index and its map do not agree, or the layout is not sound; 2 if a line is bad.
#[derive(Args, Debug)]
#[command(after_help = "\
EXAMPLES
  keyscape import --create shop.keys copy.redb shop.jsonl
  keyscape export shop.keys shop.redb | keyscape import --create shop.keys copy.redb
  echo '{\"keyspace\":\"orders\",\"fields\":{\"user\":1,\"order\":7},\"value\":\"ink\"}' \\
    | keyscape import shop.keys shop.redb")]
pub(crate) struct Import {
    /// The layout; `-` is stdin
    layout: PathBuf,
    /// The database file
    #[arg(value_name = "DB")]
    db: PathBuf,
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
        if self.file.is_none() && file::is_stdin(&self.layout) {
            return Err(InputError::Stdin { what: "the lines" }.into());
        }
        let layout = file::open(&self.layout)?;
        let (lines, input) = self.input()?;
        let opened = if self.create { Opened::New } else { Opened::ToWrite(self.verification) };
        let base = OpenDatabase::open(&layout, &self.db, opened)?;
        let how = if self.atomic { How::Atomic } else { How::Replacing };
        let mut load = Load::new(&base, &lines, how);
        let outcome = self.fill(&mut load, &lines, input);
        let nothing = !load.has_committed();
        drop(load);
        drop(base);
        if self.create && nothing && !matches!(outcome, Ok(Exit::Fine)) {
            // Best-effort removal of an empty new file.
            let _ = fs::remove_file(&self.db);
        }
        outcome
    }

    fn fill(
        &self,
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
        Ok(tell(&astray, load.rows(), self.atomic))
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

fn tell(astray: &[IndexMismatch], rows: u64, atomic: bool) -> Exit {
    for found in astray {
        let IndexMismatch { index, map, without_row, rows, entries } = found;
        let mut message = Message::error(format!("index `{index}` does not agree with `{map}`"));
        message.line(format!("rows of `{map}`: {rows}; entries of `{index}`: {entries}"));
        if *without_row > 0 {
            message.line(format!("entries without a row: {without_row}"));
        }
        talk::say(&message.with_help(Some(
            "import rows and entries together, or rebuild the index with your program".to_owned(),
        )));
    }
    match (astray, atomic) {
        ([], _) => {
            talk::print(&format!("imported {}\n", many(rows, "row")));
            Exit::Fine
        }
        (_, true) => {
            talk::print("nothing was written\n");
            Exit::Refuted
        }
        (_, false) => {
            talk::print(&format!("imported {} nevertheless\n", many(rows, "row")));
            Exit::Refuted
        }
    }
}
