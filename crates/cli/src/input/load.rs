//! Writes rows in the format of `export` into a database.

use crate::{
    audit::{self, Findings},
    database::{
        Body, DatabaseError, OpenDatabase, Writer, program_indexes, space_name, stored_key,
    },
    failure::{Exit, Failure},
    input::line::{Line, LineError},
    output::{message::Message, progress::Progress, stderr},
};
use keyscape_diagnostics::file::{self, FileError};
use keyscape_layout::model::{KeyspaceId, KeyspaceKind};
use keyscape_store::{Mode, ReadExt, StoreErrorKind, StoreId, Tx};
use std::{
    collections::BTreeSet,
    fs::File,
    io::{BufRead, BufReader, IsTerminal},
    path::Path,
};

/// The maximum number of rows, and of bytes of their text, per commit.
const BATCH_ROWS: usize = 10_000;
const BATCH_BYTES: usize = 16 << 20;

/// The size of the input buffer, in bytes.
const BUFFER: usize = 1 << 18;

/// The reason why a row is rejected.
#[derive(Debug, thiserror::Error)]
pub(crate) enum RowError {
    #[error("it is not UTF-8")]
    Utf8,
    #[error(transparent)]
    Line(#[from] LineError),
    #[error("{0}")]
    Database(DatabaseError),
    #[error("the layout has no store `{0}`")]
    Store(String),
    #[error("this row occurs twice")]
    Exists,
    #[error("the line has more than {} MiB", max >> 20)]
    TooLong { max: u64 },
}

/// The source of rows, for messages.
#[derive(Debug)]
pub(crate) struct RowSource {
    /// The file, or `stdin`.
    pub(crate) name: String,
    /// The text between the name and the number of a row.
    pub(crate) separator: &'static str,
    /// Whether the database is published after the last row.
    pub(crate) is_new: bool,
}

impl RowSource {
    /// Describes the committed rows. The commit up to row `unknown` may have failed.
    fn written(&self, committed: u64, unknown: Option<u64>) -> String {
        let unknown = unknown.filter(|_| !self.is_new).map(|last| {
            format!("whether lines {} to {last} were written is not known", committed + 1)
        });
        match (committed, unknown) {
            (lines, Some(unknown)) if lines > 0 => {
                format!("lines 1 to {lines} were written; {unknown}")
            }
            (_, Some(unknown)) => unknown,
            (lines, None) if lines > 0 && !self.is_new => {
                format!("lines 1 to {lines} were written, later ones were not")
            }
            _ => "nothing was written".to_owned(),
        }
    }
}

/// Returns the name and the contents of a file, or of stdin.
pub(crate) fn input(path: Option<&Path>) -> Result<(String, Box<dyn BufRead>), FileError> {
    let Some(path) = path.filter(|path| !file::is_stdin(path)) else {
        let stdin = std::io::stdin();
        if stdin.is_terminal() {
            stderr::line("reading from the terminal");
        }
        return Ok(("stdin".to_owned(), Box::new(BufReader::with_capacity(BUFFER, stdin))));
    };
    let opened =
        File::open(path).map_err(|source| FileError::Read { path: path.to_owned(), source })?;
    Ok((path.display().to_string(), Box::new(BufReader::with_capacity(BUFFER, opened))))
}

/// The treatment of existing rows, and the time of commits.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum ImportMode {
    /// Replaces an existing row; commits in batches.
    Replace,
    /// Replaces an existing row; commits once at the end.
    Atomic,
    /// Rejects a row that exists; commits in batches.
    Insert,
}

/// A running import.
pub(crate) struct Load<'a> {
    base: &'a OpenDatabase<'a>,
    source: &'a RowSource,
    mode: ImportMode,
    tx: Option<Tx<'a>>,
    /// The number of the current line, including empty ones, and of the last committed line.
    line: u64,
    committed: u64,
    /// The number of rows so far.
    pub(crate) rows: u64,
    /// The number of rows that belong to no keyspace.
    pub(crate) unknown_rows: u64,
    /// The lines and bytes since the last commit.
    batch: (usize, usize),
    max_rows: usize,
    /// Indexes and structures whose entries or records were written one by one.
    touched: BTreeSet<KeyspaceId>,
    progress: Progress,
}

impl<'a> Load<'a> {
    pub(crate) fn new(base: &'a OpenDatabase<'a>, source: &'a RowSource, mode: ImportMode) -> Self {
        Self {
            base,
            source,
            mode,
            tx: None,
            line: 0,
            committed: 0,
            rows: 0,
            unknown_rows: 0,
            batch: (0, 0),
            max_rows: base.db.limits().batch(BATCH_ROWS),
            touched: BTreeSet::new(),
            progress: Progress::new("importing"),
        }
    }

    /// Returns the error for a line that is longer than `max` bytes.
    pub(crate) fn line_too_long(&mut self, max: u64) -> Failure {
        self.line += 1;
        self.failed(&RowError::TooLong { max })
    }

    /// Writes the row of a line. Ignores an empty line.
    pub(crate) fn write_line(&mut self, text: &[u8]) -> Result<(), Failure> {
        let mut tx = self.open()?;
        self.line += 1;
        let trimmed = text.trim_ascii();
        if !trimmed.is_empty() {
            let text = std::str::from_utf8(trimmed).map_err(|_| self.failed(&RowError::Utf8))?;
            let line =
                Line::read(self.base.layout, text).map_err(|error| self.failed(&error.into()))?;
            self.write_row(&mut tx, &line).map_err(|error| self.failed(&error))?;
            self.rows += 1;
            self.progress.row();
        }
        self.batch = (self.batch.0 + 1, self.batch.1 + text.len());
        if self.mode != ImportMode::Atomic
            && (self.batch.0 >= self.max_rows || self.batch.1 >= BATCH_BYTES)
        {
            return self.commit(tx);
        }
        self.tx = Some(tx);
        Ok(())
    }

    /// Compares derived entries with their rows and commits the rest. An atomic import is committed
    /// only if they agree.
    pub(crate) fn finish(&mut self) -> Result<Findings, Failure> {
        let tx = self.open()?;
        let inconsistent = audit::derived(self.base, &tx, &self.touched)?.only_derived();
        if inconsistent.is_empty() || self.mode != ImportMode::Atomic {
            self.commit(tx)?;
        }
        Ok(inconsistent)
    }

    fn open(&mut self) -> Result<Tx<'a>, Failure> {
        match self.tx.take() {
            Some(tx) => Ok(tx),
            None => Ok(self.base.db.begin(Mode::Write)?),
        }
    }

    fn commit(&mut self, tx: Tx<'_>) -> Result<(), Failure> {
        tx.commit().map_err(|error| self.failed(&RowError::Database(error.into())))?;
        self.committed = self.line;
        self.batch = (0, 0);
        Ok(())
    }

    /// Returns the error of the current row: the reason, the help and the committed rows.
    fn failed(&self, error: &RowError) -> Failure {
        let RowSource { name, separator, .. } = self.source;
        let title = format!("{name}{separator}{}: {error}", self.line);
        let (help, exit) = match error {
            RowError::Line(error) => (error.help(), Exit::Input),
            RowError::Database(error) => (error.help(), Exit::of(error)),
            _ => (None, Exit::Input),
        };
        let is_unknown = matches!(error, RowError::Database(DatabaseError::Store(error))
            if error.kind() == StoreErrorKind::CommitUnknown);
        let mut message = Message::error(title).with_help(help);
        message.line(self.source.written(self.committed, is_unknown.then_some(self.line)));
        Failure::Described(Box::new(message), exit)
    }

    fn write_row(&mut self, tx: &mut Tx<'_>, line: &Line) -> Result<(), RowError> {
        let (layout, reader) = (self.base.layout, &self.base.reader);
        let writer = Writer { reader, with_entries: true };
        match line {
            Line::Entry(entry) => {
                let key = stored_key(layout, entry).map_err(DatabaseError::from);
                self.reject_existing(tx, entry.keyspace, key)?;
                self.touched.extend(program_indexes(layout, entry.keyspace));
                writer.put(tx, entry).map_err(RowError::Database)
            }
            Line::Record(entry) => {
                if layout.keyspace(entry.keyspace).kind == KeyspaceKind::Index {
                    // The entry was written with its row.
                    self.touched.insert(entry.keyspace);
                } else {
                    let bytes = reader.encode(entry);
                    let key = bytes.map(|(key, _)| key).map_err(DatabaseError::from);
                    self.reject_existing(tx, entry.keyspace, key)?;
                    if matches!(entry.body, Body::Part { .. }) {
                        self.touched.insert(entry.keyspace);
                    }
                }
                writer.record(tx, entry).map_err(RowError::Database)
            }
            Line::Unknown { space, key, value } => {
                let id = StoreId::of(space);
                if self.base.db.spaces().name(id) != Some(space) || id == StoreId::META {
                    return Err(RowError::Store(space.clone()));
                }
                match reader.read_exactly(space, key, value) {
                    Ok(entry) => self.write_row(tx, &Line::of(layout, entry)),
                    Err(_) => {
                        self.unknown_rows += 1;
                        tx.put(id, key, value).map_err(|error| RowError::Database(error.into()))
                    }
                }
            }
        }
    }

    /// Rejects a row that exists, if the mode requires it.
    fn reject_existing(
        &self,
        tx: &Tx<'_>,
        id: KeyspaceId,
        key: Result<Vec<u8>, DatabaseError>,
    ) -> Result<(), RowError> {
        if self.mode != ImportMode::Insert {
            return Ok(());
        }
        let store = StoreId::of(&space_name(self.base.layout, id));
        let exists =
            key.and_then(|key| Ok(tx.contains(store, &key)?)).map_err(RowError::Database)?;
        if exists { Err(RowError::Exists) } else { Ok(()) }
    }
}
