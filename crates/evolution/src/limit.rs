//! KS110: a key that was allowed exceeds the limit of the new backend.

use crate::{
    diff::{Context, finding, undecided},
    report::{Fault, Finding, Rule, Unknown},
};
use keyscape_layout::{Backend, model::KeyspaceId};
use keyscape_prover::{Config, Counterexample, Fault as ClaimFault, Verdict, decide_bounded};

pub(crate) fn check(context: &Context<'_>) -> Vec<Finding> {
    let ids = context.old.keyspace_ids().filter(|&id| context.old.keyspace(id).hash.is_none());
    ids.filter_map(|id| check_keyspace(context, id)).collect()
}

fn check_keyspace(context: &Context<'_>, id: KeyspaceId) -> Option<Finding> {
    let store = context.old.keyspace(id).store;
    let new = context.correspondence.new_store(store)?;
    let backend = context.new.store(new).backend?;
    let before = context.old.store(store).backend;
    if before.is_some_and(|before| is_wider(backend, before)) {
        return None;
    }
    let ids = (Some(id), context.correspondence.new_keyspace(id));
    let config = Config { budget: context.comparison.budget.alone(), ..Config::default() };
    match decide_bounded(context.old, id, backend, config) {
        Verdict::Proved => None,
        Verdict::Refuted(found) => {
            let Counterexample { fault, minimal, .. } = *found;
            let ClaimFault::Bounded { row, length, long, .. } = fault else { return None };
            let was_legal = |length: usize| {
                before.is_none_or(|before| match length {
                    0 => before.empty_key,
                    length => length <= before.longest_key,
                })
            };
            // If the counterexample is the empty key, another key may be too long.
            let long = long.map(|row| (row.key.len(), row, false));
            let keys = [(length, row, minimal)].into_iter().chain(long);
            keys.into_iter().find(|(length, ..)| was_legal(*length)).map(
                |(length, row, minimal)| {
                    finding(Rule::Limit, ids, Fault::Limit { backend, row, length }, minimal)
                },
            )
        }
        Verdict::Unknown(keyscape_prover::Unknown::Budget(over)) => {
            Some(undecided(Rule::Limit, ids, Unknown::Budget(over)))
        }
        Verdict::Unknown(keyscape_prover::Unknown::Inexact { codecs }) => {
            Some(undecided(Rule::Limit, ids, Unknown::Inexact { codecs }))
        }
        Verdict::Unknown(_) => Some(undecided(Rule::Limit, ids, Unknown::Values)),
    }
}

/// Whether a backend accepts every key that another accepts.
fn is_wider(backend: &Backend, before: &Backend) -> bool {
    backend.longest_key >= before.longest_key
        && (backend.empty_key || !before.empty_key)
        && (backend.has_structures || !before.has_structures)
}
