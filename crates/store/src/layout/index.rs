//! Indexes that are built from the rows of their maps, in batches.
//!
//! A batch and the position after it are one commit, so an interrupted build continues after its
//! last batch. Writes between two batches maintain the index as usual.

use super::{LayoutError, saved};
use crate::{Db, KeyRange, Mode, Read, Row, StoreError, StoreId, Tx};
use std::{borrow::Cow, error::Error, fmt, ops::ControlFlow};

/// An index of a layout, and the code that builds it.
#[derive(Clone, Copy)]
pub struct IndexInfo<'a> {
    /// The space of its entries.
    pub space: &'a str,
    /// The name of the index.
    pub name: &'a str,
    /// The code that builds it.
    pub source: &'a dyn IndexSource,
}

impl fmt::Debug for IndexInfo<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("IndexInfo")
            .field("space", &self.space)
            .field("name", &self.name)
            .finish_non_exhaustive()
    }
}

/// The error of building an index, such as two rows with one entry in a unique index.
pub type BuildError = Box<dyn Error + Send + Sync>;

/// Builds an index from the rows of its map. Typed indexes implement it.
pub trait IndexSource: Sync {
    /// Counts the rows of the map.
    ///
    /// # Errors
    /// Errors of the store.
    fn rows(&self, state: &dyn Read) -> Result<u64, StoreError>;

    /// Compares the index with its map. Passes the key of each entry that is missing or wrong to
    /// `found`, with the reason; of very many, the first.
    ///
    /// # Errors
    /// If an entry cannot be computed, and errors of the store.
    fn check(&self, state: &dyn Read, found: &mut dyn FnMut(&[u8], &str))
    -> Result<(), BuildError>;

    /// Returns the store and the prefix of the keys that a phase visits.
    ///
    /// # Errors
    /// If the layout of the index has no such prefix.
    fn prefix(&self, phase: BuildPhase) -> Result<(StoreId, Cow<'_, [u8]>), BuildError>;

    /// Visits an entry or a row, see [`BuildPhase`]. Rows of other keyspaces may have the same
    /// prefix, and are skipped.
    ///
    /// # Errors
    /// If an entry cannot be computed, or belongs to another row.
    fn visit(&self, tx: &mut Tx<'_>, phase: BuildPhase, row: Row<'_>) -> Result<(), BuildError>;
}

/// The position of a build.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BuildState {
    /// The part of the build.
    pub phase: BuildPhase,
    /// The last key that was worked on; `None` at the start.
    pub after: Option<Vec<u8>>,
}

/// The parts of a build.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum BuildPhase {
    /// Visits the entries of the index, and deletes those without a row.
    Clear,
    /// Visits the rows of the map, and puts their missing entries.
    Fill,
}

impl BuildState {
    /// The first position.
    pub const START: BuildState = BuildState { phase: BuildPhase::Clear, after: None };

    /// Encodes the phase, whether a key follows, and the key.
    pub(super) fn encode(&self) -> Vec<u8> {
        let phase = match self.phase {
            BuildPhase::Clear => b'c',
            BuildPhase::Fill => b'f',
        };
        let mut bytes = vec![phase, u8::from(self.after.is_some())];
        bytes.extend_from_slice(self.after.as_deref().unwrap_or_default());
        bytes
    }

    pub(super) fn decode(bytes: &[u8]) -> Option<BuildState> {
        let (phase, after) = match bytes {
            [phase, 0] => (phase, None),
            [phase, 1, after @ ..] => (phase, Some(after.to_vec())),
            _ => return None,
        };
        let phase = match phase {
            b'c' => BuildPhase::Clear,
            b'f' => BuildPhase::Fill,
            _ => return None,
        };
        Some(BuildState { phase, after })
    }
}

impl IndexInfo<'_> {
    /// The default number of rows in a batch.
    pub const BATCH: usize = 4096;
}

impl Db {
    /// Marks an index as not built. [`Db::build_index`] then builds it again from the start.
    ///
    /// # Errors
    /// Errors of the database.
    pub fn unbuild_index(&self, space: &str, name: &str) -> Result<(), StoreError> {
        self.write(|tx| saved::set_build(tx, space, name, Some(&BuildState::START)))
    }

    /// Marks an index as built, without visiting a row. For an index that was built before
    /// [`Db::unbuild_index`], if it cannot be built again.
    ///
    /// # Errors
    /// Errors of the database.
    pub fn mark_index_built(&self, space: &str, name: &str) -> Result<(), StoreError> {
        self.write(|tx| saved::set_build(tx, space, name, None))
    }

    /// Forgets an index whose entries were deleted. A layout without the index can then open the
    /// database, and a layout with it has to build it.
    ///
    /// # Errors
    /// Errors of the database.
    pub fn forget_index(&self, space: &str, name: &str) -> Result<(), StoreError> {
        self.write(|tx| {
            saved::set_build(tx, space, name, None)?;
            saved::forget_keyspace(tx, space, name)
        })
    }

    /// Returns the position of the build of an index; `None` if the index is built.
    ///
    /// # Errors
    /// Errors of the database.
    pub fn index_build(&self, space: &str, name: &str) -> Result<Option<BuildState>, StoreError> {
        saved::build(&self.read()?, space, name)
    }

    /// Builds an index that is not built, in commits of `batch` rows each. Continues an interrupted
    /// build. Calls `progress` before each batch.
    ///
    /// # Errors
    /// [`LayoutError::Build`] if an entry cannot be computed, and errors of the database. Batches
    /// that were committed stay.
    pub fn build_index(
        &self,
        index: &IndexInfo<'_>,
        batch: usize,
        mut progress: impl FnMut(&BuildState),
    ) -> Result<(), LayoutError> {
        let batch = self.limits().batch(batch);
        loop {
            let mut tx = self.begin(Mode::Write)?;
            let Some(state) = saved::build(&tx, index.space, index.name)? else { return Ok(()) };
            progress(&state);
            let next = step(index.source, &mut tx, state, batch)
                .map_err(|source| LayoutError::Build { index: index.name.into(), source })?;
            saved::set_build(&mut tx, index.space, index.name, next.as_ref())?;
            tx.commit()?;
        }
    }
}

/// Visits at most `max` rows or entries. Returns the position after them; `None` means that the
/// index is built.
fn step(
    index: &dyn IndexSource,
    tx: &mut Tx<'_>,
    BuildState { phase, after }: BuildState,
    max: usize,
) -> Result<Option<BuildState>, BuildError> {
    let (store, prefix) = index.prefix(phase)?;
    let range = KeyRange::prefix(&prefix);
    let range = match &after {
        Some(key) => range.after(key),
        None => range,
    };
    let (mut count, mut last) = (0, None);
    tx.walk(store, range, |tx, row| {
        index.visit(tx, phase, row)?;
        count += 1;
        if count < max {
            return Ok(ControlFlow::Continue(()));
        }
        last = Some(row.key.to_vec());
        Ok::<_, BuildError>(ControlFlow::Break(()))
    })?;
    Ok(match (last, phase) {
        (Some(key), phase) => Some(BuildState { phase, after: Some(key) }),
        (None, BuildPhase::Clear) => Some(BuildState { phase: BuildPhase::Fill, after: None }),
        (None, BuildPhase::Fill) => None,
    })
}
