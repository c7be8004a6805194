//! A migration with everything that is needed to run it.

use crate::{
    error::MigrateError,
    image::{Converter, Outcome},
    plan::{Digest, Plan},
    typed::TypedMigration,
};
use keyscape_evolution::migration::{Action, Claim, Migration, Proof, Treatment};
use keyscape_inspect::database::{DatabaseError, Reader, SavedLayout, space_name};
use keyscape_layout::{
    Layout,
    model::{KeyspaceId, KeyspaceKind},
};
use keyscape_store::{Db, KeyRange, Read, StoreId};
use std::{collections::BTreeMap, sync::Arc};

/// The numbers of rows of an old keyspace, by outcome.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Counted {
    /// Rows that keep their bytes.
    pub kept: u64,
    /// Rows that move or change.
    pub moved: u64,
    /// Rows that the declaration drops.
    pub dropped: u64,
    /// Derived entries and records that are rebuilt.
    pub derived: u64,
}

/// The result of a migration that has ended.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Ended {
    /// Indexes that only the program can build.
    pub unbuilt: Vec<String>,
    /// Whether the run continued an interrupted one.
    pub continued: bool,
}

/// A proved migration that can run on databases.
#[derive(Debug)]
pub struct Runner<'a> {
    pub(crate) migration: &'a Migration<'a>,
    pub(crate) old_reader: Reader<'a>,
    pub(crate) new_reader: Reader<'a>,
    /// The treatment of the rows of each old keyspace, if all of them have the same treatment.
    pub(crate) treatments: Vec<Option<Treatment<'a>>>,
    /// The name of the space of each new keyspace.
    new_names: Vec<Arc<str>>,
    pub(crate) declaration: String,
    pub(crate) inverse: Option<String>,
    /// The command that continues an interrupted run.
    pub(crate) command: String,
    /// The maximum number of rows in one commit.
    pub(crate) batch: usize,
    /// The claims that are checked row by row instead of being proved.
    pub(crate) checked: &'static [Claim],
    /// Whether it is proved that no two rows get the same key.
    pub(crate) is_injective: bool,
    /// The functions and indexes of the program that runs the migration.
    pub(crate) program: Option<&'a TypedMigration<'a>>,
}

impl<'a> Runner<'a> {
    /// The default number of rows in a commit. New keys have another order than old ones, so small
    /// commits would write the same pages of the engine many times.
    pub const BATCH: usize = 1 << 14;

    /// Makes a runner for a migration that may run according to its proof. Errors show `command`,
    /// which continues an interrupted run.
    ///
    /// # Errors
    /// [`MigrateError::Refuted`] if KS111, KS112 or KS113 is refuted, and
    /// [`DatabaseError::TooLarge`] if the layouts are too large for decoding.
    pub fn new(
        migration: &'a Migration<'a>,
        proof: &Proof,
        declaration: &str,
        command: &str,
    ) -> Result<Self, MigrateError> {
        let runner = Self::rollback(migration, proof, declaration, command)?;
        let runner = Self { inverse: proof.inverse.clone(), ..runner };
        let needed = [Claim::Total, Claim::Injective, Claim::Fitting];
        match needed.into_iter().find(|&claim| proof.is_refuted(claim)) {
            Some(claim) => Err(MigrateError::Refuted(claim.code())),
            None if proof.is_fitting_but_for_program() => {
                Ok(Self { checked: &[Claim::Fitting], ..runner })
            }
            None => Ok(Self { checked: &[], ..runner }),
        }
    }

    /// Makes a runner for an inverse migration. The new layout can contain rows that the old one
    /// could not, so KS111 and KS113 need not hold for all of them. Every row is checked instead. A
    /// rollback has no inverse.
    ///
    /// # Errors
    /// [`DatabaseError::TooLarge`] if the layouts are too large for decoding.
    pub fn rollback(
        migration: &'a Migration<'a>,
        proof: &Proof,
        declaration: &str,
        command: &str,
    ) -> Result<Self, MigrateError> {
        let runner = Self::unproved(migration, declaration, command)?;
        Ok(Self { is_injective: proof.holds(Claim::Injective), ..runner })
    }

    /// Makes a runner that checks every row instead of using a proof.
    pub(crate) fn unproved(
        migration: &'a Migration<'a>,
        declaration: &str,
        command: &str,
    ) -> Result<Self, MigrateError> {
        let reader = |layout| Reader::new(layout).map_err(DatabaseError::from);
        Ok(Self {
            migration,
            old_reader: reader(migration.old)?,
            new_reader: reader(migration.new)?,
            treatments: migration.old.keyspace_ids().map(|id| migration.treatment(id)).collect(),
            new_names: migration
                .new
                .keyspace_ids()
                .map(|id| space_name(migration.new, id).into())
                .collect(),
            declaration: declaration.to_owned(),
            inverse: None,
            command: command.to_owned(),
            batch: Self::BATCH,
            checked: &[Claim::Total, Claim::Fitting],
            is_injective: false,
            program: None,
        })
    }

    /// Sets the functions and indexes of the program.
    pub(crate) fn with_program(mut self, program: &'a TypedMigration<'a>) -> Self {
        self.program = Some(program);
        self.with_batch(program.batch.unwrap_or(Self::BATCH))
    }

    /// Sets the maximum number of rows in one commit.
    #[must_use]
    pub fn with_batch(mut self, rows: usize) -> Self {
        self.batch = rows.max(1);
        self
    }

    /// Returns the spaces of both layouts, sorted.
    #[must_use]
    pub fn spaces(&self) -> Vec<String> {
        let mut spaces = spaces_of(self.migration.old);
        spaces.extend(spaces_of(self.migration.new));
        spaces.sort();
        spaces.dedup();
        spaces
    }

    /// Returns the spaces of the old layout, sorted.
    pub(crate) fn old_spaces(&self) -> Vec<String> {
        spaces_of(self.migration.old)
    }

    pub(crate) fn new_spaces(&self) -> Vec<String> {
        spaces_of(self.migration.new)
    }

    /// Returns the name of the space of a new keyspace.
    pub(crate) fn new_space(&self, id: KeyspaceId) -> &Arc<str> {
        &self.new_names[id.0 as usize]
    }

    pub(crate) fn plan(&self, digest: Digest) -> Plan {
        Plan {
            declaration: self.declaration.clone(),
            old: SavedLayout::of(self.migration.old).text().to_owned(),
            new: SavedLayout::of(self.migration.new).text().to_owned(),
            inverse: self.inverse.clone(),
            digest,
        }
    }

    /// Whether a saved plan belongs to this migration.
    pub(crate) fn is_own(&self, plan: &Plan) -> bool {
        let own = self.plan(plan.digest);
        (&own.declaration, &own.old, &own.new) == (&plan.declaration, &plan.old, &plan.new)
    }

    /// Returns the new indexes whose entries do not stay.
    pub(crate) fn changed_indexes(&self) -> Vec<KeyspaceId> {
        let kept: Vec<KeyspaceId> = self
            .migration
            .pieces()
            .iter()
            .filter_map(|piece| match piece.action {
                Action::Derive { kept } => kept,
                _ => None,
            })
            .collect();
        let new = self.migration.new;
        let is_changed =
            |id: &KeyspaceId| new.keyspace(*id).kind == KeyspaceKind::Index && !kept.contains(id);
        new.keyspace_ids().filter(is_changed).collect()
    }

    /// Checks that a database was opened with the given spaces.
    pub(crate) fn check_spaces(db: &Db, spaces: &[String]) -> Result<(), MigrateError> {
        match spaces.iter().find(|space| db.spaces().name(StoreId::of(space)).is_none()) {
            Some(space) => Err(MigrateError::Space { space: space.clone() }),
            None => Ok(()),
        }
    }

    /// Counts the rows of each old keyspace, and computes the digest of the new rows. Checks every
    /// row. Calls `progress` for each row.
    ///
    /// # Errors
    /// [`MigrateError::Row`] with the first row that cannot be migrated, and errors of the
    /// database.
    pub fn count(
        &self,
        old: &Db,
        mut progress: impl FnMut(),
    ) -> Result<(BTreeMap<KeyspaceId, Counted>, Digest), MigrateError> {
        let (mut counts, mut digest) = (BTreeMap::<KeyspaceId, Counted>::new(), Digest::default());
        self.for_each_outcome(old, |stored, from, outcome| {
            progress();
            outcome.count(counts.entry(from).or_default());
            self.with_image(outcome, stored, |space, key, value| digest.add(space, key, value))?;
            Ok(())
        })?;
        Ok((counts, digest))
    }

    /// Calls a function with each row of an old database, its keyspace and its outcome. A row
    /// consists of its space, key and value.
    pub(crate) fn for_each_outcome(
        &self,
        old: &Db,
        mut call: impl FnMut((&str, &[u8], &[u8]), KeyspaceId, &Outcome) -> Result<(), MigrateError>,
    ) -> Result<(), MigrateError> {
        let state = old.read()?;
        for space in open_spaces(old, &self.old_spaces()) {
            let mut converter = Converter::new(self, space);
            let mut rows = state.rows(StoreId::of(space), KeyRange::all())?;
            while let Some(row) = rows.next()? {
                let (from, outcome) = converter.outcome(row.key, row.value)?;
                call((space, row.key, row.value), from, &outcome)?;
            }
        }
        Ok(())
    }
}

/// Returns the spaces of a list with which a database was opened.
pub(crate) fn open_spaces<'s>(db: &Db, spaces: &'s [String]) -> impl Iterator<Item = &'s str> {
    let names = spaces.iter().map(String::as_str);
    names.filter(|space| db.spaces().name(StoreId::of(space)).is_some())
}

fn spaces_of(layout: &Layout) -> Vec<String> {
    let mut spaces: Vec<String> = layout.keyspace_ids().map(|id| space_name(layout, id)).collect();
    spaces.sort();
    spaces.dedup();
    spaces
}
