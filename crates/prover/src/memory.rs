//! A cache of the results of searches.
//!
//! Drafts of fixes, and versions of one layout, have most of their keyspaces in common. What a search
//! finds depends on the [shape](Shape) of its machine alone, so it is looked up by that. Only answers are kept, never that a search was broken off.
//!
//! Many keyspaces differ in the literal in front alone. What any layout has found of one keyspace is looked up by the
//! shape behind its literal, and costs the nodes of its own literal and of the rest.

use crate::verdict::Rule;
use hashbrown::HashMap;
use keyscape_automata::{
    Budget,
    search::{LARGE_TABLE, units_of_node},
};
use keyscape_layout::{
    Side,
    machine::{Machine, STEPS_PER_WAY, Shape, TrackId},
};
use std::{
    cell::RefCell,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
};

/// Above so many words everything is forgotten.
const MOST: usize = 1 << 22;

/// The results of searches in the layouts that were checked with it. Several threads may share it.
///
/// It changes no verdict, not even at the edge of a budget: what another layout has found costs the
/// nodes that finding it cost, and is found again where they are not there. So a report does not
/// depend on what else was checked, nor on when.
#[derive(Debug, Default)]
pub struct Memory {
    /// By the shape behind the literal: what follows the literal.
    ambiguous: Mutex<Kept<Priced<Option<Vec<u8>>>>>,
    shared: Mutex<Kept<Priced<Shared>>>,
    /// Finding these takes no nodes.
    limits: Mutex<HashMap<(Rule, String), Option<u128>>>,
}

/// The results of one layout and of the drafts of its fixes. They cost no work a second time.
#[derive(Debug)]
pub(crate) struct Recall<'m> {
    memory: &'m Memory,
    ambiguous: RefCell<Kept<Option<Vec<u8>>>>,
    shared: RefCell<Kept<Shared>>,
}

/// The shortest common keys of pairs of tracks.
pub(crate) type Shared = Vec<(Vec<u8>, (TrackId, TrackId))>;

/// A result and the number of nodes that it took.
type Priced<T> = (T, usize);

/// A search: the side of its machine, the shape, and the keyspaces in focus.
type Search = Arc<(Side, Shape, Vec<TrackId>)>;

/// The results of searches over machines.
#[derive(Debug)]
struct Kept<T> {
    found: HashMap<Search, T>,
    words: usize,
}

impl<T> Default for Kept<T> {
    fn default() -> Self {
        Self { found: HashMap::new(), words: 0 }
    }
}

impl<T> Kept<T> {
    fn keep(&mut self, search: Search, found: T) {
        if self.words > MOST {
            *self = Self::default();
        }
        self.words += search.1.size();
        self.found.insert(search, found);
    }
}

/// Nothing is half written when a thread panics: what is kept is inserted at once.
fn lock<T>(of: &Mutex<T>) -> MutexGuard<'_, T> {
    of.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Returns the cached result of this layout, or that of `search`.
fn recall<T: Clone, E>(
    own: &RefCell<Kept<T>>,
    of: Search,
    search: impl FnOnce(&Search) -> Result<T, E>,
) -> Result<T, E> {
    if let Some(known) = own.borrow().found.get(&of) {
        return Ok(known.clone());
    }
    let found = search(&of)?;
    own.borrow_mut().keep(of, found.clone());
    Ok(found)
}

/// Returns what any layout has found before, or runs `search` within `budget`. The search takes `more`
/// units beside those that count for `of`.
///
/// A known answer is taken only if the search would reach it. The same search takes the same work, and
/// breaks off exactly if the limit has less. A search with more nodes before it pays the prices of a
/// large table sooner, so the price of a large search holds for itself alone.
fn buy<T: Clone, E>(
    all: &Mutex<Kept<Priced<T>>>,
    of: Search,
    more: usize,
    budget: Budget<'_>,
    search: impl FnOnce() -> Result<T, E>,
) -> Result<T, E> {
    let has_one_price = |units: usize| more == 0 || units + more <= LARGE_TABLE;
    let known = lock(all).found.get(&of).cloned();
    if let Some((known, units)) = known
        && has_one_price(units)
        && budget.try_take(units + more)
    {
        return Ok(known);
    }
    let before = budget.left();
    let found = search()?;
    // Without a total it is not known what the search has cost.
    if let Some((before, after)) = before.zip(budget.left())
        && let Some(units) = (before - after).checked_sub(more)
        && has_one_price(units)
    {
        lock(all).keep(of, (found.clone(), units));
    }
    Ok(found)
}

impl<'m> Recall<'m> {
    /// One that has nothing of its own yet.
    pub(crate) fn new(memory: &'m Memory) -> Self {
        Self { memory, ambiguous: RefCell::default(), shared: RefCell::default() }
    }

    /// The shortest key with two readings in a machine of one keyspace, or what `search` says, which
    /// goes as far as `budget`.
    pub(crate) fn ambiguous<E>(
        &self,
        machine: &Machine,
        side: Side,
        budget: Budget<'_>,
        search: impl FnOnce() -> Result<Option<Vec<u8>>, E>,
    ) -> Result<Option<Vec<u8>>, E> {
        let of = Arc::new((side, machine.shape(), Vec::new()));
        recall(&self.ambiguous, of, |_| {
            // Two runs begin as one, so the literals in front are no part of what is found.
            let (literal, shape) = machine.shape_behind_literal();
            let of = Arc::new((side, shape, Vec::new()));
            let more = literal.len() * units_of_node(STEPS_PER_WAY);
            let rest = buy(&self.memory.ambiguous, of, more, budget, || {
                let rest = |key: Vec<u8>| key.get(literal.len()..).unwrap_or_default().to_vec();
                Ok(search()?.map(rest))
            })?;
            Ok(rest.map(|rest| [literal, rest].concat()))
        })
    }

    /// The shortest common keys of pairs of tracks with one of some in focus, or what `search` says,
    /// which goes as far as `budget`.
    pub(crate) fn shared<E>(
        &self,
        machine: &Machine,
        side: Side,
        focus: Vec<TrackId>,
        budget: Budget<'_>,
        search: impl FnOnce() -> Result<Shared, E>,
    ) -> Result<Shared, E> {
        let of = Arc::new((side, machine.shape(), focus));
        recall(&self.shared, of, |of| buy(&self.memory.shared, of.clone(), 0, budget, search))
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
        if let Some(&known) = lock(&self.memory.limits).get(&key) {
            return known;
        }
        let limit = find();
        lock(&self.memory.limits).insert(key, limit);
        limit
    }
}
