//! Transactions.

use crate::{
    Changes, Checkpoint, Commit, Database, Direction, Durability, KeyRange, Limits, Meter, Mode,
    Operation, Read, ReadState, Revision, Row, StoreError, StoreErrorKind, StoreId,
    checkpoint::Journal, snapshot::TrackedSession,
};
use std::{fmt, ops::ControlFlow, sync::Arc};

/// A transaction: an overlay of its own writes on one fixed state of a database. Nothing is written
/// to the database before [`Tx::commit`]. Dropping the transaction discards its writes.
///
/// A transaction reads its own writes. An error of the engine poisons the transaction: later calls
/// fail with [`Poisoned`](StoreErrorKind::Poisoned).
///
/// ```
/// use keyscape_store::{Db, Memory, Mode, ReadExt, Spaces, StoreId};
///
/// const SHOP: StoreId = StoreId::of("shop");
/// let db = Db::new(Memory::new(Spaces::new(["shop"])?));
/// let mut tx = db.begin(Mode::Write)?;
/// tx.put(SHOP, b"ink", b"3")?;
/// assert_eq!(tx.get(SHOP, b"ink")?, Some(b"3".to_vec()));
/// assert_eq!(db.read()?.get(SHOP, b"ink")?, None);
/// tx.commit()?;
/// assert_eq!(db.read()?.get(SHOP, b"ink")?, Some(b"3".to_vec()));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub struct Tx<'db> {
    tracked: TrackedSession<'db>,
    engine: &'static str,
    limits: Limits,
    mode: Mode,
    durability: Durability,
    changes: Changes,
    journal: Journal,
}

/// The number of keys that are read before they are deleted. On a server, they are one round trip.
const DELETED_AT_ONCE: usize = 256;
/// The number of bytes of keys that end such a batch.
const BYTES_DELETED_AT_ONCE: usize = 1 << 20;

/// Checks that a row follows the one before it. Otherwise a loop over the rest of a range would be
/// endless.
fn check_order(before: &[u8], key: &[u8], direction: Direction) -> Result<(), StoreError> {
    let is_ahead = match direction {
        Direction::Forward => key > before,
        Direction::Backward => key < before,
    };
    if is_ahead {
        return Ok(());
    }
    let what = "the engine returned a row that is not after the last one";
    Err(StoreError::new(StoreErrorKind::Corrupt { what }).at_key(key))
}

impl<'db> Tx<'db> {
    pub(crate) fn new(
        tracked: TrackedSession<'db>,
        database: &dyn Database,
        mode: Mode,
        durability: Durability,
    ) -> Tx<'db> {
        let (engine, limits) = (database.engine(), database.limits());
        let (changes, journal) = Default::default();
        Tx { tracked, engine, limits, mode, durability, changes, journal }
    }

    /// Returns the mode of the transaction.
    #[must_use]
    pub fn mode(&self) -> Mode {
        self.mode
    }

    /// Sets the durability of the commit.
    pub fn set_durability(&mut self, durability: Durability) {
        self.durability = durability;
    }

    /// Sets the meter that is charged for the operations of the transaction.
    pub fn set_meter(&mut self, meter: Option<Arc<dyn Meter>>) {
        self.tracked.meter = meter;
    }

    /// Puts a row. Replaces an existing value.
    ///
    /// # Errors
    /// [`Limit`](StoreErrorKind::Limit) if the row exceeds a limit of the engine,
    /// [`ReadOnly`](StoreErrorKind::ReadOnly) in [`Mode::Read`],
    /// [`UnknownStore`](StoreErrorKind::UnknownStore), [`Poisoned`](StoreErrorKind::Poisoned).
    /// Then nothing has changed.
    pub fn put(&mut self, store: StoreId, key: &[u8], value: &[u8]) -> Result<(), StoreError> {
        self.may_write()?;
        let fits = self.limits.check_row(key, value);
        fits.map_err(|error| self.tracked.in_store(error, store))?;
        self.tracked.charge(Operation::Put, key.len() + value.len())?;
        self.set(store, key, Some(value))
    }

    /// Deletes a row, which need not exist.
    ///
    /// # Errors
    /// As [`Tx::put`].
    pub fn delete(&mut self, store: StoreId, key: &[u8]) -> Result<(), StoreError> {
        self.may_write()?;
        self.limits.check_key(key).map_err(|error| self.tracked.in_store(error, store))?;
        self.tracked.charge(Operation::Delete, key.len())?;
        self.set(store, key, None)
    }

    /// Returns the write set, sorted.
    ///
    /// ```
    /// use keyscape_store::{Db, Memory, Mode, Spaces, StoreId};
    ///
    /// const SHOP: StoreId = StoreId::of("shop");
    /// let db = Db::new(Memory::new(Spaces::new(["shop"])?));
    /// let mut tx = db.begin(Mode::Write)?;
    /// tx.put(SHOP, b"pen", b"1")?;
    /// tx.put(SHOP, b"ink", b"3")?;
    /// let keys: Vec<_> = tx.changes().iter().map(|change| change.key).collect();
    /// assert_eq!(keys, [b"ink", b"pen"]);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[must_use]
    pub fn changes(&self) -> &Changes {
        &self.changes
    }

    /// Creates a checkpoint that the transaction can roll back to.
    ///
    /// ```
    /// use keyscape_store::{Db, Memory, Mode, ReadExt, Spaces, StoreId};
    ///
    /// const SHOP: StoreId = StoreId::of("shop");
    /// let db = Db::new(Memory::new(Spaces::new(["shop"])?));
    /// let mut tx = db.begin(Mode::Write)?;
    /// tx.put(SHOP, b"ink", b"3")?;
    /// let place = tx.checkpoint();
    /// tx.put(SHOP, b"pen", b"1")?;
    /// tx.rollback_to(place)?;
    /// assert!(tx.contains(SHOP, b"ink")? && !tx.contains(SHOP, b"pen")?);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn checkpoint(&mut self) -> Checkpoint {
        self.journal.checkpoint()
    }

    /// Rolls back all writes since a checkpoint. The checkpoint stays usable; later ones do not.
    /// The read set stays, and still finds conflicts.
    ///
    /// # Errors
    /// [`StaleCheckpoint`](StoreErrorKind::StaleCheckpoint).
    pub fn rollback_to(&mut self, checkpoint: Checkpoint) -> Result<(), StoreError> {
        self.journal.rollback(checkpoint, &mut self.changes)
    }

    /// Releases a checkpoint and later ones. Writes stay.
    ///
    /// # Errors
    /// [`StaleCheckpoint`](StoreErrorKind::StaleCheckpoint).
    pub fn release(&mut self, checkpoint: Checkpoint) -> Result<(), StoreError> {
        self.journal.release(checkpoint)
    }

    /// Runs a part of the transaction. If `part` fails or panics, its writes are rolled back, and
    /// the writes before it stay. A caller that catches the panic can continue the transaction.
    ///
    /// ```
    /// use keyscape_store::{Db, Memory, ReadExt, Spaces, StoreError, StoreErrorKind, StoreId};
    ///
    /// const SHOP: StoreId = StoreId::of("shop");
    /// let db = Db::new(Memory::new(Spaces::new(["shop"])?));
    /// db.write(|tx| {
    ///     tx.put(SHOP, b"ink", b"3")?;
    ///     let failed = tx.attempt(|tx| {
    ///         tx.delete(SHOP, b"ink")?;
    ///         Err::<(), StoreError>(StoreErrorKind::ReadOnly.into())
    ///     });
    ///     assert!(failed.is_err());
    ///     assert_eq!(tx.get(SHOP, b"ink")?, Some(b"3".to_vec()));
    ///     Ok::<(), StoreError>(())
    /// })?;
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// Errors of `part`, or [`StaleCheckpoint`](StoreErrorKind::StaleCheckpoint) if `part` released
    /// or rolled back to an earlier checkpoint. The writes of `part` can then not be rolled back
    /// alone, so the transaction is [`Poisoned`](StoreErrorKind::Poisoned).
    pub fn attempt<T, E: From<StoreError>>(
        &mut self,
        part: impl FnOnce(&mut Self) -> Result<T, E>,
    ) -> Result<T, E> {
        let mut attempt = Attempt { checkpoint: Some(self.checkpoint()), tx: self };
        let outcome = part(attempt.tx);
        attempt.end(outcome.is_ok())?;
        outcome
    }

    /// Passes a copy of each row of a range to `visit`, together with the transaction, which may
    /// write. After each row the walk searches for the next one again: it visits rows that `visit`
    /// puts ahead, and skips rows that `visit` deletes ahead.
    ///
    /// ```
    /// use keyscape_store::{Db, KeyRange, Memory, Spaces, StoreError, StoreId};
    /// use std::ops::ControlFlow;
    ///
    /// const SHOP: StoreId = StoreId::of("shop");
    /// let db = Db::new(Memory::new(Spaces::new(["shop"])?));
    /// db.write(|tx| {
    ///     tx.put(SHOP, b"o/1", b"ink")?;
    ///     tx.put(SHOP, b"o/2", b"pen")?;
    ///     tx.walk(SHOP, KeyRange::prefix(b"o/"), |tx, row| {
    ///         let done = [b"done/", row.key].concat();
    ///         tx.put(SHOP, &done, row.value)?;
    ///         tx.delete(SHOP, row.key)?;
    ///         Ok::<_, StoreError>(ControlFlow::Continue(()))
    ///     })
    /// })?;
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// Errors of `visit`, or as [`Read::rows`].
    #[expect(clippy::needless_pass_by_value, reason = "as `Read::rows` takes it")]
    pub fn walk<E: From<StoreError>>(
        &mut self,
        store: StoreId,
        range: KeyRange<'_>,
        mut visit: impl FnMut(&mut Self, Row<'_>) -> Result<ControlFlow<()>, E>,
    ) -> Result<(), E> {
        self.tracked.charge(Operation::Seek, 0)?;
        let direction = range.direction();
        // The buffers are reused, so a row costs no allocation.
        let (mut key, mut next, mut value) = (Vec::new(), Vec::new(), Vec::new());
        let mut started = false;
        loop {
            let rest = KeyRange::new(range.start(), range.end()).with_direction(direction);
            let rest = if started { rest.after(&key) } else { rest };
            let rest = rest.expecting(1);
            let mut rows = self.read_state().uncharged_rows(store, rest)?;
            let Some(row) = rows.next()? else { return Ok(()) };
            if started {
                check_order(&key, row.key, direction)?;
            }
            row.key.clone_into(&mut next);
            row.value.clone_into(&mut value);
            drop(rows);
            std::mem::swap(&mut key, &mut next);
            started = true;
            if visit(self, Row { key: &key, value: &value })?.is_break() {
                return Ok(());
            }
        }
    }

    /// Deletes all rows of a range. Returns their number.
    ///
    /// # Errors
    /// As [`Tx::delete`].
    pub fn delete_range(&mut self, store: StoreId, range: KeyRange<'_>) -> Result<u64, StoreError> {
        self.delete_selected(store, range, |_| true)
    }

    /// Deletes the rows of a range whose keys are selected. Returns their number.
    ///
    /// # Errors
    /// As [`Tx::delete`].
    #[expect(clippy::needless_pass_by_value, reason = "as `Read::rows` takes it")]
    pub fn delete_selected(
        &mut self,
        store: StoreId,
        range: KeyRange<'_>,
        is_selected: impl Fn(&[u8]) -> bool,
    ) -> Result<u64, StoreError> {
        self.tracked.charge(Operation::Seek, 0)?;
        let mut deleted = 0;
        let mut last: Option<Vec<u8>> = None;
        loop {
            let rest = KeyRange::new(range.start(), range.end()).with_direction(range.direction());
            let rest = match &last {
                Some(key) => rest.after(key),
                None => rest,
            };
            let mut rows =
                self.read_state().uncharged_rows(store, rest.expecting(DELETED_AT_ONCE))?;
            let mut keys: Vec<Vec<u8>> = Vec::new();
            let (mut bytes, mut is_end) = (0, false);
            while keys.len() < DELETED_AT_ONCE && bytes < BYTES_DELETED_AT_ONCE {
                let Some(row) = rows.next()? else {
                    is_end = true;
                    break;
                };
                if let Some(before) = keys.last().or(last.as_ref()) {
                    check_order(before, row.key, range.direction())?;
                }
                bytes += row.key.len();
                keys.push(row.key.to_vec());
            }
            drop(rows);
            for key in keys.iter().filter(|key| is_selected(key)) {
                self.delete(store, key)?;
                deleted += 1;
            }
            if is_end {
                return Ok(deleted);
            }
            last = keys.pop();
        }
    }

    /// Writes all changes in all stores atomically. Returns the revision of the new state, or of
    /// the state that was read if there are no changes.
    ///
    /// ```
    /// use keyscape_store::{Db, Memory, Mode, Spaces, StoreId};
    ///
    /// const SHOP: StoreId = StoreId::of("shop");
    /// let db = Db::new(Memory::new(Spaces::new(["shop"])?));
    /// let mut tx = db.begin(Mode::Write)?;
    /// tx.put(SHOP, b"ink", b"3")?;
    /// let revision = tx.commit()?;
    /// assert_eq!(db.begin(Mode::Read)?.commit()?, revision, "nothing was written since");
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// [`Conflict`](StoreErrorKind::Conflict) and
    /// [`SnapshotExpired`](StoreErrorKind::SnapshotExpired) in [`Mode::Optimistic`]. After any
    /// error but [`CommitUnknown`](StoreErrorKind::CommitUnknown) nothing is written.
    pub fn commit(self) -> Result<Revision, StoreError> {
        self.tracked.check()?;
        let Tx { tracked, changes, durability, engine, .. } = self;
        if changes.is_empty() {
            return tracked.session.finish();
        }
        let span = tracing::debug_span!(
            "commit",
            engine,
            rows = changes.rows(),
            bytes = changes.bytes(),
            ?durability
        );
        let _entered = span.enter();
        let reads = tracked.reads.map(std::cell::RefCell::into_inner).unwrap_or_default();
        let committed = tracked.session.commit(Commit { changes, reads, durability });
        match &committed {
            Ok(revision) => tracing::debug!(revision = revision.0, "committed"),
            Err(error) => tracing::debug!(%error, "not committed"),
        }
        committed
    }

    /// Whether the engine asked for the transaction to be run again.
    pub(crate) fn is_expired(&self) -> bool {
        self.tracked.is_expired()
    }

    fn may_write(&self) -> Result<(), StoreError> {
        self.tracked.check()?;
        if self.mode == Mode::Read { Err(StoreErrorKind::ReadOnly.into()) } else { Ok(()) }
    }

    fn set(&mut self, store: StoreId, key: &[u8], value: Option<&[u8]>) -> Result<(), StoreError> {
        let before = self.changes.replace(&self.tracked.spaces, store, key, value)?;
        let fits = self.limits.check_commit(self.changes.rows(), self.changes.bytes());
        if let Err(error) = fits {
            self.changes.restore(store, key, before);
            return Err(self.tracked.in_store(error, store).at_key(key));
        }
        self.journal.note(store, key, before);
        Ok(())
    }
}

/// A running [`Tx::attempt`]. Dropping it rolls back, so that a panic cannot leave a partial write.
struct Attempt<'t, 'db> {
    tx: &'t mut Tx<'db>,
    /// `None` after the end.
    checkpoint: Option<Checkpoint>,
}

impl Attempt<'_, '_> {
    fn end(&mut self, keeps_writes: bool) -> Result<(), StoreError> {
        let Some(checkpoint) = self.checkpoint.take() else { return Ok(()) };
        let rolled_back = if keeps_writes { Ok(()) } else { self.tx.rollback_to(checkpoint) };
        let ended = rolled_back.and_then(|()| self.tx.release(checkpoint));
        if ended.is_err() {
            self.tx.tracked.end(StoreErrorKind::Poisoned);
        }
        ended
    }
}

impl Drop for Attempt<'_, '_> {
    fn drop(&mut self) {
        // A stale checkpoint poisons the transaction, and later calls report that.
        let _ = self.end(false);
    }
}

impl Read for Tx<'_> {
    fn read_state(&self) -> ReadState<'_> {
        // A transaction without writes reads as fast as a snapshot.
        let changes = (!self.changes.is_empty()).then_some(&self.changes);
        ReadState { tracked: &self.tracked, changes }
    }
}

impl fmt::Debug for Tx<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Tx")
            .field("mode", &self.mode)
            .field("revision", &self.revision())
            .field("rows", &self.changes.rows())
            .finish_non_exhaustive()
    }
}
