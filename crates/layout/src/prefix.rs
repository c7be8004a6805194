//! Literal prefixes of keys, and the namespaces around keyspaces.

use crate::{
    model::{Keyspace, Namespace, Segment, Store},
    traverse::{ItemKind, traverse},
};
use std::iter;

impl Keyspace {
    /// Returns the literal prefix of every key, including literals of leading composites.
    #[must_use]
    pub fn literal_prefix(&self) -> Vec<u8> {
        literal_prefix(&self.key)
    }
}

/// Returns the literal prefix of some segments.
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
    /// Whether the namespace allocates or retires prefixes.
    #[must_use]
    pub fn has_rules(&self) -> bool {
        !self.ranges.is_empty() || !self.retired.is_empty()
    }
}
