//! The document as JSON: the facts as they are. `keyscape doc --help` describes it.

use super::{Document, Example, literal};
use keyscape_diagnostics::bytes::hex;
use keyscape_layout::{
    Backend, Length,
    model::{FromValue, Take},
    prefix_map::{Cell, PrefixMap, Status, Usage},
};
use keyscape_prover::{Interval, Occurrence, Separator};
use serde::{
    Serialize, Serializer,
    ser::{SerializeMap, SerializeStruct},
};

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
    let mut members = serializer.serialize_map(None)?;
    if let Some(FromValue { take, path }) = from {
        members.serialize_entry("from_value", &true)?;
        if *take != Take::One {
            members.serialize_entry("take", take.word())?;
        }
        if !path.is_empty() {
            let path: Vec<String> = path.iter().map(ToString::to_string).collect();
            members.serialize_entry("value_path", &path.join("."))?;
        }
    }
    members.end()
}

/// Bytes that are not missing; the field is left out otherwise.
pub(super) fn some_hex<S: Serializer>(
    bytes: &Option<Vec<u8>>,
    serializer: S,
) -> Result<S::Ok, S::Error> {
    hex_text(bytes.as_deref().unwrap_or_default(), serializer)
}

pub(super) fn found<S: Serializer>(
    example: &Result<Example, String>,
    serializer: S,
) -> Result<S::Ok, S::Error> {
    example.as_ref().ok().serialize(serializer)
}

/// Writes a length as two fields.
pub(super) fn length<S: Serializer>(length: &Length, serializer: S) -> Result<S::Ok, S::Error> {
    let mut map = serializer.serialize_map(None)?;
    map.serialize_entry("shortest", &length.least)?;
    if let Some(most) = &length.most {
        map.serialize_entry("longest", most)?;
    }
    map.end()
}

/// Writes the interval that a scan reads for the example, as two fields.
pub(super) fn interval<S: Serializer>(
    interval: &Option<Interval>,
    serializer: S,
) -> Result<S::Ok, S::Error> {
    let mut map = serializer.serialize_map(None)?;
    if let Some(Interval { low, high }) = interval {
        map.serialize_entry("start", &hex(low))?;
        if let Some(high) = high {
            map.serialize_entry("end", &hex(high))?;
        }
    }
    map.end()
}

pub(super) fn backend<S: Serializer>(
    backend: &Option<&'static Backend>,
    serializer: S,
) -> Result<S::Ok, S::Error> {
    let Some(backend) = backend else { return serializer.serialize_none() };
    let mut object = serializer.serialize_struct("Backend", 3)?;
    object.serialize_field("name", backend.name)?;
    object.serialize_field("longest_key", &backend.longest_key)?;
    object.serialize_field("empty_key", &backend.empty_key)?;
    object.end()
}

/// Kinds and their numbers as an object, in the order of the names.
pub(super) fn kinds<S: Serializer>(
    kinds: &[(&'static str, usize)],
    serializer: S,
) -> Result<S::Ok, S::Error> {
    let mut kinds = kinds.to_vec();
    kinds.sort_unstable();
    serializer.collect_map(kinds)
}

#[derive(Serialize)]
struct SeparatorObject<'a> {
    literal: String,
    bytes: String,
    after: &'a [String],
    can_occur_before: bool,
    /// Whether that is decided.
    certain: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    example: Option<String>,
}

pub(super) fn separators<S: Serializer>(
    separators: &[Separator],
    serializer: S,
) -> Result<S::Ok, S::Error> {
    serializer.collect_seq(separators.iter().map(|separator| SeparatorObject {
        literal: literal(&separator.bytes, separator.is_text),
        bytes: hex(&separator.bytes),
        after: &separator.after,
        can_occur_before: !separator.occurrence.is_never(),
        certain: separator.occurrence != Occurrence::Perhaps,
        example: match &separator.occurrence {
            Occurrence::Inside(word) | Occurrence::Across(word) => Some(hex(word)),
            Occurrence::Never | Occurrence::Perhaps => None,
        },
    }))
}

#[derive(Serialize)]
struct MapObject<'a> {
    #[serde(skip_serializing_if = "Option::is_none")]
    family: Option<&'a str>,
    used: usize,
    free: usize,
    bytes: Vec<ByteObject<'a>>,
}

pub(super) fn maps<S: Serializer>(maps: &[PrefixMap], serializer: S) -> Result<S::Ok, S::Error> {
    serializer.collect_seq(maps.iter().map(|map| MapObject {
        family: map.family.as_deref(),
        used: map.used(),
        free: map.free(),
        bytes: taken(map),
    }))
}

/// Writes the use of prefixes as fields. Writes nothing if prefixes are not counted.
pub(super) fn usage<S: Serializer>(
    usage: &Option<Usage>,
    serializer: S,
) -> Result<S::Ok, S::Error> {
    let mut map = serializer.serialize_map(None)?;
    if let Some(Usage { used, reserved, deprecated, free }) = usage {
        map.serialize_entry("used", used)?;
        map.serialize_entry("reserved", reserved)?;
        map.serialize_entry("deprecated", deprecated)?;
        map.serialize_entry("free", free)?;
    }
    map.end()
}

pub(super) fn bytes<S: Serializer>(map: &PrefixMap, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.collect_seq(taken(map))
}

/// A byte that is not free.
#[derive(Serialize)]
struct ByteObject<'a> {
    byte: String,
    status: &'static str,
    keyspaces: &'a [String],
    #[serde(skip_serializing_if = "<[String]>::is_empty")]
    namespaces: &'a [String],
}

fn taken(map: &PrefixMap) -> Vec<ByteObject<'_>> {
    let is_taken = |cell: &&Cell| !matches!(cell.status, Status::Free | Status::Allocated);
    let cells = map.cells.iter().filter(is_taken);
    cells
        .map(|cell| ByteObject {
            byte: hex(&[cell.byte]),
            status: cell.status.word(),
            keyspaces: &cell.keyspaces,
            namespaces: &cell.namespaces,
        })
        .collect()
}
