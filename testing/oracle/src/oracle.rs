//! The claims about a layout, decided by looking at all rows.

use crate::{
    declared::{Single, singles},
    leaf::Words,
    records::Rests,
    rows::{Reading, Row, TooMany, rows},
    scan::{self, ScanAnswer},
};
use keyscape_layout::{
    Layout,
    model::{KeyspaceId, KeyspaceKind},
};
use std::collections::{BTreeMap, BTreeSet};

/// All rows of a layout.
#[derive(Debug)]
pub struct Oracle<'a> {
    /// The layout.
    pub layout: &'a Layout,
    all: Vec<Vec<Row>>,
    singles: Vec<Vec<Single>>,
    rests: Vec<Rests>,
}

impl<'a> Oracle<'a> {
    /// Enumerates a layout that has at most `limit` rows.
    ///
    /// # Errors
    /// [`TooMany`] if it has more.
    pub fn new(layout: &'a Layout, words: &mut Words, limit: usize) -> Result<Self, TooMany> {
        let mut all = Vec::new();
        let mut total = 0;
        for id in layout.keyspace_ids() {
            let found = rows(id, layout.keyspace(id), words, limit)?;
            total += found.len();
            if total > limit {
                return Err(TooMany);
            }
            all.push(found);
        }
        let keyspaces = layout.keyspaces.iter();
        let singles = keyspaces.map(|k| singles(k, words)).collect::<Result<_, _>>()?;
        let keyspaces = layout.keyspaces.iter();
        let rests = keyspaces.map(|k| Rests::of(k, words, limit)).collect::<Result<_, _>>()?;
        Ok(Self { layout, all, singles, rests })
    }

    /// The fields of a keyspace that hold a single value, those of its members and scores included.
    #[must_use]
    pub fn singles(&self, id: KeyspaceId) -> &[Single] {
        &self.singles[id.0 as usize]
    }

    /// What stands behind the keys of a structure.
    pub(crate) fn rests(&self, id: KeyspaceId) -> &Rests {
        &self.rests[id.0 as usize]
    }

    /// The rows of a keyspace.
    #[must_use]
    pub fn rows(&self, id: KeyspaceId) -> &[Row] {
        &self.all[id.0 as usize]
    }

    /// The keyspaces whose keys meet those of `id`, itself included: those of one store and family
    /// (of one kind, if it is a store of structures), or the fields of one hash.
    #[must_use]
    pub fn space(&self, id: KeyspaceId) -> Vec<KeyspaceId> {
        let space_of = |id| {
            let keyspace = self.layout.keyspace(id);
            let kind = match keyspace.kind {
                _ if !self.layout.store(keyspace.store).structures => None,
                KeyspaceKind::Item | KeyspaceKind::Index | KeyspaceKind::Sequence => {
                    Some(KeyspaceKind::Map)
                }
                kind => Some(kind),
            };
            (keyspace.store, keyspace.family.clone(), keyspace.hash, kind)
        };
        self.layout.keyspace_ids().filter(|&other| space_of(other) == space_of(id)).collect()
    }

    /// The rows of all keyspaces whose keys meet those of `id`.
    #[must_use]
    pub fn space_rows(&self, id: KeyspaceId) -> Vec<&Row> {
        self.space(id).into_iter().flat_map(|other| self.rows(other)).collect()
    }

    /// KS001: for each keyspace that has a key in common with `id`, the length of the shortest.
    #[must_use]
    pub fn collisions(&self, id: KeyspaceId) -> BTreeMap<KeyspaceId, usize> {
        let own: BTreeSet<&[u8]> = self.rows(id).iter().map(|row| &*row.key).collect();
        let mut shortest = BTreeMap::new();
        for row in self.space_rows(id) {
            if row.keyspace != id && own.contains(&*row.key) {
                let length = shortest.entry(row.keyspace).or_insert(row.key.len());
                *length = row.key.len().min(*length);
            }
        }
        shortest
    }

    /// KS002: the length of the shortest key with two readings.
    #[must_use]
    pub fn shortest_ambiguous(&self, id: KeyspaceId) -> Option<usize> {
        let mut readings: BTreeMap<&[u8], BTreeSet<Reading>> = BTreeMap::new();
        for row in self.rows(id) {
            readings.entry(&row.key).or_default().insert(row.reading());
        }
        let ambiguous = readings.iter().filter(|(_, readings)| readings.len() > 1);
        ambiguous.map(|(key, _)| key.len()).min()
    }

    /// KS003 for one scan of a keyspace.
    #[must_use]
    pub fn scan(&self, id: KeyspaceId, scan: usize) -> ScanAnswer {
        scan::decide(self, id, &self.layout.keyspace(id).scans[scan])
    }

    /// KS004 for one scan of a keyspace: the least sum of the lengths of two rows that disagree
    /// with their bytes.
    #[must_use]
    pub fn least_disorder(&self, id: KeyspaceId, scan: usize) -> Option<usize> {
        let scan = &self.layout.keyspace(id).scans[scan];
        let mut least: Option<usize> = None;
        for leading in scan::equal_before(self.rows(id), scan.end.0) {
            for low in &leading.rows {
                for high in &leading.rows {
                    let sum = low.key.len() + high.key.len();
                    if least.is_none_or(|least| sum < least)
                        && low.key >= high.key
                        && crate::order::by(scan, low, high).is_lt()
                    {
                        least = Some(sum);
                    }
                }
            }
        }
        least
    }
}
