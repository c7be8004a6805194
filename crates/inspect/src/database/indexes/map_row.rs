//! A row of a map with its index entries, as the engine of the runtime writes it.

use super::{DynamicIndex, program_field};
use crate::database::{DatabaseError, Reader, entry::row_key, location};
use keyscape_layout::{Record, model::KeyspaceId};
use keyscape_runtime::engine::{EntryList, Location, RowEntries};

/// A row of a map with the indexes that the layout computes.
pub(in crate::database) struct MapRow<'a> {
    reader: &'a Reader<'a>,
    map: KeyspaceId,
    record: &'a Record,
    key: Vec<u8>,
    indexes: Vec<DynamicIndex<'a>>,
    /// Whether the row is imported together with its entries.
    with_entries: bool,
}

impl<'a> MapRow<'a> {
    /// # Errors
    /// If only the program can compute an entry, unless the entries come with the row.
    pub(in crate::database) fn new(
        reader: &'a Reader<'a>,
        map: KeyspaceId,
        record: &'a Record,
        with_entries: bool,
    ) -> Result<Self, DatabaseError> {
        let layout = reader.layout();
        let mut indexes = Vec::new();
        for index in DynamicIndex::of_map(reader, map) {
            match program_field(layout, map, index.id()) {
                Some(_) if with_entries => continue,
                Some(field) => return Err(index.only_program(field)),
                None if index.keyspace().entry_value().is_none() => {
                    return Err(index.no_entry_value());
                }
                None => indexes.push(index),
            }
        }
        let key = row_key(layout, map, record)?;
        Ok(Self { reader, map, record, key, indexes, with_entries })
    }
}

impl RowEntries for MapRow<'_> {
    type Error = DatabaseError;

    fn location(&self) -> Location {
        location(self.reader.layout(), self.map)
    }

    fn key(&self) -> &[u8] {
        &self.key
    }

    fn has_indexes(&self) -> bool {
        !self.indexes.is_empty()
    }

    fn reads_value(&self) -> bool {
        self.indexes.iter().any(DynamicIndex::takes_value)
    }

    fn keeps_entries(&self) -> bool {
        self.with_entries
    }

    fn list_entries(
        &self,
        value: Option<&[u8]>,
        entries: &mut EntryList,
    ) -> Result<(), DatabaseError> {
        for index in &self.indexes {
            if value.is_none() && index.takes_value() {
                entries.skip();
                continue;
            }
            let found = match index.entries(self.record, value.unwrap_or_default()) {
                // The row was exported with a value that does not fit, and its entries, if any, as
                // well.
                Err(DatabaseError::Extract { .. }) if self.with_entries => {
                    entries.skip();
                    continue;
                }
                found => found?,
            };
            let is_unique = index.keyspace().unique;
            let location = location(self.reader.layout(), index.id());
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
