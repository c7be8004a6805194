//! Lists the rows of a keyspace.

use super::{Body, DatabaseError, Entry, OpenDatabase, RowFilter, Stored, space_name};
use keyscape_layout::EncodeError;
use keyscape_store::{Direction, KeyRange, Read, StoreId};
use std::ops::{Bound, ControlFlow};

/// A listing of selected rows, in one direction, after a key.
#[derive(Debug)]
pub struct Listing<'a> {
    pub wanted: &'a RowFilter,
    pub direction: Direction,
    /// The stored key after which the listing begins.
    pub after: Option<&'a [u8]>,
}

/// The number of rows that contradict the layout.
#[derive(Clone, Copy, Debug, Default)]
pub struct Faults {
    /// Rows that belong to no keyspace.
    pub unknown: u64,
    /// Values that do not have the form of the layout.
    pub values: u64,
}

impl Listing<'_> {
    /// Passes each row with its stored key to `visit`.
    ///
    /// # Errors
    /// Returns errors of the database, and the first error of `visit`.
    pub fn each<E: From<DatabaseError>>(
        &self,
        base: &OpenDatabase<'_>,
        prefix: &[u8],
        mut visit: impl FnMut(&[u8], Entry) -> Result<ControlFlow<()>, E>,
    ) -> Result<Faults, E> {
        base.refuse_unbuilt(self.wanted.keyspace)?;
        let space = space_name(base.layout, self.wanted.keyspace);
        let state = base.db.read().map_err(DatabaseError::from)?;
        let (low, high) = self.wanted.interval(base.layout, prefix);
        let high = high.as_deref().map_or(Bound::Unbounded, Bound::Excluded);
        let range = KeyRange::new(Bound::Included(&low), high).with_direction(self.direction);
        let range = match self.after {
            Some(key) => range.after(key),
            None => range,
        };
        let mut faults = Faults::default();
        let mut rows = state.rows(StoreId::of(&space), range).map_err(DatabaseError::from)?;
        while let Some(row) = rows.next().map_err(DatabaseError::from)? {
            let Ok(entry) = base.reader.read(&space, row.key, row.value) else {
                faults.unknown += 1;
                continue;
            };
            if !self.wanted.has(base.layout, &entry) {
                continue;
            }
            faults.note(&entry);
            if visit(row.key, entry)?.is_break() {
                break;
            }
        }
        Ok(faults)
    }

    /// Returns the prefix of the stored keys of the rows.
    pub fn prefix(&self, base: &OpenDatabase<'_>) -> Result<Vec<u8>, EncodeError> {
        self.wanted.prefix(base.layout)
    }
}

impl Faults {
    /// Counts the value of an entry if it does not have the form of the layout.
    pub fn note(&mut self, entry: &Entry) {
        let (Body::Row(value) | Body::Field { value, .. }) = &entry.body else { return };
        self.values += u64::from(matches!(value, Stored::Raw(_)));
    }
}
