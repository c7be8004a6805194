//! Scans: what each reads, and what was decided about it.

use super::{Example, Outcome, json, pattern};
use keyscape_layout::{
    Layout,
    model::{Keyspace, KeyspaceId, Place, Scan, Segment, Type},
    traverse::{ItemKind, traverse},
};
use keyscape_prover::{Claim, Interval, Rule, interval_of};
use serde::Serialize;

/// A declared read.
#[derive(Debug, Serialize)]
pub struct ScanFacts {
    pub name: String,
    /// The paths of the leading fields.
    pub leading: Vec<String>,
    /// The fields in whose order rows come.
    pub by: Vec<String>,
    /// Keyspaces whose rows may lie between.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub also: Vec<String>,
    /// The common prefix of the keys that it reads: `0x02 {owner}`.
    pub begins: String,
    /// The end that the deployed code sets, if it does.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub ends: Option<String>,
    /// The bytes that may follow the beginning, if only those are read.
    #[serde(skip)]
    pub following: Option<Interval>,
    /// The interval that it reads for the values of the example key.
    #[serde(flatten, serialize_with = "json::interval")]
    pub reads: Option<Interval>,
    /// Whether it reads its rows and no others.
    #[serde(rename = "rows")]
    pub exact: Outcome,
    /// Whether its order holds.
    #[serde(rename = "order", skip_serializing_if = "Option::is_none")]
    pub ordered: Option<Outcome>,
}

/// Returns the scans of a keyspace; `claims` are those of the keyspace.
pub(super) fn all(
    layout: &Layout,
    id: KeyspaceId,
    example: Option<&Example>,
    claims: &[&Claim],
) -> Vec<ScanFacts> {
    let keyspace = layout.keyspace(id);
    let scans = keyspace.scans.iter().enumerate();
    scans
        .map(|(index, scan)| {
            let claim = |rule: Rule| {
                let is_it = |claim: &&&Claim| claim.rule == rule && claim.scan == Some(index);
                claims.iter().find(is_it).copied()
            };
            let exact = claim(Rule::ScanExact);
            let following = exact.and_then(|claim| claim.tight.clone());
            let reads = example.and_then(|found| {
                interval_of(keyspace, scan, following.as_ref(), &found.record).ok()
            });
            let also = scan.also.iter().map(|&id| layout.keyspace(id).name.clone());
            ScanFacts {
                name: scan.name.clone(),
                leading: scan.leading.iter().map(|path| path.join(".")).collect(),
                by: scan.by.clone(),
                also: also.collect(),
                begins: begins(keyspace, scan),
                ends: scan.asked.as_ref().and_then(|asked| {
                    asked.end.as_ref().map(|end| pattern::segments(end, pattern::Detail::Names))
                }),
                following,
                reads,
                exact: exact.map_or(Outcome::Unknown, Outcome::of),
                ordered: claim(Rule::Ordered).map(Outcome::of),
            }
        })
        .collect()
}

fn begins(keyspace: &Keyspace, scan: &Scan) -> String {
    match &scan.asked {
        Some(asked) => pattern::segments(&asked.start, pattern::Detail::Names),
        None => until(&keyspace.key, scan.end),
    }
}

/// Returns the text of the segments before a place.
fn until(key: &[Segment], end: Place) -> String {
    let mut texts = Vec::new();
    let mut items = traverse(key);
    while let Some(item) = items.next().filter(|item| item.place < end) {
        let is_whole = item.end() <= end;
        match item.kind {
            ItemKind::Literal { literal, .. } => {
                let taken = (end.0 - item.place.0) as usize;
                let bytes = literal.bytes.get(..taken).unwrap_or(&literal.bytes);
                texts.push(match &literal.call {
                    Some(call) if is_whole => call.clone(),
                    _ => pattern::literal(bytes, literal.is_text),
                });
            }
            ItemKind::Derived(derived) => texts.push(format!("{{{}}}", derived.text())),
            ItemKind::Option(option) if is_whole => {
                let inside = pattern::segments(&option.segments, pattern::Detail::Names);
                texts.push(format!("[{inside}]"));
                items.skip_contents(&item);
            }
            ItemKind::Field(field) if is_whole || !matches!(*field.ty, Type::Composite(_)) => {
                texts.push(format!("{{{}}}", item.path.text()));
                items.skip_contents(&item);
            }
            _ => {}
        }
    }
    texts.join(" ")
}
