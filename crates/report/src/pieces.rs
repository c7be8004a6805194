//! The bytes of a key, divided into literals and fields.

use keyscape_layout::{Record, encode_parts, model::Segment};
use std::ops::Range;

/// Some bytes of a key: a literal or a field. A list is one piece.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Piece {
    /// The bytes in the key.
    pub bytes: Range<usize>,
    /// The path of the field, with arms on the way; `None` for a literal.
    pub path: Option<String>,
}

/// Returns the pieces of a key with these values, up to the first value that is missing.
pub fn pieces(segments: &[Segment], record: &Record) -> Vec<Piece> {
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
