//! KS003 and KS004: a row that a scan returns wrongly or misses, and two rows in the wrong order.

use super::{
    Subject,
    key_parts::{Piece, field_span, literal_after, piece_at, pieces},
};
use crate::{datum, message::Message, suggestion, table::Table};
use keyscape_layout::{
    Record,
    model::{Keyspace, Scan, Type},
    type_at,
};
use keyscape_prover::{Interval, Row, ScanFault, ScannedRow, foreign_values};
use std::ops::Range;

/// Describes a row that a scan returns wrongly, or misses.
pub(super) fn wrong_row(subject: Subject<'_>, found: &ScannedRow) -> Message {
    let Some(scan) = subject.scan else { return Message::error(subject.scan_words()) };
    let own = found.row.keyspace == subject.claim.keyspace;
    match found.fault {
        ScanFault::Foreign if own => foreign_own(subject, scan, found),
        ScanFault::Foreign => foreign_other(subject, scan, found),
        ScanFault::Missed => missed(subject, scan, found),
    }
}

/// Describes rows of the same keyspace with other leading fields.
fn foreign_own(subject: Subject<'_>, scan: &Scan, found: &ScannedRow) -> Message {
    let values = Values::new(subject.keyspace, scan, found);
    let title = format!("{} returns rows {}", subject.scan_words(), values.others_words());
    let segments = scan.asked.as_ref().map_or(&subject.keyspace.key, |asked| &asked.start);
    let row_pieces = pieces(&subject.keyspace.key, &found.row.fields);
    let shift = shift(&pieces(segments, &found.asked), &row_pieces, &values.differing_paths());
    let mut message = foreign_labels(subject, scan, found, &shift);
    message.title = title;
    let mut table = asked_table(subject, scan, found);
    let got = datum::line_apart(&subject.keyspace.key, &found.row.fields, &found.asked);
    table.key("got", got, &found.row.key);
    table.mark(shift.bytes.clone(), shift.words());
    message.table(&table);
    message
        .note("in practice", format!("listing, counting or deleting {}", values.touched_words()));
    message
}

fn foreign_labels(subject: Subject<'_>, scan: &Scan, found: &ScannedRow, shift: &Shift) -> Message {
    let keyspace = subject.keyspace;
    let whole = keyspace.encode_until(&found.asked, scan.end).unwrap_or_default();
    let stops_early = scan.asked.is_some() && whole.len() > found.interval.low.len();
    let path = &shift.path;
    let message = Message::error("");
    match (stops_early && whole.starts_with(&found.interval.low), shift) {
        (true, _) => {
            let stops = format!("this does not include the end of `{path}`");
            let message = message.at(subject.claim.span, stops);
            let text = format!("in a key, `{path}` ends here");
            match (literal_after(keyspace, path), field_span(keyspace, path)) {
                (Some(span), _) => message.beside(span, text),
                (None, Some(span)) if path.contains('.') => {
                    message.beside(span, format!("in a key, `{path}` ends in here"))
                }
                (None, Some(span)) => message.beside(span, format!("`{path}` ends after this")),
                (None, None) => message,
            }
        }
        (false, shift) => {
            let message = message.at(subject.claim.span, "reads all keys that begin alike");
            match field_span(keyspace, path) {
                Some(span) => message.beside(span, shift.cause()),
                None => message,
            }
        }
    }
}

/// Describes rows of another keyspace.
fn foreign_other(subject: Subject<'_>, scan: &Scan, found: &ScannedRow) -> Message {
    let other = subject.layout.keyspace(found.row.keyspace);
    let title = format!("{} also returns rows of `{}`", subject.scan_words(), other.name);
    let mut message = Message::error(title)
        .at(
            subject.claim.span,
            format!("is meant to read rows of `{}` only", subject.keyspace.name),
        )
        .beside(other.name_span, "keys of this keyspace are inside the scan");
    let mut table = asked_table(subject, scan, found);
    table.key("got", format!("`{}` {}", other.name, subject.fields(&found.row)), &found.row.key);
    let start = &found.interval.low;
    if !start.is_empty() && found.row.key.starts_with(start) {
        table.mark(0..start.len(), "starts like the scan");
    }
    message.table(&table);
    let asked = Values::new(subject.keyspace, scan, found).asked_words();
    message.note(
        "in practice",
        format!("listing, counting or deleting {asked} also touches `{}`", other.name),
    );
    message
}

/// Describes a row with the requested leading fields that is outside the interval.
fn missed(subject: Subject<'_>, scan: &Scan, found: &ScannedRow) -> Message {
    let title = format!("{} misses rows that it asks for", subject.scan_words());
    let mut message =
        Message::error(title).at(subject.claim.span, "rows with these leading fields are outside");
    let mut table = asked_table(subject, scan, found);
    let row = &found.row;
    table.key("missed", subject.fields(row), &row.key);
    let parts = |bound: &[u8]| bound.iter().zip(&row.key).take_while(|(a, b)| a == b).count();
    let Interval { low, high } = &found.interval;
    if row.key < *low {
        let at = parts(low);
        table.mark(at..at + 1, "sorts before the scan starts");
    } else {
        let at = parts(high.as_deref().unwrap_or_default());
        table.mark(at..at + 1, "sorts after the end of the scan");
    }
    message.table(&table);
    let asked = Values::new(subject.keyspace, scan, found).asked_words();
    message
        .note("in practice", format!("listing, counting or deleting {asked} leaves this row out"));
    message
}

/// Returns a table with the start of the interval, and with its end if it does not follow from the
/// start.
fn asked_table(subject: Subject<'_>, scan: &Scan, found: &ScannedRow) -> Table {
    let mut table = Table::default();
    let asked = match scan.leading.as_slice() {
        [] => "all".to_owned(),
        _ => datum::line_apart(&subject.keyspace.key, &found.asked, &found.row.fields),
    };
    let Interval { low, high } = &found.interval;
    if Interval::starting_with(low) == found.interval {
        table.key("asked", asked, low);
    } else {
        table.key("from", asked, low);
        match high {
            Some(end) => table.key("below", "", end),
            None => table.note("below", "no end"),
        }
    }
    table
}

/// The first difference between a row and the requested values.
#[derive(Debug)]
struct Shift {
    path: String,
    /// The bytes of the row to mark.
    bytes: Range<usize>,
    kind: ShiftKind,
}

#[derive(Debug)]
enum ShiftKind {
    /// The field of the row is longer than the requested value.
    Longer,
    /// The field of the row is shorter than the requested value. `next` is the field after it.
    Shorter { next: Option<String> },
    /// The field of the row has other bytes, or another arm.
    Other,
}

/// Compares the requested values with a row, field by field. `differing` contains the leading
/// fields whose values differ.
fn shift(asked: &[Piece], row: &[Piece], differing: &[String]) -> Shift {
    let is_field = |piece: &&Piece| piece.path.is_some();
    let pairs = asked.iter().filter(is_field).zip(row.iter().filter(is_field));
    for (a, b) in pairs {
        let Some(path) = a.path.clone() else { continue };
        if a.path != b.path || a.bytes.start != b.bytes.start {
            break;
        }
        if b.bytes.end > a.bytes.end {
            let bytes = a.bytes.end..b.bytes.end;
            return Shift { path, bytes, kind: ShiftKind::Longer };
        }
        if b.bytes.end < a.bytes.end {
            // A field without bytes can begin at the same place.
            let next = row.iter().find(|piece| piece.bytes.contains(&b.bytes.end));
            let next = next.and_then(|piece| piece.path.clone());
            let (bytes, kind) = (b.bytes.end..a.bytes.end, ShiftKind::Shorter { next });
            return Shift { path, bytes, kind };
        }
    }
    let path = differing.first().cloned().unwrap_or_default();
    let inside = |piece: &&Piece| {
        piece.path.as_ref().is_some_and(|p| *p == path || p.starts_with(&format!("{path}.")))
    };
    let start = row.iter().find(inside).map_or(0, |piece| piece.bytes.start);
    let end = row.iter().filter(inside).map(|piece| piece.bytes.end).max().unwrap_or(start + 1);
    Shift { path, bytes: start..end, kind: ShiftKind::Other }
}

impl Shift {
    /// Describes the marked bytes.
    fn words(&self) -> String {
        let path = &self.path;
        match &self.kind {
            ShiftKind::Longer => format!("still `{path}`"),
            ShiftKind::Shorter { next: Some(next) } => format!("already `{next}`"),
            ShiftKind::Shorter { next: None } => format!("`{path}` has ended"),
            ShiftKind::Other => format!("another `{path}`"),
        }
    }

    /// Describes the cause in the layout.
    fn cause(&self) -> String {
        let path = &self.path;
        match &self.kind {
            ShiftKind::Longer => format!("a longer `{path}` can begin with the same bytes"),
            ShiftKind::Shorter { .. } => {
                format!("a shorter `{path}` and the bytes after it can begin with the same bytes")
            }
            ShiftKind::Other => format!("another `{path}` can be inside the scan"),
        }
    }
}

/// The leading fields of a scan that differ between the request and a row.
struct Values<'a> {
    keyspace: &'a Keyspace,
    scan: &'a Scan,
    found: &'a ScannedRow,
    differing: Vec<&'a [String]>,
}

impl<'a> Values<'a> {
    fn new(keyspace: &'a Keyspace, scan: &'a Scan, found: &'a ScannedRow) -> Self {
        let differs =
            |path: &&[String]| found.row.fields.get_path(path) != found.asked.get_path(path);
        let differing = scan.leading.iter().map(Vec::as_slice).filter(differs).collect();
        Self { keyspace, scan, found, differing }
    }

    fn type_at(&self, path: &[String]) -> Option<&'a Type> {
        type_at(&self.keyspace.key, path).map(|ty| &**ty)
    }

    fn differing_paths(&self) -> Vec<String> {
        self.differing.iter().map(|path| path.join(".")).collect()
    }

    /// Returns a phrase such as ``with another `user` ``.
    fn others_words(&self) -> String {
        match self.differing.as_slice() {
            [[.., name]] => format!("with another `{name}`"),
            _ => "with other leading fields".to_owned(),
        }
    }

    /// Returns a phrase such as `user 1`, or all leading fields, distinguishable from those of a
    /// row.
    fn asked_words(&self) -> String {
        let ScannedRow { asked, row, .. } = self.found;
        match self.scan.leading.as_slice() {
            [] => return format!("all of `{}`", self.keyspace.name),
            [path] => {
                if let (ty @ Some(Type::Leaf(_) | Type::Enum(_)), Some(datum)) =
                    (self.type_at(path), asked.get_path(path))
                {
                    let name = path.last().map_or("", String::as_str);
                    let other = row.fields.get_path(path);
                    return format!("{name} {}", datum::scalar_apart(ty, datum, other));
                }
            }
            _ => {}
        }
        datum::line_apart(&self.keyspace.key, asked, &row.fields)
    }

    /// Returns a phrase such as `user 1 also touches user 10, 11, 12, …`, with verified values
    /// only.
    fn touched_words(&self) -> String {
        let (asked_words, found) = (self.asked_words(), self.found);
        if let ([path @ [.., name]], [_]) =
            (self.differing.as_slice(), self.scan.leading.as_slice())
        {
            let ty = self.type_at(path);
            let asked = found.asked.get_path(path);
            let got = found.row.fields.get_path(path);
            if let (Some(_), Some(Type::Leaf(_) | Type::Enum(_))) = (got, ty) {
                let values = foreign_values(self.keyspace, path, found);
                let mut others: Vec<String> = values
                    .take(SHOWN + 1)
                    .map(|value| datum::scalar_apart(ty, &value, asked))
                    .collect();
                if others.len() > SHOWN {
                    others.truncate(SHOWN);
                    others.push("…".to_owned());
                }
                return format!("{asked_words} also touches {name} {}", others.join(", "));
            }
        }
        let leading = found.row.fields.select(&self.scan.leading);
        let others = datum::line_apart(&self.keyspace.key, &leading, &found.asked);
        format!("{asked_words} also touches {others}")
    }
}

/// The number of values before `…`.
const SHOWN: usize = 3;

/// Describes two rows whose byte order contradicts the order of their values.
pub(super) fn disorder(subject: Subject<'_>, lower: &Row, higher: &Row) -> Message {
    let fields = suggestion::list(subject.scan.map_or(&[][..], |scan| &scan.by));
    let title = format!("{} does not return rows in order of {fields}", subject.scan_words());
    let mut message = Message::error(title).at(subject.claim.span, "rows do not sort by this");
    let at = lower.key.iter().zip(&higher.key).take_while(|(a, b)| a == b).count();
    if let Some((path, text)) = disordered_field(subject, [lower, higher], at)
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
    let [low, high] = [(&by[0], &by[1]), (&by[1], &by[0])].map(|(a, b)| sort_values(subject, a, b));
    let practice = match subject.structure() {
        _ if lower.key != higher.key => format!("the scan returns {high} before {low}"),
        None => format!("rows with {low} and {high} have one key: writing one replaces the other"),
        Some(kind) => format!("{low} and {high} are one {kind}"),
    };
    message.note("in practice", practice);
    message
}

/// Returns the field with the first differing byte of two rows, and a description of its effect.
fn disordered_field(subject: Subject<'_>, rows: [&Row; 2], at: usize) -> Option<(String, String)> {
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
fn sort_values(subject: Subject<'_>, shown: &Record, other: &Record) -> String {
    match (shown.0.as_slice(), subject.scan) {
        ([], Some(scan)) => format!("a row without {}", suggestion::list(&scan.by)),
        _ => datum::line_apart(&subject.keyspace.key, shown, other),
    }
}
