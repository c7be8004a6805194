//! KS005: distinct values of a field have distinct encodings. Each codec decides this by
//! arithmetic.

use crate::verdict::{Fault, Verdict};
use keyscape_codec::Loss;
use keyscape_layout::{
    Datum, Span,
    model::{Keyspace, Leaf},
    traverse::{ItemKind, join, traverse, traverse_type},
};

/// A field with a single value.
pub(crate) struct LeafField {
    /// Empty for a field of the key, otherwise `member` or `score`.
    pub(crate) part: &'static str,
    /// The path including the part and arms.
    pub(crate) path: String,
    pub(crate) span: Span,
    pub(crate) leaf: Leaf,
}

/// Returns all fields with a single value in the key, the members and the scores of a keyspace. The
/// place of a part of a declared type is the use of the type in the key.
pub(crate) fn leaf_fields(keyspace: &Keyspace) -> Vec<LeafField> {
    let (member, score) = (keyspace.member.as_deref(), keyspace.score.as_deref());
    let key = traverse(&keyspace.key).map(|item| ("", item));
    let members = member.into_iter().flat_map(traverse_type).map(|item| ("member", item));
    let scores = score.into_iter().flat_map(traverse_type).map(|item| ("score", item));
    key.chain(members)
        .chain(scores)
        .filter_map(|(part, item)| {
            let ItemKind::Leaf(leaf) = item.kind else { return None };
            let field = item.path.outermost().filter(|_| part.is_empty());
            let path = join(part, &item.path.text());
            let span = field.map_or(keyspace.name_span, |field| field.span);
            Some(LeafField { part, path, span, leaf: leaf.clone() })
        })
        .collect()
}

pub(crate) fn check(leaf: &Leaf) -> Verdict {
    let Loss::Lossy { a, b } = leaf.codec.lossless() else { return Verdict::Proved };
    let mut bytes = Vec::new();
    // The codec has returned these values. If one does not encode, the bytes stay empty.
    let _ = leaf.codec.encode(&a, &mut bytes);
    let all = leaf.language.over();
    let is_least = all.shortest().is_some_and(|least| bytes.len() <= least);
    let minimal = is_least || leaf.codec.shows_shortest_loss();
    Verdict::refuted(Fault::Lossless { a: Datum::Leaf(a), b: Datum::Leaf(b), bytes }, minimal)
}
