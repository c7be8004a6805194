//! KS006: no key is longer than the backend allows, and none is empty where that is forbidden.

use crate::{
    context::Context,
    pair::{Step, spell},
    replay,
    verdict::{Counterexample, Fault, Unknown, Verdict},
};
use keyscape_automata::OverBudget;
use keyscape_layout::{
    Backend, Side,
    machine::{Machine, State, Walk},
    model::KeyspaceId,
};
use std::collections::HashMap;

pub(crate) fn check(
    context: &Context<'_>,
    keyspace: KeyspaceId,
    backend: &'static Backend,
) -> Verdict {
    let search = |side| {
        let machine = context.machine(&[keyspace], side)?;
        refused_key(&machine, backend, context.config.budget.pairs)
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
    budget: usize,
) -> Result<Option<Vec<u8>>, OverBudget> {
    let mut walk = Walk::new(machine);
    if !backend.empty_key && walk.nearest(machine.start()) == 0 {
        return Ok(Some(Vec::new()));
    }
    if machine.longest().is_some_and(|longest| longest <= backend.longest_key) {
        return Ok(None);
    }
    over_limit(&mut walk, backend.longest_key + 1, budget)
}

/// The states that some word of each length leads to, length by length, until the limit is passed;
/// from there the shortest way to the end.
fn over_limit(
    walk: &mut Walk<'_>,
    length: usize,
    budget: usize,
) -> Result<Option<Vec<u8>>, OverBudget> {
    let machine = walk.machine;
    let mut parents: Vec<HashMap<State, (State, Step)>> = Vec::new();
    let mut layer: Vec<State> = waiting(walk, machine.start())?;
    let mut visited = 0;
    for _ in 0..length {
        let mut next: HashMap<State, (State, Step)> = HashMap::new();
        let mut order = Vec::new();
        for &state in &layer {
            for &byte in walk.next_bytes(state).iter() {
                let Some(to) = machine.step(state, byte) else { continue };
                for settled in waiting(walk, to)? {
                    next.entry(settled).or_insert_with(|| {
                        order.push(settled);
                        (state, Step::Byte(byte))
                    });
                }
            }
        }
        visited += order.len();
        if visited > budget {
            return Err(OverBudget { what: "states of long keys", limit: budget });
        }
        parents.push(next);
        layer = order;
    }
    let mut best: Option<State> = None;
    for &state in &layer {
        let rest = walk.nearest(state);
        if rest != u64::MAX && best.is_none_or(|known| rest < walk.nearest(known)) {
            best = Some(state);
        }
    }
    let Some(end) = best else { return Ok(None) };
    let mut steps = vec![Step::Rest(end)];
    let mut at = end;
    for layer in parents.iter().rev() {
        let Some(&(before, step)) = layer.get(&at) else { break };
        steps.push(step);
        at = before;
    }
    steps.reverse();
    Ok(Some(spell(walk, &steps)))
}

/// The ways to settle after arriving, ends of keys included: they have no further bytes.
fn waiting(walk: &mut Walk<'_>, state: State) -> Result<Vec<State>, OverBudget> {
    Ok(walk.settle(state)?.iter().map(|&(_, state)| state).collect())
}
