//! Permissions of every kind as entries over regions.

use super::{
    Approver,
    approvals::{PermissionMessage, permission_region},
    region::{Entry, Region},
};
use crate::{
    Error, ErrorKind, Ranges,
    values::{
        ActionPermission, BadgeIdsActionPermission, TimedUpdatePermission,
        TimedUpdateWithBadgeIdsPermission, ranges,
    },
};
use keyscape::store::Read;

/// The largest number of entries of one permission.
const MOST: usize = 64;

/// A permission that is about numbers only.
pub(super) trait Timed {
    fn entry(&self) -> Result<Entry, Error>;
}

macro_rules! timed {
    ($message:ident $(, $field:ident)*) => {
        impl Timed for $message {
            fn entry(&self) -> Result<Entry, Error> {
                Ok(Entry {
                    region: Region {
                        names: Vec::new(),
                        numbers: vec![$(ranges(&self.$field)?),*],
                    },
                    permitted: ranges(&self.permanently_permitted_times)?,
                    forbidden: ranges(&self.permanently_forbidden_times)?,
                })
            }
        }
    };
}

timed!(ActionPermission);
timed!(TimedUpdatePermission, timeline_times);
timed!(BadgeIdsActionPermission, badge_ids);
timed!(TimedUpdateWithBadgeIdsPermission, badge_ids, timeline_times);

/// Returns permissions as entries.
pub(super) fn entries<P: Timed>(
    what: &'static str,
    permissions: &[P],
) -> Result<Vec<Entry>, Error> {
    bounded(what, permissions.len())?;
    permissions.iter().map(P::entry).collect()
}

/// Returns permissions for approvals as entries.
pub(super) fn approval_entries<P: PermissionMessage>(
    state: &(impl Read + ?Sized),
    what: &'static str,
    approver: &Approver,
    permissions: &[P],
) -> Result<Vec<Entry>, Error> {
    bounded(what, permissions.len())?;
    let entries = permissions.iter().map(|permission| {
        let permission = permission.general(approver);
        Ok(Entry {
            region: permission_region(state, &permission)?,
            permitted: ranges(&permission.permanently_permitted_times)?,
            forbidden: ranges(&permission.permanently_forbidden_times)?,
        })
    });
    entries.collect()
}

fn bounded(what: &'static str, entries: usize) -> Result<(), Error> {
    if entries > MOST { Err(ErrorKind::TooComplex { what, limit: MOST }.into()) } else { Ok(()) }
}

/// Returns the region of an action, which has no dimensions.
pub(super) fn action() -> Vec<Region> {
    vec![Region { names: Vec::new(), numbers: Vec::new() }]
}

/// Returns the region of some times of a timeline, or of some badges.
pub(super) fn numbers(ranges: Ranges) -> Vec<Region> {
    vec![Region { names: Vec::new(), numbers: vec![ranges] }]
}
