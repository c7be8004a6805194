//! Everything about one keyspace: its key, an example, its scans and its claims.

use super::{
    ClaimFacts, Outcome, Part, json,
    notation::{self, Detail},
    part,
};
use crate::claim_json::record_json;
use keyscape_diagnostics::datum::{Extent, line};
use keyscape_layout::{
    Layout, Length, Record, kind_name,
    model::{Keyspace, KeyspaceId, Place, Scan, Segment, StoreId, Type},
    traverse::{ItemKind, traverse},
};
use keyscape_prover::{Claim, Interval, Report, Rule, Separator, interval_of};
use serde::Serialize;
use serde_json::Value;
use std::ops::Range;

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
    #[serde(skip_serializing_if = "Result::is_err", serialize_with = "json::example")]
    pub example: Result<Example, String>,
    #[serde(serialize_with = "json::separators")]
    pub separators: Vec<Separator>,
    pub scans: Vec<ScanFacts>,
    pub claims: Vec<ClaimFacts>,
}

/// A key that the keyspace may have.
#[derive(Debug, Serialize)]
pub struct Example {
    #[serde(serialize_with = "json::hex_text")]
    pub key: Vec<u8>,
    /// Its values as JSON.
    pub fields: Value,
    /// The number of its readings in its space; `None` if it could not be decoded.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub readings: Option<usize>,
    /// Whether one of the readings has the encoded values.
    pub comes_back: bool,
    /// Its values, as `encode` takes them.
    #[serde(skip)]
    pub line: String,
    /// The ranges of the key in order, each with the path of its field; `None` for a literal.
    #[serde(skip)]
    pub pieces: Vec<(Range<usize>, Option<String>)>,
    #[serde(skip)]
    record: Record,
}

/// A declared scan.
#[derive(Debug, Serialize)]
pub struct ScanFacts {
    pub name: String,
    /// The paths of the leading fields.
    pub leading: Vec<String>,
    /// The fields that determine the order of the rows.
    pub by: Vec<String>,
    /// Other keyspaces whose rows may be among those that it reads.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub also: Vec<String>,
    /// The common prefix of the keys that it reads: `0x02 {owner}`.
    pub begins: String,
    /// The end that the deployed code sets, if it does.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub ends: Option<String>,
    /// The bytes that may follow the common prefix, if only those are read.
    #[serde(skip)]
    pub following: Option<Interval>,
    /// The interval of keys that it reads for the values of the example key.
    #[serde(flatten, serialize_with = "json::interval")]
    pub reads: Option<Interval>,
    /// Whether it reads its rows and no others.
    #[serde(rename = "rows")]
    pub exact: Outcome,
    /// Whether its order holds.
    #[serde(rename = "order", skip_serializing_if = "Option::is_none")]
    pub ordered: Option<Outcome>,
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
    let parts = part::parts(&keyspace.key, &|path| example.as_ref().ok()?.bytes(path));
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
        pattern: notation::key(layout, keyspace),
        value: keyspace.value.as_ref().map(notation::value),
        also_reads: keyspace.reads.as_ref().map(notation::value),
        member: keyspace.member.as_ref().map(|ty| notation::type_text(ty)),
        score: keyspace.score.as_ref().map(|ty| notation::type_text(ty)),
        written: notation::source_of(layout, keyspace),
        brief: notation::brief(keyspace),
        length: Length::of(&keyspace.key),
        parts,
        separators: keyscape_prover::separators(layout, id),
        scans: scans(layout, id, example.as_ref().ok(), &claims),
        example,
        claims: claims
            .into_iter()
            .map(|claim| ClaimFacts::new(layout, &report.claims, claim))
            .collect(),
    }
}

impl Example {
    /// Describes an example of a keyspace.
    fn new(keyspace: &Keyspace, found: keyscape_layout::Example) -> Self {
        let keyscape_layout::Example { fields: record, key, readings, parts } = found;
        Self {
            line: line(&keyspace.key, &record, Extent::Whole),
            fields: record_json(&keyspace.key, &record),
            comes_back: parts.is_some(),
            readings,
            pieces: parts.into_iter().flatten().map(|part| (part.bytes, part.field)).collect(),
            key,
            record,
        }
    }

    /// Whether the key has no fields.
    pub fn has_no_fields(&self) -> bool {
        self.record.0.is_empty()
    }

    /// Returns the bytes of a field.
    fn bytes(&self, path: &str) -> Option<Vec<u8>> {
        let (range, _) = self.pieces.iter().find(|(_, found)| found.as_deref() == Some(path))?;
        self.key.get(range.clone()).map(<[u8]>::to_vec)
    }
}

/// Returns the scans of a keyspace; `claims` are those of the keyspace.
fn scans(
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
                let is_same = |claim: &&&Claim| claim.rule == rule && claim.scan == Some(index);
                claims.iter().find(is_same).copied()
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
                    asked.end.as_ref().map(|end| notation::segments(end, Detail::Names))
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
        Some(asked) => notation::segments(&asked.start, Detail::Names),
        None => until(&keyspace.key, scan.end),
    }
}

/// Returns the text of the segments before a place.
fn until(key: &[Segment], end: Place) -> String {
    let mut texts = Vec::new();
    let mut done = Place(0);
    for item in traverse(key).take_while(|item| item.place < end) {
        if item.place < done {
            continue;
        }
        let is_whole = item.end <= end;
        match item.kind {
            ItemKind::Literal { literal, .. } => {
                let taken = (end.0 - item.place.0) as usize;
                let bytes = literal.bytes.get(..taken).unwrap_or(&literal.bytes);
                texts.push(match &literal.call {
                    Some(call) if is_whole => call.clone(),
                    _ => notation::literal(bytes, literal.is_text),
                });
            }
            ItemKind::Derived(derived) => texts.push(format!("{{{}}}", derived.text())),
            ItemKind::Option(option) if is_whole => {
                let inside = notation::segments(&option.segments, Detail::Names);
                texts.push(format!("[{inside}]"));
                done = item.end;
            }
            ItemKind::Field(field) if is_whole || !matches!(*field.ty, Type::Composite(_)) => {
                texts.push(format!("{{{}}}", item.path.text()));
                done = item.end;
            }
            _ => {}
        }
    }
    texts.join(" ")
}
