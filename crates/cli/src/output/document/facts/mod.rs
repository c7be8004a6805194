//! Everything that a document says about a layout: the model that all renderers share, and that
//! serde writes as JSON.

mod counts;
mod example;
pub(crate) mod json;
mod keyspace;
mod namespace;
mod part;
mod pattern;
mod scan;
mod verdict;
mod written;

pub(crate) use counts::{Counts, VerdictCounts};
pub(crate) use example::Example;
pub(crate) use keyspace::KeyspaceFacts;
pub(crate) use namespace::{NamespaceFacts, RangeFacts};
pub(crate) use part::{Part, PartKind, Start};
pub(crate) use pattern::literal;
pub(crate) use scan::ScanFacts;
pub(crate) use verdict::{ClaimFacts, Outcome};
pub(crate) use written::TypeFacts;

use keyscape_layout::{
    Backend, Layout,
    model::{Store, StoreId},
    prefix_map::{PrefixMap, Prefixes},
};
use keyscape_prover::{Config, Report};
use serde::Serialize;
use std::path::Path;

/// Everything that a document says about a layout.
#[derive(Debug, Serialize)]
pub(crate) struct Document {
    /// The name of its file.
    pub(crate) layout: String,
    #[serde(skip_serializing_if = "json::is_blank", serialize_with = "json::lines")]
    pub(crate) doc: Vec<String>,
    /// The verdicts on all claims.
    #[serde(rename = "claims")]
    pub(crate) tally: VerdictCounts,
    /// Whether every claim is proved or accepted, and no acceptance is idle.
    pub(crate) holds: bool,
    /// The keyspaces with an acceptance that matches no claim that fails: mistakes of the layout.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(crate) idle_accepts: Vec<String>,
    /// The stores, in source order.
    pub(crate) stores: Vec<StoreFacts>,
    /// The declared types.
    pub(crate) types: Vec<TypeFacts>,
}

/// One store.
#[derive(Debug, Serialize)]
pub(crate) struct StoreFacts {
    pub(crate) name: String,
    #[serde(skip_serializing_if = "json::is_blank", serialize_with = "json::lines")]
    pub(crate) doc: Vec<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) version: Option<u64>,
    pub(crate) structures: bool,
    #[serde(skip_serializing_if = "Option::is_none", serialize_with = "json::backend")]
    pub(crate) backend: Option<&'static Backend>,
    pub(crate) counts: Counts,
    #[serde(rename = "claims")]
    pub(crate) tally: VerdictCounts,
    /// The first bytes of keys: one map for each family, or one for the store.
    #[serde(rename = "first_bytes", serialize_with = "json::maps")]
    pub(crate) maps: Vec<PrefixMap>,
    pub(crate) namespaces: Vec<NamespaceFacts>,
    pub(crate) keyspaces: Vec<KeyspaceFacts>,
}

impl Document {
    /// Collects the facts of a layout.
    pub(crate) fn new(layout: &Layout, config: Config) -> Self {
        // A document shows no fixes.
        let report = keyscape_prover::check(layout, Config { fixes: false, ..config });
        let path = layout.sources.files().first().map_or("", |file| file.path.as_str());
        let name = Path::new(path).file_name().map(|name| name.to_string_lossy().into_owned());
        let stores = layout.stores.iter().enumerate();
        let idle = report.idle_accepts.iter();
        Self {
            layout: name.unwrap_or_default(),
            doc: layout.doc.clone(),
            tally: VerdictCounts::new(report.claims.iter()),
            holds: report.holds(),
            idle_accepts: idle.map(|(id, _)| layout.keyspace(*id).name.clone()).collect(),
            stores: stores
                .map(|(id, store)| facts(layout, &report, StoreId(id as u32), store))
                .collect(),
            types: written::types(layout),
        }
    }
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
