//! KS005: two values with the same encoding.

use super::Subject;
use crate::{
    datum::{first_difference, scalar_apart},
    message::Message,
    table::Table,
};
use keyscape_layout::Datum;

pub(super) fn message(subject: Subject<'_>, a: &Datum, b: &Datum, bytes: &[u8]) -> Message {
    let field = subject.claim.field.as_deref().unwrap_or_default();
    let name = &subject.keyspace.name;
    let title = format!("two values of `{field}` of `{name}` have the same bytes");
    let mut message = Message::error(title).at(subject.claim.span, "values are lost here");
    let [one, other] =
        [(a, b), (b, a)].map(|(datum, other)| scalar_apart(None, datum, Some(other)));
    let mut table = Table::default();
    table.key("one", format!("{field}={one}"), bytes);
    table.key("other", format!("{field}={other}"), bytes);
    let at = first_difference(&one, &other);
    let wide = if one.starts_with("0x") { 2 } else { 1 };
    let before = field.chars().count() + 1;
    table.mark_fields(before + at..before + at + wide, "they differ here");
    message.table(&table);
    message.note(
        "in practice",
        format!("{one} and {other} are stored as the same bytes, so no reader can tell them apart"),
    );
    message
}
