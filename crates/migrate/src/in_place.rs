//! Runs a migration within a database.
//!
//! Rows are read store by store, in key order. Each commit contains the rows of one batch and the
//! position after it. A new row may be read again later. KS114 is proved, so no old keyspace whose
//! rows change reads it, and the row stays unchanged.

use crate::{
    copy::put_counter,
    error::{MigrateError, RowProblem},
    image::{Converter, Outcome},
    plan::{Digest, Phase, Plan, Position},
    runner::{Ended, Runner},
};
use keyscape_evolution::migration::{Claim, Proof};
use keyscape_inspect::database::{DynamicIndex, SavedLayout, joined, space_name};
use keyscape_store::{
    Db, IndexInfo, Mode, Read, SavedMigration, StoreId, replace_layout, saved_texts,
};

impl Runner<'_> {
    /// Moves all rows of a database, or continues an interrupted run. Calls `progress` for each
    /// row.
    ///
    /// # Errors
    /// [`MigrateError::NotInPlace`] if a claim is not proved, [`MigrateError::Row`] if a row cannot
    /// be migrated, and errors of the database. If a row cannot be migrated, the database is
    /// unchanged.
    pub fn run_in_place(
        &self,
        db: &Db,
        proof: &Proof,
        mut progress: impl FnMut(),
    ) -> Result<Ended, MigrateError> {
        let needed = [Claim::Total, Claim::Injective, Claim::Fitting, Claim::Restartable];
        let is_open = |claim: &Claim| !proof.holds(*claim) && !self.checked.contains(claim);
        if let Some(claim) = needed.into_iter().find(is_open) {
            return Err(MigrateError::NotInPlace(claim.code()));
        }
        Self::check_spaces(db, &self.spaces())?;
        let digest = || self.count(db, &mut progress).map(|(_, digest)| digest);
        let Some(continued) = self.start(db, digest)? else { return self.ended(db) };
        let spaces = self.old_spaces();
        loop {
            let position = self.position(db)?;
            if position.phase == Phase::Indexes {
                break;
            }
            match spaces.get(position.space as usize) {
                Some(space) => self.move_batch(db, space, &position, &mut progress)?,
                None => self.replace(db, position.digest)?,
            }
        }
        self.finish(db, continued)
    }

    /// Builds the indexes, and records that the migration has ended.
    pub(crate) fn finish(&self, db: &Db, continued: bool) -> Result<Ended, MigrateError> {
        let unbuilt = self.build_indexes(db)?;
        let plan = Plan::running(&db.read()?)?.ok_or(MigrateError::Plan)?;
        let plan = Plan { digest: self.position(db)?.digest, ..plan };
        db.write(|tx| SavedMigration::end(tx, &plan.encode()))?;
        db.sync()?;
        Ok(Ended { unbuilt, continued })
    }

    /// Whether this migration was the last one of a database, and the layout of the database is the
    /// new one.
    fn has_ended(&self, db: &Db) -> Result<bool, MigrateError> {
        let state = db.read()?;
        let is_last = Plan::last(&state)?.is_some_and(|plan| self.is_own(&plan));
        let new = SavedLayout::of(self.migration.new);
        Ok(is_last && joined(&saved_texts(&state)?).text() == new.text())
    }

    /// Returns the result of a run that has already ended, because its caller did not get the
    /// answer to the last commit.
    pub(crate) fn ended(&self, db: &Db) -> Result<Ended, MigrateError> {
        let unbuilt = self.build_indexes(db)?;
        db.sync()?;
        Ok(Ended { unbuilt, continued: true })
    }

    /// Begins a run, or continues an interrupted one. Returns whether the run continues, or `None`
    /// if the migration has already ended. `digest` computes the digest for a new run.
    pub(crate) fn start(
        &self,
        db: &Db,
        digest: impl FnOnce() -> Result<Digest, MigrateError>,
    ) -> Result<Option<bool>, MigrateError> {
        let state = db.read()?;
        if let Some(plan) = Plan::running(&state)? {
            if self.is_own(&plan) {
                return Ok(Some(true));
            }
            let command = SavedMigration::read(&state)?.map(|saved| saved.command);
            return Err(MigrateError::Other { command: command.unwrap_or_default() });
        }
        drop(state);
        if self.has_ended(db)? {
            return Ok(None);
        }
        let digest = digest()?;
        let plan = self.plan(digest).encode();
        let saved = SavedMigration { command: self.command.clone(), plan };
        db.write(|tx| {
            saved.begin(tx)?;
            SavedMigration::set_position(tx, &Position::start(digest).encode())
        })?;
        Ok(Some(false))
    }

    pub(crate) fn position(&self, db: &Db) -> Result<Position, MigrateError> {
        let saved = SavedMigration::position(&db.read()?)?;
        saved.and_then(|saved| Position::decode(&saved)).ok_or(MigrateError::Plan)
    }

    fn move_batch(
        &self,
        db: &Db,
        space: &str,
        position: &Position,
        progress: &mut impl FnMut(),
    ) -> Result<(), MigrateError> {
        let mut tx = db.begin(Mode::Write)?;
        let batch = read_batch(&tx, space, position, db.limits().batch(self.batch))?;
        let store = StoreId::of(space);
        let (mut puts, mut counters) = (Vec::new(), Vec::new());
        let mut converter = Converter::new(self, space);
        for (key, value) in &batch {
            progress();
            match converter.outcome(key, value) {
                Ok((_, Outcome::Keep { .. })) => {}
                Ok((_, Outcome::Drop | Outcome::Derived)) => tx.delete(store, key)?,
                Ok((_, Outcome::Row(row))) => {
                    tx.delete(store, key)?;
                    puts.push(row);
                }
                Ok((_, Outcome::Member(entry))) => {
                    tx.delete(store, key)?;
                    puts.push(self.stored(&entry)?);
                }
                Ok((_, Outcome::Counters(entries))) => {
                    tx.delete(store, key)?;
                    for entry in &entries {
                        counters.push(self.stored(entry)?);
                    }
                }
                // This is a new row: the old layout read all old rows before the first one moved.
                Err(MigrateError::Row { problem: RowProblem::Unread(_), .. }) => {}
                Err(error) => return Err(error),
            }
        }
        for row in puts {
            tx.put(StoreId::of(&row.space), &row.key, &row.value)?;
        }
        for counter in &counters {
            put_counter(&mut tx, counter)?;
        }
        let next = next_position(position, &batch);
        SavedMigration::set_position(&mut tx, &next.encode())?;
        tx.commit()?;
        Ok(())
    }

    /// Saves the new layout, and begins to build the indexes whose entries do not stay.
    pub(crate) fn replace(&self, db: &Db, digest: Digest) -> Result<(), MigrateError> {
        let new = self.migration.new;
        let changed: Vec<(String, String)> = self
            .changed_indexes()
            .into_iter()
            .map(|id| (space_name(new, id), new.keyspace(id).name.clone()))
            .collect();
        let unbuilt: Vec<(&str, &str)> =
            changed.iter().map(|(space, name)| (space.as_str(), name.as_str())).collect();
        let old = self.old_spaces();
        let old: Vec<&str> = old.iter().map(String::as_str).collect();
        let mut tx = db.begin(Mode::Write)?;
        SavedLayout::of(new).lend(&[], |layout| replace_layout(&mut tx, &old, layout, &unbuilt))?;
        let next = Position { phase: Phase::Indexes, ..Position::start(digest) };
        SavedMigration::set_position(&mut tx, &next.encode())?;
        tx.commit()?;
        Ok(())
    }

    /// Builds the missing indexes. Returns the indexes that only the program can build.
    pub(crate) fn build_indexes(&self, db: &Db) -> Result<Vec<String>, MigrateError> {
        let new = self.migration.new;
        let indexes = DynamicIndex::all(&self.new_reader);
        let program: Vec<String> = indexes
            .iter()
            .filter(|index| index.needs_program())
            .map(|index| new.keyspace(index.id()).name.clone())
            .collect();
        let mut unbuilt = Vec::new();
        for info in indexes.iter().map(DynamicIndex::info) {
            if db.index_build(info.space, info.name)?.is_none() {
                continue;
            }
            let by_program = self.program.and_then(|own| own.index(info.space, info.name));
            let info = match by_program {
                Some(by_program) => by_program,
                None if program.iter().any(|name| name == info.name) => {
                    unbuilt.push(info.name.to_owned());
                    continue;
                }
                None => &info,
            };
            db.build_index(info, self.batch.min(IndexInfo::BATCH), |_| ())?;
        }
        Ok(unbuilt)
    }
}

type Batch = Vec<(Vec<u8>, Vec<u8>)>;

/// The maximum number of bytes that a batch reads.
pub(crate) const MAX_BATCH_BYTES: usize = 16 << 20;

/// Reads the rows after a position.
fn read_batch(
    state: &(impl Read + ?Sized),
    space: &str,
    position: &Position,
    max: usize,
) -> Result<Batch, MigrateError> {
    let (mut batch, mut bytes) = (Vec::new(), 0);
    let mut rows = state.rows(StoreId::of(space), position.rest())?;
    while batch.len() < max && bytes < MAX_BATCH_BYTES {
        let Some(row) = rows.next()? else { break };
        bytes += row.key.len() + row.value.len();
        batch.push((row.key.to_vec(), row.value.to_vec()));
    }
    Ok(batch)
}

/// Returns the position after a batch: its last key, or the next space after an empty batch.
fn next_position(position: &Position, batch: &Batch) -> Position {
    match batch.last() {
        Some((key, _)) => Position { after: Some(key.clone()), ..position.clone() },
        None => position.next_space(),
    }
}
