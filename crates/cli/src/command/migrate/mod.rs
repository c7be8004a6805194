//! `keyscape migrate`

mod plan;
mod rollback;
mod run;
mod verify;

use crate::failure::{Exit, Failure};
use clap::{Args, Subcommand};

/// Move the rows of a database to a new layout
///
/// A migration file declares how rows change between two layouts; all other rows keep their fields
/// and values. Five claims, KS111 to KS115, are decided for all rows before a row moves.
/// `keyscape rule KS111` describes the first claim, and `spec/migration.md` the file format.
///
/// An interrupted run continues with the same command. Until the run is complete, nothing else
/// opens the database.
#[derive(Args, Debug)]
#[command(
    disable_help_subcommand = true,
    after_help = "\
EXAMPLES
  keyscape migrate plan shop.redb v1-to-v2.migration
  keyscape migrate run shop.redb v1-to-v2.migration
  keyscape migrate run shop.redb v1-to-v2.migration --to new.redb
  keyscape migrate verify new.redb --against shop.redb
  keyscape migrate rollback shop.redb"
)]
pub(crate) struct Migrate {
    #[command(subcommand)]
    operation: Operation,
}

#[derive(Debug, Subcommand)]
enum Operation {
    Plan(plan::PlanArguments),
    Run(run::RunArguments),
    Verify(verify::VerifyArguments),
    Rollback(rollback::RollbackArguments),
}

impl Migrate {
    pub(crate) fn run(self) -> Result<Exit, Failure> {
        match self.operation {
            Operation::Plan(plan) => plan.run(),
            Operation::Run(run) => run.run(),
            Operation::Verify(verify) => verify.run(),
            Operation::Rollback(rollback) => rollback.run(),
        }
    }
}
