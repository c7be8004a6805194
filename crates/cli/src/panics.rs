//! Describes panics in one line, without paths of the build machine.

use std::{
    panic::{self, AssertUnwindSafe, PanicHookInfo},
    path::Path,
    sync::{Mutex, PoisonError},
};

/// The message and the location of the last panic, on any thread.
static LAST_PANIC: Mutex<String> = Mutex::new(String::new());

/// Runs the program. Returns the message and the location of a panic that ends it: a bug, or a
/// failure of the engine on a damaged file. A panic that is caught while a damaged file is read
/// becomes an error there.
pub(crate) fn catch_panic<T>(program: impl FnOnce() -> T) -> Result<T, String> {
    panic::set_hook(Box::new(|info| {
        *LAST_PANIC.lock().unwrap_or_else(PoisonError::into_inner) = panic_text(info);
    }));
    // No state of the program is used after a panic.
    panic::catch_unwind(AssertUnwindSafe(program))
        .map_err(|_| LAST_PANIC.lock().unwrap_or_else(PoisonError::into_inner).clone())
}

fn panic_text(info: &PanicHookInfo<'_>) -> String {
    let payload = info.payload();
    let text = payload.downcast_ref::<&str>().copied();
    let text = text.or_else(|| payload.downcast_ref::<String>().map(String::as_str));
    let message = text.unwrap_or("a panic").lines().next().unwrap_or_default();
    let location = info.location().map(|location| {
        let file = Path::new(location.file()).file_name().unwrap_or_default().display();
        format!(" ({file}:{})", location.line())
    });
    format!("{message}{}", location.unwrap_or_default())
}
