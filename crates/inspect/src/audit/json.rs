//! The report of an audit as JSON.

use super::{Finding, Report, Size, finding::Example};
use keyscape_diagnostics::bytes::hex;
use keyscape_layout::{Layout, model::KeyspaceId};
use serde::Serialize;

/// Returns the store or keyspace of a finding.
pub fn place(layout: &Layout, finding: &Finding) -> String {
    finding.keyspace.map_or_else(|| finding.space.clone(), |id| layout.full_name(id))
}

/// The report of an audit.
#[derive(Debug, Serialize)]
pub struct ReportObject<'a> {
    rows: u64,
    checked: u64,
    ok: bool,
    findings: Vec<FindingObject<'a>>,
    keyspaces: Vec<SizeObject<'a>>,
    prefixes: Vec<SizeObject<'a>>,
}

#[derive(Debug, Serialize)]
struct FindingObject<'a> {
    kind: &'static str,
    level: &'static str,
    says: &'static str,
    store: String,
    keyspace: Option<&'a str>,
    count: u64,
    examples: Vec<Example>,
}

#[derive(Debug, Serialize)]
struct SizeObject<'a> {
    store: &'a str,
    keyspace: &'a str,
    #[serde(flatten)]
    size: Size,
    #[serde(skip_serializing_if = "Option::is_none")]
    prefix: Option<String>,
}

impl<'a> ReportObject<'a> {
    /// Describes a report.
    pub fn new(layout: &'a Layout, report: &Report) -> Self {
        let findings = report.findings.iter().map(|finding| FindingObject {
            kind: finding.kind.name(),
            level: finding.kind.level(),
            says: finding.kind.says(),
            store: finding.space,
            keyspace: finding.keyspace.map(|id| layout.keyspace(id).name.as_str()),
            count: finding.count,
            examples: finding.examples,
        });
        let sized = |id: KeyspaceId, size: Size, prefix: Option<String>| {
            let keyspace = layout.keyspace(id);
            let store = &layout.store(keyspace.store).name;
            SizeObject { store, keyspace: &keyspace.name, size, prefix }
        };
        let keyspaces = report.statistics.keyspaces().into_iter();
        let prefixes = report.statistics.prefixes().into_iter();
        Self {
            rows: report.rows,
            checked: report.checked,
            ok: report.findings.are_harmless(),
            findings: findings.collect(),
            keyspaces: keyspaces.map(|(id, size)| sized(id, size, None)).collect(),
            prefixes: prefixes
                .map(|found| sized(found.keyspace, found.size, Some(hex(&found.prefix))))
                .collect(),
        }
    }
}
