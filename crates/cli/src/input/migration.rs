//! Migrations given on the command line, or saved in databases.

use super::layout::{is_database, load_beside, read_text, rejected};
use crate::{
    database::{DatabaseError, SavedLayout, engine},
    failure::{Exit, Failure},
    output::progress::Progress,
};
use keyscape_diagnostics::file;
use keyscape_evolution::{
    Config,
    migration::{Migration, Proof},
};
use keyscape_layout::{
    Built, Bundle, FileId, Layout,
    syntax::{self, ast::MigrationFile},
};
use keyscape_migrate::{MigrateError, Plan, Runner, check_old_layout};
use keyscape_store::{Db, SavedMigration, StoreErrorKind};
use keyscape_store_redb::Options;
use std::path::Path;

/// A migration with its layouts.
#[derive(Debug)]
pub(crate) struct Declared {
    pub(crate) old: Layout,
    pub(crate) new: Layout,
    /// The declaration.
    pub(crate) text: String,
    /// The file of the declaration, for messages.
    path: String,
    /// The inverse, if it is known.
    inverse: Option<String>,
    /// Whether rows can be counted.
    pub(crate) has_database: bool,
}

impl Declared {
    /// Loads a migration from a file. The old layout defaults to that of the database, the new one
    /// to the layout that the migration names.
    pub(crate) fn load(
        db: &Path,
        path: &Path,
        old: Option<&Path>,
        new: Option<&Path>,
    ) -> Result<Self, Failure> {
        let (name, text) = read_text(path)?;
        let built = Built::default();
        let (MigrationFile { layouts, .. }, _) = syntax::parse_migration(&text, FileId(0));
        let beside = |name: &str| path.parent().unwrap_or(Path::new("")).join(name);
        let new = match (new, &layouts) {
            (Some(new), _) => new.to_owned(),
            (None, Some(layouts)) => beside(&layouts.to),
            (None, None) => {
                return Err(Failure::input(
                    format!("`{name}` does not name the new layout"),
                    "name it with `--new FILE`, or begin the migration with `from \"old.keys\" to \
                     \"new.keys\"`",
                ));
            }
        };
        let is_given = old.is_some();
        let old = load_beside(&built, old.unwrap_or(db))?;
        let new = load_beside(&built, &new)?;
        let has_database = is_database(db);
        // A host with only the new layout and the database can migrate as well.
        let named = layouts.filter(|_| has_database && !is_given).map(|of| beside(&of.from));
        if let Some(named) = named.filter(|named| named.exists())
            && check_same(&old, &load_beside(&built, &named)?).is_err()
        {
            let (db, path) = (engine::without_password(db), named.display());
            let db = db.display();
            let (title, help) = match check_same(&old, &new) {
                Ok(()) => (format!("`{db}` has the new layout already"), None),
                Err(_) => (
                    format!(
                        "`{db}` does not have the layout `{path}` that the migration starts from"
                    ),
                    Some(format!("`keyscape diff {path} {db}` shows the differences")),
                ),
            };
            return Err(Failure::described(title, help, Exit::Input));
        }
        Ok(Self { old, new, text, path: name, inverse: None, has_database })
    }

    /// Loads the migration that is interrupted in a database file, if there is one. It must be
    /// continued by `command`.
    pub(crate) fn running(path: &Path, command: &str) -> Result<Option<Self>, Failure> {
        if !exists(path)? {
            return Ok(None);
        }
        recover(path)?;
        let db = engine::open_all_spaces(path)?;
        let state = db.read()?;
        let Some(saved) = SavedMigration::read(&state)? else { return Ok(None) };
        // A relative path may be written in another way.
        let operation = |command: &str| command.split(' ').nth(2).map(str::to_owned);
        if operation(&saved.command) != operation(command) {
            return Err(MigrateError::Other { command: saved.command }.into());
        }
        let plan = Plan::running(&state)?.ok_or(MigrateError::Plan)?;
        Self::of_plan(plan, path).map(Some)
    }

    /// Whether the last migration of a database file is this one.
    pub(crate) fn has_ended(path: &Path, declaration: &Path) -> Result<bool, Failure> {
        if file::is_stdin(declaration) || !exists(path)? {
            return Ok(false);
        }
        let last = Plan::last(&engine::open_all_spaces(path)?.read()?)?;
        let text = file::read_bytes(declaration)?;
        Ok(last.is_some_and(|plan| plan.declaration.as_bytes() == text))
    }

    /// Loads the last migration of a database file.
    pub(crate) fn last(path: &Path) -> Result<Self, Failure> {
        let db = engine::open_all_spaces(path)?;
        let state = db.read()?;
        if let Some(saved) = SavedMigration::read(&state)? {
            return Err(MigrateError::Other { command: saved.command }.into());
        }
        match Plan::last(&state)? {
            Some(plan) => Self::of_plan(plan, path),
            None => {
                let title =
                    format!("`{}` was never migrated", engine::without_password(path).display());
                Err(Failure::described(title, None, Exit::Input))
            }
        }
    }

    fn of_plan(plan: Plan, path: &Path) -> Result<Self, Failure> {
        let built = Built::default();
        let read = |text: &str| file::read_bundle(&built, path, &Bundle::parse(text));
        let (old, new) = (read(&plan.old)?, read(&plan.new)?);
        let Plan { declaration: text, inverse, .. } = plan;
        let path = format!("migration in {}", engine::without_password(path).display());
        Ok(Self { old, new, text, path, inverse, has_database: true })
    }

    /// Returns the declaration of an inverse, with the layouts of this migration in reverse.
    pub(crate) fn inverse_text(&self, inverse: &str) -> String {
        let (MigrationFile { layouts, .. }, _) = syntax::parse_migration(&self.text, FileId(0));
        let names =
            layouts.map(|layouts| format!("from {:?} to {:?}\n\n", layouts.to, layouts.from));
        names.unwrap_or_default() + inverse.trim_end()
    }

    /// Returns the inverse migration, if there is one.
    pub(crate) fn reversed(self) -> Option<Self> {
        let text = self.inverse?;
        Some(Self { old: self.new, new: self.old, text, inverse: None, ..self })
    }

    /// Checks that a given file is the migration that is continued.
    pub(crate) fn check_same(&self, path: Option<&Path>) -> Result<(), Failure> {
        let Some(path) = path else { return Ok(()) };
        let bytes = file::read_bytes(path)?;
        if bytes == self.text.as_bytes() {
            return Ok(());
        }
        Err(Failure::input(
            format!("`{}` is not the migration that was interrupted", path.display()),
            "leave it out to continue",
        ))
    }

    /// Resolves the migration.
    pub(crate) fn migration(&self) -> Result<Migration<'_>, Failure> {
        Migration::read(&self.text, &self.old, &self.new)
            .map_err(|diagnostics| rejected(&self.path, &self.text, diagnostics).into())
    }

    /// Decides all claims.
    pub(crate) fn prove(&self, migration: &Migration<'_>) -> Proof {
        let report = keyscape_prover::check(&self.new, keyscape_prover::Config::default());
        migration.prove(Config::default(), &report)
    }
}

/// Checks that two layouts have the same keyspaces, byte for byte.
fn check_same(saved: &Layout, expected: &Layout) -> Result<(), MigrateError> {
    SavedLayout::of(saved).lend(&[], |saved| {
        let expected = SavedLayout::of(expected);
        expected.lend(&[], |expected| check_old_layout(saved.keyspaces, expected.keyspaces))
    })
}

/// Whether a path names a database that exists.
fn exists(path: &Path) -> Result<bool, Failure> {
    Ok(is_database(path) && engine::exists(path)?)
}

/// Restores the last complete commit of a file that a killed run did not close.
fn recover(path: &Path) -> Result<(), Failure> {
    if engine::server(path).is_some() {
        return Ok(());
    }
    let opened = Options::new().open_all_spaces(path);
    let needs_repair = opened.is_err_and(|error| error.kind() == StoreErrorKind::NeedsRepair);
    if needs_repair {
        let progress = Progress::without_rows("repairing");
        crate::database::repair(path)?;
        drop(progress);
    }
    Ok(())
}

/// Opens a database for reading with the spaces of a layout.
pub(crate) fn open_old(path: &Path, layout: &Layout) -> Result<Db, DatabaseError> {
    let spaces = engine::spaces(path, SavedLayout::of(layout).spaces())?;
    engine::open_spaces_read_only(path, spaces)
}

/// Opens a database for writing with the spaces of both layouts of a migration.
pub(crate) fn open_both(path: &Path, runner: &Runner<'_>) -> Result<Db, DatabaseError> {
    engine::open_spaces(path, engine::spaces(path, runner.spaces())?)
}

/// Creates a database, or opens one to continue. Returns whether it is new.
pub(crate) fn create_new(path: &Path, layout: &Layout) -> Result<(Db, bool), DatabaseError> {
    let spaces = engine::spaces(path, SavedLayout::of(layout).spaces())?;
    Ok(match engine::exists(path)? {
        true => (engine::open_spaces(path, spaces)?, false),
        false => (engine::create_spaces(path, spaces)?, true),
    })
}
