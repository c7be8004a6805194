//! Compares databases after a migration.

use crate::{
    error::MigrateError,
    image::Outcome,
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
        /// The number of rows in the new database, without derived rows and counters of tokens.
        found: u64,
    },
}

impl Runner<'_> {
    /// Compares the new row of every old row with a database. Calls `progress` for each row.
    /// Returns the first differences.
    ///
    /// The counter of a queue's tokens may be larger than that of an old queue, because several
    /// queues can become one.
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
        self.for_each_outcome(old, |stored, _, outcome| {
            progress();
            let (old_space, old_key, old_value) = stored;
            let mut compare = |space: &str, key: &[u8], is_same: &dyn Fn(&[u8]) -> bool| {
                let missing =
                    || Difference::Missing { space: old_space.to_owned(), key: old_key.to_vec() };
                let other = || Difference::Value { space: space.to_owned(), key: key.to_vec() };
                let difference = match after.get(StoreId::of(space), key)? {
                    Some(value) => (!is_same(&value)).then(other),
                    None => Some(missing()),
                };
                found.extend(difference.filter(|_| found.len() < LISTED));
                Ok::<_, StoreError>(())
            };
            let compared = self.with_image(outcome, stored, |space, key, value| {
                compare(space, key, &|found| found == value)
            })?;
            if let Some(compared) = compared {
                expected += 1;
                compared?;
            }
            match outcome {
                Outcome::Keep { is_in_digest: false } => {
                    compare(old_space, old_key, &|found| found == old_value)?;
                }
                Outcome::Counters(counters) => {
                    for counter in counters {
                        let row = self.stored(counter)?;
                        compare(&row.space, &row.key, &|found| found >= &*row.value)?;
                    }
                }
                _ => {}
            }
            Ok(())
        })?;
        let rows = self.digest_new(new, progress)?.rows();
        if rows != expected {
            found.push(Difference::Rows { expected, found: rows });
        }
        Ok(found)
    }

    /// Computes the digest of the rows of a database with the new layout. The digest contains
    /// neither derived rows nor the counters of tokens.
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
                if self.is_in_digest(space, row.key, row.value) {
                    digest.add(space, row.key, row.value);
                }
            }
        }
        Ok(digest)
    }
}
