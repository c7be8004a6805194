//! Every invariant reports the damage that it covers.

use crate::setup::{
    Outcome, address, approval, badges, begin, challenge, collection, mint, minting, overall,
    owner, range, some,
};
use keyscape::{
    U256,
    store::{StoreId, Tx},
};
use keyscape_badges::{
    Id, Owner, invariants,
    keeper::{self, Approver, CollectionChanges},
    layout::badges::{
        ADDRESS_LISTS, APPROVAL_TRACKERS, APPROVAL_VERSIONS, AddressListsList, BALANCES,
        CHALLENGE_TRACKERS, COLLECTIONS, ChallengeTrackersKey, DYNAMIC_VALUES, NEXT_ADDRESS_LIST,
        NEXT_COLLECTION,
    },
    values::{ApprovalTracker, CollectionApproval, UserApproval, one_range},
};
use keyscape_sim::MAX_LISTED;

/// Creates a state with rows of every kind.
fn filled(tx: &mut Tx<'_>) -> Result<Id, keyscape_badges::Error> {
    let ann = address(1);
    let rule = minting(|criteria| {
        criteria.approval_amounts = Some(overall(2, ""));
        criteria.max_num_transfers = Some(overall(5, ""));
    });
    let id = collection(tx, &ann, vec![rule])?;
    mint(tx, &ann, id, &address(2), some(1, 1, 10))?;
    mint(tx, &ann, id, &address(3), some(1, 1, 10))?;
    let store = keeper::create_dynamic_store(tx, &ann, false)?;
    keeper::set_dynamic_value(tx, &ann, store, &ann, true)?;
    let list = keeper::NewList { id: "friends".into(), ..keeper::NewList::default() };
    keeper::create_list(tx, &ann, &list)?;
    Ok(id)
}

/// Returns the violated invariants after some damage.
#[track_caller]
fn broken_after(damage: impl FnOnce(&mut Tx<'_>, Id) -> Outcome) -> Vec<&'static str> {
    let db = badges();
    let mut tx = begin(&db);
    let id = filled(&mut tx).expect("it can be filled");
    assert_eq!(invariants::check(&tx).expect("readable"), []);
    damage(&mut tx, id).expect("it can be damaged");
    let broken = invariants::check(&tx).expect("readable");
    let mut invariants: Vec<&str> = broken.iter().map(|broken| broken.invariant).collect();
    invariants.dedup();
    invariants
}

#[test]
fn a_total_that_is_not_the_sum() {
    let broken = broken_after(|tx, id| {
        let mut row = BALANCES.get(tx, (id, owner(2)))?.expect("a row");
        row.balances = some(2, 1, 10).to_messages();
        Ok(BALANCES.put(tx, (id, owner(2)), &row)?)
    });
    assert_eq!(broken, ["total"]);
    let broken = broken_after(|tx, id| Ok(BALANCES.delete(tx, (id, Owner::Total))?));
    assert_eq!(broken, ["total"]);
}

#[test]
fn rows_that_the_module_never_writes() {
    let raw = |key: &[u8], value: &[u8]| {
        let (key, value) = (key.to_vec(), value.to_vec());
        broken_after(move |tx, _| Ok(tx.put(StoreId::of("badges"), &key, &value)?))
    };
    assert_eq!(raw(b"\xff", b""), ["row"]);
    assert_eq!(raw(b"\x06friends", b"\xff"), ["row"]);
    // An id that differs from the key, and an unknown field.
    assert_eq!(raw(b"\x06others", b"\x0a\x01x"), ["row", "counter"]);
    assert_eq!(raw(b"\x06friends", b"\x0a\x07friends\xf8\x01\x01"), ["row"]);
    // A member that is not an address.
    assert_eq!(raw(b"\x06friends", b"\x0a\x07friends\x12\x04nope"), ["row"]);
    let broken = broken_after(|tx, id| {
        let mut row = BALANCES.get(tx, (id, owner(2)))?.expect("a row");
        let [a, b] = [some(1, 1, 5), some(1, 6, 10)];
        row.balances = [a.to_messages(), b.to_messages()].concat();
        Ok(BALANCES.put(tx, (id, owner(2)), &row)?)
    });
    assert_eq!(broken, ["row"]);
    let broken = broken_after(|tx, id| {
        let mut row = BALANCES.get(tx, (id, owner(2)))?.expect("a row");
        row.user_permissions = None;
        Ok(BALANCES.put(tx, (id, owner(2)), &row)?)
    });
    assert_eq!(broken, ["row"]);
}

#[test]
fn rows_without_an_owner() {
    let broken = broken_after(|tx, id| Ok(COLLECTIONS.delete(tx, id)?));
    assert_eq!(broken, ["belonging"]);
    let broken =
        broken_after(|tx, _| Ok(DYNAMIC_VALUES.put(tx, (Id(77_u64.into()), &address(1)), true)?));
    assert_eq!(broken, ["belonging"]);
    let broken = broken_after(|tx, id| {
        let mut rows = APPROVAL_TRACKERS.prefix_collection(id).page(tx, 1)?.rows;
        let (mut key, value) = rows.remove(0);
        key.approval = keyscape_badges::layout::badges::Approval::new("never")?;
        Ok(APPROVAL_TRACKERS.put(tx, &key, &value)?)
    });
    assert_eq!(broken, ["belonging"]);
}

#[test]
fn a_version_that_is_not_that_of_the_approval() {
    let broken = broken_after(|tx, id| {
        let mut rows = APPROVAL_VERSIONS.prefix_collection(id).page(tx, 1)?.rows;
        let (key, version) = rows.remove(0);
        Ok(APPROVAL_VERSIONS.put(tx, &key, version + U256::ONE)?)
    });
    assert_eq!(broken, ["version"]);
}

#[test]
fn a_counter_below_an_id() {
    assert_eq!(broken_after(|tx, id| Ok(NEXT_COLLECTION.set(tx, id.get())?)), ["counter"]);
    for next in [0_u64, 1, 3] {
        assert_eq!(broken_after(|tx, _| Ok(NEXT_ADDRESS_LIST.set(tx, next.into())?)), ["counter"]);
    }
}

#[test]
fn a_list_that_does_not_exist() {
    let list = || AddressListsList::new("friends").expect("an id");
    let broken = broken_after(|tx, _| Ok(ADDRESS_LISTS.delete(tx, list())?));
    assert_eq!(broken, ["counter"]);
    let broken = broken_after(|tx, id| {
        let mut record = COLLECTIONS.get(tx, id)?.expect("a collection");
        record.collection_approvals[0].to_list_id = "strangers".into();
        Ok(COLLECTIONS.put(tx, id, &record)?)
    });
    assert_eq!(broken, ["lists"]);
    let broken = broken_after(|tx, id| {
        let mut record = COLLECTIONS.get(tx, id)?.expect("a collection");
        let defaults = record.default_balances.get_or_insert_default();
        defaults.incoming_approvals =
            vec![UserApproval { other_list_id: "strangers".into(), ..Default::default() }];
        Ok(COLLECTIONS.put(tx, id, &record)?)
    });
    assert_eq!(broken, ["lists"]);
}

/// An approval with a missing list does not apply, but others can approve the transfer.
#[test]
fn an_approval_without_its_list_is_passed_over() -> Outcome {
    let db = badges();
    let mut tx = begin(&db);
    let ann = address(1);
    let list = keeper::NewList { id: "friends".into(), ..keeper::NewList::default() };
    keeper::create_list(&mut tx, &ann, &list)?;
    let rules = vec![approval("listed", "Mint", "friends"), approval("mint", "Mint", "All")];
    let id = collection(&mut tx, &ann, rules)?;
    ADDRESS_LISTS.delete(&mut tx, AddressListsList::new("friends")?)?;
    Ok(mint(&mut tx, &ann, id, &address(2), some(1, 1, 10))?)
}

/// An edit that does not lower a limit does not end its check.
#[test]
fn limits_are_checked_after_edits_that_do_not_lower_them() -> Outcome {
    type Edit = fn(&mut CollectionApproval);
    fn limit(rule: &mut CollectionApproval) -> &mut String {
        let criteria = rule.approval_criteria.as_mut().expect("criteria");
        &mut criteria.approval_amounts.as_mut().expect("amounts").overall
    }
    let cases: [(&[Edit], usize); 6] = [
        (&[|rule| rule.uri = "x".into()], 1),
        (&[|rule| *limit(rule) = "3".into()], 1),
        (&[|rule| *limit(rule) = "1".into()], 0),
        (&[|rule| *limit(rule) = "1".into(), |rule| *limit(rule) = "2".into()], 0),
        (&[|rule| rule.badge_ids = one_range(range(1, 5))], 0),
        (&[|rule| rule.approval_id = "other".into(), |rule| rule.approval_id = "mint".into()], 0),
    ];
    for (index, (edits, broken)) in cases.into_iter().enumerate() {
        let db = badges();
        let mut tx = begin(&db);
        let id = filled(&mut tx)?;
        for edit in edits {
            let record = keeper::get_collection(&tx, id)?.expect("a collection");
            let mut approvals = record.collection_approvals;
            edit(&mut approvals[0]);
            let changes =
                CollectionChanges { approvals: Some(approvals), ..CollectionChanges::default() };
            keeper::update_collection(&mut tx, 5, &address(1), id, changes)?;
            assert_eq!(invariants::check(&tx)?, [], "{index}");
        }
        let mut rows = APPROVAL_TRACKERS.prefix_collection(id).page(&tx, 1)?.rows;
        let (key, mut row) = rows.remove(0);
        row.amounts = some(9, 1, 10).to_messages();
        APPROVAL_TRACKERS.put(&mut tx, &key, &row)?;
        assert_eq!(invariants::trackers(&tx)?.len(), broken, "{index}");
    }
    Ok(())
}

#[test]
fn a_tracker_that_its_approval_does_not_have() {
    let broken = broken_after(|tx, id| {
        let mut rows = APPROVAL_TRACKERS.prefix_collection(id).page(tx, 1)?.rows;
        let (mut key, value) = rows.remove(0);
        key.tracker = keyscape_badges::layout::badges::Tracker::new("others")?;
        Ok(APPROVAL_TRACKERS.put(tx, &key, &value)?)
    });
    assert_eq!(broken, ["tracker limit"]);
}

#[test]
fn trackers_and_leaves_above_their_limits() {
    let tracker = |amount: u64, transfers: &str| {
        let row = ApprovalTracker {
            num_transfers: transfers.to_owned(),
            amounts: some(amount, 1, 10).to_messages(),
            last_updated_at: "1".to_owned(),
        };
        broken_after(move |tx, id| {
            let mut rows = APPROVAL_TRACKERS.prefix_collection(id).page(tx, 1)?.rows;
            Ok(APPROVAL_TRACKERS.put(tx, &rows.remove(0).0, &row)?)
        })
    };
    assert_eq!(tracker(2, "5"), [""; 0]);
    assert_eq!(tracker(3, "5"), ["tracker limit"]);
    assert_eq!(tracker(2, "6"), ["tracker limit"]);

    let db = badges();
    let mut tx = begin(&db);
    let challenges = vec![challenge(&"0".repeat(64), "3", "2")];
    let rule = minting(|criteria| criteria.merkle_challenges = challenges);
    let id = collection(&mut tx, &address(1), vec![rule]).expect("a collection");
    let key = ChallengeTrackersKey {
        collection: id,
        approver: None,
        level: Approver::Collection.level(),
        approval: keyscape_badges::layout::badges::Approval::new("mint").expect("an id"),
        challenge: keyscape_badges::layout::badges::Tracker::new("codes").expect("an id"),
        leaf: Id(0_u64.into()),
    };
    for (uses, broken) in [(2_u64, 0), (3, 1)] {
        CHALLENGE_TRACKERS.put(&mut tx, &key, U256::from(uses)).expect("a row");
        assert_eq!(invariants::leaves(&tx).expect("readable").len(), broken);
    }
    CHALLENGE_TRACKERS.delete(&mut tx, &key).expect("a row");
    for (leaf, broken) in [(7_u64, 0), (8, 1)] {
        let key = ChallengeTrackersKey { leaf: Id(leaf.into()), ..key.clone() };
        CHALLENGE_TRACKERS.put(&mut tx, &key, U256::ONE).expect("a row");
        assert_eq!(invariants::leaves(&tx).expect("readable").len(), broken);
        CHALLENGE_TRACKERS.delete(&mut tx, &key).expect("a row");
    }
    let challenge = keyscape_badges::layout::badges::Tracker::new("others").expect("an id");
    let key = ChallengeTrackersKey { challenge, ..key };
    CHALLENGE_TRACKERS.put(&mut tx, &key, U256::ONE).expect("a row");
    assert_eq!(invariants::leaves(&tx).expect("readable").len(), 1);
}

/// Approvals of a collection do not depend on the rows that a deletion has deleted.
#[test]
fn trackers_above_their_limits_during_a_deletion() {
    let broken = broken_after(|tx, id| {
        let (key, mut row) = APPROVAL_TRACKERS.prefix_collection(id).page(tx, 1)?.rows.remove(0);
        row.amounts = some(3, 1, 10).to_messages();
        APPROVAL_TRACKERS.put(tx, &key, &row)?;
        assert!(!keeper::delete_collection(tx, 5, &address(1), id, 1)?.done);
        Ok(())
    });
    assert_eq!(broken, ["tracker limit"]);
}

#[test]
fn many_breaches_are_counted_and_not_listed() -> Outcome {
    let db = badges();
    let mut tx = begin(&db);
    for byte in 0..=MAX_LISTED as u64 + 4 {
        let key = [&[0xff][..], &byte.to_be_bytes()].concat();
        tx.put(StoreId::of("badges"), &key, b"")?;
    }
    let broken = invariants::rows(&tx)?;
    assert_eq!(broken.len(), MAX_LISTED + 1);
    assert_eq!(broken.last().expect("a last one").to_string(), "row: 5 more");
    Ok(())
}
