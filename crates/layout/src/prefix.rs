//! What keys begin with: their literals, and the namespaces around them.

use crate::model::{Keyspace, Namespace, Segment, Store, Type};
use std::iter;

impl Keyspace {
    /// The literals with which every key begins, also those of composites that come first.
    #[must_use]
    pub fn literal_prefix(&self) -> Vec<u8> {
        literal_prefix(&self.key)
    }
}

/// The bytes with which some segments begin, whatever the values.
#[must_use]
pub fn literal_prefix(segments: &[Segment]) -> Vec<u8> {
    let mut prefix = Vec::new();
    push_literals(segments, &mut prefix);
    prefix
}

/// Appends the literals that come first; whether there is nothing else.
fn push_literals(segments: &[Segment], prefix: &mut Vec<u8>) -> bool {
    segments.iter().all(|segment| match segment {
        Segment::Literal(literal) => {
            prefix.extend(&literal.bytes);
            true
        }
        Segment::Field(field) => match &*field.ty {
            Type::Composite(inside) => push_literals(inside, prefix),
            Type::Leaf(_) | Type::Enum(_) | Type::List(_) | Type::Variant(_) => false,
        },
        Segment::Option(_) | Segment::Derived(_) => false,
    })
}

impl Store {
    /// The namespaces that a keyspace stands in, from the inside, each with its index.
    pub fn namespaces_around(
        &self,
        keyspace: &Keyspace,
    ) -> impl Iterator<Item = (usize, &Namespace)> {
        let at = |index: usize| Some((index, self.namespaces.get(index)?));
        iter::successors(keyspace.namespace.and_then(at), move |(_, inner)| at(inner.outer?))
    }
}

impl Namespace {
    /// Whether it says anything about the prefixes in it.
    #[must_use]
    pub fn has_rules(&self) -> bool {
        !self.ranges.is_empty() || !self.retired.is_empty()
    }
}
