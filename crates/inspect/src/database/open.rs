//! Opens database files with a layout.

use super::{
    Automata, DatabaseError, Reader, RowFilter, SavedLayout, engine, indexes::DynamicIndexes,
    joined, space_name,
};
use keyscape_layout::{Layout, model::KeyspaceId};
use keyscape_store::{
    Admission, Db, LayoutError, Spaces, StoreError, UnbuiltIndex, saved_stores, saved_texts,
};
use keyscape_store_redb::{Options, StagedFile};
use std::{
    path::{Path, PathBuf},
    sync::Arc,
};

/// The purpose for which a file is opened.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Purpose {
    /// Reading. The file does not change.
    Read,
    /// Writing. With `add_stores`, stores of the layout that the database lacks are added.
    Write {
        /// Whether stores may be added.
        add_stores: bool,
    },
    /// Writing, and building indexes.
    Build {
        /// Whether stores may be added.
        add_stores: bool,
    },
    /// Writing a new file, which must not exist.
    Create,
    /// Writing a new file under a temporary name, until [`OpenDatabase::publish`].
    Stage,
}

/// An open database with its layout.
#[derive(Debug)]
pub struct OpenDatabase<'l> {
    pub layout: &'l Layout,
    pub db: Db,
    pub reader: Reader<'l>,
    /// Spaces of the file that the layout does not have.
    pub others: Vec<String>,
    path: PathBuf,
    unbuilt: Vec<UnbuiltIndex>,
    staged: Option<StagedFile>,
}

impl<'l> OpenDatabase<'l> {
    /// Opens a file. Proves the layout first if the file will be written, see [`sound`]. Calls
    /// `verify` before an existing file is read or written.
    ///
    /// # Errors
    /// [`DatabaseError::Unsound`] if the layout is not proved, [`DatabaseError::TooLarge`] if its
    /// automata are too large, and [`DatabaseError::Layout`] if the file does not fit the layout.
    pub fn open(
        layout: &'l Layout,
        path: &Path,
        purpose: Purpose,
        verify: impl FnOnce(&Path) -> Result<(), StoreError>,
    ) -> Result<Self, DatabaseError> {
        if purpose != Purpose::Read {
            sound(layout)?;
        }
        let reader = Reader::new(layout)?;
        let mut saved = SavedLayout::of(layout);
        let failed = |source| DatabaseError::Layout { path: engine::shown(path), source };
        let mut staged = None;
        let (db, others, unbuilt) = match purpose {
            // A server cannot rename a database, so it is filled in place.
            Purpose::Create | Purpose::Stage if engine::server(path).is_some() => {
                let create = |layout: &keyscape_store::Layout<'_>| engine::create(path, &[layout]);
                (saved.lend(&[], create).map_err(failed)?, Vec::new(), Vec::new())
            }
            Purpose::Create | Purpose::Stage => {
                let options = Options::new().verify(false);
                let stage = |layout: &keyscape_store::Layout<'_>| {
                    keyscape_store_redb::stage(path, &[layout], &options)
                };
                let failed = |error| DatabaseError::making(path, error);
                let (db, new) = saved.lend(&[], stage).map_err(failed)?;
                match purpose {
                    Purpose::Create => new.publish().map_err(|error| failed(error.into()))?,
                    _ => staged = Some(new),
                }
                (db, Vec::new(), Vec::new())
            }
            Purpose::Write { add_stores } | Purpose::Build { add_stores } => {
                // redb would silently repair a file that was not closed cleanly.
                let there = engine::open_all_spaces(path).map_err(|error| failed(error.into()))?;
                let texts = saved_texts(&there.read()?)?;
                if joined(&texts).text() == saved.text() {
                    saved.forget_text();
                }
                drop(there);
                verify(path).map_err(|error| failed(error.into()))?;
                let admission = Admission::new().add_stores(add_stores);
                let admission = match purpose {
                    Purpose::Build { .. } => admission.begin_indexes(),
                    _ => admission.leave_indexes(),
                };
                let (db, unbuilt) =
                    writable(layout, path, &saved, &reader, admission).map_err(failed)?;
                (db, Vec::new(), unbuilt)
            }
            Purpose::Read => read_only(layout, path, &saved, &reader, verify).map_err(failed)?,
        };
        Ok(Self { layout, db, reader, others, path: engine::shown(path), unbuilt, staged })
    }

    /// Closes the database, and gives a staged file its final name.
    ///
    /// # Errors
    /// If another file has got the name meanwhile.
    pub fn publish(self) -> Result<(), DatabaseError> {
        drop(self.db);
        match self.staged {
            Some(staged) => {
                staged.publish().map_err(|error| DatabaseError::making(&self.path, error.into()))
            }
            None => Ok(()),
        }
    }

    /// Joins a database that is open already with its layout. `automata` are those of the layout.
    pub fn join(
        layout: &'l Layout,
        db: Db,
        automata: Arc<Automata>,
        others: Vec<String>,
        unbuilt: Vec<UnbuiltIndex>,
    ) -> Self {
        let reader = Reader::with(layout, automata);
        Self { layout, db, reader, others, path: PathBuf::new(), unbuilt, staged: None }
    }

    /// Returns the parts of [`join`](Self::join) that do not borrow the layout: the database, the
    /// automata and the indexes that are not built.
    pub fn into_parts(self) -> (Db, Arc<Automata>, Vec<UnbuiltIndex>) {
        (self.db, Arc::clone(self.reader.automata()), self.unbuilt)
    }

    /// Checks that a keyspace is not an index whose entries are incomplete.
    pub fn refuse_unbuilt(&self, id: KeyspaceId) -> Result<(), DatabaseError> {
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
    pub fn is_built(&self, id: KeyspaceId) -> bool {
        self.refuse_unbuilt(id).is_ok()
    }

    /// Returns the bytes that all stored keys of a keyspace begin with.
    pub fn prefix(&self, id: KeyspaceId) -> Result<Vec<u8>, DatabaseError> {
        Ok(RowFilter::all(id).prefix(self.layout)?)
    }

    /// Returns the indexes that are not built.
    pub fn unbuilt(&self) -> &[UnbuiltIndex] {
        &self.unbuilt
    }

    /// Returns the file.
    pub fn path(&self) -> &Path {
        &self.path
    }
}

/// Opens a file for writing.
fn writable(
    layout: &Layout,
    path: &Path,
    saved: &SavedLayout,
    reader: &Reader<'_>,
    admission: Admission,
) -> Result<(Db, Vec<UnbuiltIndex>), LayoutError> {
    DynamicIndexes::new(layout, reader).lend(|indexes| {
        saved.lend(indexes, |saved| {
            let spaces = keyscape_store::Layout::spaces_of(&[saved])?;
            let db = engine::open_spaces(path, spaces)?;
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
    verify: impl FnOnce(&Path) -> Result<(), StoreError>,
) -> Result<(Db, Vec<String>, Vec<UnbuiltIndex>), LayoutError> {
    let there = engine::open_all_spaces(path)?;
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
    verify(path)?;
    let spaces = Spaces::new(saved.spaces().iter().chain(&others))?;
    let db = engine::open_spaces_read_only(path, spaces)?;
    let admission = Admission::new().leave_indexes().lenient();
    let unbuilt = DynamicIndexes::new(layout, reader)
        .lend(|indexes| saved.lend(indexes, |saved| db.admit_with(&[saved], admission)))?;
    Ok((db, others, unbuilt))
}

/// Proves a layout before a write.
///
/// # Errors
/// [`DatabaseError::Unsound`] with the claims that do not hold.
pub fn sound(layout: &Layout) -> Result<(), DatabaseError> {
    let report = keyscape_prover::check(layout, keyscape_prover::Config::default());
    if report.holds() {
        return Ok(());
    }
    Err(DatabaseError::Unsound { findings: keyscape_diagnostics::findings(layout, &report, false) })
}
