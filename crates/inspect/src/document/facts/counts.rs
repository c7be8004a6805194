//! Counts of declarations and verdicts.

use super::json;
use keyscape_layout::{
    Layout, kind_name,
    model::{KeyspaceKind, StoreId},
};
use keyscape_prover::{Claim, Verdict};
use serde::Serialize;

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

/// The numbers of claims by verdict. An accepted claim counts as accepted only. A refuted claim
/// counts as unknown if the layout accepts all that refutes it and something is undecided.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub struct VerdictCounts {
    pub proved: usize,
    pub refuted: usize,
    pub unknown: usize,
    pub accepted: usize,
}

const KINDS: [KeyspaceKind; 8] = [
    KeyspaceKind::Item,
    KeyspaceKind::Map,
    KeyspaceKind::Index,
    KeyspaceKind::Sequence,
    KeyspaceKind::Hash,
    KeyspaceKind::Set,
    KeyspaceKind::Zset,
    KeyspaceKind::Queue,
];

impl Counts {
    pub(super) fn new(layout: &Layout, store: StoreId) -> Self {
        let all = || layout.keyspaces.iter().filter(|keyspace| keyspace.store == store);
        let own = || all().filter(|keyspace| keyspace.hash.is_none());
        let of = |kind| own().filter(|keyspace| keyspace.kind == kind).count();
        let kinds = KINDS.into_iter().map(|kind| (kind_name(kind), of(kind)));
        let mut families: Vec<&str> = own().filter_map(|k| k.family.as_deref()).collect();
        families.sort_unstable();
        families.dedup();
        let scans = || all().flat_map(|keyspace| &keyspace.scans);
        Self {
            keyspaces: own().count(),
            kinds: kinds.filter(|(_, count)| *count > 0).collect(),
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
            let count = match (&claim.accepted, &claim.verdict) {
                (Some(_), _) => &mut tally.accepted,
                (None, _) if claim.is_undecided() => &mut tally.unknown,
                (None, Verdict::Refuted(_)) => &mut tally.refuted,
                (None, _) => &mut tally.proved,
            };
            *count += 1;
        }
        tally
    }
}
