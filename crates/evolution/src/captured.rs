//! KS103: a new keyspace can contain rows of an old keyspace, even of a removed one.

use crate::{
    compare::Direction::Forward,
    diff::{Context, Misreads, finding, undecided},
    report::{Fault, Finding, Rule},
};

pub(crate) fn check(context: &Context<'_>, forward: &Misreads) -> Vec<Finding> {
    let mut findings = Vec::new();
    for (&id, (answers, unknown)) in forward {
        if context.counterpart(Forward, id).is_some() {
            continue;
        }
        for answer in answers {
            let ids = (Some(answer.of.old.keyspace), Some(id));
            let fault = Fault::Captured { readings: answer.of.clone() };
            findings.push(finding(Rule::Captured, ids, fault, answer.minimal));
        }
        let reason = unknown.clone();
        findings.extend(reason.map(|reason| undecided(Rule::Captured, (None, Some(id)), reason)));
    }
    findings
}
