//! Limits, trackers, challenges, dynamic stores and predetermined balances.

use crate::setup::{
    Outcome, address, approval, badges, begin, challenge, collection, mint, minting, overall,
    owner, range, refused, some, sound,
};
use keyscape::{U256, store::Tx};
use keyscape_badges::{
    Address, Amounts, Error, ErrorKind, Id, Kind, MerkleTree, Owner, Party, Range,
    keeper::{self, ApprovalRef, Approver, CollectionChanges, Refusal, Transfer},
    values::{
        ApprovalCriteria, ApprovalLimits, Balance, DynamicStoreChallenge, IncrementedBalances,
        ManualBalances, MerkleChallenge, OrderCalculationMethod, PredeterminedBalances,
        ResetTimeIntervals, one_range,
    },
};
use proptest::prelude::*;

fn try_mint(
    tx: &mut Tx<'_>,
    now: u64,
    id: Id,
    by: u8,
    to: u8,
    amounts: Amounts,
) -> Result<(), Error> {
    let transfer = Transfer::new(Owner::Mint, address(to), amounts);
    keeper::transfer(tx, now, &address(by), id, &[transfer]).map(drop)
}

/// Returns the reason why the only approval rejected a transfer.
#[track_caller]
fn refusal(error: &Error) -> Refusal {
    match error.kind() {
        ErrorKind::NotApproved { refusals, .. } => refusals.last().expect("it was tried").1.clone(),
        other => panic!("{other}"),
    }
}

#[test]
fn amounts_are_limited_overall_and_for_each_party() -> Outcome {
    let (ann, bob) = (1, 2);
    for (kind, limits, to, by) in [
        (Kind::Overall, [3, 0, 0, 0], [bob, 3], [ann, 4]),
        (Kind::To, [0, 3, 0, 0], [bob, bob], [ann, 4]),
        (Kind::FromType, [0, 0, 3, 0], [bob, 3], [ann, 4]),
        (Kind::InitiatedBy, [0, 0, 0, 3], [bob, 3], [ann, ann]),
    ] {
        let db = badges();
        let mut tx = begin(&db);
        let limits: [String; 4] = limits.map(|limit: u64| limit.to_string());
        let [overall, per_to, per_from, per_initiator] = limits;
        let amounts = ApprovalLimits {
            overall,
            per_to_address: per_to,
            per_from_address: per_from,
            per_initiated_by_address: per_initiator,
            amount_tracker_id: "uses".into(),
            reset_time_intervals: None,
        };
        let rule = minting(|criteria| criteria.approval_amounts = Some(amounts));
        let id = collection(&mut tx, &address(ann), vec![rule])?;
        try_mint(&mut tx, 5, id, by[0], to[0], some(2, 1, 10))?;
        // One of two is left for badges 1 to 10, three for the others.
        let error = refused(&mut tx, |tx| try_mint(tx, 5, id, by[1], to[1], some(2, 1, 10)));
        assert!(matches!(error.kind(), ErrorKind::NotApproved { .. }), "{kind}: {error}");
        try_mint(&mut tx, 5, id, by[1], to[1], some(1, 1, 10))?;
        let error = refused(&mut tx, |tx| try_mint(tx, 5, id, by[1], to[1], some(1, 10, 10)));
        assert_eq!(refusal(&error), Refusal::Amounts(kind));
        try_mint(&mut tx, 5, id, by[1], to[1], some(3, 11, 11))?;
        let party = match kind {
            Kind::Overall => None,
            Kind::To => Some(Party::User { address: address(to[0]) }),
            Kind::FromType => Some(Party::Mint),
            Kind::InitiatedBy => Some(Party::User { address: address(by[0]) }),
        };
        let approver = Approver::Collection;
        let (count, used) = keeper::get_tracker(&tx, id, &approver, "mint", "uses", kind, party)?;
        assert_eq!((count, used), (U256::ZERO, some(3, 1, 11)), "{kind}");
        sound(&tx);
    }
    Ok(())
}

#[test]
fn transfers_are_counted_up_to_their_limit() -> Outcome {
    let db = badges();
    let mut tx = begin(&db);
    let limit = ApprovalLimits { per_to_address: "2".into(), ..overall(3, "count") };
    let rule = minting(|criteria| criteria.max_num_transfers = Some(limit));
    let id = collection(&mut tx, &address(1), vec![rule])?;
    try_mint(&mut tx, 5, id, 1, 2, some(1, 1, 1))?;
    try_mint(&mut tx, 5, id, 1, 2, some(1, 1, 1))?;
    let error = refused(&mut tx, |tx| try_mint(tx, 5, id, 1, 2, some(1, 1, 1)));
    assert_eq!(refusal(&error), Refusal::Transfers(Kind::To));
    try_mint(&mut tx, 5, id, 1, 3, some(1, 1, 1))?;
    let error = refused(&mut tx, |tx| try_mint(tx, 5, id, 1, 4, some(1, 1, 1)));
    assert_eq!(refusal(&error), Refusal::Transfers(Kind::Overall));
    sound(&tx);
    Ok(())
}

#[test]
fn one_message_cannot_pass_a_limit_in_pieces() -> Outcome {
    let db = badges();
    let mut tx = begin(&db);
    let rule = minting(|criteria| criteria.approval_amounts = Some(overall(1, "")));
    let id = collection(&mut tx, &address(1), vec![rule])?;
    let one = Transfer::new(Owner::Mint, address(2), some(1, 1, 1));
    let twice = [one.clone(), one.clone()];
    refused(&mut tx, |tx| keeper::transfer(tx, 5, &address(1), id, &twice));
    let two = Transfer { to: vec![address(2), address(3)], ..one.clone() };
    refused(&mut tx, |tx| keeper::transfer(tx, 5, &address(1), id, &[two]));
    keeper::transfer(&mut tx, 5, &address(1), id, &[one])?;
    sound(&tx);
    Ok(())
}

#[test]
fn several_approvals_share_a_transfer() -> Outcome {
    let db = badges();
    let mut tx = begin(&db);
    let mut low = minting(|criteria| criteria.approval_amounts = Some(overall(1, "")));
    low.badge_ids = one_range(range(1, 5));
    let mut high = minting(|criteria| criteria.approval_amounts = Some(overall(2, "")));
    high.approval_id = "more".into();
    let id = collection(&mut tx, &address(1), vec![low, high])?;
    let transfer = Transfer::new(Owner::Mint, address(2), some(2, 1, 10));
    let used = keeper::transfer(&mut tx, 5, &address(1), id, &[transfer])?;
    let parts: Vec<(&str, &Amounts)> =
        used.iter().map(|used| (used.approval.as_str(), &used.amounts)).collect();
    let rest = some(2, 1, 10).checked_sub(&some(1, 1, 5))?;
    assert_eq!(parts, [("mint", &some(1, 1, 5)), ("more", &rest)]);
    sound(&tx);
    Ok(())
}

#[test]
fn trackers_start_again_with_each_interval() -> Outcome {
    let db = badges();
    let mut tx = begin(&db);
    let reset = ResetTimeIntervals { start_time: "100".into(), interval_length: "10".into() };
    let rule = minting(|criteria| {
        criteria.approval_amounts =
            Some(ApprovalLimits { reset_time_intervals: Some(reset), ..overall(1, "") });
        criteria.max_num_transfers = Some(overall(3, ""));
    });
    let id = collection(&mut tx, &address(1), vec![rule])?;
    let one = |tx: &mut Tx<'_>, now| try_mint(tx, now, id, 1, 2, some(1, 1, 1));
    // Before the first interval, one count applies.
    one(&mut tx, 50)?;
    refused(&mut tx, |tx| one(tx, 99));
    one(&mut tx, 100)?;
    refused(&mut tx, |tx| one(tx, 109));
    one(&mut tx, 110)?;
    // The shared tracker counts transfers without intervals, and the limit is three.
    let error = refused(&mut tx, |tx| one(tx, 120));
    assert_eq!(refusal(&error), Refusal::Transfers(Kind::Overall));
    sound(&tx);
    Ok(())
}

fn challenge_of(tree: &MerkleTree, uses: &str) -> MerkleChallenge {
    challenge(&keyscape_testkit::hex(&tree.root()), &tree.depth().to_string(), uses)
}

#[test]
fn a_leaf_is_used_as_often_as_allowed() -> Outcome {
    let db = badges();
    let mut tx = begin(&db);
    let tree = MerkleTree::new(["red", "green", "blue", "white", "black"]);
    let rule = minting(|criteria| criteria.merkle_challenges = vec![challenge_of(&tree, "2")]);
    let id = collection(&mut tx, &address(1), vec![rule])?;
    let with = |leaf: usize| Transfer {
        proofs: tree.proof(leaf).into_iter().collect(),
        ..Transfer::new(Owner::Mint, address(2), some(1, 1, 1))
    };
    let run = |tx: &mut Tx<'_>, transfer: Transfer| {
        keeper::transfer(tx, 5, &address(9), id, &[transfer]).map(drop)
    };
    let error = refused(&mut tx, |tx| try_mint(tx, 5, id, 1, 2, some(1, 1, 1)));
    assert_eq!(refusal(&error), Refusal::Proof("codes".into()));
    run(&mut tx, with(4))?;
    run(&mut tx, with(4))?;
    let error = refused(&mut tx, |tx| run(tx, with(4)));
    assert_eq!(refusal(&error), Refusal::LeafUsed("codes".into()));
    run(&mut tx, with(0))?;
    let uses = |tx: &Tx<'_>, leaf: u64| {
        keeper::get_uses(tx, id, &Approver::Collection, "mint", "codes", U256::from(leaf))
    };
    assert_eq!([uses(&tx, 4)?, uses(&tx, 0)?, uses(&tx, 1)?], [2_u128, 1, 0].map(U256::from));
    // A leaf under another name, a proof that is too short, and an inner node as a leaf.
    let mut forged = with(1);
    forged.proofs[0].leaf = "grey".into();
    refused(&mut tx, |tx| run(tx, forged));
    let mut short = with(1);
    short.proofs[0].aunts.pop();
    refused(&mut tx, |tx| run(tx, short));
    // A second proof serves when the first leaf is used up.
    let mut both = with(4);
    both.proofs.extend(tree.proof(2));
    run(&mut tx, both)?;
    assert_eq!(uses(&tx, 2)?, U256::ONE);
    sound(&tx);
    Ok(())
}

#[test]
fn the_leaf_may_be_the_initiator() -> Outcome {
    let db = badges();
    let mut tx = begin(&db);
    let invited = [address(1).to_string(), address(2).to_string()];
    let tree = MerkleTree::new(invited);
    let rule = minting(|criteria| {
        let own = challenge_of(&tree, "1");
        criteria.merkle_challenges =
            vec![MerkleChallenge { use_creator_address_as_leaf: true, ..own }];
    });
    let id = collection(&mut tx, &address(1), vec![rule])?;
    let claim = |by: u8, leaf: usize| {
        let transfer = Transfer {
            proofs: tree.proof(leaf).into_iter().collect(),
            ..Transfer::new(Owner::Mint, address(by), some(1, 1, 1))
        };
        move |tx: &mut Tx<'_>| keeper::transfer(tx, 5, &address(by), id, &[transfer])
    };
    claim(2, 1)(&mut tx)?;
    refused(&mut tx, |tx| claim(2, 1)(tx));
    // Eve uses the proof of Ann.
    refused(&mut tx, |tx| claim(3, 0)(tx));
    claim(1, 0)(&mut tx)?;
    sound(&tx);
    Ok(())
}

#[test]
fn a_dynamic_store_must_be_true_for_the_initiator() -> Outcome {
    let db = badges();
    let mut tx = begin(&db);
    let (ann, bob) = (address(1), address(2));
    let store = keeper::create_dynamic_store(&mut tx, &ann, false)?;
    let rule = minting(|criteria| {
        criteria.dynamic_store_challenges =
            vec![DynamicStoreChallenge { store_id: store.to_string() }];
    });
    let id = collection(&mut tx, &ann, vec![rule])?;
    let error = refused(&mut tx, |tx| try_mint(tx, 5, id, 2, 2, some(1, 1, 1)));
    assert_eq!(refusal(&error), Refusal::DynamicStore(store));
    keeper::set_dynamic_value(&mut tx, &ann, store, &bob, true)?;
    try_mint(&mut tx, 5, id, 2, 2, some(1, 1, 1))?;
    refused(&mut tx, |tx| try_mint(tx, 5, id, 1, 2, some(1, 1, 1)));
    keeper::update_dynamic_store(&mut tx, &ann, store, true)?;
    try_mint(&mut tx, 5, id, 1, 2, some(1, 1, 1))?;
    // A deleted store is true for nobody.
    assert!(keeper::delete_dynamic_store(&mut tx, &ann, store, 10)?.done);
    refused(&mut tx, |tx| try_mint(tx, 5, id, 2, 2, some(1, 1, 1)));
    sound(&tx);
    Ok(())
}

fn balance(amount: u64, start: u64, end: u64) -> Balance {
    some(amount, start, end).to_messages().remove(0)
}

#[test]
fn predetermined_balances_come_one_after_the_other() -> Outcome {
    let db = badges();
    let mut tx = begin(&db);
    let order = OrderCalculationMethod {
        use_overall_num_transfers: true,
        ..OrderCalculationMethod::default()
    };
    let ticket = PredeterminedBalances {
        incremented_balances: Some(IncrementedBalances {
            start_balances: vec![balance(1, 1, 1)],
            increment_badge_ids_by: "1".into(),
            increment_ownership_times_by: "0".into(),
        }),
        order_calculation_method: Some(order.clone()),
        ..PredeterminedBalances::default()
    };
    let rule = minting(|criteria| criteria.predetermined_balances = Some(ticket));
    let id = collection(&mut tx, &address(1), vec![rule.clone()])?;
    for ticket in 1..=3 {
        let next = keeper::predetermined(
            &tx,
            5,
            id,
            &rule,
            (&Owner::Mint, &address(2), &address(2)),
            &[],
        )?;
        assert_eq!(next, Some(some(1, ticket, ticket)));
        let error =
            refused(&mut tx, |tx| try_mint(tx, 5, id, 2, 2, some(1, ticket + 1, ticket + 1)));
        assert_eq!(refusal(&error), Refusal::Predetermined);
        try_mint(&mut tx, 5, id, 2, 2, some(1, ticket, ticket))?;
    }
    let list = PredeterminedBalances {
        manual_balances: vec![
            ManualBalances { balances: vec![balance(7, 1, 1)] },
            ManualBalances { balances: vec![balance(1, 9, 9)] },
        ],
        order_calculation_method: Some(order),
        ..PredeterminedBalances::default()
    };
    let rule = minting(|criteria| criteria.predetermined_balances = Some(list));
    let id = collection(&mut tx, &address(1), vec![rule])?;
    try_mint(&mut tx, 5, id, 2, 2, some(7, 1, 1))?;
    try_mint(&mut tx, 5, id, 2, 2, some(1, 9, 9))?;
    refused(&mut tx, |tx| try_mint(tx, 5, id, 2, 2, some(1, 9, 9)));
    sound(&tx);
    Ok(())
}

#[test]
fn malformed_predetermined_balances_are_refused() -> Outcome {
    let db = badges();
    let mut tx = begin(&db);
    let overall = OrderCalculationMethod {
        use_overall_num_transfers: true,
        ..OrderCalculationMethod::default()
    };
    let leaf = OrderCalculationMethod {
        use_merkle_challenge_leaf_index: true,
        ..OrderCalculationMethod::default()
    };
    let both = OrderCalculationMethod { use_overall_num_transfers: true, ..leaf.clone() };
    let listed = vec![ManualBalances { balances: vec![balance(1, 1, 1)] }];
    let none = OrderCalculationMethod::default();
    for (method, manual_balances, why) in [
        (None, &listed, "they have no order method"),
        (Some(none), &listed, "they need exactly one order method"),
        (Some(both), &listed, "they need exactly one order method"),
        (Some(overall), &Vec::new(), "they need either a list or increments"),
        (Some(leaf), &listed, "the challenge that selects them does not exist"),
    ] {
        let rule = minting(|criteria| {
            criteria.predetermined_balances = Some(PredeterminedBalances {
                manual_balances: manual_balances.clone(),
                order_calculation_method: method,
                ..PredeterminedBalances::default()
            });
        });
        let error = refused(&mut tx, |tx| collection(tx, &address(1), vec![rule]));
        let start = "the predetermined balances of approval `mint` are malformed: ";
        assert_eq!(error.to_string(), format!("{start}{why}"));
    }
    Ok(())
}

#[test]
fn the_leaf_can_select_predetermined_balances() -> Outcome {
    let db = badges();
    let mut tx = begin(&db);
    let tree = MerkleTree::new(["a", "b", "c", "d"]);
    let rule = minting(|criteria| {
        criteria.merkle_challenges = vec![challenge_of(&tree, "1")];
        criteria.predetermined_balances = Some(PredeterminedBalances {
            incremented_balances: Some(IncrementedBalances {
                start_balances: vec![balance(1, 10, 10)],
                increment_badge_ids_by: "5".into(),
                increment_ownership_times_by: String::new(),
            }),
            order_calculation_method: Some(OrderCalculationMethod {
                use_merkle_challenge_leaf_index: true,
                challenge_tracker_id: "codes".into(),
                ..OrderCalculationMethod::default()
            }),
            ..PredeterminedBalances::default()
        });
    });
    let id = collection(&mut tx, &address(1), vec![rule])?;
    for (leaf, badge) in [(2, 20), (0, 10), (3, 25)] {
        let transfer = Transfer {
            proofs: tree.proof(leaf).into_iter().collect(),
            ..Transfer::new(Owner::Mint, address(2), some(1, badge, badge))
        };
        keeper::transfer(&mut tx, 5, &address(2), id, &[transfer])?;
    }
    sound(&tx);
    Ok(())
}

#[test]
fn prioritized_approvals_are_tried_first_and_in_their_version() -> Outcome {
    let db = badges();
    let mut tx = begin(&db);
    let ann = address(1);
    let mut second = minting(|_| ());
    second.approval_id = "second".into();
    let approvals = vec![minting(|_| ()), second];
    let id = collection(&mut tx, &ann, approvals.clone())?;
    let prioritized = |version: u64| Transfer {
        prioritized: vec![ApprovalRef {
            approver: Approver::Collection,
            approval: "second".into(),
            version: U256::from(version),
        }],
        ..Transfer::new(Owner::Mint, address(2), some(1, 1, 1))
    };
    let used = keeper::transfer(&mut tx, 5, &ann, id, &[prioritized(0)])?;
    assert_eq!(used[0].approval, "second");
    // The approval changes between two transfers: the initiator's version is outdated.
    let mut changed = approvals;
    changed[1].uri = "new".into();
    let changes = CollectionChanges { approvals: Some(changed), ..CollectionChanges::default() };
    keeper::update_collection(&mut tx, 5, &ann, id, changes)?;
    let error = refused(&mut tx, |tx| keeper::transfer(tx, 5, &ann, id, &[prioritized(0)]));
    assert_eq!(error.to_string(), "approval `second` does not exist in version 0");
    keeper::transfer(&mut tx, 5, &ann, id, &[prioritized(1)])?;
    let only = Transfer {
        only_prioritized: vec![keyscape_badges::Level::Collection],
        ..Transfer::new(Owner::Mint, address(2), some(1, 1, 1))
    };
    refused(&mut tx, |tx| keeper::transfer(tx, 5, &ann, id, &[only]));
    sound(&tx);
    Ok(())
}

#[test]
fn times_and_parties_are_checked() -> Outcome {
    let db = badges();
    let mut tx = begin(&db);
    let mut rule = minting(|criteria| criteria.require_to_equals_initiated_by = true);
    rule.transfer_times = one_range(range(100, 200));
    rule.to_list_id = format!("!({}:{})", address(7), address(8));
    let id = collection(&mut tx, &address(1), vec![rule])?;
    for (now, by, to, expected) in [
        (99, 2, 2, Some(Refusal::Time)),
        (100, 2, 2, None),
        (200, 2, 2, None),
        (201, 2, 2, Some(Refusal::Time)),
        (150, 7, 7, Some(Refusal::Party("recipient"))),
        (150, 2, 3, Some(Refusal::Party("recipient"))),
    ] {
        match expected {
            None => try_mint(&mut tx, now, id, by, to, some(1, 1, 1))?,
            Some(expected) => {
                let error = refused(&mut tx, |tx| try_mint(tx, now, id, by, to, some(1, 1, 1)));
                assert_eq!(refusal(&error), expected);
            }
        }
    }
    let from = Transfer::new(owner(2), address(3), Amounts::of(1_u64, range(1, 1), Range::ALL));
    let error = refused(&mut tx, |tx| keeper::transfer(tx, 150, &address(2), id, &[from]));
    assert_eq!(refusal(&error), Refusal::Party("sender"));
    Ok(())
}

#[test]
fn an_outgoing_approval_lets_somebody_else_send() -> Outcome {
    use keyscape_badges::values::{UserApproval, UserApprovalCriteria};
    let db = badges();
    let mut tx = begin(&db);
    let (ann, bob) = (address(1), address(2));
    let mut open = approval("open", "!Mint", "All");
    open.approval_criteria = Some(ApprovalCriteria {
        overrides_to_incoming_approvals: true,
        ..ApprovalCriteria::default()
    });
    let id = collection(&mut tx, &ann, vec![approval("mint", "Mint", &ann.to_string()), open])?;
    mint(&mut tx, &ann, id, &ann, some(9, 1, 1))?;
    let outgoing = UserApproval {
        approval_criteria: Some(UserApprovalCriteria {
            approval_amounts: Some(overall(4, "spent")),
            ..UserApprovalCriteria::default()
        }),
        ..UserApproval::of_all("allowance", "All", &bob.to_string())
    };
    let changes = keeper::UserChanges {
        outgoing_approvals: Some(vec![outgoing]),
        ..keeper::UserChanges::default()
    };
    keeper::update_user(&mut tx, 5, &ann, id, changes)?;
    let take = |amount: u64| Transfer::new(owner(1), address(3), some(amount, 1, 1));
    keeper::transfer(&mut tx, 5, &bob, id, &[take(3)])?;
    refused(&mut tx, |tx| keeper::transfer(tx, 5, &bob, id, &[take(2)]));
    keeper::transfer(&mut tx, 5, &bob, id, &[take(1)])?;
    refused(&mut tx, |tx| keeper::transfer(tx, 5, &ann, id, &[take(1)]));
    let approver = Approver::Outgoing(ann);
    let (_, used) =
        keeper::get_tracker(&tx, id, &approver, "allowance", "spent", Kind::Overall, None)?;
    assert_eq!(used, some(4, 1, 1));
    sound(&tx);
    Ok(())
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    /// In any order of transfers, no badge passes more often than the limit allows.
    #[test]
    fn limits_hold_under_any_order(
        steps in prop::collection::vec((1_u8..4, 1_u8..4, 1_u64..4, 1_u64..8, 0_u64..4), 1..30),
        limit in 1_u64..6,
        per_to in 0_u64..4,
    ) {
        let db = badges();
        let mut tx = begin(&db);
        let limits =
            ApprovalLimits { per_to_address: per_to.to_string(), ..overall(limit, "") };
        let rule = minting(|criteria| criteria.approval_amounts = Some(limits));
        let id = collection(&mut tx, &address(1), vec![rule]).unwrap();
        for (by, to, amount, first, ids) in steps {
            let amounts = some(amount, first, first + ids);
            let to_have = keeper::amounts(&tx, id, &address(to)).unwrap();
            let total = keeper::total(&tx, id).unwrap();
            let room = |held: &Amounts, limit: u64| {
                limit == 0 || held.checked_add(&amounts).unwrap().is_within(&some(limit, 1, 1_000))
            };
            let possible = room(&total, limit) && room(&to_have, per_to);
            let done = try_mint(&mut tx, 5, id, by, to, amounts.clone()).is_ok();
            prop_assert_eq!(done, possible);
        }
        sound(&tx);
    }
}

/// The names of parties are compared as texts of addresses.
#[test]
fn lists_name_addresses() -> Outcome {
    let db = badges();
    let tx = begin(&db);
    let ann: Address<'_> = address(1);
    for (list, ann_is_in, mint_is_in) in [
        ("All", true, true),
        ("AllWithMint", true, true),
        ("None", false, false),
        ("!None", true, true),
        ("Mint", false, true),
        ("!Mint", true, false),
        ("AllWithoutMint", true, false),
    ] {
        let names = keeper::resolve(&tx, list)?;
        assert_eq!(names.contains(&ann.to_string()), ann_is_in, "{list}");
        assert_eq!(names.contains("Mint"), mint_is_in, "{list}");
    }
    assert!(keeper::resolve(&tx, &ann.to_string())?.contains(&ann.to_string()));
    let error = keeper::resolve(&tx, "nolist").expect_err("it was not created");
    assert_eq!(error.to_string(), "address list `nolist` does not exist");
    Ok(())
}
