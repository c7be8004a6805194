//! KS001 and KS008: a key of two keyspaces.

use super::{
    Subject,
    key_parts::{cuts, parting, pieces, words_at},
};
use crate::{message::Message, suggestion, table::Table};
use keyscape_prover::{Collision, Row, Rule};

/// The number of collisions with a table; the title names more.
const SHOWN: usize = 3;

pub(super) fn message(subject: Subject<'_>, collisions: &[&Collision], more: usize) -> Message {
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
        message.table(&table(subject, collision));
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

fn table(subject: Subject<'_>, collision: &Collision) -> Table {
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
    let at = parting(&readings[0], &readings[1]);
    if at < here.key.len() {
        let [one, other] = [&readings[0], &readings[1]].map(|cut| words_at(cut, at, &here.key));
        let [a, b] = [here, there].map(|row| layout.keyspace(row.keyspace).name.as_str());
        table.mark(at..at + 1, format!("{one} in `{a}`, {other} in `{b}`"));
    }
    table
}
