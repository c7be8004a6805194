//! The claims that a fix must not break.

use super::{Bench, effect};
use crate::{
    context::Context,
    decide::{Subject, decide},
    verdict::{Rule, Verdict},
};
use keyscape_layout::{
    Layout, Side,
    model::{Keyspace, KeyspaceId, Type, same_segments},
};
use std::sync::Arc;

/// Returns the changed keyspaces.
pub(super) fn changed(before: &Layout, after: &Layout) -> Vec<KeyspaceId> {
    before.keyspace_ids().filter(|&id| differs(before, after, id)).collect()
}

/// Whether a claim that was proved before is not proved in the changed layout. `context` has the
/// changed keyspaces in focus.
///
/// This focus is sound. If KS001 or KS008 was proved for a keyspace, it shares no key with others.
/// Two unchanged keyspaces have the same keys as before and still share none. Only collisions of a
/// changed keyspace are open.
pub(super) fn breaks(bench: &Bench<'_>, context: &Context<'_>, changed: &[KeyspaceId]) -> bool {
    changed.iter().any(|&id| grows_beyond_backend(bench, context, id))
        || bench
            .proved
            .iter()
            .filter(|subject| concerns(context.layout, changed, subject))
            .any(|subject| !matches!(decide(context, subject), Some(Verdict::Proved)))
}

/// Whether a keyspace that does not satisfy KS006 gets longer keys. Rows that could be stored
/// before could then be rejected. If KS006 was proved, the comparison of proved claims covers it.
fn grows_beyond_backend(bench: &Bench<'_>, context: &Context<'_>, id: KeyspaceId) -> bool {
    let about = |subject: &&Subject| subject.rule == Rule::Bounded && subject.keyspace == id;
    let Some(subject) = bench.subjects.iter().find(about) else { return false };
    if bench.proved.iter().any(|proved| about(&proved)) {
        return false;
    }
    let longest = |context: &Context<'_>| {
        let machine = context.machine(&[id], Side::Over).ok();
        machine.and_then(|machine| machine.longest()).unwrap_or(usize::MAX)
    };
    // A longer key that fits is acceptable, for example instead of an empty key.
    longest(context) > longest(bench.context)
        && !matches!(decide(context, subject), Some(Verdict::Proved))
}

/// Whether a keyspace, or the map that it indexes, has changed.
fn differs(before: &Layout, after: &Layout, id: KeyspaceId) -> bool {
    let (old, new) = (before.keyspace(id), after.keyspace(id));
    let same_type = |a: &Option<Arc<Type>>, b: &Option<Arc<Type>>| match (a, b) {
        (Some(a), Some(b)) => a.is_same(b),
        (None, None) => true,
        _ => false,
    };
    (old.kind, old.store, old.space, &old.family) != (new.kind, new.store, new.space, &new.family)
        || !same_segments(&old.key, &new.key)
        || !same_type(&old.member, &new.member)
        || !same_type(&old.score, &new.score)
        || old.allocated != new.allocated
        || old.unique != new.unique
        || effect::changes_source(before, after, id)
        || scans(before, old) != scans(after, new)
        || old.of.is_some_and(|map| differs(before, after, map))
}

/// Returns the text of the scans of a keyspace.
fn scans<'l>(layout: &'l Layout, keyspace: &Keyspace) -> Vec<&'l str> {
    keyspace.scans.iter().map(|scan| layout.sources.text(scan.span)).collect()
}

/// Whether a claim may have changed: its keyspace has changed, or the keys of its keyspace can
/// collide with those of a changed one.
fn concerns(layout: &Layout, changed: &[KeyspaceId], subject: &Subject) -> bool {
    if changed.contains(&subject.keyspace) {
        return true;
    }
    // The records of a hash, whose lengths KS006 bounds, contain the keys of its fields.
    if changed.iter().any(|&id| layout.keyspace(id).hash == Some(subject.keyspace)) {
        return true;
    }
    let keyspace = layout.keyspace(subject.keyspace);
    let mut beside = changed.iter().map(|&id| layout.keyspace(id)).filter(|other| {
        other.store == keyspace.store
            && (other.space == keyspace.space || subject.rule == Rule::StructureTyped)
    });
    match subject.rule {
        Rule::Disjoint | Rule::StructureTyped | Rule::Allocated => beside.next().is_some(),
        Rule::ScanExact => {
            let scan = subject.scan.and_then(|scan| keyspace.scans.get(scan));
            // An `as` interval can contain any key. Otherwise all rows inside begin like the scan.
            let anywhere = scan.and_then(|scan| scan.asked.as_ref()).is_some();
            beside.any(|other| anywhere || comparable(keyspace, other))
        }
        _ => false,
    }
}

fn comparable(a: &Keyspace, b: &Keyspace) -> bool {
    let (a, b) = (a.literal_prefix(), b.literal_prefix());
    a.starts_with(&b) || b.starts_with(&a)
}
