//! KS001, KS002 and KS008: a key of two keyspaces, or with two readings.

use super::{
    Subject,
    key_parts::{Piece, cuts, field_span, first_difference, piece_at, pieces, words_at},
};
use crate::{datum, message::Message, suggestion, table::Table};
use keyscape_layout::{Record, fields};
use keyscape_prover::{Collision, Row, Rule};

/// The number of collisions with a table; the title names more.
const SHOWN: usize = 3;

/// Describes keys that other keyspaces share. `more` is the number of further keyspaces.
pub(super) fn shared_keys(subject: Subject<'_>, collisions: &[&Collision], more: usize) -> Message {
    let layout = subject.layout;
    let name = subject.keyspace.name.as_str();
    let others: Vec<&str> = collisions
        .iter()
        .map(|collision| layout.keyspace(collision.there.keyspace).name.as_str())
        .collect();
    let kinds = subject.claim.rule == Rule::StructureTyped;
    let title = match others.as_slice() {
        [other] if more == 0 && kinds => {
            format!("`{name}` and `{other}` use one key with two kinds of structures")
        }
        [other] if more == 0 => format!("keyspaces `{name}` and `{other}` share keys"),
        others => {
            let count = others.len() + more;
            format!(
                "keyspace `{name}` shares keys with {count} others: {}",
                suggestion::list(others)
            )
        }
    };
    let mut message = Message::error(title).at(subject.claim.span, format!("a key of `{name}` …"));
    for (collision, other) in collisions.iter().zip(&others).take(SHOWN) {
        let there = layout.keyspace(collision.there.keyspace);
        message = message.beside(there.name_span, format!("… can be a key of `{other}`"));
    }
    for collision in collisions.iter().take(SHOWN) {
        message.table(&collision_table(subject, collision));
    }
    if let [first, ..] = collisions {
        let words = |row: &Row| {
            let keyspace = layout.keyspace(row.keyspace);
            match row.fields.0.as_slice() {
                [] => format!("`{}`", keyspace.name),
                _ => format!("`{}` {}", keyspace.name, subject.fields(row)),
            }
        };
        let (here, there) = (words(&first.here), words(&first.there));
        let practice = match subject.structure() {
            _ if kinds => {
                format!("after writing {here}, every access to {there} fails with a wrong type")
            }
            None => format!("writing {here} replaces {there}, and deleting either deletes both"),
            Some(kind) => {
                format!("{here} and {there} are one {kind}, and deleting either deletes both")
            }
        };
        message.note("in practice", practice);
    }
    message
}

fn collision_table(subject: Subject<'_>, collision: &Collision) -> Table {
    let layout = subject.layout;
    let Collision { here, there } = collision;
    let mut table = Table::default();
    table.key("key", "", &here.key);
    let readings = [here, there].map(|row| {
        let keyspace = layout.keyspace(row.keyspace);
        let cut = pieces(&keyspace.key, &row.fields);
        table.reading(&keyspace.name, subject.fields(row), &row.key, cuts(&cut));
        cut
    });
    let at = first_difference(&readings[0], &readings[1]);
    if at < here.key.len() {
        let [one, other] = [&readings[0], &readings[1]].map(|cut| words_at(cut, at, &here.key));
        let [a, b] = [here, there].map(|row| layout.keyspace(row.keyspace).name.as_str());
        table.mark(at..at + 1, format!("{one} in `{a}`, {other} in `{b}`"));
    }
    table
}

/// Describes a key with two readings.
pub(super) fn two_readings(subject: Subject<'_>, a: &Row, b: &Row) -> Message {
    let keyspace = subject.keyspace;
    let title = format!("a key of `{}` has two readings", keyspace.name);
    let readings = [a, b].map(|row| pieces(&keyspace.key, &row.fields));
    let at = first_difference(&readings[0], &readings[1]);
    let mut message = labels(subject, Message::error(title), &readings, at);
    let mut table = Table::default();
    table.key("key", "", &a.key);
    for (label, row, not, cut) in [("one", a, b, &readings[0]), ("other", b, a, &readings[1])] {
        let fields = datum::line_apart(&keyspace.key, &row.fields, &not.fields);
        table.reading(label, fields, &row.key, cuts(cut));
    }
    let [one, other] = [&readings[0], &readings[1]].map(|cut| words_at(cut, at, &a.key));
    table.mark(at..at + 1, format!("{one} in the one, {other} in the other"));
    message.table(&table);
    let practice = match subject.structure() {
        None => "both rows have this key: writing one replaces the other, and no reader can tell them apart".to_owned(),
        Some(kind) => format!("both are one {kind}: an entry of one is an entry of the other"),
    };
    message.note("in practice", practice);
    if let Some(row) = [a, b].into_iter().find(|row| !may_be_entry(subject, row)) {
        let map = keyspace.of.map_or("", |map| &subject.layout.keyspace(map).name);
        let fields = subject.fields(row);
        let text =
            format!("`{map}` has no row with {fields}; give the index the guards of `{map}`");
        message.note("note", text);
    }
    message
}

/// Whether a row of an index can be the entry of a row of its map. The map may allow fewer
/// combinations of optional parts.
fn may_be_entry(subject: Subject<'_>, row: &Row) -> bool {
    let Some(map) = subject.keyspace.of.map(|map| subject.layout.keyspace(map)) else {
        return true;
    };
    let own = fields(&subject.keyspace.key);
    let carries = |name: &str| own.iter().any(|field| field.name == name && !field.is_from_value());
    let of_map = fields(&map.key);
    // A field that is not in the index could have any value.
    if !of_map.iter().all(|field| carries(&field.name)) {
        return true;
    }
    let of_row = row.fields.0.iter().filter(|(name, _)| of_map.iter().any(|f| f.name == *name));
    map.encode(&Record(of_row.cloned().collect())).is_ok()
}

fn labels(
    subject: Subject<'_>,
    message: Message,
    readings: &[Vec<Piece>; 2],
    at: usize,
) -> Message {
    let keyspace = subject.keyspace;
    let mut message = message.at(subject.claim.span, "");
    let before = at.checked_sub(1);
    let ends: Vec<&Piece> = readings.iter().filter_map(|cut| piece_at(cut, before?)).collect();
    // The same field precedes the difference. It ends in one reading and continues in the other.
    if let [Piece { path: Some(a), bytes: x }, Piece { path: Some(b), bytes: y }] = ends.as_slice()
        && (a == b && x.end != y.end)
        && let Some(span) = field_span(keyspace, a)
    {
        return message.beside(span, format!("`{a}` can end in two places of one key"));
    }
    let mut marked = Vec::new();
    for cut in readings {
        let Some(Piece { path: Some(path), .. }) = piece_at(cut, at) else { continue };
        if let Some(span) = field_span(keyspace, path).filter(|span| !marked.contains(span)) {
            message = message.beside(span, "the readings differ here");
            marked.push(span);
        }
    }
    message
}
