//! KS101: a stored key has no reading in the new layout.
//!
//! The keys of an old keyspace minus those of all keyspaces of the new space. Entries of indexes
//! are left to KS105. The members and scores of structures are parts of stored keys as well.

use crate::{
    diff::{Context, finding, is_index, undecided},
    parts,
    report::{Fault, Finding, Part},
    rule::Rule,
};

pub(crate) fn check(context: &Context<'_>) -> Vec<Finding> {
    let mut findings = Vec::new();
    for id in context.old.keyspace_ids() {
        let new = context.correspondence.new_keyspace(id);
        if !is_index(context.old, id) && context.is_old_changed(id) {
            let fields = context.fields(Some(id), context.same_of_old(id));
            let asked = context.backward(id, &fields);
            match context.comparison.unread(asked, context.readers_of_old(id), &[]) {
                Ok(None) => {}
                Ok(Some(found)) => {
                    let fault = Fault::Lost { part: Part::Key, row: found.of };
                    findings.push(finding(Rule::Lost, (Some(id), new), fault, found.minimal));
                }
                Err(reason) => findings.push(undecided(Rule::Lost, (Some(id), new), reason)),
            }
        }
        for part in [Part::Member, Part::Score] {
            findings.extend(parts::lost(context, id, part));
        }
    }
    findings
}
