//! Writes rows in the format of `export` into a database.

use crate::{
    audit::{self, Findings},
    database::{
        Body, DatabaseError, OpenDatabase, Writer, program_indexes, space_name, stored_key,
    },
    exit::Exit,
    failure::Failure,
    input::line::{Line, LineError},
    output::{message::Message, progress::Progress, stderr},
};
use keyscape_layout::model::{KeyspaceId, KeyspaceKind};
use keyscape_store::{Mode, ReadExt, StoreErrorKind, StoreId, Tx};
use std::collections::BTreeSet;

/// The maximum number of rows, and of bytes of their text, per commit.
const BATCH_ROWS: usize = 10_000;
const BATCH_BYTES: usize = 16 << 20;

/// A row that ends an import.
#[derive(Debug, thiserror::Error)]
#[error("{place}: {what}")]
pub(crate) struct BadRow {
    place: String,
    what: Wrong,
    written: String,
}

/// The reason why a row is rejected.
#[derive(Debug, thiserror::Error)]
pub(crate) enum Wrong {
    #[error("it is not UTF-8")]
    Utf8,
    #[error(transparent)]
    Line(#[from] LineError),
    #[error("{0}")]
    Database(DatabaseError),
    #[error("the layout has no store `{0}`")]
    Store(String),
    #[error("this row occurs twice")]
    Twice,
    #[error("the line has more than {} MiB", max >> 20)]
    TooLong { max: u64 },
}

impl BadRow {
    /// Reports the error, the help and the number of committed rows.
    pub(crate) fn report(&self) -> Exit {
        let help = match &self.what {
            Wrong::Line(error) => error.help(),
            Wrong::Database(error) => error.help(),
            Wrong::Utf8 | Wrong::Store(_) | Wrong::Twice | Wrong::TooLong { .. } => None,
        };
        let mut message = Message::error(self.to_string()).with_help(help);
        message.line(self.written.clone());
        stderr::say(&message);
        match &self.what {
            Wrong::Database(error) => Exit::of(error),
            _ => Exit::Input,
        }
    }
}

/// Names the positions of rows in messages.
pub(crate) trait Places {
    /// Returns the position of a row, counted from 1.
    fn place(&self, row: u64) -> String;
    /// Describes the committed rows.
    fn written(&self, committed: u64) -> String;
    /// Describes the committed rows if the commit up to row `last` may have failed.
    fn undecided(&self, committed: u64, last: u64) -> String;
}

/// The treatment of existing rows, and the time of commits.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum How {
    /// Commits in batches; an existing row is replaced.
    Replacing,
    /// Commits once at the end; an existing row is replaced.
    Atomic,
    /// Commits in batches, into an empty database; an existing row is an error.
    Once,
}

/// A running import.
pub(crate) struct Load<'a> {
    base: &'a OpenDatabase<'a>,
    places: &'a dyn Places,
    how: How,
    tx: Option<Tx<'a>>,
    /// The number of the current row, including empty ones, and of the last committed row.
    at: u64,
    committed: u64,
    rows: u64,
    unknown: u64,
    batch: (usize, usize),
    most_rows: usize,
    /// Indexes and structures whose entries or records were written one by one.
    touched: BTreeSet<KeyspaceId>,
    progress: Progress,
}

impl<'a> Load<'a> {
    pub(crate) fn new(base: &'a OpenDatabase<'a>, places: &'a dyn Places, how: How) -> Self {
        Self {
            base,
            places,
            how,
            tx: None,
            at: 0,
            committed: 0,
            rows: 0,
            unknown: 0,
            batch: (0, 0),
            most_rows: base.db.limits().batch(BATCH_ROWS),
            touched: BTreeSet::new(),
            progress: Progress::new("importing"),
        }
    }

    /// Returns the number of rows so far.
    pub(crate) fn rows(&self) -> u64 {
        self.rows
    }

    /// Returns the number of rows that belong to no keyspace.
    pub(crate) fn unknown_rows(&self) -> u64 {
        self.unknown
    }

    /// Returns the error for a line that is longer than `max` bytes.
    pub(crate) fn line_too_long(&mut self, max: u64) -> Failure {
        self.at += 1;
        self.bad(Wrong::TooLong { max })
    }

    /// Writes a row. Ignores white space.
    pub(crate) fn take(&mut self, text: &[u8]) -> Result<(), Failure> {
        let mut tx = self.open()?;
        self.at += 1;
        let trimmed = text.trim_ascii();
        if !trimmed.is_empty() {
            let text = std::str::from_utf8(trimmed).map_err(|_| self.bad(Wrong::Utf8))?;
            let line =
                Line::read(self.base.layout, text).map_err(|error| self.bad(error.into()))?;
            self.write(&mut tx, &line).map_err(|wrong| self.bad(wrong))?;
            self.rows += 1;
            self.progress.row();
        }
        self.batch = (self.batch.0 + 1, self.batch.1 + text.len());
        if self.how != How::Atomic
            && (self.batch.0 >= self.most_rows || self.batch.1 >= BATCH_BYTES)
        {
            return self.commit(tx);
        }
        self.tx = Some(tx);
        Ok(())
    }

    /// Compares what is derived with its rows and commits the rest. An atomic import is committed
    /// only if they agree.
    pub(crate) fn finish(&mut self) -> Result<Findings, Failure> {
        let tx = self.open()?;
        let inconsistent = audit::derived(self.base, &tx, &self.touched)?;
        if inconsistent.is_empty() || self.how != How::Atomic {
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
        tx.commit().map_err(|error| self.bad(Wrong::Database(error.into())))?;
        self.committed = self.at;
        self.batch = (0, 0);
        Ok(())
    }

    fn bad(&self, what: Wrong) -> Failure {
        let place = self.places.place(self.at);
        let is_undecided = matches!(&what, Wrong::Database(DatabaseError::Store(error))
            if error.kind() == StoreErrorKind::CommitUnknown);
        let written = match is_undecided {
            true => self.places.undecided(self.committed, self.at),
            false => self.places.written(self.committed),
        };
        Failure::BadRow(Box::new(BadRow { place, what, written }))
    }

    fn write(&mut self, tx: &mut Tx<'_>, line: &Line) -> Result<(), Wrong> {
        let (layout, reader) = (self.base.layout, &self.base.reader);
        let writer = Writer { layout, reader, with_entries: true };
        match line {
            Line::Entry(entry) => {
                let key = stored_key(layout, entry).map_err(DatabaseError::from);
                self.refuse_twice(tx, entry.keyspace, key)?;
                self.touched.extend(program_indexes(layout, entry.keyspace));
                writer.put(tx, entry).map_err(Wrong::Database)
            }
            Line::Record(entry) => {
                if layout.keyspace(entry.keyspace).kind == KeyspaceKind::Index {
                    // The entry was written with its row.
                    self.touched.insert(entry.keyspace);
                } else {
                    let bytes = entry.bytes(layout, reader.width(entry.keyspace));
                    let key = bytes.map(|(key, _)| key).map_err(DatabaseError::from);
                    self.refuse_twice(tx, entry.keyspace, key)?;
                    if matches!(entry.body, Body::Part { .. }) {
                        self.touched.insert(entry.keyspace);
                    }
                }
                writer.record(tx, entry).map_err(Wrong::Database)
            }
            Line::Unknown { space, key, value } => {
                let id = StoreId::of(space);
                if self.base.db.spaces().name(id) != Some(space) || id == StoreId::META {
                    return Err(Wrong::Store(space.clone()));
                }
                match reader.read_exactly(space, key, value) {
                    Ok(entry) => self.write(tx, &Line::of(layout, entry)),
                    Err(_) => {
                        self.unknown += 1;
                        tx.put(id, key, value).map_err(|error| Wrong::Database(error.into()))
                    }
                }
            }
        }
    }

    /// Rejects a row that exists if each row may be given once.
    fn refuse_twice(
        &self,
        tx: &Tx<'_>,
        id: KeyspaceId,
        key: Result<Vec<u8>, DatabaseError>,
    ) -> Result<(), Wrong> {
        if self.how != How::Once {
            return Ok(());
        }
        let store = StoreId::of(&space_name(self.base.layout, id));
        let exists = key.and_then(|key| Ok(tx.contains(store, &key)?)).map_err(Wrong::Database)?;
        if exists { Err(Wrong::Twice) } else { Ok(()) }
    }
}
