//! What the model no longer has, from the text of the layout: wraps around segments, and declarations of types.

use super::pattern::{self, Detail};
use keyscape_layout::{
    FileId, Layout, Span,
    model::{Keyspace, NamedType, Segment},
    syntax::{
        ast::{Decl, Seg},
        parse,
    },
};

/// A declared type.
#[derive(Debug)]
pub(crate) struct TypeFacts {
    pub(crate) name: String,
    pub(crate) doc: Vec<String>,
    /// What it is, as the layout writes it.
    pub(crate) text: String,
}

/// All declared types, those of imported files included.
pub(super) fn types(layout: &Layout) -> Vec<TypeFacts> {
    let mut declared = Vec::new();
    for (index, file) in layout.sources.files().iter().enumerate() {
        let (tree, _) = parse(&file.text, FileId(index as u32));
        declared.extend(tree.decls.into_iter().filter_map(|decl| match decl {
            Decl::Type(decl) => Some((decl.name.span, decl.span)),
            _ => None,
        }));
    }
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

/// What stands behind the `=` of a declaration, unless a comment stands in it.
fn body(layout: &Layout, name: Span, whole: Span) -> Option<String> {
    let behind = Span { start: name.end, ..whole };
    let text = layout.sources.text(behind).trim_start().strip_prefix('=')?;
    (!text.contains("//")).then(|| one_line(text))
}

fn one_line(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// A key by the names of its fields, with its wraps.
pub(super) fn key(layout: &Layout, keyspace: &Keyspace) -> String {
    if !keyspace.key.iter().any(is_wrapped) {
        return pattern::segments(&keyspace.key, Detail::Names);
    }
    let own = keyspace.key_span;
    let is_own = |span: Span| span.file == own.file && own.start <= span.start;
    // What stands before the key as it is written are the prefixes of namespaces.
    let before = keyspace.key.iter().take_while(|segment| match segment {
        Segment::Literal(literal) => !is_own(literal.span) || literal.span.start >= own.end,
        _ => false,
    });
    let before: Vec<Segment> = before.cloned().collect();
    let text = format!("store s\nmap k = {}\n", layout.sources.text(own));
    let (tree, _) = parse(&text, FileId::default());
    let segs = tree.decls.iter().find_map(|decl| match decl {
        Decl::Keyspace(keyspace) => Some(&keyspace.key),
        _ => None,
    });
    let written = segs.map_or_else(String::new, |segs| names(segs, &text));
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

fn names(segs: &[Seg], text: &str) -> String {
    let slice =
        |span: Span| one_line(text.get(span.start as usize..span.end as usize).unwrap_or_default());
    let seg = |seg: &Seg| match seg {
        Seg::Lit(lit) => slice(lit.span),
        Seg::Derived(derived) => slice(derived.span),
        Seg::Field(field) => format!("{{{}}}", field.name.text),
        Seg::Option(option) => format!("[{}]", names(&option.segs, text)),
        Seg::Wrap(wrap) => format!("wrap {}({})", wrap.codec.text, names(&wrap.segs, text)),
    };
    segs.iter().map(seg).collect::<Vec<_>>().join(" ")
}
