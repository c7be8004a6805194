//! The entries that the rows of a map have in its indexes.

use super::{DatabaseError, entry::row_key, space_name};
use keyscape_layout::{
    Layout, Record, fields,
    model::{EntryValue, KeyspaceId, KeyspaceKind, Segment},
};
use keyscape_store::StoreId;

/// An entry of an index.
#[derive(Debug)]
pub(super) struct IndexEntry {
    pub(super) index: KeyspaceId,
    pub(super) store: StoreId,
    pub(super) key: Vec<u8>,
    pub(super) value: Vec<u8>,
}

/// The indexes of a map.
pub(super) fn indexes_of(layout: &Layout, map: KeyspaceId) -> Vec<KeyspaceId> {
    layout.keyspace_ids().filter(|&id| layout.keyspace(id).of == Some(map)).collect()
}

/// The indexes of a map that take fields from its values.
pub(crate) fn indexes_from_value(
    layout: &Layout,
    map: KeyspaceId,
) -> impl Iterator<Item = KeyspaceId> + '_ {
    indexes_of(layout, map).into_iter().filter(|&index| from_value(layout, index).is_some())
}

/// The first field that an index takes from values.
pub(super) fn from_value(layout: &Layout, index: KeyspaceId) -> Option<&str> {
    let taken = fields(&layout.keyspace(index).key).into_iter().find(|field| field.from_value);
    taken.map(|field| field.name.as_str())
}

/// The literals that all keys of a keyspace begin with.
fn literals(segments: &[Segment]) -> usize {
    let bytes = segments.iter().map_while(|segment| match segment {
        Segment::Literal(literal) => Some(literal.bytes.len()),
        Segment::Field(_) | Segment::Option(_) | Segment::Derived(_) => None,
    });
    bytes.sum()
}

/// The entries of a row in the indexes of its map whose fields all come from the key; those of others
/// are an error unless `lenient`.
pub(super) fn entries(
    layout: &Layout,
    map: KeyspaceId,
    key: &Record,
    lenient: bool,
) -> Result<Vec<IndexEntry>, DatabaseError> {
    let mut found = Vec::new();
    for index in indexes_of(layout, map) {
        if let Some(field) = from_value(layout, index) {
            if lenient {
                continue;
            }
            let (index, map) = (&layout.keyspace(index).name, &layout.keyspace(map).name);
            let (index, field, map) = (index.clone(), field.to_owned(), map.clone());
            return Err(DatabaseError::FromValue { index, field, map });
        }
        found.push(entry(layout, map, index, key)?);
    }
    Ok(found)
}

fn entry(
    layout: &Layout,
    map: KeyspaceId,
    index: KeyspaceId,
    key: &Record,
) -> Result<IndexEntry, DatabaseError> {
    let keyspace = layout.keyspace(index);
    let names = fields(&keyspace.key).into_iter().map(|field| &field.name);
    let carried = names.filter_map(|name| Some((name.clone(), key.get(name)?.clone())));
    let record = Record(carried.collect());
    let value = match keyspace.entry_value() {
        Some(EntryValue::OwnerKey) => {
            let owner = layout.keyspace(map);
            owner.encode(key)?.split_off(literals(&owner.key))
        }
        Some(EntryValue::Fixed(bytes)) => bytes.to_vec(),
        None => {
            let (index, map) = (keyspace.name.clone(), layout.keyspace(map).name.clone());
            return Err(DatabaseError::EntryValue { index, map });
        }
    };
    let store = StoreId::of(&space_name(layout, index));
    Ok(IndexEntry { index, store, key: row_key(layout, index, &record)?, value })
}

/// The stored key of the row that an entry stands for; `None` if the entry does not say it.
pub(super) fn owner_key(
    layout: &Layout,
    index: KeyspaceId,
    key: &Record,
    value: &[u8],
) -> Option<(KeyspaceId, Vec<u8>)> {
    let keyspace = layout.keyspace(index);
    let map = keyspace.of.filter(|_| keyspace.kind == KeyspaceKind::Index)?;
    let owner = layout.keyspace(map);
    let bytes = if keyspace.unique {
        let mut bytes: Vec<u8> = Vec::new();
        for segment in &owner.key {
            let Segment::Literal(literal) = segment else { break };
            bytes.extend_from_slice(&literal.bytes);
        }
        bytes.extend_from_slice(value);
        bytes
    } else {
        let names = fields(&owner.key).into_iter().map(|field| &field.name);
        let carried = names.filter_map(|name| Some((name.clone(), key.get(name)?.clone())));
        owner.encode(&Record(carried.collect())).ok()?
    };
    let structures = layout.store(owner.store).structures;
    Some((map, if structures { keyscape_runtime::record::row(&bytes) } else { bytes }))
}
