//! Approvals, and the trackers and leaves that they limit.
//!
//! An edit can lower the limits of an approval below its use so far. The trackers and leaves of
//! such an approval are not checked.

use super::{Broken, Collections};
use crate::{
    Amounts, Error, Id,
    keeper::{Approver, Rule, Usage, get_version, resolve, rules_of},
    layout::badges::{APPROVAL_TRACKERS, BALANCES, CHALLENGE_TRACKERS, COLLECTIONS, Owner},
    values::{UserBalanceStore, number},
};
use keyscape::{U256, store::Read};
use keyscape_sim::Breaches;
use std::collections::BTreeSet;

/// Checks that every approval has the version of its row.
///
/// # Errors
/// Errors of the database, or of a corrupt row.
pub fn versions(state: &(impl Read + ?Sized)) -> Result<Vec<Broken>, Error> {
    let mut breaches = Breaches::of("version");
    let mut check = |id: Id, approver: &Approver, approval: &str, stated: &str| {
        let row = get_version(state, id, approver, approval)?;
        let row = row.map_or_else(|| "none".to_owned(), |row| row.to_string());
        if row != stated {
            breaches.add(format_args!(
                "approval `{approval}` of collection {id} states version {stated}, and its row \
                 version {row}"
            ));
        }
        Ok::<(), Error>(())
    };
    let mut scan = COLLECTIONS.scan_all(state)?;
    while let Some(row) = scan.next_row()? {
        let (id, collection) = (row.key.collection, row.value()?);
        for approval in collection.collection_approvals.iter().filter(|_| !collection.deleting) {
            check(id, &Approver::Collection, &approval.approval_id, &approval.version)?;
        }
    }
    let mut collections = Collections::new(&state);
    let mut scan = BALANCES.scan_all(state)?;
    while let Some(row) = scan.next_row()? {
        let (id, user) = (row.key.collection, row.value()?);
        let Owner::User { address } = &row.key.owner else { continue };
        if collections.is_deleting(id)? != Some(false) {
            continue;
        }
        let address = address.clone().into_owned();
        for (approver, approvals) in [
            (Approver::Outgoing(address.clone()), &user.outgoing_approvals),
            (Approver::Incoming(address), &user.incoming_approvals),
        ] {
            for approval in approvals {
                check(id, &approver, &approval.approval_id, &approval.version)?;
            }
        }
    }
    Ok(breaches.reported())
}

/// Checks that the address lists of all approvals exist.
///
/// # Errors
/// Errors of the database, or of a corrupt row.
pub fn lists(state: &(impl Read + ?Sized)) -> Result<Vec<Broken>, Error> {
    let mut breaches = Breaches::of("lists");
    let mut existing = BTreeSet::new();
    let mut check = |keyspace: &'static str, key: &dyn Fn() -> String, list: &str| {
        if existing.contains(list) {
            return Ok(());
        }
        match resolve(state, list) {
            Ok(_) => {
                existing.insert(list.to_owned());
            }
            Err(error) if error.is_refusal() => {
                breaches.add(format_args!(
                    "{keyspace} {}: address list `{list}` does not exist",
                    key()
                ));
            }
            Err(error) => return Err(error),
        }
        Ok::<(), Error>(())
    };
    let mut scan = COLLECTIONS.scan_all(state)?;
    while let Some(row) = scan.next_row()? {
        let (id, collection) = (row.key.collection, row.value()?);
        let defaults = collection.default_balances.unwrap_or_default();
        let approvals = collection.collection_approvals.iter();
        let lists = approvals.flat_map(|approval| {
            [&approval.from_list_id, &approval.to_list_id, &approval.initiated_by_list_id]
        });
        for list in lists.chain(user_lists(&defaults)) {
            check("collections", &|| id.to_string(), list)?;
        }
    }
    let mut scan = BALANCES.scan_all(state)?;
    while let Some(row) = scan.next_row()? {
        let user = row.value()?;
        for list in user_lists(&user) {
            check("balances", &|| format!("{:?}", row.key), list)?;
        }
    }
    Ok(breaches.reported())
}

fn user_lists(user: &UserBalanceStore) -> impl Iterator<Item = &String> {
    let approvals = user.outgoing_approvals.iter().chain(&user.incoming_approvals);
    approvals.flat_map(|approval| [&approval.other_list_id, &approval.initiated_by_list_id])
}

/// Looks up the approval of a row. Caches the last rules, because rows of one approval are close
/// together.
struct Lookup<'s> {
    state: &'s dyn Read,
    last: Option<(Id, Approver, Vec<Rule>)>,
}

impl Lookup<'_> {
    /// Returns an approval whose limits were never lowered.
    fn rule(
        &mut self,
        collection: Id,
        approver: Option<Approver>,
        approval: &str,
    ) -> Result<Option<&Rule>, Error> {
        let Some(approver) = approver else { return Ok(None) };
        let same =
            |(id, other, _): &(Id, Approver, Vec<Rule>)| *id == collection && *other == approver;
        if !self.last.as_ref().is_some_and(same) {
            let rules = rules_of(self.state, collection, &approver)?;
            self.last = Some((collection, approver, rules));
        }
        let rules = self.last.as_ref().map_or(&[][..], |(.., rules)| rules);
        Ok(rules.iter().find(|rule| rule.id == approval && !rule.approval.limits_lowered))
    }
}

/// Checks that no tracker is above the limits of its approval.
///
/// # Errors
/// Errors of the database, or of a corrupt row.
pub fn trackers(state: &(impl Read + ?Sized)) -> Result<Vec<Broken>, Error> {
    let mut breaches = Breaches::of("tracker limit");
    let mut lookup = Lookup { state: &state, last: None };
    for row in APPROVAL_TRACKERS.scan_all(state)? {
        let (key, value) = row?;
        let approver = Approver::of(key.level, key.approver.clone());
        let Some(rule) = lookup.rule(key.collection, approver, key.approval.as_str())? else {
            continue;
        };
        let tracker = Usage::parse(&value)?;
        let tracker_ids = [&rule.amounts.tracker, &rule.transfers.tracker];
        let is_known = tracker_ids.into_iter().any(|id| key.tracker.as_str() == id);
        if rule.version == U256::ZERO && !is_known {
            breaches.add(format_args!(
                "approval_trackers {key:?}: tracker `{}` of approval `{}` does not exist",
                key.tracker, rule.id
            ));
            continue;
        }
        let mut add = |why: String| breaches.add(format_args!("approval_trackers {key:?}: {why}"));
        let most = rule.amounts.of(key.kind);
        if key.tracker.as_str() == rule.amounts.tracker && most > U256::ZERO {
            let limit = Amounts::of(most, rule.ids.clone(), rule.ownership.clone());
            if !tracker.amounts.is_within(&limit) {
                add(format!("{} is more than {limit}", tracker.amounts));
            }
        }
        let most = rule.transfers.of(key.kind);
        let counted = key.tracker.as_str() == rule.transfers.tracker && most > U256::ZERO;
        if counted && tracker.transfers > most {
            add(format!("{} transfers are more than {most}", tracker.transfers));
        }
    }
    Ok(breaches.reported())
}

/// Checks that no leaf is used more often than its challenge allows.
///
/// # Errors
/// Errors of the database, or of a corrupt row.
pub fn leaves(state: &(impl Read + ?Sized)) -> Result<Vec<Broken>, Error> {
    let mut breaches = Breaches::of("leaf limit");
    let mut lookup = Lookup { state: &state, last: None };
    for row in CHALLENGE_TRACKERS.scan_all(state)? {
        let (key, uses) = row?;
        let approver = Approver::of(key.level, key.approver.clone());
        let Some(rule) = lookup.rule(key.collection, approver, key.approval.as_str())? else {
            continue;
        };
        let mut challenges = rule.criteria.merkle_challenges.iter();
        let challenge =
            challenges.find(|challenge| challenge.challenge_tracker_id == key.challenge.as_str());
        let Some(challenge) = challenge else {
            // An edit can remove a challenge.
            if rule.version == U256::ZERO {
                breaches.add(format_args!(
                    "challenge_trackers {key:?}: challenge `{}` of approval `{}` does not exist",
                    key.challenge, rule.id
                ));
            }
            continue;
        };
        let most = number(&challenge.max_uses_per_leaf)?;
        let length = number(&challenge.expected_proof_length)?;
        let why = if most > U256::ZERO && uses > most {
            format!("{uses} uses are more than {most}")
        } else if rule.version == U256::ZERO && !is_leaf(key.leaf, length) {
            format!("a tree of depth {length} does not have this leaf")
        } else {
            continue;
        };
        breaches.add(format_args!("challenge_trackers {key:?}: {why}"));
    }
    Ok(breaches.reported())
}

/// Whether a tree of a depth can have a leaf with an index.
fn is_leaf(leaf: Id, depth: U256) -> bool {
    let depth = u32::try_from(depth).unwrap_or(u32::MAX);
    leaf.get().checked_shr(depth).is_none_or(|rest| rest == U256::ZERO)
}
