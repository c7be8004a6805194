//! KS109: a scan or an index that programs call is gone.
//!
//! Scans are compared by the old names of their leading fields. The scans of a removed keyspace are
//! not reported one by one.

use crate::{
    correspondence::Fields,
    diff::{Context, finding, is_index},
    report::{AccessFault, Fault, Finding, Rule},
};
use keyscape_layout::model::Scan;

pub(crate) fn check(context: &Context<'_>) -> Vec<Finding> {
    let mut findings = Vec::new();
    for id in context.old.keyspace_ids() {
        let new = context.correspondence.new_keyspace(id);
        let mut add = |fault| {
            findings.push(finding(Rule::Access, (Some(id), new), Fault::Access(fault), false));
        };
        let Some(new) = new else {
            if is_index(context.old, id) {
                add(AccessFault::Index);
            }
            continue;
        };
        let fields = context.fields(id, new);
        for scan in &context.old.keyspace(id).scans {
            if counterpart(scan, &context.new.keyspace(new).scans, &fields).is_none() {
                add(AccessFault::Scan(scan.name.clone()));
            }
        }
    }
    findings
}

/// Returns the new scan whose leading fields correspond to those of the old scan.
pub(crate) fn counterpart<'s>(old: &Scan, news: &'s [Scan], fields: &Fields) -> Option<&'s Scan> {
    news.iter().find(|new| {
        old.leading.len() == new.leading.len()
            && old
                .leading
                .iter()
                .zip(&new.leading)
                .all(|(old, new)| fields.new_path(&old.join(".")) == Some(new.join(".").as_str()))
    })
}
