//! KS005, KS006, KS007 and KS009: two values with the same bytes, a rejected key, a prefix that is
//! not allocated, and two rows with the same entry.

use super::{Subject, key_parts::literal};
use crate::{
    datum::{self, Extent, first_difference, scalar_apart},
    message::Message,
    suggestion,
    table::Table,
};
use keyscape_layout::{Backend, Datum, Record};
use keyscape_prover::{AllocationFault, Row, StoredRecord};

/// Describes two values of a field with the same encoding.
pub(super) fn loss(subject: Subject<'_>, a: &Datum, b: &Datum, bytes: &[u8]) -> Message {
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

/// Describes a key, or a record of a structure, that the backend rejects.
pub(super) fn rejected_key(
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

/// Describes a prefix that violates the rules of its namespace.
pub(super) fn misplaced(subject: Subject<'_>, fault: &AllocationFault, row: &Row) -> Message {
    let Subject { layout, keyspace, claim, .. } = subject;
    let namespaces = &layout.store(keyspace.store).namespaces;
    let namespace = match fault {
        AllocationFault::Nested { namespace, .. } | AllocationFault::Retired { namespace, .. } => {
            Some(*namespace)
        }
        AllocationFault::OutsideRange { .. } | AllocationFault::Comparable { .. } => {
            keyspace.namespace
        }
    };
    let namespace = namespace.and_then(|index| namespaces.get(index));
    let mut message = allocation_fault(subject, fault).unwrap_or_else(|| {
        Message::error(format!("`{}` is in no namespace", keyspace.name)).at(claim.span, "")
    });
    let mut table = Table::default();
    table.key(&layout.keyspace(row.keyspace).name, subject.fields(row), &row.key);
    if let Some(namespace) = namespace {
        let at = namespace.prefix.len();
        table.mark(at..at + 1, "the first byte after the namespace");
    }
    message.table(&table);
    message.note("in practice", allocation_practice(fault));
    message
}

/// Describes a fault. Returns `None` if the layout lacks what the fault refers to.
fn allocation_fault(subject: Subject<'_>, fault: &AllocationFault) -> Option<Message> {
    let Subject { layout, keyspace, claim, .. } = subject;
    let namespaces = &layout.store(keyspace.store).namespaces;
    let name = &keyspace.name;
    let message = match fault {
        AllocationFault::OutsideRange { range } => {
            let namespace = namespaces.get(keyspace.namespace?)?;
            let range = namespace.ranges.get(*range)?;
            let title =
                format!("`{name}` is outside the range `{}` of `{}`", range.name, namespace.name);
            Message::error(title)
                .at(claim.span, "its prefix is not in the range")
                .beside(range.span, format!("`{}` is allocated here", range.name))
        }
        AllocationFault::Nested { namespace, nested } => {
            let nested = namespaces.get(*nested)?;
            let (outer, inner) = (&namespaces.get(*namespace)?.name, &nested.name);
            let title =
                format!("`{name}` is in `{inner}`, which is outside all ranges of `{outer}`");
            Message::error(title)
                .at(claim.span, format!("its keys begin with the prefix of `{inner}`"))
                .beside(nested.span, format!("this prefix is in no range of `{outer}`"))
        }
        AllocationFault::Retired { namespace, retired } => {
            let retired = namespaces.get(*namespace)?.retired.get(*retired)?;
            let word = if retired.deprecated { "deprecated" } else { "reserved" };
            let title = format!("`{name}` uses {}, which is {word}", literal(&retired.prefix));
            Message::error(title)
                .at(claim.span, "its keys can begin like that")
                .beside(retired.span, format!("{word}: {}", retired.reason))
        }
        AllocationFault::Comparable { other } => {
            let other = layout.keyspace(*other);
            let title = format!("the prefixes of `{name}` and `{}` begin alike", other.name);
            Message::error(title)
                .at(claim.span, "one prefix …")
                .beside(other.name_span, "… is the beginning of the other")
        }
    };
    Some(message)
}

const fn allocation_practice(fault: &AllocationFault) -> &'static str {
    match fault {
        AllocationFault::OutsideRange { .. } | AllocationFault::Nested { .. } => {
            "the namespace can allocate this prefix to another keyspace"
        }
        AllocationFault::Retired { .. } => {
            "old rows with this prefix are read as rows of this keyspace"
        }
        AllocationFault::Comparable { .. } => {
            "listing or deleting by the shorter prefix touches the rows of both"
        }
    }
}

/// Describes two rows of a map with the same entry in an index.
pub(super) fn shared_entry(
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
