//! A common form of the approvals of all three levels, checks of new approvals, and versions.

use super::{Rule, approval_id, permissions::Region, resolve};
use crate::{
    Error, ErrorKind, Names,
    error::check_limit,
    layout::badges::{APPROVAL_VERSIONS, Address, ApprovalVersionsKey, Id, Level},
    values::{
        ApprovalCriteria, BadMessage, CollectionApproval, CollectionApprovalPermission, UintRange,
        UserApproval, UserApprovalPermission, number, ranges,
    },
};
use keyscape::{
    U256,
    store::{Read, Tx},
};
use std::collections::BTreeSet;

/// The largest number of approvals or permissions in one list.
const MAX_APPROVALS: usize = 256;

/// Ids that the origin uses for its own approvals.
const RESERVED: [&str; 6] = [
    "All",
    "default-outgoing",
    "default-incoming",
    "self-initiated-outgoing",
    "self-initiated-incoming",
    "all-incoming-transfers",
];

/// The approver of an approval: its level, and the user unless the level is that of the collection.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Approver {
    /// The collection itself.
    Collection,
    /// The recipient.
    Incoming(Address<'static>),
    /// The sender.
    Outgoing(Address<'static>),
}

impl Approver {
    /// Returns the level.
    #[must_use]
    pub fn level(&self) -> Level {
        match self {
            Approver::Collection => Level::Collection,
            Approver::Incoming(_) => Level::Incoming,
            Approver::Outgoing(_) => Level::Outgoing,
        }
    }

    /// Returns the user, or `None` for the collection.
    #[must_use]
    pub fn address(&self) -> Option<&Address<'static>> {
        match self {
            Approver::Collection => None,
            Approver::Incoming(address) | Approver::Outgoing(address) => Some(address),
        }
    }

    /// Returns the approver of a level. A level of users needs an address, the collection has none.
    pub(crate) fn of(level: Level, address: Option<Address<'static>>) -> Option<Approver> {
        match (level, address) {
            (Level::Collection, None) => Some(Approver::Collection),
            (Level::Incoming, Some(address)) => Some(Approver::Incoming(address)),
            (Level::Outgoing, Some(address)) => Some(Approver::Outgoing(address)),
            _ => None,
        }
    }
}

/// A reference to an approval that is tried before all others.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ApprovalRef {
    /// The approver of the approval.
    pub approver: Approver,
    /// The id of the approval.
    pub approval: String,
    /// The version that the initiator has seen. A transfer fails if the approval has another
    /// version.
    pub version: U256,
}

/// An approval of any level.
pub(super) trait Message: PartialEq {
    fn id(&self) -> &str;
    /// Sets the fields that the keeper computes: `version` and `limits_lowered`.
    fn set_computed(&mut self, version: String, limits_lowered: bool);
    /// Converts the approval to an approval of the collection, with the approver in the list of its
    /// side.
    fn general(&self, approver: &Approver) -> CollectionApproval;
}

impl Message for CollectionApproval {
    fn id(&self) -> &str {
        &self.approval_id
    }

    fn set_computed(&mut self, version: String, limits_lowered: bool) {
        (self.version, self.limits_lowered) = (version, limits_lowered);
    }

    fn general(&self, _: &Approver) -> CollectionApproval {
        self.clone()
    }
}

impl Message for UserApproval {
    fn id(&self) -> &str {
        &self.approval_id
    }

    fn set_computed(&mut self, version: String, limits_lowered: bool) {
        (self.version, self.limits_lowered) = (version, limits_lowered);
    }

    fn general(&self, approver: &Approver) -> CollectionApproval {
        let (from_list_id, to_list_id) = sides(approver, &self.other_list_id);
        let criteria = self.approval_criteria.as_ref().map(|criteria| {
            let mut general = ApprovalCriteria {
                merkle_challenges: criteria.merkle_challenges.clone(),
                predetermined_balances: criteria.predetermined_balances.clone(),
                approval_amounts: criteria.approval_amounts.clone(),
                max_num_transfers: criteria.max_num_transfers.clone(),
                dynamic_store_challenges: criteria.dynamic_store_challenges.clone(),
                ..ApprovalCriteria::default()
            };
            let equals = criteria.require_other_equals_initiated_by;
            let differs = criteria.require_other_does_not_equal_initiated_by;
            if matches!(approver, Approver::Incoming(_)) {
                general.require_from_equals_initiated_by = equals;
                general.require_from_does_not_equal_initiated_by = differs;
            } else {
                general.require_to_equals_initiated_by = equals;
                general.require_to_does_not_equal_initiated_by = differs;
            }
            general
        });
        CollectionApproval {
            from_list_id,
            to_list_id,
            initiated_by_list_id: self.initiated_by_list_id.clone(),
            transfer_times: self.transfer_times.clone(),
            badge_ids: self.badge_ids.clone(),
            ownership_times: self.ownership_times.clone(),
            approval_id: self.approval_id.clone(),
            approval_criteria: criteria,
            version: self.version.clone(),
            limits_lowered: self.limits_lowered,
            ..CollectionApproval::default()
        }
    }
}

/// Returns the ids of the lists of senders and of recipients. One is the user who approves, the
/// other is `other`.
fn sides(approver: &Approver, other: &str) -> (String, String) {
    let own = approver.address().map(ToString::to_string).unwrap_or_default();
    match approver {
        Approver::Incoming(_) => (other.to_owned(), own),
        _ => (own, other.to_owned()),
    }
}

impl UserApprovalPermission {
    /// Converts the permission to a permission for approvals of the collection, with the approver
    /// in the list of its side.
    pub(super) fn general(&self, approver: &Approver) -> CollectionApprovalPermission {
        let (from_list_id, to_list_id) = sides(approver, &self.other_list_id);
        CollectionApprovalPermission {
            from_list_id,
            to_list_id,
            initiated_by_list_id: self.initiated_by_list_id.clone(),
            transfer_times: self.transfer_times.clone(),
            badge_ids: self.badge_ids.clone(),
            ownership_times: self.ownership_times.clone(),
            approval_id: self.approval_id.clone(),
            permanently_permitted_times: self.permanently_permitted_times.clone(),
            permanently_forbidden_times: self.permanently_forbidden_times.clone(),
        }
    }
}

/// Checks a list of approvals: their ids, their lists and their conditions.
pub(super) fn check_all<M: Message>(
    state: &(impl Read + ?Sized),
    approver: &Approver,
    approvals: &[M],
) -> Result<(), Error> {
    check_limit("the list of approvals", approvals.len(), MAX_APPROVALS)?;
    let mut ids = BTreeSet::new();
    for approval in approvals {
        let id = approval.id();
        if RESERVED.contains(&id) {
            return Err(ErrorKind::ReservedApproval(id.to_owned()).into());
        }
        Rule::new(approver.clone(), &approval.general(approver))?.check(state)?;
        if !ids.insert(id) {
            return Err(ErrorKind::DuplicateApproval(id.to_owned()).into());
        }
    }
    Ok(())
}

/// Checks a new list of approvals, and sets their versions. An unchanged approval keeps its
/// version, a changed one gets the next version.
pub(super) fn replace<M: Message>(
    tx: &mut Tx<'_>,
    collection: Id,
    approver: &Approver,
    old: &[M],
    mut new: Vec<M>,
) -> Result<Vec<M>, Error> {
    check_all(tx, approver, &new)?;
    for approval in &mut new {
        let before = old.iter().find(|before| before.id() == approval.id());
        let rule = before.map(|before| Rule::new(approver.clone(), &before.general(approver)));
        let rule = rule.transpose()?;
        if let Some(before) = &rule {
            // Compare without the computed fields of the argument, which are ignored.
            approval.set_computed(before.approval.version.clone(), before.approval.limits_lowered);
        }
        if before == Some(&*approval) {
            continue;
        }
        let version = next_version(tx, collection, approver, approval.id())?;
        let limits_lowered = match rule {
            // Trackers outlive their approval.
            None => version > U256::ZERO,
            Some(before) => {
                let new = Rule::new(approver.clone(), &approval.general(approver))?;
                before.approval.limits_lowered || !before.is_within(&new)
            }
        };
        approval.set_computed(version.to_string(), limits_lowered);
    }
    Ok(new)
}

/// Returns the regions of the old and the new approvals that differ between two lists. A change of
/// the order is a difference too, because the first matching approval applies.
pub(super) fn changed<M: Message>(
    state: &(impl Read + ?Sized),
    approver: &Approver,
    old: &[M],
    new: &[M],
) -> Result<Vec<Region>, Error> {
    let front = old.iter().zip(new).take_while(|(a, b)| a == b).count();
    let (old, new) = (old.get(front..).unwrap_or(&[]), new.get(front..).unwrap_or(&[]));
    let back = old.iter().rev().zip(new.iter().rev()).take_while(|(a, b)| a == b).count();
    let differing = old.iter().take(old.len() - back).chain(new.iter().take(new.len() - back));
    differing.map(|approval| approval_region(state, &approval.general(approver))).collect()
}

/// Returns the approvals that a permission is about.
pub(super) fn permission_region(
    state: &(impl Read + ?Sized),
    of: &CollectionApprovalPermission,
) -> Result<Region, Error> {
    let ids = match of.approval_id.as_str() {
        "All" => Names::all(),
        id => Names::only([id]),
    };
    let lists = [&of.from_list_id, &of.to_list_id, &of.initiated_by_list_id];
    region(state, lists, ids, [&of.transfer_times, &of.badge_ids, &of.ownership_times])
}

fn approval_region(state: &(impl Read + ?Sized), of: &CollectionApproval) -> Result<Region, Error> {
    let ids = Names::only([of.approval_id.clone()]);
    let lists = [&of.from_list_id, &of.to_list_id, &of.initiated_by_list_id];
    region(state, lists, ids, [&of.transfer_times, &of.badge_ids, &of.ownership_times])
}

fn region(
    state: &(impl Read + ?Sized),
    lists: [&String; 3],
    ids: Names,
    numbers: [&Vec<UintRange>; 3],
) -> Result<Region, Error> {
    let mut names = Vec::new();
    for list in lists {
        names.push(resolve(state, list)?);
    }
    names.push(ids);
    let numbers = numbers.into_iter().map(|messages| ranges(messages));
    Ok(Region { names, numbers: numbers.collect::<Result<_, _>>()? })
}

/// Parses the id of a dynamic store.
pub(super) fn store_id(text: &str) -> Result<Id, BadMessage> {
    number(text).map(Id)
}

/// Returns the key of the version of an approval.
fn version_key<'k>(
    collection: Id,
    approver: &'k Approver,
    approval: &str,
) -> Result<ApprovalVersionsKey<'k>, Error> {
    Ok(ApprovalVersionsKey {
        collection,
        level: approver.level(),
        approver: approver.address().map(|address| address.by_ref()),
        approval: approval_id(approval)?,
    })
}

/// Returns the version of an approval, or `None` if it never existed. The version outlives its
/// approval.
///
/// # Errors
/// [`Name`](ErrorKind::Name).
pub fn get_version(
    state: &(impl Read + ?Sized),
    collection: Id,
    approver: &Approver,
    approval: &str,
) -> Result<Option<U256>, Error> {
    Ok(APPROVAL_VERSIONS.get(state, version_key(collection, approver, approval)?)?)
}

/// Records a change of an approval and returns its new version. Versions start at 0, increase with
/// every change and never decrease.
pub(super) fn next_version(
    tx: &mut Tx<'_>,
    collection: Id,
    approver: &Approver,
    approval: &str,
) -> Result<U256, Error> {
    let key = version_key(collection, approver, approval)?;
    let mut version = U256::ZERO;
    APPROVAL_VERSIONS.update(tx, &key, |before| {
        if let Some(before) = before {
            version = before.checked_add(U256::ONE).ok_or(BadMessage::Overflow)?;
        }
        Ok::<_, Error>(Some(version))
    })?;
    Ok(version)
}
