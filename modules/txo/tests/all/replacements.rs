//! Unconfirmed transactions: replaced by confirmed spends, orphaned by reorganisations, and rolled
//! back with the transactions that they depend on.

use crate::world::{
    assert_sound, in_transaction, log_name, name, outpoint, save, subscription, token, txid,
};
use keyscape::store::Tx;
use keyscape_txo::{
    error::Error,
    event,
    keeper::{self, Admission, NewOutput, ProgressSource, Standing},
    layout::txo::{BLACKLIST, TOPIC_TXS, Txid, WHITELIST},
    score,
    search::Key,
    undo,
};

/// The index once rejected the confirmed spend and the rollback permanently.
#[test]
fn a_pruned_unconfirmed_spend_is_replaced_by_a_confirmed_one() {
    in_transaction(|tx| {
        undo::begin_block(tx, 1)?;
        save(tx, 1, score::confirmed(1, 0))?;
        keeper::save_spend(tx, outpoint(1, 0), txid(2), score::seen(5))?;
        save(tx, 2, score::seen(5))?;
        keeper::save_spend(tx, outpoint(2, 0), txid(3), score::seen(6))?;
        keeper::log(tx, &log_name("tx:pending"), txid(2), score::seen(5))?;
        undo::begin_block(tx, 2)?;
        undo::begin_block(tx, 3)?;
        undo::prune(tx, 3)?;
        assert!(!undo::is_final(tx, txid(2))? && undo::is_final(tx, txid(1))?);
        let error = keeper::save_spend(tx, outpoint(1, 0), txid(4), score::seen(9)).unwrap_err();
        assert!(matches!(error, Error::AlreadySpent { .. }), "{error}");
        let at = score::confirmed(3, 7);
        let spend = keeper::save_spend(tx, outpoint(1, 0), txid(4), at)?;
        assert_eq!(spend.replaced.transactions, [txid(2), txid(3)]);
        assert!(spend.is_new && spend.output_is_known);
        assert_eq!(keeper::spender(tx, outpoint(1, 0))?, Some(txid(4)));
        assert!(keeper::output(tx, outpoint(2, 0))?.is_none());
        assert_eq!(keeper::transaction_score(tx, txid(3))?, None);
        // Both are confirmed now.
        let error = keeper::save_spend(tx, outpoint(1, 0), txid(5), score::confirmed(3, 8));
        assert!(matches!(error, Err(Error::AlreadySpent { .. })), "{error:?}");
        assert_sound(tx);
        Ok(())
    });
}

#[test]
fn a_pruned_unconfirmed_transaction_is_rolled_back() {
    in_transaction(|tx| {
        undo::begin_block(tx, 1)?;
        save(tx, 1, score::seen(5))?;
        keeper::admit(tx, &name("t"), outpoint(1, 0), &Admission::default())?;
        undo::begin_block(tx, 2)?;
        undo::prune(tx, 2)?;
        let taken = undo::rollback(tx, txid(1))?;
        assert_eq!((taken.transactions, taken.units), (vec![txid(1)], 0));
        assert!(crate::world::state(tx).is_empty());
        Ok(())
    });
}

#[test]
fn decisions_of_operators_survive_a_reorganisation() {
    let (topic, host) = (name("t"), "https://a.example".parse().unwrap());
    in_transaction(|tx| {
        undo::begin_block(tx, 1)?;
        undo::begin_block(tx, 2)?;
        BLACKLIST.add(tx, (), token(1))?;
        WHITELIST.add(tx, (), token(2))?;
        keeper::met_peer(tx, &topic, &host, 7)?;
        keeper::advance(tx, &ProgressSource::Subscription(subscription("sub")), 2)?;
        undo::rollback_to(tx, 1, 9)?;
        assert_eq!(keeper::standing(tx, token(1))?, Standing::Black);
        assert_eq!(keeper::standing(tx, token(2))?, Standing::White);
        assert_eq!(keeper::peers(tx)?.len(), 1);
        assert_eq!(keeper::sources(tx)?, []);
        Ok(())
    });
}

#[test]
fn orphaned_transactions_are_unconfirmed_with_everything_that_they_have() {
    in_transaction(|tx| {
        undo::begin_block(tx, 1)?;
        save(tx, 1, score::confirmed(1, 0))?;
        undo::begin_block(tx, 2)?;
        save(tx, 2, score::seen(1))?;
        keeper::admit(tx, &name("t"), outpoint(2, 0), &Admission::default())?;
        keeper::confirm(tx, txid(2), (2, 5).into())?;
        keeper::save_spend(tx, outpoint(1, 0), txid(2), score::seen(1))?;
        assert_eq!(keeper::merkle_state(tx, &name("t"), outpoint(2, 0))?, Some(keeper::VALIDATED));
        let removed = undo::rollback_to(tx, 1, 9)?;
        assert_eq!((removed.orphaned, removed.blocks), (vec![txid(2)], 1));
        let output = keeper::output(tx, outpoint(2, 0))?.unwrap();
        assert_eq!(output.score, score::seen(9));
        assert_eq!(keeper::spender(tx, outpoint(1, 0))?, Some(txid(2)));
        assert_eq!(keeper::merkle_state(tx, &name("t"), outpoint(2, 0))?, Some(keeper::UNMINED));
        // The block that replaces it contains the transaction again.
        undo::begin_block(tx, 2)?;
        keeper::confirm(tx, txid(2), (2, 1).into())?;
        assert_sound(tx);
        Ok(())
    });
}

#[test]
fn a_rollback_follows_the_dependencies_of_topics() {
    let topic = name("t");
    in_transaction(|tx| {
        for number in 1..=3 {
            save(tx, number, score::seen(number.into()))?;
        }
        let needs = |deps: &[Txid], inputs| Admission { inputs, deps: deps.to_vec() };
        keeper::admit(tx, &topic, outpoint(2, 0), &needs(&[txid(1)], vec![]))?;
        keeper::admit(tx, &topic, outpoint(3, 0), &needs(&[], vec![outpoint(2, 0)]))?;
        assert_eq!(keeper::missing_dependencies(tx, &topic, txid(2))?, [txid(1)]);
        let error = keeper::apply(tx, &topic, txid(2), score::seen(2)).unwrap_err();
        assert!(matches!(error, Error::NotReady { missing, .. } if missing == txid(1)), "{error}");
        keeper::apply(tx, &topic, txid(1), score::seen(1))?;
        keeper::apply(tx, &topic, txid(2), score::seen(2))?;
        let error = keeper::unapply(tx, &topic, txid(1)).unwrap_err();
        assert!(matches!(error, Error::Needed { by, .. } if by == txid(2)), "{error}");
        assert_eq!(keeper::dependents_of(tx, txid(2))?[0].outpoint, outpoint(3, 0));
        assert_sound(tx);
        let taken = undo::rollback(tx, txid(1))?;
        assert_eq!(taken.transactions, [txid(1)]);
        assert_eq!(
            taken.released,
            [(topic.clone(), outpoint(2, 0)), (topic.clone(), outpoint(3, 0))]
        );
        assert_eq!(keeper::applied(tx, &topic, txid(2))?, None);
        assert_eq!(keeper::topics(tx)?, []);
        assert!(keeper::output(tx, outpoint(3, 0))?.is_some());
        assert_sound(tx);
        Ok(())
    });
}

#[test]
fn an_admission_without_inputs_writes_no_list_of_inputs() {
    in_transaction(|tx| {
        save(tx, 1, score::seen(1))?;
        keeper::admit(tx, &name("t"), outpoint(1, 0), &Admission::default())?;
        let field = keyscape_txo::layout::txo::OUTPUT_INPUTS;
        assert!(!field.contains(tx, outpoint(1, 0), name("t"))?);
        assert_eq!(keeper::topics_of(tx, outpoint(1, 0))?, [name("t")]);
        assert_eq!(keeper::topics(tx)?, [(name("t"), 1)]);
        Ok(())
    });
}

#[test]
fn no_spend_precedes_its_output() {
    in_transaction(|tx| {
        let early = |result: Result<(), Error>| {
            assert!(matches!(result, Err(Error::SpendBeforeOutput { .. })), "{result:?}");
        };
        let unconfirmed = |result: Result<(), Error>, of: u8, by: u8| {
            let Err(Error::UnconfirmedParent { parent, spender }) = result else {
                panic!("{result:?}")
            };
            assert_eq!((parent, spender), (txid(of), txid(by)));
        };
        undo::begin_block(tx, 4)?;
        undo::begin_block(tx, 6)?;
        save(tx, 1, score::seen(1))?;
        let spend = |tx: &mut Tx<'_>, score| {
            keeper::save_spend(tx, outpoint(1, 0), txid(2), score).map(drop)
        };
        unconfirmed(spend(tx, score::confirmed(5, 0)), 1, 2);
        keeper::confirm(tx, txid(1), (5, 3).into())?;
        early(spend(tx, score::confirmed(5, 2)));
        early(spend(tx, score::confirmed(5, 3)));
        spend(tx, score::confirmed(5, 4))?;
        early(keeper::confirm(tx, txid(1), (5, 9).into()).map(drop));
        early(keeper::confirm(tx, txid(2), (4, 9).into()).map(drop));
        // The spending transaction leaves its block with its parent.
        let moved = keeper::unconfirm(tx, txid(1), 7)?;
        assert_eq!(moved.transactions, 2);
        assert_eq!(keeper::transaction_score(tx, txid(2))?, Some(score::seen(7)));
        // An output that arrives after its confirmed spend.
        keeper::save_spend(tx, outpoint(8, 0), txid(9), score::confirmed(6, 1))?;
        unconfirmed(save(tx, 8, score::seen(1)), 8, 9);
        save(tx, 8, score::confirmed(6, 0))?;
        assert_sound(tx);
        undo::begin_block(tx, 7)?;
        let late = keeper::confirm(tx, txid(9), (8, 0).into());
        assert!(matches!(late, Err(Error::NoBlock { height: 8, last: 7 })), "{late:?}");
        Ok(())
    });
}

#[test]
fn merkle_states_follow_the_chain() {
    let topic = name("t");
    in_transaction(|tx| {
        undo::begin_block(tx, 1)?;
        save(tx, 1, score::seen(1))?;
        keeper::admit(tx, &topic, outpoint(1, 0), &Admission::default())?;
        let state = |tx: &Tx<'_>| keeper::merkle_state(tx, &name("t"), outpoint(1, 0));
        assert_eq!(state(tx)?, Some(keeper::UNMINED));
        let wrong = keeper::set_merkle_state(tx, &topic, outpoint(1, 0), keeper::IMMUTABLE);
        assert!(matches!(wrong, Err(Error::MerkleState { .. })), "{wrong:?}");
        keeper::confirm(tx, txid(1), (1, 0).into())?;
        assert_eq!(state(tx)?, Some(keeper::VALIDATED));
        keeper::set_merkle_state(tx, &topic, outpoint(1, 0), keeper::IMMUTABLE)?;
        keeper::unconfirm(tx, txid(1), 7)?;
        assert_eq!(state(tx)?, Some(keeper::UNMINED));
        keeper::set_merkle_state(tx, &topic, outpoint(1, 0), 9)?;
        keeper::confirm(tx, txid(1), (1, 0).into())?;
        assert_eq!(state(tx)?, Some(9), "a state of the program");
        assert_eq!(keeper::reset_merkle_state(tx, &topic, outpoint(1, 0))?, Some(9));
        assert_eq!(state(tx)?, Some(keeper::VALIDATED));
        assert_sound(tx);
        Ok(())
    });
}

#[test]
fn events_of_applications_are_listed() {
    in_transaction(|tx| {
        let mut new = NewOutput::new(outpoint(1, 0), 5, score::seen(1));
        new.events.push("app:ord:type:image/png".into());
        new.events.push("app:".into());
        let saved = keeper::save_output(tx, &new)?;
        assert_eq!(saved.rejected.len(), 1, "an empty text is no event");
        let event = event::app("ord:type:image/png").unwrap();
        assert!(saved.events.contains(&event));
        assert!(Key::Event(event).score(tx, outpoint(1, 0))?.is_some());
        assert!(event::parse("app:50%").is_err());
        assert_sound(tx);
        Ok(())
    });
}

#[test]
fn applied_transactions_are_listed_by_score() {
    in_transaction(|tx| {
        for number in 1..=5 {
            keeper::apply(tx, &name("t"), txid(number), score::confirmed(number.into(), 0))?;
        }
        let range = score::from_height(2)..=score::to_height(4);
        let applied = TOPIC_TXS.members(name("t")).range(range).reverse();
        let rows = applied.to_vec(tx)?;
        let txids: Vec<Txid> = rows.iter().map(|row| row.member).collect();
        assert_eq!(txids, [4, 3, 2].map(txid));
        Ok(())
    });
}
