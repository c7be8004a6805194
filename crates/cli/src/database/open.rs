//! Opens database files with a layout.

use super::{DatabaseError, Reader, RowFilter, SavedLayout, indexes::DynamicIndexes, space_name};
use crate::{
    failure::Failure,
    input::layout::joined,
    output::{
        message::{Level, Message},
        progress::Progress,
        talk,
    },
};
use clap::Args;
use keyscape_layout::{Layout, model::KeyspaceId};
use keyscape_store::{
    Admission, Db, LayoutError, Spaces, StoreError, UnbuiltIndex, saved_stores, saved_texts,
};
use keyscape_store_redb::Options;
use std::path::{Path, PathBuf};

/// The purpose for which a file is opened.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Opened {
    /// For reading. The file does not change.
    ToRead(Verification),
    /// For writing.
    ToWrite(Verification, Additions),
    /// For writing, and for building indexes.
    ToBuild(Verification, Additions),
    /// For writing a new file, which must not exist.
    New,
}

/// Additions to the layout of a database that a command may make.
#[derive(Args, Clone, Copy, Debug, Default)]
pub(crate) struct Additions {
    /// Add stores of the layout that the database does not have yet
    #[arg(long)]
    add_store: bool,
}

/// An open database with its layout.
#[derive(Debug)]
pub(crate) struct OpenDatabase<'l> {
    pub(crate) layout: &'l Layout,
    pub(crate) db: Db,
    pub(crate) reader: Reader<'l>,
    /// Spaces of the file that the layout does not have.
    pub(crate) others: Vec<String>,
    path: PathBuf,
    unbuilt: Vec<UnbuiltIndex>,
}

impl<'l> OpenDatabase<'l> {
    /// Opens a file. Proves the layout first if the file will be written, see [`sound`].
    pub(crate) fn open(layout: &'l Layout, path: &Path, how: Opened) -> Result<Self, Failure> {
        if !matches!(how, Opened::ToRead(_)) {
            sound(layout)?;
        }
        let reader = Reader::new(layout)?;
        let mut saved = SavedLayout::of(layout);
        let failed = |source| DatabaseError::Layout { path: path.to_owned(), source };
        let options = Options::new().verify(false);
        let (db, others, unbuilt) = match how {
            Opened::New => {
                let create = |layout: &keyscape_store::Layout<'_>| {
                    keyscape_store_redb::create_with(path, &[layout], &options)
                };
                let made = saved.lend(&[], create);
                let db = made.map_err(|error| DatabaseError::making(path, error))?;
                (db, Vec::new(), Vec::new())
            }
            Opened::ToWrite(verification, additions) | Opened::ToBuild(verification, additions) => {
                // redb would silently repair a file that was not closed cleanly.
                let there = open_all(path, &options).map_err(|error| failed(error.into()))?;
                let texts = saved_texts(&there.read()?)?;
                if joined(&texts).text() == saved.text() {
                    saved.forget_text();
                }
                drop(there);
                verification.run(path).map_err(|error| failed(error.into()))?;
                let admission = Admission::new().add_stores(additions.add_store);
                let admission = match how {
                    Opened::ToBuild(..) => admission.begin_indexes(),
                    _ => admission.leave_indexes(),
                };
                let (db, unbuilt) =
                    writable(layout, path, &saved, &reader, admission).map_err(failed)?;
                (db, Vec::new(), unbuilt)
            }
            Opened::ToRead(verification) => {
                read_only(layout, path, &saved, &reader, verification).map_err(failed)?
            }
        };
        Ok(Self { layout, db, reader, others, path: path.to_owned(), unbuilt })
    }

    /// Checks that a keyspace is not an index whose entries are incomplete.
    pub(crate) fn refuse_unbuilt(&self, id: KeyspaceId) -> Result<(), DatabaseError> {
        let (space, keyspace) = (space_name(self.layout, id), self.layout.keyspace(id));
        let is_it = |index: &&UnbuiltIndex| *index.space == *space && *index.name == *keyspace.name;
        match self.unbuilt.iter().find(is_it) {
            Some(index) => Err(DatabaseError::Unbuilt {
                path: self.path.clone(),
                index: keyspace.name.clone(),
                rows: index.rows,
            }),
            None => Ok(()),
        }
    }

    /// Whether a keyspace is not an index, or is a built one.
    pub(crate) fn is_built(&self, id: KeyspaceId) -> bool {
        self.refuse_unbuilt(id).is_ok()
    }

    /// Returns the bytes that all stored keys of a keyspace begin with.
    pub(crate) fn prefix(&self, id: KeyspaceId) -> Result<Vec<u8>, DatabaseError> {
        Ok(RowFilter::all(id).prefix(self.layout)?)
    }

    /// Warns about indexes that are not built.
    pub(crate) fn warn_unbuilt(&self) {
        for index in &self.unbuilt {
            let (name, path) = (&index.name, self.path.display());
            let title = format!("index `{name}` is not built, and cannot be read");
            let help = format!("build it with `keyscape index build {path} {name}`");
            talk::say(&Message::new(Level::Warning, title).with_help(Some(help)));
        }
    }
}

/// Opens a file for reading with all its tables.
fn open_all(path: &Path, options: &Options) -> Result<Db, StoreError> {
    Ok(Db::new(options.open_all_spaces(path)?))
}

/// Opens a file for writing.
fn writable(
    layout: &Layout,
    path: &Path,
    saved: &SavedLayout,
    reader: &Reader<'_>,
    admission: Admission,
) -> Result<(Db, Vec<UnbuiltIndex>), LayoutError> {
    let options = Options::new().verify(false);
    DynamicIndexes::new(layout, reader).lend(|indexes| {
        saved.lend(indexes, |saved| {
            let spaces = keyscape_store::Layout::spaces_of(&[saved])?;
            let db = Db::new(options.open(path, spaces)?);
            let unbuilt = db.admit_with(&[saved], admission)?;
            Ok((db, unbuilt))
        })
    })
}

/// Opens a file for reading with all its spaces, including those outside the layout. The file may
/// be that of another program, and the layout an older text.
fn read_only(
    layout: &Layout,
    path: &Path,
    saved: &SavedLayout,
    reader: &Reader<'_>,
    verification: Verification,
) -> Result<(Db, Vec<String>, Vec<UnbuiltIndex>), LayoutError> {
    let options = Options::new();
    let there = open_all(path, &options)?;
    let names = there.spaces().iter().map(|(_, name)| name.to_owned());
    let (ours, others): (Vec<String>, Vec<String>) = names
        .filter(|name| !name.starts_with(Spaces::RESERVED))
        .partition(|name| saved.spaces().contains(name));
    let is_foreign = saved_stores(&there.read()?)?.is_empty();
    drop(there);
    if is_foreign && ours.is_empty() && !others.is_empty() {
        let known = others.into_iter().map(String::into_boxed_str).collect();
        return Err(LayoutError::NoCommonStore { known });
    }
    verification.run(path)?;
    let spaces = Spaces::new(saved.spaces().iter().chain(&others))?;
    let db = Db::new(options.open_read_only(path, spaces)?);
    let admission = Admission::new().leave_indexes().lenient();
    let unbuilt = DynamicIndexes::new(layout, reader)
        .lend(|indexes| saved.lend(indexes, |saved| db.admit_with(&[saved], admission)))?;
    Ok((db, others, unbuilt))
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
