//! KS102: a stored key is read differently in the new layout.
//!
//! Readings are sets, because layouts may be ambiguous. A key is read differently if it has lost an
//! old reading and still has one, or if it has gained one. Readings in added keyspaces belong to
//! KS103. If an index entry is read as another entry of the same index, the finding belongs to
//! KS105.

use crate::{
    compare::{
        Answer,
        Direction::{self, Backward, Forward},
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
    found: BTreeMap<Pair, Answer<Readings>>,
    undecided: Vec<Finding>,
    /// The pairs of undecided questions that may have a shorter key than the one found.
    open: Vec<Open>,
}

/// An old keyspace, and a new one that reads its keys.
type Pair = (KeyspaceId, KeyspaceId);

/// A question that is undecided for some pairs.
struct Open {
    direction: Direction,
    keyspace: KeyspaceId,
    /// The pairs with an answer.
    answered: Vec<Pair>,
}

impl Open {
    /// Whether the question is undecided for a pair.
    fn contains(&self, pair: Pair) -> bool {
        let (keyspace, _) = self.direction.oriented(pair.0, pair.1);
        keyspace == self.keyspace && !self.answered.contains(&pair)
    }
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
        rereads.add(&answers, (Backward, id), unknown.is_some());
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
            let is_own_entry = |answer: &&Answer<Readings>| {
                is_index(context.new, id) && answer.of.old.keyspace == old
            };
            let others = answers.iter().filter(|answer| !is_own_entry(answer));
            self.add(others, (Forward, id), unknown.is_some());
            let ids = (Some(old), Some(id));
            let is_repeated = self.undecided.iter().any(|found| (found.old, found.new) == ids);
            let reason = unknown.clone().filter(|_| !is_repeated);
            self.undecided.extend(reason.map(|reason| undecided(Rule::Reread, ids, reason)));
        }
        let Self { found, undecided: mut findings, open } = self;
        for (pair, Answer { of: readings, minimal }) in found {
            let minimal = minimal && !open.iter().any(|question| question.contains(pair));
            let fault = Fault::Reread { part: Part::Key, readings };
            findings.push(finding(Rule::Reread, (Some(pair.0), Some(pair.1)), fault, minimal));
        }
        findings
    }

    /// Adds the answers to the question about the keys of a keyspace. Of two answers for one pair,
    /// the shorter key is the shortest one only if both are.
    fn add<'a>(
        &mut self,
        answers: impl IntoIterator<Item = &'a Answer<Readings>>,
        (direction, keyspace): (Direction, KeyspaceId),
        is_undecided: bool,
    ) {
        let mut answered = Vec::new();
        for answer in answers {
            let pair = (answer.of.old.keyspace, answer.of.new.keyspace);
            answered.push(pair);
            let found = self.found.entry(pair).or_insert_with(|| answer.clone());
            let minimal = found.minimal && answer.minimal;
            if answer.of.old.key.len() < found.of.old.key.len() {
                *found = answer.clone();
            }
            found.minimal = minimal;
        }
        if is_undecided {
            self.open.push(Open { direction, keyspace, answered });
        }
    }
}
