//! Values for people: `user=10 order=0`, written as `encode` takes them.

use super::{bytes::hex, json::form, json::type_of};
use keyscape_codec::Value;
use keyscape_layout::{
    Datum, Record,
    model::{Segment, Type},
};

/// How much of a value is shown.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Extent {
    /// All of it.
    Whole,
    /// Both ends of a long one.
    Short,
}

/// A record as `path=value` pairs, one after the other.
pub fn line(segments: &[Segment], record: &Record, extent: Extent) -> String {
    let mut pairs = Vec::new();
    collect(segments, record, "", extent, &mut pairs);
    let pairs: Vec<String> = pairs.iter().map(|(path, value)| format!("{path}={value}")).collect();
    if pairs.is_empty() { "(no fields)".to_owned() } else { pairs.join(" ") }
}

fn collect(
    segments: &[Segment],
    record: &Record,
    path: &str,
    extent: Extent,
    pairs: &mut Vec<(String, String)>,
) {
    for (name, datum) in &record.0 {
        let path = if path.is_empty() { name.clone() } else { format!("{path}.{name}") };
        match (type_of(segments, name), datum) {
            (Some(Type::Composite(inner)), Datum::Record(record)) => {
                collect(inner, record, &path, extent, pairs);
            }
            (Some(Type::Variant(arms)), Datum::Arm(arm, record)) if !record.0.is_empty() => {
                let inner = arms.iter().find(|known| known.name == *arm);
                let inner = inner.map_or(&[][..], |arm| &arm.segments);
                collect(inner, record, &format!("{path}.{arm}"), extent, pairs);
            }
            (ty, datum) => pairs.push((path, scalar(ty, datum, extent))),
        }
    }
}

/// One value in one word.
pub fn scalar(ty: Option<&Type>, datum: &Datum, extent: Extent) -> String {
    let shown = match ty {
        Some(Type::Leaf(leaf)) => leaf.shown.as_ref(),
        _ => None,
    };
    let text = match datum {
        Datum::Leaf(Value::Uint(number)) => return number.to_string(),
        Datum::Leaf(Value::Int(number)) => return number.to_string(),
        Datum::Leaf(Value::Float(number)) => return format!("{number:?}"),
        Datum::Leaf(Value::Pair(a, b)) => return format!("[{a},{b}]"),
        Datum::Leaf(Value::Bool(flag)) => return flag.to_string(),
        Datum::Leaf(Value::Bytes(bytes)) => {
            form(shown, bytes).unwrap_or_else(|| format!("0x{}", hex(bytes)))
        }
        Datum::Leaf(Value::Text(text)) | Datum::Name(text) | Datum::Arm(text, _) => text.clone(),
        Datum::List(elements) => {
            let element = match ty {
                Some(Type::List(list)) => Some(&*list.element),
                _ => None,
            };
            let elements = elements.iter().map(|datum| scalar(element, datum, extent));
            return format!("[{}]", elements.collect::<Vec<_>>().join(","));
        }
        Datum::Record(record) => {
            let segments =
                if let Some(Type::Composite(segments)) = ty { segments } else { &vec![] };
            return line(segments, record, extent);
        }
    };
    let text = if extent == Extent::Short { shorten(&text) } else { text };
    let is_plain = |char: char| !char.is_whitespace() && !char.is_control() && char != '"';
    if text.is_empty() || !text.chars().all(is_plain) { format!("{text:?}") } else { text }
}

/// The type at a path, through composites and arms.
pub fn type_at<'t, S: AsRef<str>>(segments: &'t [Segment], path: &[S]) -> Option<&'t Type> {
    let (first, rest) = path.split_first()?;
    let ty = type_of(segments, first.as_ref())?;
    match (ty, rest) {
        (ty, []) => Some(ty),
        (Type::Composite(inner), rest) => type_at(inner, rest),
        (Type::Variant(arms), [name, rest @ ..]) => {
            let arm = arms.iter().find(|arm| arm.name == name.as_ref())?;
            if rest.is_empty() { Some(ty) } else { type_at(&arm.segments, rest) }
        }
        (Type::Leaf(_) | Type::Enum(_) | Type::List(_), _) => None,
    }
}

/// The longest value that is shown whole.
const MOST: usize = 22;
const HEAD: usize = 12;
const TAIL: usize = 4;

fn shorten(text: &str) -> String {
    let count = text.chars().count();
    if count <= MOST {
        return text.to_owned();
    }
    let head: String = text.chars().take(HEAD).collect();
    let tail: String = text.chars().skip(count - TAIL).collect();
    format!("{head}…{tail}")
}
