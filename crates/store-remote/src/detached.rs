//! Blocking work inside an asynchronous runtime.

use std::{io, panic, thread};

/// Runs work on this thread, or on a new one if this thread belongs to an asynchronous runtime.
/// There, an event loop of an engine cannot wait. The caller waits in both cases.
///
/// ```
/// let name = String::from("shop");
/// assert_eq!(keyscape_store_remote::detached(true, || name.len())?, 4);
/// # Ok::<(), std::io::Error>(())
/// ```
///
/// # Errors
/// If the system starts no more threads.
pub fn detached<T: Send>(is_nested: bool, work: impl FnOnce() -> T + Send) -> io::Result<T> {
    if !is_nested {
        return Ok(work());
    }
    thread::scope(|scope| {
        let thread = thread::Builder::new().name("keyscape".to_owned());
        let thread = thread.spawn_scoped(scope, work)?;
        Ok(thread.join().unwrap_or_else(|panic| panic::resume_unwind(panic)))
    })
}
