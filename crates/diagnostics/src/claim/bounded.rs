//! KS006: a key, or a record of a structure, that the backend rejects.

use super::Subject;
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
    let name = &subject.keyspace.name;
    let is_empty = row.key.is_empty() && record.is_none();
    let title = if is_empty {
        let too = if long.is_some() { ", and another one is too long" } else { "" };
        format!("a key of `{name}` is empty, which {} does not allow{too}", backend.name)
    } else {
        let what = if record.is_some() { "record" } else { "key" };
        format!("a {what} of `{name}` is too long for {}", backend.name)
    };
    let label = match is_empty {
        true => "all its parts can be empty".to_owned(),
        false => format!("{length} bytes, and {} are allowed", backend.longest_key),
    };
    let mut message = Message::error(title).at(subject.claim.span, label);
    let mut table = Table::default();
    let is_shorter = record.is_none() && length > row.key.len();
    table.key(if is_shorter { "a shorter key" } else { "key" }, subject.fields(row), &row.key);
    if let Some(long) = long.filter(|_| record.is_none()) {
        table.key("long", subject.fields(long), &long.key);
    }
    if let Some(record) = record {
        table.key(&record.form, datum::line(&[], &record.rest, Extent::Short), &record.bytes);
    }
    message.table(&table);
    message.line(format!("{}: {}", backend.name, backend.because));
    message.note("in practice", "the write of such a row fails");
    message
}
