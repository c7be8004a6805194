//! The entries that the rows of a map have in its indexes.

mod build;
mod source;
mod wire;

pub use build::{Compared, DynamicIndex, DynamicIndexes, IndexFault};

use super::{DatabaseError, Reader, entry::row_key, location};
use keyscape_layout::{
    Datum, Layout, Record, fields,
    model::{EntryValue, KeyspaceId, KeyspaceKind, Segment},
};
use keyscape_runtime::engine::{EntryList, Location, RowEntries};

/// Lists the indexes of a map.
pub fn indexes_of(layout: &Layout, map: KeyspaceId) -> impl Iterator<Item = KeyspaceId> + '_ {
    layout.keyspace_ids().filter(move |&id| layout.keyspace(id).of == Some(map))
}

/// Lists the indexes of a map whose entries only the program can compute.
pub fn program_indexes(layout: &Layout, map: KeyspaceId) -> impl Iterator<Item = KeyspaceId> + '_ {
    indexes_of(layout, map).filter(move |&index| program_field(layout, map, index).is_some())
}

/// Returns the first field of an index that only the program can take from a value.
pub(super) fn program_field(layout: &Layout, map: KeyspaceId, index: KeyspaceId) -> Option<&str> {
    let value = layout.keyspace(map).value.as_ref();
    let mut taken = fields(&layout.keyspace(index).key).into_iter().filter(|f| f.is_from_value());
    taken.find(|field| field.value_source(value).is_none()).map(|field| field.name.as_str())
}

/// A row of a map, as the engine writes it.
pub(super) struct MapRow<'a> {
    layout: &'a Layout,
    reader: &'a Reader<'a>,
    map: KeyspaceId,
    record: &'a Record,
    key: Vec<u8>,
    indexes: Vec<KeyspaceId>,
    /// Whether the row is imported together with its entries.
    with_entries: bool,
}

impl<'a> MapRow<'a> {
    /// # Errors
    /// [`DatabaseError::FromValue`] if only the program can compute an entry, unless the entries
    /// come with the row. [`DatabaseError::EntryValue`] if the value of an entry does not follow
    /// from the row.
    pub(super) fn new(
        layout: &'a Layout,
        reader: &'a Reader<'a>,
        map: KeyspaceId,
        record: &'a Record,
        with_entries: bool,
    ) -> Result<Self, DatabaseError> {
        let name = |id| layout.keyspace(id).name.clone();
        let mut indexes = Vec::new();
        for index in indexes_of(layout, map) {
            match program_field(layout, map, index) {
                Some(_) if with_entries => continue,
                Some(field) => {
                    let (index, map) = (name(index), name(map));
                    return Err(DatabaseError::FromValue { index, field: field.to_owned(), map });
                }
                None => {}
            }
            if layout.keyspace(index).entry_value().is_none() {
                return Err(DatabaseError::EntryValue { index: name(index), map: name(map) });
            }
            indexes.push(index);
        }
        let key = row_key(layout, map, record)?;
        Ok(Self { layout, reader, map, record, key, indexes, with_entries })
    }

    fn takes_value(&self, index: KeyspaceId) -> bool {
        takes_value(self.layout, index)
    }
}

/// Whether an index takes a field from the values of its map.
pub(super) fn takes_value(layout: &Layout, index: KeyspaceId) -> bool {
    fields(&layout.keyspace(index).key).iter().any(|field| field.is_from_value())
}

/// A row of a map whose entries are computed.
#[derive(Clone, Copy, Debug)]
pub struct SourceRow<'a> {
    pub map: KeyspaceId,
    pub key: &'a Record,
    /// Needed if an index takes a field from the value.
    pub value: &'a [u8],
}

/// The entries that a row has in an index.
#[derive(Debug)]
pub struct RowIndexEntries {
    /// The stored keys, sorted, each once.
    pub keys: Vec<Vec<u8>>,
    /// The value of each entry.
    pub value: Vec<u8>,
}

/// Computes the entries that a row has in an index.
///
/// # Errors
/// [`DatabaseError::FromValue`] if only the program can compute the entries,
/// [`DatabaseError::EntryValue`] if the value of an entry does not follow from the row,
/// [`DatabaseError::OldValue`] if the value of the row lacks a field, and
/// [`DatabaseError::Extract`] if it does not provide the field at the path of the layout.
pub fn entries_of(
    layout: &Layout,
    reader: &Reader<'_>,
    index: KeyspaceId,
    row: SourceRow<'_>,
) -> Result<RowIndexEntries, DatabaseError> {
    let name = |id| layout.keyspace(id).name.clone();
    let value = match layout.keyspace(index).entry_value() {
        Some(EntryValue::OwnerKey) => {
            let owner = layout.keyspace(row.map);
            owner.encode(row.key)?.split_off(literals(&owner.key).len())
        }
        Some(EntryValue::Fixed(bytes)) => bytes.to_vec(),
        None => return Err(DatabaseError::EntryValue { index: name(index), map: name(row.map) }),
    };
    let mut records = vec![Record::default()];
    for field in fields(&layout.keyspace(index).key) {
        if !field.is_from_value() {
            let datum = row.key.get(&field.name);
            for record in &mut records {
                record.0.extend(datum.map(|datum| (field.name.clone(), datum.clone())));
            }
            continue;
        }
        let values = source::values(layout, reader, index, field, row)?;
        records = combinations(&records, &field.name, &values);
    }
    let keys = records.iter().map(|record| row_key(layout, index, record));
    let mut keys = keys.collect::<Result<Vec<_>, _>>()?;
    keys.sort_unstable();
    keys.dedup();
    Ok(RowIndexEntries { keys, value })
}

/// Adds each value of a field to each record. Only one field of an index has several values.
fn combinations(records: &[Record], field: &str, values: &[Datum]) -> Vec<Record> {
    let with = |(record, value): (&Record, &Datum)| {
        let mut record = record.clone();
        record.0.push((field.to_owned(), value.clone()));
        record
    };
    records
        .iter()
        .flat_map(|record| values.iter().map(move |value| (record, value)))
        .map(with)
        .collect()
}

impl RowEntries for MapRow<'_> {
    type Error = DatabaseError;

    fn location(&self) -> Location {
        location(self.layout, self.map)
    }

    fn key(&self) -> &[u8] {
        &self.key
    }

    fn has_indexes(&self) -> bool {
        !self.indexes.is_empty()
    }

    fn reads_value(&self) -> bool {
        self.indexes.iter().any(|&index| self.takes_value(index))
    }

    fn keeps_entries(&self) -> bool {
        self.with_entries
    }

    fn list_entries(
        &self,
        value: Option<&[u8]>,
        entries: &mut EntryList,
    ) -> Result<(), DatabaseError> {
        for &index in &self.indexes {
            if value.is_none() && self.takes_value(index) {
                entries.skip();
                continue;
            }
            let row =
                SourceRow { map: self.map, key: self.record, value: value.unwrap_or_default() };
            let found = match entries_of(self.layout, self.reader, index, row) {
                // The row was exported with a value that does not fit, and its entries, if any, as
                // well.
                Err(DatabaseError::OldValue { .. } | DatabaseError::Extract { .. })
                    if self.with_entries =>
                {
                    entries.skip();
                    continue;
                }
                found => found?,
            };
            let is_unique = self.layout.keyspace(index).unique;
            let location = location(self.layout, index);
            entries.add_index(location, is_unique, &found.value, |entries| {
                found.keys.iter().try_for_each(|key| {
                    entries.add_key(|out| {
                        out.extend_from_slice(key);
                        Ok::<_, DatabaseError>(())
                    })
                })
            })?;
        }
        Ok(())
    }
}

/// Returns the literals that all keys of a keyspace begin with. Entries of unique indexes omit
/// them.
fn literals(segments: &[Segment]) -> Vec<u8> {
    let bytes = segments.iter().map_while(|segment| match segment {
        Segment::Literal(literal) => Some(&literal.bytes[..]),
        Segment::Field(_) | Segment::Option(_) | Segment::Derived(_) => None,
    });
    bytes.collect::<Vec<_>>().concat()
}

/// Returns the stored key of the row of an entry, if the entry contains it.
pub fn owner_key(
    layout: &Layout,
    index: KeyspaceId,
    key: &Record,
    value: &[u8],
) -> Option<(KeyspaceId, Vec<u8>)> {
    let keyspace = layout.keyspace(index);
    let map = keyspace.of.filter(|_| keyspace.kind == KeyspaceKind::Index)?;
    let owner = layout.keyspace(map);
    let bytes = if keyspace.unique {
        [&literals(&owner.key)[..], value].concat()
    } else {
        let names = fields(&owner.key).into_iter().map(|field| &field.name);
        let carried = names.filter_map(|name| Some((name.clone(), key.get(name)?.clone())));
        owner.encode(&Record(carried.collect())).ok()?
    };
    let structures = layout.store(owner.store).structures;
    Some((map, if structures { keyscape_runtime::record::row(&bytes) } else { bytes }))
}
