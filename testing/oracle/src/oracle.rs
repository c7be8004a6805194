//! The claims about a layout, decided on all rows.

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
    model::{Keyspace, KeyspaceId, KeyspaceKind, RowValue, Type},
};
use std::{
    collections::{BTreeMap, BTreeSet},
    sync::Arc,
};

/// All rows of a layout.
#[derive(Debug)]
pub struct Oracle<'a> {
    /// The enumerated layout.
    pub layout: &'a Layout,
    all: Vec<Vec<Row>>,
    /// For each index, the entries of each row of its map.
    pub(crate) entries: BTreeMap<KeyspaceId, Vec<Vec<Row>>>,
    /// The described values of the rows of each keyspace.
    values: Vec<Vec<Row>>,
    /// The described values of older rows.
    older: Vec<Vec<Row>>,
    /// The members and the scores of each keyspace.
    members: Vec<[Vec<Row>; 2]>,
    singles: Vec<Vec<Single>>,
    rests: Vec<Rests>,
}

impl<'a> Oracle<'a> {
    /// Enumerates a layout of at most `limit` rows. Leaves whose values are not all listed also get
    /// the `extra` values.
    ///
    /// # Errors
    /// [`TooMany`] if the layout has more rows.
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
        let mut forms = |form: fn(&Keyspace) -> Option<&RowValue>| {
            let ids = layout.keyspace_ids();
            ids.map(|id| enumeration.values(id, form(layout.keyspace(id))))
                .collect::<Result<_, _>>()
        };
        let values = forms(|keyspace| keyspace.value.as_ref())?;
        let older = forms(|keyspace| keyspace.reads.as_ref())?;
        let mut members = Vec::new();
        for id in layout.keyspace_ids() {
            let mut of = |name: &str, ty: Option<&Arc<Type>>| {
                ty.map_or(Ok(Vec::new()), |ty| enumeration.parts(id, name, ty))
            };
            let keyspace = layout.keyspace(id);
            let scores = of("score", keyspace.score.as_ref())?;
            members.push([of("member", keyspace.member.as_ref())?, scores]);
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
        Ok(Self { layout, all, entries, values, older, members, singles, rests })
    }

    /// Returns a copy with only the rows for which `keep` holds.
    pub(crate) fn with_rows(&self, keep: impl Fn(&Row) -> bool) -> Self {
        let kept = |rows: &Vec<Row>| rows.iter().filter(|row| keep(row)).cloned().collect();
        Self {
            layout: self.layout,
            all: self.all.iter().map(kept).collect(),
            entries: BTreeMap::new(),
            values: self.values.clone(),
            older: self.older.clone(),
            members: self.members.clone(),
            singles: self.singles.clone(),
            rests: self.rests.clone(),
        }
    }

    /// Whether all rows of a keyspace are listed, and all values of its members and scores.
    #[must_use]
    pub fn is_complete(&self, id: KeyspaceId) -> bool {
        self.singles(id).iter().all(|single| single.all)
    }

    /// Whether all rows in the space of `id` are listed.
    #[must_use]
    pub fn is_space_complete(&self, id: KeyspaceId) -> bool {
        self.space(id).into_iter().all(|id| self.is_complete(id))
    }

    /// Returns the fields of a keyspace with a single value, including those of its members and
    /// scores.
    #[must_use]
    pub fn singles(&self, id: KeyspaceId) -> &[Single] {
        &self.singles[id.0 as usize]
    }

    /// Returns the lengths of the parts that follow the keys of a structure.
    pub(crate) fn rests(&self, id: KeyspaceId) -> &Rests {
        &self.rests[id.0 as usize]
    }

    /// Returns the rows of a keyspace.
    #[must_use]
    pub fn rows(&self, id: KeyspaceId) -> &[Row] {
        &self.all[id.0 as usize]
    }

    /// Returns the described values of the rows of a keyspace.
    pub(crate) fn values(&self, id: KeyspaceId) -> &[Row] {
        &self.values[id.0 as usize]
    }

    /// Returns the described values of older rows of a keyspace, in the form after `reads`.
    pub(crate) fn older_values(&self, id: KeyspaceId) -> &[Row] {
        &self.older[id.0 as usize]
    }

    /// Returns the members of a structure, in a field `member`.
    pub(crate) fn members(&self, id: KeyspaceId) -> &[Row] {
        &self.members[id.0 as usize][0]
    }

    /// Returns the scores of a structure, in a field `score`.
    pub(crate) fn scores(&self, id: KeyspaceId) -> &[Row] {
        &self.members[id.0 as usize][1]
    }

    /// Returns the keyspaces in the space of `id`, including `id`. They have the same store and
    /// family, and in a store of structures the same kind. The fields of a hash are a space of
    /// their own.
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

    /// Returns the rows of all keyspaces in the space of `id`.
    #[must_use]
    pub fn space_rows(&self, id: KeyspaceId) -> Vec<&Row> {
        self.space(id).into_iter().flat_map(|other| self.rows(other)).collect()
    }

    /// KS001: returns the keyspaces that share keys with `id`, with the length of the shortest
    /// shared key.
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

    /// KS002: returns the length of the shortest key with two readings.
    #[must_use]
    pub fn shortest_ambiguous(&self, id: KeyspaceId) -> Option<usize> {
        shortest_ambiguous(self.rows(id))
    }

    /// KS003: decides one scan of a keyspace.
    #[must_use]
    pub fn scan(&self, id: KeyspaceId, scan: usize) -> ScanAnswer {
        scan::decide(self, id, &self.layout.keyspace(id).scans[scan])
    }

    /// KS004: returns the least sum of the lengths of two keys in a scan whose byte order
    /// contradicts the order of their rows.
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

/// Returns the length of the shortest key of some rows with two readings.
pub(crate) fn shortest_ambiguous(rows: &[Row]) -> Option<usize> {
    let mut readings: BTreeMap<&[u8], BTreeSet<Reading>> = BTreeMap::new();
    for row in rows {
        readings.entry(&row.key).or_default().insert(row.reading());
    }
    let ambiguous = readings.iter().filter(|(_, readings)| readings.len() > 1);
    ambiguous.map(|(key, _)| key.len()).min()
}
