//! KS010: a key that a split cuts at other offsets than those of its separators.

use super::{
    Subject,
    key_parts::{Piece, field_span, piece_at, pieces},
};
use crate::{bytes::hex, message::Message, table::Table};
use keyscape_codec::quoted;
use keyscape_layout::model::{Cut, Split};
use keyscape_prover::Row;

pub(super) fn message(
    subject: Subject<'_>,
    row: &Row,
    cuts: &[usize],
    separators: &[usize],
) -> Message {
    let Subject { keyspace, claim, .. } = subject;
    let Some(split) = subject.split else { return Message::error("") };
    let written = &split.written;
    let at = cuts.iter().copied().find(|cut| !separators.contains(cut)).unwrap_or(0);
    let stray = Stray::new(&pieces(&keyspace.key, &row.fields), at, split);
    let title = format!("{} {}", subject.split_words(), stray.outcome());
    let which = match split.cut {
        Cut::Every => format!("takes every {written} for a separator"),
        Cut::First => format!("takes the first {written} for the separator"),
        Cut::Last => format!("takes the last {written} for the separator"),
    };
    let mut message = Message::error(title).at(claim.span, which);
    if let Some(path) = &stray.path
        && let Some(span) = field_span(keyspace, path)
    {
        message = message.beside(span, stray.cause(path, written));
    }
    let mut table = Table::default();
    table.key("key", subject.fields(row), &row.key);
    table.mark(at..at + split.separator.len(), stray.words());
    for (label, cuts) in [("layout", separators), ("split", cuts)] {
        let starts = cuts.iter().map(|cut| cut + split.separator.len()).collect();
        table.reading(label, count(cuts.len() + 1), &row.key, starts);
    }
    message.table(&table);
    let [read, declared] = [cuts, separators].map(|cuts| split.parts(&row.key, cuts));
    message.note("in practice", practice(split, &read, &declared));
    message
}

/// An occurrence of the separator's bytes that is not the separator.
struct Stray {
    /// The first field that the occurrence overlaps, if any.
    path: Option<String>,
    /// Whether the field contains the whole occurrence.
    is_inside: bool,
}

impl Stray {
    fn new(pieces: &[Piece], at: usize, split: &Split) -> Self {
        let end = at + split.separator.len();
        let is_field = |piece: &&Piece| piece.path.is_some();
        let piece = (at..end).find_map(|byte| piece_at(pieces, byte).filter(is_field));
        let is_inside = piece.is_some_and(|p| p.bytes.start <= at && end <= p.bytes.end);
        Self { path: piece.and_then(|piece| piece.path.clone()), is_inside }
    }

    /// Describes the consequence of splitting.
    fn outcome(&self) -> String {
        match &self.path {
            Some(path) => format!("cuts `{path}`"),
            None => "cuts between literals that are not one separator".to_owned(),
        }
    }

    fn cause(&self, path: &str, written: &str) -> String {
        match self.is_inside {
            true => format!("`{path}` can contain {written}"),
            false => format!("`{path}` and the bytes next to it can form {written}"),
        }
    }

    fn words(&self) -> String {
        match (&self.path, self.is_inside) {
            (Some(path), true) => format!("part of `{path}`, not a separator"),
            (Some(path), false) => format!("partly `{path}`, not a separator"),
            (None, _) => "literals around an absent part, not a separator".to_owned(),
        }
    }
}

fn count(parts: usize) -> String {
    if parts == 1 { "1 part".to_owned() } else { format!("{parts} parts") }
}

/// Describes the parts that a program reads, and the declared parts.
fn practice(split: &Split, read: &[&[u8]], declared: &[&[u8]]) -> String {
    let same = read.iter().zip(declared).take_while(|(a, b)| a == b).count();
    let [got, expected] =
        [read, declared].map(|parts| parts.get(same).map_or("nothing".into(), |p| word(p)));
    let parts = match read.len() == declared.len() {
        true => "reads".to_owned(),
        false => format!("gets {} instead of {}: it reads", count(read.len()), declared.len()),
    };
    format!("a program that splits {} {parts} {got} instead of {expected}", split.name)
}

/// Formats a part in the notation of layouts. Shortens a long part to both ends.
fn word(bytes: &[u8]) -> String {
    const MAX_SHOWN: usize = 24;
    match (bytes.first_chunk::<12>(), bytes.last_chunk::<4>()) {
        (Some(head), Some(tail)) if bytes.len() > MAX_SHOWN => {
            format!("0x{}…{}", hex(head), hex(tail))
        }
        _ => quoted(bytes),
    }
}
