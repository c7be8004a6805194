//! Acceptances that a fix makes idle. `check` reports idle acceptances as errors, so the fix names
//! them.

use super::{Bench, Tried, view::View};
use crate::{
    accept,
    decide::{decide_pairs, subjects},
    verdict::{Claim, Verdict},
};
use keyscape_layout::{
    Layout,
    model::{Accept, KeyspaceId},
};

/// Returns the acceptances that match a failing claim: the keyspace, and the index among its
/// acceptances.
pub(super) fn used(layout: &Layout, claims: &[Claim]) -> Vec<(KeyspaceId, usize)> {
    if layout.keyspaces.iter().all(|keyspace| keyspace.accepts.is_empty()) {
        return Vec::new();
    }
    let idle = accept::apply(layout, &mut claims.to_vec());
    let accepts = layout.keyspace_ids().flat_map(|id| {
        layout.keyspace(id).accepts.iter().enumerate().map(move |(index, of)| (id, index, of.span))
    });
    let used = accepts.filter(|(id, _, span)| !idle.contains(&(*id, *span)));
    used.map(|(id, index, _)| (id, index)).collect()
}

/// Returns the acceptances that match no failing claim after a fix, in the notation of layouts.
pub(super) fn made_idle(bench: &Bench<'_>, whole: &View<'_>, tried: &Tried) -> Vec<String> {
    let Some(draft) = &tried.draft else { return Vec::new() };
    let layout = &draft.layout;
    let mut found = Vec::new();
    for &(id, index) in &bench.used_accepts {
        let keyspace = layout.keyspace(id);
        let Some(accept) = keyspace.accepts.get(index) else { continue };
        // A change of any keyspace in the same store can affect a claim.
        if tried.changed.iter().all(|other| layout.keyspace(*other).store != keyspace.store) {
            continue;
        }
        let mut focus = tried.changed.clone();
        if !focus.contains(&id) {
            focus.push(id);
        }
        let context = whole.context(layout).focused(focus);
        let is_used = subjects(&context, id).into_iter().any(|(subject, ..)| {
            let scan = subject.scan.and_then(|scan| keyspace.scans.get(scan));
            let is_about = accept.rule == subject.rule.code()
                && (accept.scan.is_none() || accept.scan.as_ref() == scan.map(|scan| &scan.name));
            is_about
                && decide_pairs(&context, &subject).is_some_and(|found| {
                    let with = accept.with.as_deref();
                    let mut partners = found.partners.iter().filter_map(|p| p.keyspace);
                    !matches!(found.verdict, Verdict::Proved)
                        && (with.is_none()
                            || partners.any(|p| Some(&*layout.keyspace(p).name) == with))
                })
        });
        if !is_used {
            found.push(format!("`{}` of `{}`", words(accept), keyspace.name));
        }
    }
    found
}

fn words(accept: &Accept) -> String {
    let part = |word: &str, name: &Option<String>| {
        name.as_ref().map_or(String::new(), |name| format!(" {word} {name}"))
    };
    let (scan, with) = (part("scan", &accept.scan), part("with", &accept.with));
    format!("accept {}{scan}{with}", accept.rule)
}
