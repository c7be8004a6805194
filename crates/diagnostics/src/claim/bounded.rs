//! KS006: a key that the backend rejects.

use super::{Subject, in_practice};
use crate::{
    datum::{self, Extent},
    message::Message,
    table::Table,
};
use keyscape_layout::Backend;
use keyscape_prover::{Row, StoredRecord};

pub(super) fn message(
    subject: Subject<'_>,
    backend: &Backend,
    (row, length): (&Row, usize),
    long: Option<&Row>,
    record: Option<&StoredRecord>,
) -> Message {
    let keyspace = subject.keyspace;
    if let Some(record) = record {
        return of_record(subject, backend, (row, length), record);
    }
    let limit = backend.longest_key;
    let title = if row.key.is_empty() {
        let too = long.map_or(String::new(), |_| ", and another one is too long".to_owned());
        format!("a key of `{}` is empty, which {} does not allow{too}", keyspace.name, backend.name)
    } else {
        format!("a key of `{}` is too long for {}", keyspace.name, backend.name)
    };
    let label = if row.key.is_empty() {
        "all its parts can be empty".to_owned()
    } else {
        format!("{length} bytes, and {limit} are allowed")
    };
    let mut message = Message::error(title).at(subject.claim.span, label);
    let mut table = Table::default();
    let key = if length > row.key.len() { "a shorter key" } else { "key" };
    table.key(key, datum::line(&keyspace.key, &row.fields, Extent::Short), &row.key);
    if let Some(long) = long {
        table.key("long", datum::line(&keyspace.key, &long.fields, Extent::Short), &long.key);
    }
    message.body.extend(table.lines(message.level.style()));
    message.line(format!("{}: {}", backend.name, backend.because));
    in_practice(&mut message, "the write of such a row fails");
    message
}

/// Describes a record of a structure that the backend rejects, with its parts.
fn of_record(
    subject: Subject<'_>,
    backend: &Backend,
    (row, length): (&Row, usize),
    record: &StoredRecord,
) -> Message {
    let keyspace = subject.keyspace;
    let limit = backend.longest_key;
    let title = format!("a record of `{}` is too long for {}", keyspace.name, backend.name);
    let label = format!("{length} bytes, and {limit} are allowed");
    let mut message = Message::error(title).at(subject.claim.span, label);
    let mut table = Table::default();
    table.key("key", datum::line(&keyspace.key, &row.fields, Extent::Short), &row.key);
    table.key(&record.form, datum::line(&[], &record.rest, Extent::Short), &record.bytes);
    message.body.extend(table.lines(message.level.style()));
    message.line(format!("{}: {}", backend.name, backend.because));
    in_practice(&mut message, "the write of such a row fails");
    message
}
