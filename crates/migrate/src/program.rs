//! Migrations of programs.

use crate::{
    error::MigrateError,
    plan::{Ended, Plan, Runner},
};
use keyscape_evolution::{Config, migration::Migration};
use keyscape_inspect::database::{DatabaseError, joined};
use keyscape_layout::{Built, Bundle, Layout, NoImports};
use keyscape_store::{Db, saved_texts};

/// The result of [`Migrate::migrate`].
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Migrated {
    /// The rows are those of the new layout already.
    Nothing,
    /// The rows were moved.
    Done(Ended),
}

/// Migrates an open database.
pub trait Migrate {
    /// Moves the rows of a database to a new layout, in place, or continues such a migration that
    /// was interrupted. The old layout is the one that the database has saved. The declaration is
    /// proved first; nothing changes if a claim is not proved, or if a row cannot be migrated.
    ///
    /// The database must be open with the spaces of both layouts, and must not be admitted yet:
    /// only a migrated database can be opened with the new layout.
    ///
    /// # Errors
    /// [`MigrateError`] says which claim is not proved, or which row cannot be migrated.
    fn migrate(
        &self,
        declaration: &str,
        new: &keyscape_store::Layout<'_>,
    ) -> Result<Migrated, MigrateError>;
}

impl Migrate for Db {
    fn migrate(
        &self,
        declaration: &str,
        new: &keyscape_store::Layout<'_>,
    ) -> Result<Migrated, MigrateError> {
        let running = Plan::running(&self.read()?)?;
        let old_text = match &running {
            Some(plan) => plan.old.clone(),
            None => {
                let texts = saved_texts(&self.read()?)?;
                let is_new = texts.iter().any(|saved| saved.text == new.text);
                if is_new && texts.len() == 1 {
                    return Ok(Migrated::Nothing);
                }
                joined(&texts).text()
            }
        };
        let built = Built::default();
        let old = read(&built, "old.keys", &old_text)?;
        let new = read(&built, "new.keys", new.text)?;
        let migration =
            Migration::read(declaration, &old, &new).map_err(MigrateError::Declaration)?;
        let is_sound = keyscape_prover::check(&new, keyscape_prover::Config::default()).holds();
        if !is_sound {
            return Err(MigrateError::Unsound);
        }
        let proof = migration.prove(Config::default(), is_sound);
        let runner = Runner::new(&migration, &proof, declaration, "the same program")?;
        runner.run_in_place(self, &proof, || ()).map(Migrated::Done)
    }
}

/// Reads the text of a layout that a database or a program has.
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
