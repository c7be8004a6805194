//! Stored rows as JSON, one object per line: the format of `scan`, `export` and `import`.
//!
//! ```text
//! a row               {store, keyspace, fields, value}
//! a field of a hash   {store, keyspace: "hash.field", hash, fields, value}
//! a record            {store, keyspace, fields, family, …}; without `family` in listings
//! any other row       {store, key, value}
//! ```
//!
//! `value` has the form that the layout writes. A protobuf message is an object if the layout
//! imports its descriptor and re-encoding the object gives the same bytes; otherwise it is
//! hexadecimal. A value in the form that it also reads is `reads`, and a value in neither form is
//! `raw`, in hexadecimal.

use crate::{
    database::{Body, Entry, Part, Stored},
    message,
};
use keyscape_codec::Value;
use keyscape_diagnostics::{
    bytes::put_hex,
    json::{put_datum, put_record, put_text},
};
use keyscape_layout::{
    Datum, Layout, RowDatum,
    model::{Keyspace, KeyspaceId, RowValue, Type},
};
use keyscape_runtime::record::State;

/// Appends an entry as one line, with the family of a record.
pub fn put_line(layout: &Layout, entry: &Entry, out: &mut Vec<u8>) {
    put_entry(layout, entry, true, out);
}

/// Appends an entry as one line without the family of a record. Importing this line puts the entry.
pub fn put_listed(layout: &Layout, entry: &Entry, out: &mut Vec<u8>) {
    put_entry(layout, entry, false, out);
}

fn put_entry(layout: &Layout, entry: &Entry, with_family: bool, out: &mut Vec<u8>) {
    let keyspace = layout.keyspace(entry.keyspace);
    out.extend_from_slice(b"{\"store\":");
    put_text(&layout.store(keyspace.store).name, out);
    name(b"keyspace", out);
    match &entry.body {
        Body::Row(value) => {
            put_text(&keyspace.name, out);
            name(b"fields", out);
            put_record(&keyspace.key, &entry.key, out);
            put_stored(layout, entry.keyspace, value, out);
        }
        Body::Field { id, fields, value } => {
            let field = layout.keyspace(*id);
            put_text(&field.name, out);
            name(b"hash", out);
            put_record(&keyspace.key, &entry.key, out);
            name(b"fields", out);
            put_record(&field.key, fields, out);
            put_stored(layout, *id, value, out);
        }
        Body::Part { family, part } => {
            put_text(&keyspace.name, out);
            name(b"fields", out);
            put_record(&keyspace.key, &entry.key, out);
            if with_family {
                name(b"family", out);
                put_text(crate::database::family_name(*family), out);
            }
            put_part(keyspace, part, out);
        }
    }
    out.extend_from_slice(b"}\n");
}

/// Appends a row that belongs to no keyspace as one line.
pub fn put_unknown(space: &str, key: &[u8], value: &[u8], out: &mut Vec<u8>) {
    out.extend_from_slice(b"{\"store\":");
    put_text(space, out);
    name(b"key", out);
    put_bytes(key, out);
    name(b"value", out);
    put_bytes(value, out);
    out.extend_from_slice(b"}\n");
}

fn name(name: &[u8], out: &mut Vec<u8>) {
    out.extend_from_slice(b",\"");
    out.extend_from_slice(name);
    out.extend_from_slice(b"\":");
}

fn put_bytes(bytes: &[u8], out: &mut Vec<u8>) {
    out.extend_from_slice(b"\"0x");
    put_hex(bytes, out);
    out.push(b'"');
}

fn put_stored(layout: &Layout, id: KeyspaceId, value: &Stored, out: &mut Vec<u8>) {
    let keyspace = layout.keyspace(id);
    match value {
        Stored::Value(RowDatum::Json(text)) | Stored::Reads(RowDatum::Json(text))
            if !is_one_line(text) =>
        {
            name(b"raw", out);
            put_bytes(text.as_bytes(), out);
        }
        Stored::Value(datum) => {
            name(b"value", out);
            put_row_datum(keyspace.value.as_ref(), datum, out);
        }
        Stored::Reads(datum) => {
            name(b"reads", out);
            put_row_datum(keyspace.reads.as_ref(), datum, out);
        }
        Stored::Raw(bytes) => {
            name(b"raw", out);
            put_bytes(bytes, out);
        }
    }
}

/// Whether a JSON text is one line without surrounding spaces. Only such a text is read unchanged.
fn is_one_line(text: &str) -> bool {
    text.trim() == text && !text.contains(['\n', '\r'])
}

/// Appends the value of a row as JSON.
pub fn put_row_datum(form: Option<&RowValue>, datum: &RowDatum, out: &mut Vec<u8>) {
    match (form, datum) {
        (Some(RowValue::Const(bytes)), RowDatum::Nothing) => put_bytes(bytes, out),
        (_, RowDatum::Nothing) => out.extend_from_slice(b"null"),
        (Some(RowValue::Typed(typed)), RowDatum::Datum(datum)) => {
            put_datum(Some(&typed.ty), datum, out);
        }
        (_, RowDatum::Datum(datum)) => put_datum(None, datum, out),
        (_, RowDatum::Json(text)) => out.extend_from_slice(text.as_bytes()),
        (form, RowDatum::Bytes(bytes)) => match message::to_json(form, bytes) {
            Some(json) => out.extend_from_slice(json.as_bytes()),
            None => put_bytes(bytes, out),
        },
    }
}

fn put_part(keyspace: &Keyspace, part: &Part, out: &mut Vec<u8>) {
    let score_type = keyspace.score.as_deref();
    match part {
        Part::Number(number) => put_number(b"number", *number, out),
        Part::Rank { level, from, children, members } => {
            put_number(b"level", u64::from(*level), out);
            name(b"from", out);
            put_bytes(from, out);
            put_number(b"children", *children, out);
            put_number(b"members", *members, out);
        }
        Part::Member { .. } => put_typed(b"member", keyspace.member.as_deref(), part.member(), out),
        Part::Scored { .. } => {
            put_typed(b"score", score_type, part.score(), out);
            put_typed(b"member", keyspace.member.as_deref(), part.member(), out);
        }
        Part::Timed { at, .. } => {
            put_number(b"at", *at, out);
            put_typed(b"member", keyspace.member.as_deref(), part.member(), out);
        }
        Part::Item { item, .. } => {
            put_typed(b"member", keyspace.member.as_deref(), part.member(), out);
            put_typed(b"score", score_type, part.score(), out);
            name(b"state", out);
            put_text(state_name(item.state), out);
            if let State::Waiting(at) | State::Leased(at) = item.state {
                put_number(b"at", at, out);
            }
            put_number(b"attempts", u64::from(item.attempts), out);
            put_number(b"token", item.token, out);
            put_typed(b"again", score_type, item.again.as_ref(), out);
        }
    }
}

/// Returns the name of a state of a member of a queue.
pub const fn state_name(state: State) -> &'static str {
    match state {
        State::Ready => "ready",
        State::Waiting(_) => "waiting",
        State::Leased(_) => "leased",
        State::Dead => "dead",
    }
}

fn put_typed(label: &[u8], ty: Option<&Type>, datum: Option<&Datum>, out: &mut Vec<u8>) {
    if let Some(datum) = datum {
        name(label, out);
        put_datum(ty, datum, out);
    }
}

fn put_number(label: &[u8], number: u64, out: &mut Vec<u8>) {
    name(label, out);
    put_datum(None, &Datum::Leaf(Value::uint(number.into())), out);
}
