//! KS108: a reserved or deprecated prefix is used again, or the new layout no longer retires it.
//!
//! A key under the prefix counts only if the old layout could not write it. KS007 covers keyspaces
//! that used the prefix before.

use crate::{
    compare::Direction::Forward,
    diff::{Context, answered, finding},
    report::{Fault, Finding, RetiredFault, RetiredPlace, Rule},
};
use keyscape_layout::model::{KeyspaceId, Store, StoreId};

pub(crate) fn check(context: &Context<'_>) -> Vec<Finding> {
    let mut findings = Vec::new();
    for (at, store) in context.old.stores.iter().enumerate() {
        let id = StoreId(at as u32);
        // The keys of a removed store are lost, and no keyspace uses their prefixes.
        let Some(new) = context.correspondence.new_store(id) else { continue };
        for place in retired(store, id) {
            findings.extend(check_prefix(context, &place, new));
        }
    }
    findings
}

fn retired(store: &Store, id: StoreId) -> impl Iterator<Item = RetiredPlace> {
    store.namespaces.iter().flat_map(move |namespace| {
        namespace.retired.iter().map(move |retired| RetiredPlace {
            store: id,
            namespace: namespace.name.clone(),
            prefix: [namespace.prefix.as_slice(), &retired.prefix].concat(),
            deprecated: retired.deprecated,
            reason: retired.reason.clone(),
        })
    })
}

fn check_prefix(context: &Context<'_>, place: &RetiredPlace, new: StoreId) -> Vec<Finding> {
    let mut findings = Vec::new();
    let in_store = |id: &KeyspaceId| {
        let keyspace = context.new.keyspace(*id);
        keyspace.store == new && keyspace.hash.is_none()
    };
    for id in context.new.keyspace_ids().filter(in_store) {
        let literal = context.new.keyspace(id).literal_prefix();
        let may_begin = literal.starts_with(&place.prefix) || place.prefix.starts_with(&literal);
        if !may_begin || !context.is_changed(Forward, id) {
            continue;
        }
        let answer = context.unread(Forward, id, &place.prefix);
        let fault = |row| Fault::Retired(RetiredFault::Used(place.clone(), row));
        findings.extend(answered(Rule::Retired, context.ids(Forward, id), answer, fault));
    }
    let stays_retired =
        retired(context.new.store(new), new).any(|other| place.prefix.starts_with(&other.prefix));
    if findings.is_empty() && !stays_retired {
        let fault = Fault::Retired(RetiredFault::Dropped(place.clone()));
        findings.push(finding(Rule::Retired, (None, None), fault, false));
    }
    findings
}
