//! `keyscape repair`

use crate::{
    database::{only_file, repair},
    failure::{Exit, Failure},
    input::address::Address,
    output::{progress::Progress, stdout},
};
use clap::Args;
use keyscape_store_redb::Repaired;
use std::path::PathBuf;

/// Restore the last complete commit of a database file after a crash or damage
///
/// Reads the whole file, verifies its checksums and restores the last complete commit. Durable
/// commits are never lost, and no commit is applied in part. Commands that read or write rows
/// verify the same checksums first, and reject a damaged file.
///
/// A damaged file is repaired on a copy in the same directory, which needs as much space as the
/// file. A file that is sound, or cannot be repaired, is not changed. Exit status: 2 if the file
/// cannot be repaired.
///
/// A program that opens a file repairs it automatically, and so do `sim`, `migrate run` and
/// `migrate rollback`. The other commands never repair silently: they ask you to run this command.
#[derive(Args, Debug)]
#[command(after_help = "\
EXAMPLES
  keyscape repair shop.redb")]
pub(crate) struct Repair {
    /// The database file
    #[arg(value_name = "DB", value_parser = Address)]
    db: PathBuf,
}

impl Repair {
    pub(crate) fn run(self) -> Result<Exit, Failure> {
        only_file(&self.db)?;
        let progress = Progress::without_rows("repairing");
        let repaired = repair(&self.db)?;
        drop(progress);
        let line = match repaired {
            Repaired::Sound => "sound: no repair was needed",
            Repaired::Restored => "restored to the last complete commit",
        };
        stdout::print_data(format!("{line}\n"))?;
        Ok(Exit::Fine)
    }
}
