//! `Db::migrate`, for programs.

use crate::{
    error::MigrateError,
    plan::Plan,
    runner::{Ended, Runner},
    typed::{TypedMigration, check_old_layout},
};
use keyscape_evolution::{
    Config,
    migration::{Migration, Proof},
};
use keyscape_inspect::database::{DatabaseError, SavedLayout, joined};
use keyscape_layout::{Built, Bundle, Layout, NoImports};
use keyscape_store::{Db, saved_stores, saved_texts};

/// The result of [`Migrate::migrate`].
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Migrated {
    /// The database already has the new layout, or has no layout.
    Nothing,
    /// The rows were moved.
    Done(Ended),
}

/// Migrates an open database.
///
/// The declaration is proved first. Rows move in batches. Each batch is one commit, which contains
/// the position after it. If the program is killed, the same call continues and ends with the same
/// rows. Before the end, neither the old nor the new layout can open the database that is written.
pub trait Migrate {
    /// Moves the rows of a database within it, or continues such a migration. KS111, KS112 and
    /// KS114 must be proved; KS113 must be proved except for `program()`. Every row is converted
    /// once before the first one moves.
    ///
    /// Open the database with [the spaces of both layouts](TypedMigration::spaces), and do not
    /// admit a layout before the migration. Admit the new layout afterwards.
    ///
    /// # Errors
    /// [`MigrateError`] with the claim that is not proved or the row that cannot be migrated. In
    /// both cases nothing has changed. After an error of the database, the same call continues the
    /// migration.
    fn migrate(&self, migration: &TypedMigration<'_>) -> Result<Migrated, MigrateError>;

    /// Writes the new rows to an empty database, or continues such a copy. This database is not
    /// changed, and other programs must not change it until the copy has ended. No claim may be
    /// refuted. A collision of two new keys is an error.
    ///
    /// # Errors
    /// As [`Migrate::migrate`]. If a row cannot be migrated, the new database contains some of the
    /// rows, and only the same migration can open it. Delete it.
    fn migrate_to(
        &self,
        new: &Db,
        migration: &TypedMigration<'_>,
    ) -> Result<Migrated, MigrateError>;

    /// Whether the rows are exactly those that the last migration made. Compares them with the
    /// digest that the migration computed from the old rows. Rows that were written later make the
    /// result false.
    ///
    /// # Errors
    /// [`MigrateError::NeverMigrated`], and errors of the database.
    fn verify_migration(&self) -> Result<bool, MigrateError>;
}

impl Migrate for Db {
    fn migrate(&self, migration: &TypedMigration<'_>) -> Result<Migrated, MigrateError> {
        run(self, self, migration, |runner, proof| runner.run_in_place(self, proof, || ()))
    }

    fn migrate_to(
        &self,
        new: &Db,
        migration: &TypedMigration<'_>,
    ) -> Result<Migrated, MigrateError> {
        run(self, new, migration, |runner, _| runner.run_copy(self, new, || ()))
    }

    fn verify_migration(&self) -> Result<bool, MigrateError> {
        let plan = Plan::last(&self.read()?)?.ok_or(MigrateError::NeverMigrated)?;
        let built = Built::default();
        let old = read(&built, "old.keys", &plan.old)?;
        let new = read(&built, "new.keys", &plan.new)?;
        let migration =
            Migration::read(&plan.declaration, &old, &new).map_err(MigrateError::Declaration)?;
        let runner = Runner::unproved(&migration, &plan.declaration, "")?;
        Ok(runner.digest_new(self, || ())? == plan.digest)
    }
}

/// Proves a migration of one database, and runs it. `written` is the database that stores the
/// position.
fn run(
    db: &Db,
    written: &Db,
    typed: &TypedMigration<'_>,
    run: impl FnOnce(&Runner<'_>, &Proof) -> Result<Ended, MigrateError>,
) -> Result<Migrated, MigrateError> {
    let built = Built::default();
    let old = match Plan::running(&written.read()?)? {
        Some(plan) => read(&built, "old.keys", &plan.old)?,
        None => {
            let state = db.read()?;
            let texts = saved_texts(&state)?;
            match &texts[..] {
                [] if saved_stores(&state)?.is_empty() => return Ok(Migrated::Nothing),
                [] => return Err(MigrateError::NoLayout),
                [only] if only.text == typed.new.text => return Ok(Migrated::Nothing),
                _ => {}
            }
            let old = read(&built, "old.keys", &joined(&texts).text())?;
            SavedLayout::of(&old)
                .lend(&[], |saved| check_old_layout(saved.keyspaces, typed.old.keyspaces))?;
            old
        }
    };
    let new = read(&built, "new.keys", typed.new.text)?;
    let migration =
        Migration::read(typed.declaration, &old, &new).map_err(MigrateError::Declaration)?;
    typed.check_functions(&migration)?;
    let report = keyscape_prover::check(&new, keyscape_prover::Config::default());
    if !report.holds() {
        return Err(MigrateError::Unsound);
    }
    let proof = migration.prove(Config::default(), &report);
    let runner = Runner::new(&migration, &proof, typed.declaration, "the program that began it")?;
    run(&runner.with_program(typed), &proof).map(Migrated::Done)
}

/// Reads the text of a layout from a database or a program.
fn read(built: &Built, name: &str, text: &str) -> Result<Layout, MigrateError> {
    Bundle::parse(text)
        .read(built, name, &mut NoImports)
        .map_err(|rejected| MigrateError::Declaration(rejected.diagnostics))
}

impl From<keyscape_automata::OverBudget> for MigrateError {
    fn from(over: keyscape_automata::OverBudget) -> Self {
        Self::Database(DatabaseError::TooLarge(over))
    }
}
