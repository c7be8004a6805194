//! Messages on stderr.

use super::message::Message;
use keyscape_layout::Rejected;
use std::io::Write;

/// Prints a message. A closed stderr is ignored.
pub(crate) fn say(message: &Message) {
    print(&message.render(None));
}

/// Prints all mistakes of a layout.
pub(crate) fn rejected(rejected: &Rejected) {
    print(&keyscape_report::rejected(rejected));
}

/// Prints text to stderr.
pub(crate) fn print(text: &str) {
    let _ = anstream::stderr().lock().write_all(text.as_bytes());
}

/// Returns a number with its noun: `1 row`, `2 rows`.
pub(crate) fn many(count: u64, one: &str) -> String {
    match one.strip_suffix('y') {
        _ if count == 1 => format!("1 {one}"),
        Some(stem) => format!("{count} {stem}ies"),
        None => format!("{count} {one}s"),
    }
}
