//! All messages about one layout, as text.

use crate::{
    claim,
    message::{Level, Message},
};
use keyscape_layout::{Diagnostic, Layout, Rejected};
use keyscape_prover::{Claim, Report};

/// Describes every claim that is not proved, every warning and every idle acceptance, in the order
/// of the layout. Without `everything`, omits warnings and accepted claims.
#[must_use]
pub fn findings(layout: &Layout, report: &Report, everything: bool) -> String {
    let is_shown = |found: &&Claim| everything || found.accepted.is_none();
    let mut messages: Vec<Message> = Vec::new();
    for found in report.claims.iter().filter(is_shown) {
        messages.extend(claim::message(layout, &report.claims, found));
        if everything {
            messages.extend(claim::warnings(layout, &report.claims, found));
        }
    }
    let idle = report.idle_accepts.iter();
    messages.extend(idle.map(|&(keyspace, span)| claim::idle_accept(layout, keyspace, span)));
    let texts: Vec<String> =
        messages.iter().map(|message| message.render(Some(&layout.sources))).collect();
    texts.join("\n")
}

/// Describes all errors of a layout.
#[must_use]
pub fn rejected(rejected: &Rejected) -> String {
    let mut text = String::new();
    for found in &rejected.diagnostics {
        text.push_str(&mistake(found).render(Some(&rejected.sources)));
        text.push('\n');
    }
    let count = rejected.diagnostics.len();
    let path = rejected.sources.files().first().map_or("", |file| file.path.as_str());
    let mistakes = if count == 1 { "1 mistake" } else { &format!("{count} mistakes") };
    text.push_str(&format!("{path}: {mistakes}\n"));
    text
}

fn mistake(diagnostic: &Diagnostic) -> Message {
    let mut message =
        Message::new(Level::Error, &diagnostic.message).at(diagnostic.span, &diagnostic.label);
    for (span, label) in &diagnostic.related {
        message = message.beside(*span, label);
    }
    message.with_help(diagnostic.help.clone())
}

/// Removes the colours of a text.
#[must_use]
pub fn plain(text: &str) -> String {
    anstream::adapter::strip_str(text).to_string()
}
