//! A common form of the approvals of all three levels, checks of new approvals, and versions.

use super::{Rule, approval_id, permissions::Region, resolve};
use crate::{
    Error, ErrorKind, Names,
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

/// The level of an approval, with its user.
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

    /// Returns the user, if it is one.
    #[must_use]
    pub fn address(&self) -> Option<&Address<'static>> {
        match self {
            Approver::Collection => None,
            Approver::Incoming(address) | Approver::Outgoing(address) => Some(address),
        }
    }

    /// Returns the approver of a level.
    pub(crate) fn of(level: Level, address: Option<Address<'static>>) -> Option<Approver> {
        match (level, address) {
            (Level::Collection, None) => Some(Approver::Collection),
            (Level::Incoming, Some(address)) => Some(Approver::Incoming(address)),
            (Level::Outgoing, Some(address)) => Some(Approver::Outgoing(address)),
            _ => None,
        }
    }
}

/// An approval by name, to be tried before all others.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ApprovalRef {
    /// The level, and the user of the approval.
    pub approver: Approver,
    /// The id of the approval.
    pub approval: String,
    /// The version that the initiator has seen. A transfer fails if the approval has another
    /// version.
    pub version: U256,
}

/// An approval of any level.
pub(super) trait Message: Clone + PartialEq {
    fn id(&self) -> &str;
    fn version_mut(&mut self) -> &mut String;
    fn limits_lowered_mut(&mut self) -> &mut bool;
    /// Converts the approval to an approval of the collection, with the approver in the list of its
    /// side.
    fn general(&self, approver: &Approver) -> CollectionApproval;
}

impl Message for CollectionApproval {
    fn id(&self) -> &str {
        &self.approval_id
    }

    fn version_mut(&mut self) -> &mut String {
        &mut self.version
    }

    fn limits_lowered_mut(&mut self) -> &mut bool {
        &mut self.limits_lowered
    }

    fn general(&self, _: &Approver) -> CollectionApproval {
        self.clone()
    }
}

impl Message for UserApproval {
    fn id(&self) -> &str {
        &self.approval_id
    }

    fn version_mut(&mut self) -> &mut String {
        &mut self.version
    }

    fn limits_lowered_mut(&mut self) -> &mut bool {
        &mut self.limits_lowered
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

/// Returns the lists of senders and recipients of an approval: the user who approves, and the list
/// of the other side.
fn sides(approver: &Approver, other: &str) -> (String, String) {
    let own = approver.address().map(ToString::to_string).unwrap_or_default();
    match approver {
        Approver::Incoming(_) => (other.to_owned(), own),
        _ => (own, other.to_owned()),
    }
}

/// Converts a permission for approvals of any level to a permission for approvals of the
/// collection.
pub(super) trait PermissionMessage {
    fn general(&self, approver: &Approver) -> CollectionApprovalPermission;
}

impl PermissionMessage for CollectionApprovalPermission {
    fn general(&self, _: &Approver) -> CollectionApprovalPermission {
        self.clone()
    }
}

impl PermissionMessage for UserApprovalPermission {
    fn general(&self, approver: &Approver) -> CollectionApprovalPermission {
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
    if approvals.len() > MAX_APPROVALS {
        return Err(
            ErrorKind::TooComplex { what: "the list of approvals", limit: MAX_APPROVALS }.into()
        );
    }
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
        let id = approval.id().to_owned();
        let mut before = old.iter().find(|old| old.id() == id).cloned();
        // The module sets both fields and ignores those of the new approval.
        *approval.limits_lowered_mut() = false;
        if let Some(before) = &mut before {
            *approval.version_mut() = before.version_mut().clone();
            *approval.limits_lowered_mut() = *before.limits_lowered_mut();
        }
        if before.as_ref() != Some(approval) {
            let version = next_version(tx, collection, approver, &id)?;
            *approval.version_mut() = version.to_string();
            *approval.limits_lowered_mut() |= match before {
                // Trackers outlive their approval.
                None => version > U256::ZERO,
                Some(before) => {
                    let rule =
                        |approval: &M| Rule::new(approver.clone(), &approval.general(approver));
                    !rule(&before)?.is_within(&rule(approval)?)
                }
            };
        }
    }
    Ok(new)
}

/// Returns the old and the new approvals that differ between two lists. A change of the order is a
/// difference too, because the first matching approval applies.
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

/// Returns the id of a dynamic store.
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
