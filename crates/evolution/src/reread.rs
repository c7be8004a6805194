//! KS102: a stored key is read differently in the new layout.
//!
//! Readings are sets, because layouts may be ambiguous. A key is read differently if it has lost an
//! old reading and still has one, or if it has gained one. Readings in added keyspaces belong to
//! KS103. If an index entry is read as another entry of the same index, the finding belongs to
//! KS105.

use crate::{
    compare::{
        Answer,
        Direction::{Backward, Forward},
    },
    diff::{Context, Misreads, finding, is_index, undecided},
    report::{Fault, Finding, Part, Readings, Rule},
};
use keyscape_layout::model::KeyspaceId;
use std::collections::BTreeMap;

/// The answers about keys that are read differently: the shortest key of each pair of an old and a
/// new keyspace, and undecided questions.
#[derive(Default)]
pub(crate) struct Rereads {
    found: BTreeMap<(KeyspaceId, KeyspaceId), Answer<Readings>>,
    undecided: Vec<Finding>,
}

/// Finds old keys that the new layout reads differently.
pub(crate) fn backward(context: &Context<'_>) -> Rereads {
    let mut rereads = Rereads::default();
    for id in context.old.keyspace_ids().filter(|&id| context.is_changed(Backward, id)) {
        let is_reader = |new: &KeyspaceId| {
            let old = context.correspondence.old_keyspace(*new);
            old.is_some() && !(is_index(context.old, id) && old == Some(id))
        };
        let readers = context.readers(Backward, id).iter().copied().filter(is_reader);
        let readers: Vec<KeyspaceId> = readers.collect();
        let question = context.question(Backward, id);
        let (answers, unknown) = context.comparison.misread(&question, &readers);
        answers.into_iter().for_each(|answer| rereads.add(answer));
        let ids = context.ids(Backward, id);
        rereads.undecided.extend(unknown.map(|reason| undecided(Rule::Reread, ids, reason)));
    }
    rereads
}

impl Rereads {
    /// Adds new keys that the old layout reads differently, and returns the findings about the keys
    /// of both layouts.
    pub(crate) fn with_forward(
        mut self,
        context: &Context<'_>,
        forward: &Misreads,
    ) -> Vec<Finding> {
        for (&id, (answers, unknown)) in forward {
            let Some(old) = context.counterpart(Forward, id) else { continue };
            for answer in answers {
                let is_own_entry = is_index(context.new, id) && answer.of.old.keyspace == old;
                if !is_own_entry {
                    self.add(answer.clone());
                }
            }
            let ids = (Some(old), Some(id));
            let is_repeated = self.undecided.iter().any(|found| (found.old, found.new) == ids);
            let reason = unknown.clone().filter(|_| !is_repeated);
            self.undecided.extend(reason.map(|reason| undecided(Rule::Reread, ids, reason)));
        }
        let mut findings = self.undecided;
        for ((old, new), Answer { of: readings, minimal }) in self.found {
            let fault = Fault::Reread { part: Part::Key, readings };
            findings.push(finding(Rule::Reread, (Some(old), Some(new)), fault, minimal));
        }
        findings
    }

    /// Adds an answer, unless an equally short or shorter key already answers for the same
    /// keyspaces.
    fn add(&mut self, answer: Answer<Readings>) {
        let pair = (answer.of.old.keyspace, answer.of.new.keyspace);
        let length = |answer: &Answer<Readings>| answer.of.old.key.len();
        if self.found.get(&pair).is_none_or(|found| length(&answer) < length(found)) {
            self.found.insert(pair, answer);
        }
    }
}
