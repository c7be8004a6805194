//! Conflict detection for engines.

use crate::{Changes, KeyRange, ReadSet, Revision, StoreError, StoreErrorKind, StoreId};
use std::{
    collections::VecDeque,
    ops::Bound,
    sync::{Mutex, MutexGuard, PoisonError},
};

/// The keys that recent commits wrote, for engines that find conflicts themselves.
///
/// The log keeps keys only while optimistic sessions exist, and at most a given number of bytes.
/// Checks against dropped keys fail with [`SnapshotExpired`](StoreErrorKind::SnapshotExpired), and
/// never miss a conflict.
///
/// ```
/// use keyscape_store::{Changes, ConflictLog, ReadSet, Revision, Spaces, StoreErrorKind, StoreId};
///
/// const SHOP: StoreId = StoreId::of("shop");
/// let log = ConflictLog::new(ConflictLog::CAPACITY);
/// let guard = log.hold(); // a session begins, at the state with number 4
///
/// let mut changes = Changes::new();
/// changes.set(&Spaces::new(["shop"])?, SHOP, b"ink", Some(b"3"))?;
/// log.record(Revision(5), &changes); // somebody else commits
///
/// let mut reads = ReadSet::new();
/// reads.add_key(SHOP, b"pen");
/// log.check(Revision(4), &reads)?;
/// reads.add_key(SHOP, b"ink");
/// let conflict = log.check(Revision(4), &reads).map_err(|error| error.kind());
/// assert_eq!(conflict, Err(StoreErrorKind::Conflict));
/// drop(guard);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug)]
pub struct ConflictLog {
    inner: Mutex<Inner>,
    capacity: usize,
}

#[derive(Debug, Default)]
struct Inner {
    commits: VecDeque<Written>,
    bytes: usize,
    /// The newest commit whose keys were dropped.
    forgotten: Revision,
    guards: usize,
}

#[derive(Debug)]
struct Written {
    revision: Revision,
    /// Sorted in each store.
    keys: Vec<(StoreId, Vec<Box<[u8]>>)>,
    bytes: usize,
}

/// Keeps the log of commits as long as it exists.
#[derive(Debug)]
#[must_use = "the log keeps commits while the guard exists"]
pub struct LogGuard<'a>(&'a ConflictLog);

/// The overhead of one key in bytes.
const KEY_OVERHEAD: usize = 16;

impl ConflictLog {
    /// The default size of the log in bytes.
    pub const CAPACITY: usize = 64 << 20;

    /// Creates a log that keeps about this number of bytes of keys.
    #[must_use]
    pub fn new(capacity: usize) -> ConflictLog {
        ConflictLog { inner: Mutex::default(), capacity }
    }

    /// Starts logging commits. Call this *before* the session takes its state.
    pub fn hold(&self) -> LogGuard<'_> {
        self.lock().guards += 1;
        LogGuard(self)
    }

    /// Records a commit. Call this in the order of revisions, before the commit is visible.
    pub fn record(&self, revision: Revision, changes: &Changes) {
        let mut log = self.lock();
        if log.guards == 0 {
            *log = Inner { forgotten: revision, ..Inner::default() };
            return;
        }
        let mut bytes = KEY_OVERHEAD;
        let mut keys = Vec::new();
        for store in changes.stores() {
            let written: Vec<Box<[u8]>> = store.iter().map(|(key, _)| key.into()).collect();
            bytes += written.iter().map(|key| key.len() + KEY_OVERHEAD).sum::<usize>();
            keys.push((store.id(), written));
        }
        log.bytes += bytes;
        log.commits.push_back(Written { revision, keys, bytes });
        while log.bytes > self.capacity
            && let Some(oldest) = log.commits.pop_front()
        {
            log.bytes -= oldest.bytes;
            log.forgotten = oldest.revision;
        }
    }

    /// Checks that no later commit wrote inside a read set.
    ///
    /// # Errors
    /// [`Conflict`](StoreErrorKind::Conflict) or
    /// [`SnapshotExpired`](StoreErrorKind::SnapshotExpired).
    pub fn check(&self, read_at: Revision, reads: &ReadSet) -> Result<(), StoreError> {
        let log = self.lock();
        if reads.is_empty() {
            return Ok(());
        }
        if read_at < log.forgotten {
            return Err(StoreErrorKind::SnapshotExpired.into());
        }
        let later = log.commits.partition_point(|written| written.revision <= read_at);
        for written in log.commits.range(later..) {
            if let Some(key) = reads.iter().find_map(|(id, range)| written.in_range(id, &range)) {
                tracing::debug!(read_at = read_at.0, written = written.revision.0, "conflict");
                return Err(StoreError::new(StoreErrorKind::Conflict).at_key(key));
            }
        }
        Ok(())
    }

    fn lock(&self) -> MutexGuard<'_, Inner> {
        self.inner.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Default for ConflictLog {
    fn default() -> ConflictLog {
        ConflictLog::new(ConflictLog::CAPACITY)
    }
}

impl Written {
    /// Returns a written key in a range.
    fn in_range(&self, store: StoreId, range: &KeyRange<'_>) -> Option<&[u8]> {
        let (_, keys) = self.keys.iter().find(|(id, _)| *id == store)?;
        let first = match range.start() {
            Bound::Included(start) => keys.partition_point(|key| **key < *start),
            Bound::Excluded(start) => keys.partition_point(|key| **key <= *start),
            Bound::Unbounded => 0,
        };
        let key = keys.get(first)?;
        range.contains(key).then_some(&**key)
    }
}

impl Drop for LogGuard<'_> {
    fn drop(&mut self) {
        self.0.lock().guards -= 1;
    }
}
