//! stdout. A reader that went away changes no verdict: what it does not want is dropped, and the command goes on.

use anstream::AutoStream;
use std::{
    io::{self, ErrorKind, StdoutLock, Write},
    sync::atomic::{AtomicBool, Ordering},
};

/// Whether the reader went away.
static GONE: AtomicBool = AtomicBool::new(false);

/// Data as it is.
pub(crate) fn plain() -> Stdout<StdoutLock<'static>> {
    Stdout(io::stdout().lock())
}

/// Text whose colours are taken out where nobody wants them.
pub(crate) fn coloured() -> Stdout<AutoStream<StdoutLock<'static>>> {
    Stdout(anstream::stdout().lock())
}

/// Whether nobody reads any more, so that a list can end early.
pub(crate) fn is_gone() -> bool {
    GONE.load(Ordering::Relaxed)
}

/// A stream that takes everything once its reader is gone.
pub(crate) struct Stdout<W>(W);

/// What is lost with its reader is no error.
fn unread<T>(outcome: io::Result<T>, lost: T) -> io::Result<T> {
    match outcome {
        Err(error) if error.kind() == ErrorKind::BrokenPipe => {
            GONE.store(true, Ordering::Relaxed);
            Ok(lost)
        }
        outcome => outcome,
    }
}

impl<W: Write> Write for Stdout<W> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        unread(self.0.write(bytes), bytes.len())
    }

    fn write_all(&mut self, bytes: &[u8]) -> io::Result<()> {
        unread(self.0.write_all(bytes), ())
    }

    fn flush(&mut self) -> io::Result<()> {
        unread(self.0.flush(), ())
    }
}
