//! Traits of engines. Users of databases use [`Db`](crate::Db).

use crate::{Changes, KeyRange, Limits, ReadSet, Row, Spaces, StoreError, StoreId, Watchers};
use std::{fmt, sync::Arc};

/// An engine with an open database. Sessions read one fixed state of all stores, and commits cover
/// all stores.
///
/// Committed transactions are serializable: each behaves as if it had run alone at one moment
/// between its begin and its commit. Local engines guarantee more, see [`Mode::Optimistic`];
/// programs must not rely on it.
///
/// No call panics, and no call waits for anything except another writer.
///
/// ```
/// use keyscape_store::{Database, Memory, Mode, Session, Spaces, StoreId};
///
/// let engine: Box<dyn Database> = Box::new(Memory::new(Spaces::new(["shop"])?));
/// let session = engine.begin(Mode::Read)?;
/// assert!(!session.read(StoreId::of("shop"), b"ink", &mut |_| {})?);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub trait Database: Send + Sync + fmt::Debug {
    /// Returns the name of the engine, for messages.
    fn engine(&self) -> &'static str;

    /// Returns the spaces that the database was opened with.
    fn spaces(&self) -> &Arc<Spaces>;

    /// Returns the limits of the engine. [`Tx`](crate::Tx) checks every write against them. A
    /// caller of [`Session::commit`] must do so itself: beyond a limit, the engine may fail with
    /// any error.
    fn limits(&self) -> Limits;

    /// Begins a session on the newest state.
    ///
    /// # Errors
    /// [`Busy`](crate::StoreErrorKind::Busy) if this thread holds the [`Mode::Write`] session that
    /// it would wait for, [`ReadOnly`](crate::StoreErrorKind::ReadOnly) if nothing can be written,
    /// or errors of the engine.
    fn begin(&self, mode: Mode) -> Result<Box<dyn Session + '_>, StoreError>;

    /// Makes every acknowledged commit durable, including those with [`Durability::Buffered`].
    ///
    /// # Errors
    /// Errors of the engine.
    fn sync(&self) -> Result<(), StoreError>;

    /// Returns how often [`Db::write`](crate::Db::write) runs a transaction that conflicts: 1 if it
    /// begins with [`Mode::Write`]. A remote engine returns more. There, all attempts but the last
    /// use [`Mode::Optimistic`], because an exclusive writer stops all clients.
    fn write_attempts(&self) -> u32 {
        1
    }

    /// Waits before a transaction that conflicted runs again. `attempt` counts from 1. A local
    /// engine does not wait.
    fn pause(&self, attempt: u32) {
        let _ = attempt;
    }

    /// Returns the subscriptions, to which the engine publishes each commit after it can be read,
    /// in the order of revisions. `None` if the engine does not see all commits.
    fn watchers(&self) -> Option<&Watchers> {
        None
    }
}

/// The mode of a session.
///
/// ```
/// use keyscape_store::{Db, Memory, Mode, Spaces, StoreErrorKind, StoreId};
///
/// const SHOP: StoreId = StoreId::of("shop");
/// let db = Db::new(Memory::new(Spaces::new(["shop"])?));
/// let mut tx = db.begin(Mode::Read)?;
/// let written = tx.put(SHOP, b"ink", b"3");
/// assert_eq!(written.map_err(|error| error.kind()), Err(StoreErrorKind::ReadOnly));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Mode {
    /// Read only.
    Read,
    /// Exclusive writing: no other session commits in the meantime, so it never conflicts.
    Write,
    /// Concurrent writing: the commit fails with [`Conflict`](crate::StoreErrorKind::Conflict) if
    /// the transaction cannot be serialized with others. A local engine fails if any later commit
    /// wrote what was read.
    Optimistic,
}

/// The point at which a commit is acknowledged.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Durability {
    /// When the commit is on disk, if the engine has one.
    #[default]
    Durable,
    /// When others can see the commit. **A crash loses acknowledged commits**: all since the last
    /// durable one, but never a part of a commit. For loads that can be repeated.
    Buffered,
}

/// The number of a state of a database. Grows with each commit.
///
/// A local engine numbers its commits, and equal numbers are equal states. On a remote engine, a
/// commit has a greater number than each commit of the same client that was acknowledged before it
/// began. Commits that overlap in time may have the same number, and the number may grow without a
/// commit.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Revision(pub u64);

impl fmt::Display for Revision {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

/// One fixed state of all stores. Dropping it ends the session. Only `commit` writes.
///
/// After an error of a read or a cursor, except
/// [`UnknownStore`](crate::StoreErrorKind::UnknownStore), the session is dropped without further
/// calls.
pub trait Session: Send {
    /// Returns the number of the state.
    fn revision(&self) -> Revision;

    /// Passes the borrowed value of a key to `found`. Returns whether the row exists.
    ///
    /// # Errors
    /// [`UnknownStore`](crate::StoreErrorKind::UnknownStore), or errors of the engine.
    fn read(
        &self,
        store: StoreId,
        key: &[u8],
        found: &mut dyn FnMut(&[u8]),
    ) -> Result<bool, StoreError>;

    /// Passes the values of existing rows to `found`, each with the position of its key in `keys`,
    /// in any order. A remote engine makes one round trip.
    ///
    /// # Errors
    /// As [`Session::read`].
    fn read_many(
        &self,
        store: StoreId,
        keys: &[&[u8]],
        found: &mut dyn FnMut(usize, &[u8]),
    ) -> Result<(), StoreError> {
        for (place, key) in keys.iter().enumerate() {
            self.read(store, key, &mut |value| found(place, value))?;
        }
        Ok(())
    }

    /// Opens a cursor before the first row of a range.
    ///
    /// # Errors
    /// As [`Session::read`].
    fn cursor(
        &self,
        store: StoreId,
        range: KeyRange<'_>,
    ) -> Result<Box<dyn Cursor + '_>, StoreError>;

    /// Writes all changes or none, and returns the number of the new state. The caller has checked
    /// the changes against the [limits](Database::limits).
    ///
    /// In [`Mode::Optimistic`] it succeeds only if the transaction is serializable. Local engines
    /// require that no commit after [`Session::revision`] wrote inside its `reads`. Spurious
    /// conflicts are allowed, missed conflicts are not. In [`Mode::Write`], `reads` is empty and
    /// has no meaning.
    ///
    /// # Errors
    /// After any error but [`CommitUnknown`](crate::StoreErrorKind::CommitUnknown) nothing is
    /// written. [`UnknownStore`](crate::StoreErrorKind::UnknownStore).
    /// [`ReadOnly`](crate::StoreErrorKind::ReadOnly) in [`Mode::Read`].
    fn commit(self: Box<Self>, commit: Commit) -> Result<Revision, StoreError>;

    /// Ends a session that has nothing to write, and returns the number of its state. A remote
    /// engine checks that the reads are serializable. On a local engine, the reads of one state
    /// always are.
    ///
    /// # Errors
    /// [`Conflict`](crate::StoreErrorKind::Conflict), or errors of the engine.
    fn finish(self: Box<Self>) -> Result<Revision, StoreError> {
        Ok(self.revision())
    }
}

/// The contents of a commit. The engine owns them, so it can group the commits of several sessions.
///
/// ```
/// use keyscape_store::{Changes, Commit, Database, Memory, Mode, Spaces, StoreId};
///
/// let engine = Memory::new(Spaces::new(["shop"])?);
/// let session = engine.begin(Mode::Write)?;
/// let mut changes = Changes::new();
/// changes.set(engine.spaces(), StoreId::of("shop"), b"ink", Some(b"3"))?;
/// session.commit(Commit { changes, ..Commit::default() })?;
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Commit {
    /// The write set.
    pub changes: Changes,
    /// The read set, in [`Mode::Optimistic`].
    pub reads: ReadSet,
    /// The point at which the commit is acknowledged.
    pub durability: Durability,
}

/// A position in a range of rows.
///
/// ```
/// use keyscape_store::{Cursor, Database, KeyRange, Memory, Mode, Spaces, StoreError, StoreId};
///
/// fn count(cursor: &mut dyn Cursor) -> Result<usize, StoreError> {
///     let mut rows = 0;
///     while cursor.next()?.is_some() {
///         rows += 1;
///     }
///     Ok(rows)
/// }
///
/// let engine = Memory::new(Spaces::new(["shop"])?);
/// let session = engine.begin(Mode::Read)?;
/// let mut cursor = session.cursor(StoreId::of("shop"), KeyRange::all())?;
/// assert_eq!(count(&mut *cursor)?, 0);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub trait Cursor {
    /// Returns the next row in the direction of the range. After the end, every call returns
    /// `None`.
    ///
    /// # Errors
    /// Errors of the engine.
    fn next(&mut self) -> Result<Option<Row<'_>>, StoreError>;

    /// Returns the row that the last call of [`Cursor::next`] returned.
    fn row(&self) -> Option<Row<'_>>;
}
