//! Values as JSON, the format that `decode` prints and `encode` reads. This module writes bytes
//! directly.
//!
//! Bytes are `0x…` or in their display form. Integers beyond 2^53 are strings. A pair of integers
//! is an array. A variant is an object with the name of its arm. Absent fields are omitted.

use super::{
    bytes::put_hex,
    datum::{element_of, segments_of, segments_of_arm, shown_as},
};
use keyscape_codec::{Shown, Uint, Value, show_bytes};
use keyscape_layout::{
    Datum, Record, field,
    model::{Segment, Type},
};
use std::io::Write;

/// Integers up to this one are exact in every JSON parser.
const EXACT: u128 = 1 << 53;

/// Appends the fields of a record as an object.
pub fn put_record(segments: &[Segment], record: &Record, out: &mut Vec<u8>) {
    out.push(b'{');
    for (index, (name, datum)) in record.0.iter().enumerate() {
        if index > 0 {
            out.push(b',');
        }
        // Names are identifiers and need no escapes.
        out.push(b'"');
        out.extend_from_slice(name.as_bytes());
        out.extend_from_slice(b"\":");
        put_datum(field(segments, name).map(|field| &*field.ty), datum, out);
    }
    out.push(b'}');
}

/// Appends one value.
pub fn put_datum(ty: Option<&Type>, datum: &Datum, out: &mut Vec<u8>) {
    match datum {
        Datum::Leaf(value) => put_value(shown_as(ty), value, out),
        Datum::Name(name) => put_text(name, out),
        Datum::Record(record) => put_record(segments_of(ty), record, out),
        Datum::Arm(name, record) => {
            out.push(b'{');
            put_text(name, out);
            out.push(b':');
            put_record(segments_of_arm(ty, name), record, out);
            out.push(b'}');
        }
        Datum::List(elements) => {
            out.push(b'[');
            for (index, datum) in elements.iter().enumerate() {
                if index > 0 {
                    out.push(b',');
                }
                put_datum(element_of(ty), datum, out);
            }
            out.push(b']');
        }
    }
}

fn put_value(shown: Option<&Shown>, value: &Value, out: &mut Vec<u8>) {
    match value {
        Value::Uint(number) => put_uint(*number, out),
        Value::Int(number) => {
            put_number(number.unsigned_abs() <= EXACT, format_args!("{number}"), out);
        }
        Value::Float(number) => put_number(number.is_finite(), format_args!("{number:?}"), out),
        Value::Pair(a, b) => {
            out.push(b'[');
            put_uint(*a, out);
            out.push(b',');
            put_uint(*b, out);
            out.push(b']');
        }
        Value::Bool(flag) => out.extend_from_slice(if *flag { b"true" } else { b"false" }),
        Value::Text(text) => put_text(text, out),
        Value::Bytes(bytes) if shown.is_none() => {
            out.extend_from_slice(b"\"0x");
            put_hex(bytes, out);
            out.push(b'"');
        }
        Value::Bytes(bytes) => put_text(&show_bytes(shown, bytes), out),
    }
}

fn put_uint(number: Uint, out: &mut Vec<u8>) {
    put_number(number <= Uint::new(EXACT), format_args!("{number}"), out);
}

/// Appends a number, as a string if JSON parsers would not read it exactly.
fn put_number(as_number: bool, number: std::fmt::Arguments<'_>, out: &mut Vec<u8>) {
    // Writing to a vector does not fail.
    let _ = if as_number { out.write_fmt(number) } else { write!(out, "\"{number}\"") };
}

/// Appends a text in quotes.
pub fn put_text(text: &str, out: &mut Vec<u8>) {
    out.push(b'"');
    let plain = |byte: u8| byte >= b' ' && byte != b'"' && byte != b'\\';
    if text.bytes().all(plain) {
        out.extend_from_slice(text.as_bytes());
    } else {
        for char in text.chars() {
            put_char(char, out);
        }
    }
    out.push(b'"');
}

fn put_char(char: char, out: &mut Vec<u8>) {
    match char {
        '"' => out.extend_from_slice(b"\\\""),
        '\\' => out.extend_from_slice(b"\\\\"),
        '\n' => out.extend_from_slice(b"\\n"),
        '\r' => out.extend_from_slice(b"\\r"),
        '\t' => out.extend_from_slice(b"\\t"),
        char if char < ' ' => {
            let _ = write!(out, "\\u{:04x}", u32::from(char));
        }
        char => out.extend_from_slice(char.encode_utf8(&mut [0; 4]).as_bytes()),
    }
}
