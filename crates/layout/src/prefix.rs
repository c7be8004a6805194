//! The literals that keys begin with, and the namespaces around keyspaces.

use crate::{
    model::{Keyspace, Namespace, Segment, Store},
    traverse::{ItemKind, traverse},
};
use std::iter;

impl Keyspace {
    /// Returns the literals with which every key begins, those of leading composites included.
    #[must_use]
    pub fn literal_prefix(&self) -> Vec<u8> {
        literal_prefix(&self.key)
    }
}

/// Returns the bytes with which some segments begin, whatever the values.
#[must_use]
pub fn literal_prefix(segments: &[Segment]) -> Vec<u8> {
    let literals = traverse(segments).map_while(|item| match item.kind {
        ItemKind::Literal { literal, .. } => Some(literal.bytes.as_slice()),
        ItemKind::Field(_) => Some(&[]),
        _ => None,
    });
    literals.flatten().copied().collect()
}

impl Store {
    /// Returns the namespaces around a keyspace, innermost first, each with its index.
    pub fn namespaces_around(
        &self,
        keyspace: &Keyspace,
    ) -> impl Iterator<Item = (usize, &Namespace)> {
        let at = |index: usize| Some((index, self.namespaces.get(index)?));
        iter::successors(keyspace.namespace.and_then(at), move |(_, inner)| at(inner.outer?))
    }
}

impl Namespace {
    /// Whether it allocates or retires prefixes.
    #[must_use]
    pub fn has_rules(&self) -> bool {
        !self.ranges.is_empty() || !self.retired.is_empty()
    }
}
