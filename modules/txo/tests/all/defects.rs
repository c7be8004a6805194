//! Defects of the original implementation, each shown to be absent.

use crate::world::{
    address, assert_sound, in_transaction, key, memory, name, outpoint, subscription, token, txid,
};
use keyscape::{Backoff, Pushed, traits::Field};
use keyscape_txo::{
    error::Error,
    event,
    keeper::{self, Admission, NewEvent, NewOutput, Standing},
    layout::txo::{
        BLACKLIST, EVENTS, Event, LogName, Name, OUTPUT, Outpoint, SATOSHIS_AMOUNT, SPENT,
        SUBSCRIPTIONS, Score, Subscription, Subscriptions, TOPICS, TokenId, WHITELIST,
    },
    score,
    search::{self, Join, Key, OutputQuery},
    undo,
};

fn save(tx: &mut keyscape::store::Tx<'_>, at: Outpoint, events: &[NewEvent]) -> Result<(), Error> {
    let mut new = NewOutput::new(at, 1_000, score::confirmed(7, at.txid.0[0].into()));
    new.owners = vec![address(1)];
    new.events = events.to_vec();
    keeper::save_output(tx, &new).map(drop)
}

#[test]
fn output_one_of_a_transaction_is_read_as_output_one() {
    let db = memory();
    db.write(|tx| [0, 1, 256].into_iter().try_for_each(|vout| save(tx, outpoint(1, vout), &[])))
        .unwrap();
    let outputs = keeper::outputs_of(&db.read().unwrap(), txid(1)).unwrap();
    assert_eq!(outputs, [0, 1, 256].map(|vout| outpoint(1, vout)), "in order of their numbers");
    assert!(key(OUTPUT, outpoint(1, 1)).ends_with(&[0, 0, 0, 1]));
}

#[test]
fn rolling_a_transaction_back_finds_its_outputs() {
    let db = memory();
    db.write(|tx| {
        undo::begin_block(tx, 7)?;
        save(tx, outpoint(1, 0), &[])
    })
    .unwrap();
    let taken = db.write(|tx| undo::rollback(tx, txid(1))).unwrap();
    assert_eq!(taken.units, 1);
    assert!(keeper::output(&db.read().unwrap(), outpoint(1, 0)).unwrap().is_none());
}

#[test]
fn an_event_and_its_spent_event_have_separate_members_and_counts() {
    let db = memory();
    db.write(|tx| {
        save(tx, outpoint(1, 0), &[])?;
        keeper::save_spend(tx, outpoint(1, 0), txid(2), score::confirmed(8, 0))?;
        keeper::admit(tx, &name("t"), outpoint(1, 0), &Admission::default())?;
        keeper::apply(tx, &name("t"), txid(1), score::seen(1)).map(drop)
    })
    .unwrap();
    let read = db.read().unwrap();
    let own = Key::Event(Event::Own { owner: address(1) });
    let page = search::page(&read, &OutputQuery::of(own), 10).unwrap();
    let found: Vec<_> = page.hits.iter().map(|hit| (hit.outpoint, hit.score)).collect();
    assert_eq!(found, [(outpoint(1, 0), score::confirmed(7, 1))]);
    assert_eq!(keeper::topic_count(&read, &name("t")).unwrap(), 1);
}

#[test]
fn a_reversed_search_returns_the_same_outputs() {
    let db = memory();
    db.write(|tx| (0..5).try_for_each(|vout| save(tx, outpoint(1, vout), &[]))).unwrap();
    let read = db.read().unwrap();
    let query = OutputQuery::of(Key::Event(event::txid(txid(1))));
    let mut forwards = search::page(&read, &query, 10).unwrap().hits;
    let backwards = search::page(&read, &query.reverse(), 10).unwrap().hits;
    forwards.reverse();
    assert_eq!((backwards.len(), backwards), (5, forwards));
}

#[test]
fn no_chosen_name_produces_the_key_of_another_keyspace() {
    let db = memory();
    let long = format!("sym:{}", "x".repeat(256));
    let found: Vec<NewEvent> =
        ["sym:FOO", "sym:FOO:spnd", "sym:a\0b", "tp:tm_bsv21", "sym:", &long]
            .map(NewEvent::from)
            .to_vec();
    let saved = db
        .write(|tx| {
            let mut new = NewOutput::new(outpoint(1, 0), 1, score::seen(1));
            new.events.clone_from(&found);
            keeper::save_output(tx, &new)
        })
        .unwrap();
    // Escapable texts are escaped, others are reported, and the rest is saved.
    let rejected: Vec<&str> = saved.rejected.iter().map(|rejected| &*rejected.text).collect();
    assert_eq!(rejected, ["tp:tm_bsv21", "sym:", &*long]);
    let symbols: Vec<String> = saved.events.iter().filter_map(event::symbol_of).collect();
    assert_eq!(symbols, ["FOO", "FOO:spnd", "a\0b"]);
    let read = db.read().unwrap();
    let spent = Key::Spent(event::sym("FOO").unwrap());
    assert!(search::page(&read, &OutputQuery::of(spent), 9).unwrap().hits.is_empty());
    assert_sound(&read);

    let of = |event: &str| key(EVENTS, event::read(event).unwrap());
    assert_ne!(of("sym:FOO:spnd"), key(SPENT, event::sym("FOO").unwrap()));
    assert!(Name::new("t:tx").is_err(), "a topic");
    assert!(Subscription::new("tok:X").is_err(), "a queue");
    assert!(LogName::new("merkle:a:1").is_err(), "a log");
    assert!(LogName::new("tp:x").is_err() && LogName::new("own:x").is_err(), "a log");
}

#[test]
fn a_transaction_id_that_begins_like_a_lookup_key_is_not_part_of_the_lookup() {
    let db = memory();
    let mut bytes = *b"sats:ev\0spnd:prog:sats:ev\0spnd:p";
    bytes[31] = b':';
    let ground = Outpoint { txid: keyscape_txo::layout::txo::Txid(bytes), vout: 0 };
    db.write(|tx| {
        save(tx, ground, &[])?;
        save(tx, outpoint(1, 0), &[])
    })
    .unwrap();
    let read = db.read().unwrap();
    let amounts = SATOSHIS_AMOUNT.all(()).to_vec(&read).unwrap();
    let mut outpoints: Vec<Outpoint> = amounts.iter().map(|row| row.field.outpoint).collect();
    outpoints.sort();
    assert_eq!(outpoints, [outpoint(1, 0), ground]);
    assert_eq!(keeper::outputs_of(&read, ground.txid).unwrap(), [ground]);
    assert!(TokenId::decode(b"whitelist:X").is_err(), "a member of the set s:bsv21");
    assert_sound(&read);
}

#[test]
fn scores_distinguish_every_index_every_nanosecond_and_block_0() {
    let ordered = [
        score::confirmed(0, 0),
        score::confirmed(850_000, 1_000_000_000),
        score::confirmed(850_001, 0),
        score::confirmed(8_388_608, 1),
        score::confirmed(8_388_608, 2),
        score::confirmed(u32::MAX, u64::MAX),
        score::seen(0),
        score::seen(1_703_097_600_123_456_700),
        score::seen(1_703_097_600_123_456_789),
        score::seen(u64::MAX),
    ];
    let db = memory();
    db.write(|tx| {
        ordered.into_iter().zip(0..).try_for_each(|(score, number)| {
            let mut new = NewOutput::new(outpoint(number, 0), 1, score);
            new.owners = vec![address(1)];
            keeper::save_output(tx, &new).map(drop)
        })
    })
    .unwrap();
    let read = db.read().unwrap();
    let query = OutputQuery::of(Key::Event(Event::Own { owner: address(1) }));
    let found: Vec<Score> =
        search::search(&read, &query).unwrap().map(|hit| hit.unwrap().score).collect();
    assert_eq!(found, ordered);
}

#[test]
fn bytes_and_numbers_without_a_score_are_rejected() {
    // The original wrote −0.0 as eight zero bytes, which do not decode as a number.
    assert!(Score::decode(&[0; 8]).is_err());
    assert!(score::Documented::read(-0.0).is_err() && score::Documented::read(f64::NAN).is_err());
}

#[test]
fn a_token_has_one_id() {
    let id = event::print_token(token(1));
    assert_eq!(event::parse_token(&id).unwrap(), token(1));
    let (hex, vout) = id.split_once('_').unwrap();
    let others = [
        format!("{hex}.{vout}"),
        format!("{hex}X{vout}"),
        format!("{hex}i{vout}"),
        format!("{hex}_0{vout}"),
        format!("{hex}_+{vout}"),
        format!("{}_{vout}", hex.to_uppercase()),
        format!("0{hex}_{vout}"),
    ];
    for other in others {
        assert!(event::parse_token(&other).is_err(), "{other}");
        assert!(event::parse(&format!("id:{other}")).is_err(), "{other}");
    }
}

#[test]
fn sets_are_joined_by_member_and_pages_are_full() {
    let db = memory();
    db.write(|tx| {
        for vout in 0..8 {
            save(tx, outpoint(1, vout), &[Event::Id { token: token(1) }.into()])?;
        }
        // Spent outputs have another score in the spent set than under their event.
        for vout in [0, 1, 2, 5] {
            keeper::save_spend(tx, outpoint(1, vout), txid(9), score::confirmed(20, 3))?;
        }
        Ok::<(), Error>(())
    })
    .unwrap();
    let read = db.read().unwrap();
    let (listed, spent) =
        (Key::Event(Event::Id { token: token(1) }), Key::Spent(Event::Id { token: token(1) }));
    let vouts = |query: &OutputQuery| -> Vec<u32> {
        search::search(&read, query).unwrap().map(|hit| hit.unwrap().outpoint.vout).collect()
    };
    let both = OutputQuery::of(listed.clone()).and(spent);
    assert_eq!(vouts(&both.clone().joined(Join::Intersect)), [0, 1, 2, 5]);
    assert_eq!(vouts(&both.clone().joined(Join::Difference)), [3, 4, 6, 7]);
    assert_eq!(vouts(&both.joined(Join::Union)), [0, 1, 2, 3, 4, 5, 6, 7], "each once");
    assert_eq!(
        vouts(&OutputQuery::of(listed).unspent().limit(3)),
        [3, 4, 6],
        "spent ones do not count"
    );
}

#[test]
fn no_member_is_lost_starved_or_retried_forever() {
    let (sub, key) = (subscription("sub"), subscription("sub").into());
    let backoff = Backoff { first: 10, max: 10, attempts: 2 };
    in_transaction(|tx| {
        for number in 0..6 {
            keeper::enqueue_transaction(
                tx,
                &sub,
                txid(number),
                score::confirmed(number.into(), 0),
            )?;
        }
        // A whole page of members with the lowest scores fails.
        for claim in SUBSCRIPTIONS.claim(tx, &sub, 0, 100, 4)? {
            SUBSCRIPTIONS.fail(tx, &sub, &claim, 0, &backoff)?;
        }
        // The next members are processed nevertheless.
        let claims = SUBSCRIPTIONS.claim(tx, &sub, 0, 100, 4)?;
        assert_eq!(claims.iter().map(|claim| claim.member).collect::<Vec<_>>(), [txid(4), txid(5)]);
        // A member that is pushed during its work is processed again.
        let pushed = keeper::enqueue_transaction(tx, &sub, txid(4), score::seen(9))?;
        assert_eq!(pushed, Pushed::Again);
        for claim in &claims {
            keeper::ack::<Subscriptions>(tx, &key, claim)?;
        }
        let claims = SUBSCRIPTIONS.claim(tx, &sub, 0, 100, 4)?;
        assert_eq!(claims.iter().map(|claim| claim.member).collect::<Vec<_>>(), [txid(4)]);
        keeper::ack::<Subscriptions>(tx, &key, &claims[0])?;
        // Failed members are retried later, and finally become dead.
        assert!(SUBSCRIPTIONS.claim(tx, &sub, 9, 100, 9)?.is_empty());
        let claims = SUBSCRIPTIONS.claim(tx, &sub, 10, 100, 9)?;
        assert_eq!(claims.len(), 4);
        for claim in claims {
            SUBSCRIPTIONS.fail(tx, &sub, &claim, 10, &backoff)?;
        }
        assert!(SUBSCRIPTIONS.claim(tx, &sub, u64::MAX, 0, 9)?.is_empty());
        assert!(SUBSCRIPTIONS.revive(tx, &sub, txid(0))?);
        assert_eq!(SUBSCRIPTIONS.claim(tx, &sub, 20, 100, 9)?.len(), 1);
        Ok(())
    });
}

#[test]
fn saving_an_output_again_deletes_stale_entries() {
    let db = memory();
    let (old, new) = (Event::Id { token: token(1) }, Event::Id { token: token(2) });
    db.write(|tx| {
        save(tx, outpoint(1, 0), &[old.clone().into()])?;
        keeper::save_spend(tx, outpoint(1, 0), txid(2), score::seen(5))?;
        let added: [NewEvent; 1] = [Event::Ltm { token: token(3) }.into()];
        keeper::add_events(tx, outpoint(1, 0), &added, &[])?;
        assert_eq!(keeper::events_of(tx, outpoint(1, 0))?.len(), 4, "what is added, is added");
        save(tx, outpoint(1, 0), &[new.clone().into()])
    })
    .unwrap();
    let read = db.read().unwrap();
    let score = |key: Key| key.score(&read, outpoint(1, 0)).unwrap();
    let listed = |event: &Event<'static>| {
        (score(Key::Event(event.clone())).is_some(), score(Key::Spent(event.clone())).is_some())
    };
    assert_eq!(listed(&old), (false, false));
    assert_eq!(listed(&new), (true, true), "under the same name, unspent and spent");
    assert_eq!(listed(&Event::Ltm { token: token(3) }), (false, false));
    assert_sound(&read);
}

#[test]
fn the_blacklist_has_precedence_states_are_stored_and_times_have_nanoseconds() {
    in_transaction(|tx| {
        WHITELIST.add(tx, (), token(1))?;
        BLACKLIST.add(tx, (), token(1))?;
        assert_eq!(keeper::standing(tx, token(1))?, Standing::Black);
        assert!(!keeper::is_active(tx, token(1), &address(1), 1_000)?);
        BLACKLIST.remove(tx, (), token(1))?;
        assert!(keeper::is_active(tx, token(1), &address(1), 1_000)?);

        save(tx, outpoint(1, 0), &[])?;
        keeper::admit(tx, &name("t"), outpoint(1, 0), &Admission::default())?;
        assert_eq!(keeper::set_merkle_state(tx, &name("t"), outpoint(1, 0), 2)?, Some(1));
        assert_eq!(keeper::set_merkle_state(tx, &name("t"), outpoint(1, 0), 3)?, Some(2));
        assert_eq!(keeper::merkle_states(tx, &name("t"))?, [3]);

        let (topic, host) = (name("t"), "https://overlay.example.com".parse().unwrap());
        keeper::met_peer(tx, &topic, &host, 1_703_097_600_123_456_789)?;
        assert!(!keeper::met_peer(tx, &topic, &host, 5)?, "earlier");
        assert_eq!(keeper::last_met(tx, &topic, &host)?, Some(1_703_097_600_123_456_789));
        Ok(())
    });
}

/// The original counted each debit twice, because a prefix scan returned other rows.
#[test]
fn a_token_pays_for_each_output_once() {
    in_transaction(|tx| {
        save(tx, outpoint(1, 0), &[])?;
        let topic = event::token_topic(token(1))?;
        let paid = |tx: &_| keeper::fee_balance(tx, token(1), &address(1), 400);
        assert_eq!(paid(tx)?, 1_000);
        keeper::admit(tx, &topic, outpoint(1, 0), &Admission::default())?;
        keeper::apply(tx, &topic, txid(1), score::seen(1))?;
        assert_eq!(paid(tx)?, 600);
        keeper::save_spend(tx, outpoint(1, 0), txid(2), score::seen(2))?;
        assert_eq!(paid(tx)?, -400);
        assert!(!keeper::is_active(tx, token(1), &address(1), 400)?);
        assert_eq!(TOPICS.count(tx, topic)?, 1);
        Ok(())
    });
}
