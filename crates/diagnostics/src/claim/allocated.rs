//! KS007: a prefix that violates the rules of its namespace.

use super::{Subject, key_parts::literal};
use crate::{message::Message, table::Table};
use keyscape_prover::{AllocationFault, Row};

pub(super) fn message(subject: Subject<'_>, fault: &AllocationFault, row: &Row) -> Message {
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
    let mut message = described(subject, fault).unwrap_or_else(|| {
        Message::error(format!("`{}` is in no namespace", keyspace.name)).at(claim.span, "")
    });
    let mut table = Table::default();
    table.key(&layout.keyspace(row.keyspace).name, subject.fields(row), &row.key);
    if let Some(namespace) = namespace {
        let at = namespace.prefix.len();
        table.mark(at..at + 1, "the first byte after the namespace");
    }
    message.table(&table);
    message.note("in practice", practice(fault));
    message
}

/// Describes a fault. Returns `None` if the layout lacks what the fault refers to.
fn described(subject: Subject<'_>, fault: &AllocationFault) -> Option<Message> {
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

const fn practice(fault: &AllocationFault) -> &'static str {
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
