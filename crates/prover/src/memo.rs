//! Results that are computed once.

use hashbrown::HashMap;
use std::{cell::RefCell, hash::Hash};

/// A cache of results by key.
#[derive(Debug)]
pub(crate) struct Memo<K, V>(RefCell<HashMap<K, V>>);

impl<K, V> Default for Memo<K, V> {
    fn default() -> Self {
        Self(RefCell::default())
    }
}

impl<K: Eq + Hash, V: Clone> Memo<K, V> {
    /// Returns the cached result for a key, or computes it. `compute` may use the cache itself.
    pub(crate) fn get_or(&self, key: K, compute: impl FnOnce() -> V) -> V {
        if let Some(known) = self.0.borrow().get(&key) {
            return known.clone();
        }
        let computed = compute();
        self.0.borrow_mut().insert(key, computed.clone());
        computed
    }
}
