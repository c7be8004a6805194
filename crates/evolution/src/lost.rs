//! KS101: a stored key has no reading in the new layout.
//!
//! These are the keys of an old keyspace that no keyspace of the new space reads. KS105 covers
//! entries of indexes.

use crate::{
    compare::Direction::Backward,
    diff::{Context, answered, is_index},
    report::{Fault, Finding, Part, Rule},
};
use keyscape_layout::model::KeyspaceId;

pub(crate) fn check(context: &Context<'_>) -> Vec<Finding> {
    let is_asked =
        |id: &KeyspaceId| !is_index(context.old, *id) && context.is_changed(Backward, *id);
    let findings = context.old.keyspace_ids().filter(is_asked).filter_map(|id| {
        let fault = |row| Fault::Lost { part: Part::Key, row };
        let answer = context.unread(Backward, id, &[]);
        answered(Rule::Lost, context.ids(Backward, id), answer, fault)
    });
    findings.collect()
}
