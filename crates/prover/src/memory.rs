//! What searches have found before.
//!
//! Drafts of fixes, and versions of one layout, have most of their keyspaces in common. What a search
//! over one keyspace finds depends on the [shape](Shape) of its machine alone, so it is looked up by
//! that. Only answers are kept, never that a search was broken off.

use crate::verdict::Rule;
use keyscape_layout::{
    Side,
    machine::{Machine, Shape},
};
use std::{cell::RefCell, collections::HashMap};

/// Above so many words everything is forgotten.
const MOST: usize = 1 << 22;

/// What searches have found in the layouts that were checked with it. It never changes a verdict that
/// was reached, but a layout can get further within its budgets.
#[derive(Debug, Default)]
pub struct Memory {
    ambiguous: RefCell<Ambiguous>,
    limits: RefCell<HashMap<(Rule, String), Option<u128>>>,
}

#[derive(Debug, Default)]
struct Ambiguous {
    keys: HashMap<(Side, Shape), Option<Vec<u8>>>,
    words: usize,
}

impl Memory {
    /// The shortest key with two readings in a machine of one keyspace, or what `search` says.
    pub(crate) fn ambiguous<E>(
        &self,
        machine: &Machine,
        side: Side,
        search: impl FnOnce() -> Result<Option<Vec<u8>>, E>,
    ) -> Result<Option<Vec<u8>>, E> {
        let of = (side, machine.shape());
        if let Some(known) = self.ambiguous.borrow().keys.get(&of) {
            return Ok(known.clone());
        }
        let found = search()?;
        let mut known = self.ambiguous.borrow_mut();
        let words = of.1.size() + found.as_ref().map_or(0, Vec::len);
        if known.words > MOST {
            *known = Ambiguous::default();
        }
        known.words += words;
        known.keys.insert(of, found.clone());
        Ok(found)
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
