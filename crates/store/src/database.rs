//! What an engine implements. Users of databases take [`Db`](crate::Db).

use crate::{Changes, KeyRange, Limits, ReadSet, Row, Spaces, StoreError, StoreId};
use std::{fmt, sync::Arc};

/// An engine with an open database: stores that are read at one fixed state and written by commits
/// that cover all of them.
///
/// Every call returns a result or an error; none panics, and none waits for anything but another
/// writer.
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
    /// The name of the engine, for messages.
    fn engine(&self) -> &'static str;

    /// The spaces that the database was opened with.
    fn spaces(&self) -> &Arc<Spaces>;

    /// What the engine takes.
    fn limits(&self) -> Limits;

    /// Begins a session on the newest state.
    ///
    /// # Errors
    /// [`Busy`](crate::StoreErrorKind::Busy) if this thread holds the [`Mode::Write`] session that
    /// it would wait for, [`ReadOnly`](crate::StoreErrorKind::ReadOnly) if nothing can be written,
    /// or what the engine reports.
    fn begin(&self, mode: Mode) -> Result<Box<dyn Session + '_>, StoreError>;

    /// Makes every acknowledged commit durable, also those with [`Durability::Buffered`].
    ///
    /// # Errors
    /// What the engine reports.
    fn sync(&self) -> Result<(), StoreError>;
}

/// What a session is for.
///
/// ```
/// use keyscape_store::{Db, Memory, Mode, Spaces, StoreErrorKind, StoreId};
///
/// const SHOP: StoreId = StoreId::of("shop");
/// let db = Db::new(Memory::new(Spaces::new(["shop"])?));
/// let mut tx = db.begin(Mode::Read)?;
/// assert_eq!(tx.put(SHOP, b"ink", b"3").map_err(|error| error.kind()), Err(StoreErrorKind::ReadOnly));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Mode {
    /// Reading.
    Read,
    /// Writing alone: nobody else commits from its beginning to its end, so it never conflicts.
    Write,
    /// Writing beside others: the commit fails with [`Conflict`](crate::StoreErrorKind::Conflict)
    /// if a later commit wrote what was read.
    Optimistic,
}

/// When a commit is acknowledged.
///
/// ```
/// use keyscape_store::{Db, Durability, Memory, Spaces, StoreId};
///
/// let db = Db::new(Memory::new(Spaces::new(["shop"])?));
/// let quick = db.with_durability(Durability::Buffered);
/// quick.write(|tx| tx.put(StoreId::of("shop"), b"ink", b"3"))?;
/// db.sync()?; // from here on it is safe
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Durability {
    /// When it is on disk, as far as the engine has one.
    #[default]
    Durable,
    /// When others can see it. **A crash loses acknowledged commits**: all since the last durable
    /// one, and never a part of a commit. For loads that can be run again.
    Buffered,
}

/// The number of a state of a database. It grows with each commit.
///
/// ```
/// use keyscape_store::{Db, Memory, Read, Spaces, StoreId};
///
/// let db = Db::new(Memory::new(Spaces::new(["shop"])?));
/// let before = db.read()?.revision();
/// db.write(|tx| tx.put(StoreId::of("shop"), b"ink", b"3"))?;
/// assert!(db.read()?.revision() > before);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Revision(pub u64);

impl fmt::Display for Revision {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

/// One fixed state of all stores. Dropping it ends it; nothing is written but by `commit`.
///
/// ```
/// use keyscape_store::{Cursor, Database, KeyRange, Memory, Mode, Session, Spaces, StoreId};
///
/// let engine = Memory::new(Spaces::new(["shop"])?);
/// let session = engine.begin(Mode::Read)?;
/// let mut cursor = session.cursor(StoreId::of("shop"), KeyRange::all())?;
/// assert!(cursor.next()?.is_none());
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub trait Session: Send {
    /// The number of the state.
    fn revision(&self) -> Revision;

    /// Gives the value of a key to `found`, borrowed, and says whether there is one.
    ///
    /// # Errors
    /// [`UnknownStore`](crate::StoreErrorKind::UnknownStore), or what the engine reports.
    fn read(
        &self,
        store: StoreId,
        key: &[u8],
        found: &mut dyn FnMut(&[u8]),
    ) -> Result<bool, StoreError>;

    /// Gives the values of those keys that have one to `found`, with the place of the key, in any
    /// order. A remote engine makes one trip.
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

    /// A cursor before the first row of a range.
    ///
    /// # Errors
    /// As [`Session::read`].
    fn cursor(
        &self,
        store: StoreId,
        range: KeyRange<'_>,
    ) -> Result<Box<dyn Cursor + '_>, StoreError>;

    /// Writes all changes or none, and returns the number of the new state.
    ///
    /// In [`Mode::Optimistic`] it succeeds only if no commit after [`Session::revision`] wrote
    /// inside its `reads`: a conflict may be reported that is none, but none is ever missed. In
    /// [`Mode::Write`] `reads` is empty and means nothing.
    ///
    /// # Errors
    /// After any error but [`CommitUnknown`](crate::StoreErrorKind::CommitUnknown) nothing is
    /// written. [`ReadOnly`](crate::StoreErrorKind::ReadOnly) in [`Mode::Read`].
    fn commit(self: Box<Self>, commit: Commit) -> Result<Revision, StoreError>;
}

/// What a session is asked to commit. It is given away, so that an engine can put commits of
/// several sessions together.
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
    /// What is to be written.
    pub changes: Changes,
    /// What was read, in [`Mode::Optimistic`].
    pub reads: ReadSet,
    /// When to acknowledge it.
    pub durability: Durability,
}

/// A place in a range of rows.
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
    /// Goes to the next row in the direction of the range and returns it. At the end it returns
    /// `None`, and does so ever after.
    ///
    /// # Errors
    /// What the engine reports.
    fn next(&mut self) -> Result<Option<Row<'_>>, StoreError>;

    /// The row that the last call of [`Cursor::next`] returned.
    fn row(&self) -> Option<Row<'_>>;
}
