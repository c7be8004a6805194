//! The effects of single operations; a rejected one leaves no trace.

use crate::world::{
    address, assert_sound, in_transaction, log_name, memory, name, outpoint, state, subscription,
    token, txid,
};
use keyscape::store::{Db, Tx};
use keyscape_txo::{
    error::Error,
    event,
    keeper::{self, Admission, NewOutput, ProgressSource},
    layout::txo::{BLACKLIST, Event, MerkleState, SUBSCRIPTIONS, Score, WHITELIST},
    score,
    search::Key,
    undo,
};
use serde_json::json;

#[test]
fn confirming_moves_a_transaction_in_every_set_and_unconfirming_moves_it_back() {
    let db = memory();
    let own = Event::Own { owner: address(1) };
    db.write(|tx| {
        undo::begin_block(tx, 0)?;
        let mut new = NewOutput::new(outpoint(1, 0), 5, score::seen(10));
        new.owners = vec![address(1)];
        keeper::save_output(tx, &new)?;
        new.outpoint = outpoint(2, 0);
        new.score = score::confirmed(0, 7);
        keeper::save_output(tx, &new)?;
        keeper::save_spend(tx, outpoint(2, 0), txid(1), score::seen(10))?;
        keeper::admit(tx, &name("t"), outpoint(1, 0), &Admission::default())?;
        keeper::set_merkle_state(tx, &name("t"), outpoint(1, 0), 7)?;
        keeper::apply(tx, &name("t"), txid(1), score::seen(11))?;
        keeper::log(tx, &log_name("tx:pending"), txid(1), score::seen(12)).map(drop)
    })
    .unwrap();
    let sets = |expected: Score| {
        let read = db.read().unwrap();
        let at = |key: Key, vout| key.score(&read, vout).unwrap();
        for (key, member) in [
            (Key::Event(event::txid(txid(1))), outpoint(1, 0)),
            (Key::Event(own.clone()), outpoint(1, 0)),
            (Key::Topic(name("t")), outpoint(1, 0)),
            (Key::Merkle(name("t"), 7), outpoint(1, 0)),
            (Key::SpentBy(txid(1)), outpoint(2, 0)),
            (Key::Spent(own.clone()), outpoint(2, 0)),
        ] {
            assert_eq!(at(key.clone(), member), Some(expected), "{key:?}");
        }
        assert_eq!(keeper::applied(&read, &name("t"), txid(1)).unwrap(), Some(expected));
        let logged = keeper::logged(&read, &log_name("tx:pending"), txid(1)).unwrap();
        assert_eq!(logged, Some(expected));
        assert_eq!(at(Key::Event(own.clone()), outpoint(2, 0)), Some(score::confirmed(0, 7)));
        assert_sound(&read);
    };
    let at = MerkleState { height: 0, index: u64::MAX };
    let moved = db.write(|tx| keeper::confirm(tx, txid(1), at)).unwrap();
    assert_eq!((moved.outputs, moved.spends, moved.listings), (1, 1, 2));
    sets(Score::Confirmed { at });
    db.write(|tx| keeper::unconfirm(tx, txid(1), 99)).unwrap();
    sets(score::seen(99));
}

#[test]
fn a_known_output_keeps_its_score_unless_a_position_is_given() {
    let db = memory();
    for height in [0, 6] {
        db.write(|tx| undo::begin_block(tx, height)).unwrap();
    }
    let save = |score| {
        let new = NewOutput::new(outpoint(1, 0), 5, score);
        db.write(|tx| keeper::save_output(tx, &new)).unwrap();
        keeper::score_of(&db.read().unwrap(), outpoint(1, 0)).unwrap().unwrap()
    };
    assert_eq!(save(score::seen(10)), score::seen(10));
    assert_eq!(save(score::seen(20)), score::seen(10));
    assert_eq!(save(score::confirmed(3, 4)), score::confirmed(3, 4));
    assert_eq!(save(score::seen(30)), score::confirmed(3, 4));
    assert_eq!(save(score::confirmed(5, 6)), score::confirmed(5, 6));
}

#[test]
fn data_of_parsers_is_replaced_with_the_output_and_bad_tags_are_reported() {
    let db = memory();
    let mut new = NewOutput::new(outpoint(1, 0), 5, score::seen(1));
    new.data = vec![
        ("bsv21".to_owned(), json!({"amt": 1})),
        ("a:b".to_owned(), json!([1, 2.5, "x"])),
        ("t".repeat(256), json!(null)),
    ];
    let saved = db.write(|tx| keeper::save_output(tx, &new)).unwrap();
    assert_eq!((saved.rejected.len(), saved.rejected[0].what), (1, "tag"));
    let data = || keeper::output(&db.read().unwrap(), outpoint(1, 0)).unwrap().unwrap().data;
    let found = data();
    assert_eq!(found.len(), 2);
    assert_eq!((found[0].0.as_str(), &found[0].1), ("a%3Ab", &json!([1, 2.5, "x"])));
    new.data = vec![("map".to_owned(), json!({}))];
    db.write(|tx| keeper::save_output(tx, &new)).unwrap();
    assert_eq!(data().len(), 1);
    db.write(|tx| keeper::add_events(tx, outpoint(1, 0), &[], &[("more".into(), json!(1))]))
        .unwrap();
    assert_eq!(data().len(), 2);
}

#[test]
fn a_spend_is_saved_once_and_another_spender_is_refused() {
    let db = memory();
    db.write(|tx| {
        let spend = |tx: &mut _, by, score| keeper::save_spend(tx, outpoint(1, 0), txid(by), score);
        assert!(spend(tx, 2, score::seen(5))?.is_new);
        let again = spend(tx, 2, score::seen(6))?;
        assert!(!again.is_new && !again.output_is_known);
        assert_eq!(keeper::spent_by(tx, txid(2))?, [(outpoint(1, 0), score::seen(5))]);
        spend(tx, 2, score::confirmed(9, 0))?;
        assert_eq!(keeper::spent_by(tx, txid(2))?, [(outpoint(1, 0), score::confirmed(9, 0))]);

        let before = state(tx);
        let error = spend(tx, 3, score::seen(7)).unwrap_err();
        assert!(
            matches!(error, Error::AlreadySpent { by, given, .. } if (by, given) == (txid(2), txid(3))),
            "{error}"
        );
        let error = spend(tx, 1, score::seen(7)).unwrap_err();
        assert!(matches!(error, Error::OwnOutput(_)), "{error}");
        assert_eq!(state(tx), before);
        Ok::<(), Error>(())
    })
    .unwrap();
    let text = Error::AlreadySpent { outpoint: outpoint(1, 0), by: txid(2), given: txid(3) };
    assert!(text.to_string().starts_with("output ee01"), "{text}");
}

#[test]
fn refused_operations_leave_nothing_in_the_transaction() {
    in_transaction(|tx| {
        keeper::save_output(tx, &NewOutput::new(outpoint(1, 0), 5, score::seen(1)))?;
        let before = (state(tx), tx.changes().rows());
        let other = NewOutput::new(outpoint(1, 0), 6, score::confirmed(1, 1));
        assert!(keeper::save_output(tx, &other).is_err());
        assert!(keeper::admit(tx, &name("t"), outpoint(1, 1), &Admission::default()).is_err());
        assert!(keeper::add_events(tx, outpoint(1, 1), &["sym:A".into()], &[]).is_err());
        assert!(keeper::confirm(tx, txid(2), (1, 0).into()).is_err());
        assert!(keeper::unconfirm(tx, txid(1), 77).is_err());
        assert!(keeper::set_merkle_state(tx, &name("t"), outpoint(1, 0), 1).is_err());
        assert!(undo::rollback(tx, txid(2)).is_err());
        assert_eq!((state(tx), tx.changes().rows()), before);
        Ok(())
    });
}

#[test]
fn progress_decreases_only_with_its_blocks() {
    let db = memory();
    let source = ProgressSource::Subscription(subscription("sub"));
    let owner = ProgressSource::Owner(address(3));
    let reached = || keeper::progress(&db.read().unwrap(), &source).unwrap();
    db.write(|tx| {
        undo::begin_block(tx, 5)?;
        assert!(keeper::advance(tx, &source, 5)?);
        assert!(keeper::advance(tx, &owner, 0)?);
        undo::begin_block(tx, 6)?;
        assert!(keeper::advance(tx, &source, 6)?);
        assert!(!keeper::advance(tx, &source, 5)? && !keeper::advance(tx, &source, 6)?);
        Ok::<(), Error>(())
    })
    .unwrap();
    assert_eq!(reached(), Some(6));
    db.write(|tx| undo::rollback_to(tx, 5, 9)).unwrap();
    assert_eq!(reached(), Some(5));
    assert_eq!(keeper::progress(&db.read().unwrap(), &owner).unwrap(), Some(0));
    assert_eq!(keeper::next_block(100, 200, 6), 101);
    assert_eq!(keeper::next_block(199, 200, 6), 194);
    assert_eq!(
        (keeper::next_block(u32::MAX, u32::MAX, 0), keeper::next_block(5, 3, 6)),
        (u32::MAX, 0)
    );
}

#[test]
fn removing_an_output_from_a_topic_deletes_the_data_of_the_topic() {
    let db = memory();
    let admission = Admission { inputs: vec![outpoint(8, 1), outpoint(9, 2)], deps: vec![txid(7)] };
    db.write(|tx| {
        keeper::save_output(tx, &NewOutput::new(outpoint(1, 0), 5, score::seen(1)))?;
        assert!(keeper::admit(tx, &name("t"), outpoint(1, 0), &admission)?);
        assert!(!keeper::admit(tx, &name("t"), outpoint(1, 0), &admission)?);
        assert_eq!(keeper::admission(tx, &name("t"), outpoint(1, 0))?, Some(admission.clone()));
        assert_eq!(keeper::topics_of(tx, outpoint(1, 0))?, [name("t")]);
        keeper::set_merkle_state(tx, &name("t"), outpoint(1, 0), 7)?;
        assert!(keeper::remove_from_topic(tx, &name("t"), outpoint(1, 0))?);
        assert!(!keeper::remove_from_topic(tx, &name("t"), outpoint(1, 0))?);
        assert_eq!(keeper::admission(tx, &name("t"), outpoint(1, 0))?, None);
        assert_eq!(keeper::topic_count(tx, &name("t"))?, 0);
        assert!(keeper::merkle_states(tx, &name("t"))?.is_empty());
        Ok::<(), Error>(())
    })
    .unwrap();
    assert_sound(&db.read().unwrap());
}

#[test]
fn a_transaction_that_is_rolled_back_leaves_its_queue() {
    let (sub, key) = (subscription("sub"), subscription("sub").into());
    type Queue = keyscape_txo::layout::txo::Subscriptions;
    in_transaction(|tx| {
        undo::begin_block(tx, 1)?;
        keeper::enqueue_transaction(tx, &sub, txid(1), score::confirmed(1, 0))?;
        undo::begin_block(tx, 2)?;
        let claims = SUBSCRIPTIONS.claim(tx, &sub, 0, 10, 9)?;
        keeper::save_output(tx, &NewOutput::new(outpoint(1, 0), 5, score::confirmed(1, 0)))?;
        keeper::ack::<Queue>(tx, &key, &claims[0])?;
        assert!(SUBSCRIPTIONS.claim(tx, &sub, 99, 10, 9)?.is_empty());
        keeper::enqueue_transaction(tx, &sub, txid(1), score::confirmed(1, 0))?;
        undo::rollback_to(tx, 1, 9)?;
        let claims = SUBSCRIPTIONS.claim(tx, &sub, 99, 10, 9)?;
        assert_eq!((claims.len(), claims[0].member), (1, txid(1)));
        undo::rollback(tx, txid(1))?;
        assert!(keeper::output(tx, outpoint(1, 0))?.is_none());
        assert!(SUBSCRIPTIONS.claim(tx, &sub, 999, 10, 9)?.is_empty());
        Ok(())
    });
}

/// Returns the scores of all parts of a transaction: two outputs, a spend, a topic and a log.
fn scores_of_everything(db: &Db) -> Vec<Option<Score>> {
    let read = db.read().unwrap();
    let of = |key: Key, at| key.score(&read, at).unwrap();
    let listed = Key::Event(event::txid(txid(1)));
    vec![
        of(listed.clone(), outpoint(1, 0)),
        of(listed, outpoint(1, 1)),
        of(Key::SpentBy(txid(1)), outpoint(7, 0)),
        keeper::applied(&read, &name("t"), txid(1)).unwrap(),
        keeper::logged(&read, &log_name("tx:pending"), txid(1)).unwrap(),
    ]
}

#[test]
fn all_parts_of_a_transaction_have_one_score_with_any_argument() {
    type Operation = fn(&mut Tx<'_>, Score) -> Result<(), Error>;
    let operations: [Operation; 5] = [
        |tx, score| keeper::save_output(tx, &NewOutput::new(outpoint(1, 0), 5, score)).map(drop),
        |tx, score| keeper::save_output(tx, &NewOutput::new(outpoint(1, 1), 5, score)).map(drop),
        |tx, score| keeper::save_spend(tx, outpoint(7, 0), txid(1), score).map(drop),
        |tx, score| keeper::apply(tx, &name("t"), txid(1), score).map(drop),
        |tx, score| keeper::log(tx, &log_name("tx:pending"), txid(1), score).map(drop),
    ];
    for first in operations {
        let db = memory();
        for height in [0, 20] {
            db.write(|tx| undo::begin_block(tx, height)).unwrap();
        }
        // The first arrival time counts.
        db.write(|tx| first(tx, score::seen(1))).unwrap();
        db.write(|tx| operations.iter().try_for_each(|run| run(tx, score::seen(2)))).unwrap();
        assert_eq!(scores_of_everything(&db), [Some(score::seen(1)); 5]);
        // A position moves all parts, and a later arrival time does not.
        for (height, run) in (10..).zip(operations) {
            let place = score::confirmed(height, 0);
            db.write(|tx| run(tx, place)).unwrap();
            db.write(|tx| run(tx, score::seen(3))).unwrap();
            assert_eq!(scores_of_everything(&db), [Some(place); 5]);
        }
        assert_sound(&db.read().unwrap());
    }
}

#[test]
fn a_symbol_that_is_no_escaped_text_is_rejected_and_reported() {
    let db = memory();
    let bad = Event::Sym { symbol: name("50%") };
    let mut new = NewOutput::new(outpoint(1, 0), 5, score::seen(1));
    new.events = vec![bad.clone().into(), event::sym("50%").unwrap().into()];
    let saved = db.write(|tx| keeper::save_output(tx, &new)).unwrap();
    let texts: Vec<&str> = saved.rejected.iter().map(|rejected| &*rejected.text).collect();
    assert_eq!(texts, ["sym:50%"]);
    assert_eq!(saved.events.iter().filter_map(event::symbol_of).collect::<Vec<_>>(), ["50%"]);
    let bad = [bad.into()];
    let added = db.write(|tx| keeper::add_events(tx, outpoint(1, 0), &bad, &[])).unwrap();
    assert_eq!((added.rejected.len(), added.events), (1, saved.events));
    assert!(event::parse("sym:50%").is_err(), "what was stored by others is found");
}

#[test]
fn tokens_that_should_have_a_worker_are_white_or_paid_and_not_black() {
    let db = memory();
    db.write(|tx| {
        // 1 is white; 2 is white and black; 3 and 4 have work and are paid, but 4 is black; 5 has
        // work and does not pay; 6 would be paid and has no work; 7 has work and no fee address.
        for number in [1, 2] {
            WHITELIST.add(tx, (), token(number))?;
        }
        for number in [2, 4] {
            BLACKLIST.add(tx, (), token(number))?;
        }
        for number in [3, 4, 5, 7] {
            keeper::enqueue_output(tx, token(number), outpoint(number, 0), score::seen(1))?;
        }
        for number in [3, 4, 6] {
            let mut new = NewOutput::new(outpoint(number, 9), 1_000, score::seen(1));
            new.owners = vec![address(number)];
            keeper::save_output(tx, &new)?;
        }
        Ok::<(), Error>(())
    })
    .unwrap();
    let fees = |of| (3..=6).find(|number| token(*number) == of).map(address);
    let read = db.read().unwrap();
    assert_eq!(keeper::followed(&read, fees, 10).unwrap(), [token(1), token(3)]);
    for number in [1, 3] {
        assert!(keeper::is_active(&read, token(number), &address(number), 10).unwrap());
    }
    // An admitted output costs more than the balance.
    let topic = event::token_topic(token(3)).unwrap();
    db.write(|tx| keeper::admit(tx, &topic, outpoint(3, 9), &Admission::default())).unwrap();
    let read = db.read().unwrap();
    assert_eq!(keeper::followed(&read, fees, 1_000).unwrap(), [token(1)]);
}
