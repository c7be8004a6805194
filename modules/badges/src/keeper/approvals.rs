//! A common form of the approvals of all three levels, and checks of new approvals.

use super::{Rule, region::Region, resolve, versions};
use crate::{
    Error, ErrorKind, Names,
    layout::badges::{Address, Id, Level},
    values::{
        ApprovalCriteria, BadMessage, CollectionApproval, CollectionApprovalPermission,
        UserIncomingApproval, UserIncomingApprovalPermission, UserOutgoingApproval,
        UserOutgoingApprovalPermission, number, ranges,
    },
};
use keyscape::{
    U256,
    store::{Read, Tx},
};
use std::collections::BTreeSet;

/// The largest number of approvals or permissions in one list.
const MOST: usize = 256;

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

/// Returns the name of a user who approves.
fn own_name(approver: &Approver) -> String {
    approver.address().map(ToString::to_string).unwrap_or_default()
}

macro_rules! user_approval {
    ($message:ident, $own:ident, $other:ident, $equals:ident, $differs:ident) => {
        impl Message for $message {
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
                let criteria = self.approval_criteria.as_ref().map(|criteria| ApprovalCriteria {
                    merkle_challenges: criteria.merkle_challenges.clone(),
                    predetermined_balances: criteria.predetermined_balances.clone(),
                    approval_amounts: criteria.approval_amounts.clone(),
                    max_num_transfers: criteria.max_num_transfers.clone(),
                    $equals: criteria.$equals,
                    $differs: criteria.$differs,
                    dynamic_store_challenges: criteria.dynamic_store_challenges.clone(),
                    ..ApprovalCriteria::default()
                });
                CollectionApproval {
                    $own: own_name(approver),
                    $other: self.$other.clone(),
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
    };
}

user_approval!(
    UserOutgoingApproval,
    from_list_id,
    to_list_id,
    require_to_equals_initiated_by,
    require_to_does_not_equal_initiated_by
);
user_approval!(
    UserIncomingApproval,
    to_list_id,
    from_list_id,
    require_from_equals_initiated_by,
    require_from_does_not_equal_initiated_by
);

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

macro_rules! user_permission {
    ($message:ident, $own:ident, $other:ident) => {
        impl PermissionMessage for $message {
            fn general(&self, approver: &Approver) -> CollectionApprovalPermission {
                CollectionApprovalPermission {
                    $own: own_name(approver),
                    $other: self.$other.clone(),
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
    };
}

user_permission!(UserOutgoingApprovalPermission, from_list_id, to_list_id);
user_permission!(UserIncomingApprovalPermission, to_list_id, from_list_id);

/// Checks a list of approvals: their ids, their lists and their conditions.
pub(super) fn check_all<M: Message>(
    state: &(impl Read + ?Sized),
    approver: &Approver,
    approvals: &[M],
) -> Result<(), Error> {
    if approvals.len() > MOST {
        return Err(ErrorKind::TooComplex { what: "the list of approvals", limit: MOST }.into());
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
            let version = versions::touch(tx, collection, approver, &id)?;
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
    differing.map(|approval| region(state, &approval.general(approver))).collect()
}

fn region(state: &(impl Read + ?Sized), approval: &CollectionApproval) -> Result<Region, Error> {
    Ok(Region {
        names: vec![
            resolve(state, &approval.from_list_id)?,
            resolve(state, &approval.to_list_id)?,
            resolve(state, &approval.initiated_by_list_id)?,
            Names::only([approval.approval_id.clone()]),
        ],
        numbers: vec![
            ranges(&approval.transfer_times)?,
            ranges(&approval.badge_ids)?,
            ranges(&approval.ownership_times)?,
        ],
    })
}

/// Returns the approvals that a permission is about.
pub(super) fn permission_region(
    state: &(impl Read + ?Sized),
    permission: &CollectionApprovalPermission,
) -> Result<Region, Error> {
    let ids = match permission.approval_id.as_str() {
        "All" => Names::all(),
        id => Names::only([id]),
    };
    Ok(Region {
        names: vec![
            resolve(state, &permission.from_list_id)?,
            resolve(state, &permission.to_list_id)?,
            resolve(state, &permission.initiated_by_list_id)?,
            ids,
        ],
        numbers: vec![
            ranges(&permission.transfer_times)?,
            ranges(&permission.badge_ids)?,
            ranges(&permission.ownership_times)?,
        ],
    })
}

/// Returns the id of a dynamic store.
pub(super) fn store_id(text: &str) -> Result<Id, BadMessage> {
    number(text).map(Id)
}
