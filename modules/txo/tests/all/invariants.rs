//! Tests that each invariant detects a violation that bypasses the keeper.

use crate::world::{
    address, assert_all, assert_any, assert_sound, dotted, key, log_name, memory, name, outpoint,
    subscription, txid, violations,
};
use keyscape::{
    record::{self, Family, Kind},
    store::{Db, StoreId, Tx},
};
use keyscape_sim::MAX_LISTED;
use keyscape_txo::{
    error::Error,
    event, invariants,
    keeper::{self, Admission, NewOutput},
    layout::{
        txo::{
            ADMITTED, DEPENDENTS, Dependent, EVENTS, Event, LISTED, LOGS, MERKLE, OUTPUT,
            OUTPUT_DATA, OUTPUT_DEPS, OUTPUT_INPUTS, OUTPUT_MERKLE, SATOSHIS_AMOUNT, SETS,
            SPENDS_SPENDER, SPENT, SPENT_BY, TOPIC_TXS, TOPICS, TxidText,
        },
        txo_undo::{OF_TXID, ROWS, UNITS},
    },
    score, undo,
};

/// Creates a state with rows of every kind.
fn db() -> Db {
    let db = memory();
    db.write(|tx| {
        undo::begin_block(tx, 1)?;
        keeper::enqueue_transaction(tx, &subscription("sub"), txid(1), score::seen(1))?;
        for vout in 0..2 {
            let mut new = NewOutput::new(outpoint(1, vout), 5, score::confirmed(1, 0));
            new.owners = vec![address(1)];
            keeper::save_output(tx, &new)?;
            let admission = Admission { inputs: vec![outpoint(9, 0)], deps: vec![txid(9)] };
            keeper::save_output(tx, &NewOutput::new(outpoint(9, 0), 5, score::confirmed(0, 0)))?;
            keeper::admit(tx, &name("t"), outpoint(9, 0), &Admission::default())?;
            keeper::apply(tx, &name("t"), txid(9), score::confirmed(0, 0))?;
            keeper::admit(tx, &name("t"), outpoint(1, vout), &admission)?;
            keeper::set_merkle_state(tx, &name("t"), outpoint(1, vout), 2)?;
        }
        keeper::save_spend(tx, outpoint(1, 0), txid(2), score::seen(5))?;
        keeper::apply(tx, &name("t"), txid(1), score::confirmed(1, 0))?;
        keeper::log(tx, &log_name("tx:pending"), txid(1), score::confirmed(1, 0)).map(drop)
    })
    .unwrap();
    assert_sound(&db.read().unwrap());
    db
}

/// Returns the violations after a change.
fn broken(change: impl FnMut(&mut Tx<'_>) -> Result<(), keyscape::Error>) -> Vec<String> {
    let db = db();
    db.write(change).unwrap();
    violations(&db.read().unwrap())
}

fn own() -> Event<'static> {
    Event::Own { owner: address(1) }
}

#[test]
fn an_entry_without_its_output_is_found() {
    let found = broken(|tx| EVENTS.add(tx, own(), outpoint(7, 0), score::seen(1)).map(drop));
    let text = format!("events: `{}` has output {}, which", event::print(&own()), dotted(7, 0));
    assert!(found[0].starts_with(&text), "{found:?}");
}

#[test]
fn an_output_without_its_entry_is_found() {
    let found = broken(|tx| EVENTS.remove(tx, own(), outpoint(1, 1)).map(drop));
    let (at, set) = (dotted(1, 1), event::print(&own()));
    assert_eq!(found, [format!("outputs: output {at} is not in `{set}`, where it should be")]);
}

#[test]
fn a_spend_without_spent_entries_and_the_reverse_are_found() {
    let found = broken(|tx| SPENT.remove(tx, own(), outpoint(1, 0)).map(drop));
    assert_all(&found, &[":spnd`, where it should be"]);
    let found = broken(|tx| SPENT.add(tx, own(), outpoint(1, 1), score::seen(5)).map(drop));
    assert_all(&found, &[", which is unspent"]);
    let found = broken(|tx| SPENT.add(tx, own(), outpoint(1, 0), score::seen(6)).map(drop));
    assert_all(&found, &["spent: output"]);
    assert_any(&found, "has the score");
    let found = broken(|tx| SPENDS_SPENDER.delete(tx, (), outpoint(1, 0)));
    assert_any(&found, "the spend of output");
    let found = broken(|tx| SPENT_BY.remove(tx, TxidText(txid(2).0), outpoint(1, 0)).map(drop));
    assert_any(&found, "the spend of output");
}

#[test]
fn scores_that_disagree_with_the_chain_are_found() {
    let found = broken(|tx| OUTPUT_MERKLE.put(tx, outpoint(1, 0), (), (2, 0).into()));
    assert_all(&found, &["has the score"]);
    let found = broken(|tx| TOPICS.add(tx, name("t"), outpoint(1, 0), score::seen(1)).map(drop));
    assert_all(&found, &["in `tp:t` instead of"]);
}

#[test]
fn counts_that_are_wrong_are_found() {
    let found = broken(|tx| {
        let mut row = b"zz:tp:t\0\x01c".to_vec();
        tx.put(StoreId::of("txo"), &row, &7_u64.to_be_bytes())?;
        row.clear();
        Ok(())
    });
    assert_all(&found, &["structures: `topics` at "]);
}

#[test]
fn missing_and_stale_satoshis_are_found() {
    let found = broken(|tx| SATOSHIS_AMOUNT.delete(tx, (), outpoint(1, 0)));
    assert_all(&found, &["is known, but its satoshis are not"]);
    let found = broken(|tx| SATOSHIS_AMOUNT.put(tx, (), outpoint(7, 0), 3));
    assert_all(&found, &["is unknown, but its satoshis are not"]);
}

#[test]
fn topics_states_and_lists_that_disagree_are_found() {
    let found = broken(|tx| ADMITTED.delete(tx, outpoint(1, 0)).map(drop));
    assert_any(&found, ", which does not know the topic");
    let found = broken(|tx| {
        MERKLE.add(tx, (name("t"), 3), outpoint(1, 0), score::confirmed(1, 0)).map(drop)
    });
    assert_all(&found, &["is in the merkle states 2 and 3 of topic `t`"]);
    let found = broken(|tx| TOPIC_TXS.remove(tx, name("t"), txid(1)).map(drop));
    assert_all(&found, &["and `tp:t:tx`: "]);
    let found = broken(|tx| LISTED.delete(tx, TxidText(txid(1).0)).map(drop));
    assert_all(&found, &["and `tp:t:tx`: ", "and `tx:pending`: "]);
    let found = broken(|tx| LOGS.remove(tx, log_name("tx:pending"), txid(1)).map(drop));
    assert_all(&found, &["and `tx:pending`: "]);
}

#[test]
fn undo_rows_that_are_missing_are_found() {
    let found = broken(|tx| ROWS.delete(tx, (0, 0)));
    assert_all(&found, &["undo: unit 0: "]);
}

#[test]
fn a_list_of_events_that_cannot_be_read_is_an_error_that_says_where() {
    let db = db();
    let list = serde_json::json!(["own:x"]);
    db.write(|tx| keyscape_txo::layout::txo::OUTPUT_EVENTS.put(tx, outpoint(1, 0), (), &list))
        .unwrap();
    let error = keeper::events_of(&db.read().unwrap(), outpoint(1, 0)).unwrap_err();
    assert!(
        matches!(error, Error::Corrupt { .. }) && error.to_string().contains("own:x"),
        "{error}"
    );
}

#[test]
fn scores_of_one_transaction_that_differ_are_found() {
    let elsewhere = score::confirmed(9, 9);
    let found = broken(|tx| TOPIC_TXS.add(tx, name("t"), txid(1), elsewhere).map(drop));
    let (txid, expected) = (txid(1), score::confirmed(1, 0));
    let text = format!("has the score {elsewhere:?} in `tp:t:tx` and {expected:?} elsewhere");
    assert_eq!(found, [format!("scores: transaction {txid} {text}")]);
    let found = broken(|tx| LOGS.add(tx, log_name("tx:pending"), txid, elsewhere).map(drop));
    assert_all(&found, &["scores: "]);
    // All sets of one output agree with each other, but not with those of the other.
    let found = broken(|tx| {
        let at = outpoint(1, 1);
        EVENTS.add(tx, event::txid(txid), at, elsewhere)?;
        EVENTS.add(tx, own(), at, elsewhere)?;
        TOPICS.add(tx, name("t"), at, elsewhere)?;
        MERKLE.add(tx, (name("t"), 2), at, elsewhere)?;
        OUTPUT_MERKLE.put(tx, at, (), (9, 9).into())
    });
    assert_all(&found, &["scores: "]);
}

#[test]
fn units_and_their_lists_that_disagree_are_found() {
    let found = broken(|tx| OF_TXID.put(tx, (txid(5).0, 999), ()));
    assert_eq!(found, ["undo: unit 999: a transaction lists it, and it is missing"]);
    let found = broken(|tx| OF_TXID.delete(tx, (txid(1).0, 0)));
    assert_eq!(found, ["undo: unit 0: its transaction does not list it"]);
    let found = broken(|tx| {
        OF_TXID.delete(tx, (txid(1).0, 0))?;
        UNITS.delete(tx, 0)
    });
    assert_eq!(found, ["undo: unit 0: it has rows and is missing"]);
}

#[test]
fn a_rolled_back_unit_is_not_listed() {
    let db = db();
    db.write(|tx| undo::rollback(tx, txid(1))).unwrap();
    assert_sound(&db.read().unwrap());
    db.write(|tx| OF_TXID.put(tx, (txid(1).0, 0), ())).unwrap();
    let found = invariants::undo(&db.read().unwrap()).unwrap();
    assert_eq!(found.len(), 1, "{found:?}");
    assert_eq!(found[0].what, "unit 0: a transaction lists it, and it is missing");
}

#[test]
fn rows_of_no_keyspace_are_found_in_both_stores() {
    let alien: [(&str, &[u8]); 7] = [
        ("txo", b"zx:nobody:knows:this\0\x01mx"),
        ("txo", b"sz:own:x\0\x01mx"),
        ("txo", b"rplain"),
        ("txo", b"?"),
        ("txo_undo", b"q"),
        ("txo_undo", b"u\x01"),
        ("txo_undo", b"fx"),
    ];
    for (store, key) in alien {
        let found = broken(|tx| Ok(tx.put(StoreId::of(store), key, b"")?));
        assert_any(&found, &format!("the row `{}` of the store `{store}`: ", key.escape_ascii()));
    }
}

#[test]
fn dependencies_that_disagree_are_found() {
    // No topic has applied the dependency any more.
    let found = broken(|tx| {
        TOPIC_TXS.remove(tx, name("t"), txid(9))?;
        LISTED.delete(tx, TxidText(txid(9).0)).map(drop)
    });
    assert_all(&found, &[", which it needs"; 2]);
    let found = broken(|tx| DEPENDENTS.delete(tx, TxidText(txid(9).0)).map(drop));
    assert!(found.iter().all(|found| found.ends_with(", where it should be")), "{found:?}");
    let found = broken(|tx| {
        let dependent = Dependent { topic: name("t"), outpoint: outpoint(1, 0) };
        DEPENDENTS.add(tx, TxidText(txid(8).0), dependent).map(drop)
    });
    assert_all(&found, &[", which does not need the transaction"]);
    // An empty list is not written.
    let found = broken(|tx| OUTPUT_INPUTS.put(tx, outpoint(1, 0), name("t"), &[]));
    assert_any(&found, "its length is not that of a list");
}

#[test]
fn a_spend_before_its_output_is_found() {
    let found = broken(|tx| {
        SPENT_BY.add(tx, TxidText(txid(2).0), outpoint(1, 0), score::confirmed(0, 7))?;
        SPENT.add(tx, own(), outpoint(1, 0), score::confirmed(0, 7))?;
        SPENT.add(tx, event::txid(txid(1)), outpoint(1, 0), score::confirmed(0, 7)).map(drop)
    });
    let spend = format!("spends: the spend of output {} by {}", dotted(1, 0), txid(2));
    assert_eq!(found, [format!("{spend}: it precedes the output in the chain")]);
}

#[test]
fn a_tag_that_is_not_escaped_is_found() {
    let found =
        broken(|tx| OUTPUT_DATA.put(tx, outpoint(1, 0), name("50%"), &serde_json::json!(1)));
    assert_all(&found, &["`dt:50%` of output"]);
}

#[test]
fn a_merkle_state_against_the_score_is_found() {
    let found = broken(|tx| {
        MERKLE.remove(tx, (name("t"), 2), outpoint(1, 0))?;
        MERKLE.add(tx, (name("t"), 0), outpoint(1, 0), score::confirmed(1, 0)).map(drop)
    });
    assert_all(&found, &[", which is confirmed"]);
}

#[test]
fn general_sets_belong_to_the_layout() {
    let db = db();
    let set = keyscape_txo::layout::txo::SetName::new("watched").unwrap();
    db.write(|tx| SETS.add(tx, &set, "ann")).unwrap();
    assert_sound(&db.read().unwrap());
    assert_eq!(key(SETS, &set), b"s:watched");
}

#[test]
fn lists_of_impossible_lengths_are_found() {
    let found = broken(|tx| OUTPUT_INPUTS.put(tx, outpoint(1, 0), name("t"), &[7; 35]));
    assert_all(&found, &["`in:t` of output"]);
    let found = broken(|tx| OUTPUT_DEPS.put(tx, outpoint(1, 0), name("t"), &[7; 33]));
    assert_all(&found, &["`dp:t` of output"]);
}

#[test]
fn a_list_of_events_that_cannot_be_read_does_not_hide_the_rest() {
    let list = serde_json::json!(["own:x"]);
    for list in [list.to_string(), "no json".to_owned()] {
        let found = broken(|tx| {
            let (mut row, key) = (Vec::new(), key(OUTPUT, outpoint(1, 0)));
            record::begin(Kind::Hash, &key, Family::Field, &mut row);
            row.extend_from_slice(b"ev");
            tx.put(StoreId::of("txo"), &row, list.as_bytes())?;
            SATOSHIS_AMOUNT.delete(tx, (), outpoint(1, 1))?;
            LOGS.remove(tx, log_name("tx:pending"), txid(1)).map(drop)
        });
        assert_any(&found, &format!("outputs: output {}: ", dotted(1, 0)));
        assert_any(&found, "is known, but its satoshis are not");
        assert_any(&found, "and `tx:pending`: ");
    }
}

#[test]
fn only_the_first_violations_are_listed_and_all_are_counted() {
    let db = db();
    db.write(|tx| (0..250).try_for_each(|vout| SATOSHIS_AMOUNT.put(tx, (), outpoint(7, vout), 3)))
        .unwrap();
    let found = invariants::check(&db.read().unwrap()).unwrap();
    assert_eq!(found.len(), MAX_LISTED + 1);
    assert_eq!(found[MAX_LISTED].to_string(), "satoshis: 150 more");
}
