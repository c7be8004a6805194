//! One writer at a time. For engines.

use crate::{StoreError, StoreErrorKind};
use std::{
    sync::{Condvar, Mutex, MutexGuard, PoisonError},
    thread::{self, ThreadId},
};

/// A gate that admits one writer at a time. Unlike the guard of a mutex, its pass may move to
/// another thread, like sessions.
///
/// ```
/// use keyscape_store::{StoreErrorKind, WriteGate};
///
/// let gate = WriteGate::new();
/// let pass = gate.enter()?;
/// // A thread that waited for itself would never continue.
/// assert_eq!(gate.enter().map(drop).map_err(|error| error.kind()), Err(StoreErrorKind::Busy));
/// drop(pass);
/// gate.enter()?;
/// # Ok::<(), keyscape_store::StoreError>(())
/// ```
#[derive(Debug, Default)]
pub struct WriteGate {
    held_by: Mutex<Option<ThreadId>>,
    free: Condvar,
}

/// Held by the current writer. Dropping it admits the next one.
#[derive(Debug)]
#[must_use = "the gate is open again when the pass is dropped"]
pub struct WritePass<'a>(&'a WriteGate);

impl WriteGate {
    /// Creates an open gate.
    #[must_use]
    pub fn new() -> WriteGate {
        WriteGate::default()
    }

    /// Waits until the gate is free.
    ///
    /// # Errors
    /// [`Busy`](StoreErrorKind::Busy) if this thread holds the pass: it would wait for itself.
    pub fn enter(&self) -> Result<WritePass<'_>, StoreError> {
        loop {
            // Only a pass ends the wait.
            if let Some(pass) = self.enter_unless(|| false)? {
                return Ok(pass);
            }
        }
    }

    /// Checks that this thread does not hold the pass. For engines whose other writers wait
    /// elsewhere.
    ///
    /// # Errors
    /// [`Busy`](StoreErrorKind::Busy) if this thread holds the pass.
    pub fn check(&self) -> Result<(), StoreError> {
        match *self.lock() {
            Some(holder) if holder == thread::current().id() => Err(StoreErrorKind::Busy.into()),
            _ => Ok(()),
        }
    }

    /// Waits until the gate is free. Returns `None` if the holder has meanwhile `done` the work of
    /// the caller.
    ///
    /// # Errors
    /// As [`WriteGate::enter`].
    pub fn enter_unless(
        &self,
        done: impl Fn() -> bool,
    ) -> Result<Option<WritePass<'_>>, StoreError> {
        let me = thread::current().id();
        let mut held_by = self.lock();
        loop {
            if done() {
                return Ok(None);
            }
            match *held_by {
                None => break,
                Some(holder) if holder == me => return Err(StoreErrorKind::Busy.into()),
                Some(_) => {
                    held_by = self.free.wait(held_by).unwrap_or_else(PoisonError::into_inner);
                }
            }
        }
        *held_by = Some(me);
        Ok(Some(WritePass(self)))
    }

    fn lock(&self) -> MutexGuard<'_, Option<ThreadId>> {
        self.held_by.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Drop for WritePass<'_> {
    fn drop(&mut self) {
        *self.0.lock() = None;
        self.0.free.notify_all();
    }
}
