//! A cache of the results of searches.
//!
//! Drafts of fixes, and versions of one layout, share most of their keyspaces. The result of a
//! search depends only on the [shape](Shape) of its automaton, which is the key of the cache. The
//! cache contains complete results, never searches that exceeded a budget.
//!
//! Many keyspaces differ only in their first literal. For results about one keyspace, the key is
//! the shape after this literal. The charged cost includes the nodes of the literal and of the
//! rest.

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

/// The cache is cleared above this size in words.
const MAX_WORDS: usize = 1 << 22;

/// A cache of search results that several layouts and threads can share.
///
/// The cache changes no verdict, not even at the limit of a budget. A cached result charges the
/// work of its search. If the budget is smaller, the search runs and exceeds it. A report therefore
/// does not depend on other checks or their order.
#[derive(Debug, Default)]
pub struct Cache {
    /// By the shape after the literal. The result contains the bytes after the literal.
    ambiguous: Mutex<ResultMap<Priced<Option<Vec<u8>>>>>,
    shared: Mutex<ResultMap<Priced<Shared>>>,
}

/// The results of one layout and of the drafts of its fixes. Using one of them again charges no
/// work.
#[derive(Debug)]
pub(crate) struct CacheView<'m> {
    cache: &'m Cache,
    ambiguous: RefCell<ResultMap<Option<Vec<u8>>>>,
    shared: RefCell<ResultMap<Shared>>,
}

/// The shortest common keys of pairs of tracks.
pub(crate) type Shared = Vec<(Vec<u8>, (TrackId, TrackId))>;

/// A result and the units of work of its search.
type Priced<T> = (T, usize);

/// The key of a search: the side and the shape of its automaton, and the tracks in focus.
type Search = Arc<(Side, Shape, Vec<TrackId>)>;

/// The results of searches by their keys.
#[derive(Debug)]
struct ResultMap<T> {
    found: HashMap<Search, T>,
    words: usize,
}

impl<T> Default for ResultMap<T> {
    fn default() -> Self {
        Self { found: HashMap::new(), words: 0 }
    }
}

impl<T> ResultMap<T> {
    fn insert(&mut self, search: Search, found: T) {
        if self.words > MAX_WORDS {
            *self = Self::default();
        }
        self.words += search.1.size();
        self.found.insert(search, found);
    }
}

/// Locks a cache. A poisoned cache is consistent, because each insertion is one call.
fn lock<T>(of: &Mutex<T>) -> MutexGuard<'_, T> {
    of.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Returns the cached result of this layout, or that of `search`.
fn recall<T: Clone, E>(
    own: &RefCell<ResultMap<T>>,
    of: Search,
    search: impl FnOnce(&Search) -> Result<T, E>,
) -> Result<T, E> {
    if let Some(known) = own.borrow().found.get(&of) {
        return Ok(known.clone());
    }
    let found = search(&of)?;
    own.borrow_mut().insert(of, found.clone());
    Ok(found)
}

/// Returns the cached result of any layout, or runs `search` within `budget`. The search charges
/// `more` units in addition to those of `of`.
///
/// A cached result is used only if the budget covers its search. The same search always charges the
/// same work, and fails if the budget is smaller. With `more` nodes before it, a search reaches the
/// prices of a large table sooner. The price of a large search is therefore valid only if `more` is
/// zero.
fn get_or_search<T: Clone, E>(
    all: &Mutex<ResultMap<Priced<T>>>,
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
    // Without a total, the work of the search is unknown.
    if let Some((before, after)) = before.zip(budget.left())
        && let Some(units) = (before - after).checked_sub(more)
        && has_one_price(units)
    {
        lock(all).insert(of, (found.clone(), units));
    }
    Ok(found)
}

impl<'m> CacheView<'m> {
    /// Creates an empty cache of one layout.
    pub(crate) fn new(cache: &'m Cache) -> Self {
        Self { cache, ambiguous: RefCell::default(), shared: RefCell::default() }
    }

    /// Returns the shortest key with two readings in an automaton of one keyspace, from the cache
    /// or from `search`, which uses `budget`.
    pub(crate) fn ambiguous<E>(
        &self,
        machine: &Machine,
        side: Side,
        budget: Budget<'_>,
        search: impl FnOnce() -> Result<Option<Vec<u8>>, E>,
    ) -> Result<Option<Vec<u8>>, E> {
        let of = Arc::new((side, machine.shape(), Vec::new()));
        recall(&self.ambiguous, of, |_| {
            // Both runs agree on the first literals, so the result does not depend on them.
            let (literal, shape) = machine.shape_after_literal();
            let of = Arc::new((side, shape, Vec::new()));
            let more = literal.len() * units_of_node(STEPS_PER_WAY);
            let rest = get_or_search(&self.cache.ambiguous, of, more, budget, || {
                let rest = |key: Vec<u8>| key.get(literal.len()..).unwrap_or_default().to_vec();
                Ok(search()?.map(rest))
            })?;
            Ok(rest.map(|rest| [literal, rest].concat()))
        })
    }

    /// Returns the shortest common keys of pairs with a track in focus, from the cache or from
    /// `search`, which uses `budget`.
    pub(crate) fn shared<E>(
        &self,
        machine: &Machine,
        side: Side,
        focus: Vec<TrackId>,
        budget: Budget<'_>,
        search: impl FnOnce() -> Result<Shared, E>,
    ) -> Result<Shared, E> {
        let of = Arc::new((side, machine.shape(), focus));
        recall(&self.shared, of, |of| {
            get_or_search(&self.cache.shared, of.clone(), 0, budget, search)
        })
    }
}
