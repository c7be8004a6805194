//! The bytes of a key divided into literals and fields, and the first difference of two divisions.

use keyscape_codec::quoted;
use keyscape_layout::{
    Record, Span, encode_parts, field,
    model::{Keyspace, Segment},
};
use std::ops::Range;

/// Some bytes of a key: a literal or a field. A list is one piece.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Piece {
    /// The bytes in the key.
    pub(super) bytes: Range<usize>,
    /// The path of the field, including arms, or `None` for a literal.
    pub(super) path: Option<String>,
}

/// Returns the pieces of a key with these values, up to the first missing value.
pub(super) fn pieces(segments: &[Segment], record: &Record) -> Vec<Piece> {
    let mut pieces: Vec<Piece> = Vec::new();
    for part in encode_parts(segments, record).0 {
        match pieces.last_mut() {
            Some(last) if part.path.is_some() && last.path == part.path => {
                last.bytes.end = part.bytes.end;
            }
            _ => pieces.push(Piece { bytes: part.bytes, path: part.path }),
        }
    }
    pieces
}

/// Returns the offsets at which the pieces begin.
pub(super) fn cuts(pieces: &[Piece]) -> Vec<usize> {
    pieces.iter().map(|piece| piece.bytes.start).collect()
}

/// Returns the piece that contains a byte.
pub(super) fn piece_at(pieces: &[Piece], at: usize) -> Option<&Piece> {
    pieces.iter().find(|piece| piece.bytes.contains(&at))
}

/// Returns the first byte at which two divisions of the same bytes differ.
pub(super) fn first_difference(a: &[Piece], b: &[Piece]) -> usize {
    let pairs = a.iter().zip(b);
    let same = pairs.take_while(|(a, b)| a == b).count();
    match (a.get(same), b.get(same)) {
        // The same field is longer in one division.
        (Some(a), Some(b)) if a.path == b.path && a.bytes.start == b.bytes.start => {
            a.bytes.end.min(b.bytes.end)
        }
        (Some(a), Some(b)) => a.bytes.start.max(b.bytes.start),
        (Some(piece), None) | (None, Some(piece)) => piece.bytes.start,
        (None, None) => a.last().map_or(0, |piece| piece.bytes.end),
    }
}

/// Describes the byte `at`: `` `user` ``, the literal, or the end.
pub(super) fn words_at(pieces: &[Piece], at: usize, key: &[u8]) -> String {
    match piece_at(pieces, at) {
        Some(Piece { path: Some(path), bytes }) if bytes.start < at => format!("still `{path}`"),
        Some(Piece { path: Some(path), .. }) => format!("`{path}`"),
        Some(Piece { path: None, bytes }) => literal(key.get(bytes.clone()).unwrap_or_default()),
        None => "the end of the key".to_owned(),
    }
}

/// Describes a literal in the notation of layouts.
pub(super) fn literal(bytes: &[u8]) -> String {
    format!("the literal {}", quoted(bytes))
}

/// Returns the declaration of the outermost field of a path.
pub(super) fn field_span(keyspace: &Keyspace, path: &str) -> Option<Span> {
    let name = path.split('.').next()?;
    field(&keyspace.key, name).map(|field| field.span)
}

/// Returns the literal that directly follows a field of the key.
pub(super) fn literal_after(keyspace: &Keyspace, path: &str) -> Option<Span> {
    let is_it = |segment: &Segment| matches!(segment, Segment::Field(f) if f.name == path);
    let at = keyspace.key.iter().position(is_it)?;
    match keyspace.key.get(at + 1)? {
        Segment::Literal(literal) => Some(literal.span),
        Segment::Field(_) | Segment::Option(_) | Segment::Derived(_) => None,
    }
}
