//! KS007: a prefix that violates the rules of its namespace.

use super::{Subject, in_practice, key_parts::literal};
use crate::{
    datum::{self, Extent},
    message::Message,
    table::Table,
};
use keyscape_layout::model::Namespace;
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
    let name = &keyspace.name;
    let message = match (fault, namespace) {
        (AllocationFault::OutsideRange { range }, Some(namespace)) => {
            outside(subject, namespace, *range)
        }
        (AllocationFault::Nested { nested, .. }, Some(namespace)) => {
            match namespaces.get(*nested) {
                Some(nested) => nested_outside(subject, namespace, nested),
                None => Message::error(format!("`{name}` is in no namespace")).at(claim.span, ""),
            }
        }
        (AllocationFault::Retired { retired, .. }, Some(namespace)) => {
            retired_prefix(subject, namespace, *retired)
        }
        (AllocationFault::Comparable { other }, _) => {
            let other = layout.keyspace(*other);
            let title = format!("the prefixes of `{name}` and `{}` begin alike", other.name);
            Message::error(title)
                .at(claim.span, "one prefix …")
                .beside(other.name_span, "… is the beginning of the other")
        }
        (_, None) => Message::error(format!("`{name}` is in no namespace")).at(claim.span, ""),
    };
    let mut message = message;
    let shown = layout.keyspace(row.keyspace);
    let fields = datum::line(&shown.key, &row.fields, Extent::Short);
    let mut table = Table::default();
    table.key(&shown.name, fields, &row.key);
    if let Some(namespace) = namespace {
        let at = namespace.prefix.len();
        table.mark(at..at + 1, "the first byte after the namespace");
    }
    message.body.extend(table.lines(message.level.style()));
    in_practice(&mut message, practice(fault));
    message
}

fn outside(subject: Subject<'_>, namespace: &Namespace, range: usize) -> Message {
    let name = &subject.keyspace.name;
    let Some(range) = namespace.ranges.get(range) else {
        return Message::error(format!("`{name}` is in no range")).at(subject.claim.span, "");
    };
    let title = format!("`{name}` is outside the range `{}` of `{}`", range.name, namespace.name);
    Message::error(title)
        .at(subject.claim.span, "its prefix is not in the range")
        .beside(range.span, format!("`{}` is allocated here", range.name))
}

fn nested_outside(subject: Subject<'_>, namespace: &Namespace, nested: &Namespace) -> Message {
    let (name, outer, inner) = (&subject.keyspace.name, &namespace.name, &nested.name);
    let title = format!("`{name}` is in `{inner}`, which is outside all ranges of `{outer}`");
    Message::error(title)
        .at(subject.claim.span, format!("its keys begin with the prefix of `{inner}`"))
        .beside(nested.span, format!("this prefix is in no range of `{outer}`"))
}

fn retired_prefix(subject: Subject<'_>, namespace: &Namespace, retired: usize) -> Message {
    let name = &subject.keyspace.name;
    let Some(retired) = namespace.retired.get(retired) else {
        return Message::error(format!("`{name}` uses a retired prefix"))
            .at(subject.claim.span, "");
    };
    let word = if retired.deprecated { "deprecated" } else { "reserved" };
    let title = format!("`{name}` uses {}, which is {word}", literal(&retired.prefix));
    Message::error(title)
        .at(subject.claim.span, "its keys can begin like that")
        .beside(retired.span, format!("{word}: {}", retired.reason))
}

const fn practice(fault: &AllocationFault) -> &'static str {
    match fault {
        AllocationFault::OutsideRange { .. } | AllocationFault::Nested { .. } => {
            "another keyspace can be given this prefix, because the ranges say that it is free"
        }
        AllocationFault::Retired { .. } => {
            "rows that were written under this prefix before are taken for rows of this keyspace"
        }
        AllocationFault::Comparable { .. } => {
            "listing or deleting by the shorter prefix touches the rows of both"
        }
    }
}
