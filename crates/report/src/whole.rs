//! Everything that is to be said about one layout.

use crate::{claim, diagnostic, message::Message};
use keyscape_layout::{Layout, Rejected};
use keyscape_prover::{Claim, Report};

/// Every claim that is not proved, every warning, and every acceptance that accepts nothing, in the
/// order of the layout; unless `everything` is wanted, only what is wrong.
#[must_use]
pub fn findings(layout: &Layout, report: &Report, everything: bool) -> String {
    let is_wanted = |found: &&Claim| everything || found.accepted.is_none();
    let mut messages: Vec<Message> = Vec::new();
    for found in report.claims.iter().filter(is_wanted) {
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

/// Everything that is wrong with a layout that has mistakes.
#[must_use]
pub fn rejected(rejected: &Rejected) -> String {
    let mut text = String::new();
    for found in &rejected.diagnostics {
        text.push_str(&diagnostic::message(found).render(Some(&rejected.sources)));
        text.push('\n');
    }
    let count = rejected.diagnostics.len();
    let path = rejected.sources.files().first().map_or("", |file| file.path.as_str());
    let mistakes = if count == 1 { "1 mistake" } else { &format!("{count} mistakes") };
    text.push_str(&format!("{path}: {mistakes}\n"));
    text
}

/// A text without its colours.
#[must_use]
pub fn plain(text: &str) -> String {
    anstream::adapter::strip_str(text).to_string()
}
