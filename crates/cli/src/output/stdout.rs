//! stdout. A closed pipe changes no verdict: further output is dropped, and the command continues.

use anstream::AutoStream;
use std::{
    io::{self, ErrorKind, StdoutLock, Write},
    sync::atomic::{AtomicBool, Ordering},
};

/// Whether the reader has closed the pipe.
static GONE: AtomicBool = AtomicBool::new(false);

/// Returns stdout for data.
pub(crate) fn plain() -> Stdout<StdoutLock<'static>> {
    Stdout(io::stdout().lock())
}

/// Returns stdout for text; colours are removed unless the terminal shows them.
pub(crate) fn coloured() -> Stdout<AutoStream<StdoutLock<'static>>> {
    Stdout(anstream::stdout().lock())
}

/// Prints text; colours are removed unless the terminal shows them.
pub(crate) fn print_text(text: &str) -> io::Result<()> {
    let mut out = coloured();
    out.write_all(text.as_bytes())?;
    out.flush()
}

/// Prints data.
pub(crate) fn print_data(data: impl AsRef<[u8]>) -> io::Result<()> {
    let mut out = plain();
    out.write_all(data.as_ref())?;
    out.flush()
}

/// Whether the reader has closed the pipe, so a listing can end early.
pub(crate) fn is_gone() -> bool {
    GONE.load(Ordering::Relaxed)
}

/// A stream that drops everything once its reader has closed the pipe.
pub(crate) struct Stdout<W>(W);

/// Ignores a closed pipe.
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
