//! Transfers: conservation, limits, atomicity.

use crate::setup::{
    Outcome, address, approval, badges, begin, collection, mint, open_collection, owner, range,
    refused, refused_for, send, some, sound,
};
use keyscape_badges::{
    Amounts, ErrorKind, Owner, Range,
    keeper::{self, CollectionChanges, Transfer, UserChanges},
    values::{Balance, UserApproval, UserBalanceStore, one_range},
};
use keyscape_sim::is;
use proptest::prelude::*;

#[test]
fn a_transfer_splits_ranges_and_gives_back_what_it_took() -> Outcome {
    let db = badges();
    let mut tx = begin(&db);
    let (ann, bob) = (address(1), address(2));
    let id = open_collection(&mut tx, &ann)?;
    mint(&mut tx, &ann, id, &ann, some(3, 1, 100))?;
    let part = Amounts::of(2_u64, range(40, 60), range(10, 20));
    send(&mut tx, 5, id, &ann, &bob, part.clone())?;
    assert_eq!(keeper::amounts(&tx, id, &bob)?, part);
    assert_eq!(keeper::amounts(&tx, id, &ann)?.at(50_u64, 15_u64), 1_u128);
    assert_eq!(keeper::amounts(&tx, id, &ann)?.at(50_u64, 21_u64), 3_u128);
    send(&mut tx, 5, id, &bob, &ann, part)?;
    assert_eq!(keeper::amounts(&tx, id, &ann)?, some(3, 1, 100));
    assert!(keeper::amounts(&tx, id, &bob)?.is_empty());
    assert_eq!(keeper::total(&tx, id)?, some(3, 1, 100));
    sound(&tx);
    Ok(())
}

#[test]
fn a_transfer_of_too_much_leaves_nothing() -> Outcome {
    let db = badges();
    let mut tx = begin(&db);
    let (ann, bob) = (address(1), address(2));
    let id = open_collection(&mut tx, &ann)?;
    mint(&mut tx, &ann, id, &ann, some(1, 1, 10))?;
    for amounts in [some(2, 1, 1), some(1, 10, 11), some(1, 11, 11)] {
        refused_for(&mut tx, is!(Amounts), |tx| send(tx, 5, id, &ann, &bob, amounts));
    }
    // The second transfer of a message fails, so the first one is not written either.
    let from = owner(1);
    let both = [
        Transfer::new(from.clone(), bob.clone(), some(1, 1, 10)),
        Transfer::new(from, bob.clone(), some(1, 1, 10)),
    ];
    refused_for(&mut tx, is!(Amounts), |tx| keeper::transfer(tx, 5, &ann, id, &both));
    sound(&tx);
    Ok(())
}

#[test]
fn impossible_transfers_are_refused_with_their_reason() -> Outcome {
    let db = badges();
    let mut tx = begin(&db);
    let (ann, bob) = (address(1), address(2));
    let id = open_collection(&mut tx, &ann)?;
    mint(&mut tx, &ann, id, &ann, some(1, 1, 10))?;
    refused_for(&mut tx, is!(ToSelf), |tx| send(tx, 5, id, &ann, &ann, some(1, 1, 1)));
    refused_for(&mut tx, is!(NoBadges), |tx| send(tx, 5, id, &ann, &bob, Amounts::default()));
    refused_for(&mut tx, is!(InvalidBadges), |tx| {
        mint(tx, &ann, id, &ann, some(1, 1_000_000, 1_000_001))
    });
    let total = Transfer::new(Owner::Total, bob.clone(), some(1, 1, 1));
    refused_for(&mut tx, is!(FromTotal), |tx| keeper::transfer(tx, 5, &ann, id, &[total]));
    let nobody = Transfer { to: Vec::new(), ..Transfer::new(owner(1), bob.clone(), some(1, 1, 1)) };
    refused_for(&mut tx, is!(NoRecipient), |tx| keeper::transfer(tx, 5, &ann, id, &[nobody]));
    let error = refused(&mut tx, |tx| mint(tx, &bob, id, &bob, some(1, 1, 1)));
    assert_eq!(
        error.to_string(),
        "no collection approval lets 1-1 pass: `mint`: the initiator is not approved; `move`: the sender is not approved"
    );
    let missing = keyscape_badges::Id(99_u64.into());
    let error = refused(&mut tx, |tx| mint(tx, &ann, missing, &ann, some(1, 1, 1)));
    assert_eq!(error.to_string(), "collection 99 does not exist");
    Ok(())
}

#[test]
fn each_recipient_receives_everything() -> Outcome {
    let db = badges();
    let mut tx = begin(&db);
    let ann = address(1);
    let id = open_collection(&mut tx, &ann)?;
    mint(&mut tx, &ann, id, &ann, some(3, 1, 10))?;
    let transfer = Transfer {
        to: vec![address(2), address(3), address(4)],
        ..Transfer::new(owner(1), address(2), some(1, 1, 10))
    };
    keeper::transfer(&mut tx, 5, &ann, id, &[transfer])?;
    for byte in 2..=4 {
        assert_eq!(keeper::amounts(&tx, id, &address(byte))?, some(1, 1, 10));
    }
    assert!(keeper::amounts(&tx, id, &ann)?.is_empty());
    sound(&tx);
    Ok(())
}

#[test]
fn users_without_a_row_have_the_default_until_they_get_one() -> Outcome {
    let db = badges();
    let mut tx = begin(&db);
    let (ann, bob, eve) = (address(1), address(2), address(3));
    let defaults = UserBalanceStore {
        balances: vec![Balance {
            amount: "5".into(),
            badge_ids: one_range(range(1, 2)),
            ownership_times: one_range(Range::ALL),
        }],
        ..UserBalanceStore::default()
    };
    let changes = CollectionChanges {
        valid_badge_ids: Some(range(1, 10).into()),
        approvals: Some(vec![approval("all", "All", "All")]),
        ..CollectionChanges::default()
    };
    let id = keeper::create_collection(&mut tx, &ann, &defaults, changes)?;
    assert_eq!(keeper::amounts(&tx, id, &eve)?, some(5, 1, 2));
    assert!(keeper::total(&tx, id)?.is_empty());
    send(&mut tx, 5, id, &ann, &bob, some(1, 1, 1))?;
    assert_eq!(keeper::amounts(&tx, id, &ann)?.at(1_u64, 1_u64), 4_u128);
    assert_eq!(keeper::amounts(&tx, id, &bob)?.at(1_u64, 1_u64), 6_u128);
    assert_eq!(keeper::total(&tx, id)?, some(10, 1, 2));
    sound(&tx);
    let invalid = CollectionChanges {
        valid_badge_ids: Some(range(2, 10).into()),
        ..CollectionChanges::default()
    };
    refused_for(&mut tx, is!(InvalidBadges), |tx| {
        keeper::create_collection(tx, &ann, &defaults, invalid)
    });
    Ok(())
}

#[test]
fn users_approve_what_the_collection_leaves_to_them() -> Outcome {
    let db = badges();
    let mut tx = begin(&db);
    let (ann, bob, eve) = (address(1), address(2), address(3));
    let mut open = approval("open", "!Mint", "All");
    open.approval_criteria = None;
    let id = collection(&mut tx, &ann, vec![approval("mint", "Mint", &ann.to_string()), open])?;
    mint(&mut tx, &ann, id, &ann, some(9, 1, 10))?;
    let error = refused(&mut tx, |tx| send(tx, 5, id, &ann, &bob, some(1, 1, 1)));
    assert!(error.to_string().starts_with("no outgoing approval of `bb1"), "{error}");
    let own =
        UserChanges { auto_approve_self_initiated_outgoing: Some(true), ..UserChanges::default() };
    keeper::update_user(&mut tx, 5, &ann, id, own)?;
    let error = refused(&mut tx, |tx| send(tx, 5, id, &ann, &bob, some(1, 1, 1)));
    assert!(error.to_string().starts_with("no incoming approval of `bb1"), "{error}");
    let incoming = UserApproval {
        badge_ids: one_range(range(1, 5)),
        ..UserApproval::of_all("friends", &ann.to_string(), "All")
    };
    let changes =
        UserChanges { incoming_approvals: Some(vec![incoming]), ..UserChanges::default() };
    keeper::update_user(&mut tx, 5, &bob, id, changes)?;
    send(&mut tx, 5, id, &ann, &bob, some(1, 1, 5))?;
    refused(&mut tx, |tx| send(tx, 5, id, &ann, &bob, some(1, 5, 6)));
    let all = UserChanges { auto_approve_all_incoming: Some(true), ..UserChanges::default() };
    keeper::update_user(&mut tx, 5, &eve, id, all)?;
    send(&mut tx, 5, id, &ann, &eve, some(1, 6, 6))?;
    // Another user initiates a transfer without the approval of Ann.
    let stolen = Transfer::new(owner(1), eve.clone(), some(1, 7, 7));
    refused(&mut tx, |tx| keeper::transfer(tx, 5, &eve, id, &[stolen]));
    sound(&tx);
    Ok(())
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    /// Transfers in any order leave the total at the minted amounts.
    #[test]
    fn amounts_are_conserved(
        steps in prop::collection::vec((0_u8..4, 0_u8..4, 1_u64..3, 1_u64..12, 0_u64..6, 1_u64..12, 0_u64..6), 1..40)
    ) {
        let db = badges();
        let mut tx = begin(&db);
        let ann = address(0);
        let id = open_collection(&mut tx, &ann).unwrap();
        let minted = some(2, 1, 12);
        mint(&mut tx, &ann, id, &ann, minted.clone()).unwrap();
        for (from, to, amount, first, ids, time, times) in steps {
            let amounts = Amounts::of(amount, range(first, first + ids), range(time, time + times));
            let (from, to) = (address(from), address(to));
            let held = keeper::amounts(&tx, id, &from).unwrap();
            let sent = send(&mut tx, 5, id, &from, &to, amounts.clone());
            prop_assert_eq!(sent.is_ok(), from != to && amounts.is_within(&held));
        }
        prop_assert_eq!(keeper::total(&tx, id).unwrap(), minted);
        sound(&tx);
    }
}
