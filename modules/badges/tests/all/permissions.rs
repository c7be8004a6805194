//! Permissions: forbidden updates stay forbidden, permitted ones permitted.

use crate::setup::{
    Outcome, address, approval, badges, begin, collection, open_collection, range, refused,
    refused_for,
};
use keyscape::store::Tx;
use keyscape_badges::{
    Error, ErrorKind, Id, Range, Ranges,
    keeper::{self, CollectionChanges, UserChanges},
    values::{
        ActionPermission, BadgeIdsActionPermission, BadgeMetadata, BadgeMetadataTimeline,
        CollectionApprovalPermission, CollectionPermissions, CustomDataTimeline,
        IsArchivedTimeline, TimedUpdatePermission, TimedUpdateWithBadgeIdsPermission, UintRange,
        UserBalanceStore, UserPermissions, one_range, ranges_message,
    },
};
use keyscape_sim::is;

fn all() -> Vec<UintRange> {
    one_range(Range::ALL)
}

fn update(tx: &mut Tx<'_>, id: Id, now: u64, changes: CollectionChanges) -> Result<(), Error> {
    keeper::update_collection(tx, now, &address(1), id, changes)
}

fn permissions(permissions: CollectionPermissions) -> CollectionChanges {
    CollectionChanges { permissions: Some(permissions), ..CollectionChanges::default() }
}

/// Sets permissions that a closure changes from the default.
fn restrict(
    tx: &mut Tx<'_>,
    id: Id,
    change: impl FnOnce(&mut CollectionPermissions),
) -> Result<(), Error> {
    let mut restricted = CollectionPermissions::default();
    change(&mut restricted);
    update(tx, id, 5, permissions(restricted))
}

fn data(text: &str, start: u64, end: u64) -> CustomDataTimeline {
    CustomDataTimeline {
        custom_data: text.to_owned(),
        timeline_times: one_range(range(start, end)),
    }
}

#[test]
fn a_timeline_is_frozen_for_the_times_that_a_permission_names() -> Outcome {
    let db = badges();
    let mut tx = begin(&db);
    let id = open_collection(&mut tx, &address(1))?;
    let frozen = TimedUpdatePermission {
        timeline_times: one_range(range(1, 100)),
        permanently_forbidden_times: one_range(range(50, 60)),
        permanently_permitted_times: Vec::new(),
    };
    let set = |timeline| CollectionChanges {
        custom_data: Some(timeline),
        ..CollectionChanges::default()
    };
    update(&mut tx, id, 5, set(vec![data("a", 1, 200)]))?;
    restrict(&mut tx, id, |permissions| permissions.can_update_custom_data = vec![frozen])?;
    // Inside the forbidden time, only entries outside the frozen times may change.
    let error = refused(&mut tx, |tx| update(tx, id, 50, set(vec![data("b", 1, 200)])));
    assert_eq!(
        error.to_string(),
        "the custom data cannot be changed any more: a permission forbids it at this time"
    );
    update(&mut tx, id, 50, set(vec![data("a", 1, 100), data("b", 101, 300)]))?;
    refused_for(&mut tx, is!(Forbidden), |tx| update(tx, id, 60, set(vec![data("b", 101, 300)])));
    // At other times, the update is allowed.
    update(&mut tx, id, 61, set(vec![data("c", 1, 300)]))?;
    let twice = vec![data("a", 1, 10), data("b", 10, 20)];
    let error = refused(&mut tx, |tx| update(tx, id, 61, set(twice)));
    assert_eq!(error.to_string(), "the times of a timeline overlap: 10-10");
    Ok(())
}

#[test]
fn a_permission_that_is_fixed_cannot_be_taken_back() -> Outcome {
    let db = badges();
    let mut tx = begin(&db);
    let id = open_collection(&mut tx, &address(1))?;
    let deletion = |permitted: &[(u64, u64)], forbidden: &[(u64, u64)]| {
        let set = |parts: &[(u64, u64)]| {
            let ranges: Ranges = parts.iter().map(|(a, b)| range(*a, *b)).collect();
            ranges_message(&ranges)
        };
        permissions(CollectionPermissions {
            can_delete_collection: vec![ActionPermission {
                permanently_permitted_times: set(permitted),
                permanently_forbidden_times: set(forbidden),
            }],
            ..CollectionPermissions::default()
        })
    };
    update(&mut tx, id, 5, deletion(&[(1, 10)], &[(20, 30)]))?;
    for change in [
        deletion(&[], &[(20, 30)]),
        deletion(&[(1, 9)], &[(20, 30)]),
        deletion(&[(1, 10)], &[(21, 30)]),
        permissions(CollectionPermissions::default()),
    ] {
        refused_for(&mut tx, is!(PermissionFixed), |tx| update(tx, id, 5, change));
    }
    refused_for(&mut tx, is!(Overlap), |tx| update(tx, id, 5, deletion(&[(1, 20)], &[(20, 30)])));
    // More may be fixed.
    update(&mut tx, id, 5, deletion(&[(1, 11)], &[(19, 40)]))?;
    refused_for(&mut tx, is!(Forbidden), |tx| {
        keeper::delete_collection(tx, 25, &address(1), id, 9)
    });
    assert!(keeper::delete_collection(&mut tx, 11, &address(1), id, 9)?.done);
    Ok(())
}

#[test]
fn the_first_permission_that_matches_counts() -> Outcome {
    let db = badges();
    let mut tx = begin(&db);
    let id = open_collection(&mut tx, &address(1))?;
    let entry = |ids: Range, forbidden: bool| BadgeIdsActionPermission {
        badge_ids: one_range(ids),
        permanently_permitted_times: if forbidden { Vec::new() } else { all() },
        permanently_forbidden_times: if forbidden { all() } else { Vec::new() },
    };
    let can_update_valid_badge_ids =
        vec![entry(range(2_000_000, 3_000_000), false), entry(Range::ALL, true)];
    restrict(&mut tx, id, |permissions| {
        permissions.can_update_valid_badge_ids = can_update_valid_badge_ids;
    })?;
    let valid = |parts: &[(u64, u64)]| CollectionChanges {
        valid_badge_ids: Some(parts.iter().map(|(a, b)| range(*a, *b)).collect()),
        ..CollectionChanges::default()
    };
    update(&mut tx, id, 5, valid(&[(1, 1_000_000), (2_500_000, 3_000_000)]))?;
    refused(&mut tx, |tx| update(tx, id, 5, valid(&[(1, 1_000_001)])));
    refused(&mut tx, |tx| update(tx, id, 5, valid(&[(1, 999_999)])));
    update(&mut tx, id, 5, valid(&[(1, 1_000_000)]))?;
    Ok(())
}

#[test]
fn approvals_are_frozen_by_list_badge_and_time() -> Outcome {
    let db = badges();
    let mut tx = begin(&db);
    let (ann, bob) = (address(1), address(2));
    let mint = approval("mint", "Mint", &ann.to_string());
    let id = collection(&mut tx, &ann, vec![mint.clone()])?;
    let frozen = CollectionApprovalPermission {
        from_list_id: "Mint".into(),
        to_list_id: "All".into(),
        initiated_by_list_id: "All".into(),
        transfer_times: all(),
        badge_ids: one_range(range(1, 10)),
        ownership_times: all(),
        approval_id: "All".into(),
        permanently_permitted_times: Vec::new(),
        permanently_forbidden_times: all(),
    };
    restrict(&mut tx, id, |permissions| {
        permissions.can_update_collection_approvals = vec![frozen];
    })?;
    let set = |approvals| CollectionChanges {
        approvals: Some(approvals),
        ..CollectionChanges::default()
    };
    // Badges 1 to 10 can never be minted in another way.
    refused(&mut tx, |tx| update(tx, id, 5, set(vec![])));
    let mut more = approval("more", "Mint", &bob.to_string());
    refused(&mut tx, |tx| update(tx, id, 5, set(vec![mint.clone(), more.clone()])));
    more.badge_ids = one_range(range(11, 20));
    update(&mut tx, id, 5, set(vec![mint.clone(), more.clone()]))?;
    let other = approval("move", "!Mint", "All");
    update(&mut tx, id, 5, set(vec![other, mint.clone(), more]))?;
    let mut changed = mint;
    changed.custom_data = "x".into();
    refused(&mut tx, |tx| update(tx, id, 5, set(vec![changed])));
    Ok(())
}

#[test]
fn badge_metadata_is_frozen_by_badge_and_time() -> Outcome {
    let db = badges();
    let mut tx = begin(&db);
    let id = open_collection(&mut tx, &address(1))?;
    let metadata = |parts: &[(&str, u64, u64)]| {
        let badge_metadata = parts.iter().map(|(uri, start, end)| BadgeMetadata {
            uri: (*uri).to_owned(),
            badge_ids: one_range(range(*start, *end)),
            ..BadgeMetadata::default()
        });
        CollectionChanges {
            badge_metadata: Some(vec![BadgeMetadataTimeline {
                badge_metadata: badge_metadata.collect(),
                timeline_times: all(),
            }]),
            ..CollectionChanges::default()
        }
    };
    update(&mut tx, id, 5, metadata(&[("a", 1, 10), ("b", 5, 20)]))?;
    restrict(&mut tx, id, |permissions| {
        permissions.can_update_badge_metadata = vec![TimedUpdateWithBadgeIdsPermission {
            badge_ids: one_range(range(1, 10)),
            timeline_times: all(),
            permanently_forbidden_times: all(),
            permanently_permitted_times: Vec::new(),
        }];
    })?;
    // The same metadata in other entries, and a change of other badges.
    update(&mut tx, id, 5, metadata(&[("a", 1, 4), ("a", 5, 10), ("b", 11, 20)]))?;
    update(&mut tx, id, 5, metadata(&[("a", 1, 10), ("c", 11, 20)]))?;
    refused(&mut tx, |tx| update(tx, id, 5, metadata(&[("a", 1, 9), ("c", 10, 20)])));
    Ok(())
}

#[test]
fn an_archived_collection_accepts_nothing_but_its_return() -> Outcome {
    let db = badges();
    let mut tx = begin(&db);
    let ann = address(1);
    let id = open_collection(&mut tx, &ann)?;
    let archived = |is_archived| CollectionChanges {
        is_archived: Some(vec![IsArchivedTimeline { is_archived, timeline_times: all() }]),
        ..CollectionChanges::default()
    };
    update(&mut tx, id, 5, archived(true))?;
    assert!(keeper::is_archived(&tx, id, 5)?);
    let valid = CollectionChanges { valid_badge_ids: Some(Ranges::all()), ..archived(false) };
    for error in [
        refused(&mut tx, |tx| crate::setup::mint(tx, &ann, id, &ann, crate::setup::some(1, 1, 1))),
        refused(&mut tx, |tx| update(tx, id, 5, valid)),
        refused(&mut tx, |tx| keeper::update_user(tx, 5, &ann, id, UserChanges::default())),
        refused(&mut tx, |tx| keeper::delete_collection(tx, 5, &ann, id, 5)),
    ] {
        assert_eq!(error.to_string(), "collection 1 is archived");
    }
    update(&mut tx, id, 5, archived(false))?;
    crate::setup::mint(&mut tx, &ann, id, &ann, crate::setup::some(1, 1, 1))?;
    Ok(())
}

#[test]
fn users_bind_themselves() -> Outcome {
    let db = badges();
    let mut tx = begin(&db);
    let ann = address(1);
    let id = open_collection(&mut tx, &ann)?;
    let bound = UserPermissions {
        can_update_auto_approve_all_incoming_transfers: vec![ActionPermission {
            permanently_forbidden_times: all(),
            permanently_permitted_times: Vec::new(),
        }],
        ..UserPermissions::default()
    };
    let changes = UserChanges {
        auto_approve_all_incoming: Some(true),
        permissions: Some(bound),
        ..UserChanges::default()
    };
    keeper::update_user(&mut tx, 5, &ann, id, changes)?;
    let off = UserChanges { auto_approve_all_incoming: Some(false), ..UserChanges::default() };
    refused_for(&mut tx, is!(Forbidden), |tx| keeper::update_user(tx, 5, &ann, id, off));
    let back =
        UserChanges { permissions: Some(UserPermissions::default()), ..UserChanges::default() };
    refused_for(&mut tx, is!(PermissionFixed), |tx| keeper::update_user(tx, 5, &ann, id, back));
    Ok(())
}

/// Users without a row have the default permissions of the collection.
#[test]
fn malformed_default_permissions_are_refused() -> Outcome {
    let db = badges();
    let mut tx = begin(&db);
    let ann = address(1);
    let create = |tx: &mut Tx<'_>, permitted, forbidden| {
        let permissions = UserPermissions {
            can_update_auto_approve_all_incoming_transfers: vec![ActionPermission {
                permanently_permitted_times: permitted,
                permanently_forbidden_times: forbidden,
            }],
            ..UserPermissions::default()
        };
        let defaults =
            UserBalanceStore { user_permissions: Some(permissions), ..UserBalanceStore::default() };
        keeper::create_collection(tx, &ann, &defaults, CollectionChanges::default())
    };
    refused_for(&mut tx, is!(Overlap), |tx| create(tx, all(), all()));
    let malformed = vec![UintRange { start: "x".into(), end: "1".into() }];
    refused_for(&mut tx, is!(Message), |tx| create(tx, malformed, Vec::new()));
    let id = create(&mut tx, Vec::new(), all())?;
    let on = UserChanges { auto_approve_all_incoming: Some(true), ..UserChanges::default() };
    refused_for(&mut tx, is!(Forbidden), |tx| keeper::update_user(tx, 5, &address(2), id, on));
    Ok(())
}

/// Otherwise no update of the collection could compare the old metadata with the new.
#[test]
fn malformed_badge_ids_of_metadata_are_refused() -> Outcome {
    let db = badges();
    let mut tx = begin(&db);
    let id = open_collection(&mut tx, &address(1))?;
    let malformed = BadgeMetadata {
        badge_ids: vec![UintRange { start: "2".into(), end: "1".into() }],
        ..BadgeMetadata::default()
    };
    let changes = CollectionChanges {
        badge_metadata: Some(vec![BadgeMetadataTimeline {
            badge_metadata: vec![malformed],
            timeline_times: all(),
        }]),
        ..CollectionChanges::default()
    };
    refused_for(&mut tx, is!(Message), |tx| update(tx, id, 5, changes.clone()));
    refused_for(&mut tx, is!(Message), |tx| {
        keeper::create_collection(tx, &address(1), &UserBalanceStore::default(), changes)
    });
    Ok(())
}

/// A comparison of all times with all entries of the metadata, one by one, would not end.
#[test]
fn large_timelines_of_metadata_are_compared() -> Outcome {
    let db = badges();
    let mut tx = begin(&db);
    let id = open_collection(&mut tx, &address(1))?;
    let scattered = |count: u64| (1..=count).map(|index| range(index * 2, index * 2));
    let metadata = |uri: &str| {
        let badge_metadata = scattered(2_000).map(|badge| BadgeMetadata {
            uri: format!("{uri}{badge}"),
            badge_ids: one_range(badge),
            ..BadgeMetadata::default()
        });
        CollectionChanges {
            badge_metadata: Some(vec![BadgeMetadataTimeline {
                badge_metadata: badge_metadata.collect(),
                timeline_times: ranges_message(&scattered(500).collect()),
            }]),
            ..CollectionChanges::default()
        }
    };
    update(&mut tx, id, 5, metadata("a"))?;
    update(&mut tx, id, 5, metadata("b"))?;
    Ok(())
}
