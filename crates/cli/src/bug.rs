//! Reports panics: bugs in Keyscape, or damaged files on which the engine fails.

use crate::{
    exit::Exit,
    output::{message::Message, stderr},
};
use std::{
    panic::{self, AssertUnwindSafe, PanicHookInfo},
    path::Path,
    sync::{Mutex, PoisonError},
};

/// The message and the location of the last panic.
static LAST: Mutex<String> = Mutex::new(String::new());

/// Runs the program and reports a panic in one message, without paths of the build machine. A panic
/// that is caught while a damaged file is read becomes an error there and is not reported here.
pub(crate) fn reported(program: impl FnOnce() -> Exit) -> Exit {
    panic::set_hook(Box::new(|info| {
        *LAST.lock().unwrap_or_else(PoisonError::into_inner) = words(info);
    }));
    // No state of the program is used after a panic.
    panic::catch_unwind(AssertUnwindSafe(program)).unwrap_or_else(|_| {
        let what = LAST.lock().unwrap_or_else(PoisonError::into_inner);
        let help = "please report it with the command line".to_owned();
        let text = format!("a bug in Keyscape, or a damaged database file: {what}");
        stderr::say(&Message::error(text).with_help(Some(help)));
        Exit::Bug
    })
}

fn words(info: &PanicHookInfo<'_>) -> String {
    let payload = info.payload();
    let text = payload.downcast_ref::<&str>().copied();
    let text = text.or_else(|| payload.downcast_ref::<String>().map(String::as_str));
    let what = text.unwrap_or("a panic").lines().next().unwrap_or_default();
    let place = info.location().map(|place| {
        let file = Path::new(place.file()).file_name().unwrap_or_default().display();
        format!(" ({file}:{})", place.line())
    });
    format!("{what}{}", place.unwrap_or_default())
}

#[cfg(test)]
mod tests {
    use super::{LAST, reported};
    use crate::exit::Exit;

    #[test]
    fn a_panic_is_a_bug_without_paths() {
        assert_eq!(reported(|| Exit::Fine), Exit::Fine);
        let panicked = reported(|| panic!("no {}", "way"));
        drop(std::panic::take_hook());
        assert_eq!(panicked, Exit::Bug);
        let last = LAST.lock().unwrap();
        assert!(last.starts_with("no way (bug.rs:"), "{last}");
    }
}
