//! Copies the rows of a damaged database that can be read and decode.
//!
//! Index entries, counts, ranks and the records of orders and states are derived: they are not
//! copied but written again with the rows and members that they follow from.

mod rows;

pub(crate) use rows::Gap;

use crate::{
    database::{
        Body, DatabaseError, DynamicIndex, Entry, OpenDatabase, Part, Stored, Writer, space_name,
        stored_key,
    },
    output::progress::Progress,
};
use keyscape_layout::model::KeyspaceKind;
use keyscape_runtime::record::Family;
use keyscape_store::{Db, Mode, ReadExt, StoreId, Tx};
use std::collections::BTreeMap;

/// The maximum number of rows in one commit.
const BATCH: u64 = 4096;
/// The maximum number of examples of each reason.
const EXAMPLES: usize = 5;

/// The copied rows, and those that were lost.
#[derive(Debug, Default)]
pub(crate) struct Salvaged {
    /// Rows that were read.
    pub(crate) read: u64,
    /// Rows and records that were copied. Derived ones are not counted.
    pub(crate) copied: u64,
    /// Rows that were read and not copied, by store and reason.
    pub(crate) dropped: BTreeMap<(String, String), Dropped>,
    /// Keys that cannot be read, by store.
    pub(crate) gaps: Vec<(String, Gap)>,
}

/// Rows that were not copied for one reason.
#[derive(Debug, Default)]
pub(crate) struct Dropped {
    pub(crate) rows: u64,
    /// The first keys.
    pub(crate) keys: Vec<Vec<u8>>,
}

impl Salvaged {
    /// Whether every row was copied.
    pub(crate) fn is_complete(&self) -> bool {
        self.dropped.is_empty() && self.gaps.is_empty()
    }

    fn drop_row(&mut self, space: &str, key: &[u8], reason: String) {
        let dropped = self.dropped.entry((space.to_owned(), reason)).or_default();
        dropped.rows += 1;
        if dropped.keys.len() < EXAMPLES {
            dropped.keys.push(key.to_vec());
        }
    }
}

/// Whether a row of a damaged database can be read, or no row is lost.
pub(crate) fn has_rows(damaged: &Db) -> bool {
    let mut is_whole = true;
    for (store, _) in damaged.spaces().iter().skip(1) {
        // Stops at the first row.
        match rows::each(damaged, store, |_, _| Err(())) {
            Ok(gaps) => is_whole &= gaps.is_empty(),
            Err(()) => return true,
        }
    }
    is_whole
}

/// Copies all rows of a damaged database to a new one with the same layout.
pub(crate) fn copy(damaged: &Db, new: &OpenDatabase<'_>) -> Result<Salvaged, DatabaseError> {
    let indexes = DynamicIndex::all(&new.reader);
    let of_program =
        indexes.into_iter().filter(DynamicIndex::needs_program_for_some_rows).collect();
    let writer = Writer { reader: &new.reader, with_entries: true };
    let mut copy = Copy {
        new,
        writer,
        of_program,
        tx: None,
        pending: 0,
        salvaged: Salvaged::default(),
        progress: Progress::new("copying"),
    };
    for (store, space) in damaged.spaces().iter().skip(1) {
        let gaps = rows::each(damaged, store, |key, value| copy.row(space, key, value))?;
        copy.salvaged.gaps.extend(gaps.into_iter().map(|gap| (space.to_owned(), gap)));
    }
    // Entries follow their rows, so that entries of lost rows are not copied.
    for (store, space) in damaged.spaces().iter().skip(1) {
        if copy.of_program.iter().any(|index| space_name(new.layout, index.id()) == *space) {
            rows::each(damaged, store, |key, value| copy.entry(space, key, value))?;
        }
    }
    copy.commit()?;
    new.db.sync()?;
    Ok(copy.salvaged)
}

/// A running copy.
struct Copy<'a> {
    new: &'a OpenDatabase<'a>,
    writer: Writer<'a>,
    /// Indexes with entries that are copied, because only the program can compute them, or those of
    /// rows in an older form.
    of_program: Vec<DynamicIndex<'a>>,
    tx: Option<Tx<'a>>,
    /// Rows since the last commit.
    pending: u64,
    salvaged: Salvaged,
    progress: Progress,
}

impl Copy<'_> {
    fn row(&mut self, space: &str, key: &[u8], value: &[u8]) -> Result<(), DatabaseError> {
        self.progress.row();
        self.salvaged.read += 1;
        let entry = match self.decode(space, key, value) {
            Ok(entry) => entry,
            Err(reason) => {
                self.salvaged.drop_row(space, key, reason.to_owned());
                return Ok(());
            }
        };
        let mut tx = match self.tx.take() {
            Some(tx) => tx,
            None => self.new.db.begin(Mode::Write)?,
        };
        match self.put(&mut tx, &entry) {
            Ok(copied) => self.salvaged.copied += u64::from(copied),
            Err(DatabaseError::Store(error)) => return Err(error.into()),
            Err(error) => self.salvaged.drop_row(space, key, error.to_string()),
        }
        self.tx = Some(tx);
        self.pending += 1;
        if self.pending >= BATCH { self.commit() } else { Ok(()) }
    }

    /// Copies an entry of an index if its row was copied, and did not write the entry itself.
    fn entry(&mut self, space: &str, key: &[u8], value: &[u8]) -> Result<(), DatabaseError> {
        let Ok(entry) = self.decode(space, key, value) else { return Ok(()) };
        let index = self.of_program.iter().find(|index| index.id() == entry.keyspace);
        let Some(index) = index else { return Ok(()) };
        let tx = match &mut self.tx {
            Some(tx) => tx,
            None => self.tx.insert(self.new.db.begin(Mode::Write)?),
        };
        let is_written = tx.contains(StoreId::of(space), key)?;
        if is_written || index.entry_fault(tx, &entry.key, key, value)?.is_some() {
            return Ok(());
        }
        self.writer.record(tx, &entry)?;
        self.salvaged.copied += 1;
        self.pending += 1;
        if self.pending >= BATCH { self.commit() } else { Ok(()) }
    }

    fn commit(&mut self) -> Result<(), DatabaseError> {
        self.pending = 0;
        if let Some(tx) = self.tx.take() {
            tx.commit()?;
        }
        Ok(())
    }

    /// Decodes a row, or returns the reason why its key or value does not decode.
    fn decode(&self, space: &str, key: &[u8], value: &[u8]) -> Result<Entry, &'static str> {
        if self.new.db.spaces().name(StoreId::of(space)).is_none() {
            return Err("the layout has no such store");
        }
        let entry = self.new.reader.read(space, key, value)?;
        let has_form = self.new.layout.keyspace(entry.value_keyspace()).value.is_some();
        match entry.value() {
            Some(Stored::Raw(_)) if has_form => Err("its value does not have the declared form"),
            _ => Ok(entry),
        }
    }

    /// Writes an entry and the rows that are derived from it. Returns whether the entry itself is
    /// not derived.
    fn put(&self, tx: &mut Tx<'_>, entry: &Entry) -> Result<bool, DatabaseError> {
        let is_index = self.new.layout.keyspace(entry.keyspace).kind == KeyspaceKind::Index;
        let (family, part) = match &entry.body {
            Body::Row(_) if is_index => return Ok(false),
            Body::Row(_) | Body::Field { .. } => return self.writer.put(tx, entry).map(|()| true),
            Body::Part { family, part } => (*family, part),
        };
        match (family, part) {
            (Family::Member, _) => self.writer.put(tx, entry).map(|()| true),
            // If the member was lost, its record has all of it.
            (Family::Score | Family::Ready, Part::Scored { .. }) => {
                match self.has_member(tx, entry)? {
                    true => Ok(false),
                    false => self.writer.put(tx, entry).map(|()| true),
                }
            }
            (Family::Item, Part::Item { .. }) => self.writer.restore_item(tx, entry),
            (Family::Token, Part::Number(token)) => {
                let (key, _) = self.new.reader.encode(entry)?;
                let store = StoreId::of(&space_name(self.new.layout, entry.keyspace));
                let written = tx.get(store, &key)?.and_then(|bytes| bytes.try_into().ok());
                if written.map_or(0, u64::from_be_bytes) < *token {
                    self.writer.record(tx, entry)?;
                }
                Ok(true)
            }
            _ => Ok(false),
        }
    }

    /// Whether the member of a record was copied already.
    fn has_member(&self, tx: &Tx<'_>, entry: &Entry) -> Result<bool, DatabaseError> {
        let key = stored_key(self.new.layout, entry)?;
        let store = StoreId::of(&space_name(self.new.layout, entry.keyspace));
        Ok(tx.contains(store, &key)?)
    }
}
