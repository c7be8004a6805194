//! `keyscape delete`

use super::target::{Target, incomplete, not_written};
use crate::{
    database::{Additions, Stored, writer},
    failure::{Exit, Failure},
};
use clap::Args;

/// Delete a row of a database
///
/// Takes all fields of the key. Deletes the row and its index entries in one commit. A field of a
/// hash is `hash.field`; a member of a set, zset or queue is `member=…`. A member of a queue is
/// deleted in any state.
///
/// Verifies the checksums of the whole file first. Exit status: 1 if the row does not exist.
#[derive(Args, Debug)]
#[command(after_help = "\
EXAMPLES
  keyscape delete shop.redb orders user=1 order=7")]
pub(crate) struct Delete {
    #[command(flatten)]
    target: Target,
}

impl Delete {
    pub(crate) fn run(self) -> Result<Exit, Failure> {
        let layout = self.target.database.load()?;
        let filter = self.target.row_filter(&layout)?;
        let entry = filter.entry(&layout, Stored::Raw(Vec::new()));
        let entry = entry.map_err(|source| incomplete(&layout, &filter, &source))?;
        let base = self.target.database.open(&layout, Additions::default())?;
        let deleted = base.db.write(|tx| writer(&base).delete(tx, &entry));
        match deleted.map_err(|error| not_written(&layout, &filter, error))? {
            true => Ok(Exit::Fine),
            false => Err(Failure::refuted("the row does not exist")),
        }
    }
}
