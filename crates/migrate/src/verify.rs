//! Compares databases after a migration.

use crate::{
    error::MigrateError,
    plan::Digest,
    runner::{Runner, open_spaces},
};
use keyscape_store::{Db, KeyRange, Read, ReadExt, StoreError, StoreId};

/// The maximum number of differences to list.
const LISTED: usize = 20;

/// A difference between a new database and the result of the migration.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Difference {
    /// The new row of an old row is missing.
    Missing {
        /// The space of the old row.
        space: String,
        /// The key of the old row.
        key: Vec<u8>,
    },
    /// The new row of an old row has another value.
    Value {
        /// The space of the new row.
        space: String,
        /// The key of the new row.
        key: Vec<u8>,
    },
    /// The new database has more rows than the migration makes.
    Rows {
        /// The number of rows that the migration makes.
        expected: u64,
        /// The number of rows that are not derived.
        found: u64,
    },
}

impl Runner<'_> {
    /// Compares the new row of every old row with a database. Calls `progress` for each row.
    /// Returns the first differences.
    ///
    /// Copying a queue writes the state of its items again, so a larger token is not a difference.
    ///
    /// # Errors
    /// [`MigrateError::Row`] if an old row cannot be migrated, and errors of the databases.
    pub fn verify_copy(
        &self,
        old: &Db,
        new: &Db,
        mut progress: impl FnMut(),
    ) -> Result<Vec<Difference>, MigrateError> {
        let (mut found, mut expected) = (Vec::new(), 0);
        let after = new.read()?;
        self.for_each_outcome(old, |(old_space, old_key, old_value), _, outcome| {
            progress();
            let stored = (old_space, old_key, old_value);
            let compared = self.with_image(outcome, stored, |space, key, value| {
                let found = after.get(StoreId::of(space), key)?;
                let difference = match found {
                    None => {
                        Difference::Missing { space: old_space.to_owned(), key: old_key.to_vec() }
                    }
                    Some(found) if found != value => {
                        Difference::Value { space: space.to_owned(), key: key.to_vec() }
                    }
                    Some(_) => return Ok(None),
                };
                Ok::<_, StoreError>(Some(difference))
            })?;
            if let Some(difference) = compared {
                expected += 1;
                found.extend(difference?.filter(|_| found.len() < LISTED));
            }
            Ok(())
        })?;
        let rows = self.digest_new(new, progress)?.rows();
        if rows != expected {
            found.push(Difference::Rows { expected, found: rows });
        }
        Ok(found)
    }

    /// Computes the digest of all rows of a database with the new layout that are not derived.
    ///
    /// # Errors
    /// Errors of the database.
    pub fn digest_new(&self, new: &Db, mut progress: impl FnMut()) -> Result<Digest, MigrateError> {
        let mut digest = Digest::default();
        let state = new.read()?;
        for space in open_spaces(new, &self.new_spaces()) {
            let mut rows = state.rows(StoreId::of(space), KeyRange::all())?;
            while let Some(row) = rows.next()? {
                progress();
                if !self.is_derived(space, row.key, row.value) {
                    digest.add(space, row.key, row.value);
                }
            }
        }
        Ok(digest)
    }
}
