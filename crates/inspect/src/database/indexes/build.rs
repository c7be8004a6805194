//! Builds indexes with a layout instead of generated code.

use super::{SourceRow, entries_of, owner_key, program_field};
use crate::database::{DatabaseError, Reader, RowFilter, Stored, space_name};
use keyscape_diagnostics::bytes::hex;
use keyscape_layout::{
    Layout, Record, fields,
    model::{KeyspaceId, Take},
};
use keyscape_store::{
    BuildError, BuildPhase, IndexInfo, IndexSource, KeyRange, Read, ReadExt, Row, StoreError,
    StoreId, Tx,
};
use std::borrow::Cow;

/// The indexes of a layout.
#[derive(Debug)]
pub struct DynamicIndexes<'a> {
    indexes: Vec<DynamicIndex<'a>>,
}

/// One index, which a layout describes.
#[derive(Debug)]
pub struct DynamicIndex<'a> {
    layout: &'a Layout,
    reader: &'a Reader<'a>,
    index: KeyspaceId,
    map: KeyspaceId,
    /// The spaces of the entries and of the map.
    space: String,
    map_space: String,
}

impl<'a> DynamicIndexes<'a> {
    /// Lists the indexes of a layout.
    pub fn new(layout: &'a Layout, reader: &'a Reader<'a>) -> Self {
        let indexes = layout.keyspace_ids().filter_map(|index| {
            let map = layout.keyspace(index).of?;
            let (space, map_space) = (space_name(layout, index), space_name(layout, map));
            Some(DynamicIndex { layout, reader, index, map, space, map_space })
        });
        Self { indexes: indexes.collect() }
    }

    /// Lists the indexes.
    pub fn iter(&self) -> impl Iterator<Item = &DynamicIndex<'a>> {
        self.indexes.iter()
    }

    /// Passes the indexes to `run` in the form of the store.
    pub fn lend<T>(&self, run: impl FnOnce(&[IndexInfo<'_>]) -> T) -> T {
        let infos = self.indexes.iter().map(|index| IndexInfo {
            space: &index.space,
            name: &index.layout.keyspace(index.index).name,
            source: index,
        });
        run(&infos.collect::<Vec<_>>())
    }
}

/// A difference between an index and its map.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum IndexFault {
    /// A row lacks an entry.
    Missing,
    /// The entry of a row has a wrong value, such as the key of another row.
    Wrong,
    /// The row of an entry does not exist.
    Dangling,
    /// The row of an entry has other entries.
    Stale,
}

impl IndexSource for DynamicIndex<'_> {
    fn rows(&self, state: &dyn Read) -> Result<u64, StoreError> {
        let Ok(prefix) = RowFilter::all(self.map).prefix(self.layout) else { return Ok(0) };
        let mut rows = state.rows(StoreId::of(&self.map_space), KeyRange::prefix(&prefix))?;
        let mut count = 0;
        while let Some(row) = rows.next()? {
            count += u64::from(self.key(self.map, &self.map_space, row.key, row.value).is_some());
        }
        Ok(count)
    }

    fn check(
        &self,
        state: &dyn Read,
        found: &mut dyn FnMut(&[u8], &str),
    ) -> Result<(), BuildError> {
        self.compare(state, &mut |compared| {
            for (fault, key) in compared.faults {
                found(&key, fault.words());
            }
        })?;
        Ok(())
    }

    fn prefix(&self, phase: BuildPhase) -> Result<(StoreId, Cow<'_, [u8]>), BuildError> {
        let (id, space) = self.visited(phase);
        Ok((StoreId::of(space), RowFilter::all(id).prefix(self.layout)?.into()))
    }

    fn visit(&self, tx: &mut Tx<'_>, phase: BuildPhase, row: Row<'_>) -> Result<(), BuildError> {
        let (id, space) = self.visited(phase);
        let Some(key) = self.key(id, space, row.key, row.value) else { return Ok(()) };
        match phase {
            BuildPhase::Clear => self.clear(tx, &key, row.key, row.value)?,
            BuildPhase::Fill => self.fill(tx, &key, row.value)?,
        }
        Ok(())
    }
}

/// A row of the map or an entry that was compared.
#[derive(Debug)]
pub struct Compared {
    pub is_entry: bool,
    /// The differences, each with the key of the entry.
    pub faults: Vec<(IndexFault, Vec<u8>)>,
}

impl IndexFault {
    /// Describes entries with this difference.
    pub const fn words(self) -> &'static str {
        match self {
            Self::Missing => "missing entries",
            Self::Wrong => "entries with a wrong value",
            Self::Dangling => "entries without a row",
            Self::Stale => "entries of rows that have another entry",
        }
    }
}

impl DynamicIndex<'_> {
    /// Returns the keyspace and the space that a phase visits.
    fn visited(&self, phase: BuildPhase) -> (KeyspaceId, &str) {
        match phase {
            BuildPhase::Clear => (self.index, &self.space),
            BuildPhase::Fill => (self.map, &self.map_space),
        }
    }

    /// Compares all rows of the map with their entries, and all entries with their rows.
    pub fn compare(
        &self,
        state: &dyn Read,
        visit: &mut dyn FnMut(Compared),
    ) -> Result<(), DatabaseError> {
        let all = |id: KeyspaceId| RowFilter::all(id).prefix(self.layout);
        let prefix = all(self.map)?;
        let mut rows = state.rows(StoreId::of(&self.map_space), KeyRange::prefix(&prefix))?;
        while let Some(row) = rows.next()? {
            if let Some(fields) = self.key(self.map, &self.map_space, row.key, row.value) {
                let faults = self.row_faults(state, &fields, row.value)?;
                visit(Compared { is_entry: false, faults });
            }
        }
        let prefix = all(self.index)?;
        let mut rows = state.rows(StoreId::of(&self.space), KeyRange::prefix(&prefix))?;
        while let Some(row) = rows.next()? {
            if let Some(fields) = self.key(self.index, &self.space, row.key, row.value) {
                let fault = self.entry_fault(state, &fields, row.key, row.value)?;
                let faults = fault.map(|fault| (fault, row.key.to_vec())).into_iter().collect();
                visit(Compared { is_entry: true, faults });
            }
        }
        Ok(())
    }

    /// Returns the fields of a key of one keyspace.
    fn key(&self, id: KeyspaceId, space: &str, key: &[u8], value: &[u8]) -> Option<Record> {
        let entry = self.reader.read(space, key, value).ok()?;
        (entry.keyspace == id).then_some(entry.key)
    }

    /// Deletes an entry that no row has.
    fn clear(
        &self,
        tx: &mut Tx<'_>,
        fields: &Record,
        key: &[u8],
        value: &[u8],
    ) -> Result<(), DatabaseError> {
        if self.entry_fault(tx, fields, key, value)?.is_some() {
            tx.delete(StoreId::of(&self.space), key)?;
        }
        Ok(())
    }

    /// Returns the index.
    pub const fn id(&self) -> KeyspaceId {
        self.index
    }

    /// Returns the map.
    pub const fn map(&self) -> KeyspaceId {
        self.map
    }

    /// Whether only the program can compute entries.
    pub fn needs_program(&self) -> bool {
        program_field(self.layout, self.map, self.index).is_some()
            || self.layout.keyspace(self.index).entry_value().is_none()
    }

    /// Whether each row has exactly one entry.
    pub fn has_entry_per_row(&self) -> bool {
        let own = fields(&self.layout.keyspace(self.index).key).into_iter();
        own.filter_map(|field| field.from_value.as_ref()).all(|from| from.take == Take::One)
    }

    /// Compares an entry with the row that it belongs to. Entries that only the program can compute
    /// are right if their row exists.
    pub fn entry_fault(
        &self,
        state: &dyn Read,
        fields: &Record,
        key: &[u8],
        value: &[u8],
    ) -> Result<Option<IndexFault>, DatabaseError> {
        let Some((map, owner)) = owner_key(self.layout, self.index, fields, value) else {
            return Ok(Some(IndexFault::Dangling));
        };
        let Some(row) = state.get(StoreId::of(&self.map_space), &owner)? else {
            return Ok(Some(IndexFault::Dangling));
        };
        let Some(fields) = self.key(map, &self.map_space, &owner, &row) else {
            return Ok(Some(IndexFault::Dangling));
        };
        if self.needs_program() {
            return Ok(None);
        }
        let row = SourceRow { map, key: &fields, value: &row };
        match entries_of(self.layout, self.reader, self.index, row) {
            Ok(entries) if entries.keys.iter().any(|entry| entry == key) => Ok(None),
            _ => Ok(Some(IndexFault::Stale)),
        }
    }

    /// Compares a row with its entries. Rows whose entries cannot be computed have no fault.
    pub fn row_faults(
        &self,
        state: &dyn Read,
        fields: &Record,
        value: &[u8],
    ) -> Result<Vec<(IndexFault, Vec<u8>)>, DatabaseError> {
        let row = SourceRow { map: self.map, key: fields, value };
        let entries = match entries_of(self.layout, self.reader, self.index, row) {
            Ok(entries) => entries,
            Err(DatabaseError::Store(error)) => return Err(error.into()),
            Err(_) => return Ok(Vec::new()),
        };
        let mut faults = Vec::new();
        for key in entries.keys {
            match state.get(StoreId::of(&self.space), &key)? {
                None => faults.push((IndexFault::Missing, key)),
                Some(found) if found == entries.value || self.is_older_form(&found) => {}
                Some(_) => faults.push((IndexFault::Wrong, key)),
            }
        }
        Ok(faults)
    }

    /// Whether the value of an entry is right in an older form. Unique entries have no older form.
    fn is_older_form(&self, found: &[u8]) -> bool {
        let is_unique = self.layout.keyspace(self.index).unique;
        !is_unique && !matches!(self.reader.stored(self.index, found), Stored::Raw(_))
    }

    /// Puts the entries of a row that are not right.
    fn fill(&self, tx: &mut Tx<'_>, fields: &Record, value: &[u8]) -> Result<(), DatabaseError> {
        let row = SourceRow { map: self.map, key: fields, value };
        let entries = entries_of(self.layout, self.reader, self.index, row)?;
        let store = StoreId::of(&self.space);
        let is_unique = self.layout.keyspace(self.index).unique;
        for key in &entries.keys {
            match tx.get(store, key)? {
                Some(found) if found == entries.value => {}
                // Entries without a row are deleted by now, so the entry belongs to another row.
                Some(found) if is_unique => {
                    return Err(DatabaseError::NotUnique {
                        index: self.layout.keyspace(self.index).name.clone(),
                        entry: format!("0x{}", hex(key)),
                        owner: format!("0x{}", hex(&found)),
                    });
                }
                Some(found) if self.is_older_form(&found) => {}
                _ => tx.put(store, key, &entries.value)?,
            }
        }
        Ok(())
    }
}
