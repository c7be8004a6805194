//! The claims that a fix must not break, and the acceptances that it makes idle.

use super::{Applied, FixSearch, effect, problem::Problem};
use crate::{
    accept,
    check::{Subject, decide, is_proved, subjects},
    context::Context,
    verdict::{Rule, Verdict},
};
use keyscape_layout::{
    Layout, Side,
    model::{Accept, Keyspace, KeyspaceId, Type, same_segments},
};

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
pub(super) fn breaks(
    search: &FixSearch<'_>,
    context: &Context<'_>,
    changed: &[KeyspaceId],
) -> bool {
    changed.iter().any(|&id| grows_beyond_backend(search, context, id))
        || search
            .proved
            .iter()
            .filter(|subject| concerns(context.layout, changed, subject))
            .any(|subject| !is_proved(context, subject))
}

/// Whether a keyspace that does not satisfy KS006 gets longer keys. Rows that could be stored
/// before could then be rejected. If KS006 was proved, the comparison of proved claims covers it.
fn grows_beyond_backend(search: &FixSearch<'_>, context: &Context<'_>, id: KeyspaceId) -> bool {
    let about = |subject: &&Subject| subject.rule == Rule::Bounded && subject.keyspace == id;
    let Some(subject) = search.subjects.iter().find(about) else { return false };
    if search.proved.iter().any(|proved| about(&proved)) {
        return false;
    }
    let longest = |context: &Context<'_>| {
        let machine = context.reader.machine(&[id], Side::Over).ok();
        machine.and_then(|machine| machine.longest()).unwrap_or(usize::MAX)
    };
    // A longer key that fits is acceptable, for example instead of an empty key.
    longest(context) > longest(search.context) && !is_proved(context, subject)
}

/// Whether a keyspace, or the map that it indexes, has changed.
fn differs(before: &Layout, after: &Layout, id: KeyspaceId) -> bool {
    let (old, new) = (before.keyspace(id), after.keyspace(id));
    let same_type = |old: &Type, new: &Type| old.is_same(new);
    (old.kind, old.store, old.space, &old.family) != (new.kind, new.store, new.space, &new.family)
        || !same_segments(&old.key, &new.key)
        || !effect::same_types_beside_key((old, new), same_type)
        || old.allocated != new.allocated
        || old.unique != new.unique
        || effect::changes_source((old, new))
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

/// Returns the acceptances that match no failing claim after a fix, in the notation of layouts.
/// `check` reports them as errors, so the fix names them.
pub(super) fn idle_accepts(
    search: &FixSearch<'_>,
    whole: &Problem<'_>,
    applied: &Applied,
) -> Vec<String> {
    let Some(layout) = &applied.layout else { return Vec::new() };
    let mut found = Vec::new();
    for id in layout.keyspace_ids() {
        let (old, keyspace) = (search.context.layout.keyspace(id), layout.keyspace(id));
        // A change of any keyspace in the same store can affect a claim.
        if applied.changed.iter().all(|&other| layout.keyspace(other).store != keyspace.store) {
            continue;
        }
        for (before, accept) in old.accepts.iter().zip(&keyspace.accepts) {
            if !search.idle_accepts.contains(&(id, before.span))
                && !is_used(&applied.context(whole, layout, id), id, accept)
            {
                found.push(format!("`{}` of `{}`", words(accept), keyspace.name));
            }
        }
    }
    found
}

/// Whether an acceptance matches a failing claim.
fn is_used(context: &Context<'_>, id: KeyspaceId, accept: &Accept) -> bool {
    let layout = context.layout;
    let is_partner = |id: KeyspaceId| accept.with.as_ref() == Some(&layout.keyspace(id).name);
    subjects(context, id).into_iter().any(|(subject, ..)| {
        let scan = subject.scan.and_then(|scan| layout.keyspace(id).scans.get(scan));
        let claim = accept::is_about(accept, subject.rule, scan).then(|| decide(context, &subject));
        claim.flatten().is_some_and(|found| {
            let mut partners = found.partners.iter().filter_map(|partner| partner.keyspace);
            !matches!(found.verdict, Verdict::Proved)
                && (accept.with.is_none() || partners.any(is_partner))
        })
    })
}

fn words(accept: &Accept) -> String {
    let part = |word: &str, name: &Option<String>| {
        name.as_ref().map_or(String::new(), |name| format!(" {word} {name}"))
    };
    let (scan, with) = (part("scan", &accept.scan), part("with", &accept.with));
    format!("accept {}{scan}{with}", accept.rule)
}
