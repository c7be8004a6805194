//! Mistakes of a layout.

use super::message::{Level, Message};
use keyscape_layout::{Diagnostic, Severity};

/// A mistake as a message.
pub fn message(diagnostic: &Diagnostic) -> Message {
    let level = match diagnostic.severity {
        Severity::Error => Level::Error,
        Severity::Warning => Level::Warning,
    };
    let mut message =
        Message::new(level, &diagnostic.message).at(diagnostic.span, &diagnostic.label);
    for (span, label) in &diagnostic.related {
        message = message.beside(*span, label);
    }
    message.help_maybe(diagnostic.help.clone())
}
