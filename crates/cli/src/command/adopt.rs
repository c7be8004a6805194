//! `keyscape adopt`

use crate::{
    database::{Body, DatabaseError, Reader, SavedLayout, Stored, Verification, sound},
    exit::Exit,
    failure::Failure,
    output::{
        bytes::hex,
        message::Message,
        progress::Progress,
        talk::{self, many},
    },
};
use clap::Args;
use keyscape_report::file;
use keyscape_store::{LayoutError, Unfit};
use keyscape_store_redb::Options;
use std::path::PathBuf;

/// Check a database file that has no layout, and store a layout in it
///
/// Decodes the key and value of every row. If all rows fit, the command stores the layout in the
/// file, and other commands and programs can open it. Otherwise nothing is written, and the first
/// rows that do not fit are printed. Rows are never changed.
///
/// Proves the layout and verifies the checksums of the file first. Exit status: 1 if a row does not
/// fit or the layout is not sound.
#[derive(Args, Debug)]
#[command(after_help = "\
EXAMPLES
  keyscape adopt layouts/bank/sound.keys node.redb")]
pub(crate) struct Adopt {
    /// The layout; `-` is stdin
    layout: PathBuf,
    /// The database file
    #[arg(value_name = "DB")]
    db: PathBuf,
    #[command(flatten)]
    verification: Verification,
}

/// The maximum number of misfits that are printed.
const SHOWN: usize = 10;

impl Adopt {
    pub(crate) fn run(self) -> Result<Exit, Failure> {
        let layout = file::open(&self.layout)?;
        sound(&layout)?;
        let reader = Reader::new(&layout)?;
        let failed = |source| DatabaseError::Layout { path: self.db.clone(), source };
        // redb would silently repair a file that was not closed cleanly.
        let options = Options::new().verify(false);
        options.open_whatever(&self.db).map_err(|error| failed(error.into()))?;
        self.verification.run(&self.db).map_err(|error| failed(error.into()))?;
        let mut progress = Progress::new("checking");
        let mut rows = 0_u64;
        let adopted = SavedLayout::of(&layout).lend(|saved| {
            let check = |space: &str, key: &[u8], value: &[u8]| {
                progress.row();
                rows += 1;
                match reader.read(space, key, value)?.body {
                    Body::Row(Stored::Raw(_)) | Body::Field { value: Stored::Raw(_), .. } => {
                        Err("its value does not have the declared form")
                    }
                    _ => Ok(()),
                }
            };
            keyscape_store_redb::adopt(&self.db, &[saved], &options, check)
        });
        drop(progress);
        match adopted {
            Ok(_) => {
                talk::print(&format!("adopted {}: all fit the layout\n", many(rows, "row")));
                Ok(Exit::Fine)
            }
            Err(source) => {
                if let LayoutError::Unfit { rows, total } = &source {
                    show(rows, *total);
                }
                Err(failed(source).into())
            }
        }
    }
}

fn show(rows: &[Unfit], total: u64) {
    for Unfit { space, key, reason } in rows.iter().take(SHOWN) {
        let key = if key.is_empty() { "the empty key".to_owned() } else { hex(key) };
        talk::say(&Message::error(format!("{space}: {key}: {reason}")));
    }
    let more = total.saturating_sub(rows.len().min(SHOWN) as u64);
    if more > 0 {
        talk::print(&format!("and {more} more\n"));
    }
}
