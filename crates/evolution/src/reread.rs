//! KS102: a stored key is read differently in the new layout.
//!
//! Readings are sets, since layouts may be ambiguous. A key is read differently if an old reading
//! is gone although there is a reading, or if a reading is new. Readings in keyspaces that are new
//! belong to KS103, and readings of an index entry as another entry of the same index to KS105.

use crate::{
    compare::{
        Answer,
        Direction::{Backward, Forward},
    },
    diff::{Context, finding, is_index, undecided},
    parts,
    report::{Fault, Finding, Part, Readings, Rule, Unknown},
};
use keyscape_layout::model::KeyspaceId;
use std::collections::BTreeMap;

type Pair = (KeyspaceId, KeyspaceId);

/// For each new keyspace, a shortest key that the old layout does not read like that, or why there
/// may be one. KS106 reports them.
pub(crate) type ForwardRereads = BTreeMap<KeyspaceId, Result<Answer<Readings>, Unknown>>;

/// The answers about the keys of one layout.
pub(crate) struct Rereads {
    found: BTreeMap<Pair, Answer<Readings>>,
    undecided: Vec<Finding>,
    /// Findings about members and scores.
    parts: Vec<Finding>,
}

/// Finds old keys that the new layout reads differently.
pub(crate) fn backward(context: &Context<'_>) -> Rereads {
    let (mut found, mut open) = (BTreeMap::new(), Vec::new());
    for id in context.old.keyspace_ids().filter(|&id| context.is_changed(Backward, id)) {
        let is_reader = |new: &KeyspaceId| {
            let old = context.correspondence.old_keyspace(*new);
            old.is_some() && !(is_index(context.old, id) && old == Some(id))
        };
        let readers = context.readers(Backward, id).iter().copied().filter(is_reader);
        let readers: Vec<KeyspaceId> = readers.collect();
        let (answers, unknown) = context.comparison.misread(&context.asked(Backward, id), &readers);
        answers.into_iter().for_each(|answer| add(&mut found, answer));
        let ids = context.ids(Backward, id);
        open.extend(unknown.map(|reason| undecided(Rule::Reread, ids, reason)));
    }
    let parts = context.old.keyspace_ids().flat_map(|id| [(id, Part::Member), (id, Part::Score)]);
    let parts = parts.filter_map(|(id, part)| parts::reread(context, id, part));
    Rereads { found, undecided: open, parts: parts.collect() }
}

/// Finds new keys that the old layout reads differently.
pub(crate) fn forward(context: &Context<'_>) -> (Rereads, ForwardRereads) {
    let (mut found, mut open) = (BTreeMap::new(), Vec::new());
    let mut forward = BTreeMap::new();
    for id in context.new.keyspace_ids().filter(|&id| context.is_changed(Forward, id)) {
        let Some(old) = context.counterpart(Forward, id) else { continue };
        let asked = context.asked(Forward, id);
        let (mut answers, unknown) =
            context.comparison.misread(&asked, context.readers(Forward, id));
        answers.sort_by_key(|answer| answer.of.old.key.len());
        match (answers.first(), &unknown) {
            (Some(first), _) => drop(forward.insert(id, Ok(first.clone()))),
            (None, Some(reason)) => drop(forward.insert(id, Err(reason.clone()))),
            (None, None) => {}
        }
        let is_own_entry =
            |answer: &Answer<Readings>| is_index(context.new, id) && answer.of.old.keyspace == old;
        answers.retain(|answer| !is_own_entry(answer));
        answers.into_iter().for_each(|answer| add(&mut found, answer));
        let ids = (Some(old), Some(id));
        open.extend(unknown.map(|reason| undecided(Rule::Reread, ids, reason)));
    }
    (Rereads { found, undecided: open, parts: Vec::new() }, forward)
}

/// Returns the findings about the keys of both layouts.
pub(crate) fn join(backward: Rereads, forward: Rereads) -> Vec<Finding> {
    let Rereads { mut found, undecided: mut findings, parts } = backward;
    forward.found.into_values().for_each(|answer| add(&mut found, answer));
    let is_known = |finding: &Finding| {
        findings.iter().any(|known| (known.old, known.new) == (finding.old, finding.new))
    };
    let open: Vec<Finding> = forward.undecided.into_iter().filter(|f| !is_known(f)).collect();
    findings.extend(open);
    for ((old, new), Answer { of: readings, minimal }) in found {
        let fault = Fault::Reread { part: Part::Key, readings };
        findings.push(finding(Rule::Reread, (Some(old), Some(new)), fault, minimal));
    }
    findings.extend(parts);
    findings
}

/// Keeps the shorter of two answers about one pair of keyspaces.
fn add(found: &mut BTreeMap<Pair, Answer<Readings>>, answer: Answer<Readings>) {
    let pair = (answer.of.old.keyspace, answer.of.new.keyspace);
    let length = |answer: &Answer<Readings>| answer.of.old.key.len();
    if found.get(&pair).is_none_or(|known| length(&answer) < length(known)) {
        found.insert(pair, answer);
    }
}
