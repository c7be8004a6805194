//! A small pool of connections.

use crate::{address::Address, error::advice, link::Link, options::Options};
use keyscape_store::{StoreError, StoreErrorKind};
use std::{
    collections::VecDeque,
    ops::Deref,
    sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError},
    time::Instant,
};

/// A pool of connections to one server.
pub(crate) struct Pool {
    pub(crate) address: Address,
    pub(crate) options: Options,
    inner: Mutex<Inner>,
    freed: Condvar,
}

#[derive(Default)]
struct Inner {
    free: Vec<Arc<Link>>,
    /// The number of open connections, including those in use.
    open: usize,
    /// The tickets of waiting threads, the oldest first.
    waiting: VecDeque<u64>,
    next_ticket: u64,
}

/// The right to use a connection.
enum Taken {
    Free(Arc<Link>),
    /// A new connection must be made.
    New,
}

impl Inner {
    fn take(&mut self, max: usize) -> Option<Taken> {
        while let Some(link) = self.free.pop() {
            if link.is_usable() {
                return Some(Taken::Free(link));
            }
            self.open -= 1;
        }
        if self.open >= max {
            return None;
        }
        self.open += 1;
        Some(Taken::New)
    }
}

/// A connection in use. Dropping it returns the connection to the pool, unless it is lost.
pub(crate) struct Lease<'p> {
    pool: &'p Pool,
    link: Arc<Link>,
}

impl Pool {
    pub(crate) fn new(address: Address, options: Options) -> Pool {
        Pool { address, options, inner: Mutex::default(), freed: Condvar::new() }
    }

    /// Returns a free connection, or a new one. Waits if all are in use. Threads get connections in
    /// the order in which they began to wait.
    pub(crate) fn lease(&self) -> Result<Lease<'_>, StoreError> {
        let begin = Instant::now();
        let mut inner = self.lock();
        let ticket = inner.next_ticket;
        inner.next_ticket += 1;
        inner.waiting.push_back(ticket);
        loop {
            let is_first = inner.waiting.front() == Some(&ticket);
            if is_first && let Some(taken) = inner.take(self.options.connections.max(1)) {
                inner.waiting.pop_front();
                drop(inner);
                // The next thread may find another free connection.
                self.freed.notify_all();
                let link = match taken {
                    Taken::Free(link) => link,
                    Taken::New => Arc::new(self.connect().inspect_err(|_| self.release(None))?),
                };
                return Ok(Lease { pool: self, link });
            }
            let left = self.options.pool_timeout.saturating_sub(begin.elapsed());
            if left.is_zero() {
                inner.waiting.retain(|other| *other != ticket);
                drop(inner);
                self.freed.notify_all();
                return Err(self.exhausted());
            }
            let waited = self.freed.wait_timeout(inner, left);
            inner = waited.unwrap_or_else(PoisonError::into_inner).0;
        }
    }

    /// Closes all free connections.
    pub(crate) fn discard_free(&self) {
        let mut inner = self.lock();
        let free = std::mem::take(&mut inner.free);
        inner.open -= free.len();
        // Closing connections must not hold the lock.
        drop(inner);
        drop(free);
        self.freed.notify_all();
    }

    /// Returns a connection to the pool, or frees the slot of one that is lost or could not be
    /// made.
    fn release(&self, link: Option<Arc<Link>>) {
        let mut inner = self.lock();
        match link {
            Some(link) if link.is_usable() => inner.free.push(link),
            lost => {
                inner.open -= 1;
                // Closing a connection must not hold the lock.
                drop(inner);
                drop(lost);
            }
        }
        self.freed.notify_all();
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

impl Deref for Lease<'_> {
    type Target = Link;

    fn deref(&self) -> &Link {
        &self.link
    }
}

impl Drop for Lease<'_> {
    fn drop(&mut self) {
        self.pool.release(Some(Arc::clone(&self.link)));
    }
}
