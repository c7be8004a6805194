//! Where two ways to cut a key part, in words.

use crate::pieces::Piece;
use keyscape_layout::{
    Span, fields,
    model::{Keyspace, Segment},
};

/// Where a piece begins.
pub(super) fn cuts(pieces: &[Piece]) -> Vec<usize> {
    pieces.iter().map(|piece| piece.bytes.start).collect()
}

/// The piece that a byte is in.
pub(super) fn piece_at(pieces: &[Piece], at: usize) -> Option<&Piece> {
    pieces.iter().find(|piece| piece.bytes.contains(&at))
}

/// The first byte at which two cuttings of the same bytes disagree.
pub(super) fn parting(a: &[Piece], b: &[Piece]) -> usize {
    let pairs = a.iter().zip(b);
    let same = pairs.take_while(|(a, b)| a == b).count();
    match (a.get(same), b.get(same)) {
        // The same field, longer in one of them.
        (Some(a), Some(b)) if a.path == b.path && a.bytes.start == b.bytes.start => {
            a.bytes.end.min(b.bytes.end)
        }
        (Some(a), Some(b)) => a.bytes.start.max(b.bytes.start),
        (Some(piece), None) | (None, Some(piece)) => piece.bytes.start,
        (None, None) => a.last().map_or(0, |piece| piece.bytes.end),
    }
}

/// What the byte `at` is: `` `user` ``, the literal, or the end.
pub(super) fn words_at(pieces: &[Piece], at: usize, key: &[u8]) -> String {
    match piece_at(pieces, at) {
        Some(Piece { path: Some(path), bytes }) if bytes.start < at => format!("still `{path}`"),
        Some(Piece { path: Some(path), .. }) => format!("`{path}`"),
        Some(Piece { path: None, bytes }) => literal(key.get(bytes.clone()).unwrap_or_default()),
        None => "the end of the key".to_owned(),
    }
}

/// A literal as a layout writes it.
pub(super) fn literal(bytes: &[u8]) -> String {
    if bytes.iter().all(|byte| *byte == b' ' || byte.is_ascii_graphic()) {
        format!("the literal {:?}", String::from_utf8_lossy(bytes))
    } else {
        format!("the literal 0x{}", crate::bytes::hex(bytes))
    }
}

/// Where the layout declares the outermost field of a path.
pub(super) fn field_span(keyspace: &Keyspace, path: &str) -> Option<Span> {
    let name = path.split('.').next()?;
    fields(&keyspace.key).into_iter().find(|field| field.name == name).map(|field| field.span)
}

/// The literal that follows a field of the key directly.
pub(super) fn literal_after(keyspace: &Keyspace, path: &str) -> Option<Span> {
    let is_it = |segment: &Segment| matches!(segment, Segment::Field(f) if f.name == path);
    let at = keyspace.key.iter().position(is_it)?;
    match keyspace.key.get(at + 1)? {
        Segment::Literal(literal) => Some(literal.span),
        Segment::Field(_) | Segment::Option(_) | Segment::Derived(_) => None,
    }
}
