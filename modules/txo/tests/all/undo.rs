//! Tests of rollbacks: of a transaction, which restores the exact state without it, and of blocks.

use crate::{
    history::{Op, op, take_back},
    world::{
        assert_sound, in_transaction, log_name, memory, name, outpoint, redb, state, subscription,
        txid,
    },
};
use keyscape::{
    record::{self, Kind},
    store::{Db, Durability, KeyRange, Read, StoreId, Tx},
};
use keyscape_txo::{
    error::Error,
    keeper::{self, NewOutput},
    layout::txo::{SUBSCRIPTIONS, Score},
    score, undo,
};
use proptest::prelude::*;
use std::collections::BTreeMap;

type State = BTreeMap<Vec<u8>, Vec<u8>>;

/// A step of a history: an operation, or the rollback of a transaction.
#[derive(Clone, Debug)]
enum Step {
    Do(Op),
    TakeBack(u8),
}

fn steps(most: usize) -> impl Strategy<Value = Vec<Step>> {
    let step =
        prop_oneof![12 => op(true).prop_map(Step::Do), 1 => (0..5_u8).prop_map(Step::TakeBack)];
    prop::collection::vec(step, 0..most)
}

/// Draws the blocks of a history, and the depth of the rollback before each.
fn blocks() -> impl Strategy<Value = Vec<(u32, Vec<Step>)>> {
    let back = prop_oneof![3 => Just(0_u32), 1 => 1..4_u32];
    prop::collection::vec((back, steps(14)), 1..7)
}

/// Returns the scores of all transactions of a history.
fn scores(read: &impl Read) -> BTreeMap<u8, Option<Score>> {
    let score = |number| keeper::transaction_score(read, txid(number)).unwrap();
    (0..5).map(|number| (number, score(number))).collect()
}

/// Returns the rows that a reorganisation does not change: those without a score and a block.
fn lasting(read: &impl Read) -> State {
    let mut rows = state(read);
    rows.retain(|key, _| {
        let parts = record::split(key).unwrap();
        let is_progress = parts.kind == Kind::Hash && &*parts.structure == b"h:prog";
        matches!(parts.kind, Kind::Set | Kind::Queue)
            || (parts.kind == Kind::Hash && !key.ends_with(b"ms") && !is_progress)
    });
    rows
}

/// Rolls back to a block, and checks that its transactions are unconfirmed and nothing else
/// changed.
fn reorganise(tx: &mut Tx<'_>, to: u32) -> Result<(), Error> {
    let (before, rows) = (scores(tx), lasting(tx));
    let removed = undo::rollback_to(tx, to, 77)?;
    for (number, score) in scores(tx) {
        let is_orphaned =
            before[&number].and_then(score::position).is_some_and(|at| at.height > to);
        let expected = if is_orphaned { Some(score::seen(77)) } else { before[&number] };
        assert_eq!(score, expected, "transaction {number}");
        assert_eq!(removed.orphaned.contains(&txid(number)), is_orphaned);
    }
    assert_eq!(lasting(tx), rows);
    let sources = keeper::sources(tx)?;
    assert!(sources.iter().all(|(_, height)| *height <= to), "{sources:?}");
    assert_sound(tx);
    Ok(())
}

/// Runs blocks, and rolls back in between. Blocks more than `depth` below are pruned.
fn run_blocks(db: &Db, blocks: &[(u32, Vec<Step>)], depth: u32) {
    let mut height = 0_u32;
    for (back, steps) in blocks {
        let to = height.saturating_sub(*back);
        db.write(|tx| match reorganise(tx, to) {
            Err(Error::TooDeep { lowest, .. }) => {
                assert!(lowest.is_none_or(|lowest| to < lowest), "{to} {lowest:?}");
                Ok::<(), Error>(())
            }
            removed => {
                removed?;
                height = to;
                Ok(())
            }
        })
        .unwrap();
        height = height.saturating_add(1);
        db.write(|tx| {
            undo::begin_block(tx, height)?;
            for step in steps {
                match step {
                    // A source never reads further than the chain.
                    Step::Do(Op::Advance { height: reached }) if *reached > height => {}
                    Step::Do(op) => drop(op.run(tx)),
                    Step::TakeBack(number) => drop(take_back(tx, *number)),
                }
            }
            undo::prune(tx, height.saturating_sub(depth))?;
            Ok::<(), Error>(())
        })
        .unwrap();
        assert_sound(&db.read().unwrap());
    }
}

/// Creates a database in which all heights of random scores have begun.
fn in_blocks() -> Db {
    let db = memory();
    for height in [0, 4] {
        db.write(|tx| undo::begin_block(tx, height)).unwrap();
    }
    db
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 96, ..ProptestConfig::default() })]

    #[test]
    fn a_reorganisation_orphans_the_transactions_of_removed_blocks(blocks in blocks()) {
        run_blocks(&memory(), &blocks, 100);
    }

    #[test]
    fn a_reorganisation_reaches_the_depth_that_is_kept(blocks in blocks(), depth in 0..3_u32) {
        run_blocks(&memory(), &blocks, depth);
    }

    /// After the rollback of a transaction, the state is that of a history without it and without
    /// its spenders.
    #[test]
    fn a_transaction_that_is_taken_back_has_never_been(
        ops in prop::collection::vec(op(false), 0..40),
        number in 0..5_u8,
    ) {
        let db = in_blocks();
        // A confirmed spend that replaces another one rolls transactions back by itself.
        let mut spent = BTreeMap::new();
        let done: Vec<&Op> = db
            .write(|tx| Ok::<_, Error>(ops.iter().filter(|op| op.run(tx)).collect()))
            .unwrap();
        for op in &done {
            if let Op::Spend { tx, vout, by, .. } = op {
                let first = *spent.entry((*tx, *vout)).or_insert(*by);
                prop_assume!(first == *by);
            }
        }
        let taken = db
            .write(|tx| match undo::rollback(tx, txid(number)) {
                Err(Error::UnknownTransaction(_)) => Ok(None),
                taken => taken.map(Some),
            })
            .unwrap();
        // Outputs that depend on it leave their topics, but their transactions stay.
        prop_assume!(taken.as_ref().is_none_or(|taken| taken.released.is_empty()));
        let gone = taken.map(|taken| taken.transactions).unwrap_or_default();
        assert_sound(&db.read().unwrap());

        let other = in_blocks();
        other
            .write(|tx| {
                let stays = |op: &&Op| op.owner().is_none_or(|owner| !gone.contains(&owner));
                done.iter().copied().filter(stays).for_each(|op| assert!(op.run(tx), "{op:?}"));
                Ok::<(), Error>(())
            })
            .unwrap();
        prop_assert_eq!(state(&db.read().unwrap()), state(&other.read().unwrap()));
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 12, ..ProptestConfig::default() })]

    #[test]
    fn a_reorganisation_is_the_same_in_a_file(blocks in blocks(), depth in 1..8_u32) {
        let (db, _folder) = redb();
        run_blocks(&db.with_durability(Durability::Buffered), &blocks, depth);
    }
}

#[test]
fn a_rolled_back_spender_leaves_an_output_that_was_saved_later() {
    let db = memory();
    db.write(|tx| keeper::save_spend(tx, outpoint(1, 0), txid(2), score::seen(1))).unwrap();
    db.write(|tx| {
        let new = NewOutput::new(outpoint(1, 0), 5, score::seen(2));
        let saved = keeper::save_output(tx, &new)?;
        assert_eq!(saved.spender, Some(txid(2)));
        keeper::confirm(tx, txid(1), (7, 3).into())
    })
    .unwrap();
    let taken = db.write(|tx| undo::rollback(tx, txid(2))).unwrap();
    assert_eq!(taken.transactions, [txid(2)]);
    let read = db.read().unwrap();
    let output = keeper::output(&read, outpoint(1, 0)).unwrap().unwrap();
    assert_eq!((output.spender, output.score), (None, score::confirmed(7, 3)));
    assert_sound(&read);
}

#[test]
fn a_chain_of_a_thousand_spends_is_rolled_back_without_recursion() {
    let chain = |n: u32| {
        let mut bytes = [0; 32];
        bytes[..4].copy_from_slice(&n.to_be_bytes());
        keyscape_txo::layout::txo::Txid(bytes)
    };
    in_transaction(|tx| {
        for n in 1..=1_000 {
            let output = keyscape_txo::layout::txo::Outpoint { txid: chain(n), vout: 0 };
            keeper::save_output(tx, &NewOutput::new(output, 1, score::seen(1)))?;
            keeper::save_spend(tx, output, chain(n + 1), score::seen(1))?;
        }
        let taken = undo::rollback(tx, chain(1))?;
        assert_eq!(taken.transactions.len(), 1_001);
        assert!(state(tx).is_empty());
        Ok(())
    });
}

#[test]
fn transactions_in_pruned_blocks_are_final() {
    let db = memory();
    db.write(|tx| {
        for height in 1..=5 {
            undo::begin_block(tx, height)?;
            let number = u8::try_from(height).unwrap();
            let new = NewOutput::new(outpoint(number, 0), 5, score::confirmed(height, 0));
            keeper::save_output(tx, &new)?;
        }
        assert_eq!(undo::prune(tx, 3)?, 2);
        assert_eq!(undo::prune(tx, 9)?, 0, "there is no such block");
        let error = undo::rollback_to(tx, 1, 9).unwrap_err();
        assert!(matches!(error, Error::TooDeep { height: 1, lowest: Some(2) }), "{error}");
        let error = undo::rollback(tx, txid(1)).unwrap_err();
        assert!(matches!(error, Error::Final(of) if of == txid(1)), "{error}");
        let error = undo::begin_block(tx, 5).unwrap_err();
        assert!(matches!(error, Error::BlockOrder { height: 5, last: 5 }), "{error}");
        assert_eq!(undo::rollback_to(tx, 2, 9)?.orphaned, [txid(3), txid(4), txid(5)]);
        assert_eq!(undo::block(tx)?, None);
        let error = undo::begin_block(tx, 2).unwrap_err();
        assert!(matches!(error, Error::BlockOrder { height: 2, last: 2 }), "{error}");
        undo::begin_block(tx, 3)
    })
    .unwrap();
    assert_sound(&db.read().unwrap());
}

#[test]
fn an_operation_that_changes_nothing_leaves_no_unit() {
    let db = memory();
    let new = NewOutput::new(outpoint(1, 0), 5, score::confirmed(7, 0));
    db.write(|tx| keeper::save_output(tx, &new)).unwrap();
    let rows = |db: &Db| {
        let read = db.read().unwrap();
        keyscape_txo::layout::txo_undo::UNITS.prefix_all().count(&read).unwrap()
    };
    assert_eq!(rows(&db), 1);
    db.write(|tx| keeper::save_output(tx, &new)).unwrap();
    assert_eq!(rows(&db), 1);
}

/// Creates a state as an import without the rows of the undo store leaves it.
fn imported(fill: impl FnMut(&mut Tx<'_>) -> Result<(), Error>) -> Db {
    let (made, db) = (memory(), memory());
    made.write(fill).unwrap();
    let (store, read) = (StoreId::of("txo"), made.read().unwrap());
    db.write(|tx| {
        let mut rows = read.rows(store, KeyRange::all())?;
        while let Some(row) = rows.next()? {
            tx.put(store, row.key, row.value)?;
        }
        Ok::<(), keyscape::store::StoreError>(())
    })
    .unwrap();
    assert_sound(&db.read().unwrap());
    db
}

#[test]
fn a_state_without_undo_rows_cannot_be_rolled_back() {
    let db = imported(|tx| {
        undo::begin_block(tx, 90)?;
        let new = NewOutput::new(outpoint(1, 0), 5, score::confirmed(90, 0));
        keeper::save_output(tx, &new).map(drop)
    });
    db.write(|tx| {
        let error = undo::rollback_to(tx, 89, 9).unwrap_err();
        assert!(matches!(error, Error::TooDeep { height: 89, lowest: None }), "{error}");
        undo::begin_block(tx, 100)?;
        let error = undo::rollback_to(tx, 89, 9).unwrap_err();
        assert!(matches!(error, Error::TooDeep { height: 89, lowest: Some(99) }), "{error}");
        keeper::save_output(tx, &NewOutput::new(outpoint(2, 0), 5, score::seen(1)))?;
        assert_eq!(undo::rollback_to(tx, 99, 9)?.blocks, 1);
        assert!(keeper::output(tx, outpoint(2, 0))?.is_some(), "it is unconfirmed");
        Ok::<(), Error>(())
    })
    .unwrap();
}

#[test]
fn a_transaction_that_was_imported_is_final_only_in_a_block_below_the_first_one() {
    type Fill = fn(&mut Tx<'_>, Score) -> Result<(), Error>;
    let kinds: [Fill; 4] = [
        |tx, score| keeper::save_output(tx, &NewOutput::new(outpoint(1, 0), 5, score)).map(drop),
        |tx, score| keeper::save_spend(tx, outpoint(7, 0), txid(1), score).map(drop),
        |tx, score| keeper::apply(tx, &name("t"), txid(1), score).map(drop),
        |tx, score| keeper::log(tx, &log_name("tx:pending"), txid(1), score).map(drop),
    ];
    for fill in kinds {
        let db = imported(|tx| fill(tx, score::seen(1)));
        db.write(|tx| undo::begin_block(tx, 100)).unwrap();
        db.write(|tx| undo::rollback(tx, txid(1))).unwrap();
        assert!(state(&db.read().unwrap()).is_empty());

        let db = imported(|tx| fill(tx, score::confirmed(90, 0)));
        db.write(|tx| undo::begin_block(tx, 100)).unwrap();
        // A transaction with later operations is final too.
        let more = NewOutput::new(outpoint(1, 3), 5, score::seen(1));
        db.write(|tx| keeper::save_output(tx, &more)).unwrap();
        let before = state(&db.read().unwrap());
        let error = db.write(|tx| undo::rollback(tx, txid(1))).unwrap_err();
        assert!(matches!(error, Error::Final(of) if of == txid(1)), "{error}");
        assert_eq!(state(&db.read().unwrap()), before);
    }
}

#[test]
fn a_final_transaction_with_a_final_spender_is_not_rolled_back() {
    let db = memory();
    let error = db
        .write(|tx| {
            undo::begin_block(tx, 1)?;
            let parent = NewOutput::new(outpoint(1, 1), 5, score::confirmed(1, 0));
            keeper::save_output(tx, &parent)?;
            keeper::save_spend(tx, outpoint(1, 0), txid(2), score::confirmed(1, 1))?;
            undo::begin_block(tx, 2)?;
            undo::prune(tx, 2)?;
            let before = state(tx);
            let error = undo::rollback(tx, txid(1)).unwrap_err();
            assert_eq!(state(tx), before);
            Ok::<_, Error>(error)
        })
        .unwrap();
    assert!(matches!(error, Error::Final(of) if of == txid(1)), "{error}");
    assert_eq!(keeper::spender(&db.read().unwrap(), outpoint(1, 0)).unwrap(), Some(txid(2)));
}

#[test]
fn spenders_of_a_transaction_that_was_never_saved_are_rolled_back_with_it() {
    let db = memory();
    let taken = db.write(|tx| {
        keeper::save_spend(tx, outpoint(1, 0), txid(2), score::seen(1))?;
        keeper::save_output(tx, &NewOutput::new(outpoint(2, 0), 5, score::seen(1)))?;
        undo::rollback(tx, txid(1))
    });
    assert_eq!(taken.unwrap().transactions, [txid(1), txid(2)]);
    assert!(state(&db.read().unwrap()).is_empty());
    let error = db.write(|tx| undo::rollback(tx, txid(1))).unwrap_err();
    assert!(matches!(error, Error::UnknownTransaction(of) if of == txid(1)), "{error}");
}

#[test]
fn a_dead_member_keeps_its_score_and_stays_dead() {
    let sub = subscription("sub");
    in_transaction(|tx| {
        undo::begin_block(tx, 1)?;
        keeper::enqueue_transaction(tx, &sub, txid(1), score::confirmed(1, 0))?;
        let claims = SUBSCRIPTIONS.claim(tx, &sub, 0, 10, 1)?;
        let end = state(tx);
        undo::begin_block(tx, 2)?;
        SUBSCRIPTIONS.bury(tx, &sub, &claims[0])?;
        undo::rollback_to(tx, 1, 9)?;
        assert_eq!(state(tx), end);
        assert_eq!(SUBSCRIPTIONS.counts(tx, subscription("sub"))?.dead, 1);
        assert_sound(tx);
        assert!(SUBSCRIPTIONS.revive(tx, &sub, txid(1))?);
        let claims = SUBSCRIPTIONS.claim(tx, &sub, 0, 10, 1)?;
        assert_eq!(claims[0].score, score::confirmed(1, 0));
        Ok(())
    });
}
