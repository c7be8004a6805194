//! Challenges that no proof can satisfy, leaves of foreign trees, and limits on the size of input.

use crate::setup::{
    Outcome, address, approval, badges, begin, challenge, collection, minting, range, refused,
    refused_for, some, sound,
};
use keyscape::{U256, store::Tx};
use keyscape_badges::{
    Amounts, Aunt, Error, ErrorKind, MerkleProof, Owner, Range, Ranges,
    keeper::{self, ApprovalRef, Approver, CollectionChanges, Transfer},
    values::{Balance, CollectionApproval, UserBalanceStore, ranges_message},
};
use keyscape_sim::is;
use sha2::{Digest as _, Sha256};

fn with_challenge(root: &str, length: &str) -> CollectionApproval {
    minting(|criteria| criteria.merkle_challenges = vec![challenge(root, length, "1")])
}

fn digest(parts: [&[u8]; 2]) -> [u8; 32] {
    Sha256::new().chain_update(parts[0]).chain_update(parts[1]).finalize().into()
}

/// Trees of other programs join the last node of a level with itself. A proof with the aunt on the
/// other side has the same root, and must not be a second leaf.
#[test]
fn a_leaf_of_a_foreign_tree_has_one_index() -> Outcome {
    let leaf = |text: &str| -> [u8; 32] { Sha256::digest(text).into() };
    let (first, last) = (digest([&leaf("a"), &leaf("b")]), digest([&leaf("c"), &leaf("c")]));
    let root = keyscape_testkit::hex(&digest([&first, &last]));
    let db = badges();
    let mut tx = begin(&db);
    let id = collection(&mut tx, &address(1), vec![with_challenge(&root, "2")])?;
    let run = |tx: &mut Tx<'_>, on_right: bool| {
        let aunts =
            vec![Aunt { digest: leaf("c"), on_right }, Aunt { digest: first, on_right: false }];
        let proof = MerkleProof { leaf: "c".into(), aunts };
        assert_eq!(proof.leaf_index("c"), Some(2));
        let transfer = Transfer {
            proofs: vec![proof],
            ..Transfer::new(Owner::Mint, address(2), some(1, 1, 1))
        };
        keeper::transfer(tx, 5, &address(9), id, &[transfer]).map(drop)
    };
    run(&mut tx, true)?;
    refused(&mut tx, |tx| run(tx, true));
    refused(&mut tx, |tx| run(tx, false));
    sound(&tx);
    Ok(())
}

#[test]
fn challenges_that_no_proof_can_meet_are_refused() -> Outcome {
    let db = badges();
    let mut tx = begin(&db);
    let root = "0f".repeat(32);
    for (root, length) in [
        ("", "2"),
        (&root[1..], "2"),
        (&*root.to_uppercase(), "2"),
        (&*root.replace('0', "g"), "2"),
        (&*root, "65"),
    ] {
        let rule = with_challenge(root, length);
        refused_for(&mut tx, is!(Challenge), |tx| collection(tx, &address(1), vec![rule]));
    }
    collection(&mut tx, &address(1), vec![with_challenge(&root, "64")])?;
    Ok(())
}

/// Returns every second number, so no two ranges are adjacent.
fn scattered(count: u64) -> Ranges {
    (1..=count).map(|index| range(index * 2, index * 2)).collect()
}

#[test]
fn input_with_too_many_pieces_is_refused() -> Outcome {
    let db = badges();
    let mut tx = begin(&db);
    let ann = address(1);
    let too_complex = |error: &Error| matches!(error.kind(), ErrorKind::TooComplex { .. });
    let mut rule = approval("mint", "Mint", "All");
    let id = collection(&mut tx, &ann, vec![rule.clone()])?;
    rule.badge_ids = ranges_message(&scattered(1_000));
    rule.ownership_times = ranges_message(&scattered(1_000));
    let error = refused(&mut tx, |tx| collection(tx, &ann, vec![rule]));
    assert!(too_complex(&error), "{error}");
    let mint = |tx: &mut Tx<'_>, pieces: u64| {
        let amounts = Amounts::of(1_u64, scattered(pieces), Range::ALL);
        let transfer = Transfer::new(Owner::Mint, address(2), amounts);
        keeper::transfer(tx, 5, &ann, id, &[transfer]).map(drop)
    };
    let error = refused(&mut tx, |tx| mint(tx, 4_097));
    assert!(too_complex(&error), "{error}");
    mint(&mut tx, 4_096)?;
    let create = |tx: &mut Tx<'_>, balances| {
        let defaults = UserBalanceStore { balances, ..UserBalanceStore::default() };
        let changes = CollectionChanges {
            valid_badge_ids: Some(Ranges::all()),
            ..CollectionChanges::default()
        };
        keeper::create_collection(tx, &ann, &defaults, changes)
    };
    let balance = |badge_ids: Ranges, ownership_times: Ranges| Balance {
        amount: "1".into(),
        badge_ids: ranges_message(&badge_ids),
        ownership_times: ranges_message(&ownership_times),
    };
    let product = vec![balance(scattered(1_000), scattered(1_000))];
    let error = refused(&mut tx, |tx| create(tx, product));
    assert!(too_complex(&error), "{error}");
    // Each badge has the times of all ranges that contain it, so the pieces of the sum are the
    // square of the number of balances.
    let nested = |count: u64| -> Vec<Balance> {
        let nested = (1..=count).map(|depth| {
            balance(range(depth, 10_000 - depth).into(), range(depth * 2, depth * 2).into())
        });
        nested.collect()
    };
    for count in [100, 4_000] {
        let error = refused(&mut tx, |tx| create(tx, nested(count)));
        assert!(too_complex(&error), "{error}");
    }
    create(&mut tx, nested(60))?;
    Ok(())
}

/// Prioritized approvals are applied in the order of the list, as in the origin.
#[test]
fn prioritized_approvals_keep_the_order_of_their_list() -> Outcome {
    let db = badges();
    let mut tx = begin(&db);
    let ann = address(1);
    let rules = ["a", "b", "c"].map(|id| approval(id, "Mint", "All"));
    let id = collection(&mut tx, &ann, rules.to_vec())?;
    let reference = |approval: &str| ApprovalRef {
        approver: Approver::Collection,
        approval: approval.into(),
        version: U256::ZERO,
    };
    let transfer = Transfer {
        prioritized: vec![reference("c"), reference("b")],
        ..Transfer::new(Owner::Mint, address(2), some(1, 1, 1))
    };
    let used = keeper::transfer(&mut tx, 5, &ann, id, &[transfer])?;
    assert_eq!(used[0].approval, "b");
    Ok(())
}
