//! KS006: no key is longer than the backend allows, and none is empty where that is forbidden.
//!
//! What counts of a part of a key is how long it may be, so sets of lengths are added up; only then
//! is a key of the least length over the limit spelled out.

use crate::{
    context::Context,
    replay,
    verdict::{Counterexample, Fault, Unknown, Verdict},
};
use keyscape_automata::{Budget, OverBudget};
use keyscape_layout::{Backend, Side, machine::Machine, model::KeyspaceId};

pub(crate) fn check(
    context: &Context<'_>,
    keyspace: KeyspaceId,
    backend: &'static Backend,
) -> Verdict {
    let search = |side| {
        let machine = context.machine(&[keyspace], side)?;
        refused_key(&machine, backend, context.config.budget)
    };
    let key = match search(Side::Over) {
        Ok(None) => return Verdict::Proved,
        Ok(Some(key)) => key,
        Err(over) => return Verdict::Unknown(Unknown::Budget(over)),
    };
    let refuted = |key: &[u8], minimal| {
        // One whose derived bytes were put right may have another length.
        let rows = replay::rows_corrected(context, key, keyspace).into_iter();
        let row = rows.into_iter().find(|row| {
            row.key.len() > backend.longest_key || row.key.is_empty() && !backend.empty_key
        })?;
        let minimal = minimal && row.key.len() <= key.len();
        let fault = Fault::Bounded { backend, row };
        Some(Verdict::Refuted(Box::new(Counterexample { fault, minimal, fixes: Vec::new() })))
    };
    if let Some(verdict) = refuted(&key, true) {
        return verdict;
    }
    let codecs = context.inexact(&[keyspace]);
    if codecs.is_empty() {
        return Verdict::Unknown(context.unreplayed(key, &[keyspace]));
    }
    let under = search(Side::Under).ok().flatten();
    under
        .and_then(|key| refuted(&key, false))
        .unwrap_or(Verdict::Unknown(Unknown::Inexact { codecs }))
}

/// A key that the backend refuses: the empty one, or a shortest one over the limit.
fn refused_key(
    machine: &Machine,
    backend: &Backend,
    budget: Budget,
) -> Result<Option<Vec<u8>>, OverBudget> {
    if !backend.empty_key && machine.nearest(machine.start()) == 0 {
        return Ok(Some(Vec::new()));
    }
    if machine.longest().is_some_and(|longest| longest <= backend.longest_key) {
        return Ok(None);
    }
    machine.key_of_length(backend.longest_key.saturating_add(1), budget)
}
