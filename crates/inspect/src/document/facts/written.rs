//! Types and keys as the layout writes them: the model has no wraps and no declarations.

use super::{
    json,
    pattern::{self, Detail},
};
use keyscape_layout::{
    Layout, Span,
    model::{Keyspace, NamedType, Segment},
    syntax::ast::{Decl, Seg},
};
use serde::Serialize;

/// A declared type.
#[derive(Debug, Serialize)]
pub struct TypeFacts {
    pub name: String,
    #[serde(skip_serializing_if = "json::is_blank", serialize_with = "json::lines")]
    pub doc: Vec<String>,
    /// Its definition, as the layout writes it.
    #[serde(rename = "is")]
    pub text: String,
}

/// Returns all declared types, those of imported files included.
pub(super) fn types(layout: &Layout) -> Vec<TypeFacts> {
    let decls = layout.trees.iter().flat_map(|tree| &tree.decls);
    let declared: Vec<(Span, Span)> = decls
        .filter_map(|decl| match decl {
            Decl::Type(decl) => Some((decl.name.span, decl.span)),
            _ => None,
        })
        .collect();
    let facts = |named: &NamedType| {
        let found = declared.iter().find(|(name, _)| *name == named.span);
        let text = found.and_then(|(name, whole)| body(layout, *name, *whole));
        TypeFacts {
            name: named.name.clone(),
            doc: named.doc.clone(),
            text: text.unwrap_or_else(|| pattern::type_text(&named.ty)),
        }
    };
    layout.types.iter().map(facts).collect()
}

/// Returns what follows the `=` of a declaration, unless it contains a comment.
fn body(layout: &Layout, name: Span, whole: Span) -> Option<String> {
    let after = Span { start: name.end, ..whole };
    let text = layout.sources.text(after).trim_start().strip_prefix('=')?;
    (!text.contains("//")).then(|| one_line(text))
}

fn one_line(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// Returns the source of a key on one line.
pub fn source_of(layout: &Layout, keyspace: &Keyspace) -> String {
    let text = layout.sources.text(keyspace.key_span);
    if text.contains("//") { key(layout, keyspace) } else { one_line(text) }
}

/// Returns a key by the names of its fields, with its wraps.
pub(super) fn key(layout: &Layout, keyspace: &Keyspace) -> String {
    if !keyspace.key.iter().any(is_wrapped) {
        return pattern::segments(&keyspace.key, Detail::Names);
    }
    let own = keyspace.key_span;
    let is_own = |span: Span| span.file == own.file && own.start <= span.start;
    // The literals before the key as it is written are the prefixes of namespaces.
    let before = keyspace.key.iter().take_while(|segment| match segment {
        Segment::Literal(literal) => !is_own(literal.span) || literal.span.start >= own.end,
        _ => false,
    });
    let before: Vec<Segment> = before.cloned().collect();
    let written = layout.written_key(keyspace).map(|segs| names(layout, segs)).unwrap_or_default();
    let before = pattern::segments(&before, Detail::Names);
    [before, written].into_iter().filter(|text| !text.is_empty()).collect::<Vec<_>>().join(" ")
}

fn is_wrapped(segment: &Segment) -> bool {
    match segment {
        Segment::Field(field) => !field.wraps.is_empty(),
        Segment::Derived(derived) => !derived.wraps.is_empty(),
        Segment::Literal(literal) => literal.end_of.is_some(),
        Segment::Option(option) => option.segments.iter().any(is_wrapped),
    }
}

fn names(layout: &Layout, segs: &[Seg]) -> String {
    let written = |span: Span| one_line(layout.sources.text(span));
    let seg = |seg: &Seg| match seg {
        Seg::Lit(lit) => written(lit.span),
        Seg::Derived(derived) => written(derived.span),
        Seg::Field(field) => format!("{{{}}}", field.name.text),
        Seg::Option(option) => format!("[{}]", names(layout, &option.segs)),
        Seg::Wrap(wrap) => format!("wrap {}({})", wrap.codec.text, names(layout, &wrap.segs)),
    };
    segs.iter().map(seg).collect::<Vec<_>>().join(" ")
}
