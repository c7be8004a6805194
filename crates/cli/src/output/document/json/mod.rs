//! The document as JSON: the layout as data. `keyscape doc --help` describes it.

mod keyspace;
mod segment;

use super::facts::{
    Cell, Document, NamespaceFacts, PrefixMap, Status, StoreFacts, Tally, TypeFacts,
};
use crate::output::bytes::hex;
use keyspace::KeyspaceObject;
use serde::Serialize;
use std::collections::BTreeMap;

/// A document, in lines that people can read.
pub(crate) fn render(document: &Document) -> String {
    let object = DocumentObject {
        layout: &document.layout,
        doc: joined(&document.doc),
        claims: document.tally.into(),
        holds: document.holds(),
        idle_accepts: &document.idle_accepts,
        stores: document.stores.iter().map(StoreObject::new).collect(),
        types: document.types.iter().map(TypeObject::new).collect(),
    };
    // INVARIANT: all keys of maps are texts and no number is out of range, so this does not fail.
    let mut text = serde_json::to_string_pretty(&object).unwrap_or_default();
    text.push('\n');
    text
}

#[derive(Serialize)]
struct DocumentObject<'a> {
    layout: &'a str,
    #[serde(skip_serializing_if = "String::is_empty")]
    doc: String,
    claims: TallyObject,
    holds: bool,
    #[serde(skip_serializing_if = "<[String]>::is_empty")]
    idle_accepts: &'a [String],
    stores: Vec<StoreObject<'a>>,
    types: Vec<TypeObject<'a>>,
}

#[derive(Serialize)]
struct TypeObject<'a> {
    name: &'a str,
    #[serde(skip_serializing_if = "String::is_empty")]
    doc: String,
    is: &'a str,
}

impl<'a> TypeObject<'a> {
    fn new(facts: &'a TypeFacts) -> Self {
        Self { name: &facts.name, doc: joined(&facts.doc), is: &facts.text }
    }
}

#[derive(Serialize)]
struct TallyObject {
    proved: usize,
    refuted: usize,
    unknown: usize,
    accepted: usize,
}

impl From<Tally> for TallyObject {
    fn from(Tally { proved, refuted, unknown, accepted }: Tally) -> Self {
        Self { proved, refuted, unknown, accepted }
    }
}

#[derive(Serialize)]
struct StoreObject<'a> {
    name: &'a str,
    #[serde(skip_serializing_if = "String::is_empty")]
    doc: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    version: Option<u64>,
    structures: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    backend: Option<BackendObject>,
    counts: CountsObject,
    claims: TallyObject,
    first_bytes: Vec<MapObject<'a>>,
    namespaces: Vec<NamespaceObject<'a>>,
    keyspaces: Vec<KeyspaceObject<'a>>,
}

#[derive(Serialize)]
struct BackendObject {
    name: &'static str,
    longest_key: usize,
    empty_key: bool,
}

#[derive(Serialize)]
struct CountsObject {
    keyspaces: usize,
    kinds: BTreeMap<&'static str, usize>,
    hash_fields: usize,
    namespaces: usize,
    families: usize,
    scans: usize,
    ordered_scans: usize,
}

#[derive(Serialize)]
struct MapObject<'a> {
    #[serde(skip_serializing_if = "Option::is_none")]
    family: Option<&'a str>,
    used: usize,
    free: usize,
    bytes: Vec<ByteObject<'a>>,
}

/// A byte that is not free.
#[derive(Serialize)]
struct ByteObject<'a> {
    byte: String,
    status: &'static str,
    keyspaces: &'a [String],
    #[serde(skip_serializing_if = "<[String]>::is_empty")]
    namespaces: &'a [String],
}

#[derive(Serialize)]
struct NamespaceObject<'a> {
    name: &'a str,
    #[serde(skip_serializing_if = "String::is_empty")]
    doc: String,
    prefix: String,
    keyspaces: usize,
    used: usize,
    reserved: usize,
    deprecated: usize,
    free: usize,
    ranges: Vec<RangeObject<'a>>,
    retired: Vec<RetiredObject<'a>>,
    bytes: Vec<ByteObject<'a>>,
}

#[derive(Serialize)]
struct RangeObject<'a> {
    name: &'a str,
    low: String,
    high: String,
    allocated: u128,
    #[serde(flatten)]
    usage: Option<UsageObject>,
}

#[derive(Serialize)]
struct UsageObject {
    used: usize,
    reserved: usize,
    deprecated: usize,
    free: usize,
}

#[derive(Serialize)]
struct RetiredObject<'a> {
    prefix: String,
    deprecated: bool,
    reason: &'a str,
}

/// The lines of a doc comment as one text.
fn joined(doc: &[String]) -> String {
    doc.iter().map(|line| line.trim()).collect::<Vec<_>>().join("\n")
}

impl<'a> StoreObject<'a> {
    fn new(store: &'a StoreFacts) -> Self {
        let counts = &store.counts;
        Self {
            name: &store.name,
            doc: joined(&store.doc),
            version: store.version,
            structures: store.structures,
            backend: store.backend.map(|backend| BackendObject {
                name: backend.name,
                longest_key: backend.longest_key,
                empty_key: backend.empty_key,
            }),
            counts: CountsObject {
                keyspaces: counts.keyspaces,
                kinds: counts.kinds.iter().copied().collect(),
                hash_fields: counts.hash_fields,
                namespaces: counts.namespaces,
                families: counts.families,
                scans: counts.scans,
                ordered_scans: counts.ordered_scans,
            },
            claims: store.tally.into(),
            first_bytes: store.maps.iter().map(map).collect(),
            namespaces: store.namespaces.iter().map(namespace).collect(),
            keyspaces: store.keyspaces.iter().map(KeyspaceObject::new).collect(),
        }
    }
}

fn map(map: &PrefixMap) -> MapObject<'_> {
    let family = map.family.as_deref();
    MapObject { family, used: map.used(), free: map.free(), bytes: bytes(map) }
}

fn bytes<'a>(map: &'a PrefixMap) -> Vec<ByteObject<'a>> {
    let is_taken = |cell: &&Cell| !matches!(cell.status, Status::Free | Status::Allocated);
    let object = |cell: &'a Cell| ByteObject {
        byte: hex(&[cell.byte]),
        status: cell.status.word(),
        keyspaces: &cell.keyspaces,
        namespaces: &cell.namespaces,
    };
    map.cells.iter().filter(is_taken).map(object).collect()
}

fn namespace(facts: &NamespaceFacts) -> NamespaceObject<'_> {
    let map = &facts.map;
    let ranges = facts.ranges.iter().map(|range| RangeObject {
        name: &range.name,
        low: hex(&range.low),
        high: hex(&range.high),
        allocated: range.size,
        usage: range.usage.map(|usage| UsageObject {
            used: usage.used,
            reserved: usage.reserved,
            deprecated: usage.deprecated,
            free: usage.free,
        }),
    });
    let retired = facts.retired.iter().map(|entry| RetiredObject {
        prefix: hex(&entry.prefix),
        deprecated: entry.deprecated,
        reason: &entry.reason,
    });
    NamespaceObject {
        name: &facts.name,
        doc: joined(&facts.doc),
        prefix: hex(&facts.prefix),
        keyspaces: facts.keyspaces,
        used: map.used(),
        reserved: map.count(Status::Reserved),
        deprecated: map.count(Status::Deprecated),
        free: map.free(),
        ranges: ranges.collect(),
        retired: retired.collect(),
        bytes: bytes(map),
    }
}
