//! A smaller layout without the keyspaces that a claim does not depend on, in which edits are
//! cheap to try.
//!
//! Omitted keyspaces are overwritten with blanks. The offsets of the rest stay the same, so a
//! change of the smaller layout applies to the whole one. A fix of the smaller layout is proved
//! again in the whole layout before it is offered.

use super::problem::Problem;
use crate::{
    check::Subject,
    verdict::{Fault, Rule},
};
use keyscape_layout::{
    Layout, Span,
    model::{Keyspace, KeyspaceId, SpaceKind},
    read_again,
    syntax::ast::{self, all_decls},
};
use std::collections::BTreeSet;

/// Returns the layout with only the keyspaces that a claim may depend on, and the subject of the
/// claim in it. Returns `None` if no keyspace can be omitted.
pub(super) fn reduce(problem: &Problem<'_>) -> Option<(Layout, Subject)> {
    let Problem { layout, subject, fault, .. } = *problem;
    let needed = needed_keyspaces(layout, subject, fault)?;
    let names: BTreeSet<Span> = needed.iter().map(|&id| layout.keyspace(id).name_span).collect();
    let mut reduced = layout.text().as_bytes().to_vec();
    let mut left_out = 0;
    for decl in all_decls(layout.decls()) {
        if let ast::Decl::Keyspace(keyspace) = decl
            && !names.contains(&keyspace.name.span)
        {
            left_out += 1;
            let place = keyspace.span.start as usize..keyspace.span.end as usize;
            if let Some(bytes) = reduced.get_mut(place) {
                bytes.iter_mut().filter(|byte| **byte != b'\n').for_each(|byte| *byte = b' ');
            }
        }
    }
    if left_out == 0 {
        return None;
    }
    let reduced = String::from_utf8(reduced).ok()?;
    let smaller = read_again(layout, &reduced, problem.budget).ok()?;
    let name = layout.keyspace(subject.keyspace).name_span;
    let found = smaller.keyspace_ids().find(|&id| smaller.keyspace(id).name_span == name)?;
    Some((smaller, Subject { keyspace: found, ..*subject }))
}

/// Returns the keyspaces that a claim may depend on, or `None` for all.
fn needed_keyspaces(
    layout: &Layout,
    subject: &Subject,
    fault: &Fault,
) -> Option<BTreeSet<KeyspaceId>> {
    let own = layout.keyspace(subject.keyspace);
    let mut needed = BTreeSet::from([subject.keyspace]);
    needed.extend(fault.rows().into_iter().map(|row| row.keyspace));
    let meets_others = match subject.rule {
        Rule::Disjoint | Rule::StructureTyped => true,
        // An interval with two ends can contain keys of any keyspace.
        Rule::ScanExact => {
            let scan = own.scans.get(subject.scan?)?;
            if scan.asked.as_ref().is_some_and(|asked| asked.end.is_some()) {
                return None;
            }
            true
        }
        // A prefix is free only if no keyspace of the namespace uses it.
        Rule::Allocated => return None,
        Rule::Unambiguous
        | Rule::Ordered
        | Rule::Lossless
        | Rule::Bounded
        | Rule::Indexed
        | Rule::Splittable => false,
    };
    if meets_others {
        let prefix = own.literal_prefix();
        needed.extend(layout.keyspace_ids().filter(|&id| {
            let other = layout.keyspace(id);
            let theirs = other.literal_prefix();
            is_beside(layout, own, other)
                && (prefix.starts_with(&theirs) || theirs.starts_with(&prefix))
        }));
    }
    Some(with_named(layout, needed))
}

/// Whether two keyspaces are in one store and family.
fn is_beside(layout: &Layout, a: &Keyspace, b: &Keyspace) -> bool {
    let is_structure = |keyspace: &Keyspace| {
        matches!(layout.space(keyspace.space).kind, SpaceKind::Structures { .. })
    };
    a.store == b.store
        && a.family == b.family
        && (a.space == b.space || is_structure(a) && is_structure(b))
}

/// Adds the keyspaces that some keyspaces name, and the hashes of fields.
fn with_named(layout: &Layout, mut needed: BTreeSet<KeyspaceId>) -> BTreeSet<KeyspaceId> {
    let mut todo: Vec<KeyspaceId> = needed.iter().copied().collect();
    while let Some(id) = todo.pop() {
        let keyspace = layout.keyspace(id);
        let accepted = keyspace.accepts.iter().filter_map(|accept| accept.with.as_ref());
        let accepted = accepted.filter_map(|name| {
            layout.keyspace_ids().find(|&id| {
                let other = layout.keyspace(id);
                other.store == keyspace.store && other.name == *name
            })
        });
        let also = keyspace.scans.iter().flat_map(|scan| scan.also.iter().copied());
        for named in keyspace.of.into_iter().chain(keyspace.hash).chain(also).chain(accepted) {
            if needed.insert(named) {
                todo.push(named);
            }
        }
    }
    needed
}
