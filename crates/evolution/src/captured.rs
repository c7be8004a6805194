//! KS103: a keyspace that is new can contain rows of one that existed, even of a removed one.

use crate::{
    compare::Direction::Forward,
    diff::{Context, finding, undecided},
    report::{Fault, Finding, Rule},
};

pub(crate) fn check(context: &Context<'_>) -> Vec<Finding> {
    let mut findings = Vec::new();
    let is_new = |id: &_| context.counterpart(Forward, *id).is_none();
    for id in context.new.keyspace_ids().filter(is_new) {
        let asked = context.asked(Forward, id);
        let (answers, unknown) = context.comparison.misread(&asked, context.readers(Forward, id));
        for answer in answers {
            let ids = (Some(answer.of.old.keyspace), Some(id));
            let fault = Fault::Captured { readings: answer.of };
            findings.push(finding(Rule::Captured, ids, fault, answer.minimal));
        }
        findings.extend(unknown.map(|reason| undecided(Rule::Captured, (None, Some(id)), reason)));
    }
    findings
}
