//! KS106: the new program can write rows that the old one cannot read, or reads differently.

use crate::{
    compare::{Answer, Direction::Forward},
    diff::{Context, answered, finding, undecided},
    report::{Fault, Finding, ForwardFault, Readings, Rule, Unknown},
    reread::ForwardRereads,
    value,
};
use keyscape_layout::model::KeyspaceId;

/// `forward` are the keys of new keyspaces that KS102 found to be read differently, and `captured`
/// are the findings of KS103: their keys are keys of both layouts.
pub(crate) fn check(
    context: &Context<'_>,
    forward: &ForwardRereads,
    captured: &[Finding],
) -> Vec<Finding> {
    let mut findings = Vec::new();
    for id in context.new.keyspace_ids() {
        if context.is_changed(Forward, id) {
            let misread = forward.get(&id).cloned().or_else(|| shortest(id, captured));
            findings.extend(of_key(context, id, misread));
        }
        findings.extend(of_value(context, id));
    }
    findings
}

fn of_key(
    context: &Context<'_>,
    id: KeyspaceId,
    misread: Option<Result<Answer<Readings>, Unknown>>,
) -> Option<Finding> {
    let ids = context.ids(Forward, id);
    let found = |ids, fault, minimal| finding(Rule::Forward, ids, Fault::Forward(fault), minimal);
    match (context.unread(Forward, id, &[]), misread) {
        (Ok(Some(unread)), _) => Some(found(ids, ForwardFault::Unread(unread.of), unread.minimal)),
        (_, Some(Ok(answer))) => {
            let ids = (Some(answer.of.old.keyspace), Some(id));
            Some(found(ids, ForwardFault::Misread(answer.of), answer.minimal))
        }
        (Err(reason), _) | (Ok(None), Some(Err(reason))) => {
            Some(undecided(Rule::Forward, ids, reason))
        }
        (Ok(None), None) => None,
    }
}

/// Returns the shortest key of a new keyspace that the old layout reads as a key of another one.
fn shortest(id: KeyspaceId, captured: &[Finding]) -> Option<Result<Answer<Readings>, Unknown>> {
    let found = captured.iter().filter(|finding| finding.new == Some(id));
    let answers = found.clone().filter_map(|finding| match &finding.fault {
        Ok(Fault::Captured { readings }) => {
            Some(Answer { of: readings.clone(), minimal: finding.minimal })
        }
        _ => None,
    });
    let unknown = || found.clone().find_map(|finding| finding.fault.as_ref().err().cloned());
    let shortest = answers.min_by_key(|answer| answer.of.new.key.len());
    shortest.map(Ok).or_else(|| unknown().map(Err))
}

fn of_value(context: &Context<'_>, new: KeyspaceId) -> Option<Finding> {
    let old = context.counterpart(Forward, new)?;
    let form = context.new.keyspace(new).value.as_ref()?;
    let answer = value::unread(context, Forward, (new, old), form);
    let fault = |fault| Fault::Forward(ForwardFault::Value(fault));
    answered(Rule::Forward, (Some(old), Some(new)), answer, fault)
}
