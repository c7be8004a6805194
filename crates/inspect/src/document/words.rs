//! Facts in words that all renderers share.

use super::{
    facts::{Document, Example, Part, PartKind, ScanFacts, Start, VerdictCounts},
    prose::{Run, runs},
};
use crate::many;
use keyscape_diagnostics::bytes::{hex, printable};
use keyscape_layout::{
    Length,
    model::{FromValue, Take},
};
use keyscape_prover::{Interval, Occurrence, Separator};

/// Renders a count: `1 keyspace`, `2 keyspaces`.
pub fn counted(count: usize, noun: &str) -> String {
    many(count as u64, noun)
}

/// Renders a list of counts: `4 maps, 1 index and 1 item`.
pub fn joined_counts(kinds: &[(&'static str, usize)]) -> String {
    let words: Vec<String> = kinds.iter().map(|(kind, count)| counted(*count, kind)).collect();
    match words.as_slice() {
        [] => "nothing".to_owned(),
        [one] => one.clone(),
        [others @ .., last] => format!("{} and {last}", others.join(", ")),
    }
}

/// Renders a length: `3 to 128`.
pub fn length(length: Length) -> String {
    match length.max {
        Some(longest) if longest == length.min => longest.to_string(),
        Some(longest) => format!("{} to {longest}", length.min),
        None => format!("{} or more", length.min),
    }
}

/// Renders a length with its unit: `3 to 128 bytes`.
pub fn bytes_long(range: Length) -> String {
    let unit = if range.fixed() == Some(1) { "byte" } else { "bytes" };
    format!("{} {unit}", length(range))
}

/// Returns the offset at which a part begins, and the path of the part that it is counted from.
pub fn start(start: &Start) -> (Option<&str>, usize) {
    match start {
        Start::At(offset) => (None, *offset),
        Start::After { path, plus } => (Some(path), *plus),
    }
}

/// Describes the source of a field of an index in the value of its map.
pub fn from_value(FromValue { take, path }: &FromValue) -> String {
    let words = match take {
        Take::One => "from the value",
        Take::Optional => "from the value, no entry without it",
        Take::Each => "an entry for each element in the value",
    };
    let path: Vec<String> = path.iter().map(ToString::to_string).collect();
    match path.is_empty() {
        true => words.to_owned(),
        false => format!("{words}: {}", path.join(".")),
    }
}

/// Returns the codec of a part, or its kind.
pub fn codec(part: &Part) -> String {
    match &part.shape {
        PartKind::Literal { .. } => "literal".to_owned(),
        PartKind::Leaf { codec, shown_as: Some(shown), .. } => format!("{codec} shown as {shown}"),
        PartKind::Leaf { codec, shown_as: None, .. } => codec.clone(),
        PartKind::Enum { .. } => "enum".to_owned(),
        PartKind::Composite { .. } => "composite".to_owned(),
        PartKind::Variant { .. } => "variant".to_owned(),
        PartKind::List { min, max, .. } => format!("list of {min} to {max}"),
        PartKind::Option { .. } => "option".to_owned(),
    }
}

/// Returns bytes as two digits each.
pub fn spaced(bytes: &[u8]) -> String {
    bytes.iter().map(|&byte| hex(&[byte])).collect::<Vec<_>>().join(" ")
}

/// Returns bytes as two digits each, or both ends of many.
pub fn spaced_short(bytes: &[u8]) -> String {
    const MAX: usize = 12;
    match (bytes.get(..MAX - 3), bytes.get(bytes.len().saturating_sub(2)..)) {
        (Some(head), Some(tail)) if bytes.len() > MAX => {
            format!("{} … {}", spaced(head), spaced(tail))
        }
        _ => spaced(bytes),
    }
}

/// Returns bytes as characters, with a dot for a byte that is not printable.
pub fn characters(bytes: &[u8]) -> String {
    bytes.iter().map(|&byte| printable(byte)).collect()
}

/// Returns bytes as quoted text; empty if a byte is not printable.
pub fn quoted(bytes: &[u8]) -> String {
    let is_text = bytes.iter().all(|byte| *byte == b' ' || byte.is_ascii_graphic());
    if is_text { format!("{:?}", String::from_utf8_lossy(bytes)) } else { String::new() }
}

/// Returns bytes as a layout writes them: as text if they are readable.
pub fn word(bytes: &[u8]) -> String {
    super::facts::literal(bytes, !bytes.is_empty())
}

/// Whether splitting at a separator is safe, and why.
pub fn split(separator: &Separator) -> (bool, Vec<Run>) {
    let literal = code(&super::facts::literal(&separator.bytes, separator.is_text));
    let after = separated(&separator.after, " and ");
    let (before, rest) = match &separator.occurrence {
        Occurrence::Never => (vec![literal, text(" cannot occur in ")], Vec::new()),
        Occurrence::Inside(found) => {
            (vec![literal, text(" can be part of ")], vec![text(", as in "), code(&word(found))])
        }
        Occurrence::Across(found) => (
            Vec::new(),
            vec![text(" can end as "), literal, text(" begins, as in "), code(&word(found))],
        ),
        Occurrence::Perhaps => {
            (vec![text("it is not known whether "), literal, text(" can be part of ")], Vec::new())
        }
    };
    (separator.occurrence.is_never(), [before, after, rest].concat())
}

/// Returns names as code, with words between them.
fn separated(names: &[String], between: &str) -> Vec<Run> {
    let runs = names.iter().flat_map(|name| [text(between), code(name)]);
    runs.skip(1).collect()
}

/// Describes the keys that a scan reads, for any values.
pub fn interval(scan: &ScanFacts) -> Vec<Run> {
    let begins = || {
        if scan.begins.is_empty() { text("the first key") } else { code(&scan.begins) }
    };
    let hex_code = |bytes: &[u8]| code(&format!("0x{}", hex(bytes)));
    match (&scan.ends, &scan.following) {
        (Some(end), _) => vec![text("from "), begins(), text(" to below "), code(end)],
        (None, Some(Interval { low, high })) => {
            let mut runs = vec![text("keys that begin with "), begins(), text(" and continue")];
            if scan.begins.is_empty() {
                runs = vec![text("keys")];
            }
            if !low.is_empty() {
                runs.extend([text(" from "), hex_code(low)]);
            }
            if let Some(high) = high {
                runs.extend([text(" to below "), hex_code(high)]);
            }
            runs
        }
        (None, None) if scan.begins.is_empty() => vec![text("every key of the store")],
        (None, None) => vec![text("keys that begin with "), begins()],
    }
}

/// Describes the values that a part may have.
pub fn allowed(part: &Part) -> Vec<Run> {
    match &part.shape {
        PartKind::Literal { made_from: Some(made_from), .. } => vec![code(made_from)],
        PartKind::Literal { bytes, text: Some(_), .. } => vec![code(&word(bytes))],
        PartKind::Literal { .. } => Vec::new(),
        PartKind::Leaf { allowed, .. } => runs(allowed),
        PartKind::Enum { texts } => separated(texts, ", "),
        PartKind::Composite { .. } => vec![text("the parts below, joined")],
        PartKind::Variant { arms } => vec![text(&format!("one of {} arms", arms.len()))],
        PartKind::List { min, max, .. } => {
            vec![text(&format!("{min} to {max} elements, joined"))]
        }
        PartKind::Option { guard: Some(guard), .. } => vec![text("present if "), code(guard)],
        PartKind::Option { guard: None, .. } => vec![text("present or absent")],
    }
}

/// Describes the verdict on the whole layout.
pub fn verdict(document: &Document) -> String {
    let idle = &document.idle_accepts;
    match document.tally {
        VerdictCounts { refuted: 0, unknown: 0, .. } if !idle.is_empty() => {
            format!("An acceptance in {} matches no claim that fails", idle.join(", "))
        }
        VerdictCounts { refuted: 0, unknown: 0, accepted: 0, .. } => {
            "Every claim is proved".to_owned()
        }
        VerdictCounts { refuted: 0, unknown: 0, .. } => {
            "Every claim is proved or accepted".to_owned()
        }
        VerdictCounts { refuted: 0, .. } => "Not every claim is decided".to_owned(),
        VerdictCounts { .. } => "Not every claim holds".to_owned(),
    }
}

/// Describes how the example decodes.
pub fn comes_back(example: &Example) -> &'static str {
    match (example.comes_back, example.readings) {
        (true, Some(1)) if example.has_no_fields() => "decodes to this keyspace and no other",
        (true, Some(1)) => "decodes to these values and no others",
        (true, _) => "decodes to these values, and has other readings as well",
        (false, None) => "was not decoded: the automaton of its space is too large",
        (false, Some(_)) => "does not decode to these values",
    }
}

fn text(text: &str) -> Run {
    Run::Text(text.to_owned())
}

fn code(text: &str) -> Run {
    Run::Code(super::prose::clean(text))
}
