//! Literals that tell keyspaces apart.

use super::{change::Change, view::View, written::literal_text};
use keyscape_layout::{
    Span,
    model::{Keyspace, Literal, Segment},
};

/// Bytes that are tried behind a text, and behind other bytes.
const BEHIND_TEXT: [u8; 4] = [b'/', b':', b'#', b'~'];
const BEHIND_BYTES: [u8; 3] = [0x00, 0x01, 0xff];

/// A byte more behind the first literal of the key, or before the key.
pub(super) fn distinguish(view: &View<'_>) -> Vec<Vec<Change>> {
    let keyspace = view.keyspace();
    match own_literal(keyspace) {
        Some(literal) => {
            let bytes: &[u8] = if literal.is_text { &BEHIND_TEXT } else { &BEHIND_BYTES };
            let longer = |byte: &u8| {
                let bytes = [literal.bytes.as_slice(), &[*byte]].concat();
                vec![Change::replace(literal.span, literal_text(&bytes))]
            };
            bytes.iter().map(longer).collect()
        }
        None => {
            let before = |byte: &u8| {
                let at = Span { end: keyspace.key_span.start, ..keyspace.key_span };
                vec![Change::before(at, format!("{} ", literal_text(&[*byte])))]
            };
            BEHIND_BYTES.iter().map(before).collect()
        }
    }
}

/// The literal with which the key begins, behind that of its namespace.
pub(super) fn own_literal(keyspace: &Keyspace) -> Option<&Literal> {
    let first = keyspace.key.iter().find(|s| s.span().start >= keyspace.key_span.start)?;
    match first {
        // One that is hashed or wrapped is not what is written.
        Segment::Literal(literal) => {
            Some(literal).filter(|l| l.call.is_none() && l.end_of.is_none())
        }
        Segment::Field(_) | Segment::Option(_) | Segment::Derived(_) => None,
    }
}
