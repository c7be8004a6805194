//! Values in the notation of `encode`: `user=10 order=0`.

use super::{escape::escaped, json::put_datum};
use keyscape_codec::{Shown, Value, show_bytes, word};
use keyscape_layout::{
    Datum, Record, field,
    model::{Segment, Type},
};

/// The extent to which a value is shown.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Extent {
    /// The whole value.
    Whole,
    /// Both ends of a long value.
    Short,
}

/// Returns a record as `path=value` pairs.
pub fn line(segments: &[Segment], record: &Record, extent: Extent) -> String {
    let shown = |leaf: &Leaf<'_>| scalar(leaf.ty, leaf.datum, extent);
    pairs(&leaves(segments, record), shown)
}

/// Returns a record as `path=value` pairs, shortened but still different from another record.
pub fn line_apart(segments: &[Segment], record: &Record, other: &Record) -> String {
    let others = leaves(segments, other);
    pairs(&leaves(segments, record), |leaf| {
        let other = others.iter().find(|other| other.path == leaf.path);
        scalar_apart(leaf.ty, leaf.datum, other.map(|other| other.datum))
    })
}

fn pairs(leaves: &[Leaf<'_>], shown: impl Fn(&Leaf<'_>) -> String) -> String {
    let pair = |leaf: &Leaf<'_>| format!("{}={}", leaf.path, shown(leaf));
    let pairs: Vec<String> = leaves.iter().map(pair).collect();
    if pairs.is_empty() { "(no fields)".to_owned() } else { pairs.join(" ") }
}

/// A value that is shown as one word, with its path.
struct Leaf<'a> {
    path: String,
    ty: Option<&'a Type>,
    datum: &'a Datum,
}

fn leaves<'a>(segments: &'a [Segment], record: &'a Record) -> Vec<Leaf<'a>> {
    let mut found = Vec::new();
    collect(segments, record, "", &mut found);
    found
}

fn collect<'a>(segments: &'a [Segment], record: &'a Record, path: &str, found: &mut Vec<Leaf<'a>>) {
    for (name, datum) in &record.0 {
        let path = if path.is_empty() { name.clone() } else { format!("{path}.{name}") };
        match (field(segments, name).map(|field| &*field.ty), datum) {
            (Some(Type::Composite(inner)), Datum::Record(record)) if !record.0.is_empty() => {
                collect(inner, record, &path, found);
            }
            (ty @ Some(Type::Variant(_)), Datum::Arm(arm, record)) if !record.0.is_empty() => {
                collect(segments_of_arm(ty, arm), record, &format!("{path}.{arm}"), found);
            }
            (ty, datum) => found.push(Leaf { path, ty, datum }),
        }
    }
}

/// Returns one value in one word.
pub fn scalar(ty: Option<&Type>, datum: &Datum, extent: Extent) -> String {
    match datum {
        // A whole list is JSON, which `encode` reads.
        Datum::List(_) if extent == Extent::Whole => {
            let mut json = Vec::new();
            put_datum(ty, datum, &mut json);
            escaped(&String::from_utf8_lossy(&json)).into_owned()
        }
        Datum::List(elements) => {
            let element = element_of(ty);
            list(elements.iter().map(|datum| scalar(element, datum, extent)))
        }
        Datum::Record(record) if record.0.is_empty() => "{}".to_owned(),
        Datum::Record(record) => line(segments_of(ty), record, extent),
        datum => match (text(ty, datum), extent) {
            (Ok(text), Extent::Short) => quoted(&shorten(&text, None)),
            (Ok(text), Extent::Whole) => quoted(&text),
            (Err(number), _) => number,
        },
    }
}

/// Returns one value in one word, shortened around the first difference from another value, if
/// there is one.
pub fn scalar_apart(ty: Option<&Type>, datum: &Datum, other: Option<&Datum>) -> String {
    let short = scalar(ty, datum, Extent::Short);
    let looks_same = |other: &&Datum| short == scalar(ty, other, Extent::Short);
    let Some(other) = other.filter(|other| *other != datum).filter(looks_same) else {
        return short;
    };
    match (datum, other) {
        (Datum::List(elements), Datum::List(others)) => {
            let element = element_of(ty);
            let elements = elements.iter().enumerate();
            list(elements.map(|(at, datum)| scalar_apart(element, datum, others.get(at))))
        }
        (Datum::Record(record), Datum::Record(other)) => line_apart(segments_of(ty), record, other),
        _ => match (text(ty, datum), text(ty, other)) {
            (Ok(text), Ok(other)) => quoted(&shorten(&text, Some(first_difference(&text, &other)))),
            _ => short,
        },
    }
}

/// Returns the first character in which two texts differ. In hexadecimal digits, it is the first
/// digit of a byte.
#[must_use]
pub fn first_difference(text: &str, other: &str) -> usize {
    let same = text.chars().zip(other.chars()).take_while(|(a, b)| a == b);
    let same: Vec<char> = same.map(|(char, _)| char).collect();
    let at = same.len();
    // The ellipsis replaces whole bytes.
    let digits = same.iter().rev().take_while(|char| **char != '…').count();
    if text.starts_with("0x") { at - digits % 2 } else { at }
}

fn list(elements: impl Iterator<Item = String>) -> String {
    format!("[{}]", elements.collect::<Vec<_>>().join(","))
}

/// Returns the type of the elements of a list.
pub(super) fn element_of(ty: Option<&Type>) -> Option<&Type> {
    match ty {
        Some(Type::List(list)) => Some(&list.element),
        _ => None,
    }
}

/// Returns the segments of a composite.
pub(super) fn segments_of(ty: Option<&Type>) -> &[Segment] {
    if let Some(Type::Composite(segments)) = ty { segments } else { &[] }
}

/// Returns the segments of an arm of a variant.
pub(super) fn segments_of_arm<'t>(ty: Option<&'t Type>, name: &str) -> &'t [Segment] {
    let Some(Type::Variant(arms)) = ty else { return &[] };
    arms.iter().find(|arm| arm.name == name).map_or(&[], |arm| &arm.segments)
}

/// Returns the display form of a leaf.
pub(super) fn shown_as(ty: Option<&Type>) -> Option<&Shown> {
    if let Some(Type::Leaf(leaf)) = ty { leaf.shown.as_ref() } else { None }
}

/// Returns the text of a value that may be shortened. A number, which may not, is returned as the
/// error.
fn text(ty: Option<&Type>, datum: &Datum) -> Result<String, String> {
    match datum {
        Datum::Leaf(Value::Uint(number)) => Err(number.to_string()),
        Datum::Leaf(Value::Int(number)) => Err(number.to_string()),
        Datum::Leaf(Value::Float(number)) => Err(format!("{number:?}")),
        Datum::Leaf(Value::Pair(a, b)) => Err(format!("[{a},{b}]")),
        Datum::Leaf(Value::Bool(flag)) => Err(flag.to_string()),
        Datum::Leaf(Value::Bytes(bytes)) => Ok(show_bytes(shown_as(ty), bytes)),
        Datum::Leaf(Value::Text(text)) | Datum::Name(text) | Datum::Arm(text, _) => {
            Ok(text.clone())
        }
        Datum::List(_) | Datum::Record(_) => Err(scalar(ty, datum, Extent::Short)),
    }
}

fn quoted(text: &str) -> String {
    word::quoted(text).into_owned()
}

/// The length of the longest value that is not shortened.
const MAX_SHOWN: usize = 22;
const HEAD: usize = 12;
const TAIL: usize = 4;

/// The number of characters that are shown on both sides of a difference.
const AROUND: usize = 4;

/// Returns both ends of a long text.
#[must_use]
pub fn short(text: &str) -> String {
    shorten(text, None)
}

/// Returns both ends of a long text, and the characters around one of its characters.
fn shorten(text: &str, around: Option<usize>) -> String {
    let count = text.chars().count();
    if count <= MAX_SHOWN {
        return text.to_owned();
    }
    let is_near = |at: usize| around.is_some_and(|near| at + AROUND >= near && at < near + AROUND);
    let is_shown = |at: usize| at < HEAD || at >= count - TAIL || is_near(at);
    let mut shown = String::new();
    for (at, char) in text.chars().enumerate() {
        // An ellipsis for a single character would not be shorter.
        let alone = at > 0 && is_shown(at - 1) && is_shown(at + 1);
        if is_shown(at) || alone {
            shown.push(char);
        } else if !shown.ends_with('…') {
            shown.push('…');
        }
    }
    shown
}

#[cfg(test)]
mod tests {
    use super::*;

    fn bytes(len: usize, at: usize) -> Datum {
        let mut bytes = vec![0x61; len];
        bytes[at] = 0x62;
        Datum::Leaf(Value::Bytes(bytes))
    }

    #[test]
    fn two_values_that_differ_never_look_the_same() {
        for at in 0..40 {
            let (a, b) = (bytes(40, at), bytes(40, 39 - at));
            let [one, other] = [(&a, &b), (&b, &a)].map(|(a, b)| scalar_apart(None, a, Some(b)));
            assert_ne!(one, other);
            // One of the two texts contains its first differing byte.
            assert!(one.contains("62") || other.contains("62"), "{one} {other}");
            let list =
                |datum: &Datum| Datum::List(vec![Datum::Name("x".to_owned()), datum.clone()]);
            assert_ne!(
                scalar_apart(None, &list(&a), Some(&list(&b))),
                scalar_apart(None, &list(&b), Some(&list(&a)))
            );
        }
        let text = |len| Datum::Leaf(Value::Text("a".repeat(len)));
        for (a, b) in [(40, 41), (40, 60), (23, 24)] {
            let [one, other] =
                [(a, b), (b, a)].map(|(a, b)| scalar_apart(None, &text(a), Some(&text(b))));
            assert_ne!(one, other, "{a} and {b}");
        }
    }

    #[test]
    fn the_difference_is_shown_between_both_ends() {
        let (a, b) = (bytes(32, 20), bytes(32, 21));
        assert_eq!(scalar(None, &a, Extent::Short), "0x6161616161…6161");
        assert_eq!(scalar_apart(None, &a, Some(&b)), "0x6161616161…61616261…6161");
        assert_eq!(scalar_apart(None, &b, Some(&a)), "0x6161616161…61616162…6161");
    }
}
