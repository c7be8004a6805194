//! Messages on stderr.

use super::message::{Level, Message};
use keyscape_diagnostics::escape::escaped;
use keyscape_layout::Rejected;
use std::io::Write;

pub(crate) use keyscape_inspect::many;

/// Prints a message. A closed stderr is ignored.
pub(crate) fn say(message: &Message) {
    print(&message.render(None));
}

/// Prints a warning.
pub(crate) fn warn(title: impl Into<String>, help: Option<&str>) {
    say(&Message::new(Level::Warning, title).with_help(help.map(str::to_owned)));
}

/// Prints all mistakes of a layout.
pub(crate) fn rejected(rejected: &Rejected) {
    print(&keyscape_diagnostics::rejected(rejected));
}

/// Prints a line to stderr. Escapes characters that a terminal would obey.
pub(crate) fn line(text: &str) {
    print(&format!("{}\n", escaped(text)));
}

/// Prints rendered text to stderr.
pub(crate) fn print(text: &str) {
    let _ = anstream::stderr().lock().write_all(text.as_bytes());
}
