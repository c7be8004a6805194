//! KS003: a row that a scan returns wrongly, or misses.

use super::{
    Subject, in_practice,
    key_parts::{field_span, literal_after, pieces},
    scan_shift::{Shift, shift},
    scan_values::Values,
};
use crate::{
    datum::{self, Extent},
    message::Message,
    table::Table,
};
use keyscape_layout::{Record, model::Scan};
use keyscape_prover::{Fault, Interval, Row, ScanFault};

/// A row that refutes a claim about a scan.
pub(super) struct FoundRow<'a> {
    pub(super) fault: ScanFault,
    pub(super) asked: &'a Record,
    pub(super) interval: Interval,
    pub(super) row: &'a Row,
}

impl<'a> FoundRow<'a> {
    /// Returns the row of a fault of KS003.
    pub(super) fn new(fault: &'a Fault) -> Option<Self> {
        let Fault::ScanExact { fault, asked, start, end, row } = fault else { return None };
        let interval = Interval { low: start.clone(), high: end.clone() };
        Some(Self { fault: *fault, asked, interval, row })
    }
}

pub(super) fn message(subject: Subject<'_>, found: &FoundRow<'_>) -> Message {
    let Some(scan) = subject.scan else { return Message::error(subject.scan_words()) };
    let own = found.row.keyspace == subject.claim.keyspace;
    match found.fault {
        ScanFault::Foreign if own => foreign_own(subject, scan, found),
        ScanFault::Foreign => foreign_other(subject, found),
        ScanFault::Missed => missed(subject, scan, found),
    }
}

/// Describes rows of the same keyspace with other leading fields.
fn foreign_own(subject: Subject<'_>, scan: &Scan, found: &FoundRow<'_>) -> Message {
    let values = Values::new(subject.keyspace, scan, found);
    let title = format!("{} returns rows {}", subject.scan_words(), values.others_words());
    let segments = scan.asked.as_ref().map_or(&subject.keyspace.key, |asked| &asked.start);
    let row_pieces = pieces(&subject.keyspace.key, &found.row.fields);
    let shift = shift(&pieces(segments, found.asked), &row_pieces, &values.differing_paths());
    let mut message = foreign_labels(subject, scan, found, &shift);
    message.title = title;
    let mut table = asked_table(subject, scan, found);
    let got = datum::line_apart(&subject.keyspace.key, &found.row.fields, found.asked);
    table.key("got", got, &found.row.key);
    table.mark(shift.bytes(), shift.words());
    message.body.extend(table.lines(message.level.style()));
    in_practice(&mut message, &format!("listing, counting or deleting {}", values.touched_words()));
    message
}

fn foreign_labels(
    subject: Subject<'_>,
    scan: &Scan,
    found: &FoundRow<'_>,
    shift: &Shift,
) -> Message {
    let keyspace = subject.keyspace;
    let whole = keyspace.encode_until(found.asked, scan.end).unwrap_or_default();
    let stops_early = scan.asked.is_some() && whole.len() > found.interval.low.len();
    let path = shift.path();
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
fn foreign_other(subject: Subject<'_>, found: &FoundRow<'_>) -> Message {
    let Some(scan) = subject.scan else { return Message::error("") };
    let other = subject.layout.keyspace(found.row.keyspace);
    let title = format!("{} also returns rows of `{}`", subject.scan_words(), other.name);
    let mut message = Message::error(title)
        .at(
            subject.claim.span,
            format!("is meant to read rows of `{}` only", subject.keyspace.name),
        )
        .beside(other.name_span, "keys of this keyspace are inside the scan");
    let mut table = asked_table(subject, scan, found);
    table.key("got", format!("`{}` {}", other.name, fields(subject, found.row)), &found.row.key);
    let start = &found.interval.low;
    if !start.is_empty() && found.row.key.starts_with(start) {
        table.mark(0..start.len(), "begins as the scan does");
    }
    message.body.extend(table.lines(message.level.style()));
    let asked = Values::new(subject.keyspace, scan, found).asked_words();
    in_practice(
        &mut message,
        &format!("listing, counting or deleting {asked} also touches `{}`", other.name),
    );
    message
}

/// Describes a row with the requested leading fields that is outside the interval.
fn missed(subject: Subject<'_>, scan: &Scan, found: &FoundRow<'_>) -> Message {
    let title = format!("{} misses rows that it asks for", subject.scan_words());
    let mut message =
        Message::error(title).at(subject.claim.span, "rows with these leading fields are outside");
    let mut table = asked_table(subject, scan, found);
    let row = found.row;
    table.key("missed", fields(subject, row), &row.key);
    let parts = |bound: &[u8]| bound.iter().zip(&row.key).take_while(|(a, b)| a == b).count();
    let Interval { low, high } = &found.interval;
    if row.key < *low {
        let at = parts(low);
        table.mark(at..at + 1, "sorts before the scan starts");
    } else {
        let at = parts(high.as_deref().unwrap_or_default());
        table.mark(at..at + 1, "sorts where the scan has ended");
    }
    message.body.extend(table.lines(message.level.style()));
    let asked = Values::new(subject.keyspace, scan, found).asked_words();
    in_practice(
        &mut message,
        &format!("listing, counting or deleting {asked} leaves this row out"),
    );
    message
}

/// Returns a table with the start of the interval, and with its end if it does not follow from the
/// start.
fn asked_table(subject: Subject<'_>, scan: &Scan, found: &FoundRow<'_>) -> Table {
    let mut table = Table::default();
    let asked = match scan.leading.as_slice() {
        [] => "all".to_owned(),
        _ => datum::line_apart(&subject.keyspace.key, found.asked, &found.row.fields),
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

fn fields(subject: Subject<'_>, row: &Row) -> String {
    let keyspace = subject.layout.keyspace(row.keyspace);
    datum::line(&keyspace.key, &row.fields, Extent::Short)
}
