//! Everything that a document says about a layout: the model that all renderers share, and that
//! serde writes as JSON.

pub mod json;
mod keyspace;
mod notation;
mod part;
mod verdict;

pub use keyspace::{Example, KeyspaceFacts, ScanFacts};
pub use notation::{literal, shown_text, source_of, type_text};
pub use part::{Part, PartKind, Start};
pub use verdict::{ClaimFacts, Outcome};

use keyscape_layout::{
    Backend, Layout, kind_name,
    model::{AllocatedRange, KeyspaceKind, Namespace, Store, StoreId},
    prefix_map::{NamespaceUse, PrefixMap, Prefixes, Usage},
};
use keyscape_prover::{Claim, Config, Report};
use serde::Serialize;
use std::{
    collections::{BTreeMap, BTreeSet},
    path::Path,
};

/// Everything that a document says about a layout.
#[derive(Debug, Serialize)]
pub struct Document {
    /// The name of its file, or the names of its stores if it comes from a server.
    pub layout: String,
    #[serde(skip_serializing_if = "json::is_blank", serialize_with = "json::lines")]
    pub doc: Vec<String>,
    /// The verdicts on all claims.
    #[serde(rename = "claims")]
    pub tally: VerdictCounts,
    /// Whether every claim is proved or accepted, and no acceptance is idle.
    pub holds: bool,
    /// The keyspaces with an acceptance that matches no claim that fails: mistakes of the layout.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub idle_accepts: Vec<String>,
    /// The stores, in source order.
    pub stores: Vec<StoreFacts>,
    /// The declared types.
    pub types: Vec<TypeFacts>,
}

/// One store.
#[derive(Debug, Serialize)]
pub struct StoreFacts {
    pub name: String,
    #[serde(skip_serializing_if = "json::is_blank", serialize_with = "json::lines")]
    pub doc: Vec<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub version: Option<u64>,
    pub structures: bool,
    #[serde(skip_serializing_if = "Option::is_none", serialize_with = "json::backend")]
    pub backend: Option<&'static Backend>,
    pub counts: Counts,
    #[serde(rename = "claims")]
    pub tally: VerdictCounts,
    /// The first bytes of keys: one map for each family, or one for the store.
    #[serde(rename = "first_bytes", serialize_with = "json::maps")]
    pub maps: Vec<PrefixMap>,
    pub namespaces: Vec<NamespaceFacts>,
    pub keyspaces: Vec<KeyspaceFacts>,
}

/// A namespace.
#[derive(Debug, Serialize)]
pub struct NamespaceFacts {
    pub name: String,
    #[serde(skip_serializing_if = "json::is_blank", serialize_with = "json::lines")]
    pub doc: Vec<String>,
    #[serde(serialize_with = "json::hex_text")]
    pub prefix: Vec<u8>,
    /// The number of keyspaces in the namespace and in the namespaces inside it.
    pub keyspaces: usize,
    /// The number of values that the byte after the prefix takes.
    #[serde(flatten, serialize_with = "json::usage")]
    usage: Option<Usage>,
    pub ranges: Vec<RangeFacts>,
    pub retired: Vec<RetiredFacts>,
    /// Its next byte.
    #[serde(rename = "bytes", serialize_with = "json::bytes")]
    pub map: PrefixMap,
}

/// A range from which prefixes are allocated.
#[derive(Debug, Serialize)]
pub struct RangeFacts {
    pub name: String,
    #[serde(serialize_with = "json::hex_text")]
    pub low: Vec<u8>,
    #[serde(serialize_with = "json::hex_text")]
    pub high: Vec<u8>,
    /// The number of prefixes in the range.
    #[serde(rename = "allocated")]
    pub size: u128,
    /// `None` for prefixes of three bytes or more, which are not counted.
    #[serde(flatten, serialize_with = "json::usage")]
    pub usage: Option<Usage>,
}

/// A prefix that may not be used.
#[derive(Debug, Serialize)]
pub struct RetiredFacts {
    #[serde(serialize_with = "json::hex_text")]
    pub prefix: Vec<u8>,
    pub deprecated: bool,
    pub reason: String,
}

impl RetiredFacts {
    /// Returns `deprecated` or `reserved`.
    pub const fn word(&self) -> &'static str {
        if self.deprecated { "deprecated" } else { "reserved" }
    }
}

/// A declared type.
#[derive(Debug, Serialize)]
pub struct TypeFacts {
    pub name: String,
    #[serde(skip_serializing_if = "json::is_blank", serialize_with = "json::lines")]
    pub doc: Vec<String>,
    /// Its definition, as the layout writes it.
    #[serde(rename = "is")]
    pub text: String,
}

/// The numbers of declarations of a store.
#[derive(Debug, Default, Serialize)]
pub struct Counts {
    /// Keyspaces without the fields of hashes.
    pub keyspaces: usize,
    /// Keyspaces of each kind that occurs, in the order of the language.
    #[serde(serialize_with = "json::kinds")]
    pub kinds: Vec<(&'static str, usize)>,
    pub hash_fields: usize,
    pub namespaces: usize,
    pub families: usize,
    pub scans: usize,
    /// Scans that promise an order.
    pub ordered_scans: usize,
}

/// The numbers of claims by [`Outcome`].
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub struct VerdictCounts {
    pub proved: usize,
    pub refuted: usize,
    pub unknown: usize,
    pub accepted: usize,
}

impl Document {
    /// Collects the facts of a layout.
    pub fn new(layout: &Layout, config: Config) -> Self {
        let report = keyscape_prover::check(layout, config);
        let stores = layout.stores.iter().enumerate();
        let idle = report.idle_accepts.iter();
        Self {
            layout: name(layout),
            doc: layout.doc.clone(),
            tally: VerdictCounts::new(report.claims.iter()),
            holds: report.holds(),
            idle_accepts: idle.map(|(id, _)| layout.keyspace(*id).name.clone()).collect(),
            stores: stores
                .map(|(id, store)| facts(layout, &report, StoreId(id as u32), store))
                .collect(),
            types: notation::types(layout),
        }
    }
}

/// Returns the name of a layout. An address of a server may contain a user, a host and options.
fn name(layout: &Layout) -> String {
    let path = layout.sources.files().first().map_or("", |file| file.path.as_str());
    if path.contains("://") {
        let stores: Vec<&str> = layout.stores.iter().map(|store| store.name.as_str()).collect();
        return stores.join(", ");
    }
    let name = Path::new(path).file_name().map(|name| name.to_string_lossy().into_owned());
    name.unwrap_or_default()
}

fn facts(layout: &Layout, report: &Report, id: StoreId, store: &Store) -> StoreFacts {
    let prefixes = Prefixes::new(layout, id);
    let namespaces = store.namespaces.iter().enumerate();
    StoreFacts {
        name: store.name.clone(),
        doc: store.doc.clone(),
        version: store.version,
        structures: store.structures,
        backend: store.backend,
        counts: Counts::new(layout, id),
        tally: VerdictCounts::new(report.claims.iter().filter(|claim| claim.store == id)),
        maps: prefixes.maps(),
        namespaces: namespaces
            .map(|(index, namespace)| {
                NamespaceFacts::new(namespace, prefixes.namespace(index, namespace))
            })
            .collect(),
        keyspaces: keyspace::all(layout, report, id),
    }
}

impl NamespaceFacts {
    pub(super) fn new(namespace: &Namespace, found: NamespaceUse) -> Self {
        let retired = namespace.retired.iter().map(|entry| RetiredFacts {
            prefix: entry.prefix.clone(),
            deprecated: entry.deprecated,
            reason: entry.reason.clone(),
        });
        let ranges = namespace.ranges.iter().zip(found.ranges);
        let range = |(range, usage): (&AllocatedRange, _)| RangeFacts {
            name: range.name.clone(),
            low: range.low.clone(),
            high: range.high.clone(),
            size: range.size(),
            usage,
        };
        Self {
            name: namespace.name.clone(),
            doc: namespace.doc.clone(),
            prefix: namespace.prefix.clone(),
            keyspaces: found.keyspaces,
            usage: Some(found.map.usage()),
            ranges: ranges.map(range).collect(),
            retired: retired.collect(),
            map: found.map,
        }
    }
}

impl Counts {
    pub(super) fn new(layout: &Layout, store: StoreId) -> Self {
        let all = || layout.keyspaces.iter().filter(|keyspace| keyspace.store == store);
        let own = || all().filter(|keyspace| keyspace.hash.is_none());
        let mut kinds = BTreeMap::<KeyspaceKind, usize>::new();
        own().for_each(|keyspace| *kinds.entry(keyspace.kind).or_default() += 1);
        let families: BTreeSet<&str> = own().filter_map(|k| k.family.as_deref()).collect();
        let scans = || all().flat_map(|keyspace| &keyspace.scans);
        Self {
            keyspaces: own().count(),
            kinds: kinds.into_iter().map(|(kind, count)| (kind_name(kind), count)).collect(),
            hash_fields: all().count() - own().count(),
            namespaces: layout.store(store).namespaces.len(),
            families: families.len(),
            scans: scans().count(),
            ordered_scans: scans().filter(|scan| !scan.by.is_empty()).count(),
        }
    }
}

impl VerdictCounts {
    /// Counts the verdicts of claims.
    pub fn new<'a>(claims: impl Iterator<Item = &'a Claim>) -> Self {
        let mut tally = Self::default();
        for claim in claims {
            *match Outcome::of(claim) {
                Outcome::Proved => &mut tally.proved,
                Outcome::Refuted => &mut tally.refuted,
                Outcome::Unknown => &mut tally.unknown,
                Outcome::Accepted => &mut tally.accepted,
            } += 1;
        }
        tally
    }
}
