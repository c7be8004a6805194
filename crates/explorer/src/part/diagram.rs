//! The picture of a key: a box for each part, and the example below in the same colours.

use super::text::{clean, code, runs};
use keyscape_inspect::document::{
    facts::{Example, Part, PartKind, literal},
    words,
};
use maud::{Markup, html};
use std::collections::BTreeMap;

/// The number of colours.
pub(crate) const COLOURS: usize = 6;

/// Renders the boxes of a key.
pub(crate) fn boxes(parts: &[Part]) -> Markup {
    html! { div.key { (list(parts)) } }
}

fn list(parts: &[Part]) -> Markup {
    html! { @for part in parts { (boxed(part)) } }
}

fn boxed(part: &Part) -> Markup {
    let length = words::bytes_long(part.length);
    match &part.shape {
        PartKind::Literal { bytes, text, .. } => html! {
            div.box.literal { b { (clean(&literal(bytes, text.is_some()))) } span { (length) } }
        },
        PartKind::Leaf { codec, allowed, .. } => value_box(part, short(codec), allowed),
        PartKind::Enum { texts } => value_box(part, "enum", &texts.join(", ")),
        PartKind::Composite { parts } => group("composite", &part.name, &length, &list(parts)),
        PartKind::List { element, min, max } => {
            let label = format!("{}, {min} to {max} times", part.name);
            group("list", &label, &length, &boxed(element))
        }
        PartKind::Option { guard, parts } => {
            let label = match guard {
                Some(guard) => format!("if {guard}"),
                None => "optional".to_owned(),
            };
            group("option", &label, &length, &list(parts))
        }
        PartKind::Variant { arms } => {
            let label = format!("{}, one of {}", part.name, words::counted(arms.len(), "arm"));
            let arms = html! {
                @for arm in arms { div.arm { i { (clean(&arm.name)) } (list(&arm.parts)) } }
            };
            group("variant", &label, &length, &arms)
        }
    }
}

fn value_box(part: &Part, codec: &str, allowed: &str) -> Markup {
    let colour = part.colour.unwrap_or(0) % COLOURS;
    // Longer parts are wider, but not by as much as they are longer.
    let longest = part.length.max.unwrap_or(1024).max(1);
    let grow = usize::BITS - longest.leading_zeros();
    html! {
        div class=(format!("box c{colour} g{}", grow.min(12))) title=(clean(allowed)) {
            b { (clean(&part.name)) } span { (clean(codec)) } span { (words::bytes_long(part.length)) }
        }
    }
}

/// Returns the name of a codec without its arguments.
fn short(codec: &str) -> &str {
    codec.split(['(', '[', ' ']).next().unwrap_or(codec)
}

fn group(class: &str, label: &str, length: &str, inside: &Markup) -> Markup {
    html! {
        div class=(format!("group {class}")) {
            p { (clean(label)) " " span { (length) } }
            div.inside { (inside) }
        }
    }
}

/// Renders the example: its bytes in the colours of the boxes, its text and its values.
pub(crate) fn example(example: &Example, parts: &[Part]) -> Markup {
    let mut colours = BTreeMap::new();
    collect(parts, &mut colours);
    let class = |path: Option<&str>| match path.and_then(|path| colours.get(&general(path))) {
        Some(colour) => format!("piece c{}", colour % COLOURS),
        None => "piece literal".to_owned(),
    };
    html! {
        figure.example {
            div.bytes {
                @for (range, path) in &example.pieces {
                    @let bytes = example.key.get(range.clone()).unwrap_or_default();
                    span class=(class(path.as_deref())) title=(clean(path.as_deref().unwrap_or("literal"))) {
                        (words::spaced(bytes))
                        @if bytes.iter().any(u8::is_ascii_graphic) { small { (words::characters(bytes)) } }
                    }
                }
                @if example.pieces.is_empty() { span.piece.literal { (words::spaced(&example.key)) } }
            }
            figcaption { (code(&example.line)) " " (words::comes_back(example)) }
        }
    }
}

fn collect<'a>(parts: impl IntoIterator<Item = &'a Part>, colours: &mut BTreeMap<String, usize>) {
    for part in parts {
        if let Some(colour) = part.colour {
            colours.insert(part.path.clone(), colour);
        }
        collect(part.inside(), colours);
    }
}

/// Returns a path with the first element for every element of a list.
pub(crate) fn general(path: &str) -> String {
    let step = |step: &str| {
        let is_index = step.bytes().all(|byte| byte.is_ascii_digit());
        if is_index { "0".to_owned() } else { step.to_owned() }
    };
    path.split('.').map(step).collect::<Vec<_>>().join(".")
}

/// Lists the parts as rows: their offsets, lengths, codecs and values.
pub(crate) fn rows<'a>(
    parts: impl IntoIterator<Item = &'a Part>,
    depth: usize,
    rows: &mut Vec<[Markup; 5]>,
) {
    for part in parts {
        rows.push(part_row(part, depth));
        match &part.shape {
            PartKind::Variant { arms } => {
                for arm in arms {
                    let name = html! { (indent(depth + 1)) i { (clean(&arm.name)) } };
                    let length = html! { (words::length(arm.length)) };
                    rows.push([name, html! {}, length, html! { "arm" }, html! {}]);
                    self::rows(&arm.parts, depth + 2, rows);
                }
            }
            _ => self::rows(part.inside(), depth + 1, rows),
        }
    }
}

fn indent(depth: usize) -> Markup {
    html! { @for _ in 0..depth { span.indent {} } }
}

fn part_row(part: &Part, depth: usize) -> [Markup; 5] {
    let name = match (&part.shape, part.colour) {
        (PartKind::Literal { bytes, text, .. }, _) => code(&literal(bytes, text.is_some())),
        (PartKind::Option { .. }, _) => html! { i { "option" } },
        (_, Some(colour)) => {
            html! { b class=(format!("name c{}", colour % COLOURS)) { (clean(&part.name)) } }
        }
        (_, None) => html! { b { (clean(&part.name)) } },
    };
    let at = match words::start(&part.start) {
        (None, offset) => html! { (offset) },
        (Some(path), 0) => html! { "end of " (code(path)) },
        (Some(path), plus) => html! { "end of " (code(path)) " + " (plus) },
    };
    let codec = match &part.shape {
        PartKind::Leaf { .. } => code(&words::codec(part)),
        _ => html! { (clean(&words::codec(part))) },
    };
    let allowed = html! {
        @if !matches!(&part.shape, PartKind::Literal { made_from: None, .. }) { (runs(&words::allowed(part))) }
        @if let Some(from) = &part.from_value { "; " (clean(&words::from_value(from))) }
    };
    let name = html! { (indent(depth)) (name) };
    [name, at, html! { (words::length(part.length)) }, codec, allowed]
}
