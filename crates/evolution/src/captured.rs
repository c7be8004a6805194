//! KS103: a keyspace that is new can contain rows of one that existed, even of a removed one.

use crate::{
    compare::{Answer, Misread},
    diff::{Context, finding, undecided},
    report::{Fault, Finding, Readings},
    rule::Rule,
};

pub(crate) fn check(context: &Context<'_>) -> Vec<Finding> {
    let mut findings = Vec::new();
    for id in context.new.keyspace_ids() {
        if context.correspondence.old_keyspace(id).is_some() {
            continue;
        }
        let fields = context.fields(None, Some(id));
        let asked = context.forward(id, &fields);
        let (answers, unknown) = context.comparison.misread(asked, context.readers_of_new(id));
        for Answer { of: Misread { row, other }, minimal } in answers {
            let ids = (Some(other.keyspace), Some(id));
            let fault = Fault::Captured { readings: Readings { old: other, new: row } };
            findings.push(finding(Rule::Captured, ids, fault, minimal));
        }
        findings.extend(unknown.map(|reason| undecided(Rule::Captured, (None, Some(id)), reason)));
    }
    findings
}
