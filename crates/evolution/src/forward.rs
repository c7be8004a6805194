//! KS106: the new program can write rows that the old one cannot read, or reads differently.

use crate::{
    compare::{Answer, Direction},
    diff::{Context, finding, undecided},
    report::{Fault, Finding, ForwardFault, Readings, Unknown},
    reread::ForwardRereads,
    rule::Rule,
    value::Forms,
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
        if context.is_new_changed(id) {
            let misread = forward.get(&id).cloned().or_else(|| shortest(id, captured));
            findings.extend(key(context, id, misread));
        }
        findings.extend(value(context, id));
    }
    findings
}

fn key(
    context: &Context<'_>,
    id: KeyspaceId,
    misread: Option<Result<Answer<Readings>, Unknown>>,
) -> Option<Finding> {
    let ids = (context.correspondence.old_keyspace(id), Some(id));
    let fields = context.fields(context.same_of_new(id), Some(id));
    let asked = context.forward(id, &fields);
    let unread = context.comparison.unread(asked, context.readers_of_new(id), &[]);
    let found = |fault, minimal| finding(Rule::Forward, ids, Fault::Forward(fault), minimal);
    match (unread, misread) {
        (Ok(Some(unread)), _) => Some(found(ForwardFault::Unread(unread.of), unread.minimal)),
        (_, Some(Ok(answer))) => {
            let ids = (Some(answer.of.old.keyspace), Some(id));
            let fault = Fault::Forward(ForwardFault::Misread(answer.of));
            Some(finding(Rule::Forward, ids, fault, answer.minimal))
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

fn value(context: &Context<'_>, new: KeyspaceId) -> Option<Finding> {
    let old = context.correspondence.old_keyspace(new)?;
    let form = context.new.keyspace(new).value.as_ref()?;
    let forms = Forms { writing: (context.new, new), reading: (context.old, old) };
    let ids = (Some(old), Some(new));
    match forms.fault(context, Direction::Forward, form) {
        Ok(None) => None,
        Ok(Some(fault)) => {
            let fault = Fault::Forward(ForwardFault::Value(fault));
            Some(finding(Rule::Forward, ids, fault, false))
        }
        Err(reason) => Some(undecided(Rule::Forward, ids, reason)),
    }
}
