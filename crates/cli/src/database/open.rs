//! Opens database files with a layout.

use super::{DatabaseError, Reader, SavedLayout};
use crate::{
    failure::Failure,
    output::{
        message::{Level, Message},
        progress::Progress,
        talk,
    },
};
use clap::Args;
use keyscape_layout::Layout;
use keyscape_store::{Db, LayoutError, Spaces, StoreError};
use keyscape_store_redb::Options;
use std::path::Path;

/// The purpose for which a file is opened.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Opened {
    /// For reading. The file does not change.
    ToRead(Verification),
    /// For writing.
    ToWrite(Verification),
    /// For writing a new file, which must not exist.
    New,
}

/// An open database with its layout.
#[derive(Debug)]
pub(crate) struct OpenDatabase<'l> {
    pub(crate) layout: &'l Layout,
    pub(crate) db: Db,
    pub(crate) reader: Reader<'l>,
    /// Spaces of the file that the layout does not have.
    pub(crate) others: Vec<String>,
}

impl<'l> OpenDatabase<'l> {
    /// Opens a file. Proves the layout first if the file will be written, see [`sound`].
    pub(crate) fn open(layout: &'l Layout, path: &Path, how: Opened) -> Result<Self, Failure> {
        if !matches!(how, Opened::ToRead(_)) {
            sound(layout)?;
        }
        let reader = Reader::new(layout)?;
        let saved = SavedLayout::of(layout);
        let failed = |source| DatabaseError::Layout { path: path.to_owned(), source };
        let options = Options::new().verify(false);
        let (db, others) = match how {
            Opened::New => {
                let create = |layout: &keyscape_store::Layout<'_>| {
                    keyscape_store_redb::create_with(path, &[layout], &options)
                };
                let made = saved.lend(create);
                (made.map_err(|error| DatabaseError::making(path, error))?, Vec::new())
            }
            Opened::ToWrite(verification) => {
                // redb would silently repair a file that was not closed cleanly.
                options.open_whatever(path).map_err(|error| failed(error.into()))?;
                verification.run(path).map_err(|error| failed(error.into()))?;
                let open = |layout: &keyscape_store::Layout<'_>| {
                    keyscape_store_redb::open_with(path, &[layout], &options)
                };
                (saved.lend(open).map_err(failed)?, Vec::new())
            }
            Opened::ToRead(verification) => {
                read_only(path, &saved, &options, verification).map_err(failed)?
            }
        };
        Ok(Self { layout, db, reader, others })
    }
}

/// Opens a file for reading with all its spaces, including those outside the layout.
fn read_only(
    path: &Path,
    saved: &SavedLayout,
    options: &Options,
    verification: Verification,
) -> Result<(Db, Vec<String>), LayoutError> {
    let there = Db::new(options.open_whatever(path)?);
    let names = there.spaces().iter().map(|(_, name)| name.to_owned());
    let others: Vec<String> = names
        .filter(|name| !name.starts_with(Spaces::RESERVED) && !saved.spaces().contains(name))
        .collect();
    drop(there);
    verification.run(path)?;
    let spaces = Spaces::new(saved.spaces().iter().chain(&others))?;
    let db = Db::new(options.open_read_only(path, spaces)?);
    saved.lend(|layout| db.admit(&[layout]))?;
    Ok((db, others))
}

/// Proves a layout before a write. Prints the claims that do not hold.
pub(crate) fn sound(layout: &Layout) -> Result<(), Failure> {
    let report = keyscape_prover::check(layout, keyscape_prover::Config::default());
    if report.holds() {
        return Ok(());
    }
    talk::print(&keyscape_report::findings(layout, &report, false));
    Err(DatabaseError::Unsound.into())
}

/// Whether a file is verified before it is read or written.
#[derive(Args, Clone, Copy, Debug, Default)]
pub(crate) struct Verification {
    /// Do not verify the checksums of the file first: faster on large files, but damaged rows are
    /// not noticed
    #[arg(long)]
    no_verify: bool,
}

impl Verification {
    /// Verifies all checksums of a file, or warns that they are not verified.
    pub(crate) fn run(self, path: &Path) -> Result<(), StoreError> {
        if self.no_verify {
            let title = format!("`{}` is not verified: rows may be damaged", path.display());
            talk::say(&Message::new(Level::Warning, title));
            return Ok(());
        }
        let progress = Progress::without_rows("verifying");
        let verified = keyscape_store_redb::verify(path);
        drop(progress);
        verified
    }
}
