//! An engine that fails.

use keyscape_store::{
    Commit, Cursor, Database, KeyRange, Limits, Mode, Revision, Row, Session, Spaces, StoreError,
    StoreErrorKind, StoreId, Watchers,
};
use std::{
    io,
    sync::{
        Arc,
        atomic::{AtomicU64, Ordering},
    },
};

/// An engine that delegates to another one, and fails at one call: begin, read, open a cursor, move
/// a cursor, commit.
#[derive(Debug)]
pub struct Failing {
    inner: Arc<dyn Database>,
    fault: Fault,
    /// The number of the failing call.
    at: u64,
    /// Calls before the failing one; wraps around after it.
    left: AtomicU64,
}

/// The moment at which a commit fails.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Fault {
    /// Before the first write.
    Before,
    /// After the last write, but the result is lost.
    After,
}

impl Failing {
    /// Creates an engine whose call number `call`, counted from 1, fails.
    #[must_use]
    pub fn at(inner: Arc<dyn Database>, call: u64, fault: Fault) -> Failing {
        Failing { inner, fault, at: call, left: AtomicU64::new(call) }
    }

    /// Whether the failing call has been reached.
    #[must_use]
    pub fn has_failed(&self) -> bool {
        // Below zero, the counter wraps around.
        let left = self.left.load(Ordering::SeqCst);
        left == 0 || left > u64::MAX / 2
    }

    /// Returns the number of calls so far.
    #[must_use]
    pub fn calls(&self) -> u64 {
        self.at.wrapping_sub(self.left.load(Ordering::SeqCst))
    }

    fn is_due(&self) -> bool {
        self.left.fetch_sub(1, Ordering::SeqCst) == 1
    }

    fn call(&self) -> Result<(), StoreError> {
        if self.is_due() { Err(failure()) } else { Ok(()) }
    }
}

fn failure() -> StoreError {
    StoreError::backend("failing", io::Error::other("the fault that was asked for"))
}

impl Database for Failing {
    fn engine(&self) -> &'static str {
        "failing"
    }

    fn spaces(&self) -> &Arc<Spaces> {
        self.inner.spaces()
    }

    fn limits(&self) -> Limits {
        self.inner.limits()
    }

    fn begin(&self, mode: Mode) -> Result<Box<dyn Session + '_>, StoreError> {
        self.call()?;
        let inner = self.inner.begin(mode)?;
        Ok(Box::new(FailingSession { engine: self, inner }))
    }

    fn sync(&self) -> Result<(), StoreError> {
        self.call()?;
        self.inner.sync()
    }

    fn watchers(&self) -> Option<&Watchers> {
        self.inner.watchers()
    }
}

struct FailingSession<'db> {
    engine: &'db Failing,
    inner: Box<dyn Session + 'db>,
}

impl Session for FailingSession<'_> {
    fn revision(&self) -> Revision {
        self.inner.revision()
    }

    fn read(
        &self,
        store: StoreId,
        key: &[u8],
        found: &mut dyn FnMut(&[u8]),
    ) -> Result<bool, StoreError> {
        self.engine.call()?;
        self.inner.read(store, key, found)
    }

    fn cursor(
        &self,
        store: StoreId,
        range: KeyRange<'_>,
    ) -> Result<Box<dyn Cursor + '_>, StoreError> {
        self.engine.call()?;
        let inner = self.inner.cursor(store, range)?;
        Ok(Box::new(FailingCursor { engine: self.engine, inner }))
    }

    fn commit(self: Box<Self>, commit: Commit) -> Result<Revision, StoreError> {
        let due = self.engine.is_due();
        if due && self.engine.fault == Fault::Before {
            return Err(failure());
        }
        let committed = self.inner.commit(commit)?;
        if due {
            return Err(StoreError::new(StoreErrorKind::CommitUnknown).because(failure()));
        }
        Ok(committed)
    }
}

struct FailingCursor<'a> {
    engine: &'a Failing,
    inner: Box<dyn Cursor + 'a>,
}

impl Cursor for FailingCursor<'_> {
    fn next(&mut self) -> Result<Option<Row<'_>>, StoreError> {
        self.engine.call()?;
        self.inner.next()
    }

    fn row(&self) -> Option<Row<'_>> {
        self.inner.row()
    }
}
