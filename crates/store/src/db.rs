//! The handle of an open database.

use crate::{
    Database, Durability, KeyRange, Limits, Mode, Snapshot, Spaces, StoreError, StoreErrorKind,
    StoreId, Subscription, Tx, snapshot::TrackedSession,
};
use std::sync::Arc;

/// An open database, on any engine. Clones are the same database.
///
/// ```
/// use keyscape_store::{Db, Memory, ReadExt, Spaces, StoreError, StoreId};
///
/// const SHOP: StoreId = StoreId::of("shop");
/// let db = Db::new(Memory::new(Spaces::new(["shop"])?));
///
/// // Atomic. On a local engine it is exclusive too, so it never conflicts.
/// db.write(|tx| tx.put(SHOP, b"ink", b"3"))?;
///
/// // Concurrent. Runs again if another commit wrote a row that it read.
/// let left = db.optimistic(10, |tx| {
///     let ink = tx.get(SHOP, b"ink")?.unwrap_or_default();
///     tx.put(SHOP, b"ink sold", &ink)?;
///     tx.delete(SHOP, b"ink")?;
///     Ok::<_, StoreError>(ink)
/// })?;
/// assert_eq!(left, b"3");
/// assert_eq!(db.read()?.get(SHOP, b"ink sold")?, Some(b"3".to_vec()));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug)]
pub struct Db {
    database: Arc<dyn Database>,
    durability: Durability,
}

impl Db {
    /// Creates a handle for a database that an engine has opened.
    #[must_use]
    pub fn new(database: impl Database + 'static) -> Db {
        Db::from(Arc::new(database) as Arc<dyn Database>)
    }

    /// Sets the durability of all transactions that begin through the returned handle.
    ///
    /// ```
    /// use keyscape_store::{Db, Durability, Memory, Spaces, StoreId};
    ///
    /// const SHOP: StoreId = StoreId::of("shop");
    /// let db = Db::new(Memory::new(Spaces::new(["shop"])?));
    /// // Acknowledged before it is on disk: lost if the machine fails before the next sync.
    /// let fast = db.with_durability(Durability::Buffered);
    /// fast.write(|tx| tx.put(SHOP, b"ink", b"3"))?;
    /// db.sync()?;
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[must_use]
    pub fn with_durability(&self, durability: Durability) -> Db {
        Db { database: Arc::clone(&self.database), durability }
    }

    /// Returns the engine.
    #[must_use]
    pub fn database(&self) -> &dyn Database {
        &*self.database
    }

    /// Returns the spaces that the database was opened with.
    #[must_use]
    pub fn spaces(&self) -> &Spaces {
        self.database.spaces()
    }

    /// Returns the limits of the engine.
    #[must_use]
    pub fn limits(&self) -> Limits {
        self.database.limits()
    }

    /// Returns a snapshot of the newest state.
    ///
    /// ```
    /// use keyscape_store::{Db, Memory, ReadExt, Spaces, StoreId};
    ///
    /// const SHOP: StoreId = StoreId::of("shop");
    /// let db = Db::new(Memory::new(Spaces::new(["shop"])?));
    /// let before = db.read()?;
    /// db.write(|tx| tx.put(SHOP, b"ink", b"3"))?;
    /// assert!(!before.contains(SHOP, b"ink")?, "a later commit does not change a snapshot");
    /// assert!(db.read()?.contains(SHOP, b"ink")?);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// Errors of the engine.
    pub fn read(&self) -> Result<Snapshot<'_>, StoreError> {
        self.track(Mode::Read).map(Snapshot::new)
    }

    /// Begins a transaction on the newest state. [`Mode::Write`] waits for other writers.
    ///
    /// ```
    /// use keyscape_store::{Db, Memory, Mode, ReadExt, Spaces, StoreId};
    ///
    /// const SHOP: StoreId = StoreId::of("shop");
    /// let db = Db::new(Memory::new(Spaces::new(["shop"])?));
    /// let mut tx = db.begin(Mode::Write)?;
    /// tx.put(SHOP, b"ink", b"3")?;
    /// drop(tx); // not committed
    /// assert!(!db.read()?.contains(SHOP, b"ink")?);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// [`Busy`](StoreErrorKind::Busy) if this thread already has a [`Mode::Write`] transaction;
    /// [`ReadOnly`](StoreErrorKind::ReadOnly); or errors of the engine.
    pub fn begin(&self, mode: Mode) -> Result<Tx<'_>, StoreError> {
        Ok(Tx::new(self.track(mode)?, &*self.database, mode, self.durability))
    }

    /// Runs a transaction and commits it. Discards all writes if `run` fails.
    ///
    /// On a local engine the transaction is exclusive, so `run` runs once. On a remote engine
    /// ([`Database::write_attempts`]) the transaction is serializable, and `run` **may run more
    /// than once**: it must have no effects outside the transaction. The last attempt is exclusive,
    /// so other writers cannot make it fail.
    ///
    /// ```
    /// use keyscape_store::{Db, Memory, ReadExt, Spaces, StoreError, StoreErrorKind, StoreId};
    ///
    /// const SHOP: StoreId = StoreId::of("shop");
    /// let db = Db::new(Memory::new(Spaces::new(["shop"])?));
    /// db.write(|tx| tx.put(SHOP, b"ink", b"3"))?;
    /// let failed = db.write(|tx| {
    ///     tx.delete(SHOP, b"ink")?;
    ///     Err::<(), StoreError>(StoreErrorKind::ReadOnly.into())
    /// });
    /// assert!(failed.is_err());
    /// assert!(db.read()?.contains(SHOP, b"ink")?);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// Errors of `run`, or of beginning and committing the transaction.
    pub fn write<T, E: From<StoreError>>(
        &self,
        run: impl FnMut(&mut Tx<'_>) -> Result<T, E>,
    ) -> Result<T, E> {
        self.attempts(self.database.write_attempts(), Mode::Write, run)
    }

    /// Runs an optimistic transaction and commits it. Runs it again if another commit wrote rows
    /// that it read, at most `attempts` times and at least once.
    ///
    /// ```
    /// use keyscape_store::{Db, Memory, ReadExt, Spaces, StoreId};
    ///
    /// const SHOP: StoreId = StoreId::of("shop");
    /// let db = Db::new(Memory::new(Spaces::new(["shop"])?));
    /// let mut runs = 0;
    /// db.optimistic(3, |tx| {
    ///     runs += 1;
    ///     let ink = tx.get(SHOP, b"ink")?;
    ///     if runs == 1 {
    ///         // Somebody else writes what was read.
    ///         db.write(|tx| tx.put(SHOP, b"ink", b"3"))?;
    ///     }
    ///     tx.put(SHOP, b"seen", if ink.is_some() { b"yes" } else { b"no" })
    /// })?;
    /// assert_eq!(runs, 2);
    /// assert_eq!(db.read()?.get(SHOP, b"seen")?, Some(b"yes".to_vec()));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// Errors of `run`, of beginning and committing the transaction, or
    /// [`Conflict`](StoreErrorKind::Conflict) after the last attempt.
    pub fn optimistic<T, E: From<StoreError>>(
        &self,
        attempts: u32,
        run: impl FnMut(&mut Tx<'_>) -> Result<T, E>,
    ) -> Result<T, E> {
        self.attempts(attempts, Mode::Optimistic, run)
    }

    /// Runs a transaction until it commits. All attempts but the last are optimistic.
    fn attempts<T, E: From<StoreError>>(
        &self,
        attempts: u32,
        last: Mode,
        mut run: impl FnMut(&mut Tx<'_>) -> Result<T, E>,
    ) -> Result<T, E> {
        let mut attempt = 1;
        loop {
            let mode = if attempt < attempts { Mode::Optimistic } else { last };
            let mut tx = self.begin(mode)?;
            let failed = match run(&mut tx) {
                Ok(answer) => match tx.commit() {
                    Ok(_) => return Ok(answer),
                    Err(error) if worth_retrying(&error) => E::from(error),
                    Err(error) => return Err(error.into()),
                },
                Err(error) if tx.is_expired() => error,
                Err(error) => return Err(error),
            };
            if attempt >= attempts {
                return Err(failed);
            }
            tracing::debug!(attempt, "conflict: the transaction is run again");
            self.database.pause(attempt);
            attempt += 1;
        }
    }

    /// Subscribes to the commits that change rows in some ranges of stores. Reports every commit
    /// that becomes visible after this call.
    ///
    /// To follow rows from a state on, subscribe first, read a snapshot next, and skip commits up
    /// to its revision.
    ///
    /// ```
    /// use keyscape_store::{Db, KeyRange, Memory, Read, ReadExt, Spaces, StoreId};
    /// use std::time::Duration;
    ///
    /// const SHOP: StoreId = StoreId::of("shop");
    /// let db = Db::new(Memory::new(Spaces::new(["shop"])?));
    /// let watch = db.watch([(SHOP, KeyRange::prefix(b"o/"))])?;
    /// let state = db.read()?;
    /// assert_eq!(state.get(SHOP, b"o/1")?, None);
    ///
    /// db.write(|tx| tx.put(SHOP, b"o/1", b"ink"))?;
    /// let commit = watch.next(Duration::from_secs(1))?.ok_or("no commit")?;
    /// assert!(commit.revision > state.revision());
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// [`UnknownStore`](StoreErrorKind::UnknownStore), or
    /// [`Unwatchable`](StoreErrorKind::Unwatchable) if the engine does not see all commits.
    pub fn watch<'r>(
        &self,
        ranges: impl IntoIterator<Item = (StoreId, KeyRange<'r>)>,
    ) -> Result<Subscription, StoreError> {
        let watchers = self.database.watchers().ok_or(StoreErrorKind::Unwatchable)?;
        let known = |(store, range): (StoreId, KeyRange<'r>)| match self.spaces().name(store) {
            Some(_) => Ok((store, range.into_owned())),
            None => Err(StoreErrorKind::UnknownStore(store)),
        };
        let ranges = ranges.into_iter().map(known).collect::<Result<_, _>>()?;
        Ok(watchers.subscribe(ranges))
    }

    /// Makes every acknowledged commit durable, including those with [`Durability::Buffered`].
    ///
    /// # Errors
    /// Errors of the engine.
    pub fn sync(&self) -> Result<(), StoreError> {
        self.database.sync()
    }

    fn track(&self, mode: Mode) -> Result<TrackedSession<'_>, StoreError> {
        let session = self.database.begin(mode)?;
        Ok(TrackedSession::new(session, Arc::clone(self.database.spaces()), mode))
    }
}

/// Whether a retry can succeed. A thread that waits for itself would wait again.
fn worth_retrying(error: &StoreError) -> bool {
    error.is_retryable() && error.kind() != StoreErrorKind::Busy
}

impl From<Arc<dyn Database>> for Db {
    fn from(database: Arc<dyn Database>) -> Db {
        Db { database, durability: Durability::default() }
    }
}
