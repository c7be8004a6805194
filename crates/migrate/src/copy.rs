//! Copies the new rows to another database.
//!
//! The old database is only read. One thread reads and converts chunks of rows, and another one
//! writes them. Each commit in the new database contains some chunks and the position after them.

use crate::{
    error::{MigrateError, RowProblem},
    image::{Converter, Outcome, StoredRow},
    in_place::MAX_BATCH_BYTES,
    plan::{Digest, Phase, Position},
    runner::{Ended, Runner},
};
use keyscape_inspect::database::{Body, Entry, Writer};
use keyscape_runtime::record::Family;
use keyscape_store::{
    Db, KeyRange, Mode, Read, ReadExt, SavedMigration, Snapshot, StoreError, StoreId, Tx,
};
use std::{ops::Range, panic::resume_unwind, sync::mpsc, thread};

/// The maximum number of rows and bytes in a chunk.
const CHUNK_ROWS: usize = 4096;
const CHUNK_BYTES: usize = MAX_BATCH_BYTES / MAX_CHUNKS;
/// The maximum number of converted chunks that wait to be written.
const MAX_CHUNKS: usize = 16;

/// A batch of converted rows.
struct Chunk {
    /// The old space.
    space: String,
    /// The numbers of old rows and of their bytes.
    read: usize,
    bytes: usize,
    rows: NewRows,
    members: Vec<(Entry, Vec<u8>)>,
    /// The position after the chunk.
    next: Position,
}

/// New rows in one allocation. One thread fills it, and another drops it.
#[derive(Default)]
struct NewRows {
    bytes: Vec<u8>,
    rows: Vec<NewRow>,
}

/// A new row: the ranges of its parts in [`NewRows::bytes`].
struct NewRow {
    store: StoreId,
    key: Range<usize>,
    value: Range<usize>,
    /// The key of the old row. Empty unless new keys may collide.
    old: Range<usize>,
}

impl NewRows {
    fn push(&mut self, store: StoreId, parts: [&[u8]; 3]) {
        let [key, value, old] = parts.map(|part| {
            let start = self.bytes.len();
            self.bytes.extend_from_slice(part);
            start..self.bytes.len()
        });
        self.rows.push(NewRow { store, key, value, old });
    }

    /// Sorts the rows, because engines write sorted keys faster.
    fn sort(&mut self) {
        let Self { bytes, rows } = self;
        rows.sort_unstable_by(|a, b| {
            (a.store, &bytes[a.key.clone()]).cmp(&(b.store, &bytes[b.key.clone()]))
        });
    }
}

impl Runner<'_> {
    /// Copies the new rows of a database to an empty one, or continues an interrupted copy. Calls
    /// `progress` for each row.
    ///
    /// # Errors
    /// [`MigrateError::Row`] if a row cannot be migrated, and errors of the databases. After an
    /// error, the old database is unchanged, and the new one contains some of the rows.
    pub fn run_copy(
        &self,
        old: &Db,
        new: &Db,
        mut progress: impl FnMut(),
    ) -> Result<Ended, MigrateError> {
        Self::check_spaces(new, &self.new_spaces())?;
        let digest = || self.refuse_rows(new).map(|()| Digest::default());
        let Some(continued) = self.start(new, digest)? else { return self.ended(new) };
        let position = self.position(new)?;
        if position.phase == Phase::Rows {
            self.copy_rows(old, new, position, &mut progress)?;
        }
        self.finish(new, continued)
    }

    /// Copies the rows after a position, and saves the new layout.
    fn copy_rows(
        &self,
        old: &Db,
        new: &Db,
        position: Position,
        progress: &mut impl FnMut(),
    ) -> Result<(), MigrateError> {
        let batch = new.limits().batch(self.batch);
        let (sender, chunks) = mpsc::sync_channel(MAX_CHUNKS);
        let end = thread::scope(|scope| {
            let converter = scope.spawn(move || self.convert(old, position, batch, &sender));
            // The converter stops when this thread no longer receives chunks.
            let written = self.write_chunks(new, batch, chunks, progress);
            let converted = converter.join().unwrap_or_else(|panic| resume_unwind(panic));
            written.and(converted)
        })?;
        self.replace(new, end.digest)
    }

    /// Writes chunks until none follows, in commits of at most `batch` rows.
    fn write_chunks(
        &self,
        new: &Db,
        batch: usize,
        chunks: mpsc::Receiver<Chunk>,
        progress: &mut impl FnMut(),
    ) -> Result<(), MigrateError> {
        let mut tx = new.begin(Mode::Write)?;
        let (mut rows, mut bytes, mut position) = (0, 0, None);
        for chunk in chunks {
            if rows + chunk.read > batch || bytes + chunk.bytes > MAX_BATCH_BYTES {
                commit(tx, position.take())?;
                tx = new.begin(Mode::Write)?;
                (rows, bytes) = (0, 0);
            }
            (0..chunk.read).for_each(|_| progress());
            (rows, bytes) = (rows + chunk.read, bytes + chunk.bytes);
            position = Some(self.put_chunk(&mut tx, chunk)?);
        }
        commit(tx, position)
    }

    /// Converts the rows after a position, and sends them in chunks. Returns the position at the
    /// end.
    fn convert(
        &self,
        old: &Db,
        mut position: Position,
        batch: usize,
        chunks: &mpsc::SyncSender<Chunk>,
    ) -> Result<Position, MigrateError> {
        let state = old.read()?;
        let spaces = self.old_spaces();
        while let Some(space) = spaces.get(position.space as usize) {
            if old.spaces().name(StoreId::of(space)).is_none() {
                position = position.next_space();
                continue;
            }
            let chunk = self.convert_chunk(&state, space, &position, batch.min(CHUNK_ROWS))?;
            position = chunk.next.clone();
            if chunks.send(chunk).is_err() {
                break;
            }
        }
        Ok(position)
    }

    fn convert_chunk(
        &self,
        state: &Snapshot<'_>,
        space: &str,
        position: &Position,
        max: usize,
    ) -> Result<Chunk, MigrateError> {
        let mut converter = Converter::new(self, space);
        let (mut new_rows, mut members) = (NewRows::default(), Vec::new());
        let (mut read, mut bytes, mut last) = (0, 0, Vec::new());
        let mut digest = position.digest;
        let store = StoreId::of(space);
        let mut rows = state.rows(store, position.rest())?;
        while read < max && bytes < CHUNK_BYTES {
            let Some(row) = rows.next()? else { break };
            read += 1;
            bytes += row.key.len() + row.value.len();
            let (_, outcome) = converter.outcome(row.key, row.value)?;
            let stored = (space, row.key, row.value);
            self.with_image(&outcome, stored, |space, key, value| digest.add(space, key, value))?;
            let old = if self.is_injective { &[] } else { row.key };
            match outcome {
                Outcome::Drop | Outcome::Derived => {}
                Outcome::Keep { .. } => new_rows.push(store, [row.key, row.value, old]),
                Outcome::Row(new) => {
                    new_rows.push(StoreId::of(&new.space), [&new.key, &new.value, old]);
                }
                Outcome::Member(new) => members.push((*new, old.to_vec())),
                Outcome::Counters(new) => {
                    members.extend(new.into_iter().map(|new| (new, Vec::new())));
                }
            }
            row.key.clone_into(&mut last);
        }
        new_rows.sort();
        let next = match read {
            0 => position.next_space(),
            _ => Position { after: Some(last), digest, ..position.clone() },
        };
        Ok(Chunk { space: space.to_owned(), read, bytes, rows: new_rows, members, next })
    }

    /// Writes a chunk, and returns the position after it.
    fn put_chunk(&self, tx: &mut Tx<'_>, chunk: Chunk) -> Result<Position, MigrateError> {
        let collided = |key: &[u8]| MigrateError::Row {
            space: chunk.space.clone(),
            key: key.to_vec(),
            problem: RowProblem::Collision,
        };
        let NewRows { bytes, rows } = &chunk.rows;
        for NewRow { store, key, value, old } in rows {
            let [key, value, old] = [key, value, old].map(|part| &bytes[part.clone()]);
            if !self.is_injective && tx.contains(*store, key)? {
                return Err(collided(old));
            }
            tx.put(*store, key, value)?;
        }
        for (entry, old) in &chunk.members {
            // Restored items raise the token counter of their queue, so the counter may exist
            // already.
            let is_token = matches!(&entry.body, Body::Part { family: Family::Token, .. });
            if !self.is_injective
                && !is_token
                && tx.contains(self.store_of(entry), &self.member_key(entry)?)?
            {
                return Err(collided(old));
            }
            self.put_member(tx, entry)?;
        }
        Ok(chunk.next)
    }

    fn refuse_rows(&self, new: &Db) -> Result<(), MigrateError> {
        let state = new.read()?;
        for space in self.new_spaces() {
            let mut rows = state.rows(StoreId::of(&space), KeyRange::all().expecting(1))?;
            if rows.next()?.is_some() {
                return Err(MigrateError::NotEmpty { space });
            }
        }
        Ok(())
    }

    fn store_of(&self, entry: &Entry) -> StoreId {
        StoreId::of(self.new_space(entry.keyspace))
    }

    /// Writes a member of a structure and the records that are derived from it.
    fn put_member(&self, tx: &mut Tx<'_>, entry: &Entry) -> Result<(), MigrateError> {
        let writer = Writer { reader: &self.new_reader, with_entries: true };
        match &entry.body {
            Body::Part { family: Family::Item, .. } => writer.restore_item(tx, entry).map(drop)?,
            Body::Part { family: Family::Token, .. } => put_counter(tx, &self.stored(entry)?)?,
            _ => writer.put(tx, entry)?,
        }
        Ok(())
    }
}

/// Writes the counter of a queue's tokens, unless the queue has a larger one: several queues can
/// become one, and restored items raise the counter.
pub(crate) fn put_counter(tx: &mut Tx<'_>, counter: &StoredRow) -> Result<(), StoreError> {
    let store = StoreId::of(&counter.space);
    match tx.get(store, &counter.key)? {
        Some(largest) if largest >= counter.value => Ok(()),
        _ => tx.put(store, &counter.key, &counter.value),
    }
}

/// Commits rows with the position after them, if there are any.
fn commit(mut tx: Tx<'_>, position: Option<Position>) -> Result<(), MigrateError> {
    if let Some(position) = position {
        SavedMigration::set_position(&mut tx, &position.encode())?;
        tx.commit()?;
    }
    Ok(())
}
