//! Findings as a section of a changelog.

use super::change::Change;
use keyscape_diagnostics::plain;
use keyscape_evolution::{Finding, Level, Report};
use keyscape_layout::Layout;

/// Returns a section with the renamed, added and removed keyspaces and the findings of a change.
pub(crate) fn section(old: &Layout, new: &Layout, report: &Report, level: Level) -> String {
    let mut text = format!("## Layout{}\n", versions(old, new));
    let renamed = new.keyspace_ids().filter_map(|id| {
        let before = old.keyspace(report.correspondence.old_keyspace(id)?);
        let after = new.keyspace(id);
        (before.name != after.name).then(|| format!("`{}` is now `{}`", before.name, after.name))
    });
    let added = new.keyspace_ids().filter(|&id| report.correspondence.old_keyspace(id).is_none());
    let added = added.map(|id| format!("`{}`{}", new.keyspace(id).name, purpose(new.keyspace(id))));
    let removed = old.keyspace_ids().filter(|&id| report.correspondence.new_keyspace(id).is_none());
    let removed = removed.map(|id| format!("`{}`", old.keyspace(id).name));
    let deprecated = new.keyspace_ids().filter_map(|id| {
        let reason = new.keyspace(id).deprecated.as_ref()?;
        let before = report.correspondence.old_keyspace(id).map(|old_id| old.keyspace(old_id));
        let is_new = before.is_none_or(|before| before.deprecated.is_none());
        is_new.then(|| format!("`{}`: {reason}", new.keyspace(id).name))
    });
    list(&mut text, "Renamed", renamed);
    list(&mut text, "Added", added);
    list(&mut text, "Deprecated", deprecated);
    list(&mut text, "Removed", removed);
    let line = |finding: &Finding| {
        let change = Change { old, new, finding };
        let mut line = format!("{}: {}", finding.rule.code(), change.title());
        for key in change.table().lines(anstyle::Style::new()) {
            line.push_str(&format!("\n  `{}`", plain(&key).trim()));
        }
        line
    };
    let (required, other): (Vec<&Finding>, Vec<&Finding>) =
        report.findings.iter().partition(|finding| level.requires(finding.rule));
    let heading = format!("Not {} compatible", level.name());
    list(&mut text, &heading, required.into_iter().map(line));
    list(&mut text, "Further changes", other.into_iter().map(line));
    if report.findings.is_empty() {
        text.push_str("\nExisting rows and programs are not affected.\n");
    }
    text
}

fn versions(old: &Layout, new: &Layout) -> String {
    let version = |layout: &Layout| layout.stores.first().and_then(|store| store.version);
    match (version(old), version(new)) {
        (Some(old), Some(new)) if old != new => format!(" {old} to {new}"),
        _ => String::new(),
    }
}

/// Returns the first line of the documentation of a keyspace.
fn purpose(keyspace: &keyscape_layout::model::Keyspace) -> String {
    keyspace.doc.first().map_or_else(String::new, |line| format!(": {}", line.trim()))
}

fn list(text: &mut String, heading: &str, items: impl Iterator<Item = String>) {
    for (index, item) in items.enumerate() {
        if index == 0 {
            text.push_str(&format!("\n### {heading}\n\n"));
        }
        text.push_str(&format!("- {item}\n"));
    }
}
