//! `keyscape repair`

use crate::{
    database::DatabaseError,
    exit::Exit,
    failure::Failure,
    output::{progress::Progress, stdout},
};
use clap::Args;
use keyscape_store_redb::Repaired;
use std::{io::Write, path::PathBuf};

/// Repair a database file that was not closed cleanly
///
/// All of the file is read and its checksums are verified; it is left at its last complete commit.
/// Commits that were acknowledged as durable stay; of others none is there in part. The other commands
/// verify the same checksums before they read or write, and refuse a damaged file.
///
/// A file that is not sound is repaired on a copy in the same directory, which needs as much space as the file. A file that
/// is sound, or cannot be repaired, is not changed. Exit status: 2 if it cannot be repaired.
///
/// A program that opens a file that was not closed cleanly repairs it by itself, and so does `sim`. The other commands do not:
/// they name this one, so that nothing is repaired without a word.
#[derive(Args, Debug)]
#[command(after_help = "\
EXAMPLES
  keyscape repair shop.redb")]
pub(crate) struct Repair {
    /// The database file
    #[arg(value_name = "DB")]
    db: PathBuf,
}

impl Repair {
    pub(crate) fn run(self) -> Result<Exit, Failure> {
        let progress = Progress::without_rows("repairing");
        let repaired = keyscape_store_redb::repair(&self.db).map_err(DatabaseError::Repair)?;
        drop(progress);
        let line = match repaired {
            Repaired::Sound => "sound: nothing had to be done",
            Repaired::Restored => "restored: it is at its last complete commit",
        };
        let mut out = stdout::plain();
        writeln!(out, "{line}")?;
        Ok(Exit::Fine)
    }
}
