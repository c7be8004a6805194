//! Blocking calls of an asynchronous client.

use crate::Advice;
use keyscape_store::StoreError;
use std::{future::Future, io, panic, thread, time::Duration};
use tokio::runtime::{Handle, Runtime};

/// The event loop of a client. The caller waits for each request, and may run inside an
/// asynchronous runtime.
#[derive(Debug)]
pub struct EventLoop {
    /// Present until the event loop is dropped.
    runtime: Option<Runtime>,
}

/// The reason why a request has no answer.
#[derive(Debug)]
pub enum NoAnswer {
    /// The timeout has passed.
    TimedOut,
    /// The caller is inside an asynchronous runtime, and the system starts no more threads.
    NoThread(io::Error),
}

impl EventLoop {
    /// Creates the event loop of a new client.
    #[must_use]
    pub fn new(runtime: Runtime) -> EventLoop {
        EventLoop { runtime: Some(runtime) }
    }

    /// Runs a request to completion, at most for `timeout`.
    ///
    /// # Errors
    /// [`NoAnswer`].
    pub fn run<T: Send>(
        &self,
        timeout: Duration,
        request: impl Future<Output = T> + Send,
    ) -> Result<T, NoAnswer> {
        match detached(|| self.run_here(timeout, request)) {
            Ok(answer) => answer.ok_or(NoAnswer::TimedOut),
            Err(error) => Err(NoAnswer::NoThread(error)),
        }
    }

    /// Runs a request on a thread that belongs to no asynchronous runtime, see
    /// [`connect_detached`]. Returns `None` after `timeout`.
    pub fn run_here<T>(&self, timeout: Duration, request: impl Future<Output = T>) -> Option<T> {
        // The runtime is present until the event loop is dropped.
        let timed = async { tokio::time::timeout(timeout, request).await.ok() };
        self.runtime.as_ref()?.block_on(timed)
    }

    /// Starts a request without waiting for it.
    pub fn spawn(&self, request: impl Future<Output = ()> + Send + 'static) {
        if let Some(runtime) = &self.runtime {
            runtime.spawn(request);
        }
    }
}

impl Drop for EventLoop {
    /// Shuts down the runtime without waiting for requests or for name resolution. A runtime that
    /// waits must not be dropped inside another one.
    fn drop(&mut self) {
        if let Some(runtime) = self.runtime.take() {
            runtime.shutdown_background();
        }
    }
}

/// Connects a client. Runs `connect` on a new thread if this thread belongs to an asynchronous
/// runtime, where an event loop cannot wait.
///
/// # Errors
/// Errors of `connect`, or if the system starts no more threads.
pub fn connect_detached<T: Send>(
    engine: &'static str,
    connect: impl FnOnce() -> Result<T, StoreError> + Send,
) -> Result<T, StoreError> {
    detached(connect).map_err(|error| Advice::no_thread(engine, error))?
}

/// Runs work on this thread, or on a new one if this thread belongs to an asynchronous runtime. The
/// caller waits in both cases.
fn detached<T: Send>(work: impl FnOnce() -> T + Send) -> io::Result<T> {
    if Handle::try_current().is_err() {
        return Ok(work());
    }
    thread::scope(|scope| {
        let thread = thread::Builder::new().name("keyscape".to_owned());
        let thread = thread.spawn_scoped(scope, work)?;
        Ok(thread.join().unwrap_or_else(|panic| panic::resume_unwind(panic)))
    })
}
