//! Fixes with literals that distinguish keyspaces.

use super::{change::Change, free::Prefixes, view::View, written::literal_text};
use crate::verdict::Fault;
use keyscape_codec::hex::digits;
use keyscape_layout::{
    Span,
    model::{Keyspace, Literal, Segment},
};

/// Bytes to try after a text, and after other bytes.
const EXTRA_TEXT: [u8; 4] = [b'/', b':', b'#', b'~'];
const EXTRA_BYTES: [u8; 3] = [0x00, 0x01, 0xff];

/// Adds a byte after the first literal of the key, or before the key.
pub(super) fn distinguish(view: &View<'_>) -> Vec<Vec<Change>> {
    distinguish_keyspace(view.keyspace())
}

/// Adds a byte to the other keyspace, if there is only one collision.
pub(super) fn distinguish_other(view: &View<'_>) -> Vec<Vec<Change>> {
    let (Fault::Disjoint { collisions, .. } | Fault::StructureTyped { collisions, .. }) =
        view.fault
    else {
        return Vec::new();
    };
    match collisions.as_slice() {
        [collision] => distinguish_keyspace(view.layout.keyspace(collision.there.keyspace)),
        _ => Vec::new(),
    }
}

/// Adds a byte after the first literal of a key, or before the key if it has no literal.
pub(super) fn distinguish_keyspace(keyspace: &Keyspace) -> Vec<Vec<Change>> {
    match own_literal(keyspace) {
        Some(literal) => longer(literal),
        None => EXTRA_BYTES.iter().map(|&byte| before_key(keyspace, &[byte])).collect(),
    }
}

fn longer(literal: &Literal) -> Vec<Vec<Change>> {
    let bytes: &[u8] = if literal.is_text { &EXTRA_TEXT } else { &EXTRA_BYTES };
    let longer = |byte: &u8| {
        let bytes = [literal.bytes.as_slice(), &[*byte]].concat();
        vec![Change::replace(literal.span, literal_text(&bytes))]
    };
    // A literal that ends with one byte twice is easily misread.
    bytes.iter().filter(|byte| literal.bytes.last() != Some(byte)).map(longer).collect()
}

/// Adds a free prefix to a key without a literal prefix.
pub(super) fn free_before(view: &View<'_>) -> Vec<Vec<Change>> {
    let keyspace = view.keyspace();
    if own_literal(keyspace).is_some() {
        return Vec::new();
    }
    let free = Prefixes::new(view).bytes(&[]);
    free.iter().map(|prefix| before_key(keyspace, prefix)).collect()
}

/// Replaces the first literal of the key by a free prefix.
pub(super) fn free_instead(view: &View<'_>) -> Vec<Vec<Change>> {
    let Some(literal) = own_literal(view.keyspace()) else { return Vec::new() };
    let prefixes = Prefixes::new(view);
    let instead = |text: String| vec![Change::replace(literal.span, text)];
    let has_ranges = super::free::namespace(view).is_some_and(|n| !n.ranges.is_empty());
    if literal.is_text && !has_ranges {
        let texts = prefixes.texts(&String::from_utf8_lossy(&literal.bytes));
        return texts.into_iter().map(|text| instead(literal_text(text.as_bytes()))).collect();
    }
    let with_rest = |prefix: Vec<u8>| {
        let rest = literal.bytes.get(prefix.len()..).unwrap_or_default();
        let bytes = [&prefix, rest].concat();
        instead(if literal.is_text { literal_text(&bytes) } else { hex_text(&bytes) })
    };
    prefixes.bytes(&literal.bytes).into_iter().map(with_rest).collect()
}

/// Adds a literal to a key that may be empty.
pub(super) fn not_empty(view: &View<'_>) -> Vec<Vec<Change>> {
    match view.fault {
        Fault::Bounded { row, .. } if row.key.is_empty() => free_before(view),
        _ => Vec::new(),
    }
}

fn before_key(keyspace: &Keyspace, bytes: &[u8]) -> Vec<Change> {
    let at = Span { end: keyspace.key_span.start, ..keyspace.key_span };
    vec![Change::before(at, format!("{} ", hex_text(bytes)))]
}

fn hex_text(bytes: &[u8]) -> String {
    format!("0x{}", digits(bytes))
}

/// Returns the first literal of the key after the prefix of its namespace.
fn own_literal(keyspace: &Keyspace) -> Option<&Literal> {
    let first = keyspace.key.iter().find(|s| s.span().start >= keyspace.key_span.start)?;
    match first {
        // The text of a hashed or wrapped literal differs from its bytes.
        Segment::Literal(literal) => {
            Some(literal).filter(|l| l.call.is_none() && l.end_of.is_none())
        }
        Segment::Field(_) | Segment::Option(_) | Segment::Derived(_) => None,
    }
}
