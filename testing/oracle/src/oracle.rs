//! The claims about a layout, decided by looking at all rows.

use crate::{
    declared::{Single, singles},
    indexes,
    leaf::Words,
    order,
    records::Rests,
    rows::{Enumeration, Reading, Row, TooMany},
    scan::{self, ScanAnswer},
};
use keyscape_codec::Value;
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
    /// For each index, the entries of each row of its map.
    pub(crate) entries: BTreeMap<KeyspaceId, Vec<Vec<Row>>>,
    singles: Vec<Vec<Single>>,
    rests: Vec<Rests>,
}

impl<'a> Oracle<'a> {
    /// Enumerates a layout that has at most `limit` rows. Leaves that are not listed in full take
    /// the `extra` values as well.
    ///
    /// # Errors
    /// [`TooMany`] if it has more.
    pub fn new(
        layout: &'a Layout,
        words: &mut Words,
        extra: &[Value],
        limit: usize,
    ) -> Result<Self, TooMany> {
        let mut enumeration = Enumeration::new(layout, words, extra, limit);
        let mut all = Vec::new();
        let mut total = 0;
        for id in layout.keyspace_ids() {
            let found = enumeration.rows(id, None)?;
            total += found.len();
            if total > limit {
                return Err(TooMany);
            }
            all.push(found);
        }
        let keyspaces = layout.keyspaces.iter();
        let singles = keyspaces.map(|k| singles(k, &mut enumeration)).collect();
        let keyspaces = layout.keyspaces.iter();
        let rests = keyspaces.map(|k| Rests::of(k, &mut enumeration)).collect::<Result<_, _>>()?;
        let mut entries = BTreeMap::new();
        for id in layout.keyspace_ids() {
            if let Some(map) = layout.keyspace(id).of {
                let rows = &all[map.0 as usize];
                entries.insert(id, indexes::entries(layout, id, rows, &mut enumeration)?);
            }
        }
        Ok(Self { layout, all, entries, singles, rests })
    }

    /// The same with some of the rows only.
    pub(crate) fn with_rows(&self, keep: impl Fn(&Row) -> bool) -> Self {
        let kept = |rows: &Vec<Row>| rows.iter().filter(|row| keep(row)).cloned().collect();
        Self {
            layout: self.layout,
            all: self.all.iter().map(kept).collect(),
            entries: BTreeMap::new(),
            singles: self.singles.clone(),
            rests: self.rests.clone(),
        }
    }

    /// Whether all rows of a keyspace are listed, and all values of its members and scores.
    #[must_use]
    pub fn is_complete(&self, id: KeyspaceId) -> bool {
        self.singles(id).iter().all(|single| single.all)
    }

    /// Whether all rows of all keyspaces are listed whose keys meet those of `id`.
    #[must_use]
    pub fn is_space_complete(&self, id: KeyspaceId) -> bool {
        self.space(id).into_iter().all(|id| self.is_complete(id))
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
        let keyspace = self.layout.keyspace(id);
        let by = order::by_places(keyspace, &keyspace.scans[scan]);
        let mut least: Option<usize> = None;
        for leading in scan::equal_before(self.rows(id), by.start) {
            for low in &leading.rows {
                for high in &leading.rows {
                    let sum = low.key.len() + high.key.len();
                    if least.is_none_or(|least| sum < least)
                        && low.key >= high.key
                        && order::by(&by, low, high).is_lt()
                    {
                        least = Some(sum);
                    }
                }
            }
        }
        least
    }
}
