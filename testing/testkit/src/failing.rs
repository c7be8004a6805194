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
    /// Whether every `at`-th call fails on average, at irregular distances.
    repeats: bool,
    kind: StoreErrorKind,
    calls: AtomicU64,
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
        let kind = StoreErrorKind::Backend { engine: "failing" };
        Failing { inner, fault, at: call, repeats: false, kind, calls: AtomicU64::new(0) }
    }

    /// Sets the kind of the errors. By default, the engine fails.
    #[must_use]
    pub fn with_kind(self, kind: StoreErrorKind) -> Failing {
        Failing { kind, ..self }
    }

    /// Creates an engine of which every `calls`-th call fails on average. The distances are
    /// irregular, so a repeated operation succeeds at last.
    #[must_use]
    pub fn every(inner: Arc<dyn Database>, calls: u64, fault: Fault) -> Failing {
        Failing { repeats: true, ..Failing::at(inner, calls.max(1), fault) }
    }

    /// Whether the failing call has been reached.
    #[must_use]
    pub fn has_failed(&self) -> bool {
        self.calls() >= self.at
    }

    /// Returns the number of calls so far.
    #[must_use]
    pub fn calls(&self) -> u64 {
        self.calls.load(Ordering::SeqCst)
    }

    fn is_due(&self) -> bool {
        let call = self.calls.fetch_add(1, Ordering::SeqCst) + 1;
        if self.repeats { mix(call).is_multiple_of(self.at) } else { call == self.at }
    }

    fn call(&self) -> Result<(), StoreError> {
        if self.is_due() { Err(self.failure()) } else { Ok(()) }
    }

    fn failure(&self) -> StoreError {
        StoreError::new(self.kind).because(io::Error::other("the requested fault"))
    }
}

/// Returns a number that looks random.
fn mix(number: u64) -> u64 {
    let mixed = (number ^ (number >> 7)).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    (mixed ^ (mixed >> 29)).wrapping_mul(0xbf58_476d_1ce4_e5b9) >> 32
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

    fn write_attempts(&self) -> u32 {
        self.inner.write_attempts()
    }

    fn pause(&self, attempt: u32) {
        self.inner.pause(attempt);
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
            return Err(self.engine.failure());
        }
        let committed = self.inner.commit(commit)?;
        if due {
            let failure = self.engine.failure();
            return Err(StoreError::new(StoreErrorKind::CommitUnknown).because(failure));
        }
        Ok(committed)
    }

    fn finish(self: Box<Self>) -> Result<Revision, StoreError> {
        self.inner.finish()
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
