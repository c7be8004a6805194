//! KS101: a stored key has no reading in the new layout.
//!
//! The keys of an old keyspace minus those of all keyspaces of the new space. Entries of indexes
//! are left to KS105. The members and scores of structures are parts of stored keys as well.

use crate::{
    compare::Direction::Backward,
    diff::{Context, answered, is_index},
    parts,
    report::{Fault, Finding, Part, Rule},
};

pub(crate) fn check(context: &Context<'_>) -> Vec<Finding> {
    let mut findings = Vec::new();
    for id in context.old.keyspace_ids() {
        if !is_index(context.old, id) && context.is_changed(Backward, id) {
            let answer = context.unread(Backward, id, &[]);
            let fault = |row| Fault::Lost { part: Part::Key, row };
            findings.extend(answered(Rule::Lost, context.ids(Backward, id), answer, fault));
        }
        for part in [Part::Member, Part::Score] {
            findings.extend(parts::lost(context, id, part));
        }
    }
    findings
}
