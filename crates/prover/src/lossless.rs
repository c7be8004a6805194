//! KS005: distinct values of a field have distinct encodings. Each codec answers by arithmetic.

use crate::verdict::{Counterexample, Fault, Verdict};
use keyscape_codec::{Language, Loss};
use keyscape_layout::{
    Datum, Span,
    model::{Keyspace, Leaf, Segment, Type},
};

/// A field that holds a single value: its path, with the arms on the way, its place and its leaf.
pub(crate) struct LeafField {
    pub(crate) path: String,
    pub(crate) span: Span,
    pub(crate) leaf: Leaf,
}

/// All fields of a keyspace that hold a single value: of its key, its members and its scores.
pub(crate) fn leaf_fields(keyspace: &Keyspace) -> Vec<LeafField> {
    let mut found = Vec::new();
    collect(&keyspace.key, "", None, &mut found);
    for (name, ty) in [("member", &keyspace.member), ("score", &keyspace.score)] {
        if let Some(ty) = ty {
            collect_type(ty, name, keyspace.name_span, &mut found);
        }
    }
    found
}

/// Parts of a declared type are pointed at where the key uses it.
fn collect(segments: &[Segment], path: &str, at: Option<Span>, found: &mut Vec<LeafField>) {
    for segment in segments {
        match segment {
            Segment::Literal(_) | Segment::Derived(_) => {}
            Segment::Option(option) => collect(&option.segments, path, at, found),
            Segment::Field(field) => {
                let dot = if path.is_empty() { "" } else { "." };
                let path = format!("{path}{dot}{}", field.name);
                collect_type(&field.ty, &path, at.unwrap_or(field.span), found);
            }
        }
    }
}

fn collect_type(ty: &Type, path: &str, span: Span, found: &mut Vec<LeafField>) {
    match ty {
        Type::Leaf(leaf) => {
            found.push(LeafField { path: path.to_owned(), span, leaf: leaf.clone() });
        }
        Type::Enum(_) => {}
        Type::List(list) => collect_type(&list.element, path, span, found),
        Type::Composite(segments) => collect(segments, path, Some(span), found),
        Type::Variant(arms) => {
            for arm in arms {
                collect(&arm.segments, &format!("{path}.{}", arm.name), Some(span), found);
            }
        }
    }
}

pub(crate) fn check(leaf: &Leaf) -> Verdict {
    let Loss::Lossy { a, b } = leaf.codec.lossless() else { return Verdict::Proved };
    let mut bytes = Vec::new();
    // The codec said so; a value that does not encode would be its bug, shown by empty bytes.
    let _ = leaf.codec.encode(&a, &mut bytes);
    let (Language::Exact(all) | Language::Between { over: all, .. }) = &leaf.language;
    let is_least = all.shortest().is_some_and(|least| bytes.len() <= least);
    Verdict::Refuted(Box::new(Counterexample {
        minimal: is_least || leaf.codec.shows_shortest_loss(),
        fault: Fault::Lossless { a: Datum::Leaf(a), b: Datum::Leaf(b), bytes },
        fixes: Vec::new(),
    }))
}
