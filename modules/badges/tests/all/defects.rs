//! The defects of the origin, each shown to be absent.

use crate::setup::{
    Outcome, address, approval, badges, begin, challenge, collection, mint, minting,
    open_collection, overall, refused, refused_for, some, sound,
};
use keyscape::{U256, store::Tx};
use keyscape_badges::{
    Amounts, ErrorKind, Id, Kind, MerkleTree, Owner, Range,
    keeper::{self, Approver, Transfer},
    layout::badges::{
        ADDRESS_LISTS, BALANCES, COLLECTIONS, DYNAMIC_STORES, DYNAMIC_VALUES, NEXT_ADDRESS_LIST,
        NEXT_COLLECTION, NEXT_DYNAMIC_STORE,
    },
    values::{CollectionApproval, MerkleChallenge},
};
use keyscape_sim::is;

fn id(text: &str) -> Id {
    text.parse().expect("an id")
}

/// Sets the next id of collections.
fn next_id(tx: &mut Tx<'_>, text: &str) -> Outcome {
    Ok(NEXT_COLLECTION.set(tx, id(text).get())?)
}

/// B1: ids beyond eight digits were cut, so two collections shared one key.
#[test]
fn long_ids_are_not_cut() -> Outcome {
    let db = badges();
    let mut tx = begin(&db);
    let ann = address(1);
    for (long, short) in [("123456789", "12345678"), ("1000000001", "100000000")] {
        for text in [long, short] {
            next_id(&mut tx, text)?;
            assert_eq!(open_collection(&mut tx, &ann)?, id(text));
        }
        mint(&mut tx, &ann, id(long), &ann, some(1, 1, 1))?;
        assert!(keeper::amounts(&tx, id(short), &ann)?.is_empty());
    }
    NEXT_DYNAMIC_STORE.set(&mut tx, U256::from(123_456_789_u64))?;
    let long = keeper::create_dynamic_store(&mut tx, &ann, false)?;
    keeper::set_dynamic_value(&mut tx, &ann, long, &ann, true)?;
    assert!(!DYNAMIC_STORES.contains(&tx, id("12345678"))?);
    assert!(DYNAMIC_VALUES.contains(&tx, (long, &ann))?);
    Ok(())
}

/// B2: a dash in an id made approvals `a-b`/`c` and `a`/`b-c` share one tracker.
#[test]
fn ids_with_a_dash_are_refused_and_trackers_stay_apart() -> Outcome {
    let db = badges();
    let mut tx = begin(&db);
    let ann = address(1);
    let error = refused(&mut tx, |tx| collection(tx, &ann, vec![approval("a-b", "Mint", "All")]));
    assert!(matches!(error.kind(), ErrorKind::Name { subject: "an approval", .. }), "{error}");
    assert!(error.to_string().contains("`a-b`"), "{error}");
    let limited = |approval_id: &str, tracker: &str| {
        let limits = Some(overall(1, tracker));
        let limited = minting(|criteria| criteria.approval_amounts = limits);
        CollectionApproval { approval_id: approval_id.into(), ..limited }
    };
    let error = refused(&mut tx, |tx| collection(tx, &ann, vec![limited("a", "b-c")]));
    assert!(matches!(error.kind(), ErrorKind::Name { subject: "a tracker", .. }), "{error}");
    let challenged = minting(|criteria| {
        criteria.merkle_challenges = vec![MerkleChallenge {
            challenge_tracker_id: "b-c".into(),
            ..MerkleChallenge::default()
        }];
    });
    let error = refused(&mut tx, |tx| collection(tx, &ann, vec![challenged]));
    assert!(matches!(error.kind(), ErrorKind::Name { subject: "a tracker", .. }), "{error}");
    // Two approvals whose joined ids are equal have separate trackers.
    let id = collection(&mut tx, &ann, vec![limited("a", "bc"), limited("ab", "c")])?;
    mint(&mut tx, &ann, id, &ann, some(2, 1, 1))?;
    for (approval, tracker) in [("a", "bc"), ("ab", "c")] {
        let (approver, kind) = (Approver::Collection, Kind::Overall);
        let used = keeper::get_tracker(&tx, id, &approver, approval, tracker, kind, None)?;
        assert_eq!(used.1, some(1, 1, 1));
    }
    Ok(())
}

/// B3: a list of the values of store 1 contained those of stores 10 to 19.
#[test]
fn values_of_store_1_are_not_those_of_store_10() -> Outcome {
    let db = badges();
    let mut tx = begin(&db);
    let ann = address(1);
    let mut stores = Vec::new();
    for _ in 0..19 {
        stores.push(keeper::create_dynamic_store(&mut tx, &ann, false)?);
    }
    for store in &stores {
        keeper::set_dynamic_value(&mut tx, &ann, *store, &ann, true)?;
    }
    assert_eq!(DYNAMIC_VALUES.prefix_store(id("1")).count(&tx)?, 1);
    assert!(keeper::delete_dynamic_store(&mut tx, &ann, id("1"), 100)?.done);
    assert!(keeper::get_dynamic_value(&tx, id("10"), &ann)?);
    sound(&tx);
    Ok(())
}

/// B4: decimal ids sort 1, 10, 2. The layout declares no order of ids, so no program can rely on
/// one.
#[test]
fn no_scan_promises_an_order_of_ids() -> Outcome {
    let db = badges();
    let mut tx = begin(&db);
    let ann = address(1);
    for _ in 0..11 {
        open_collection(&mut tx, &ann)?;
    }
    let rows = COLLECTIONS.scan_all(&tx)?;
    let mut ids =
        rows.map(|row| Ok(row?.0.collection)).collect::<Result<Vec<Id>, keyscape::Error>>()?;
    ids.sort_unstable();
    assert_eq!(ids, (1..=11_u64).map(|id| Id(id.into())).collect::<Vec<_>>());
    Ok(())
}

/// B5 and behaviour 8: deleting a store or a collection left its rows in the store.
#[test]
fn nothing_is_left_of_a_deleted_store_or_collection() -> Outcome {
    let db = badges();
    let mut tx = begin(&db);
    let (ann, bob) = (address(1), address(2));
    let store = keeper::create_dynamic_store(&mut tx, &ann, false)?;
    keeper::set_dynamic_value(&mut tx, &ann, store, &bob, true)?;
    assert!(keeper::delete_dynamic_store(&mut tx, &ann, store, 100)?.done);
    assert_eq!(DYNAMIC_VALUES.prefix_all().count(&tx)?, 0);
    let first = open_collection(&mut tx, &ann)?;
    mint(&mut tx, &ann, first, &bob, some(1, 1, 1))?;
    assert!(keeper::delete_collection(&mut tx, 5, &ann, first, 100)?.done);
    assert_eq!(BALANCES.prefix_all().count(&tx)?, 0);
    sound(&tx);
    Ok(())
}

/// B6: the counter of address lists was not in the genesis. It is a row like the others.
#[test]
fn all_counters_are_rows() -> Outcome {
    let db = badges();
    let mut tx = begin(&db);
    let ann = address(1);
    open_collection(&mut tx, &ann)?;
    keeper::create_dynamic_store(&mut tx, &ann, false)?;
    let list = keeper::NewList { id: "friends".into(), ..keeper::NewList::default() };
    keeper::create_list(&mut tx, &ann, &list)?;
    let two = U256::from(2_u64);
    assert_eq!(NEXT_COLLECTION.peek(&tx)?, two);
    assert_eq!(NEXT_DYNAMIC_STORE.peek(&tx)?, two);
    assert_eq!(NEXT_ADDRESS_LIST.peek(&tx)?, two);
    assert_eq!(ADDRESS_LISTS.prefix_all().count(&tx)?, 1);
    Ok(())
}

/// B7: a key that does not parse became id 0, and ids above 64 bits were cut.
#[test]
fn a_key_that_does_not_parse_is_an_error() -> Outcome {
    use keyscape::traits::Keyspace;
    use keyscape_badges::layout::badges::Balances;
    for bad in ["x-Mint", "-Mint", "1", "1-Mint-more", "01-Mint", "1--Mint"] {
        assert!(Balances::decode(format!("\x02{bad}").as_bytes()).is_err(), "{bad}");
    }
    let long = format!("\x02{}-Total", U256::MAX);
    assert_eq!(Balances::decode(long.as_bytes())?.collection.get(), U256::MAX);
    assert!(Balances::decode(format!("\x02{}0-Total", U256::MAX).as_bytes()).is_err());
    Ok(())
}

/// B8: ids above 64 bits panicked.
#[test]
fn ids_of_256_bits_work_everywhere() -> Outcome {
    let db = badges();
    let mut tx = begin(&db);
    let ann = address(1);
    let large = U256::MAX - 1;
    NEXT_COLLECTION.set(&mut tx, large)?;
    let changes = keeper::CollectionChanges {
        valid_badge_ids: Some(Range::ALL.into()),
        approvals: Some(vec![approval("mint", "Mint", "All")]),
        ..keeper::CollectionChanges::default()
    };
    let id = keeper::create_collection(&mut tx, &ann, &<_>::default(), changes)?;
    assert_eq!(id.get(), large);
    let last = Range::new(U256::MAX, U256::MAX)?;
    let amounts = Amounts::of(U256::MAX, last, last);
    mint(&mut tx, &ann, id, &ann, amounts.clone())?;
    assert_eq!(keeper::amounts(&tx, id, &ann)?, amounts);
    refused_for(&mut tx, is!(Amounts), |tx| {
        mint(tx, &ann, id, &ann, Amounts::of(1_u64, last, last))
    });
    // The last id is never issued, because it has no successor.
    refused_for(&mut tx, is!(Message), |tx| open_collection(tx, &ann));
    sound(&tx);
    Ok(())
}

/// B9: with two trackers, the count of transfers was also written into the tracker of amounts.
#[test]
fn amounts_and_transfers_are_counted_apart() -> Outcome {
    let db = badges();
    let mut tx = begin(&db);
    let ann = address(1);
    for (tracker, expected) in [("transfers", (0_u64, 2_u64)), ("amounts", (2, 2))] {
        let rule = minting(|criteria| {
            criteria.approval_amounts = Some(overall(9, "amounts"));
            criteria.max_num_transfers = Some(overall(9, tracker));
        });
        let id = collection(&mut tx, &ann, vec![rule])?;
        mint(&mut tx, &ann, id, &ann, some(1, 1, 1))?;
        mint(&mut tx, &ann, id, &ann, some(1, 1, 1))?;
        let get = |tracker: &str| {
            let (approver, kind) = (Approver::Collection, Kind::Overall);
            keeper::get_tracker(&tx, id, &approver, "mint", tracker, kind, None)
        };
        assert_eq!(get("amounts")?, (expected.0.into(), some(2, 1, 1)), "{tracker}");
        assert_eq!(get(tracker)?.0, U256::from(expected.1), "{tracker}");
        if tracker == "transfers" {
            assert!(get(tracker)?.1.is_empty());
        }
    }
    sound(&tx);
    Ok(())
}

/// A Merkle tree with an odd number of leaves does not give its last leaf two indexes.
#[test]
fn the_last_leaf_of_an_odd_tree_has_one_index() -> Outcome {
    let db = badges();
    let mut tx = begin(&db);
    let tree = MerkleTree::new(["a", "b", "c"]);
    let root = keyscape_testkit::hex(&tree.root());
    let rule = minting(|criteria| criteria.merkle_challenges = vec![challenge(&root, "2", "1")]);
    let id = collection(&mut tx, &address(1), vec![rule])?;
    let mut proof = tree.proof(2).expect("a third leaf");
    let transfer = |proof: &keyscape_badges::MerkleProof| Transfer {
        proofs: vec![proof.clone()],
        ..Transfer::new(Owner::Mint, address(2), some(1, 1, 1))
    };
    keeper::transfer(&mut tx, 5, &address(2), id, &[transfer(&proof)])?;
    proof.aunts[0].on_right = false;
    refused(&mut tx, |tx| keeper::transfer(tx, 5, &address(2), id, &[transfer(&proof)]));
    Ok(())
}
