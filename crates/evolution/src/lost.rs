//! KS101: a stored key has no reading in the new layout.
//!
//! The keys of an old keyspace minus those of all keyspaces of the new space. Entries of indexes
//! are left to KS105.

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
