//! Opening a file with a layout.

use super::{DatabaseError, Reader, SavedLayout, Verification};
use crate::failure::Failure;
use keyscape_layout::Layout;
use keyscape_store::{Db, LayoutError, Spaces};
use keyscape_store_redb::Options;
use std::path::Path;

/// What a file is opened for.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Opened {
    /// To read. Nothing of the file changes.
    ToRead(Verification),
    /// To write.
    ToWrite(Verification),
    /// To write; there must be no such file yet.
    New,
}

/// An open database with its layout.
#[derive(Debug)]
pub(crate) struct Base<'l> {
    pub(crate) layout: &'l Layout,
    pub(crate) db: Db,
    pub(crate) reader: Reader<'l>,
    /// Spaces of the file that the layout does not have.
    pub(crate) others: Vec<String>,
}

impl<'l> Base<'l> {
    /// Opens a file. Whoever writes proves the layout first, see [`sound`].
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
                // redb would repair a file that was not closed cleanly without a word.
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

/// Opens a file to read with all spaces that it has, those of the layout among them.
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

/// Nothing is written by a layout with a claim that does not hold; what is wrong is said.
pub(crate) fn sound(layout: &Layout) -> Result<(), Failure> {
    let report = keyscape_prover::check(layout, keyscape_prover::Config::default());
    if report.holds() {
        return Ok(());
    }
    crate::output::talk::print(&keyscape_report::findings(layout, &report, false));
    Err(DatabaseError::Unsound.into())
}
