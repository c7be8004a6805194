//! `keyscape migrate verify`

use crate::{
    failure::{Exit, Failure},
    input::{
        address::Address,
        migration::{Declared, open_old},
    },
    output::{bytes::hex, message::Message, progress::Progress, stderr::many, stdout},
};
use clap::Args;
use keyscape_migrate::{Difference, MigrateError, Plan, Runner};
use std::path::PathBuf;

/// Compare a migrated database with its old rows
///
/// Without --against, recomputes the digest of all rows and compares it with the digest that the
/// run computed from the old rows. Rows that were written since then differ. With --against, reads
/// the old database as well, computes the new row of every old row, and compares the rows one by
/// one. The old database is the one that was copied, or a backup of a database that was migrated in
/// place.
///
/// Exit status: 1 if something differs.
#[derive(Args, Debug)]
#[command(after_help = "\
EXAMPLES
  keyscape migrate verify shop.redb
  keyscape migrate verify new.redb --against shop.redb")]
pub(crate) struct VerifyArguments {
    /// The migrated database
    #[arg(value_name = "DB", value_parser = Address)]
    db: PathBuf,
    /// The old database, or a backup of it
    #[arg(long, value_name = "OLD", value_parser = Address)]
    against: Option<PathBuf>,
}

impl VerifyArguments {
    pub(crate) fn run(self) -> Result<Exit, Failure> {
        let declared = Declared::last(&self.db)?;
        let migration = declared.migration()?;
        let proof = declared.prove(&migration);
        let runner = Runner::rollback(&migration, &proof, &declared.text, "")?;
        let new = open_old(&self.db, &declared.new)?;
        let mut progress = Progress::new("comparing");
        let mut text = String::new();
        match &self.against {
            Some(path) => {
                let old = open_old(path, &declared.old)?;
                for difference in runner.verify_copy(&old, &new, || progress.row())? {
                    text.push_str(&message(&difference).render(None));
                }
                if text.is_empty() {
                    text = "every row is what the migration makes of its old row\n".to_owned();
                    return finish(&text, Exit::Fine);
                }
            }
            None => {
                let plan = Plan::last(&new.read()?)?.ok_or(MigrateError::Plan)?;
                let found = runner.digest_new(&new, || progress.row())?;
                if found == plan.digest {
                    let rows = many(found.rows(), "row");
                    text = format!("{rows} have the digest of the images of the old rows\n");
                    return finish(&text, Exit::Fine);
                }
                let title = format!(
                    "the rows differ from those that the migration made: {} instead of {}",
                    many(found.rows(), "row"),
                    plan.digest.rows()
                );
                let help = "compare them with `--against OLD`, if a backup exists".to_owned();
                text = Message::error(title).with_help(Some(help)).render(None);
            }
        }
        finish(&text, Exit::Refuted)
    }
}

fn finish(text: &str, exit: Exit) -> Result<Exit, Failure> {
    stdout::print_text(text)?;
    Ok(exit)
}

fn message(difference: &Difference) -> Message {
    Message::error(match difference {
        Difference::Missing { space, key } => {
            format!("{space}: the new row of {} is missing", hex(key))
        }
        Difference::Value { space, key } => format!("{space}: the value of {} differs", hex(key)),
        Difference::Rows { expected, found } => format!(
            "the new database has {} besides derived rows and token counters, and the migration \
             makes {expected}",
            many(*found, "row")
        ),
    })
}
