//! The report of an audit as JSON.

use super::{Finding, Report, Size};
use keyscape_diagnostics::bytes::hex;
use keyscape_layout::{Layout, model::KeyspaceId};
use serde_json::{Value, json};

/// Returns the store or keyspace of a finding.
pub fn place(layout: &Layout, finding: &Finding) -> String {
    finding.keyspace.map_or_else(|| finding.space.clone(), |id| name(layout, id))
}

/// Returns the name of a keyspace with its store.
pub fn name(layout: &Layout, id: KeyspaceId) -> String {
    let keyspace = layout.keyspace(id);
    format!("{}/{}", layout.store(keyspace.store).name, keyspace.name)
}

/// Formats the report as JSON.
pub fn json(layout: &Layout, report: &Report) -> String {
    let findings = report.findings.iter().map(|finding| {
        let examples = finding.examples.iter();
        let examples: Vec<Value> = examples
            .map(|example| json!({"key": hex(&example.key), "text": example.text}))
            .collect();
        json!({
            "kind": finding.kind.name(),
            "level": if finding.kind.is_wrong() { "error" } else { "warning" },
            "says": finding.kind.says(),
            "store": finding.space,
            "keyspace": finding.keyspace.map(|id| layout.keyspace(id).name.clone()),
            "count": finding.count,
            "examples": examples,
        })
    });
    let sized = |id: KeyspaceId, size: Size| {
        let keyspace = layout.keyspace(id);
        json!({
            "store": layout.store(keyspace.store).name,
            "keyspace": keyspace.name,
            "rows": size.rows,
            "key_bytes": size.key_bytes,
            "value_bytes": size.value_bytes,
        })
    };
    let keyspaces = report.statistics.keyspaces().into_iter().map(|(id, size)| sized(id, size));
    let prefixes = report.statistics.prefixes().into_iter().map(|one| {
        let mut prefix = sized(one.keyspace, one.size);
        prefix["prefix"] = json!(hex(&one.prefix));
        prefix
    });
    let document = json!({
        "rows": report.rows,
        "checked": report.checked,
        "ok": report.findings.are_harmless(),
        "findings": findings.collect::<Vec<_>>(),
        "keyspaces": keyspaces.collect::<Vec<_>>(),
        "prefixes": prefixes.collect::<Vec<_>>(),
    });
    format!("{document}\n")
}
