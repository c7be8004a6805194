//! A database that is open, with its layout.

use super::{Automata, DatabaseError, Reader, RowFilter, error::build_help, space_name};
use keyscape_layout::{Layout, model::KeyspaceId};
use keyscape_store::{Db, UnbuiltIndex};
use std::{
    path::{Path, PathBuf},
    sync::Arc,
};

/// An open database with its layout.
#[derive(Debug)]
pub struct OpenDatabase<'l> {
    pub layout: &'l Layout,
    pub db: Db,
    pub reader: Reader<'l>,
    /// Spaces of the file that the layout does not have.
    pub others: Vec<String>,
    path: PathBuf,
    /// The file of the layout, if it is not the one that the database stores. For messages.
    layout_file: Option<PathBuf>,
    unbuilt: Vec<UnbuiltIndex>,
}

impl<'l> OpenDatabase<'l> {
    /// Joins an open database with its layout. `automata` are those of the layout.
    pub fn join(
        layout: &'l Layout,
        db: Db,
        automata: Arc<Automata>,
        others: Vec<String>,
        unbuilt: Vec<UnbuiltIndex>,
    ) -> Self {
        let reader = Reader::with_automata(layout, automata);
        Self { layout, db, reader, others, path: PathBuf::new(), layout_file: None, unbuilt }
    }

    /// Sets the path of the database for messages.
    #[must_use]
    pub fn with_path(mut self, path: PathBuf) -> Self {
        self.path = path;
        self
    }

    /// Sets the file of the layout for messages, if it is not the one that the database stores.
    #[must_use]
    pub fn with_layout_file(mut self, file: Option<PathBuf>) -> Self {
        self.layout_file = file;
        self
    }

    /// Returns the parts of [`join`](Self::join) that do not borrow the layout: the database, the
    /// automata and the indexes that are not built.
    pub fn into_parts(self) -> (Db, Arc<Automata>, Vec<UnbuiltIndex>) {
        (self.db, Arc::clone(self.reader.automata()), self.unbuilt)
    }

    /// Checks that a keyspace is not an index whose entries are incomplete.
    pub fn refuse_unbuilt(&self, id: KeyspaceId) -> Result<(), DatabaseError> {
        let (space, keyspace) = (space_name(self.layout, id), self.layout.keyspace(id));
        let is_same =
            |index: &&UnbuiltIndex| *index.space == *space && *index.name == *keyspace.name;
        match self.unbuilt.iter().find(is_same) {
            Some(index) => Err(DatabaseError::Unbuilt {
                path: self.path.clone(),
                index: keyspace.name.clone(),
                rows: index.rows,
                layout: self.layout_file.clone(),
            }),
            None => Ok(()),
        }
    }

    /// Returns the command that builds an index.
    pub fn build_help(&self, index: &str) -> String {
        build_help(&self.path, index, self.layout_file.as_deref())
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

    /// Returns the path of the database; empty if it was not set.
    pub fn path(&self) -> &Path {
        &self.path
    }
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
