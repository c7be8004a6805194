//! `keyscape migrate run`

use super::plan::findings;
use crate::{
    database::{Verification, engine::without_password},
    failure::{Exit, Failure},
    input::{
        address::Address,
        migration::{Declared, create_new, open_both, open_old},
    },
    output::{destination::is_same, progress::Progress, stderr},
};
use clap::Args;
use keyscape_evolution::migration::Proof;
use keyscape_migrate::{Ended, MigrateError, Plan, Runner};
use std::path::{Path, PathBuf};

/// Move all rows, in place or to a new file
///
/// In place, rows are checked before the first one moves. They move in commits of some thousand
/// rows, each with its position. With --to, the new rows are written to another file, and the
/// database does not change. If the command is interrupted at any point, the same command
/// continues, and the result is the same. To continue, FILE may be omitted. Until the run is
/// complete, nothing else opens the database. Programs that have opened a database on a server are
/// not stopped: end them first.
///
/// Exit status: 1 if a claim does not allow the run, or a row cannot be migrated.
#[derive(Args, Debug)]
#[command(after_help = "\
EXAMPLES
  keyscape migrate run shop.redb v1-to-v2.migration
  keyscape migrate run shop.redb v1-to-v2.migration --to new.redb
  keyscape migrate run shop.redb")]
pub(crate) struct RunArguments {
    /// The database: a file, or `postgres://USER@HOST/DATABASE`
    #[arg(value_name = "DB", value_parser = Address)]
    db: PathBuf,
    /// The migration
    #[arg(value_name = "FILE")]
    file: Option<PathBuf>,
    /// Copy to this file instead of moving rows in place
    #[arg(long, value_name = "NEW", value_parser = Address)]
    to: Option<PathBuf>,
    /// The old layout, instead of the one in the database
    #[arg(long, value_name = "FILE")]
    layout: Option<PathBuf>,
    /// The new layout, instead of the one that the migration names
    #[arg(long, value_name = "FILE")]
    new: Option<PathBuf>,
    /// The maximum number of rows in one commit
    #[arg(long, value_name = "N", default_value_t = Runner::BATCH)]
    batch: usize,
    #[command(flatten)]
    verification: Verification,
}

impl RunArguments {
    pub(crate) fn run(self) -> Result<Exit, Failure> {
        let written = written(&self.db, self.to.as_deref())?;
        let command = command_of("run", &self.db, self.to.as_deref());
        let declared = match Declared::running(written, &command)? {
            Some(declared) => {
                declared.check_same(self.file.as_deref())?;
                declared
            }
            None => match &self.file {
                Some(file) if Declared::has_ended(written, file)? => {
                    report_ended(&self.db, self.to.as_deref());
                    return Ok(Exit::Fine);
                }
                Some(file) => {
                    Declared::load(&self.db, file, self.layout.as_deref(), self.new.as_deref())?
                }
                None => {
                    let db = without_password(written);
                    let title = format!("`{}` has no interrupted migration", db.display());
                    let help = "name the migration to run: `keyscape migrate run DB FILE`";
                    return Err(Failure::input(title, help));
                }
            },
        };
        let migration = declared.migration()?;
        if migration.needs_program() {
            return Err(Failure::input(
                "only the program can run this migration, because it makes fields with `program()`",
                "call `Db::migrate` in the program",
            ));
        }
        crate::database::sound(&declared.new)?;
        let proof = declared.prove(&migration);
        if !proof.may_run() || self.to.is_none() && !proof.may_run_in_place() {
            stderr::print(&findings(&migration, &proof));
        }
        let runner =
            Runner::new(&migration, &proof, &declared.text, &command)?.with_batch(self.batch);
        self.verification.run(&self.db)?;
        let ended = execute(&runner, &proof, &declared, (&self.db, self.to.as_deref()))?;
        report(&ended, written, "has the new layout");
        Ok(Exit::Fine)
    }
}

/// Returns the file that a migration writes.
pub(super) fn written<'p>(db: &'p Path, to: Option<&'p Path>) -> Result<&'p Path, Failure> {
    match to {
        Some(to) if db == to || is_same(db, to) => Err(Failure::input(
            format!("`{}` is the database itself", without_password(to).display()),
            "leave out `--to` to move its rows in place",
        )),
        _ => Ok(to.unwrap_or(db)),
    }
}

/// Runs a migration in place, or as a copy to a new file.
pub(super) fn execute(
    runner: &Runner<'_>,
    proof: &Proof,
    declared: &Declared,
    (db, to): (&Path, Option<&Path>),
) -> Result<Ended, Failure> {
    let mut progress = Progress::new("migrating");
    let Some(to) = to else {
        let db = open_both(db, runner)?;
        return Ok(runner.run_in_place(&db, proof, || progress.row())?);
    };
    let old = open_old(db, &declared.old)?;
    let (copy, is_new) = create_new(to, &declared.new)?;
    let ended = runner.run_copy(&old, &copy, || progress.row());
    let running = copy.read().map_err(Into::into).and_then(|state| Plan::running(&state));
    let is_empty = running.is_ok_and(|plan| plan.is_none());
    drop(copy);
    let is_bad_row = matches!(ended, Err(MigrateError::Row { .. }));
    let is_removed =
        is_new && ended.is_err() && (is_bad_row || is_empty) && std::fs::remove_file(to).is_ok();
    if is_bad_row && !is_removed {
        let title = format!("`{}` contains a part of the new rows", without_password(to).display());
        stderr::warn(title, Some("delete it before you run a corrected migration"));
    }
    Ok(ended?)
}

/// Returns the command that continues a migration.
pub(super) fn command_of(operation: &str, db: &Path, to: Option<&Path>) -> String {
    let to = to.map_or_else(String::new, |to| format!(" --to {}", without_password(to).display()));
    format!("keyscape migrate {operation} {}{to}", without_password(db).display())
}

/// Reports that a migration had already ended.
fn report_ended(db: &Path, to: Option<&Path>) {
    let (db, written) = (without_password(db), without_password(to.unwrap_or(db)));
    let (db, written) = (db.display(), written.display());
    stderr::print(&format!("`{written}` has the new layout already\n"));
    if to.is_some() {
        let title = format!("rows that were written to `{db}` since then are not in `{written}`");
        let help = format!("`keyscape migrate verify {written} --against {db}` compares both");
        stderr::warn(title, Some(&help));
    }
}

/// Reports the end of a migration.
pub(super) fn report(ended: &Ended, path: &Path, result: &str) {
    let what = if ended.continued { "continued and finished" } else { "finished" };
    stderr::print(&format!("{what}: `{}` {result}\n", without_password(path).display()));
    for index in &ended.unbuilt {
        let title =
            format!("index `{index}` is not built: only the program can compute its entries");
        stderr::warn(title, Some("open the file in the program with `build_indexes()`"));
    }
}
