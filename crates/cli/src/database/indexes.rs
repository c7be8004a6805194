//! The entries that the rows of a map have in its indexes.

use super::{DatabaseError, Reader, RowFilter, Stored, entry::row_key, location, space_name};
use keyscape_layout::{
    Datum, Layout, Record, RowDatum, fields,
    model::{EntryValue, Field, KeyspaceId, KeyspaceKind, Leaf, RowValue, Segment, Type},
};
use keyscape_runtime::engine::{EntryList, Location, RowEntries};
use keyscape_store::{KeyRange, Read, ReadExt, StoreId};
use std::collections::BTreeSet;

/// Lists the indexes of a map.
fn indexes_of(layout: &Layout, map: KeyspaceId) -> impl Iterator<Item = KeyspaceId> + '_ {
    layout.keyspace_ids().filter(move |&id| layout.keyspace(id).of == Some(map))
}

/// Lists the indexes of a map whose entries only the program can compute.
pub(crate) fn program_indexes(
    layout: &Layout,
    map: KeyspaceId,
) -> impl Iterator<Item = KeyspaceId> + '_ {
    indexes_of(layout, map).filter(move |&index| program_field(layout, map, index).is_some())
}

/// Returns the first field of an index that only the program can take from a value.
fn program_field(layout: &Layout, map: KeyspaceId, index: KeyspaceId) -> Option<&str> {
    let value = layout.keyspace(map).value.as_ref();
    let mut taken = fields(&layout.keyspace(index).key).into_iter().filter(|f| f.from_value);
    taken.find(|field| !is_part_of(value, field)).map(|field| field.name.as_str())
}

/// Whether a field of an index is the value itself, or the part of the value with the same name.
fn is_part_of(value: Option<&RowValue>, field: &Field) -> bool {
    let Some(RowValue::Typed(typed)) = value else { return false };
    match &*typed.ty {
        Type::Composite(segments) => {
            let part = fields(segments).into_iter().find(|part| part.name == field.name);
            part.is_some_and(|part| same_values(&part.declared, &field.declared))
        }
        Type::Variant(_) | Type::List(_) => false,
        Type::Leaf(_) | Type::Enum(_) => same_values(&typed.ty, &field.declared),
    }
}

/// Whether two types have the same values: the same type, or integers of any width.
fn same_values(a: &Type, b: &Type) -> bool {
    match (a, b) {
        (Type::Leaf(a), Type::Leaf(b)) => {
            let is_integer = |leaf: &Leaf| leaf.codec.describe().int_type().is_some();
            a.codec.describe() == b.codec.describe() || (is_integer(a) && is_integer(b))
        }
        (Type::Enum(a), Type::Enum(b)) => a == b,
        _ => false,
    }
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
    /// [`DatabaseError::FromValue`] if only the program can compute an entry, unless the entries come
    /// with the row. [`DatabaseError::EntryValue`] if the value of an entry does not follow from the row.
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
        fields(&self.layout.keyspace(index).key).iter().any(|field| field.from_value)
    }

    /// Returns the fields of the entry of an index.
    fn entry_record(
        &self,
        index: KeyspaceId,
        value: Option<&[u8]>,
    ) -> Result<Record, DatabaseError> {
        let mut record = Record::default();
        for field in fields(&self.layout.keyspace(index).key) {
            let datum = if field.from_value {
                Some(self.part_of_value(&field.name, value.unwrap_or_default())?)
            } else {
                self.record.get(&field.name).cloned()
            };
            record.0.extend(datum.map(|datum| (field.name.clone(), datum)));
        }
        Ok(record)
    }

    fn part_of_value(&self, field: &str, value: &[u8]) -> Result<Datum, DatabaseError> {
        let datum = match self.reader.stored(self.map, value) {
            Stored::Value(RowDatum::Datum(Datum::Record(mut record))) => {
                let at = record.0.iter().position(|(name, _)| name == field);
                at.map(|at| record.0.swap_remove(at).1)
            }
            Stored::Value(RowDatum::Datum(datum)) => Some(datum),
            // The older form of a single value has the same values.
            Stored::Reads(RowDatum::Datum(datum @ Datum::Leaf(_))) => Some(datum),
            _ => None,
        };
        datum.ok_or_else(|| DatabaseError::OldValue {
            map: self.layout.keyspace(self.map).name.clone(),
            field: field.to_owned(),
        })
    }
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
            let held = match self.layout.keyspace(index).entry_value() {
                Some(EntryValue::OwnerKey) => {
                    let owner = self.layout.keyspace(self.map);
                    owner.encode(self.record)?.split_off(literals(&owner.key).len())
                }
                Some(EntryValue::Fixed(bytes)) => bytes.to_vec(),
                None => continue,
            };
            let is_unique = self.layout.keyspace(index).unique;
            let record = match self.entry_record(index, value) {
                // The row was exported with a value that does not fit, and its entry, if any, as well.
                Err(DatabaseError::OldValue { .. }) if self.with_entries => {
                    entries.skip();
                    continue;
                }
                record => record?,
            };
            entries.add(location(self.layout, index), is_unique, &held, |key| {
                key.extend_from_slice(&row_key(self.layout, index, &record)?);
                Ok::<_, DatabaseError>(())
            })?;
        }
        Ok(())
    }
}

/// Returns the literals that all keys of a keyspace begin with. Entries of unique indexes omit them.
fn literals(segments: &[Segment]) -> Vec<u8> {
    let bytes = segments.iter().map_while(|segment| match segment {
        Segment::Literal(literal) => Some(&literal.bytes[..]),
        Segment::Field(_) | Segment::Option(_) | Segment::Derived(_) => None,
    });
    bytes.collect::<Vec<_>>().concat()
}

/// Returns the stored key of the row of an entry, if the entry contains it.
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
        [&literals(&owner.key)[..], value].concat()
    } else {
        let names = fields(&owner.key).into_iter().map(|field| &field.name);
        let carried = names.filter_map(|name| Some((name.clone(), key.get(name)?.clone())));
        owner.encode(&Record(carried.collect())).ok()?
    };
    let structures = layout.store(owner.store).structures;
    Some((map, if structures { keyscape_runtime::record::row(&bytes) } else { bytes }))
}

/// An index that does not agree with its map after an import.
#[derive(Debug)]
pub(crate) struct IndexMismatch {
    pub(crate) index: String,
    pub(crate) map: String,
    /// Entries without a row.
    pub(crate) without_row: u64,
    /// The number of rows of the map, and of entries of the index.
    pub(crate) rows: u64,
    pub(crate) entries: u64,
}

/// Compares indexes with their maps: every entry must have a row, and there must be as many entries as
/// rows. Fields from values are not compared, because only the program can decode them.
pub(crate) fn check_entries(
    layout: &Layout,
    reader: &Reader<'_>,
    state: &impl Read,
    touched: &BTreeSet<KeyspaceId>,
) -> Result<Vec<IndexMismatch>, DatabaseError> {
    let mut astray = Vec::new();
    for &index in touched {
        let keyspace = layout.keyspace(index);
        let Some(map) = keyspace.of else { continue };
        let owners = StoreId::of(&space_name(layout, map));
        let (mut entries, mut without_row) = (0, 0);
        each(layout, reader, state, index, |key, value| {
            entries += 1;
            let owner = owner_key(layout, index, key, value);
            let there = match owner {
                Some((_, owner)) => state.contains(owners, &owner)?,
                None => false,
            };
            without_row += u64::from(!there);
            Ok(())
        })?;
        let mut rows = 0;
        each(layout, reader, state, map, |_, _| {
            rows += 1;
            Ok(())
        })?;
        if without_row > 0 || rows != entries {
            let (index, map) = (keyspace.name.clone(), layout.keyspace(map).name.clone());
            astray.push(IndexMismatch { index, map, without_row, rows, entries });
        }
    }
    Ok(astray)
}

/// Calls `visit` with each row of a keyspace.
fn each(
    layout: &Layout,
    reader: &Reader<'_>,
    state: &impl Read,
    id: KeyspaceId,
    mut visit: impl FnMut(&Record, &[u8]) -> Result<(), DatabaseError>,
) -> Result<(), DatabaseError> {
    let space = space_name(layout, id);
    let all = RowFilter::all(id).prefix(layout)?;
    let mut rows = state.rows(StoreId::of(&space), KeyRange::prefix(&all))?;
    while let Some(row) = rows.next()? {
        match reader.read(&space, row.key, row.value) {
            Ok(entry) if entry.keyspace == id => visit(&entry.key, row.value)?,
            _ => {}
        }
    }
    Ok(())
}
