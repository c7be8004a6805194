//! The bytes of one key: every byte coloured and named.

use super::{
    diagram::{COLOURS, general},
    text::clean,
};
use keyscape_diagnostics::{
    bytes::hex,
    datum::{Extent, scalar},
};
use keyscape_inspect::{database::family_name, document::words};
use keyscape_layout::{Layout, Part, RECORD_FIELD, RECORD_KEY, Reading, type_at};
use keyscape_runtime::record;
use maud::{Markup, html};
use serde_json::{Value, json};
use std::collections::BTreeMap;

/// The class and the name of bytes that are the same in every key.
const LITERAL: &str = "literal";

/// A part of a key, ready to be shown.
struct Piece {
    class: String,
    name: String,
    value: String,
    start: usize,
    bytes: Vec<u8>,
}

fn pieces(layout: &Layout, key: &[u8], reading: &Reading) -> Vec<Piece> {
    let segments = &layout.keyspace(reading.keyspace).key;
    let mut colours: BTreeMap<String, usize> = BTreeMap::new();
    let mut piece = |part: &Part| {
        let bytes = key.get(part.bytes.clone()).unwrap_or_default().to_vec();
        let (class, name) = match &part.field {
            Some(path) => {
                let next = colours.len();
                let colour = *colours.entry(general(path)).or_insert(next);
                (format!("c{}", colour % COLOURS), path.clone())
            }
            None => (LITERAL.to_owned(), LITERAL.to_owned()),
        };
        let value = match (&part.field, &part.value) {
            (Some(path), Some(value)) => {
                let names: Vec<&str> = path.split('.').collect();
                scalar(type_at(segments, &names).map(|ty| &**ty), value, Extent::Whole)
            }
            _ => part.note.clone().unwrap_or_else(|| words::quoted(&bytes)),
        };
        Piece { class, name, value, start: part.bytes.start, bytes }
    };
    reading.parts.iter().map(&mut piece).collect()
}

/// Returns the parts of a stored record: those of its key, of its member or field, and the bytes of
/// the store between them.
fn record_pieces(records: &Layout, key: &[u8], reading: &Reading) -> Vec<Piece> {
    let mut pieces = pieces(records, key, reading);
    let Ok(split) = record::split(key) else { return pieces };
    let family_at = key.len().saturating_sub(split.rest.len() + 1);
    for piece in &mut pieces {
        for outer in [RECORD_KEY, RECORD_FIELD] {
            if let Some(name) = piece.name.strip_prefix(outer).and_then(|n| n.strip_prefix('.')) {
                piece.name = name.to_owned();
            }
        }
        let (name, value) = match (piece.start, split.family) {
            (0, _) => ("kind", format!("{:?}", split.kind).to_lowercase()),
            (at, Some(family)) if at == family_at => ("family", family_name(family).to_owned()),
            (at, Some(_)) if at + 2 == family_at => ("end of the key", String::new()),
            // The wrap of a literal is not part of its text.
            _ if piece.class == LITERAL => (LITERAL, words::quoted(&piece.bytes)),
            _ => continue,
        };
        (piece.name, piece.value) = (name.to_owned(), value);
    }
    pieces
}

/// Renders one reading of a key as boxes of bytes with names and values.
pub(crate) fn render(layout: &Layout, key: &[u8], reading: &Reading) -> Markup {
    boxes(&pieces(layout, key, reading))
}

/// Renders one reading of a stored record. `records` is the layout of the reading.
pub(crate) fn render_record(records: &Layout, key: &[u8], reading: &Reading) -> Markup {
    boxes(&record_pieces(records, key, reading))
}

fn boxes(pieces: &[Piece]) -> Markup {
    html! {
        ol.spelled {
            @for piece in pieces {
                li class=(piece.class) {
                    span.at { (piece.start) }
                    b { (clean(&piece.name)) }
                    span.hex { (words::spaced(&piece.bytes)) }
                    @if piece.bytes.iter().any(u8::is_ascii_graphic) && piece.bytes != piece.value.as_bytes() {
                        span.ascii { (words::characters(&piece.bytes)) }
                    }
                    span.value { (clean(&piece.value)) }
                }
            }
        }
    }
}

/// Returns the parts of a reading as JSON.
pub(crate) fn json(layout: &Layout, key: &[u8], reading: &Reading) -> Value {
    let keyspace = layout.keyspace(reading.keyspace);
    let parts = parts_json(&pieces(layout, key, reading));
    json!({"store": layout.store(keyspace.store).name, "keyspace": keyspace.name, "parts": parts})
}

/// Returns the parts of a stored record as JSON. `records` is the layout of the reading.
pub(crate) fn record_json(records: &Layout, key: &[u8], reading: &Reading) -> Value {
    parts_json(&record_pieces(records, key, reading))
}

fn parts_json(pieces: &[Piece]) -> Value {
    let part = |piece: &Piece| json!({"at": piece.start, "bytes": hex(&piece.bytes), "name": piece.name, "value": piece.value});
    pieces.iter().map(part).collect()
}
