//! Builds and checks an index with a layout instead of generated code.

use super::{DynamicIndex, RowIndexEntries, program_field};
use crate::database::{DatabaseError, RowFilter, SourceValue, write::of_stored_value};
use keyscape_diagnostics::bytes::hex;
use keyscape_layout::Record;
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
        self.reader.each(state, self.map, |row, entry| {
            for (fault, key) in self.row_faults(state, &entry.key, row.value)? {
                found(row.key, &fault.describe(Some(&key)));
            }
            Ok::<_, DatabaseError>(())
        })?;
        self.reader.each(state, self.index, |row, entry| {
            if let Some(fault) = self.entry_fault(state, &entry.key, row.key, row.value)? {
                found(row.key, &fault.describe(None));
            }
            Ok::<_, DatabaseError>(())
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

impl DynamicIndex<'_> {
    /// Checks that the index can be built without the program, in bounded memory. Two rows with the
    /// same entry in a unique index are found only if one of them already has that entry.
    ///
    /// # Errors
    /// If only the program can compute the entries of all rows, or of a row in an older form, if
    /// the value of a row does not provide a field, or if an entry of a unique index belongs to
    /// another row.
    pub fn check_buildable(&self, state: &dyn Read) -> Result<(), DatabaseError> {
        let by_program = |error: DatabaseError| {
            let help = "build it with the program: open the database with `build_indexes()`";
            DatabaseError::new(error.to_string(), help)
        };
        if let Some(field) = program_field(self.layout(), self.map, self.index) {
            return Err(by_program(self.only_program(field)));
        }
        if self.keyspace().entry_value().is_none() {
            return Err(self.no_entry_value());
        }
        let is_unique = self.keyspace().unique;
        if !self.takes_value() && !is_unique {
            return Ok(());
        }
        self.reader.each(state, self.map, |row, entry| {
            let entries = self.entries(&entry.key, row.value).map_err(|error| match error {
                DatabaseError::Extract { value: SourceValue::Older, .. } => by_program(error),
                error => of_stored_value(error),
            })?;
            if is_unique { self.check_unique(state, &entries) } else { Ok(()) }
        })
    }

    /// Checks that no entry of a row of a unique index belongs to another row.
    fn check_unique(
        &self,
        state: &dyn Read,
        entries: &RowIndexEntries,
    ) -> Result<(), DatabaseError> {
        for key in &entries.keys {
            let Some(found) = state.get(StoreId::of(&self.space), key)? else { continue };
            // The value of a unique entry is the key of its row, so its fields are not needed.
            if found != entries.value
                && self.entry_fault(state, &Record::default(), key, &found)?.is_none()
            {
                return Err(self.not_unique(key, &found));
            }
        }
        Ok(())
    }

    /// Returns the error of an entry that belongs to another row.
    fn not_unique(&self, key: &[u8], owner: &[u8]) -> DatabaseError {
        DatabaseError::NotUnique {
            index: self.keyspace().name.clone(),
            entry: format!("0x{}", hex(key)),
            owner: format!("0x{}", hex(owner)),
        }
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
                Some(found) if self.keyspace().unique => return Err(self.not_unique(key, &found)),
                Some(found) if self.is_older_form(&found) => {}
                _ => tx.put(store, key, &entries.value)?,
            }
        }
        Ok(())
    }
}
