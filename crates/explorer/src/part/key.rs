//! The bytes of one key: every byte coloured and named.

use super::{
    diagram::{COLOURS, general},
    text::clean,
};
use keyscape_inspect::document::words;
use keyscape_layout::{Layout, Part, Reading};
use keyscape_report::{
    bytes::hex,
    datum::{Extent, scalar, type_at},
};
use maud::{Markup, html};
use serde_json::{Value, json};
use std::collections::BTreeMap;

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
            None => ("literal".to_owned(), "literal".to_owned()),
        };
        let value = match (&part.field, &part.value) {
            (Some(path), Some(value)) => {
                let names: Vec<&str> = path.split('.').collect();
                scalar(type_at(segments, &names), value, Extent::Whole)
            }
            _ => part.note.clone().unwrap_or_else(|| quoted(&bytes)),
        };
        Piece { class, name, value, start: part.bytes.start, bytes }
    };
    reading.parts.iter().map(&mut piece).collect()
}

/// Returns a literal as text, if it is printable.
fn quoted(bytes: &[u8]) -> String {
    let is_text = bytes.iter().all(|byte| *byte == b' ' || byte.is_ascii_graphic());
    if is_text { format!("{:?}", String::from_utf8_lossy(bytes)) } else { String::new() }
}

/// One reading of a key: boxes of bytes with their names and values.
pub(crate) fn render(layout: &Layout, key: &[u8], reading: &Reading) -> Markup {
    html! {
        ol.spelled {
            @for piece in pieces(layout, key, reading) {
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
    let parts: Vec<Value> = pieces(layout, key, reading)
        .iter()
        .map(|piece| {
            json!({"at": piece.start, "bytes": hex(&piece.bytes), "name": piece.name, "value": piece.value})
        })
        .collect();
    json!({"store": layout.store(keyspace.store).name, "keyspace": keyspace.name, "parts": parts})
}
