//! Collections, lists and dynamic stores from their creation to their end.

use crate::setup::{
    Outcome, address, approval, badges, begin, collection, mint, minting, open_collection, overall,
    range, refused, refused_for, send, some, sound,
};
use keyscape_badges::{
    ErrorKind, Id,
    keeper::{self, Approver, CollectionChanges, NewList, UserChanges},
    layout::badges::{APPROVAL_VERSIONS, BALANCES, COLLECTIONS},
    values::{
        ApprovalLimits, ManagerTimeline, UserApproval, UserApprovalCriteria, UserBalanceStore,
        one_range,
    },
};
use keyscape_sim::is;

#[test]
fn counters_start_at_1() -> Outcome {
    let db = badges();
    let mut tx = begin(&db);
    let ann = address(1);
    assert_eq!(open_collection(&mut tx, &ann)?.to_string(), "1");
    assert_eq!(open_collection(&mut tx, &ann)?.to_string(), "2");
    assert_eq!(keeper::create_dynamic_store(&mut tx, &ann, true)?.to_string(), "1");
    let escrows: Vec<String> = (1..=2_u64)
        .map(|id| keeper::get_collection(&tx, Id(id.into())).unwrap().unwrap().mint_escrow_address)
        .collect();
    assert!(escrows[0].starts_with("bb1") && escrows[0] != escrows[1], "{escrows:?}");
    Ok(())
}

#[test]
fn a_large_collection_is_deleted_in_batches_and_closed_meanwhile() -> Outcome {
    let db = badges();
    let ann = address(1);
    let id = db.write(|tx| {
        let limits = ApprovalLimits { per_to_address: "1".into(), ..ApprovalLimits::default() };
        let rule = minting(|criteria| criteria.approval_amounts = Some(limits));
        let id = collection(tx, &ann, vec![rule])?;
        for user in 2..=60 {
            mint(tx, &ann, id, &address(user), some(1, 1, 5))?;
        }
        Ok::<_, keyscape_badges::Error>(id)
    })?;
    // A collection whose id begins with the same digit is not deleted.
    let other = db.write(|tx| {
        keyscape_badges::layout::badges::NEXT_COLLECTION.set(tx, 10_u64.into())?;
        let other = open_collection(tx, &ann)?;
        mint(tx, &ann, other, &ann, some(1, 1, 1))?;
        Ok::<_, keyscape_badges::Error>(other)
    })?;
    let mut tx = begin(&db);
    let error = refused(&mut tx, |tx| keeper::delete_collection(tx, 5, &address(2), id, 7));
    assert!(matches!(error.kind(), ErrorKind::NotManager { .. }));
    drop(tx);
    let (mut rows, mut calls) = (0, 0);
    loop {
        let deleted = db.write(|tx| keeper::delete_collection(tx, 5, &ann, id, 7))?;
        assert!(deleted.rows <= 8, "{deleted:?}");
        (rows, calls) = (rows + deleted.rows, calls + 1);
        let mut tx = begin(&db);
        sound(&tx);
        if deleted.done {
            break;
        }
        for error in [
            refused(&mut tx, |tx| mint(tx, &ann, id, &ann, some(1, 1, 1))),
            refused(&mut tx, |tx| keeper::update_user(tx, 5, &ann, id, UserChanges::default())),
            refused(&mut tx, |tx| {
                keeper::update_collection(tx, 5, &ann, id, CollectionChanges::default())
            }),
        ] {
            assert_eq!(error.to_string(), "collection 1 is being deleted");
        }
    }
    // 59 users and the total, 59 trackers, a version, the collection.
    assert_eq!((rows, calls), (59 + 1 + 59 + 1 + 1, 18));
    let state = db.read()?;
    assert_eq!(COLLECTIONS.prefix_all().count(&state)?, 1);
    assert_eq!(BALANCES.prefix_collection(other).count(&state)?, 2);
    let mut tx = begin(&db);
    refused_for(&mut tx, is!(NoCollection), |tx| keeper::delete_collection(tx, 5, &ann, id, 7));
    Ok(())
}

/// Without its row, a user has the default approvals again. Trackers of an approval that the user
/// had changed can exceed the limits of the default one.
#[test]
fn a_deletion_does_not_compare_trackers_of_users_with_default_approvals() -> Outcome {
    let db = badges();
    let mut tx = begin(&db);
    let ann = address(1);
    let incoming = |limit| {
        vec![UserApproval {
            approval_criteria: Some(UserApprovalCriteria {
                approval_amounts: Some(overall(limit, "")),
                ..UserApprovalCriteria::default()
            }),
            ..UserApproval::of_all("in", "All", "All")
        }]
    };
    let defaults =
        UserBalanceStore { incoming_approvals: incoming(5), ..UserBalanceStore::default() };
    let changes = CollectionChanges {
        valid_badge_ids: Some(range(1, 10).into()),
        approvals: Some(vec![minting(|criteria| criteria.overrides_to_incoming_approvals = false)]),
        ..CollectionChanges::default()
    };
    let id = keeper::create_collection(&mut tx, &ann, &defaults, changes)?;
    let changes = UserChanges { incoming_approvals: Some(incoming(100)), ..UserChanges::default() };
    keeper::update_user(&mut tx, 5, &ann, id, changes)?;
    mint(&mut tx, &ann, id, &ann, some(80, 1, 1))?;
    sound(&tx);
    while !keeper::delete_collection(&mut tx, 5, &ann, id, 1)?.done {
        sound(&tx);
    }
    sound(&tx);
    Ok(())
}

#[test]
fn versions_count_changes_and_outlive_approvals() -> Outcome {
    let db = badges();
    let mut tx = begin(&db);
    let ann = address(1);
    let (first, second) = (approval("first", "Mint", "All"), approval("second", "Mint", "All"));
    let id = collection(&mut tx, &ann, vec![first.clone(), second.clone()])?;
    let update = |tx: &mut keyscape::store::Tx<'_>, approvals| {
        let changes =
            CollectionChanges { approvals: Some(approvals), ..CollectionChanges::default() };
        keeper::update_collection(tx, 5, &ann, id, changes)
    };
    let version = |tx: &keyscape::store::Tx<'_>, approval: &str| {
        let version = keeper::get_version(tx, id, &Approver::Collection, approval);
        version.unwrap().map(|version| version.to_string())
    };
    let versions = |tx: &_| (version(tx, "first"), version(tx, "second"));
    let some = |text: &str| Some(text.to_owned());
    assert_eq!(versions(&tx), (some("0"), some("0")));
    // The order changes, the approvals do not.
    update(&mut tx, vec![second.clone(), first.clone()])?;
    assert_eq!(versions(&tx), (some("0"), some("0")));
    let mut changed = first.clone();
    changed.uri = "more".into();
    update(&mut tx, vec![changed, second.clone()])?;
    assert_eq!(versions(&tx), (some("1"), some("0")));
    update(&mut tx, vec![second.clone()])?;
    assert_eq!(versions(&tx), (some("1"), some("0")));
    // An approval that is created again continues with the next version.
    update(&mut tx, vec![second, first])?;
    assert_eq!(versions(&tx), (some("2"), some("0")));
    assert_eq!(version(&tx, "third"), None);
    assert_eq!(APPROVAL_VERSIONS.prefix_collection(id).count(&tx)?, 2);
    sound(&tx);
    Ok(())
}

#[test]
fn address_lists_are_created_once() -> Outcome {
    let db = badges();
    let mut tx = begin(&db);
    let ann = address(1);
    let list = |id: &str| NewList {
        id: id.into(),
        addresses: vec![address(2).to_string(), "Mint".into()],
        whitelist: true,
        ..NewList::default()
    };
    keeper::create_list(&mut tx, &ann, &list("friends"))?;
    assert_eq!(keeper::get_list(&tx, "friends")?.unwrap().created_by, ann.to_string());
    assert!(keeper::resolve(&tx, "friends")?.contains("Mint"));
    assert!(!keeper::resolve(&tx, "!(friends)")?.contains(&address(2).to_string()));
    for id in ["friends", "Mint", "All", "None", "AllWithMint", "AllWithoutMint", "Manager"] {
        let error = refused(&mut tx, |tx| keeper::create_list(tx, &ann, &list(id)));
        assert!(matches!(error.kind(), ErrorKind::ListExists(_)), "{id}: {error}");
    }
    for id in ["", "a-b", "!x", "a:b", "ä"] {
        let error = refused(&mut tx, |tx| keeper::create_list(tx, &ann, &list(id)));
        assert!(matches!(error.kind(), ErrorKind::Name { .. }), "{id}: {error}");
    }
    let own = list(&address(3).to_string());
    refused_for(&mut tx, is!(ListExists), |tx| keeper::create_list(tx, &ann, &own));
    let bad = NewList { addresses: vec!["bb1nobody".into()], ..list("others") };
    refused_for(&mut tx, is!(Address), |tx| keeper::create_list(tx, &ann, &bad));
    Ok(())
}

#[test]
fn dynamic_stores_belong_to_their_creator() -> Outcome {
    let db = badges();
    let mut tx = begin(&db);
    let (ann, bob) = (address(1), address(2));
    let store = keeper::create_dynamic_store(&mut tx, &ann, true)?;
    assert!(keeper::get_dynamic_value(&tx, store, &bob)?);
    for user in 10..20 {
        keeper::set_dynamic_value(&mut tx, &ann, store, &address(user), false)?;
    }
    for error in [
        refused(&mut tx, |tx| keeper::set_dynamic_value(tx, &bob, store, &bob, false)),
        refused(&mut tx, |tx| keeper::update_dynamic_store(tx, &bob, store, false)),
        refused(&mut tx, |tx| keeper::delete_dynamic_store(tx, &bob, store, 1)),
    ] {
        assert!(matches!(error.kind(), ErrorKind::NotCreator { .. }), "{error}");
    }
    let deleted = keeper::delete_dynamic_store(&mut tx, &ann, store, 6)?;
    assert_eq!((deleted.rows, deleted.done), (6, false));
    refused_for(&mut tx, is!(StoreDeleting), |tx| {
        keeper::set_dynamic_value(tx, &ann, store, &bob, true)
    });
    sound(&tx);
    let deleted = keeper::delete_dynamic_store(&mut tx, &ann, store, 6)?;
    assert_eq!((deleted.rows, deleted.done), (5, true));
    refused_for(&mut tx, is!(NoStore), |tx| keeper::update_dynamic_store(tx, &ann, store, true));
    sound(&tx);
    Ok(())
}

#[test]
fn the_manager_may_hand_over() -> Outcome {
    let db = badges();
    let mut tx = begin(&db);
    let (ann, bob) = (address(1), address(2));
    let id = open_collection(&mut tx, &ann)?;
    let until = |manager: &str, start: u64, end: u64| ManagerTimeline {
        manager: manager.to_owned(),
        timeline_times: one_range(range(start, end)),
    };
    let both = vec![until(&ann.to_string(), 1, 99), until(&bob.to_string(), 100, 200)];
    let changes = CollectionChanges { manager: Some(both), ..CollectionChanges::default() };
    keeper::update_collection(&mut tx, 5, &ann, id, changes)?;
    for (now, manager) in [(99, Some(&ann)), (100, Some(&bob)), (201, None)] {
        let expected = manager.map(ToString::to_string);
        assert_eq!(keeper::manager(&tx, id, now)?, expected);
    }
    let nothing = CollectionChanges::default;
    keeper::update_collection(&mut tx, 150, &bob, id, nothing())?;
    refused_for(&mut tx, is!(NotManager), |tx| {
        keeper::update_collection(tx, 150, &ann, id, nothing())
    });
    send(&mut tx, 5, id, &ann, &bob, some(1, 1, 1)).expect_err("Ann owns nothing");
    Ok(())
}

/// A deletion continues if the collection loses its manager.
#[test]
fn a_deletion_goes_on_without_a_manager() -> Outcome {
    let db = badges();
    let mut tx = begin(&db);
    let ann = address(1);
    let id = open_collection(&mut tx, &ann)?;
    let manager = Some(vec![ManagerTimeline {
        manager: ann.to_string(),
        timeline_times: one_range(range(1, 10)),
    }]);
    let changes = CollectionChanges { manager, ..CollectionChanges::default() };
    keeper::update_collection(&mut tx, 5, &ann, id, changes)?;
    mint(&mut tx, &ann, id, &address(2), some(1, 1, 5))?;
    refused_for(&mut tx, is!(NotManager), |tx| keeper::delete_collection(tx, 11, &ann, id, 1));
    assert!(!keeper::delete_collection(&mut tx, 10, &ann, id, 1)?.done);
    assert_eq!(keeper::manager(&tx, id, 11)?, None);
    while !keeper::delete_collection(&mut tx, 11, &address(3), id, 1)?.done {}
    assert!(keeper::get_collection(&tx, id)?.is_none());
    sound(&tx);
    Ok(())
}
