//! KS004: two keys whose byte order contradicts the order of their values.

use super::{
    Subject,
    key_parts::{Piece, field_span, piece_at, pieces},
};
use crate::{datum, message::Message, suggestion, table::Table};
use keyscape_layout::Record;
use keyscape_prover::Row;

pub(super) fn message(subject: Subject<'_>, lower: &Row, higher: &Row) -> Message {
    let fields = suggestion::list(subject.scan.map_or(&[][..], |scan| &scan.by));
    let title = format!("{} does not return rows in order of {fields}", subject.scan_words());
    let mut message = Message::error(title).at(subject.claim.span, "rows do not sort by this");
    let at = lower.key.iter().zip(&higher.key).take_while(|(a, b)| a == b).count();
    if let Some((path, text)) = cause(subject, [lower, higher], at)
        && let Some(span) = field_span(subject.keyspace, &path)
    {
        message = message.beside(span, text);
    }
    let mut table = Table::default();
    for (label, row, not) in [("smaller", lower, higher), ("larger", higher, lower)] {
        let fields = datum::line_apart(&subject.keyspace.key, &row.fields, &not.fields);
        table.key(label, fields, &row.key);
    }
    match (lower.key.get(at), higher.key.get(at)) {
        (None, None) => table.mark(0..at, "the same bytes"),
        (Some(low), Some(high)) => {
            table.mark(at..at + 1, format!("{high:02x} sorts before {low:02x}"));
        }
        _ => table.mark(at..at + 1, "the shorter key sorts first"),
    }
    message.table(&table);
    let by = [lower, higher].map(|row| ordered_by(subject, &row.fields));
    let [low, high] = [(&by[0], &by[1]), (&by[1], &by[0])].map(|(a, b)| values(subject, a, b));
    let practice = match subject.structure() {
        _ if lower.key != higher.key => format!("the scan returns {high} before {low}"),
        None => format!("rows with {low} and {high} have one key: writing one replaces the other"),
        Some(kind) => format!("{low} and {high} are one {kind}"),
    };
    message.note("in practice", practice);
    message
}

/// Returns the field with the first differing byte of two rows, and a description of its effect.
fn cause(subject: Subject<'_>, rows: [&Row; 2], at: usize) -> Option<(String, String)> {
    let cuts = rows.map(|row| pieces(&subject.keyspace.key, &row.fields));
    let [low, high] = [&cuts[0], &cuts[1]].map(|cut| piece_at(cut, at));
    let path_of = |piece: Option<&Piece>| piece.and_then(|piece| piece.path.clone());
    if let (Some(low), Some(high)) = (path_of(low), path_of(high))
        && low == high
    {
        return Some((low, "these bytes sort in another order".to_owned()));
    }
    // At this byte, one row is still inside a field that has ended in the other row.
    let goes_on = |piece: &&Piece| piece.bytes.start < at;
    let path = path_of([low, high].into_iter().flatten().find(goes_on))?;
    let text = format!("`{path}` can continue where it has ended in another row");
    Some((path, text))
}

/// Returns the `by` fields of a row.
fn ordered_by(subject: Subject<'_>, fields: &Record) -> Record {
    let paths = subject.scan.into_iter().flat_map(|scan| &scan.by);
    fields.select(paths.map(|path| path.split('.').collect::<Vec<_>>()))
}

/// Returns the values that a row is sorted by, different from those of another row.
fn values(subject: Subject<'_>, shown: &Record, other: &Record) -> String {
    match (shown.0.as_slice(), subject.scan) {
        ([], Some(scan)) => format!("a row without {}", suggestion::list(&scan.by)),
        _ => datum::line_apart(&subject.keyspace.key, shown, other),
    }
}
