//! Subscriptions to committed changes.

use crate::{Changes, KeyRange, Revision, StoreError, StoreErrorKind, StoreId};
use std::{
    collections::VecDeque,
    fmt,
    sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError, Weak},
    time::Duration,
};

/// The changes of one commit that a subscription selects.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Committed {
    /// The revision of the state after the commit.
    pub revision: Revision,
    /// The selected changes. Never empty.
    pub changes: Changes,
}

/// A subscription to the commits that change rows in some ranges; see
/// [`Db::watch`](crate::Db::watch).
///
/// Commits wait in a buffer of limited size. If they exceed it, the buffer is emptied, and
/// [`Subscription::next`] reports [`FellBehind`](StoreErrorKind::FellBehind) once. A program that
/// then reads a snapshot has seen every lost commit.
///
/// ```
/// use keyscape_store::{Db, KeyRange, Memory, Spaces, StoreErrorKind, StoreId};
/// use std::time::Duration;
///
/// const SHOP: StoreId = StoreId::of("shop");
/// let db = Db::new(Memory::new(Spaces::new(["shop"])?));
/// let watch = db.watch([(SHOP, KeyRange::all())])?.with_capacity(1_000);
/// for number in 0..100_u8 {
///     db.write(|tx| tx.put(SHOP, &[number], b"ink"))?;
/// }
/// let lost = watch.next(Duration::ZERO).map_err(|error| error.kind());
/// assert!(matches!(lost, Err(StoreErrorKind::FellBehind { .. })));
///
/// while watch.next(Duration::ZERO)?.is_some() {} // the newest commits
/// drop(db);
/// let ended = watch.next(Duration::from_secs(60)).map_err(|error| error.kind());
/// assert_eq!(ended, Err(StoreErrorKind::Closed));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub struct Subscription(Arc<Buffer>);

struct Buffer {
    ranges: Vec<(StoreId, KeyRange<'static>)>,
    state: Mutex<State>,
    arrived: Condvar,
}

struct State {
    commits: VecDeque<Committed>,
    bytes: usize,
    capacity: usize,
    /// The number of commits that were dropped since the last report.
    lost: u64,
    is_closed: bool,
}

/// The overhead of a buffered row in bytes.
const ROW_OVERHEAD: usize = 100;

impl Subscription {
    /// The default size of the buffer in bytes.
    pub const CAPACITY: usize = 16 << 20;

    /// Sets the approximate size of the buffer in bytes.
    #[must_use]
    pub fn with_capacity(self, bytes: usize) -> Subscription {
        self.0.lock().capacity = bytes;
        self
    }

    /// Waits for the next commit, at most for `timeout`. Returns `None` if there was none. Commits
    /// arrive in their order, after they can be read.
    ///
    /// ```
    /// use keyscape_store::{Db, KeyRange, Memory, Spaces, StoreId};
    /// use std::{thread, time::Duration};
    ///
    /// const SHOP: StoreId = StoreId::of("shop");
    /// let db = Db::new(Memory::new(Spaces::new(["shop"])?));
    /// let watch = db.watch([(SHOP, KeyRange::all())])?;
    /// let writer = thread::spawn(move || db.write(|tx| tx.put(SHOP, b"ink", b"3")));
    /// assert!(watch.next(Duration::from_secs(60))?.is_some());
    /// writer.join().map_err(|_| "the writer panicked")??;
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// [`FellBehind`](StoreErrorKind::FellBehind) if commits were lost,
    /// [`Closed`](StoreErrorKind::Closed) if the database was closed and all commits were returned.
    pub fn next(&self, timeout: Duration) -> Result<Option<Committed>, StoreError> {
        let state = self.0.lock();
        let waited = self.0.arrived.wait_timeout_while(state, timeout, |state| {
            state.commits.is_empty() && state.lost == 0 && !state.is_closed
        });
        let (mut state, _) = waited.unwrap_or_else(PoisonError::into_inner);
        if state.lost > 0 {
            let commits = std::mem::take(&mut state.lost);
            return Err(StoreErrorKind::FellBehind { commits }.into());
        }
        match state.commits.pop_front() {
            Some(commit) => {
                state.bytes -= commit.size();
                Ok(Some(commit))
            }
            None if state.is_closed => Err(StoreErrorKind::Closed.into()),
            None => Ok(None),
        }
    }
}

impl fmt::Debug for Subscription {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let state = self.0.lock();
        f.debug_struct("Subscription")
            .field("ranges", &self.0.ranges)
            .field("commits", &state.commits.len())
            .field("lost", &state.lost)
            .finish_non_exhaustive()
    }
}

impl Committed {
    fn size(&self) -> usize {
        let (rows, bytes) = (self.changes.rows(), self.changes.bytes());
        usize::try_from(bytes + rows * ROW_OVERHEAD as u64).unwrap_or(usize::MAX)
    }
}

impl Buffer {
    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn change(&self, change: impl FnOnce(&mut State)) {
        change(&mut self.lock());
        self.arrived.notify_all();
    }
}

impl State {
    fn push(&mut self, commit: Committed) {
        self.bytes = self.bytes.saturating_add(commit.size());
        self.commits.push_back(commit);
        if self.bytes > self.capacity {
            self.lose(0);
        }
    }

    /// Drops all buffered commits, in addition to `more` that never arrived.
    fn lose(&mut self, more: u64) {
        self.lost += self.commits.len() as u64 + more;
        self.commits.clear();
        self.bytes = 0;
    }
}

/// The subscriptions of a database. For engines: an engine owns it, and publishes every commit in
/// the order of revisions.
///
/// ```
/// use keyscape_store::{Changes, Revision, Spaces, StoreId, Watchers};
///
/// let watchers = Watchers::default();
/// let mut changes = Changes::new();
/// changes.set(&Spaces::new(["shop"])?, StoreId::of("shop"), b"ink", Some(b"3"))?;
/// // … the commit becomes visible …
/// watchers.select(Revision(1), &changes).publish();
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Default)]
pub struct Watchers(Mutex<Vec<Weak<Buffer>>>);

/// A commit that will be published. New subscriptions wait until it is published or dropped.
#[must_use = "a commit that is not published is not reported"]
pub struct Publication<'a> {
    watchers: MutexGuard<'a, Vec<Weak<Buffer>>>,
    selected: Vec<(Arc<Buffer>, Committed)>,
}

impl Watchers {
    pub(crate) fn subscribe(&self, ranges: Vec<(StoreId, KeyRange<'static>)>) -> Subscription {
        let state = Mutex::new(State {
            commits: VecDeque::new(),
            bytes: 0,
            capacity: Subscription::CAPACITY,
            lost: 0,
            is_closed: false,
        });
        let buffer = Arc::new(Buffer { ranges, state, arrived: Condvar::new() });
        let mut watchers = self.lock();
        watchers.retain(|buffer| buffer.strong_count() > 0);
        watchers.push(Arc::downgrade(&buffer));
        Subscription(buffer)
    }

    /// Selects the changes of a commit for each subscription. Publish them when the commit can be
    /// read.
    pub fn select(&self, revision: Revision, changes: &Changes) -> Publication<'_> {
        let watchers = self.lock();
        let select = |buffer: Arc<Buffer>| {
            let changes = changes.within(&buffer.ranges);
            (!changes.is_empty()).then_some((buffer, Committed { revision, changes }))
        };
        let selected = watchers.iter().filter_map(Weak::upgrade).filter_map(select).collect();
        Publication { watchers, selected }
    }

    /// Reports to every subscription that commits were lost, because it is unknown whether they
    /// were written.
    pub fn lose(&self, commits: u64) {
        for buffer in self.lock().iter().filter_map(Weak::upgrade) {
            buffer.change(|state| state.lose(commits));
        }
    }

    fn lock(&self) -> MutexGuard<'_, Vec<Weak<Buffer>>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Publication<'_> {
    /// Adds the commit to the buffers of the subscriptions.
    pub fn publish(self) {
        let Publication { watchers, selected } = self;
        for (buffer, commit) in selected {
            buffer.change(|state| state.push(commit));
        }
        drop(watchers);
    }
}

impl Drop for Watchers {
    fn drop(&mut self) {
        for buffer in self.lock().iter().filter_map(Weak::upgrade) {
            buffer.change(|state| state.is_closed = true);
        }
    }
}

impl fmt::Debug for Watchers {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Watchers").field(&self.lock().len()).finish()
    }
}

impl fmt::Debug for Publication<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Publication").field(&self.selected.len()).finish()
    }
}
