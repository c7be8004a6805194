//! Final transactions, positions in the chain, and the order of spends.

use crate::world::{
    assert_all, assert_sound, dotted, in_transaction, memory, name, outpoint, save, subscription,
    txid, violations,
};
use keyscape::{
    Backoff, Claim,
    store::{Counter, StoreId, Tx},
};
use keyscape_txo::{
    error::Error,
    keeper::{self, Admission},
    layout::{
        txo::{ADMITTED, MERKLE, SPENDS_SPENDER, SPENT_BY, Score, Subscriptions, TxidText},
        txo_undo::{BLOCKS, FLOOR},
    },
    score, undo,
    worker::{Failure, Handler, Options, work},
};
use std::sync::Arc;

#[expect(clippy::needless_pass_by_value, reason = "callers pass the result of an operation")]
fn assert_final(result: Result<(), Error>) {
    assert!(matches!(result, Err(Error::Final(_))), "{result:?}");
}

#[test]
fn a_final_transaction_stays_in_its_block() {
    in_transaction(|tx| {
        undo::begin_block(tx, 1)?;
        save(tx, 1, score::confirmed(1, 0))?;
        undo::begin_block(tx, 2)?;
        save(tx, 2, score::confirmed(2, 0))?;
        undo::prune(tx, 2)?;
        assert_final(keeper::unconfirm(tx, txid(1), 9).map(drop));
        assert_final(keeper::confirm(tx, txid(1), (2, 5).into()).map(drop));
        assert_final(save(tx, 1, score::confirmed(2, 5)));
        assert_final(undo::rollback(tx, txid(1)).map(drop));
        // Its own position again, and an arrival time, move nothing.
        save(tx, 1, score::confirmed(1, 0))?;
        save(tx, 1, score::seen(5))?;
        assert_eq!(keeper::transaction_score(tx, txid(1))?, Some(score::confirmed(1, 0)));
        keeper::unconfirm(tx, txid(2), 9)?;
        assert_sound(tx);
        Ok(())
    });
}

/// A state that was imported without the undo store.
#[test]
fn without_a_block_confirmed_transactions_are_final() {
    in_transaction(|tx| {
        save(tx, 1, score::confirmed(7, 0))?;
        save(tx, 2, score::seen(1))?;
        let store = StoreId::of("txo_undo");
        let mut keys = Vec::new();
        let mut rows = keyscape::store::Read::rows(tx, store, keyscape::store::KeyRange::all())?;
        while let Some(row) = rows.next()? {
            keys.push(row.key.to_vec());
        }
        drop(rows);
        for key in keys {
            tx.delete(store, &key)?;
        }
        assert_final(undo::rollback(tx, txid(1)).map(drop));
        assert_final(keeper::unconfirm(tx, txid(1), 9).map(drop));
        assert_eq!(undo::rollback(tx, txid(2))?.transactions, [txid(2)]);
        for height in [3, 7] {
            let low = undo::begin_block(tx, height);
            assert!(matches!(low, Err(Error::BlockOrder { last: 7, .. })), "{low:?}");
        }
        undo::begin_block(tx, 8)?;
        assert_final(keeper::unconfirm(tx, txid(1), 9).map(drop));
        assert_sound(tx);
        Ok(())
    });
}

#[test]
fn no_transaction_is_confirmed_above_the_last_block() {
    in_transaction(|tx| {
        undo::begin_block(tx, 5)?;
        save(tx, 1, score::confirmed(5, 0))?;
        undo::rollback_to(tx, 4, 9)?;
        // No block is left, and block 4 is the last one.
        let late = keeper::confirm(tx, txid(1), (5, 0).into());
        assert!(matches!(late, Err(Error::NoBlock { height: 5, last: 4 })), "{late:?}");
        keeper::confirm(tx, txid(1), (4, 0).into())?;
        assert_sound(tx);
        Ok(())
    });
}

#[test]
fn a_cycle_of_unconfirmed_spends_is_refused() {
    in_transaction(|tx| {
        keeper::save_spend(tx, outpoint(1, 0), txid(2), score::seen(1))?;
        keeper::save_spend(tx, outpoint(2, 0), txid(3), score::seen(1))?;
        let cycle = keeper::save_spend(tx, outpoint(3, 0), txid(1), score::seen(1));
        assert!(matches!(cycle, Err(Error::Cycle { .. })), "{cycle:?}");
        keeper::save_spend(tx, outpoint(3, 0), txid(4), score::seen(1))?;
        assert_sound(tx);
        Ok(())
    });
}

/// The search for cycles does not read the ancestors of a transaction whose outputs are unspent.
#[test]
fn a_spend_reads_the_same_after_few_and_many_ancestors() {
    in_transaction(|tx| {
        let mut seeks = Vec::new();
        for number in 1..40 {
            let counter = Arc::new(Counter::new());
            tx.set_meter(Some(counter.clone()));
            keeper::save_spend(tx, outpoint(number, 0), txid(number + 1), score::seen(1))?;
            seeks.push(counter.count().seeks);
        }
        assert_eq!(seeks[1], seeks[38], "{seeks:?}");
        Ok(())
    });
}

/// The search for cycles needs to know only whether an output of the spender is spent.
#[test]
fn a_spend_reads_the_same_after_few_and_many_spent_outputs() {
    in_transaction(|tx| {
        let mut rows = Vec::new();
        for (number, spent) in [(1, 1), (2, 40)] {
            for vout in 0..spent {
                let spender = txid(100 + vout as u8);
                keeper::save_spend(tx, outpoint(number, vout), spender, score::seen(1))?;
            }
            // The first spend of a transaction checks its order.
            keeper::save_spend(tx, outpoint(10, number.into()), txid(number), score::seen(1))?;
            let counter = Arc::new(Counter::new());
            tx.set_meter(Some(counter.clone()));
            keeper::save_spend(tx, outpoint(11, number.into()), txid(number), score::seen(1))?;
            tx.set_meter(None);
            rows.push(counter.count().rows);
        }
        assert_eq!(rows[0], rows[1]);
        Ok(())
    });
}

/// Spends an output of transaction 1 with the score of its claim.
struct Spends;

impl Handler<Subscriptions> for Spends {
    type Prepared = ();

    fn prepare(&self, _: &Claim<Subscriptions>) -> Result<(), Failure> {
        Ok(())
    }

    fn apply(&self, tx: &mut Tx<'_>, claim: &Claim<Subscriptions>, (): &()) -> Result<(), Failure> {
        keeper::save_spend(tx, outpoint(1, 0), claim.member, claim.score)?;
        Ok(())
    }
}

#[test]
fn a_worker_waits_for_the_position_of_a_parent() {
    let db = memory();
    let sub = subscription("sub");
    db.write(|tx| {
        undo::begin_block(tx, 1)?;
        save(tx, 1, score::seen(1))?;
        keeper::enqueue_transaction(tx, &sub, txid(2), score::confirmed(1, 5))
    })
    .unwrap();
    let backoff = Backoff { first: 10, max: 10, attempts: 2 };
    let options = Options { threads: 1, max_members: 1, lease: 5, backoff };
    let key = sub.into();
    for round in 0..5 {
        let now = round * 10;
        let report = work::<Subscriptions, _>(&db, &key, &options, &|| now, &Spends).unwrap();
        assert_eq!((report.postponed, report.retried, report.buried), (1, 0, 0), "{round}");
        assert_eq!(report.next, Some(now + 10));
        assert!(report.failures[0].contains("confirm"), "{:?}", report.failures);
    }
    db.write(|tx| keeper::confirm(tx, txid(1), (1, 0).into())).unwrap();
    let report = work::<Subscriptions, _>(&db, &key, &options, &|| 50, &Spends).unwrap();
    assert_eq!((report.done, report.next), (1, None));
    assert_sound(&db.read().unwrap());
}

/// Returns the violations after a change of a sound state.
fn broken(change: impl Fn(&mut Tx<'_>) -> Result<(), keyscape::Error>) -> Vec<String> {
    let db = memory();
    db.write(|tx| {
        undo::begin_block(tx, 5)?;
        save(tx, 1, score::confirmed(5, 0))?;
        save(tx, 2, score::confirmed(5, 1))?;
        save(tx, 3, score::seen(1))?;
        keeper::admit(tx, &name("t"), outpoint(1, 0), &Admission::default())?;
        assert_sound(tx);
        Ok::<(), Error>(())
    })
    .unwrap();
    db.write(|tx| change(tx)).unwrap();
    violations(&db.read().unwrap())
}

/// Writes a spend without the keeper.
fn spend(tx: &mut Tx<'_>, of: u8, by: u8, score: Score) -> Result<(), keyscape::Error> {
    SPENDS_SPENDER.put(tx, (), outpoint(of, 7), txid(by))?;
    SPENT_BY.add(tx, TxidText(txid(by).0), outpoint(of, 7), score).map(drop)
}

#[test]
fn invariants_find_states_that_operations_do_not_produce() {
    let found = broken(|tx| {
        BLOCKS.delete(tx, 5)?;
        FLOOR.put(tx, 5)
    });
    assert_all(&found, &["is in block 5, and the last block is 4"; 2]);
    let found = broken(|tx| MERKLE.remove(tx, (name("t"), 1), outpoint(1, 0)).map(drop));
    assert_all(&found, &["is not in `merkle:t`, where it should be"]);
    let found = broken(|tx| ADMITTED.add(tx, outpoint(9, 0), name("t")).map(drop));
    assert_all(&found, &[&format!("has output {}, which is unknown", dotted(9, 0))]);
    let found = broken(|tx| spend(tx, 8, 8, score::seen(1)));
    assert_all(&found, &["the transaction spends its own output"]);
    let found = broken(|tx| {
        spend(tx, 7, 8, score::seen(1))?;
        spend(tx, 8, 9, score::seen(1))?;
        spend(tx, 9, 7, score::seen(1))
    });
    assert_all(&found, &["the transaction descends from itself"]);
    let found = broken(|tx| spend(tx, 8, 9, score::confirmed(5, 1)));
    assert_all(&found, &["are both at height 5, index 1"]);
    assert!([2, 9].iter().all(|number| found[0].contains(&txid(*number).to_string())), "{found:?}");
}
