//! KS106: the new program can write rows that the old one cannot read, or reads differently.

use crate::{
    compare::{Answer, Direction::Forward},
    diff::{Context, Misreads, answered, finding, undecided},
    report::{Fault, Finding, ForwardFault, Part, Rule},
    value,
};
use keyscape_layout::model::KeyspaceId;

/// `forward` are the keys of changed new keyspaces that the old layout reads differently.
pub(crate) fn check(context: &Context<'_>, forward: &Misreads) -> Vec<Finding> {
    let mut findings = Vec::new();
    for id in context.new.keyspace_ids() {
        findings.extend(of_key(context, id, forward));
        findings.extend(of_value(context, id));
    }
    findings
}

fn of_key(context: &Context<'_>, id: KeyspaceId, forward: &Misreads) -> Option<Finding> {
    let (misread, unknown) = forward.get(&id)?;
    let ids = context.ids(Forward, id);
    let found = |ids, fault, minimal| finding(Rule::Forward, ids, Fault::Forward(fault), minimal);
    let undecided_unread = match context.unread(Forward, id, &[]) {
        Ok(Some(Answer { of: row, minimal })) => {
            return Some(found(ids, ForwardFault::Unread { part: Part::Key, row }, minimal));
        }
        Ok(None) => None,
        Err(reason) => Some(reason),
    };
    if let Some(answer) = misread.iter().min_by_key(|answer| answer.of.new.key.len()) {
        let ids = (Some(answer.of.old.keyspace), Some(id));
        let fault = ForwardFault::Misread { part: Part::Key, readings: answer.of.clone() };
        // An undecided or longer key of another keyspace hides whether a shorter one exists.
        let minimal = unknown.is_none() && misread.iter().all(|answer| answer.minimal);
        return Some(found(ids, fault, minimal));
    }
    let reason = undecided_unread.or_else(|| unknown.clone());
    reason.map(|reason| undecided(Rule::Forward, ids, reason))
}

fn of_value(context: &Context<'_>, new: KeyspaceId) -> Option<Finding> {
    let old = context.counterpart(Forward, new)?;
    let form = context.new.keyspace(new).value.as_ref()?;
    let answer = value::unread(context, Forward, (new, old), form);
    let fault = |fault| Fault::Forward(ForwardFault::Value(fault));
    answered(Rule::Forward, (Some(old), Some(new)), answer, fault)
}
