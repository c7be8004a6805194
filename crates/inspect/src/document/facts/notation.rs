//! Keys, types and values as a layout writes them, in one line. The model has no wraps and no
//! declarations, so they come from the syntax tree and the source.

use super::TypeFacts;
use keyscape_codec::Shown;
use keyscape_diagnostics::bytes::hex;
use keyscape_layout::{
    Layout, Span, direct_field,
    guard::Guard,
    model::{Arm, Keyspace, Literal, NamedType, RowValue, Segment, Type},
    syntax::ast::{Decl, Seg},
};

/// The detail of fields in a pattern.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Detail {
    Names,
    /// Names with types.
    Types,
}

/// Renders segments: `0x02 {owner} {denom}`.
pub(super) fn segments(list: &[Segment], detail: Detail) -> String {
    scoped(list, list, detail)
}

/// Renders segments. `scope` is the list that contains the fields of guards.
fn scoped(list: &[Segment], scope: &[Segment], detail: Detail) -> String {
    let texts: Vec<String> = list
        .iter()
        .map(|segment| match segment {
            Segment::Literal(Literal { call: Some(call), .. }) => call.clone(),
            Segment::Literal(Literal { bytes, is_text, .. }) => literal(bytes, *is_text),
            Segment::Derived(derived) => format!("{{{}}}", derived.text()),
            Segment::Field(field) => match detail {
                Detail::Names => format!("{{{}}}", field.name),
                Detail::Types => format!("{{{}: {}}}", field.name, type_text(&field.ty)),
            },
            Segment::Option(option) => {
                let inside = scoped(&option.segments, scope, detail);
                match option.guard.as_ref().filter(|_| detail == Detail::Types) {
                    Some(guard) => format!("[{inside} if {}]", guard_text(guard, scope)),
                    None => format!("[{inside}]"),
                }
            }
        })
        .collect();
    texts.join(" ")
}

/// Renders fixed bytes: `"accum/"` if they were written as text and are readable, else `0x02`.
pub fn literal(bytes: &[u8], is_text: bool) -> String {
    let plain = |&byte: &u8| matches!(byte, b' '..=b'~') && byte != b'"' && byte != b'\\';
    if is_text && bytes.iter().all(plain) {
        format!("\"{}\"", String::from_utf8_lossy(bytes))
    } else {
        format!("0x{}", hex(bytes))
    }
}

/// Returns a type as layouts write it, without the names of types.
pub fn type_text(ty: &Type) -> String {
    detailed_type(ty, Detail::Types)
}

/// Renders a type; with [`Detail::Names`], without the types inside it.
fn detailed_type(ty: &Type, detail: Detail) -> String {
    match ty {
        Type::Leaf(leaf) => {
            let codec = leaf.codec.describe().written().to_string();
            match leaf.shown.as_ref().filter(|_| detail == Detail::Types) {
                Some(shown) => format!("{codec} shown as {}", shown_text(shown)),
                None => codec,
            }
        }
        Type::Enum(of) => {
            let texts: Vec<String> =
                of.texts.iter().map(|text| literal(text.as_bytes(), true)).collect();
            texts.join(" | ")
        }
        Type::Composite(list) => segments(list, detail),
        Type::Variant(arms) if detail == Detail::Names => {
            arms.iter().map(|arm| arm.name.as_str()).collect::<Vec<_>>().join(" | ")
        }
        Type::Variant(arms) => {
            let arm = |arm: &Arm| format!("| {} {}", arm.name, segments(&arm.segments, detail));
            arms.iter().map(arm).collect::<Vec<_>>().join(" ")
        }
        Type::List(list) => {
            format!("list({})[{}..={}]", detailed_type(&list.element, detail), list.min, list.max)
        }
    }
}

/// Renders the value of a keyspace, or the parts of a structure, in few words.
pub(super) fn brief(keyspace: &Keyspace) -> String {
    let brief = |ty: &Type| detailed_type(ty, Detail::Names);
    let member = keyspace.member.as_deref().map(brief);
    let score = keyspace.score.as_deref().map(|ty| format!("by {}", brief(ty)));
    let value = keyspace.value.as_ref().map(value);
    [value, member, score].into_iter().flatten().collect::<Vec<_>>().join(" ")
}

/// Returns a display form as layouts write it.
pub fn shown_text(shown: &Shown) -> String {
    match shown {
        Shown::Bech32(prefix) => format!("bech32({:?})", prefix.as_str()),
        Shown::Base58Check => "base58check".to_owned(),
        Shown::Hex => "hex".to_owned(),
        Shown::ReversedHex => "reversed_hex".to_owned(),
        Shown::Utf8 => "utf8".to_owned(),
        other => format!("{other:?}"),
    }
}

/// Renders the condition of an optional part: `level is not collection`.
pub(super) fn guard_text(guard: &Guard, scope: &[Segment]) -> String {
    match guard {
        Guard::Is { field, choices } => {
            let names =
                direct_field(scope, field).and_then(|field| field.ty.choices()).unwrap_or_default();
            let (chosen, others): (Vec<usize>, Vec<usize>) =
                (0..names.len()).partition(|index| choices.contains(index));
            let word = |indices: &[usize], join: &str| {
                let words = indices.iter().filter_map(|&index| names.get(index).copied());
                words.collect::<Vec<_>>().join(join)
            };
            if others.len() < chosen.len() {
                format!("{field} is not {}", word(&others, " or "))
            } else {
                format!("{field} is {}", word(&chosen, " or "))
            }
        }
        Guard::In { field, range } => format!("{field} in {range}"),
        Guard::All(parts) => joined(parts, scope, " and "),
        Guard::Any(parts) => joined(parts, scope, " or "),
    }
}

fn joined(parts: &[Guard], scope: &[Segment], join: &str) -> String {
    let texts: Vec<String> = parts
        .iter()
        .map(|part| match part {
            Guard::Any(_) | Guard::All(_) => format!("({})", guard_text(part, scope)),
            Guard::Is { .. } | Guard::In { .. } => guard_text(part, scope),
        })
        .collect();
    texts.join(join)
}

/// Returns the value of a row as layouts write it.
pub(super) fn value(value: &RowValue) -> String {
    match value {
        RowValue::Empty => "empty".to_owned(),
        RowValue::Const(bytes) => format!("const {}", literal(bytes, false)),
        RowValue::Json(None) => "json".to_owned(),
        RowValue::Json(Some(name)) => format!("json {name}"),
        RowValue::Proto(message) => format!("proto {}", message.name),
        RowValue::Typed(typed) => typed.text.clone(),
        RowValue::Own(name) => name.clone(),
    }
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
            text: text.unwrap_or_else(|| type_text(&named.ty)),
        }
    };
    layout.types.iter().map(facts).collect()
}

/// Returns the text after the `=` of a declaration, unless it contains a comment.
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
        return segments(&keyspace.key, Detail::Names);
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
    let before = segments(&before, Detail::Names);
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
