//! Collections: create, update, delete.

use super::{
    Approver, approvals, at, balances, next,
    permissions::{action, approval_entries, check_change, check_update, entries, numbers},
    timelines::{self, badge_difference, difference, value_at},
    users,
};
use crate::{
    Error, ErrorKind, Range, Ranges,
    layout::badges::{
        APPROVAL_TRACKERS, APPROVAL_VERSIONS, Address, BALANCES, CHALLENGE_TRACKERS, COLLECTIONS,
        Id, NEXT_COLLECTION,
    },
    values::{
        BadgeCollection, BadgeMetadataTimeline, CollectionApproval, CollectionMetadataTimeline,
        CollectionPermissions, CustomDataTimeline, IsArchivedTimeline, ManagerTimeline,
        StandardsTimeline, UserBalanceStore, one_range, ranges, ranges_message,
    },
};
use keyscape::{
    U256,
    store::{Read, Tx},
};
use sha2::{Digest as _, Sha256};

/// New values for the parts of a collection. `None` keeps a part.
#[derive(Clone, Debug, Default)]
pub struct CollectionChanges {
    /// The ids of badges that can exist.
    pub valid_badge_ids: Option<Ranges>,
    /// Metadata of the collection.
    pub collection_metadata: Option<Vec<CollectionMetadataTimeline>>,
    /// Metadata of badges.
    pub badge_metadata: Option<Vec<BadgeMetadataTimeline>>,
    /// Free data.
    pub custom_data: Option<Vec<CustomDataTimeline>>,
    /// The manager.
    pub manager: Option<Vec<ManagerTimeline>>,
    /// Standards that the collection follows.
    pub standards: Option<Vec<StandardsTimeline>>,
    /// Whether the collection is archived.
    pub is_archived: Option<Vec<IsArchivedTimeline>>,
    /// Approvals at the collection level. Their versions are ignored.
    pub approvals: Option<Vec<CollectionApproval>>,
    /// Permissions of the manager.
    pub permissions: Option<CollectionPermissions>,
}

/// The progress of a deletion in batches.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Deleted {
    /// The rows that this call deleted.
    pub rows: u64,
    /// Whether the deletion is complete. Otherwise repeat the call.
    pub done: bool,
}

/// Creates a collection and returns its id. The creator manages it, unless the changes name another
/// manager.
///
/// ```
/// # mod setup { include!(concat!(env!("CARGO_MANIFEST_DIR"), "/tests/all/setup.rs")); }
/// # use setup::{address, badges};
/// use keyscape_badges::{Range, keeper::{self, CollectionChanges}, values::UserBalanceStore};
///
/// # let (db, ann) = (badges(), address(1));
/// let badges = Range::new(1_u64, 100_u64)?.into();
/// let changes =
///     CollectionChanges { valid_badge_ids: Some(badges), ..CollectionChanges::default() };
/// let defaults = UserBalanceStore::default();
/// let id = db.write(|tx| keeper::create_collection(tx, &ann, &defaults, changes.clone()))?;
/// assert_eq!(id.to_string(), "1");
/// assert_eq!(keeper::manager(&db.read()?, id, 0)?, Some(ann.to_string()));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # Errors
/// [`Name`](ErrorKind::Name), [`Overlap`](ErrorKind::Overlap) and the other checks of approvals,
/// timelines and permissions.
pub fn create_collection(
    tx: &mut Tx<'_>,
    creator: &Address<'_>,
    default_balances: &UserBalanceStore,
    changes: CollectionChanges,
) -> Result<Id, Error> {
    tx.attempt(|tx| {
        let id = Id(next!(NEXT_COLLECTION, tx));
        let manager =
            ManagerTimeline { manager: creator.to_string(), timeline_times: one_range(Range::ALL) };
        let defaults = users::defaults(tx, default_balances)?;
        let default_amounts = balances::parse_user(&defaults)?;
        let mut collection = BadgeCollection {
            collection_id: id.to_string(),
            balances_type: "Standard".to_owned(),
            manager_timeline: vec![manager],
            collection_permissions: Some(CollectionPermissions::default()),
            default_balances: Some(defaults),
            created_by: creator.to_string(),
            mint_escrow_address: mint_escrow(id)?.to_string(),
            ..BadgeCollection::default()
        };
        apply(tx, id, &mut collection, changes)?;
        let without_permissions =
            BadgeCollection { collection_permissions: None, ..collection.clone() };
        check(tx, U256::ONE, &without_permissions, &collection)?;
        balances::check_valid(&ranges(&collection.valid_badge_ids)?, &default_amounts)?;
        COLLECTIONS.put(tx, id, &collection)?;
        Ok(id)
    })
}

/// Returns the address of the mint escrow of a collection. It is the module address of `badges`
/// with the byte 08 and the id.
///
/// The id has 8 bytes, as in the original implementation. Larger ids, for which that implementation
/// panics, have 32 bytes.
fn mint_escrow(id: Id) -> Result<Address<'static>, Error> {
    let mut key = b"badges\0\x08".to_vec();
    match u64::try_from(id.get()) {
        Ok(short) => key.extend(short.to_be_bytes()),
        Err(_) => key.extend(id.get().to_be_bytes()),
    }
    let digest = Sha256::new().chain_update(Sha256::digest("module")).chain_update(key).finalize();
    Ok(Address::new(digest.to_vec()).map_err(keyscape::Error::from)?)
}

/// Returns a collection.
///
/// # Errors
/// Errors of the database.
pub fn get_collection(
    state: &(impl Read + ?Sized),
    id: Id,
) -> Result<Option<BadgeCollection>, Error> {
    Ok(COLLECTIONS.get(state, id)?)
}

fn existing(state: &(impl Read + ?Sized), id: Id) -> Result<BadgeCollection, Error> {
    get_collection(state, id)?.ok_or_else(|| ErrorKind::NoCollection(id).into())
}

/// Returns a collection that is neither being deleted nor archived.
pub(super) fn active(
    state: &(impl Read + ?Sized),
    id: Id,
    now: u64,
) -> Result<BadgeCollection, Error> {
    let collection = live(state, id)?;
    if archived(&collection, now)? { Err(ErrorKind::Archived(id).into()) } else { Ok(collection) }
}

/// Returns a collection that exists and is not being deleted.
pub(super) fn live(state: &(impl Read + ?Sized), id: Id) -> Result<BadgeCollection, Error> {
    let collection = existing(state, id)?;
    if collection.deleting { Err(ErrorKind::CollectionDeleting(id).into()) } else { Ok(collection) }
}

/// Returns the name of the manager of a collection at a time.
///
/// # Errors
/// [`NoCollection`](ErrorKind::NoCollection).
pub fn manager(state: &(impl Read + ?Sized), id: Id, now: u64) -> Result<Option<String>, Error> {
    let collection = existing(state, id)?;
    Ok(value_at(&collection.manager_timeline, at(now))?.cloned())
}

/// Whether a collection is archived at a time.
///
/// # Errors
/// [`NoCollection`](ErrorKind::NoCollection).
pub fn is_archived(state: &(impl Read + ?Sized), id: Id, now: u64) -> Result<bool, Error> {
    archived(&existing(state, id)?, now)
}

fn archived(collection: &BadgeCollection, now: u64) -> Result<bool, Error> {
    Ok(value_at(&collection.is_archived_timeline, at(now))?.copied().unwrap_or(false))
}

fn check_manager(
    collection: &BadgeCollection,
    now: u64,
    caller: &Address<'_>,
    id: Id,
) -> Result<(), Error> {
    let manager = value_at(&collection.manager_timeline, at(now))?;
    if manager == Some(&caller.to_string()) {
        return Ok(());
    }
    Err(ErrorKind::NotManager { collection: id, caller: caller.to_string() }.into())
}

/// Changes a collection. Only the manager may change it, and only the parts that the permissions do
/// not forbid at the current time.
///
/// # Errors
/// [`NotManager`](ErrorKind::NotManager), [`Archived`](ErrorKind::Archived),
/// [`Forbidden`](ErrorKind::Forbidden), [`PermissionFixed`](ErrorKind::PermissionFixed), and the
/// checks of [`create_collection`].
pub fn update_collection(
    tx: &mut Tx<'_>,
    now: u64,
    caller: &Address<'_>,
    id: Id,
    changes: CollectionChanges,
) -> Result<(), Error> {
    let old = existing(tx, id)?;
    check_manager(&old, now, caller, id)?;
    if old.deleting {
        return Err(ErrorKind::CollectionDeleting(id).into());
    }
    let changes_archive = changes.is_archived.is_some();
    tx.attempt(|tx| {
        let mut new = old.clone();
        apply(tx, id, &mut new, changes)?;
        // An archived collection accepts only a change of the archive timeline.
        let rest = BadgeCollection {
            is_archived_timeline: old.is_archived_timeline.clone(),
            ..new.clone()
        };
        if archived(&old, now)? && !(changes_archive && rest == old) {
            return Err(ErrorKind::Archived(id).into());
        }
        check(tx, at(now), &old, &new)?;
        Ok(COLLECTIONS.put(tx, id, &new)?)
    })
}

/// Applies changes to a collection. Checks new approvals, timelines and managers.
fn apply(
    tx: &mut Tx<'_>,
    id: Id,
    collection: &mut BadgeCollection,
    changes: CollectionChanges,
) -> Result<(), Error> {
    if let Some(ids) = changes.valid_badge_ids {
        collection.valid_badge_ids = ranges_message(&ids);
    }
    if let Some(new) = changes.approvals {
        let old = &collection.collection_approvals;
        collection.collection_approvals =
            approvals::replace(tx, id, &Approver::Collection, old, new)?;
    }
    replace(&mut collection.collection_metadata_timeline, changes.collection_metadata)?;
    replace(&mut collection.badge_metadata_timeline, changes.badge_metadata)?;
    replace(&mut collection.custom_data_timeline, changes.custom_data)?;
    replace(&mut collection.manager_timeline, changes.manager)?;
    replace(&mut collection.standards_timeline, changes.standards)?;
    replace(&mut collection.is_archived_timeline, changes.is_archived)?;
    if let Some(permissions) = changes.permissions {
        collection.collection_permissions = Some(permissions);
    }
    for entry in &collection.manager_timeline {
        super::address(&entry.manager)?;
    }
    Ok(())
}

/// Replaces a timeline. The times of its entries must be disjoint.
fn replace<T: timelines::Timeline>(
    timeline: &mut Vec<T>,
    new: Option<Vec<T>>,
) -> Result<(), Error> {
    if let Some(new) = new {
        timelines::pieces(&new)?;
        *timeline = new;
    }
    Ok(())
}

/// Rejects changes that a permission forbids, permissions that revoke fixed ones, and malformed
/// permissions and metadata.
fn check(
    tx: &Tx<'_>,
    now: U256,
    old: &BadgeCollection,
    new: &BadgeCollection,
) -> Result<(), Error> {
    let before = old.collection_permissions.clone().unwrap_or_default();
    let after = new.collection_permissions.clone().unwrap_or_default();
    macro_rules! check {
        ($subject:literal, $permission:ident, $changed:expr) => {
            check_update(
                $subject,
                &entries($subject, &before.$permission)?,
                &entries($subject, &after.$permission)?,
                $changed,
                now,
            )?
        };
    }
    macro_rules! timeline {
        ($subject:literal, $permission:ident, $timeline:ident) => {
            check!($subject, $permission, difference(&old.$timeline, &new.$timeline)?)
        };
    }
    check!("deleting the collection", can_delete_collection, Vec::new());
    timeline!("the archive timeline", can_archive_collection, is_archived_timeline);
    timeline!("the standards", can_update_standards, standards_timeline);
    timeline!("the custom data", can_update_custom_data, custom_data_timeline);
    timeline!("the manager", can_update_manager, manager_timeline);
    timeline!(
        "the collection metadata",
        can_update_collection_metadata,
        collection_metadata_timeline
    );
    let changed = badge_difference(&old.badge_metadata_timeline, &new.badge_metadata_timeline)?;
    check!("the badge metadata", can_update_badge_metadata, changed);
    let (old_ids, new_ids) = (ranges(&old.valid_badge_ids)?, ranges(&new.valid_badge_ids)?);
    let changed = old_ids.without(&new_ids).union(&new_ids.without(&old_ids));
    check!("the valid badge ids", can_update_valid_badge_ids, numbers(changed));
    let subject = "the collection approvals";
    let before = approval_entries(tx, subject, &before.can_update_collection_approvals)?;
    let after = approval_entries(tx, subject, &after.can_update_collection_approvals)?;
    let (old, new) = (&old.collection_approvals, &new.collection_approvals);
    let changed = approvals::changed(tx, &Approver::Collection, old, new)?;
    check_update(subject, &before, &after, changed, now)
}

/// Deletes a collection and everything that belongs to it. Each call deletes at least one row and
/// at most `limit` rows.
///
/// The manager must make the first call, which closes the collection for all other operations.
/// Anybody can make the later calls, because the manager may have changed since then. The record of
/// the collection is deleted last.
///
/// # Errors
/// [`NotManager`](ErrorKind::NotManager), [`Forbidden`](ErrorKind::Forbidden) and
/// [`Archived`](ErrorKind::Archived) for the first call; [`NoCollection`](ErrorKind::NoCollection).
pub fn delete_collection(
    tx: &mut Tx<'_>,
    now: u64,
    caller: &Address<'_>,
    id: Id,
    limit: u64,
) -> Result<Deleted, Error> {
    let mut collection = existing(tx, id)?;
    if !collection.deleting {
        check_manager(&collection, now, caller, id)?;
        if archived(&collection, now)? {
            return Err(ErrorKind::Archived(id).into());
        }
        let subject = "the existence of the collection";
        let permissions = collection.collection_permissions.clone().unwrap_or_default();
        let entries = entries(subject, &permissions.can_delete_collection)?;
        check_change(subject, &entries, action(), at(now))?;
    }
    let limit = limit.max(1);
    tx.attempt(|tx| {
        let mut rows = 0;
        macro_rules! delete {
            ($($keyspace:ident),*) => {
                $(if rows < limit {
                    rows += $keyspace.prefix_collection(id).limit(limit - rows).delete(tx)?;
                })*
            };
        }
        delete!(BALANCES, CHALLENGE_TRACKERS, APPROVAL_TRACKERS, APPROVAL_VERSIONS);
        let done = rows < limit;
        if done {
            COLLECTIONS.delete(tx, id)?;
            rows += 1;
        } else if !collection.deleting {
            collection.deleting = true;
            COLLECTIONS.put(tx, id, &collection)?;
        }
        Ok(Deleted { rows, done })
    })
}
