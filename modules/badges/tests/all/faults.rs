//! Interrupted operations write nothing.

use crate::setup::{
    Outcome, address, approval, badges, collection, mint, minting, overall, owner, some,
};
use keyscape::store::{Db, Mode, Tx};
use keyscape_badges::{
    Error, Id, Owner,
    keeper::{self, CollectionChanges, NewList, Transfer, UserChanges},
    values::{ApprovalLimits, UserBalanceStore},
};
use keyscape_testkit::interrupt;

type Run = fn(&mut Tx<'_>) -> Result<(), Error>;

fn one() -> Id {
    Id(1_u64.into())
}

fn filled() -> Result<Db, Error> {
    let db = badges();
    db.write(|tx| {
        let ann = address(1);
        let limits = ApprovalLimits { per_to_address: "9".into(), ..overall(9, "") };
        let rule = minting(|criteria| criteria.approval_amounts = Some(limits));
        let id = collection(tx, &ann, vec![rule, approval("move", "!Mint", "All")])?;
        mint(tx, &ann, id, &address(2), some(2, 1, 10))?;
        let store = keeper::create_dynamic_store(tx, &ann, true)?;
        keeper::set_dynamic_value(tx, &ann, store, &address(2), false)
    })?;
    Ok(db)
}

const RUNS: [(&str, Run); 9] = [
    ("mint to two", |tx| {
        let transfer = Transfer {
            to: vec![address(3), address(4)],
            ..Transfer::new(Owner::Mint, address(3), some(1, 5, 15))
        };
        keeper::transfer(tx, 5, &address(1), one(), &[transfer]).map(drop)
    }),
    ("send", |tx| {
        let transfer = Transfer::new(owner(2), address(3), some(1, 1, 3));
        keeper::transfer(tx, 5, &address(2), one(), &[transfer]).map(drop)
    }),
    ("create a collection", |tx| {
        let changes = CollectionChanges {
            approvals: Some(vec![approval("a", "Mint", "All"), approval("b", "Mint", "All")]),
            ..CollectionChanges::default()
        };
        keeper::create_collection(tx, &address(1), &UserBalanceStore::default(), changes).map(drop)
    }),
    ("update a collection", |tx| {
        let changes = CollectionChanges {
            approvals: Some(vec![approval("a", "Mint", "All"), approval("b", "Mint", "All")]),
            ..CollectionChanges::default()
        };
        keeper::update_collection(tx, 5, &address(1), one(), changes)
    }),
    ("update a user", |tx| {
        let changes =
            UserChanges { auto_approve_all_incoming: Some(true), ..UserChanges::default() };
        keeper::update_user(tx, 5, &address(5), one(), changes)
    }),
    ("delete a collection", |tx| {
        keeper::delete_collection(tx, 5, &address(1), one(), 100).map(drop)
    }),
    ("begin to delete a collection", |tx| {
        keeper::delete_collection(tx, 5, &address(1), one(), 2).map(drop)
    }),
    ("create a list", |tx| {
        keeper::create_list(tx, &address(1), &NewList { id: "x".into(), ..NewList::default() })
    }),
    ("delete a dynamic store", |tx| {
        keeper::delete_dynamic_store(tx, &address(1), one(), 100).map(drop)
    }),
];

#[test]
fn an_interrupted_operation_writes_nothing() -> Outcome {
    let db = filled()?;
    let begin = || {
        let mut tx = db.begin(Mode::Write)?;
        keeper::create_dynamic_store(&mut tx, &address(9), true)?;
        Ok::<_, Error>(tx)
    };
    for (name, run) in RUNS {
        assert!(interrupt(begin, run, Error::is_refusal)? >= 2, "{name}");
    }
    Ok(())
}

#[test]
fn an_operation_that_is_done_leaves_a_sound_state() -> Outcome {
    let db = filled()?;
    for (name, run) in RUNS {
        let mut tx = db.begin(Mode::Write)?;
        run(&mut tx)?;
        assert_eq!(keyscape_badges::invariants::check(&tx)?, [], "{name}");
    }
    Ok(())
}
