//! Tests that each invariant detects a violation that bypasses the keeper.

use crate::world::{
    address, assert_sound, key, log_name, memory, name, outpoint, subscription, txid,
};
use keyscape::{
    record::{self, Family, Kind},
    store::{Db, StoreId, Tx},
};
use keyscape_txo::{
    error::Error,
    event,
    genesis::{self, GenesisError},
    invariants::{self, Broken},
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
    genesis::verify(&db.read().unwrap()).unwrap();
    db
}

/// Returns the violations after a change.
fn broken(change: impl FnMut(&mut Tx<'_>) -> Result<(), keyscape::Error>) -> Vec<Broken> {
    let db = db();
    db.write(change).unwrap();
    let read = db.read().unwrap();
    let broken = invariants::check(&read).unwrap();
    let refused = genesis::verify(&read).unwrap_err();
    let GenesisError::Broken { first, more } = refused else { panic!("{refused}") };
    assert_eq!((&first, more), (&broken[0], broken.len() as u64 - 1));
    broken
}

fn own() -> Event<'static> {
    Event::Own { owner: address(1) }
}

#[test]
fn an_entry_without_its_output_is_found() {
    let found = broken(|tx| EVENTS.add(tx, own(), outpoint(7, 0), score::seen(1)).map(drop));
    assert!(matches!(&found[0], Broken::Orphan { outpoint: at, .. } if *at == outpoint(7, 0)));
    assert!(found[0].to_string().contains(".0"), "{}", found[0]);
}

#[test]
fn an_output_without_its_entry_is_found() {
    let found = broken(|tx| EVENTS.remove(tx, own(), outpoint(1, 1)).map(drop));
    let set = event::print(&own());
    assert_eq!(found, [Broken::Unlisted { outpoint: outpoint(1, 1), set }]);
}

#[test]
fn a_spend_without_spent_entries_and_the_reverse_are_found() {
    let found = broken(|tx| SPENT.remove(tx, own(), outpoint(1, 0)).map(drop));
    assert!(matches!(&found[..], [Broken::Unlisted { set, .. }] if set.ends_with(":spnd")));
    let found = broken(|tx| SPENT.add(tx, own(), outpoint(1, 1), score::seen(5)).map(drop));
    assert!(matches!(&found[..], [Broken::Orphan { why: "is unspent", .. }]));
    let found = broken(|tx| SPENT.add(tx, own(), outpoint(1, 0), score::seen(6)).map(drop));
    assert!(matches!(&found[..], [Broken::Score { .. }]));
    let found = broken(|tx| SPENDS_SPENDER.delete(tx, (), outpoint(1, 0)));
    assert!(found.iter().any(|broken| matches!(broken, Broken::Spend { .. })), "{found:?}");
    let found = broken(|tx| SPENT_BY.remove(tx, TxidText(txid(2).0), outpoint(1, 0)).map(drop));
    assert!(found.iter().any(|broken| matches!(broken, Broken::Spend { .. })), "{found:?}");
}

#[test]
fn scores_that_disagree_with_the_chain_are_found() {
    let found = broken(|tx| OUTPUT_MERKLE.put(tx, outpoint(1, 0), (), (2, 0).into()));
    assert!(matches!(&found[..], [Broken::Score { .. }]), "{found:?}");
    let found = broken(|tx| TOPICS.add(tx, name("t"), outpoint(1, 0), score::seen(1)).map(drop));
    assert!(matches!(&found[..], [Broken::Score { set, .. }] if set == "tp:t"), "{found:?}");
}

#[test]
fn counts_that_are_wrong_are_found() {
    let found = broken(|tx| {
        let mut row = b"zz:tp:t\0\x01c".to_vec();
        tx.put(StoreId::of("txo"), &row, &7_u64.to_be_bytes())?;
        row.clear();
        Ok(())
    });
    assert!(matches!(&found[..], [Broken::Structure { keyspace: "topics", .. }]), "{found:?}");
}

#[test]
fn satoshis_that_are_missing_or_left_are_found() {
    let found = broken(|tx| SATOSHIS_AMOUNT.delete(tx, (), outpoint(1, 0)));
    assert!(matches!(&found[..], [Broken::Satoshis { .. }]), "{found:?}");
    let found = broken(|tx| SATOSHIS_AMOUNT.put(tx, (), outpoint(7, 0), 3));
    assert!(matches!(&found[..], [Broken::Satoshis { .. }]), "{found:?}");
}

#[test]
fn topics_states_and_lists_that_disagree_are_found() {
    let found = broken(|tx| ADMITTED.delete(tx, outpoint(1, 0)).map(drop));
    assert!(found.iter().any(|broken| matches!(broken, Broken::Orphan { .. })), "{found:?}");
    let found = broken(|tx| {
        MERKLE.add(tx, (name("t"), 3), outpoint(1, 0), score::confirmed(1, 0)).map(drop)
    });
    assert!(matches!(&found[..], [Broken::TwoStates { a: 2, b: 3, .. }]), "{found:?}");
    let found = broken(|tx| TOPIC_TXS.remove(tx, name("t"), txid(1)).map(drop));
    assert!(matches!(&found[..], [Broken::Listing { .. }]), "{found:?}");
    let found = broken(|tx| LISTED.delete(tx, TxidText(txid(1).0)).map(drop));
    assert!(matches!(&found[..], [Broken::Listing { .. }, Broken::Listing { .. }]), "{found:?}");
    let found = broken(|tx| LOGS.remove(tx, log_name("tx:pending"), txid(1)).map(drop));
    assert!(matches!(&found[..], [Broken::Listing { .. }]), "{found:?}");
}

#[test]
fn undo_rows_that_are_missing_are_found() {
    let found = broken(|tx| ROWS.delete(tx, (0, 0)));
    assert!(matches!(&found[..], [Broken::Undo { unit: 0, .. }]), "{found:?}");
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
    let set = "tp:t:tx".to_owned();
    let (txid, expected) = (txid(1), score::confirmed(1, 0));
    assert_eq!(found, [Broken::Place { txid, set, found: elsewhere, expected }]);
    let found = broken(|tx| LOGS.add(tx, log_name("tx:pending"), txid, elsewhere).map(drop));
    assert!(matches!(&found[..], [Broken::Place { .. }]), "{found:?}");
    // All sets of one output agree with each other, but not with those of the other.
    let found = broken(|tx| {
        let at = outpoint(1, 1);
        EVENTS.add(tx, event::txid(txid), at, elsewhere)?;
        EVENTS.add(tx, own(), at, elsewhere)?;
        TOPICS.add(tx, name("t"), at, elsewhere)?;
        MERKLE.add(tx, (name("t"), 2), at, elsewhere)?;
        OUTPUT_MERKLE.put(tx, at, (), (9, 9).into())
    });
    assert!(matches!(&found[..], [Broken::Place { .. }]), "{found:?}");
}

#[test]
fn units_and_their_lists_that_disagree_are_found() {
    let why = |found: &[Broken]| -> Vec<&'static str> {
        let why = |broken: &Broken| match broken {
            Broken::Undo { why, .. } => *why,
            other => panic!("{other}"),
        };
        found.iter().map(why).collect()
    };
    let found = broken(|tx| OF_TXID.put(tx, (txid(5).0, 999), ()));
    assert_eq!(why(&found), ["a transaction lists it, and it is missing"]);
    let found = broken(|tx| OF_TXID.delete(tx, (txid(1).0, 0)));
    assert_eq!(why(&found), ["its transaction does not list it"]);
    let found = broken(|tx| {
        OF_TXID.delete(tx, (txid(1).0, 0))?;
        UNITS.delete(tx, 0)
    });
    assert_eq!(why(&found), ["it has rows and is missing"]);
}

#[test]
fn a_unit_that_was_taken_back_is_listed_nowhere() {
    let db = db();
    db.write(|tx| undo::rollback(tx, txid(1))).unwrap();
    assert_sound(&db.read().unwrap());
    db.write(|tx| OF_TXID.put(tx, (txid(1).0, 0), ())).unwrap();
    let found = invariants::undo(&db.read().unwrap()).unwrap();
    let why = "a transaction lists it, and it is missing";
    assert_eq!(found, [Broken::Undo { unit: 0, why }]);
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
        let shown = key.escape_ascii().to_string();
        let is_found = |broken: &Broken| match broken {
            Broken::Row { store: of, key, .. } => *of == store && *key == shown,
            _ => false,
        };
        assert!(found.iter().any(is_found), "{shown}: {found:?}");
    }
}

#[test]
fn dependencies_that_disagree_are_found() {
    // No topic has applied the dependency any more.
    let found = broken(|tx| {
        TOPIC_TXS.remove(tx, name("t"), txid(9))?;
        LISTED.delete(tx, TxidText(txid(9).0)).map(drop)
    });
    let dangling = |broken: &Broken| matches!(broken, Broken::Dangling { .. });
    assert!(found.len() == 2 && found.iter().all(dangling), "{found:?}");
    let found = broken(|tx| DEPENDENTS.delete(tx, TxidText(txid(9).0)).map(drop));
    assert!(found.iter().all(|broken| matches!(broken, Broken::Unlisted { .. })), "{found:?}");
    let found = broken(|tx| {
        let dependent = Dependent { topic: name("t"), outpoint: outpoint(1, 0) };
        DEPENDENTS.add(tx, TxidText(txid(8).0), dependent).map(drop)
    });
    assert!(matches!(&found[..], [Broken::Orphan { .. }]), "{found:?}");
    // An empty list is not written.
    let found = broken(|tx| OUTPUT_INPUTS.put(tx, outpoint(1, 0), name("t"), &[]));
    assert!(found.iter().any(|broken| matches!(broken, Broken::Field { .. })), "{found:?}");
}

#[test]
fn a_spend_before_its_output_is_found() {
    let found = broken(|tx| {
        SPENT_BY.add(tx, TxidText(txid(2).0), outpoint(1, 0), score::confirmed(0, 7))?;
        SPENT.add(tx, own(), outpoint(1, 0), score::confirmed(0, 7))?;
        SPENT.add(tx, event::txid(txid(1)), outpoint(1, 0), score::confirmed(0, 7)).map(drop)
    });
    let why = "it precedes the output in the chain";
    let (outpoint, spender) = (outpoint(1, 0), txid(2));
    assert_eq!(found, [Broken::Spend { outpoint, spender, why }]);
}

#[test]
fn a_tag_that_is_not_escaped_is_found() {
    let found =
        broken(|tx| OUTPUT_DATA.put(tx, outpoint(1, 0), name("50%"), &serde_json::json!(1)));
    assert!(matches!(&found[..], [Broken::Field { what, .. }] if what == "`dt:50%`"), "{found:?}");
}

#[test]
fn a_merkle_state_against_the_score_is_found() {
    let found = broken(|tx| {
        MERKLE.remove(tx, (name("t"), 2), outpoint(1, 0))?;
        MERKLE.add(tx, (name("t"), 0), outpoint(1, 0), score::confirmed(1, 0)).map(drop)
    });
    assert!(matches!(&found[..], [Broken::Orphan { why: "is confirmed", .. }]), "{found:?}");
}

#[test]
fn general_sets_belong_to_the_layout() {
    let db = db();
    let set = keyscape_txo::layout::txo::SetName::new("watched").unwrap();
    db.write(|tx| keeper::add_to_set(tx, &set, "ann")).unwrap();
    assert_sound(&db.read().unwrap());
    assert_eq!(keeper::set_members(&db.read().unwrap(), &set).unwrap(), ["ann"]);
    assert_eq!(key(SETS, &set), b"s:watched");
}

#[test]
fn lists_of_impossible_lengths_are_found() {
    let found = broken(|tx| OUTPUT_INPUTS.put(tx, outpoint(1, 0), name("t"), &[7; 35]));
    assert!(matches!(&found[..], [Broken::Field { what, .. }] if what == "`in:t`"), "{found:?}");
    let found = broken(|tx| OUTPUT_DEPS.put(tx, outpoint(1, 0), name("t"), &[7; 33]));
    assert!(matches!(&found[..], [Broken::Field { what, .. }] if what == "`dp:t`"), "{found:?}");
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
        let has = |is: fn(&Broken) -> bool| found.iter().any(is);
        assert!(has(|broken| matches!(broken, Broken::Field { .. })), "{found:?}");
        assert!(has(|broken| matches!(broken, Broken::Satoshis { .. })), "{found:?}");
        assert!(has(|broken| matches!(broken, Broken::Listing { .. })), "{found:?}");
    }
}

#[test]
fn breaches_are_counted_and_the_first_are_shown() {
    let db = db();
    db.write(|tx| (0..250).try_for_each(|vout| SATOSHIS_AMOUNT.put(tx, (), outpoint(7, vout), 3)))
        .unwrap();
    let read = db.read().unwrap();
    let found = invariants::check(&read).unwrap();
    assert_eq!(found.len(), invariants::SHOWN + 1);
    assert_eq!(found.last(), Some(&Broken::More { invariant: "satoshis", count: 150 }));
    let error = genesis::verify(&read).unwrap_err();
    assert!(matches!(error, GenesisError::Broken { more: 249, .. }), "{error}");
}
