//! KS006: a key that the backend does not take.

use super::{Subject, in_practice};
use crate::{
    datum::{self, Extent},
    message::Message,
    table::Table,
};
use keyscape_layout::Backend;
use keyscape_prover::Row;

pub(super) fn message(subject: Subject<'_>, backend: &Backend, row: &Row) -> Message {
    let keyspace = subject.keyspace;
    let (length, limit) = (row.key.len(), backend.longest_key);
    let title = if row.key.is_empty() {
        format!("a key of `{}` is empty, which {} does not allow", keyspace.name, backend.name)
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
    table.key("key", datum::line(&keyspace.key, &row.fields, Extent::Short), &row.key);
    message.body.extend(table.lines(message.level.style()));
    message.line(format!("{}: {}", backend.name, backend.because));
    in_practice(&mut message, "the write of such a row fails");
    message
}
