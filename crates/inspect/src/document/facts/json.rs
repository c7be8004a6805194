//! The document as JSON: the facts as they are. `keyscape doc --help` describes it.

use super::{Document, Example, literal};
use crate::claim_json::present;
use keyscape_diagnostics::bytes::hex;
use keyscape_layout::{
    Backend, Length,
    model::{FromValue, Take},
    prefix_map::{Cell, PrefixMap, Status, Usage},
};
use keyscape_prover::{Interval, Occurrence, Separator};
use serde::{Serialize, Serializer};
use serde_json::{Value, json};

/// Returns a document as indented JSON.
pub fn render(document: &Document) -> String {
    // INVARIANT: all keys of maps are texts and no number is out of range, so this does not fail.
    let mut text = serde_json::to_string_pretty(document).unwrap_or_default();
    text.push('\n');
    text
}

/// Returns the lines of a doc comment as one text.
fn joined(doc: &[String]) -> String {
    doc.iter().map(|line| line.trim()).collect::<Vec<_>>().join("\n")
}

pub(super) fn is_blank(doc: &[String]) -> bool {
    joined(doc).is_empty()
}

pub(super) fn lines<S: Serializer>(doc: &[String], serializer: S) -> Result<S::Ok, S::Error> {
    serializer.serialize_str(&joined(doc))
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde asks with a reference")]
pub(super) const fn is_false(is: &bool) -> bool {
    !*is
}

pub(crate) fn hex_text<S: Serializer>(bytes: &[u8], serializer: S) -> Result<S::Ok, S::Error> {
    serializer.serialize_str(&hex(bytes))
}

/// Writes `from_value`, `take` unless each row has one value, and `value_path` if there is a path.
pub(super) fn from_value<S: Serializer>(
    from: &Option<FromValue>,
    serializer: S,
) -> Result<S::Ok, S::Error> {
    let members = match from {
        Some(FromValue { take, path }) => {
            let path: Vec<String> = path.iter().map(ToString::to_string).collect();
            present(json!({
                "from_value": true,
                "take": (*take != Take::One).then(|| take.word()),
                "value_path": (!path.is_empty()).then(|| path.join(".")),
            }))
        }
        None => json!({}),
    };
    members.serialize(serializer)
}

/// Writes bytes that exist; the field is left out otherwise.
pub(super) fn some_hex<S: Serializer>(
    bytes: &Option<Vec<u8>>,
    serializer: S,
) -> Result<S::Ok, S::Error> {
    hex_text(bytes.as_deref().unwrap_or_default(), serializer)
}

/// Writes an example that exists; the field is left out otherwise.
pub(super) fn example<S: Serializer>(
    example: &Result<Example, String>,
    serializer: S,
) -> Result<S::Ok, S::Error> {
    example.as_ref().ok().serialize(serializer)
}

pub(super) fn length<S: Serializer>(length: &Length, serializer: S) -> Result<S::Ok, S::Error> {
    present(json!({"shortest": length.min, "longest": length.max})).serialize(serializer)
}

/// Writes the interval that a scan reads for the example.
pub(super) fn interval<S: Serializer>(
    interval: &Option<Interval>,
    serializer: S,
) -> Result<S::Ok, S::Error> {
    let members = match interval {
        Some(Interval { low, high }) => {
            present(json!({"start": hex(low), "end": high.as_deref().map(hex)}))
        }
        None => json!({}),
    };
    members.serialize(serializer)
}

pub(super) fn backend<S: Serializer>(
    backend: &Option<&'static Backend>,
    serializer: S,
) -> Result<S::Ok, S::Error> {
    let object = backend.map(|backend| {
        json!({
            "name": backend.name,
            "longest_key": backend.longest_key,
            "empty_key": backend.empty_key,
        })
    });
    object.serialize(serializer)
}

/// Writes the number of keyspaces of each kind as an object.
pub(super) fn kinds<S: Serializer>(
    kinds: &[(&'static str, usize)],
    serializer: S,
) -> Result<S::Ok, S::Error> {
    serializer.collect_map(kinds.iter().copied())
}

/// Writes separators. `certain` is whether `can_occur_before` is decided.
pub(super) fn separators<S: Serializer>(
    separators: &[Separator],
    serializer: S,
) -> Result<S::Ok, S::Error> {
    serializer.collect_seq(separators.iter().map(|separator| {
        let example = match &separator.occurrence {
            Occurrence::Inside(word) | Occurrence::Across(word) => Some(hex(word)),
            Occurrence::Never | Occurrence::Perhaps => None,
        };
        present(json!({
            "literal": literal(&separator.bytes, separator.is_text),
            "bytes": hex(&separator.bytes),
            "after": separator.after,
            "can_occur_before": !separator.occurrence.is_never(),
            "certain": separator.occurrence != Occurrence::Perhaps,
            "example": example,
        }))
    }))
}

pub(super) fn maps<S: Serializer>(maps: &[PrefixMap], serializer: S) -> Result<S::Ok, S::Error> {
    serializer.collect_seq(maps.iter().map(|map| {
        present(json!({
            "family": map.family,
            "used": map.usage().used,
            "free": map.usage().free,
            "bytes": used_bytes(map),
        }))
    }))
}

/// Writes the use of prefixes, or nothing if prefixes are not counted.
pub(super) fn usage<S: Serializer>(
    usage: &Option<Usage>,
    serializer: S,
) -> Result<S::Ok, S::Error> {
    let members = match usage {
        Some(Usage { used, reserved, deprecated, free }) => {
            json!({"used": used, "reserved": reserved, "deprecated": deprecated, "free": free})
        }
        None => json!({}),
    };
    members.serialize(serializer)
}

pub(super) fn bytes<S: Serializer>(map: &PrefixMap, serializer: S) -> Result<S::Ok, S::Error> {
    used_bytes(map).serialize(serializer)
}

/// Lists the bytes that are not free.
fn used_bytes(map: &PrefixMap) -> Vec<Value> {
    let is_used = |cell: &&Cell| !matches!(cell.status, Status::Free | Status::Allocated);
    let object = |cell: &Cell| {
        present(json!({
            "byte": hex(&[cell.byte]),
            "status": cell.status.word(),
            "keyspaces": cell.keyspaces,
            "namespaces": Some(&cell.namespaces).filter(|names| !names.is_empty()),
        }))
    };
    map.cells.iter().filter(is_used).map(object).collect()
}
