//! `keyscape migrate rollback`

use super::run::{command_of, execute, report, written};
use crate::{
    database::Verification,
    failure::{Exit, Failure},
    input::address::Address,
    input::migration::Declared,
};
use clap::Args;
use keyscape_migrate::Runner;
use std::path::PathBuf;

/// Undo the last migration of a database
///
/// Runs the inverse migration, which the database has saved if KS115 was proved. Rows that were
/// written since then must fit the old layout. In place, every row is checked before the first one
/// moves.
///
/// If the command is interrupted, the same command continues. Exit status: 1 if there is no
/// inverse, or a row does not fit.
#[derive(Args, Debug)]
#[command(after_help = "\
EXAMPLES
  keyscape migrate rollback shop.redb
  keyscape migrate rollback shop.redb --to old.redb")]
pub(crate) struct RollbackArguments {
    /// The database: a file, or `postgres://USER@HOST/DATABASE`
    #[arg(value_name = "DB", value_parser = Address)]
    db: PathBuf,
    /// Copy to this file instead of moving rows in place
    #[arg(long, value_name = "NEW", value_parser = Address)]
    to: Option<PathBuf>,
    #[command(flatten)]
    verification: Verification,
}

impl RollbackArguments {
    pub(crate) fn run(self) -> Result<Exit, Failure> {
        let written = written(&self.db, self.to.as_deref())?;
        let command = command_of("rollback", &self.db, self.to.as_deref());
        let declared = match Declared::running(written, &command)? {
            Some(declared) => declared,
            None => Declared::last(&self.db)?.reversed().ok_or_else(|| {
                Failure::input(
                    "the last migration cannot be undone: it was a rollback itself, or KS115 was \
                     not proved",
                    "declare a migration to the old layout, and run it with `keyscape migrate run`",
                )
            })?,
        };
        let migration = declared.migration()?;
        let proof = declared.prove(&migration);
        let runner = Runner::rollback(&migration, &proof, &declared.text, &command)?;
        self.verification.run(&self.db)?;
        let ended = execute(&runner, &proof, &declared, (&self.db, self.to.as_deref()))?;
        report(&ended, written, "has the layout from before its last migration");
        Ok(Exit::Fine)
    }
}
