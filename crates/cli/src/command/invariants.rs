//! `keyscape invariants`

use crate::{
    database::Verification,
    failure::{Exit, Failure},
    input::address::Address,
    output::{progress::Progress, stderr, stdout},
    system::{SystemName, check_rows, open_read_only},
};
use clap::Args;
use std::{fmt::Write as _, path::PathBuf};

/// Check the invariants of a system in a database
///
/// Invariants are conditions that a layout cannot express: the supply is the sum of all balances,
/// each event has its output. Prints one line for each violation. The database is not
/// changed. Checking `chain` needs a database that contains every system.
///
/// Warnings are conditions that states of real chains violate, such as complete metadata of a
/// denomination. They do not change the exit status.
///
/// Exit status: 1 if an invariant does not hold.
#[derive(Args, Debug)]
#[command(after_help = "\
EXAMPLES
  keyscape sim bank --blocks 100 --db state.redb
  keyscape invariants bank state.redb
  keyscape sim badges --blocks 100 --db badges.redb
  keyscape invariants badges badges.redb")]
pub(crate) struct Invariants {
    /// The system
    #[arg(value_name = "SYSTEM")]
    system: SystemName,
    /// The database: a file, or `postgres://USER@HOST/DATABASE`
    #[arg(value_name = "DB", value_parser = Address)]
    db: PathBuf,
    #[command(flatten)]
    verification: Verification,
}

impl Invariants {
    pub(crate) fn run(self) -> Result<Exit, Failure> {
        let system = self.system.system();
        let db = open_read_only(system, &self.db, self.verification)?;
        let progress = Progress::without_rows("checking");
        let state = db.read()?;
        check_rows(system, &self.db, &state)?;
        let counted = keyscape_sim::state_of(&state, &system.layouts())?;
        let broken = system.broken(&state).map_err(Failure::System)?;
        let warnings = match broken.is_empty() {
            true => system.warnings(&state).map_err(Failure::System)?,
            false => Vec::new(),
        };
        drop(progress);
        let mut text = String::new();
        for invariant in &broken {
            let _ = writeln!(text, "{invariant}");
        }
        for warning in &warnings {
            let _ = writeln!(text, "warning: {warning}");
        }
        if broken.is_empty() {
            let rows = stderr::many(counted.rows, "row");
            let _ = writeln!(text, "{}: all invariants hold on {rows}", system.name());
        }
        stdout::print_data(text)?;
        Ok(if broken.is_empty() { Exit::Fine } else { Exit::Refuted })
    }
}
