//! Opens database files, verified unless the command line says otherwise.

use super::{
    DatabaseError, DynamicIndexes, OpenDatabase, Reader, SavedLayout, engine, joined, sound,
};
use crate::{
    output::{progress::Progress, stderr},
    salvage,
};
use clap::Args;
use keyscape_inspect::database::build_help;
use keyscape_layout::{Bundle, Layout};
use keyscape_store::{
    Admission, Db, LayoutError, Spaces, StoreError, UnbuiltIndex, saved_stores, saved_texts,
};
use keyscape_store_redb::{Options, Repaired, StagedFile};
use std::{path::Path, sync::Arc};

/// The purpose for which a database is opened.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Opened {
    /// For reading. It does not change.
    ToRead(Verification),
    /// For writing.
    ToWrite(Verification, Additions),
    /// For writing, and for building indexes.
    ToBuild(Verification, Additions),
    /// For writing a new database, which must not exist.
    New,
}

/// Additions to the layout of a database that a command may make.
#[derive(Args, Clone, Copy, Debug, Default)]
pub(crate) struct Additions {
    /// Add stores of the layout that the database does not have yet
    #[arg(long)]
    add_store: bool,
}

/// Opens a database. Proves the layout first if it will be written. Verifies an existing file
/// before it is read or written.
///
/// # Errors
/// [`DatabaseError::Unsound`] if the layout is not proved, [`DatabaseError::TooLarge`] if its
/// automata are too large, and [`DatabaseError::Layout`] if the database does not fit the layout.
pub(crate) fn open<'l>(
    layout: &'l Layout,
    path: &Path,
    how: Opened,
) -> Result<OpenDatabase<'l>, DatabaseError> {
    let failed = |source| DatabaseError::Layout { path: engine::shown(path), source };
    let (verification, additions, admission) = match how {
        Opened::New => {
            let (base, staged) = stage(layout, path)?;
            if let Some(staged) = staged {
                staged.publish().map_err(|error| DatabaseError::making(path, error.into()))?;
            }
            return Ok(base);
        }
        Opened::ToRead(verification) => {
            let reader = Reader::new(layout)?;
            let opened = read_only(layout, path, &reader, verification).map_err(failed)?;
            return Ok(join(layout, &reader, path, opened));
        }
        Opened::ToWrite(verification, additions) => {
            (verification, additions, Admission::new().leave_indexes())
        }
        Opened::ToBuild(verification, additions) => {
            (verification, additions, Admission::new().begin_indexes())
        }
    };
    sound(layout)?;
    let reader = Reader::new(layout)?;
    let mut saved = SavedLayout::of(layout);
    // redb would silently repair a file that was not closed cleanly.
    let existing = engine::open_all_spaces(path).map_err(|error| failed(error.into()))?;
    let texts = saved_texts(&existing.read()?)?;
    if joined(&texts).text() == saved.text() {
        saved.forget_text();
    }
    drop(existing);
    verification.run(path).map_err(|error| failed(error.into()))?;
    let admission = admission.add_stores(additions.add_store);
    let opened = writable(layout, path, &saved, &reader, admission).map_err(failed)?;
    Ok(join(layout, &reader, path, opened))
}

/// Creates a database, which must not exist. A file has a temporary name until [`publish`]. A
/// server cannot rename a database, so it is filled in place.
pub(crate) fn stage<'l>(
    layout: &'l Layout,
    path: &Path,
) -> Result<(OpenDatabase<'l>, Option<StagedFile>), DatabaseError> {
    sound(layout)?;
    let reader = Reader::new(layout)?;
    let saved = SavedLayout::of(layout);
    let (db, staged) = if engine::server(path).is_some() {
        let create = |layout: &keyscape_store::Layout<'_>| engine::create(path, &[layout]);
        let failed = |source| DatabaseError::Layout { path: engine::shown(path), source };
        (saved.lend(&[], create).map_err(failed)?, None)
    } else {
        let options = Options::new().verify(false);
        let stage = |layout: &keyscape_store::Layout<'_>| {
            keyscape_store_redb::stage(path, &[layout], &options)
        };
        let failed = |error| DatabaseError::making(path, error);
        let (db, staged) = saved.lend(&[], stage).map_err(failed)?;
        (db, Some(staged))
    };
    Ok((join(layout, &reader, path, (db, Vec::new(), Vec::new())), staged))
}

/// Closes a new database, and gives a staged file its final name.
///
/// # Errors
/// If another file has got the name meanwhile.
pub(crate) fn publish(
    base: OpenDatabase<'_>,
    staged: Option<StagedFile>,
) -> Result<(), DatabaseError> {
    let path = base.path().to_owned();
    drop(base);
    let Some(staged) = staged else { return Ok(()) };
    staged.publish().map_err(|error| DatabaseError::making(&path, error.into()))
}

/// A database, its spaces outside the layout, and its indexes that are not built.
type Parts = (Db, Vec<String>, Vec<UnbuiltIndex>);

fn join<'l>(
    layout: &'l Layout,
    reader: &Reader<'l>,
    path: &Path,
    (db, others, unbuilt): Parts,
) -> OpenDatabase<'l> {
    let automata = Arc::clone(reader.automata());
    OpenDatabase::join(layout, db, automata, others, unbuilt).at(engine::shown(path))
}

/// Opens a database for writing.
fn writable(
    layout: &Layout,
    path: &Path,
    saved: &SavedLayout,
    reader: &Reader<'_>,
    admission: Admission,
) -> Result<Parts, LayoutError> {
    DynamicIndexes::new(layout, reader).lend(|indexes| {
        saved.lend(indexes, |saved| {
            let spaces = keyscape_store::Layout::spaces_of(&[saved])?;
            let db = engine::open_spaces(path, spaces)?;
            let unbuilt = db.admit_with(&[saved], admission)?;
            Ok((db, Vec::new(), unbuilt))
        })
    })
}

/// Opens a database for reading with all its spaces, including those outside the layout. It may be
/// that of another program, and the layout an older text.
fn read_only(
    layout: &Layout,
    path: &Path,
    reader: &Reader<'_>,
    verification: Verification,
) -> Result<Parts, LayoutError> {
    let saved = SavedLayout::of(layout);
    let existing = engine::open_all_spaces(path)?;
    let names = existing.spaces().iter().map(|(_, name)| name.to_owned());
    let (ours, others): (Vec<String>, Vec<String>) = names
        .filter(|name| !name.starts_with(Spaces::RESERVED))
        .partition(|name| saved.spaces().contains(name));
    let is_foreign = saved_stores(&existing.read()?)?.is_empty();
    drop(existing);
    if is_foreign && ours.is_empty() && !others.is_empty() {
        let known = others.into_iter().map(String::into_boxed_str).collect();
        return Err(LayoutError::NoCommonStore { known });
    }
    verification.run(path)?;
    let spaces = Spaces::new(saved.spaces().iter().chain(&others))?;
    let db = engine::open_spaces_read_only(path, spaces)?;
    let admission = Admission::new().leave_indexes().lenient();
    let unbuilt = DynamicIndexes::new(layout, reader)
        .lend(|indexes| saved.lend(indexes, |saved| db.admit_with(&[saved], admission)))?;
    Ok((db, others, unbuilt))
}

/// Returns all files of the layout that a database stores, as one text.
///
/// # Errors
/// [`DatabaseError::NoLayout`] if the database stores none.
pub(crate) fn saved_bundle(path: &Path) -> Result<Bundle, DatabaseError> {
    let failed = |source| DatabaseError::Layout { path: engine::shown(path), source };
    let opened = engine::open_all_spaces(path).map_err(|error| failed(error.into()))?;
    let texts = opened.read().and_then(|state| saved_texts(&state));
    let texts = texts.map_err(|error| failed(error.in_file(path).into()))?;
    if texts.is_empty() {
        return Err(DatabaseError::NoLayout { path: engine::shown(path) });
    }
    Ok(joined(&texts))
}

/// Restores the last complete commit of a file.
pub(crate) fn repair(path: &Path) -> Result<Repaired, DatabaseError> {
    let failed = |source| {
        let damaged = keyscape_store_redb::open_damaged(path).ok();
        let db = damaged.as_ref().map(|damaged| damaged.db());
        let texts = db.and_then(|db| saved_texts(&db.read().ok()?).ok());
        DatabaseError::Repair {
            source,
            is_readable: db.is_some_and(salvage::has_rows),
            has_layout: texts.is_some_and(|texts| !texts.is_empty()),
        }
    };
    keyscape_store_redb::repair(path).map_err(failed)
}

/// Warns about indexes that are not built.
pub(crate) fn warn_unbuilt(base: &OpenDatabase<'_>, layout: Option<&Path>) {
    for index in base.unbuilt() {
        let title = format!("index `{}` is not built, and cannot be read", index.name);
        let help = engine::repeatable(build_help(base.path(), &index.name, layout));
        stderr::warn(title, Some(&help));
    }
}

/// Rejects the address of a server, for commands that work on files.
pub(crate) fn only_file(path: &Path) -> Result<(), DatabaseError> {
    match engine::server(path) {
        Some(_) => Err(DatabaseError::NotAFile { path: engine::shown(path) }),
        None => Ok(()),
    }
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
        if self.no_verify && engine::server(path).is_none() {
            let title = format!("`{}` is not verified: rows may be damaged", path.display());
            stderr::warn(title, None);
            return Ok(());
        }
        let progress = Progress::without_rows("verifying");
        let verified = engine::verify(path);
        drop(progress);
        verified
    }
}
