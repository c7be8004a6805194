//! Builds and checks an index with a layout instead of generated code.

use super::{DynamicIndex, IndexFault};
use crate::database::{DatabaseError, RowFilter};
use keyscape_diagnostics::bytes::hex;
use keyscape_store::{
    BuildError, BuildPhase, IndexSource, Read, ReadExt, Row, StoreError, StoreId, Tx,
};
use std::borrow::Cow;

impl IndexSource for DynamicIndex<'_> {
    fn rows(&self, state: &dyn Read) -> Result<u64, StoreError> {
        let mut count = 0;
        self.reader.each(state, self.map, |_, _| {
            count += 1;
            Ok::<_, StoreError>(())
        })?;
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
        let (id, space) = match phase {
            BuildPhase::Clear => (self.index, &self.space),
            BuildPhase::Fill => (self.map, &self.map_space),
        };
        Ok((StoreId::of(space), RowFilter::all(id).prefix(self.layout())?.into()))
    }

    fn visit(&self, tx: &mut Tx<'_>, phase: BuildPhase, row: Row<'_>) -> Result<(), BuildError> {
        match phase {
            BuildPhase::Clear => self.clear(tx, row)?,
            BuildPhase::Fill => self.fill(tx, row)?,
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

impl DynamicIndex<'_> {
    /// Compares all rows of the map with their entries, and all entries with their rows.
    pub fn compare(
        &self,
        state: &dyn Read,
        visit: &mut dyn FnMut(Compared),
    ) -> Result<(), DatabaseError> {
        self.reader.each(state, self.map, |row, entry| {
            let faults = self.row_faults(state, &entry.key, row.value)?;
            visit(Compared { is_entry: false, faults });
            Ok::<_, DatabaseError>(())
        })?;
        self.reader.each(state, self.index, |row, entry| {
            let fault = self.entry_fault(state, &entry.key, row.key, row.value)?;
            let faults = fault.map(|fault| (fault, row.key.to_vec())).into_iter().collect();
            visit(Compared { is_entry: true, faults });
            Ok(())
        })
    }

    /// Deletes an entry that no row has.
    fn clear(&self, tx: &mut Tx<'_>, row: Row<'_>) -> Result<(), DatabaseError> {
        let entry = self.reader.read(&self.space, row.key, row.value);
        if let Ok(entry) = entry
            && entry.keyspace == self.index
            && self.entry_fault(tx, &entry.key, row.key, row.value)?.is_some()
        {
            tx.delete(StoreId::of(&self.space), row.key)?;
        }
        Ok(())
    }

    /// Puts the entries of a row that are not right.
    fn fill(&self, tx: &mut Tx<'_>, row: Row<'_>) -> Result<(), DatabaseError> {
        let Some(fields) = self.map_key(row.key, row.value) else { return Ok(()) };
        let entries = self.entries(&fields, row.value)?;
        let store = StoreId::of(&self.space);
        for key in &entries.keys {
            match tx.get(store, key)? {
                Some(found) if found == entries.value => {}
                // Entries without a row are deleted by now, so the entry belongs to another row.
                Some(found) if self.keyspace().unique => {
                    return Err(DatabaseError::NotUnique {
                        index: self.keyspace().name.clone(),
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
