//! The picture of a key: a box for each part, and the example below in the same colours.

use super::text::{code, escape, runs};
use crate::output::document::{
    facts::{Example, Part, PartKind, literal},
    words,
};
use std::collections::BTreeMap;

/// The number of colours.
const COLOURS: usize = 6;

/// The boxes of a key.
pub(super) fn boxes(parts: &[Part]) -> String {
    format!("<div class=\"key\">\n{}</div>\n", list(parts))
}

fn list(parts: &[Part]) -> String {
    parts.iter().map(boxed).collect()
}

fn boxed(part: &Part) -> String {
    let length = words::bytes_long(part.length);
    match &part.shape {
        PartKind::Literal { bytes, text, .. } => format!(
            "<div class=\"box literal\"><b>{}</b><span>{length}</span></div>\n",
            escape(&literal(bytes, text.is_some())),
        ),
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
            let arms: String = arms
                .iter()
                .map(|arm| {
                    let name = escape(&arm.name);
                    format!("<div class=\"arm\"><i>{name}</i>{}</div>\n", list(&arm.parts))
                })
                .collect();
            let label = format!("{}, one of {}", part.name, words::counted(count(part), "arm"));
            group("variant", &label, &length, &arms)
        }
    }
}

fn count(part: &Part) -> usize {
    match &part.shape {
        PartKind::Variant { arms } => arms.len(),
        _ => 0,
    }
}

fn value_box(part: &Part, codec: &str, allowed: &str) -> String {
    let colour = part.colour.unwrap_or(0) % COLOURS;
    // Longer parts are wider, but not by as much as they are longer.
    let most = part.length.most.unwrap_or(1024).max(1);
    let grow = usize::BITS - most.leading_zeros();
    format!(
        "<div class=\"box c{colour}\" style=\"flex-grow:{grow}\" title=\"{}\"><b>{}</b><span>{}</span>\
         <span>{}</span></div>\n",
        escape(allowed),
        escape(&part.name),
        escape(codec),
        words::bytes_long(part.length)
    )
}

/// The name of a codec without its arguments.
fn short(codec: &str) -> &str {
    codec.split(['(', '[', ' ']).next().unwrap_or(codec)
}

fn group(class: &str, label: &str, length: &str, inside: &str) -> String {
    format!(
        "<div class=\"group {class}\"><p>{} <span>{length}</span></p><div class=\"inside\">{inside}\
         </div></div>\n",
        escape(label)
    )
}

/// The example: its bytes in the colours of the boxes, as text, and its values.
pub(super) fn example(example: &Example, parts: &[Part]) -> String {
    let mut colours = BTreeMap::new();
    collect(parts, &mut colours);
    let pieces: String = example
        .pieces
        .iter()
        .map(|(range, path)| {
            let bytes = example.key.get(range.clone()).unwrap_or_default();
            let class = match path.as_deref().and_then(|path| colours.get(&general(path))) {
                Some(colour) => format!("c{}", colour % COLOURS),
                None => "literal".to_owned(),
            };
            let title = path.as_deref().unwrap_or("literal");
            let readable = bytes.iter().any(u8::is_ascii_graphic);
            let characters = escape(&words::characters(bytes));
            let below =
                if readable { format!("<small>{characters}</small>") } else { String::new() };
            format!(
                "<span class=\"piece {class}\" title=\"{}\">{}{below}</span>",
                escape(title),
                words::spaced(bytes),
            )
        })
        .collect();
    let pieces = if pieces.is_empty() {
        format!("<span class=\"piece literal\">{}</span>", words::spaced(&example.key))
    } else {
        pieces
    };
    format!(
        "<figure class=\"example\"><div class=\"bytes\">{pieces}</div>\n<figcaption>{} {}\
         </figcaption></figure>\n",
        code(&example.line),
        words::comes_back(example)
    )
}

fn collect<'a>(parts: impl IntoIterator<Item = &'a Part>, colours: &mut BTreeMap<String, usize>) {
    for part in parts {
        if let Some(colour) = part.colour {
            colours.insert(part.path.clone(), colour);
        }
        collect(part.inside(), colours);
    }
}

/// A path with the first element for every element of a list.
fn general(path: &str) -> String {
    let step = |step: &str| {
        if step.bytes().all(|byte| byte.is_ascii_digit()) {
            "0".to_owned()
        } else {
            step.to_owned()
        }
    };
    path.split('.').map(step).collect::<Vec<_>>().join(".")
}

/// The parts as rows: where each begins, its length, its codec and its values.
pub(super) fn rows<'a>(
    parts: impl IntoIterator<Item = &'a Part>,
    depth: usize,
    rows: &mut Vec<Vec<String>>,
) {
    for part in parts {
        rows.push(part_row(part, depth));
        match &part.shape {
            PartKind::Variant { arms } => {
                for arm in arms {
                    let name = format!("{}<i>{}</i>", indent(depth + 1), escape(&arm.name));
                    let length = words::length(arm.length);
                    rows.push(vec![name, String::new(), length, "arm".to_owned(), String::new()]);
                    self::rows(&arm.parts, depth + 2, rows);
                }
            }
            _ => self::rows(part.inside(), depth + 1, rows),
        }
    }
}

fn indent(depth: usize) -> String {
    format!("<span class=\"indent\" style=\"width:{depth}em\"></span>")
}

fn part_row(part: &Part, depth: usize) -> Vec<String> {
    let name = match (&part.shape, part.colour) {
        (PartKind::Literal { bytes, text, .. }, _) => code(&literal(bytes, text.is_some())),
        (PartKind::Option { .. }, _) => "<i>option</i>".to_owned(),
        (_, Some(colour)) => {
            let colour = colour % COLOURS;
            format!("<b class=\"name c{colour}\">{}</b>", escape(&part.name))
        }
        (_, None) => format!("<b>{}</b>", escape(&part.name)),
    };
    let at = match words::start(&part.start) {
        (None, offset) => offset.to_string(),
        (Some(path), 0) => format!("end of {}", code(path)),
        (Some(path), plus) => format!("end of {} + {plus}", code(path)),
    };
    let codec = match &part.shape {
        PartKind::Leaf { .. } => code(&words::codec(part)),
        _ => escape(&words::codec(part)),
    };
    let mut allowed = match &part.shape {
        PartKind::Literal { made_from: None, .. } => String::new(),
        _ => runs(&words::allowed(part)),
    };
    if part.from_value {
        allowed.push_str("; from the value of the map");
    }
    vec![format!("{}{name}", indent(depth)), at, words::length(part.length), codec, allowed]
}
