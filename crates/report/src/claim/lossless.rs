//! KS005: two values, one encoding.

use super::{Subject, in_practice};
use crate::{
    datum::{Extent, scalar},
    message::Message,
    table::Table,
};
use keyscape_layout::Datum;

pub(super) fn message(subject: Subject<'_>, a: &Datum, b: &Datum, bytes: &[u8]) -> Message {
    let field = subject.claim.field.as_deref().unwrap_or_default();
    let name = &subject.keyspace.name;
    let title = format!("two values of `{field}` of `{name}` have the same bytes");
    let mut message = Message::error(title).at(subject.claim.span, "values are lost here");
    let [one, other] = [a, b].map(|datum| scalar(None, datum, Extent::Short));
    let mut table = Table::default();
    table.key("one", format!("{field}={one}"), bytes);
    table.key("other", format!("{field}={other}"), bytes);
    message.body.extend(table.lines(message.level.style()));
    in_practice(
        &mut message,
        &format!("what is written for {one} is what is read for {other}, and the reverse"),
    );
    message
}
