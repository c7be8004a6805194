//! What a document says about a layout: counted, decided and made from the model, never by hand.

mod counts;
mod example;
mod keyspace;
mod part;
mod pattern;
mod prefixes;
mod scan;
mod verdict;
mod written;

pub(crate) use counts::{Counts, Tally};
pub(crate) use example::Example;
pub(crate) use keyspace::KeyspaceFacts;
pub(crate) use part::{Part, Shape, Start};
pub(crate) use pattern::literal;
pub(crate) use prefixes::{Cell, NamespaceFacts, PrefixMap, RangeFacts, Status};
pub(crate) use scan::ScanFacts;
pub(crate) use verdict::{ClaimFacts, Outcome};
pub(crate) use written::TypeFacts;

use keyscape_layout::{
    Backend, Layout,
    model::{Store, StoreId},
};
use keyscape_prover::{Config, Query, Report};
use std::path::Path;

/// Everything that a document says about a layout.
#[derive(Debug)]
pub(crate) struct Document {
    /// The name of its file.
    pub(crate) layout: String,
    /// What the file says about itself.
    pub(crate) doc: Vec<String>,
    /// What was decided about all claims.
    pub(crate) tally: Tally,
    /// The keyspaces with an acceptance that matches no claim that fails: mistakes of the layout.
    pub(crate) idle_accepts: Vec<String>,
    /// The stores, in source order.
    pub(crate) stores: Vec<StoreFacts>,
    /// The declared types.
    pub(crate) types: Vec<TypeFacts>,
}

/// One store.
#[derive(Debug)]
pub(crate) struct StoreFacts {
    pub(crate) name: String,
    pub(crate) doc: Vec<String>,
    pub(crate) version: Option<u64>,
    pub(crate) structures: bool,
    pub(crate) backend: Option<&'static Backend>,
    pub(crate) counts: Counts,
    pub(crate) tally: Tally,
    /// The first bytes of keys: one map for each family, or one for the store.
    pub(crate) maps: Vec<PrefixMap>,
    pub(crate) namespaces: Vec<NamespaceFacts>,
    pub(crate) keyspaces: Vec<KeyspaceFacts>,
}

/// A layout with everything that was decided about it.
#[derive(Clone, Copy)]
struct Decided<'a> {
    layout: &'a Layout,
    report: &'a Report,
    /// What the scans of each keyspace read.
    queries: &'a [Vec<Option<Query>>],
}

impl Document {
    /// Whether every claim is proved or accepted, and no acceptance is idle.
    pub(crate) fn holds(&self) -> bool {
        self.idle_accepts.is_empty() && self.tally.refuted + self.tally.unknown == 0
    }

    /// The facts of a layout.
    pub(crate) fn new(layout: &Layout, config: Config) -> Self {
        // A document shows no fixes.
        let report = keyscape_prover::check(layout, Config { fixes: false, ..config });
        let queries = keyscape_prover::scan_queries(layout, config);
        let decided = Decided { layout, report: &report, queries: &queries };
        let path = layout.sources.files().first().map_or("", |file| file.path.as_str());
        let name = Path::new(path).file_name().map(|name| name.to_string_lossy().into_owned());
        let stores = layout.stores.iter().enumerate();
        let idle = report.idle_accepts.iter();
        Self {
            layout: name.unwrap_or_default(),
            doc: layout.doc.clone(),
            tally: Tally::new(report.claims.iter()),
            idle_accepts: idle.map(|(id, _)| layout.keyspace(*id).name.clone()).collect(),
            stores: stores.map(|(id, store)| facts(decided, StoreId(id as u32), store)).collect(),
            types: written::types(layout),
        }
    }
}

fn facts(decided: Decided<'_>, id: StoreId, store: &Store) -> StoreFacts {
    let Decided { layout, report, .. } = decided;
    let starts = prefixes::Starts::new(layout, id);
    StoreFacts {
        name: store.name.clone(),
        doc: store.doc.clone(),
        version: store.version,
        structures: store.structures,
        backend: store.backend,
        counts: Counts::new(layout, id),
        tally: Tally::new(report.claims.iter().filter(|claim| claim.store == id)),
        maps: starts.maps(),
        namespaces: starts.namespaces(),
        keyspaces: keyspace::all(decided, id),
    }
}
