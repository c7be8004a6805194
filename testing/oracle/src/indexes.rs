//! KS009: the entries that an index has for the rows of its map.

use crate::{
    oracle::{Oracle, shortest_ambiguous},
    rows::{Enumeration, Row, TooMany},
};
use keyscape_layout::{Datum, Layout, Record, fields, model::KeyspaceId};
use std::collections::{BTreeSet, HashMap};

/// Returns the possible entries of an index for each row of its map. In an entry, every field that
/// comes from the key of the map has the same value as in the row, or is absent in both. Fields
/// that come from the value of the map may have any value.
pub(crate) fn entries(
    layout: &Layout,
    index: KeyspaceId,
    rows: &[Row],
    enumeration: &mut Enumeration<'_>,
) -> Result<Vec<Vec<Row>>, TooMany> {
    let carried = carried(layout, index);
    let mut all = Vec::new();
    let mut total = 0;
    for row in rows {
        let values = |name: &&str| Some(((*name).to_owned(), row.fields.get(name)?.clone()));
        let given = Record(carried.iter().filter_map(values).collect());
        let mut entries = enumeration.rows(index, Some(&given))?;
        entries.retain(|entry| of(&carried, entry) == of(&carried, row));
        total += entries.len();
        if total > enumeration.limit {
            return Err(TooMany);
        }
        all.push(entries);
    }
    Ok(all)
}

/// Returns the names of the fields that an index takes from the key of its map.
fn carried(layout: &Layout, index: KeyspaceId) -> Vec<&str> {
    let keyspace = layout.keyspace(index);
    let map = keyspace.of.map(|map| fields(&layout.keyspace(map).key)).unwrap_or_default();
    let own = fields(&keyspace.key).into_iter().filter(|field| !field.is_from_value());
    own.map(|field| &*field.name).filter(|name| map.iter().any(|f| f.name == *name)).collect()
}

/// Returns the values of some fields of a row, `None` for absent fields.
fn of<'r>(names: &[&str], row: &'r Row) -> Vec<Option<&'r Datum>> {
    names.iter().map(|name| row.fields.get(name)).collect()
}

impl Oracle<'_> {
    /// Returns the rows of the map of an index with their entries.
    pub(crate) fn indexed(&self, index: KeyspaceId) -> impl Iterator<Item = (&Row, &Vec<Row>)> {
        let map = self.layout.keyspace(index).of;
        let rows = map.map(|map| self.rows(map)).unwrap_or_default();
        rows.iter().zip(self.entries.get(&index).into_iter().flatten())
    }

    /// Returns the possible entries of an index for a row of its map.
    #[must_use]
    pub fn entries(&self, index: KeyspaceId, row: &Row) -> &[Row] {
        let mut indexed = self.indexed(index);
        let found = indexed.find(|(other, _)| std::ptr::eq(*other, row));
        found.map(|(_, entries)| entries.as_slice()).unwrap_or_default()
    }

    /// Returns a row of the map without an entry.
    #[must_use]
    pub fn without_entry(&self, index: KeyspaceId) -> Option<&Row> {
        self.indexed(index).find(|(_, entries)| entries.is_empty()).map(|(row, _)| row)
    }

    /// Returns a row of the map whose key has several sets of values with different entries. Fields
    /// from the value of the map are ignored.
    #[must_use]
    pub fn with_several_entries(&self, index: KeyspaceId) -> Option<&Row> {
        let mut known = HashMap::new();
        let mut indexed = self.indexed(index);
        indexed
            .find(|(row, entries)| {
                let keys: BTreeSet<&[u8]> = entries.iter().map(|entry| &*entry.key).collect();
                let first = known.entry(&row.key).or_insert_with(|| keys.clone());
                *first != keys
            })
            .map(|(row, _)| row)
    }

    /// Whether the index takes a described field from a value with several readings. The entries of
    /// a row then depend on the program that reads the value.
    #[must_use]
    pub fn has_ambiguous_value(&self, index: KeyspaceId) -> bool {
        let keyspace = self.layout.keyspace(index);
        let Some(map) = keyspace.of else { return false };
        let value = self.layout.keyspace(map).value.as_ref();
        let mut fields = fields(&keyspace.key).into_iter();
        fields.any(|field| field.value_source(value).is_some())
            && shortest_ambiguous(self.values(map)).is_some()
    }

    /// Returns two rows of the map with different keys and the same entry.
    #[must_use]
    pub fn confused(&self, index: KeyspaceId) -> Option<(&Row, &Row)> {
        if self.layout.keyspace(index).unique {
            return None;
        }
        let mut known = HashMap::new();
        for (row, entries) in self.indexed(index) {
            for entry in entries {
                let first: &Row = known.entry(&entry.key).or_insert(row);
                if first.key != row.key {
                    return Some((first, row));
                }
            }
        }
        None
    }
}
