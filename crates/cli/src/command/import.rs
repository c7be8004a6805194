//! `keyscape import`

use crate::{
    database::{
        Astray, Base, DatabaseError, Kept, Opened, Writer, check_entries, indexes_from_value,
    },
    exit::Exit,
    failure::Failure,
    input::line::{Line, LineError},
    output::{
        message::Message,
        progress::Progress,
        talk::{self, many},
    },
};
use clap::Args;
use keyscape_layout::model::{KeyspaceId, KeyspaceKind};
use keyscape_report::file::{self, FileError};
use keyscape_store::{Mode, StoreId, Tx};
use std::{
    collections::BTreeSet,
    fs::{self, File},
    io::{BufRead, BufReader, IsTerminal},
    path::PathBuf,
};

/// Write rows into a database, from lines as `export` prints them
///
/// Rows of maps bring their entries in indexes with them; entries and records of structures that are
/// lines of their own are written as they are. A member of a set or zset without `family` is put as
/// `put` does it. A row that is there is replaced, so that an import can be repeated; an index that had
/// lost entries has them again.
///
/// Lines are committed in batches of some thousand. A bad line ends the import; it is said which line,
/// and which lines are committed. With --atomic all lines are one commit, which is held in memory:
/// all of them are written or none. An index that takes fields from values is compared with its map
/// at the end: each row needs an entry.
///
/// The layout is proved first. Exit status: 1 if an index and its map do not agree, or the layout is
/// not sound; 2 if a line is bad.
#[derive(Args, Debug)]
#[command(after_help = "\
EXAMPLES
  keyscape import --create shop.keys copy.redb shop.jsonl
  keyscape export shop.keys shop.redb | keyscape import --create shop.keys copy.redb
  echo '{\"keyspace\":\"orders\",\"fields\":{\"user\":1,\"order\":7},\"value\":\"ink\"}' \\
    | keyscape import shop.keys shop.redb")]
pub(crate) struct Import {
    /// The layout
    layout: PathBuf,
    /// The database file
    #[arg(value_name = "DB")]
    db: PathBuf,
    /// The lines; without a file, stdin
    #[arg(value_name = "FILE")]
    file: Option<PathBuf>,
    /// Make the database file; there must be none yet
    #[arg(long)]
    create: bool,
    /// All lines in one commit
    #[arg(long)]
    atomic: bool,
}

/// How many lines, and how many bytes of them, are committed at once.
const BATCH_LINES: u64 = 10_000;
const BATCH_BYTES: usize = 16 << 20;

/// A line that ends an import.
#[derive(Debug, thiserror::Error)]
#[error("{place}:{line}: {what}")]
pub(crate) struct BadLine {
    place: String,
    line: u64,
    what: Wrong,
    committed: u64,
}

#[derive(Debug, thiserror::Error)]
enum Wrong {
    #[error("it is not UTF-8")]
    Utf8,
    #[error(transparent)]
    Line(#[from] LineError),
    #[error("{0}")]
    Database(DatabaseError),
    #[error("the layout has no store `{0}`")]
    Store(String),
    #[error("this key is one of a keyspace; give its fields")]
    Known,
}

impl BadLine {
    /// What is wrong, what to do, and what is in the database.
    pub(crate) fn report(&self) -> Exit {
        let help = match &self.what {
            Wrong::Line(error) => error.help(),
            Wrong::Database(error) => error.help(),
            Wrong::Utf8 | Wrong::Store(_) | Wrong::Known => None,
        };
        let mut message = Message::error(self.to_string()).help_maybe(help);
        message.line(match self.committed {
            0 => "nothing was written".to_owned(),
            lines => format!("lines 1 to {lines} are written, and nothing after them"),
        });
        talk::say(&message);
        match &self.what {
            Wrong::Database(error) => error.exit(),
            _ => Exit::Input,
        }
    }
}

impl Import {
    pub(crate) fn run(self) -> Result<Exit, Failure> {
        let layout = file::open(&self.layout)?;
        let (place, input) = self.input()?;
        let how = if self.create { Opened::New } else { Opened::ToWrite };
        let base = Base::open(&layout, &self.db, how)?;
        let mut run = Run {
            base: &base,
            place,
            line: 0,
            committed: 0,
            rows: 0,
            touched: BTreeSet::new(),
            progress: Progress::new("importing"),
        };
        let outcome = self.fill(&mut run, input);
        let nothing = run.committed == 0;
        drop(run);
        drop(base);
        if self.create && nothing && !matches!(outcome, Ok(Exit::Fine)) {
            // A file that nothing came into is none; that it cannot be taken away is the smaller problem.
            let _ = fs::remove_file(&self.db);
        }
        outcome
    }

    fn fill(&self, run: &mut Run<'_>, mut input: Box<dyn BufRead>) -> Result<Exit, Failure> {
        let base = run.base;
        let mut tx = base.db.begin(Mode::Write)?;
        let (mut text, mut lines, mut bytes) = (Vec::new(), 0, 0);
        loop {
            text.clear();
            let read = input.read_until(b'\n', &mut text).map_err(|error| run.unreadable(error))?;
            if read == 0 {
                break;
            }
            run.take(&mut tx, &text)?;
            (lines, bytes) = (lines + 1, bytes + read);
            if !self.atomic && (lines >= BATCH_LINES || bytes >= BATCH_BYTES) {
                run.commit(tx)?;
                tx = base.db.begin(Mode::Write)?;
                (lines, bytes) = (0, 0);
            }
        }
        let astray = check_entries(base.layout, &base.reader, &tx, &run.touched)?;
        if astray.is_empty() || !self.atomic {
            run.commit(tx)?;
        }
        Ok(tell(&astray, run.rows, self.atomic))
    }

    fn input(&self) -> Result<(String, Box<dyn BufRead>), Failure> {
        match &self.file {
            Some(path) => {
                let opened = File::open(path);
                let file =
                    opened.map_err(|source| FileError::Read { path: path.clone(), source })?;
                Ok((path.display().to_string(), Box::new(BufReader::with_capacity(1 << 18, file))))
            }
            None => {
                let stdin = std::io::stdin();
                if stdin.is_terminal() {
                    talk::print("reading lines from the terminal\n");
                }
                Ok(("stdin".to_owned(), Box::new(BufReader::with_capacity(1 << 18, stdin))))
            }
        }
    }
}

fn tell(astray: &[Astray], rows: u64, atomic: bool) -> Exit {
    for found in astray {
        let Astray { index, map, without_row, rows, entries } = found;
        let mut message = Message::error(format!("index `{index}` does not agree with `{map}`"));
        message.line(format!("rows of `{map}`: {rows}; entries of `{index}`: {entries}"));
        if *without_row > 0 {
            message.line(format!("entries that stand for no row: {without_row}"));
        }
        talk::say(&message.help_maybe(Some(
            "import rows and entries together, or rebuild the index by the program".to_owned(),
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
            talk::print(&format!("imported {} all the same\n", many(rows, "row")));
            Exit::Refuted
        }
    }
}

/// How far an import is.
struct Run<'a> {
    base: &'a Base<'a>,
    place: String,
    line: u64,
    committed: u64,
    rows: u64,
    /// Indexes that have to be compared with their maps.
    touched: BTreeSet<KeyspaceId>,
    progress: Progress,
}

impl Run<'_> {
    fn bad(&self, what: Wrong) -> Failure {
        let Self { place, line, committed, .. } = self;
        let (line, committed) = (*line, *committed);
        Failure::BadLine(Box::new(BadLine { place: place.clone(), line, what, committed }))
    }

    fn commit(&mut self, tx: Tx<'_>) -> Result<(), Failure> {
        tx.commit().map_err(|error| self.bad(Wrong::Database(error.into())))?;
        self.committed = self.line;
        Ok(())
    }

    fn unreadable(&self, error: std::io::Error) -> Failure {
        Failure::from(FileError::Read { path: self.place.clone().into(), source: error })
    }

    fn take(&mut self, tx: &mut Tx<'_>, text: &[u8]) -> Result<(), Failure> {
        self.line += 1;
        let text = text.trim_ascii();
        if text.is_empty() {
            return Ok(());
        }
        let text = std::str::from_utf8(text).map_err(|_| self.bad(Wrong::Utf8))?;
        let line = Line::read(self.base.layout, text).map_err(|error| self.bad(error.into()))?;
        self.write(tx, &line).map_err(|wrong| self.bad(wrong))?;
        self.rows += 1;
        self.progress.row();
        Ok(())
    }

    fn write(&mut self, tx: &mut Tx<'_>, line: &Line) -> Result<(), Wrong> {
        let (layout, reader) = (self.base.layout, &self.base.reader);
        let writer = Writer { layout, reader, kept: Kept::Together };
        match line {
            Line::Entry(entry) => {
                self.touched.extend(indexes_from_value(layout, entry.keyspace));
                writer.put(tx, entry).map_err(Wrong::Database)
            }
            Line::Record(entry) => {
                if layout.keyspace(entry.keyspace).kind == KeyspaceKind::Index {
                    self.touched.insert(entry.keyspace);
                }
                writer.record(tx, entry).map_err(Wrong::Database)
            }
            Line::Unknown { space, key, value } => {
                let id = StoreId::of(space);
                if self.base.db.spaces().name(id) != Some(space) || id == StoreId::META {
                    return Err(Wrong::Store(space.clone()));
                }
                if reader.read_exactly(space, key, value).is_ok() {
                    return Err(Wrong::Known);
                }
                tx.put(id, key, value).map_err(|error| Wrong::Database(error.into()))
            }
        }
    }
}
