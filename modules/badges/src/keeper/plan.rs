//! The trackers and leaves that a transfer uses, collected before the first of them is written.

use super::{Approver, approval_id, tracker_id};
use crate::{
    Amounts, Error,
    layout::badges::{
        APPROVAL_TRACKERS, ApprovalTrackersKey, CHALLENGE_TRACKERS, ChallengeTrackersKey, Id, Kind,
        Party,
    },
    values::{ApprovalTracker, number},
};
use keyscape::{
    U256,
    store::{Read, Tx},
};
use std::collections::BTreeMap;

/// The parsed row of a tracker: the use of an approval so far.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Usage {
    pub(crate) transfers: U256,
    pub(crate) amounts: Amounts,
    pub(crate) updated: U256,
}

impl Usage {
    pub(crate) fn parse(row: &ApprovalTracker) -> Result<Usage, Error> {
        Ok(Usage {
            transfers: number(&row.num_transfers)?,
            amounts: Amounts::from_messages(&row.amounts)?,
            updated: number(&row.last_updated_at)?,
        })
    }

    fn row(&self) -> ApprovalTracker {
        ApprovalTracker {
            num_transfers: self.transfers.to_string(),
            amounts: self.amounts.to_messages(),
            last_updated_at: self.updated.to_string(),
        }
    }
}

/// The trackers and leaves that the rules of a transfer have used so far, on top of a state.
pub(super) struct Plan<'s> {
    pub(super) state: &'s dyn Read,
    pub(super) collection: Id,
    pub(super) now: U256,
    changes: Changes,
}

/// The rows of trackers and leaves to write.
#[derive(Clone, Debug, Default)]
pub(super) struct Changes {
    pub(super) trackers: BTreeMap<ApprovalTrackersKey<'static>, Usage>,
    pub(super) leaves: BTreeMap<ChallengeTrackersKey<'static>, U256>,
}

impl<'s> Plan<'s> {
    pub(super) fn new(state: &'s dyn Read, collection: Id, now: U256) -> Plan<'s> {
        Plan { state, collection, now, changes: Changes::default() }
    }

    /// Returns the usage of a tracker. The changes of a rule override those of the plan.
    pub(super) fn tracker(
        &self,
        own: &Changes,
        key: &ApprovalTrackersKey<'static>,
    ) -> Result<Usage, Error> {
        match own.trackers.get(key).or_else(|| self.changes.trackers.get(key)) {
            Some(planned) => Ok(planned.clone()),
            None => stored_tracker(self.state, key),
        }
    }

    /// Returns the number of uses of a leaf. The changes of a rule override those of the plan.
    pub(super) fn leaf(
        &self,
        own: &Changes,
        key: &ChallengeTrackersKey<'static>,
    ) -> Result<U256, Error> {
        match own.leaves.get(key).or_else(|| self.changes.leaves.get(key)) {
            Some(planned) => Ok(*planned),
            None => stored_uses(self.state, key),
        }
    }

    /// Adds the changes of a rule that applies.
    pub(super) fn accept(&mut self, own: Changes) {
        self.changes.trackers.extend(own.trackers);
        self.changes.leaves.extend(own.leaves);
    }

    /// Returns the rows to write.
    pub(super) fn finish(self) -> Changes {
        self.changes
    }
}

impl Changes {
    pub(super) fn write(&self, tx: &mut Tx<'_>) -> Result<(), Error> {
        for (key, tracker) in &self.trackers {
            APPROVAL_TRACKERS.put(tx, key, &tracker.row())?;
        }
        for (key, uses) in &self.leaves {
            CHALLENGE_TRACKERS.put(tx, key, *uses)?;
        }
        Ok(())
    }
}

fn stored_tracker(
    state: &(impl Read + ?Sized),
    key: &ApprovalTrackersKey<'static>,
) -> Result<Usage, Error> {
    APPROVAL_TRACKERS
        .get(state, key)?
        .map_or_else(|| Ok(Usage::default()), |row| Usage::parse(&row))
}

fn stored_uses(
    state: &(impl Read + ?Sized),
    key: &ChallengeTrackersKey<'static>,
) -> Result<U256, Error> {
    Ok(CHALLENGE_TRACKERS.get(state, key)?.unwrap_or(U256::ZERO))
}

/// Returns the key of a tracker. `address` is the party that the kind counts by.
pub(crate) fn tracker_key(
    collection: Id,
    approver: &Approver,
    approval: &str,
    tracker: &str,
    kind: Kind,
    address: Option<Party<'static>>,
) -> Result<ApprovalTrackersKey<'static>, Error> {
    Ok(ApprovalTrackersKey {
        collection,
        approver: approver.address().cloned(),
        approval: approval_id(approval)?,
        tracker: tracker_id(tracker)?,
        level: approver.level(),
        kind,
        address,
    })
}

/// Returns the key of a leaf.
pub(crate) fn leaf_key(
    collection: Id,
    approver: &Approver,
    approval: &str,
    challenge: &str,
    leaf: U256,
) -> Result<ChallengeTrackersKey<'static>, Error> {
    Ok(ChallengeTrackersKey {
        collection,
        approver: approver.address().cloned(),
        level: approver.level(),
        approval: approval_id(approval)?,
        challenge: tracker_id(challenge)?,
        leaf: Id(leaf),
    })
}

/// Returns the stored number of transfers and amounts of a tracker, without resets that are due.
/// `address` is the party that the kind counts by.
///
/// # Errors
/// [`Name`](crate::ErrorKind::Name).
pub fn get_tracker(
    state: &(impl Read + ?Sized),
    collection: Id,
    approver: &Approver,
    approval: &str,
    tracker: &str,
    kind: Kind,
    address: Option<Party<'static>>,
) -> Result<(U256, Amounts), Error> {
    let key = tracker_key(collection, approver, approval, tracker, kind, address)?;
    let Usage { transfers, amounts, .. } = stored_tracker(state, &key)?;
    Ok((transfers, amounts))
}

/// Returns the number of uses of a leaf.
///
/// # Errors
/// [`Name`](crate::ErrorKind::Name).
pub fn get_uses(
    state: &(impl Read + ?Sized),
    collection: Id,
    approver: &Approver,
    approval: &str,
    challenge: &str,
    leaf: U256,
) -> Result<U256, Error> {
    stored_uses(state, &leaf_key(collection, approver, approval, challenge, leaf)?)
}
