//! Everything that a document says about a layout: the model that all renderers share, and that
//! serde writes as JSON.

mod counts;
mod example;
pub mod json;
mod keyspace;
mod namespace;
mod part;
mod pattern;
mod scan;
mod verdict;
mod written;

pub use counts::{Counts, VerdictCounts};
pub use example::Example;
pub use keyspace::KeyspaceFacts;
pub use namespace::{NamespaceFacts, RangeFacts};
pub use part::{Part, PartKind, Start};
pub use pattern::{literal, shown_text, type_text};
pub use scan::ScanFacts;
pub use verdict::{ClaimFacts, Outcome};
pub use written::{TypeFacts, source_of};

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
            types: written::types(layout),
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
