//! One line per store: the numbers of keyspaces, scans and verdicts.

use super::{
    document::facts::VerdictCounts,
    stderr::many,
    style::{self, paint},
};
use keyscape_diagnostics::escape::escaped;
use keyscape_layout::{Layout, model::StoreId};
use keyscape_prover::Report;
use std::{path::Path, time::Duration};

/// Returns a line for each store of a layout. Each line begins with the file, if one is given.
pub(crate) fn lines(
    layout: &Layout,
    report: &Report,
    file: Option<&Path>,
    took: Duration,
) -> String {
    let mut text = String::new();
    let count = layout.stores.len();
    for index in 0..count {
        if let Some(file) = file {
            text.push_str(&format!("{}: ", escaped(&file.display().to_string())));
        }
        text.push_str(&store(layout, report, StoreId(index as u32)));
        if index + 1 == count {
            let millis = took.as_millis();
            let all = if count > 1 { " for all" } else { "" };
            text.push_str(&paint(style::FAINT, format_args!(" ({millis} ms{all})")));
        }
        text.push('\n');
    }
    text
}

fn store(layout: &Layout, report: &Report, id: StoreId) -> String {
    let keyspaces = || layout.keyspaces.iter().filter(|keyspace| keyspace.store == id);
    let mut parts = vec![many(keyspaces().filter(|k| k.hash.is_none()).count() as u64, "keyspace")];
    let fields = keyspaces().filter(|keyspace| keyspace.hash.is_some()).count();
    if fields > 0 {
        parts.push(many(fields as u64, "hash field"));
    }
    parts.push(many(keyspaces().map(|keyspace| keyspace.scans.len() as u64).sum(), "scan"));
    let claims = || report.claims.iter().filter(|claim| claim.store == id);
    let VerdictCounts { proved, refuted, unknown, accepted } = VerdictCounts::new(claims());
    let name = paint(style::TITLE, &layout.store(id).name);
    let (refuted, unknown) = (noted(refuted, "refuted"), noted(unknown, "unknown"));
    let parts = parts.join(", ");
    let warnings: usize =
        claims().map(|claim| claim.plain.iter().count() + claim.numeric.len()).sum();
    let warned = match warnings {
        0 => String::new(),
        count => format!(", {}", paint(style::UNKNOWN, many(count as u64, "warning"))),
    };
    format!("{name}: {parts}: {proved} proved, {refuted}, {unknown}, {accepted} accepted{warned}")
}

/// Returns a count that is highlighted unless it is zero.
fn noted(count: usize, what: &str) -> String {
    let text = format!("{count} {what}");
    match what {
        _ if count == 0 => text,
        "refuted" => paint(style::ERROR, text),
        _ => paint(style::UNKNOWN, text),
    }
}
