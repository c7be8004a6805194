//! A small pool of connections.

use crate::{address::Address, error::advice, link::Link, options::Options};
use keyscape_store::{StoreError, StoreErrorKind};
use std::{
    ops::Deref,
    sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError},
    time::Instant,
};

/// Connections that are free, and the number of all of them.
pub(crate) struct Pool {
    pub(crate) address: Address,
    pub(crate) options: Options,
    inner: Mutex<Inner>,
    freed: Condvar,
}

#[derive(Default)]
struct Inner {
    free: Vec<Arc<Link>>,
    /// Including those in use.
    open: usize,
}

/// A connection in use. Dropping it returns the connection to the pool, unless it is lost.
pub(crate) struct Lease<'p> {
    _slot: Slot<'p>,
    link: Arc<Link>,
}

/// The right to one of the connections.
struct Slot<'p> {
    pool: &'p Pool,
    /// The connection that returns to the pool.
    link: Option<Arc<Link>>,
}

impl Pool {
    pub(crate) fn new(address: Address, options: Options) -> Pool {
        Pool { address, options, inner: Mutex::default(), freed: Condvar::new() }
    }

    /// Returns a free connection, or a new one. Waits if all are in use.
    pub(crate) fn lease(&self) -> Result<Lease<'_>, StoreError> {
        let begin = Instant::now();
        let mut inner = self.lock();
        loop {
            while let Some(link) = inner.free.pop() {
                if link.is_usable() {
                    return Ok(Lease::new(Slot { pool: self, link: None }, link));
                }
                inner.open -= 1;
            }
            if inner.open < self.options.connections.max(1) {
                inner.open += 1;
                break;
            }
            let left = self.options.pool_timeout.saturating_sub(begin.elapsed());
            if left.is_zero() {
                return Err(self.exhausted());
            }
            let waited = self.freed.wait_timeout(inner, left);
            inner = waited.unwrap_or_else(PoisonError::into_inner).0;
        }
        drop(inner);
        // The slot is free again if connecting fails.
        let slot = Slot { pool: self, link: None };
        Ok(Lease::new(slot, Arc::new(self.connect()?)))
    }

    /// Connects outside the pool, for work that must not wait for a free connection.
    pub(crate) fn connect(&self) -> Result<Link, StoreError> {
        Link::connect(&self.address.config, &self.options)
    }

    fn exhausted(&self) -> StoreError {
        let advice = advice(
            format!("all {} connections are in use", self.options.connections),
            "end transactions sooner, or raise `Options::connections`",
        );
        StoreError::new(StoreErrorKind::Busy).because(advice)
    }

    fn lock(&self) -> MutexGuard<'_, Inner> {
        self.inner.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl<'p> Lease<'p> {
    fn new(mut slot: Slot<'p>, link: Arc<Link>) -> Lease<'p> {
        slot.link = Some(Arc::clone(&link));
        Lease { _slot: slot, link }
    }
}

impl Deref for Lease<'_> {
    type Target = Link;

    fn deref(&self) -> &Link {
        &self.link
    }
}

impl Drop for Slot<'_> {
    fn drop(&mut self) {
        let mut inner = self.pool.lock();
        match self.link.take() {
            Some(link) if link.is_usable() => inner.free.push(link),
            lost => {
                inner.open -= 1;
                // Closing a connection must not hold the lock.
                drop(inner);
                drop(lost);
            }
        }
        self.pool.freed.notify_one();
    }
}
