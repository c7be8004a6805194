//! KS009: two rows of a map with the same entry in the index.

use super::{Subject, in_practice};
use crate::{datum, message::Message, table::Table};
use keyscape_prover::Row;

pub(super) fn message(
    subject: Subject<'_>,
    missing: &str,
    rows: [&Row; 2],
    entry: &[u8],
) -> Message {
    let Subject { layout, keyspace, claim, .. } = subject;
    let map = layout.keyspace(rows[0].keyspace);
    let title = format!(
        "index `{}` cannot tell rows of `{}` apart: it does not carry `{missing}`",
        keyspace.name, map.name
    );
    let mut message =
        Message::error(title).at(claim.span, format!("`{missing}` is not in its key"));
    if let Some(field) =
        keyscape_layout::fields(&map.key).into_iter().find(|field| field.name == missing)
    {
        message = message.beside(field.span, "this part of the map's key is lost");
    }
    let mut table = Table::default();
    let [one, other] = rows;
    for (label, row, not) in [("one row", one, other), ("other row", other, one)] {
        table.key(label, datum::line_apart(&map.key, &row.fields, &not.fields), &row.key);
    }
    table.key("one entry", "", entry);
    message.body.extend(table.lines(message.level.style()));
    in_practice(
        &mut message,
        "the second row overwrites the entry of the first, and deleting either removes it for both",
    );
    message
}
