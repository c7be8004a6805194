//! The command line of Keyscape.
//!
//! Each file in [`command`] is one command. [`input`] parses arguments and files, [`output`]
//! formats results, [`audit`] and [`salvage`] work on whole databases, and [`system`] lists the
//! built-in systems. Results go to stdout, messages to stderr; [`failure`] defines the exit
//! statuses.

mod command;
mod database;
mod failure;
mod in_order;
mod input;
mod output;
mod salvage;
mod system;

use clap::Parser;
use failure::Exit;
use keyscape_inspect::audit;
use output::{message::Message, stderr};
use std::{
    panic::{self, AssertUnwindSafe, PanicHookInfo},
    path::Path,
    process::ExitCode,
    sync::{Mutex, PoisonError},
};

fn main() -> ExitCode {
    let run = || {
        let arguments = command::Arguments::parse();
        arguments.use_colours();
        arguments.command.run().unwrap_or_else(|failure| failure.report())
    };
    with_panics_reported(run).into()
}

/// The message and the location of the last panic.
static LAST_PANIC: Mutex<String> = Mutex::new(String::new());

/// Runs the program and reports a panic in one message, without paths of the build machine. A panic
/// is a bug, or the engine failed on a damaged file. A panic that is caught while a damaged file is
/// read becomes an error there and is not reported here.
fn with_panics_reported(program: impl FnOnce() -> Exit) -> Exit {
    panic::set_hook(Box::new(|info| {
        *LAST_PANIC.lock().unwrap_or_else(PoisonError::into_inner) = panic_text(info);
    }));
    // No state of the program is used after a panic.
    panic::catch_unwind(AssertUnwindSafe(program)).unwrap_or_else(|_| {
        let what = LAST_PANIC.lock().unwrap_or_else(PoisonError::into_inner);
        let help = "please report it with the command line".to_owned();
        let text = format!("a bug in Keyscape, or a damaged database file: {what}");
        stderr::say(&Message::error(text).with_help(Some(help)));
        Exit::Bug
    })
}

fn panic_text(info: &PanicHookInfo<'_>) -> String {
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
    use super::{LAST_PANIC, with_panics_reported};
    use crate::failure::Exit;

    #[test]
    fn a_panic_is_a_bug_without_paths() {
        assert_eq!(with_panics_reported(|| Exit::Fine), Exit::Fine);
        let panicked = with_panics_reported(|| panic!("no {}", "way"));
        drop(std::panic::take_hook());
        assert_eq!(panicked, Exit::Bug);
        let last = LAST_PANIC.lock().unwrap();
        assert!(last.starts_with("no way (main.rs:"), "{last}");
    }
}
