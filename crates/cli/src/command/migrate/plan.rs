//! `keyscape migrate plan`

use crate::{
    exit::Exit,
    failure::Failure,
    input::{
        address::Address,
        migration::{Declared, open_old},
    },
    output::{migration, progress::Progress, stdout},
};
use clap::{Args, ValueEnum};
use keyscape_migrate::Runner;
use std::{io::Write, path::PathBuf, time::Instant};

/// Prove a migration, count its rows and choose its mode
///
/// Shows the verdict of each claim with a counterexample, the number of rows of each keyspace and
/// what happens to them, whether the migration can run in place, and an estimate. Checks that every
/// row of the database can be migrated. Writes nothing.
///
/// Exit status: 1 if a claim of KS111 to KS113 is refuted, or a row cannot be migrated.
#[derive(Args, Debug)]
#[command(after_help = EXAMPLES, after_long_help = LONG)]
pub(crate) struct PlanArguments {
    /// The database, or the old layout alone
    #[arg(value_name = "DB", value_parser = Address)]
    db: PathBuf,
    /// The migration
    #[arg(value_name = "FILE")]
    file: PathBuf,
    /// The old layout, instead of the one in the database
    #[arg(long, value_name = "FILE")]
    layout: Option<PathBuf>,
    /// The new layout, instead of the one that the migration names
    #[arg(long, value_name = "FILE")]
    new: Option<PathBuf>,
    /// Print the inverse migration instead of the plan
    #[arg(long)]
    inverse: bool,
    /// Output format
    #[arg(long, value_name = "FORMAT", default_value = "human")]
    format: Format,
}

const EXAMPLES: &str = "\
EXAMPLES
  keyscape migrate plan shop.redb v1-to-v2.migration
  keyscape migrate plan v1.keys v1-to-v2.migration --new v2.keys
  keyscape migrate plan shop.redb v1-to-v2.migration --inverse > v2-to-v1.migration";

const LONG: &str = "\
EXAMPLES
  keyscape migrate plan shop.redb v1-to-v2.migration
  keyscape migrate plan v1.keys v1-to-v2.migration --new v2.keys
  keyscape migrate plan shop.redb v1-to-v2.migration --inverse > v2-to-v1.migration
  keyscape migrate plan shop.redb v1-to-v2.migration --format json | jq '.claims[]'

JSON
  One object:
    claims[]      {code, name, verdict: \"proved\", \"refuted\" or \"unknown\", keyspace, to, message}
    keyspaces[]   {keyspace, action, to, kept, moved, dropped, derived}; without numbers for a layout
    modes[]       \"in place\" and \"copy\", as far as they are possible
    inverse       the inverse migration, or null";

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum Format {
    /// Messages and tables
    Human,
    /// One JSON object
    Json,
}

impl PlanArguments {
    pub(crate) fn run(self) -> Result<Exit, Failure> {
        let declared =
            Declared::load(&self.db, &self.file, self.layout.as_deref(), self.new.as_deref())?;
        let migration = declared.migration()?;
        let proof = declared.prove(&migration);
        if self.inverse {
            return match &proof.inverse {
                Some(text) => {
                    writeln!(stdout::coloured(), "{}", declared.inverse_text(text))?;
                    Ok(Exit::Fine)
                }
                None => Err(Failure::Usage(
                    "the migration has no inverse: KS115 is not proved".to_owned(),
                )),
            };
        }
        let mut counted = None;
        // Only the program can make the rows of `program()`.
        if declared.has_database && proof.may_run() && !migration.needs_program() {
            let runner = Runner::new(&migration, &proof, &declared.text, "")?;
            let db = open_old(&self.db, &declared.old)?;
            let (begun, mut progress) = (Instant::now(), Progress::new("counting"));
            let (counts, digest) = runner.count(&db, || progress.row())?;
            counted =
                Some(migration::Counts { counts, rows: digest.rows(), took: begun.elapsed() });
        }
        let text = match self.format {
            Format::Human => migration::human(&migration, &proof, counted.as_ref()),
            Format::Json => migration::json(&migration, &proof, counted.as_ref()),
        };
        stdout::print_text(&text)?;
        Ok(if proof.may_run() { Exit::Fine } else { Exit::Refuted })
    }
}
