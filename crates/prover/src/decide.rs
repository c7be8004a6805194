//! Decides single claims.

use crate::{
    allocated, bounded,
    context::Context,
    indexed, lossless, ordered,
    partner::PairVerdict,
    scan_forms, splittable,
    verdict::{Rule, Verdict},
};
use keyscape_layout::{Span, model::KeyspaceId};

/// The subject of a claim.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Subject {
    pub(crate) rule: Rule,
    pub(crate) keyspace: KeyspaceId,
    /// An index into the keyspace's scans.
    pub(crate) scan: Option<usize>,
    /// An index into the keyspace's splits.
    pub(crate) split: Option<usize>,
    /// An index into the keyspace's [leaf fields](lossless::leaf_fields).
    pub(crate) field: Option<usize>,
}

/// Returns the possible claims about a keyspace with their places and fields, in the order of
/// reports.
pub(crate) fn subjects(
    context: &Context<'_>,
    id: KeyspaceId,
) -> Vec<(Subject, Span, Option<String>)> {
    let keyspace = context.layout.keyspace(id);
    let name = keyspace.name_span;
    let about = |rule| Subject { rule, keyspace: id, scan: None, split: None, field: None };
    let mut found =
        vec![(about(Rule::Disjoint), name, None), (about(Rule::Unambiguous), name, None)];
    for (index, scan) in keyspace.scans.iter().enumerate() {
        let of = |rule| Subject { scan: Some(index), ..about(rule) };
        found.push((of(Rule::ScanExact), scan.span, None));
        found.extend(scan.by_span.map(|span| (of(Rule::Ordered), span, None)));
    }
    for (index, field) in context.leaf_fields(id).iter().enumerate() {
        let subject = Subject { field: Some(index), ..about(Rule::Lossless) };
        found.push((subject, field.span, Some(field.path.clone())));
    }
    for rule in [Rule::Bounded, Rule::Allocated, Rule::StructureTyped, Rule::Indexed] {
        found.push((about(rule), name, None));
    }
    for (index, split) in keyspace.splits.iter().enumerate() {
        let subject = Subject { split: Some(index), ..about(Rule::Splittable) };
        found.push((subject, split.span, None));
    }
    found
}

/// Decides a claim. Returns `None` if the layout does not make it.
pub(crate) fn decide(context: &Context<'_>, subject: &Subject) -> Option<Verdict> {
    let id = subject.keyspace;
    let keyspace = context.layout.keyspaces.get(id.0 as usize)?;
    let scan = || subject.scan.and_then(|scan| keyspace.scans.get(scan));
    match subject.rule {
        Rule::Disjoint | Rule::StructureTyped | Rule::Allocated => {
            pair_verdict(context, subject).map(|found| found.verdict)
        }
        Rule::Unambiguous => Some(context.unambiguous(id)),
        Rule::ScanExact => Some(scan_forms::check(context, id, scan()?)),
        Rule::Ordered => {
            let scan = scan()?;
            scan.by_span?;
            Some(ordered::check(context, id, scan))
        }
        Rule::Lossless => {
            let fields = context.leaf_fields(id);
            Some(lossless::check(&fields.get(subject.field?)?.leaf))
        }
        Rule::Bounded => {
            let of_store = context.layout.store(keyspace.store).backend;
            let backend = context.config.backend.or(of_store)?;
            keyspace.hash.is_none().then(|| bounded::check(context, id, backend))
        }
        Rule::Indexed => indexed::check(context, id),
        Rule::Splittable => {
            let split = keyspace.splits.get(subject.split?)?;
            Some(splittable::check(context, id, split))
        }
    }
}

/// Decides a claim, with the partners for which it is not proved. Returns `None` if the layout does
/// not make the claim.
pub(crate) fn decide_pairs(context: &Context<'_>, subject: &Subject) -> Option<PairVerdict> {
    match subject.rule {
        Rule::Disjoint | Rule::StructureTyped | Rule::Allocated => pair_verdict(context, subject),
        _ => decide(context, subject).map(|verdict| PairVerdict { verdict, partners: Vec::new() }),
    }
}

/// Decides a claim about two keyspaces. Returns `None` for a claim of another kind, or if the
/// layout does not make the claim.
fn pair_verdict(context: &Context<'_>, subject: &Subject) -> Option<PairVerdict> {
    let id = subject.keyspace;
    let space = context.layout.keyspaces.get(id.0 as usize)?.space;
    match subject.rule {
        Rule::Disjoint => context.disjoint(space).get(&id).cloned(),
        Rule::StructureTyped => context.kinds(space)?.get(&id).cloned(),
        Rule::Allocated => allocated::check(context, id),
        _ => None,
    }
}
