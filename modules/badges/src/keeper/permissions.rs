//! Permissions of every kind as entries over regions, which are products of sets of names and sets
//! of numbers. The first entry that matches applies.

use super::approvals::permission_region;
use crate::{
    Error, ErrorKind, Names, Ranges,
    error::check_limit,
    values::{
        ActionPermission, BadgeIdsActionPermission, CollectionApprovalPermission,
        TimedUpdatePermission, TimedUpdateWithBadgeIdsPermission, ranges,
    },
};
use keyscape::{U256, store::Read};

/// The largest number of pieces that a comparison may cut a region into.
const MAX_PIECES: usize = 4_096;

/// A product of sets. All compared regions have the same dimensions.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Region {
    pub(super) names: Vec<Names>,
    pub(super) numbers: Vec<Ranges>,
}

impl Region {
    fn is_empty(&self) -> bool {
        self.names.iter().any(Names::is_empty) || self.numbers.iter().any(Ranges::is_empty)
    }

    fn intersection(&self, other: &Region) -> Region {
        let names = self.names.iter().zip(&other.names).map(|(a, b)| a.intersection(b)).collect();
        let numbers =
            self.numbers.iter().zip(&other.numbers).map(|(a, b)| a.intersection(b)).collect();
        Region { names, numbers }
    }

    /// Returns the rest of this region outside another, as disjoint pieces.
    fn without(&self, other: &Region) -> Vec<Region> {
        if self.intersection(other).is_empty() {
            return vec![self.clone()];
        }
        let mut pieces = Vec::new();
        let mut inside = self.clone();
        // In each dimension, the part outside `other` is a piece, and the part inside is cut
        // further.
        for (index, theirs) in other.names.iter().enumerate() {
            let Some(ours) = inside.names.get_mut(index) else { continue };
            let (outside, both) = (ours.without(theirs), ours.intersection(theirs));
            *ours = outside;
            pieces.push(inside.clone());
            if let Some(ours) = inside.names.get_mut(index) {
                *ours = both;
            }
        }
        for (index, theirs) in other.numbers.iter().enumerate() {
            let Some(ours) = inside.numbers.get_mut(index) else { continue };
            let (outside, both) = (ours.without(theirs), ours.intersection(theirs));
            *ours = outside;
            pieces.push(inside.clone());
            if let Some(ours) = inside.numbers.get_mut(index) {
                *ours = both;
            }
        }
        pieces.retain(|piece| !piece.is_empty());
        pieces
    }
}

/// An entry of a list of permissions: the region that it is about, and the times at which a change
/// of the region is permanently permitted or forbidden.
#[derive(Clone, Debug)]
pub(super) struct Entry {
    region: Region,
    permitted: Ranges,
    forbidden: Ranges,
}

/// Subtracts a region from several regions.
fn cut(subject: &'static str, pieces: Vec<Region>, by: &Region) -> Result<Vec<Region>, Error> {
    let mut left = Vec::new();
    for piece in pieces {
        left.extend(piece.without(by));
        check_limit(subject, left.len(), MAX_PIECES)?;
    }
    Ok(left)
}

/// Rejects a change of some regions that a permission forbids at this time.
///
/// # Errors
/// [`Forbidden`](ErrorKind::Forbidden), [`TooComplex`](ErrorKind::TooComplex).
pub(super) fn check_change(
    subject: &'static str,
    entries: &[Entry],
    mut changed: Vec<Region>,
    now: U256,
) -> Result<(), Error> {
    changed.retain(|region| !region.is_empty());
    for entry in entries {
        let touches = |region: &Region| !region.intersection(&entry.region).is_empty();
        if entry.forbidden.contains(now) && changed.iter().any(touches) {
            return Err(ErrorKind::Forbidden { subject }.into());
        }
        changed = cut(subject, changed, &entry.region)?;
    }
    Ok(())
}

/// Rejects a change of some regions that a permission forbids at this time, and new permissions
/// that revoke fixed ones.
///
/// # Errors
/// As [`check_change`]; [`PermissionFixed`](ErrorKind::PermissionFixed),
/// [`Overlap`](ErrorKind::Overlap) if a time is both permitted and forbidden.
pub(super) fn check_update(
    subject: &'static str,
    old: &[Entry],
    new: &[Entry],
    changed: Vec<Region>,
    now: U256,
) -> Result<(), Error> {
    check_change(subject, old, changed, now)?;
    for entry in new {
        let both = entry.permitted.intersection(&entry.forbidden);
        if !both.is_empty() {
            return Err(ErrorKind::Overlap {
                subject: "permitted and forbidden times",
                ranges: both,
            }
            .into());
        }
    }
    for (index, entry) in old.iter().enumerate() {
        if entry.permitted.is_empty() && entry.forbidden.is_empty() {
            continue;
        }
        let mut pieces = vec![entry.region.clone()];
        pieces.retain(|piece| !piece.is_empty());
        for earlier in old.iter().take(index) {
            pieces = cut(subject, pieces, &earlier.region)?;
        }
        for other in new {
            let touches = |region: &Region| !region.intersection(&other.region).is_empty();
            let keeps = entry.permitted.is_subset(&other.permitted)
                && entry.forbidden.is_subset(&other.forbidden);
            if !keeps && pieces.iter().any(touches) {
                return Err(ErrorKind::PermissionFixed { subject }.into());
            }
            pieces = cut(subject, pieces, &other.region)?;
        }
        if !pieces.is_empty() {
            return Err(ErrorKind::PermissionFixed { subject }.into());
        }
    }
    Ok(())
}

/// The largest number of entries of one permission.
const MAX_ENTRIES: usize = 64;

/// A permission whose region has no dimensions of names.
pub(super) trait Numeric {
    fn entry(&self) -> Result<Entry, Error>;
}

macro_rules! numeric {
    ($message:ident $(, $field:ident)*) => {
        impl Numeric for $message {
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

numeric!(ActionPermission);
numeric!(TimedUpdatePermission, timeline_times);
numeric!(BadgeIdsActionPermission, badge_ids);
numeric!(TimedUpdateWithBadgeIdsPermission, badge_ids, timeline_times);

/// Returns permissions as entries.
pub(super) fn entries<P: Numeric>(
    subject: &'static str,
    permissions: &[P],
) -> Result<Vec<Entry>, Error> {
    check_limit(subject, permissions.len(), MAX_ENTRIES)?;
    permissions.iter().map(P::entry).collect()
}

/// Returns permissions for approvals as entries.
pub(super) fn approval_entries(
    state: &(impl Read + ?Sized),
    subject: &'static str,
    permissions: &[CollectionApprovalPermission],
) -> Result<Vec<Entry>, Error> {
    check_limit(subject, permissions.len(), MAX_ENTRIES)?;
    let entries = permissions.iter().map(|permission| {
        Ok(Entry {
            region: permission_region(state, permission)?,
            permitted: ranges(&permission.permanently_permitted_times)?,
            forbidden: ranges(&permission.permanently_forbidden_times)?,
        })
    });
    entries.collect()
}

/// Returns the region of an action, which has no dimensions.
pub(super) fn action() -> Vec<Region> {
    vec![Region { names: Vec::new(), numbers: Vec::new() }]
}

/// Returns the region of some times of a timeline, or of some badges.
pub(super) fn numbers(ranges: Ranges) -> Vec<Region> {
    vec![Region { names: Vec::new(), numbers: vec![ranges] }]
}
