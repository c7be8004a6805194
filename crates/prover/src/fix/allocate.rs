//! Prefixes that a namespace allocates.

use super::{
    change::Change, index::clause_behind, literal::own_literal, view::View, written::literal_text,
};
use keyscape_layout::{
    model::{Namespace, Segment},
    syntax::ast::Clause,
};

/// The most free prefixes that are tried.
const MAX_FREE: usize = 8;

fn namespace<'a>(view: &View<'a>) -> Option<&'a Namespace> {
    let keyspace = view.keyspace();
    view.layout.store(keyspace.store).namespaces.get(keyspace.namespace?)
}

/// The other ranges of the namespace: one of them may hold the prefix.
pub(super) fn range(view: &View<'_>) -> Vec<Vec<Change>> {
    let (Some(namespace), Some(tree)) = (namespace(view), view.keyspace_tree()) else {
        return Vec::new();
    };
    let said = tree.clauses.iter().find_map(|clause| match clause {
        Clause::In(name) => Some(name.span),
        _ => None,
    });
    let change = |name: &str| match said {
        Some(span) => Change::replace(span, name),
        None => clause_behind(tree, &format!("in {name}")),
    };
    namespace.ranges.iter().map(|range| vec![change(&range.name)]).collect()
}

/// The first prefixes of the range that nothing else has.
pub(super) fn free_prefix(view: &View<'_>) -> Vec<Vec<Change>> {
    let keyspace = view.keyspace();
    let (Some(namespace), Some(literal)) = (namespace(view), own_literal(keyspace)) else {
        return Vec::new();
    };
    let (low, high) = match namespace.ranges.get(keyspace.allocated.unwrap_or(0)) {
        Some(range) => match (range.low.as_slice(), range.high.as_slice()) {
            ([low], [high]) => (*low, *high),
            _ => return Vec::new(),
        },
        None => (0x00, 0xff),
    };
    let used: Vec<u8> = view
        .layout
        .keyspaces
        .iter()
        .filter(|other| other.store == keyspace.store && other.namespace == keyspace.namespace)
        .filter_map(|other| {
            match other.key.iter().find(|s| s.span().start >= other.key_span.start)? {
                Segment::Literal(literal) => literal.bytes.first().copied(),
                Segment::Field(_) | Segment::Option(_) | Segment::Derived(_) => None,
            }
        })
        .chain(namespace.retired.iter().filter_map(|retired| retired.prefix.first().copied()))
        .collect();
    let free = (low..=high).filter(|byte| !used.contains(byte)).take(MAX_FREE);
    let change = |byte: u8| {
        let bytes = [&[byte][..], &literal.bytes[1..]].concat();
        let text = if literal.is_text {
            literal_text(&bytes)
        } else {
            format!("0x{}", bytes.iter().map(|byte| format!("{byte:02x}")).collect::<String>())
        };
        vec![Change::replace(literal.span, text)]
    };
    free.map(change).collect()
}
