//! Copies to another database.
//!
//! The old database is only read. The rows of a batch and the position after it are one commit in
//! the new one.

use crate::{
    error::{MigrateError, RowProblem},
    image::Outcome,
    in_place::{next_position, read_batch},
    plan::{Ended, Runner},
    position::{Phase, Position},
};
use keyscape_inspect::database::{Body, DatabaseError, Entry, Writer};
use keyscape_runtime::record::Family;
use keyscape_store::{Db, KeyRange, Mode, Read, ReadExt, SavedMigration, Snapshot, StoreId, Tx};

impl Runner<'_> {
    /// Copies the new rows of a database to an empty one, or continues a copy that was interrupted.
    /// Calls `progress` for each row.
    ///
    /// # Errors
    /// [`MigrateError::Row`] if a row cannot be migrated, and errors of the databases. The old
    /// database does not change.
    pub fn run_copy(
        &self,
        old: &Db,
        new: &Db,
        mut progress: impl FnMut(),
    ) -> Result<Ended, MigrateError> {
        Self::check_spaces(new, &self.new_spaces())?;
        let continued = match self.running(new)? {
            Some(_) => true,
            None if self.has_ended(new)? => return self.ended(new),
            None => {
                self.refuse_rows(new)?;
                let (_, digest) = self.count(old, &mut progress)?;
                self.begin(new, &self.plan(digest))?;
                false
            }
        };
        let state = old.read()?;
        let spaces = self.old_spaces();
        loop {
            let position = self.position(new)?;
            if position.phase == Phase::Indexes {
                break;
            }
            match spaces.get(position.space as usize) {
                Some(space) => {
                    self.copy_batch((&state, old), new, space, &position, &mut progress)?;
                }
                None => self.replace(new)?,
            }
        }
        let unbuilt = self.build_indexes(new)?;
        let plan = crate::Plan::running(&new.read()?)?.ok_or(MigrateError::Plan)?;
        new.write(|tx| SavedMigration::end(tx, &plan.encode()))?;
        new.sync()?;
        Ok(Ended { unbuilt, continued })
    }

    fn refuse_rows(&self, new: &Db) -> Result<(), MigrateError> {
        let state = new.read()?;
        for space in self.new_spaces() {
            let mut rows = state.rows(StoreId::of(&space), KeyRange::all().expecting(1))?;
            if rows.next()?.is_some() {
                return Err(MigrateError::NotEmpty { space });
            }
        }
        Ok(())
    }

    fn copy_batch(
        &self,
        (state, old): (&Snapshot<'_>, &Db),
        new: &Db,
        space: &str,
        position: &Position,
        progress: &mut impl FnMut(),
    ) -> Result<(), MigrateError> {
        let exists = old.spaces().name(StoreId::of(space)).is_some();
        let batch = match exists {
            true => read_batch(state, space, position, new.limits().batch(self.batch))?,
            false => Vec::new(),
        };
        let mut tx = new.begin(Mode::Write)?;
        for (key, value) in &batch {
            progress();
            let collided = || MigrateError::Row {
                space: space.to_owned(),
                key: key.clone(),
                problem: RowProblem::Collision,
            };
            match self.outcome(space, key, value)?.1 {
                Outcome::Drop | Outcome::Derived => {}
                Outcome::Keep { .. } => {
                    let store = StoreId::of(space);
                    if tx.contains(store, key)? {
                        return Err(collided());
                    }
                    tx.put(store, key, value)?;
                }
                Outcome::Row(row) => {
                    let store = StoreId::of(&row.space);
                    if tx.contains(store, &row.key)? {
                        return Err(collided());
                    }
                    tx.put(store, &row.key, &row.value)?;
                }
                Outcome::Member(entry) => {
                    if tx.contains(self.store_of(&entry), &self.member_key(&entry)?)?
                        && !is_token(&entry)
                    {
                        return Err(collided());
                    }
                    self.put_member(&mut tx, &entry)?;
                }
            }
        }
        let next = next_position(position, &batch);
        SavedMigration::set_position(&mut tx, &next.encode())?;
        tx.commit()?;
        Ok(())
    }

    fn store_of(&self, entry: &Entry) -> StoreId {
        let space = keyscape_inspect::database::space_name(self.migration.new, entry.keyspace);
        StoreId::of(&space)
    }

    /// Writes a member of a structure with the records that follow from it.
    fn put_member(&self, tx: &mut Tx<'_>, entry: &Entry) -> Result<(), DatabaseError> {
        let (layout, reader) = (self.migration.new, &self.new_reader);
        let writer = Writer { layout, reader, with_entries: true };
        match &entry.body {
            Body::Part { family: Family::Item, .. } => writer.restore_item(tx, entry).map(drop),
            // The largest token counts: items that were restored have raised it already.
            Body::Part { family: Family::Token, .. } => {
                let (key, value) = entry.bytes(layout, None)?;
                let known = tx.get(self.store_of(entry), &key)?;
                match known {
                    Some(known) if known >= value => Ok(()),
                    _ => writer.record(tx, entry),
                }
            }
            _ => writer.put(tx, entry),
        }
    }
}

/// Whether an entry is the counter of a queue's tokens, which items raise.
fn is_token(entry: &Entry) -> bool {
    matches!(&entry.body, Body::Part { family: Family::Token, .. })
}
