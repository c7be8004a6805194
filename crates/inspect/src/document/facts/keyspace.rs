//! Everything about one keyspace.

use super::{ClaimFacts, Example, Part, ScanFacts, json, part, pattern, scan, written};
use keyscape_layout::{
    Layout, Length, kind_name,
    model::{KeyspaceId, StoreId},
};
use keyscape_prover::{Claim, Report, Separator};
use serde::Serialize;

/// One keyspace, or one field of a hash.
#[derive(Debug, Serialize)]
pub struct KeyspaceFacts {
    pub name: String,
    /// Its kind; `field` for a field of a hash.
    pub kind: &'static str,
    #[serde(skip_serializing_if = "json::is_blank", serialize_with = "json::lines")]
    pub doc: Vec<String>,
    /// The reason of the deprecation, if the keyspace is deprecated.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub deprecated: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub family: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub namespace: Option<String>,
    /// The range of its namespace that it is in.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub range: Option<String>,
    /// For an index, its map.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub of: Option<String>,
    /// For a field, its hash.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub hash: Option<String>,
    #[serde(skip_serializing_if = "json::is_false")]
    pub unique: bool,
    #[serde(skip_serializing_if = "json::is_false")]
    pub counted: bool,
    #[serde(skip_serializing_if = "json::is_false")]
    pub ranked: bool,
    /// The key in one line, with the names of its fields.
    pub pattern: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub value: Option<String>,
    /// Another form of the value.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub also_reads: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub member: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub score: Option<String>,
    /// The key as the layout writes it.
    #[serde(skip)]
    pub written: String,
    /// The value in few words.
    #[serde(skip)]
    pub brief: String,
    #[serde(flatten, serialize_with = "json::length")]
    pub length: Length,
    #[serde(rename = "segments")]
    pub parts: Vec<Part>,
    /// An example key, or the reason why none exists.
    #[serde(skip_serializing_if = "Result::is_err", serialize_with = "json::found")]
    pub example: Result<Example, String>,
    #[serde(serialize_with = "json::separators")]
    pub separators: Vec<Separator>,
    pub scans: Vec<ScanFacts>,
    pub claims: Vec<ClaimFacts>,
}

impl KeyspaceFacts {
    /// Returns the value of a row or the parts of a structure, each with its word. A hash has none:
    /// its fields are listed.
    pub fn holds(&self) -> Vec<(&'static str, &str)> {
        [
            ("holds", &self.value),
            ("may hold", &self.also_reads),
            ("member", &self.member),
            ("score", &self.score),
        ]
        .into_iter()
        .filter_map(|(word, text)| text.as_deref().map(|text| (word, text)))
        .collect()
    }
}

/// Returns the keyspaces of a store, in source order.
pub(super) fn all(layout: &Layout, report: &Report, store: StoreId) -> Vec<KeyspaceFacts> {
    let examples = layout.examples(store).into_iter();
    examples.map(|(id, example)| facts(layout, report, id, example)).collect()
}

fn facts(
    layout: &Layout,
    report: &Report,
    id: KeyspaceId,
    example: Result<keyscape_layout::Example, String>,
) -> KeyspaceFacts {
    let keyspace = layout.keyspace(id);
    let namespaces = &layout.store(keyspace.store).namespaces;
    let namespace = keyspace.namespace.and_then(|index| namespaces.get(index));
    let range = namespace.and_then(|found| found.ranges.get(keyspace.allocated.unwrap_or(0)));
    let name_of = |id: KeyspaceId| layout.keyspace(id).name.clone();
    let example = example.map(|found| Example::new(keyspace, found));
    let mut parts = part::parts(&keyspace.key);
    if let Ok(example) = &example {
        part::fill(parts.iter_mut().collect(), &|path| example.bytes(path));
    }
    let claims: Vec<&Claim> = report.claims.iter().filter(|claim| claim.keyspace == id).collect();
    let is_field = keyspace.hash.is_some();
    KeyspaceFacts {
        name: keyspace.name.clone(),
        kind: if is_field { "field" } else { kind_name(keyspace.kind) },
        doc: keyspace.doc.clone(),
        deprecated: keyspace.deprecated.clone(),
        family: keyspace.family.clone(),
        namespace: namespace.filter(|_| !is_field).map(|found| found.name.clone()),
        range: range.filter(|_| !is_field).map(|found| found.name.clone()),
        of: keyspace.of.map(name_of),
        hash: keyspace.hash.map(name_of),
        unique: keyspace.unique,
        counted: keyspace.counted,
        ranked: keyspace.ranked,
        pattern: written::key(layout, keyspace),
        value: keyspace.value.as_ref().map(pattern::value),
        also_reads: keyspace.reads.as_ref().map(pattern::value),
        member: keyspace.member.as_ref().map(|ty| pattern::type_text(ty)),
        score: keyspace.score.as_ref().map(|ty| pattern::type_text(ty)),
        written: written::source_of(layout, keyspace),
        brief: pattern::brief(keyspace),
        length: Length::of(&keyspace.key),
        parts,
        separators: keyscape_prover::separators(layout, id),
        scans: scan::all(layout, id, example.as_ref().ok(), &claims),
        example,
        claims: claims
            .into_iter()
            .map(|claim| ClaimFacts::new(layout, &report.claims, claim))
            .collect(),
    }
}
