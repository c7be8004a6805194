//! `keyscape salvage`

use crate::{
    database::{DatabaseError, joined, only_file, publish, stage},
    failure::{Exit, Failure},
    input::{
        address::Address,
        layout::{is_database, load},
    },
    output::{bytes::hex, message::Message, stderr, stderr::many, stdout},
    salvage::{self, Gap, Salvaged},
};
use clap::Args;
use keyscape_diagnostics::file;
use keyscape_layout::{Built, Layout};
use keyscape_store::{Db, StoreError, StoreErrorKind, saved_texts};
use keyscape_store_redb::Damaged;
use std::{
    fs::File,
    io,
    path::{Path, PathBuf},
};
use tempfile::NamedTempFile;

/// Copy the readable rows of a damaged database to a new file
///
/// Copies every row that can be read and decoded, and writes index entries, counts, ranks and other
/// derived records again. Prints what was lost: rows that do not decode, and ranges of keys that
/// cannot be read. Try `keyscape repair` first: it restores a complete commit, if the file has one.
///
/// NEW is complete, or does not exist. The damaged file is not changed. A damaged page may contain
/// values that decode and are wrong: compare the result with other sources. Exit status: 1 if
/// something was lost; 2 if nothing can be read, or NEW exists.
#[derive(Args, Debug)]
#[command(after_help = "\
EXAMPLES
  keyscape salvage damaged.redb saved.redb
  keyscape salvage damaged.redb saved.redb --layout shop.keys")]
pub(crate) struct Salvage {
    /// The damaged database file
    #[arg(value_name = "DB", value_parser = Address)]
    db: PathBuf,
    /// The database file to create
    #[arg(value_name = "NEW", value_parser = Address)]
    new: PathBuf,
    /// Use this layout instead of the one in the database: a `.keys` file, or `-` for stdin
    #[arg(long, value_name = "FILE")]
    layout: Option<PathBuf>,
}

impl Salvage {
    pub(crate) fn run(self) -> Result<Exit, Failure> {
        only_file(&self.db)?;
        let damaged = open(&self.db)?;
        let layout = match &self.layout {
            Some(path) => load(path)?,
            None => saved_layout(damaged.db(), &self.db)?,
        };
        let (new, staged) = stage(&layout, &self.new)?;
        let salvaged = salvage::copy(damaged.db(), &new)?;
        publish(new, staged)?;
        stdout::print_text(&text(&salvaged))?;
        if keyscape_store_redb::verify(&self.db).is_err() {
            stderr::warn(
                "the checksums of the file do not match: copied values may be wrong",
                None,
            );
        }
        Ok(if salvaged.is_complete() { Exit::Fine } else { Exit::Refuted })
    }
}

/// Opens a damaged file of which rows can be read. Refers to `keyscape repair` only if a repair
/// succeeds.
fn open(path: &Path) -> Result<Damaged, Failure> {
    let source = match keyscape_store_redb::open_damaged(path) {
        Ok(damaged) if salvage::has_rows(damaged.db()) => return Ok(damaged),
        Ok(_) => StoreError::new(StoreErrorKind::Corrupt { what: "damaged" }).in_file(path),
        Err(error) => error,
    };
    let is_damage =
        matches!(source.kind(), StoreErrorKind::Corrupt { .. } | StoreErrorKind::NeedsRepair);
    if is_damage && is_database(path) && can_repair(path).is_ok_and(|can_repair| !can_repair) {
        return Err(Failure::input(
            format!("no row of `{}` can be read", path.display()),
            "restore it from a backup; `keyscape repair` cannot restore a commit either",
        ));
    }
    Err(DatabaseError::Layout { path: path.to_owned(), source: source.into() }.into())
}

/// Whether a repair would succeed. Repairs a copy beside the file, which nobody else can read.
fn can_repair(path: &Path) -> io::Result<bool> {
    let folder = path.parent().filter(|folder| *folder != Path::new(""));
    let mut copy = NamedTempFile::new_in(folder.unwrap_or(Path::new(".")))?;
    io::copy(&mut File::open(path)?, &mut copy)?;
    Ok(keyscape_store_redb::repair(copy.into_temp_path()).is_ok())
}

/// Loads the layout that a damaged file stores, if it can be read.
fn saved_layout(db: &Db, path: &Path) -> Result<Layout, Failure> {
    let texts = db.read().and_then(|state| saved_texts(&state)).map_err(|_| {
        let title = format!("the layout that `{}` stores cannot be read", path.display());
        Failure::input(title, "give it with `--layout FILE`")
    })?;
    if texts.is_empty() {
        return Err(DatabaseError::NoLayout { path: path.to_owned() }.into());
    }
    Ok(file::read_bundle(&Built::default(), path, &joined(&texts))?)
}

/// Lists the lost rows and keys, and counts the copied rows.
fn text(salvaged: &Salvaged) -> String {
    let mut text = String::new();
    for ((store, reason), dropped) in &salvaged.dropped {
        let mut message =
            Message::error(format!("{store}: {reason}: {}", many(dropped.rows, "row")));
        dropped.keys.iter().for_each(|key| message.line(hex(key)));
        let more = dropped.rows.saturating_sub(dropped.keys.len() as u64);
        if more > 0 {
            message.line(format!("and {more} more"));
        }
        text.push_str(&message.render(None));
    }
    for (store, Gap { after, before }) in &salvaged.gaps {
        let after = after.as_deref().map_or_else(|| "the first key".to_owned(), hex);
        let before = before.as_deref().map_or_else(|| "the last key".to_owned(), hex);
        let title = format!("{store}: keys between {after} and {before} cannot be read");
        text.push_str(&Message::error(title).render(None));
    }
    let Salvaged { read, copied, .. } = salvaged;
    text.push_str(&format!(
        "read {}, copied {copied}; derived rows were written again\n",
        many(*read, "row")
    ));
    text
}
