//! What searches have found before.
//!
//! Drafts of fixes, and versions of one layout, have most of their keyspaces in common. What a search
//! finds depends on the [shape](Shape) of its machine alone, so it is looked up by that. Only answers are kept, never that a search was broken off.

use crate::verdict::Rule;
use hashbrown::HashMap;
use keyscape_layout::{
    Side,
    machine::{Machine, Shape, TrackId},
};
use std::cell::RefCell;

/// Above so many words everything is forgotten.
const MOST: usize = 1 << 22;

/// What searches have found in the layouts that were checked with it. It never changes a verdict that
/// was reached, but a layout can get further within its budgets.
#[derive(Debug, Default)]
pub struct Memory {
    ambiguous: RefCell<Kept<Option<Vec<u8>>>>,
    shared: RefCell<Kept<Shared>>,
    limits: RefCell<HashMap<(Rule, String), Option<u128>>>,
}

/// The shortest common keys of pairs of tracks.
pub(crate) type Shared = Vec<(Vec<u8>, (TrackId, TrackId))>;

/// What searches over machines have found.
#[derive(Debug)]
struct Kept<T> {
    /// By the side of the machine, its shape, and the keyspaces in focus.
    found: HashMap<(Side, Shape, Vec<TrackId>), T>,
    words: usize,
}

impl<T> Default for Kept<T> {
    fn default() -> Self {
        Self { found: HashMap::new(), words: 0 }
    }
}

fn recall<T: Clone, E>(
    kept: &RefCell<Kept<T>>,
    of: (Side, Shape, Vec<TrackId>),
    search: impl FnOnce() -> Result<T, E>,
) -> Result<T, E> {
    if let Some(known) = kept.borrow().found.get(&of) {
        return Ok(known.clone());
    }
    let found = search()?;
    let mut kept = kept.borrow_mut();
    if kept.words > MOST {
        *kept = Kept::default();
    }
    kept.words += of.1.size();
    kept.found.insert(of, found.clone());
    Ok(found)
}

impl Memory {
    /// The shortest key with two readings in a machine of one keyspace, or what `search` says.
    pub(crate) fn ambiguous<E>(
        &self,
        machine: &Machine,
        side: Side,
        search: impl FnOnce() -> Result<Option<Vec<u8>>, E>,
    ) -> Result<Option<Vec<u8>>, E> {
        recall(&self.ambiguous, (side, machine.shape(), Vec::new()), search)
    }

    /// The shortest common keys of pairs of tracks with one of some in focus, or what `search` says.
    pub(crate) fn shared<E>(
        &self,
        machine: &Machine,
        side: Side,
        focus: Vec<TrackId>,
        search: impl FnOnce() -> Result<Shared, E>,
    ) -> Result<Shared, E> {
        recall(&self.shared, (side, machine.shape(), focus), search)
    }

    /// The largest end of the domain of the codec with this text with which it does not refute a rule
    /// by itself, or what `find` says.
    pub(crate) fn limit(
        &self,
        rule: Rule,
        codec: String,
        find: impl FnOnce() -> Option<u128>,
    ) -> Option<u128> {
        let key = (rule, codec);
        if let Some(&known) = self.limits.borrow().get(&key) {
            return known;
        }
        let limit = find();
        self.limits.borrow_mut().insert(key, limit);
        limit
    }
}
