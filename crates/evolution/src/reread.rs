//! KS102: a stored key is read differently in the new layout.
//!
//! Readings are sets, since layouts may be ambiguous. A key is read differently if an old reading
//! is gone although there is a reading, or if a reading is new. Readings in keyspaces that are new
//! belong to KS103, and readings of an index entry as another entry of the same index to KS105.

use crate::{
    compare::{Answer, Misread},
    diff::{Context, finding, is_index, undecided},
    parts,
    report::{Fault, Finding, Part, Readings, Unknown},
    rule::Rule,
};
use keyscape_layout::model::KeyspaceId;
use std::collections::BTreeMap;

type Pair = (KeyspaceId, KeyspaceId);

/// The findings about keys of both layouts.
#[derive(Default)]
pub(crate) struct Rereads {
    /// The findings of KS102.
    pub(crate) findings: Vec<Finding>,
    /// For each new keyspace, a shortest key that the old layout does not read like that, or why
    /// there may be one. KS106 reports them.
    pub(crate) forward: BTreeMap<KeyspaceId, Result<Answer<Readings>, Unknown>>,
}

pub(crate) fn check(context: &Context<'_>) -> Rereads {
    let mut findings = Vec::new();
    let mut found: BTreeMap<Pair, Answer<Readings>> = BTreeMap::new();
    for id in context.old.keyspace_ids().filter(|&id| context.is_old_changed(id)) {
        let fields = context.fields(Some(id), context.same_of_old(id));
        let is_reader = |new: &KeyspaceId| {
            let old = context.correspondence.old_keyspace(*new);
            old.is_some() && !(is_index(context.old, id) && old == Some(id))
        };
        let readers = context.readers_of_old(id).iter().copied().filter(is_reader);
        let asked = context.backward(id, &fields);
        let (answers, unknown) = context.comparison.misread(asked, &readers.collect::<Vec<_>>());
        for Answer { of: Misread { row, other }, minimal } in answers {
            add(&mut found, Answer { of: Readings { old: row, new: other }, minimal });
        }
        let ids = (Some(id), context.correspondence.new_keyspace(id));
        findings.extend(unknown.map(|reason| undecided(Rule::Reread, ids, reason)));
    }
    let mut forward = BTreeMap::new();
    for id in context.new.keyspace_ids().filter(|&id| context.is_new_changed(id)) {
        let Some(old) = context.correspondence.old_keyspace(id) else { continue };
        let fields = context.fields(context.same_of_new(id), Some(id));
        let asked = context.forward(id, &fields);
        let (answers, unknown) = context.comparison.misread(asked, context.readers_of_new(id));
        let answers = answers.into_iter().map(|Answer { of: Misread { row, other }, minimal }| {
            Answer { of: Readings { old: other, new: row }, minimal }
        });
        let mut answers: Vec<Answer<Readings>> = answers.collect();
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
        let is_known = findings.iter().any(|finding| (finding.old, finding.new) == ids);
        let unknown = unknown.filter(|_| !is_known);
        findings.extend(unknown.map(|reason| undecided(Rule::Reread, ids, reason)));
    }
    for ((old, new), Answer { of: readings, minimal }) in found {
        let fault = Fault::Reread { part: Part::Key, readings };
        findings.push(finding(Rule::Reread, (Some(old), Some(new)), fault, minimal));
    }
    for id in context.old.keyspace_ids() {
        for part in [Part::Member, Part::Score] {
            findings.extend(parts::reread(context, id, part));
        }
    }
    Rereads { findings, forward }
}

/// Keeps the shorter of two answers about one pair of keyspaces.
fn add(found: &mut BTreeMap<Pair, Answer<Readings>>, answer: Answer<Readings>) {
    let pair = (answer.of.old.keyspace, answer.of.new.keyspace);
    let length = |answer: &Answer<Readings>| answer.of.old.key.len();
    if found.get(&pair).is_none_or(|known| length(&answer) < length(known)) {
        found.insert(pair, answer);
    }
}
