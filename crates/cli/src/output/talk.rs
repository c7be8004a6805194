//! What is said on stderr.

use super::message::Message;
use keyscape_layout::Rejected;
use std::io::Write;

/// Says something. If stderr is gone there is nobody to tell.
pub(crate) fn say(message: &Message) {
    print(&message.render(None));
}

/// Everything that is wrong with a layout.
pub(crate) fn rejected(rejected: &Rejected) {
    print(&keyscape_report::rejected(rejected));
}

/// Text for stderr as it is.
pub(crate) fn print(text: &str) {
    let _ = anstream::stderr().lock().write_all(text.as_bytes());
}

/// A number of things: `1 row`, `2 rows`.
pub(crate) fn many(count: u64, one: &str) -> String {
    if count == 1 { format!("1 {one}") } else { format!("{count} {one}s") }
}
