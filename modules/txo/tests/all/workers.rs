//! Workers: threads on one queue, in memory and in a file.

use crate::world::{assert_sound, memory, outpoint, redb, subscription, token, txid};
use keyscape::{
    Backoff, Claim,
    store::{Db, Durability, Tx},
};
use keyscape_txo::{
    error::Error,
    keeper::{self, NewOutput},
    layout::txo::{Outpoint, SUBSCRIPTIONS, Subscriptions, TOKENS, Tokens, Txid},
    score,
    worker::{Failure, Handler, Options, work},
};
use std::sync::{
    Mutex,
    atomic::{AtomicU64, AtomicUsize, Ordering},
};

const OPTIONS: Options = Options {
    threads: 4,
    max_members: 10_000,
    lease: 1_000,
    backoff: Backoff { first: 1, max: 4, attempts: 3 },
};

/// Saves an output for each transaction; those in a list fail, with an error or a panic.
#[derive(Default)]
struct Saves {
    fail: Vec<Txid>,
    panic: Vec<Txid>,
    at_work: AtomicUsize,
    most_at_work: AtomicUsize,
    seen: Mutex<Vec<Txid>>,
}

impl Handler<Subscriptions> for Saves {
    type Prepared = Outpoint;

    fn prepare(&self, claim: &Claim<Subscriptions>) -> Result<Outpoint, Failure> {
        let at_work = self.at_work.fetch_add(1, Ordering::SeqCst) + 1;
        self.most_at_work.fetch_max(at_work, Ordering::SeqCst);
        std::thread::yield_now();
        self.at_work.fetch_sub(1, Ordering::SeqCst);
        self.seen.lock().unwrap().push(claim.member);
        if self.fail.contains(&claim.member) {
            return Err("no such transaction".into());
        }
        Ok(Outpoint { txid: claim.member, vout: 0 })
    }

    fn apply(
        &self,
        tx: &mut Tx<'_>,
        claim: &Claim<Subscriptions>,
        at: &Outpoint,
    ) -> Result<(), Failure> {
        keeper::save_output(tx, &NewOutput::new(*at, 1, claim.score))?;
        assert!(!self.panic.contains(&claim.member), "a bug in the handler");
        Ok(())
    }
}

fn fill(db: &Db, members: u8) {
    db.write(|tx| {
        (0..members).try_for_each(|number| {
            let score = score::confirmed(u32::from(number), 0);
            keeper::enqueue_transaction(tx, &subscription("sub"), txid(number), score).map(drop)
        })
    })
    .unwrap();
}

fn every_member_is_worked_on_once(db: &Db, members: u8) {
    fill(db, members);
    let handler = Saves::default();
    let key = subscription("sub").into();
    let report = work::<Subscriptions, _>(db, &key, &OPTIONS, &|| 0, &handler).unwrap();
    assert_eq!((report.done, report.lost, report.next), (u64::from(members), 0, None));
    assert!(handler.most_at_work.into_inner() <= 4);
    let mut seen = handler.seen.into_inner().unwrap();
    seen.sort();
    assert_eq!(seen, (0..members).map(txid).collect::<Vec<_>>());
    let read = db.read().unwrap();
    for number in 0..members {
        assert!(keeper::output(&read, outpoint(number, 0)).unwrap().is_some(), "{number}");
    }
    assert!(SUBSCRIPTIONS.is_empty(&read, subscription("sub")).unwrap());
    assert_sound(&read);
}

#[test]
fn threads_work_on_every_member_once_in_memory() {
    every_member_is_worked_on_once(&memory(), 200);
}

#[test]
fn threads_work_on_every_member_once_in_a_file() {
    let (db, _folder) = redb();
    every_member_is_worked_on_once(&db.with_durability(Durability::Buffered), 60);
}

#[test]
fn failing_members_block_no_others_and_finally_become_dead() {
    let db = memory();
    fill(&db, 40);
    // All members with the lowest scores fail. They are more than the threads.
    let handler =
        Saves { fail: (0..16).map(txid).collect(), panic: vec![txid(20)], ..Saves::default() };
    let key = subscription("sub").into();
    let clock = AtomicU64::new(0);
    let now = || clock.load(Ordering::SeqCst);
    let report = work::<Subscriptions, _>(&db, &key, &OPTIONS, &now, &handler).unwrap();
    assert_eq!((report.done, report.retried, report.buried), (23, 17, 0));
    assert_eq!((report.failures.len(), report.next), (17, Some(1)));
    assert!(report.failures.iter().any(|failure| failure.contains("panicked")));
    let shown = format!("{}: no such transaction", txid(3));
    assert!(report.failures.contains(&shown), "{:?}", report.failures);
    assert!(keeper::output(&db.read().unwrap(), outpoint(20, 0)).unwrap().is_none());

    clock.store(1, Ordering::SeqCst);
    let report = work::<Subscriptions, _>(&db, &key, &OPTIONS, &now, &handler).unwrap();
    assert_eq!((report.done, report.retried, report.next), (0, 17, Some(3)));
    clock.store(3, Ordering::SeqCst);
    let report = work::<Subscriptions, _>(&db, &key, &OPTIONS, &now, &handler).unwrap();
    assert_eq!((report.buried, report.next), (17, None));
    let counts = SUBSCRIPTIONS.counts(&db.read().unwrap(), subscription("sub")).unwrap();
    assert_eq!((counts.dead, counts.ready, counts.waiting, counts.leased), (17, 0, 0, 0));
    assert_sound(&db.read().unwrap());
}

#[test]
fn a_dead_worker_loses_no_member_and_its_old_claim_is_rejected() {
    let db = memory();
    fill(&db, 1);
    let key = subscription("sub").into();
    let claim =
        |now| db.write(|tx| SUBSCRIPTIONS.claim(tx, subscription("sub"), now, 10, 9)).unwrap();
    let dead = claim(0);
    assert!(claim(9).is_empty());
    let report = work::<Subscriptions, _>(&db, &key, &OPTIONS, &|| 10, &Saves::default()).unwrap();
    assert_eq!(report.done, 1);
    let error = db.write(|tx| keeper::ack::<Subscriptions>(tx, &key, &dead[0])).unwrap_err();
    assert!(error.to_string().contains("claim is lost"), "{error}");
}

#[test]
fn work_ends_after_the_maximum_number_of_members() {
    let db = memory();
    fill(&db, 9);
    let options = Options { max_members: 5, threads: 3, ..OPTIONS };
    let key = subscription("sub").into();
    let report = work::<Subscriptions, _>(&db, &key, &options, &|| 0, &Saves::default()).unwrap();
    assert_eq!(report.done, 5);
}

/// Pushes its own member again during its work, once.
struct Again(AtomicUsize);

impl Handler<Tokens> for Again {
    type Prepared = ();

    fn prepare(&self, _: &Claim<Tokens>) -> Result<(), Failure> {
        Ok(())
    }

    fn apply(&self, tx: &mut Tx<'_>, claim: &Claim<Tokens>, (): &()) -> Result<(), Failure> {
        if self.0.fetch_add(1, Ordering::SeqCst) == 0 {
            keeper::enqueue_output(tx, token(1), claim.member, score::seen(2))?;
        }
        Ok(())
    }
}

#[test]
fn a_member_that_is_pushed_during_its_work_is_processed_again() {
    let db = memory();
    db.write(|tx| keeper::enqueue_output(tx, token(1), outpoint(1, 0), score::seen(1))).unwrap();
    let handler = Again(AtomicUsize::new(0));
    let report = work::<Tokens, _>(&db, &token(1).into(), &OPTIONS, &|| 0, &handler).unwrap();
    assert_eq!((report.done, report.again, handler.0.into_inner()), (2, 1, 2));
    assert!(TOKENS.is_empty(&db.read().unwrap(), token(1)).unwrap());
}

#[test]
fn a_dispatch_adds_all_outputs_of_a_transaction_to_their_queues() {
    let db = memory();
    fill(&db, 1);
    let sub = subscription("sub");
    db.write(|tx| {
        let claims = SUBSCRIPTIONS.claim(tx, &sub, 0, 10, 1)?;
        let outputs = [(token(1), 0), (token(2), 3)];
        let dispatched = keeper::dispatch(tx, &sub, &claims[0], &outputs)?;
        assert!(dispatched.dead.is_empty(), "{dispatched:?}");
        assert!(keeper::dispatch(tx, &sub, &claims[0], &outputs).is_err(), "the claim is gone");
        for (token, vout) in outputs {
            let claims = TOKENS.claim(tx, token, 0, 10, 9)?;
            assert_eq!(claims.len(), 1);
            assert_eq!(claims[0].member, outpoint(0, vout));
            assert_eq!(claims[0].score, score::confirmed(0, 0));
        }
        Ok::<(), Error>(())
    })
    .unwrap();
}

#[test]
fn outputs_that_were_buried_are_reported_by_a_dispatch() {
    let db = memory();
    fill(&db, 1);
    let sub = subscription("sub");
    db.write(|tx| {
        keeper::enqueue_output(tx, token(1), outpoint(0, 0), score::seen(1))?;
        let claims = TOKENS.claim(tx, token(1), 0, 10, 1)?;
        TOKENS.bury(tx, token(1), &claims[0])?;
        assert_eq!(TOKENS.dead(token(1)).to_vec(tx)?, [outpoint(0, 0)]);
        let claims = SUBSCRIPTIONS.claim(tx, &sub, 0, 10, 1)?;
        let outputs = [(token(1), 0), (token(2), 3)];
        let dispatched = keeper::dispatch(tx, &sub, &claims[0], &outputs)?;
        assert_eq!(dispatched.dead, [(token(1), outpoint(0, 0))]);
        assert!(TOKENS.claim(tx, token(1), 0, 10, 9)?.is_empty());
        Ok::<(), Error>(())
    })
    .unwrap();
}

#[test]
fn failing_members_block_no_others_while_time_passes() {
    let db = memory();
    fill(&db, 80);
    // Failed members are due again before the others would have had their turn.
    let handler = Saves { fail: (0..40).map(txid).collect(), ..Saves::default() };
    let backoff = Backoff { first: 10, max: 40, attempts: u32::MAX };
    let options = Options { backoff, max_members: 200, threads: 2, ..OPTIONS };
    let clock = AtomicU64::new(0);
    let now = || clock.fetch_add(10, Ordering::SeqCst);
    let key = subscription("sub").into();
    let report = work::<Subscriptions, _>(&db, &key, &options, &now, &handler).unwrap();
    assert_eq!(report.done, 40, "{report:?}");
    assert_sound(&db.read().unwrap());
}
