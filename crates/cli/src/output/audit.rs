//! The report of an audit for people.

use super::{
    bytes::hex,
    message::{Level, Message},
    stderr::many,
};
use crate::audit::{Finding, Report, Size};
use keyscape_layout::Layout;
use std::fmt::Write;

/// The maximum number of keyspaces in the table.
const KEYSPACES: usize = 10;
/// The maximum number of digits of a key in the text.
const DIGITS: usize = 80;

/// Formats the report for people.
pub(crate) fn human(layout: &Layout, report: &Report) -> String {
    let mut text = String::new();
    for finding in report.findings.iter() {
        text.push_str(&message(layout, &finding).render(None));
    }
    let checked = if report.checked < report.rows {
        format!("{} of {}", report.checked, many(report.rows, "row"))
    } else {
        many(report.rows, "row")
    };
    let verdict =
        if report.findings.are_harmless() { "nothing is wrong" } else { "with the findings above" };
    let _ = writeln!(text, "audited {checked}: {verdict}");
    let lines = report.statistics.keyspaces().into_iter().take(KEYSPACES);
    let lines: Vec<(String, Size)> = lines.map(|(id, size)| (layout.full_name(id), size)).collect();
    table("largest keyspaces", &lines, &mut text);
    let prefixes = report.statistics.prefixes().into_iter();
    let lines: Vec<(String, Size)> = prefixes
        .map(|one| {
            (format!("{} {}", layout.full_name(one.keyspace), digits(&one.prefix)), one.size)
        })
        .collect();
    table("largest prefixes", &lines, &mut text);
    text
}

fn table(title: &str, lines: &[(String, Size)], text: &mut String) {
    if lines.is_empty() {
        return;
    }
    let names = lines.iter().map(|(name, _)| name.chars().count());
    let width = names.max().unwrap_or_default().max(title.len().saturating_sub(2));
    let _ = writeln!(text, "{title:0$}  {1:>12} {2:>14}", width + 2, "rows", "bytes");
    for (name, size) in lines {
        let bytes = size.key_bytes + size.value_bytes;
        let _ = writeln!(text, "  {name:width$}  {:>12} {bytes:>14}", size.rows);
    }
}

/// Formats a finding with its examples.
pub(crate) fn message(layout: &Layout, finding: &Finding) -> Message {
    let level = if finding.kind.is_wrong() { Level::Error } else { Level::Warning };
    let title = format!("{}: {}: {}", finding.place(layout), finding.kind.says(), finding.count);
    let mut message = Message::new(level, title).code(finding.kind.name());
    for example in &finding.examples {
        let key = if example.key.is_empty() { String::new() } else { digits(&example.key) + "  " };
        message.line(format!("{key}{}", example.text));
    }
    let more = finding.count.saturating_sub(finding.examples.len() as u64);
    if more > 0 && !finding.examples.is_empty() {
        message.line(format!("and {more} more"));
    }
    message
}

fn digits(bytes: &[u8]) -> String {
    let mut digits = hex(bytes);
    if digits.len() > DIGITS {
        digits.truncate(DIGITS);
        digits.push('…');
    }
    digits
}
