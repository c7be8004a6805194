//! Snapshots, and the session that snapshots and transactions share.

use crate::{
    KeyRange, Meter, Mode, Operation, Read, ReadSet, Rows, Session, Spaces, StoreError,
    StoreErrorKind, StoreId, changes::Changes, key::Key,
};
use std::{
    cell::{Cell, RefCell},
    fmt,
    sync::Arc,
};

/// One fixed state of a database for reading.
///
/// Later commits do not change it. Engines keep its rows until it is dropped.
pub struct Snapshot<'db> {
    tracked: TrackedSession<'db>,
}

impl<'db> Snapshot<'db> {
    pub(crate) fn new(tracked: TrackedSession<'db>) -> Snapshot<'db> {
        Snapshot { tracked }
    }

    /// Sets the meter that is charged for reads.
    pub fn set_meter(&mut self, meter: Option<Arc<dyn Meter>>) {
        self.tracked.meter = meter;
    }
}

impl Read for Snapshot<'_> {
    fn read_state(&self) -> ReadState<'_> {
        ReadState { tracked: &self.tracked, changes: None }
    }
}

impl fmt::Debug for Snapshot<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Snapshot").field("revision", &self.revision()).finish_non_exhaustive()
    }
}

/// A session with its read set and meter.
pub(crate) struct TrackedSession<'db> {
    pub(crate) session: Box<dyn Session + 'db>,
    pub(crate) spaces: Arc<Spaces>,
    pub(crate) meter: Option<Arc<dyn Meter>>,
    /// Recorded for optimistic transactions only.
    pub(crate) reads: Option<RefCell<ReadSet>>,
    /// The error that ended the session. Every later call fails.
    failed: Cell<Option<StoreErrorKind>>,
}

impl<'db> TrackedSession<'db> {
    pub(crate) fn new(session: Box<dyn Session + 'db>, spaces: Arc<Spaces>, mode: Mode) -> Self {
        TrackedSession {
            session,
            spaces,
            meter: None,
            reads: (mode == Mode::Optimistic).then(RefCell::default),
            failed: Cell::new(None),
        }
    }

    /// Whether the transaction failed, and may succeed if it is run again.
    pub(crate) fn is_expired(&self) -> bool {
        self.failed.get().is_some_and(StoreErrorKind::is_retryable)
    }

    #[inline]
    pub(crate) fn check(&self) -> Result<(), StoreError> {
        match self.failed.get() {
            None => Ok(()),
            Some(kind) => Err(ended(kind)),
        }
    }

    /// Ends the session, unless an earlier error has ended it.
    pub(crate) fn end(&self, kind: StoreErrorKind) {
        self.failed.set(self.failed.get().or(Some(kind)));
    }

    /// Adds the store to an error of the engine, which ends the session.
    #[cold]
    pub(crate) fn fail(&self, error: StoreError, store: StoreId) -> StoreError {
        if !matches!(error.kind(), StoreErrorKind::UnknownStore(_)) {
            self.end(error.kind());
        }
        self.in_store(error, store)
    }

    /// Adds the store to an error.
    #[cold]
    pub(crate) fn in_store(&self, error: StoreError, store: StoreId) -> StoreError {
        match self.spaces.name(store) {
            Some(name) if error.store().is_none() => error.in_store(name.to_owned()),
            _ => error,
        }
    }

    #[inline]
    pub(crate) fn charge(&self, operation: Operation, bytes: usize) -> Result<(), StoreError> {
        match &self.meter {
            Some(meter) => Ok(meter.charge(operation, bytes as u64)?),
            None => Ok(()),
        }
    }
}

/// A state to read: that of a session, overlaid by the changes of a transaction.
#[derive(Clone, Copy)]
pub struct ReadState<'t> {
    pub(crate) tracked: &'t TrackedSession<'t>,
    pub(crate) changes: Option<&'t Changes>,
}

impl<'t> ReadState<'t> {
    pub(crate) fn read(
        self,
        store: StoreId,
        key: &[u8],
        found: &mut dyn FnMut(&[u8]),
    ) -> Result<bool, StoreError> {
        let ReadState { tracked, changes } = self;
        tracked.check()?;
        if let Some(pending) = pending(changes, store, key) {
            tracked.charge(Operation::Get, key.len() + pending.map_or(0, <[u8]>::len))?;
            pending.into_iter().for_each(found);
            return Ok(pending.is_some());
        }
        if let Some(reads) = &tracked.reads {
            reads.borrow_mut().add_key(store, key);
        }
        let Some(meter) = &tracked.meter else {
            return tracked
                .session
                .read(store, key, found)
                .map_err(|error| tracked.fail(error, store).at_key(key));
        };
        let mut bytes = key.len();
        let exists = tracked.session.read(store, key, &mut |value| {
            bytes += value.len();
            found(value);
        });
        let exists = exists.map_err(|error| tracked.fail(error, store).at_key(key))?;
        meter.charge(Operation::Get, bytes as u64)?;
        Ok(exists)
    }

    pub(crate) fn read_many(
        self,
        store: StoreId,
        keys: &[&[u8]],
        found: &mut dyn FnMut(usize, &[u8]),
    ) -> Result<(), StoreError> {
        let ReadState { tracked, changes } = self;
        let dirty = changes.is_some_and(|changes| changes.pending(store).is_some());
        if dirty || tracked.meter.is_some() {
            for (place, key) in keys.iter().enumerate() {
                self.read(store, key, &mut |value| found(place, value))?;
            }
            return Ok(());
        }
        tracked.check()?;
        if let Some(reads) = &tracked.reads {
            keys.iter().for_each(|key| reads.borrow_mut().add_key(store, key));
        }
        tracked.session.read_many(store, keys, found).map_err(|error| tracked.fail(error, store))
    }

    pub(crate) fn rows(self, store: StoreId, range: KeyRange<'_>) -> Result<Rows<'t>, StoreError> {
        self.tracked.charge(Operation::Seek, 0)?;
        self.uncharged_rows(store, range)
    }

    pub(crate) fn uncharged_rows(
        self,
        store: StoreId,
        range: KeyRange<'_>,
    ) -> Result<Rows<'t>, StoreError> {
        self.tracked.check()?;
        let pending = self.changes.and_then(|changes| changes.pending(store));
        Rows::open(self.tracked, pending, store, range)
    }
}

impl fmt::Debug for ReadState<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ReadState").field("changes", &self.changes).finish_non_exhaustive()
    }
}

/// Returns the error of a call after the error that ended the session.
#[cold]
fn ended(kind: StoreErrorKind) -> StoreError {
    if kind.is_retryable() { kind.into() } else { StoreErrorKind::Poisoned.into() }
}

/// Returns the pending change of a key. `Some(None)` is a deletion.
fn pending<'t>(
    changes: Option<&'t Changes>,
    store: StoreId,
    key: &[u8],
) -> Option<Option<&'t [u8]>> {
    let pending = changes?.pending(store)?;
    let change = match Key::short(key) {
        Some(key) => pending.get(&key),
        None => pending.get(key),
    };
    change.map(Option::as_deref)
}
