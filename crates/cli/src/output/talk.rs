//! What is said on stderr.

use super::{diagnostic, message::Message};
use keyscape_layout::Rejected;
use std::io::Write;

/// Says something. If stderr is gone there is nobody to tell.
pub(crate) fn say(message: &Message) {
    print(&message.render(None));
}

/// Everything that is wrong with a layout.
pub(crate) fn rejected(rejected: &Rejected) {
    let mut text = String::new();
    for found in &rejected.diagnostics {
        text.push_str(&diagnostic::message(found).render(Some(&rejected.sources)));
        text.push('\n');
    }
    let count = rejected.diagnostics.len();
    let path = rejected.sources.files().first().map_or("", |file| file.path.as_str());
    let mistakes = if count == 1 { "1 mistake" } else { &format!("{count} mistakes") };
    text.push_str(&format!("{path}: {mistakes}\n"));
    print(&text);
}

/// Text for stderr as it is.
pub(crate) fn print(text: &str) {
    let _ = anstream::stderr().lock().write_all(text.as_bytes());
}
