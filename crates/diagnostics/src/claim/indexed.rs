//! KS009: two rows of a map with the same entry in the index.

use super::Subject;
use crate::{
    datum::{self, Extent},
    message::Message,
    suggestion,
    table::Table,
};
use keyscape_layout::Record;
use keyscape_prover::Row;

pub(super) fn message(
    subject: Subject<'_>,
    missing: &[&str],
    rows: [&Row; 2],
    (entry, values): (&[u8], &Record),
) -> Message {
    let Subject { layout, keyspace, claim, .. } = subject;
    let map = layout.keyspace(rows[0].keyspace);
    let names = suggestion::list(missing);
    let title = format!(
        "two rows of `{}` can have one entry in index `{}`: it does not carry {names}",
        map.name, keyspace.name
    );
    let is = if missing.len() == 1 { "is" } else { "are" };
    let mut message = Message::error(title).at(claim.span, format!("{names} {is} not in its key"));
    let of_map = keyscape_layout::fields(&map.key);
    for field in of_map.into_iter().filter(|field| missing.contains(&&*field.name)) {
        message = message.beside(field.span, "this part of the map's key is lost");
    }
    let mut table = Table::default();
    let [one, other] = rows;
    for (label, row, not) in [("one row", one, other), ("other row", other, one)] {
        table.key(label, datum::line_apart(&map.key, &row.fields, &not.fields), &row.key);
    }
    table.key("one entry", datum::line(&keyspace.key, values, Extent::Short), entry);
    message.table(&table);
    message.note(
        "in practice",
        "the second row overwrites the entry of the first, and deleting either removes it for both",
    );
    message
}
