//! Several workers on one queue.

use crate::structures::{Outcome, empty, name, sound, txo::*};
use keyscape_runtime::Backoff;
use keyscape_runtime::{Acked, Error, Failed};
use keyscape_store::{Db, Mode, StoreErrorKind, Tx};
use std::{collections::BTreeMap, sync::Mutex, thread};

const ITEMS: u64 = 300;
const WORKERS: usize = 4;

type Work<'a> = &'a (
        dyn Fn(&Db, &mut dyn FnMut(&mut Tx<'_>) -> Result<usize, Error>) -> Result<usize, Error>
            + Sync
    );

/// Runs workers until the queue is empty. Returns how often each item was done.
fn work(db: &Db, transaction: Work<'_>) -> BTreeMap<String, u32> {
    let done = Mutex::new(BTreeMap::new());
    thread::scope(|scope| {
        for worker in 0..WORKERS {
            let done = &done;
            scope.spawn(move || {
                loop {
                    let mut claims = Vec::new();
                    transaction(db, &mut |tx| {
                        claims = JOBS.claim(tx, 1, 0, 1000, 1 + worker)?;
                        Ok(claims.len())
                    })
                    .expect("claiming works in the end");
                    if claims.is_empty() {
                        break;
                    }
                    for claim in &claims {
                        transaction(db, &mut |tx| {
                            assert_eq!(JOBS.ack(tx, 1, claim)?, Acked::Done);
                            Ok(0)
                        })
                        .expect("the claim is not lost");
                        let mut done = done.lock().expect("no worker has failed");
                        *done.entry(claim.member.as_str().to_owned()).or_default() += 1;
                    }
                }
            });
        }
    });
    done.into_inner().expect("no worker has failed")
}

fn filled() -> Result<Db, Box<dyn std::error::Error>> {
    let db = empty()?;
    db.write(|tx| {
        for item in 0..ITEMS {
            JOBS.push(tx, 1, name(&format!("item{item}")), item % 7)?;
        }
        Ok::<(), Error>(())
    })?;
    Ok(db)
}

fn each_once(db: &Db, done: &BTreeMap<String, u32>) -> Outcome {
    assert_eq!(done.len() as u64, ITEMS);
    assert!(done.values().all(|times| *times == 1), "{done:?}");
    let state = db.read()?;
    assert!(JOBS.is_empty(&state, 1)?);
    sound(&JOBS.check(&state, 1)?)
}

#[test]
fn optimistic_workers_do_every_item_exactly_once() -> Outcome {
    let db = filled()?;
    let done = work(&db, &|db, run| db.optimistic(100_000, |tx| run(tx)));
    each_once(&db, &done)
}

#[test]
fn exclusive_workers_do_every_item_exactly_once() -> Outcome {
    let db = filled()?;
    let done = work(&db, &|db, run| db.write(|tx| run(tx)));
    each_once(&db, &done)
}

/// Producers push while workers run, and some workers fail. No item is lost, and no item is
/// processed by two workers at once.
#[test]
fn no_pushed_item_is_lost_while_workers_fail() -> Outcome {
    let db = empty()?;
    let backoff = Backoff { first: 1, max: 2, attempts: 3 };
    let pushed = Mutex::new(0_u64);
    let (done, buried) = (Mutex::new(0_u64), Mutex::new(0_u64));
    thread::scope(|scope| {
        for producer in 0..2_u64 {
            let (db, pushed) = (&db, &pushed);
            scope.spawn(move || {
                for item in 0..60_u64 {
                    let member = format!("item{producer}-{item}");
                    db.optimistic(100_000, |tx| JOBS.push(tx, 1, name(&member), item))
                        .expect("pushing works in the end");
                    *pushed.lock().expect("no thread has failed") += 1;
                }
            });
        }
        for _ in 0..WORKERS {
            let (db, done, buried) = (&db, &done, &buried);
            scope.spawn(move || {
                let mut now = 0;
                while now < 400 {
                    now += 1;
                    let claims = db
                        .optimistic(100_000, |tx| JOBS.claim(tx, 1, now, 1_000_000, 3))
                        .expect("claiming works in the end");
                    for claim in claims {
                        let bad = claim.member.as_str().ends_with('7');
                        let outcome = db
                            .optimistic(100_000, |tx| {
                                if bad {
                                    return JOBS.fail(tx, 1, &claim, now, &backoff).map(Some);
                                }
                                JOBS.ack(tx, 1, &claim).map(|_| None)
                            })
                            .expect("the claim is not lost");
                        match outcome {
                            None => *done.lock().expect("no thread has failed") += 1,
                            Some(Failed::Buried) => *buried.lock().expect("none") += 1,
                            Some(Failed::RetryAt(_)) => {}
                        }
                    }
                }
            });
        }
    });
    // Process the items that no worker has finished.
    db.write(|tx| {
        for now in 1000..1100 {
            for claim in JOBS.claim(tx, 1, now, 10, 100)? {
                match claim.member.as_str().ends_with('7') {
                    true if JOBS.fail(tx, 1, &claim, now, &backoff)? == Failed::Buried => {
                        *buried.lock().expect("none") += 1;
                    }
                    true => {}
                    false => {
                        JOBS.ack(tx, 1, &claim)?;
                        *done.lock().expect("none") += 1;
                    }
                }
            }
        }
        Ok::<(), Error>(())
    })?;
    let state = db.read()?;
    sound(&JOBS.check(&state, 1)?)?;
    assert_eq!(JOBS.counts(&state, 1)?.dead, 12);
    assert_eq!(*buried.lock().expect("none"), 12);
    assert_eq!(*done.lock().expect("none"), *pushed.lock().expect("none") - 12);
    Ok(())
}

#[test]
fn claims_conflict_with_claims_and_not_with_finished_work() -> Outcome {
    let db = filled()?;
    let mut held = Vec::new();
    db.write(|tx| {
        held = JOBS.claim(tx, 1, 0, 1000, 3)?;
        Ok::<(), Error>(())
    })?;
    let mut claiming = db.begin(Mode::Optimistic)?;
    assert_eq!(JOBS.claim(&mut claiming, 1, 1, 1000, 3)?.len(), 3);
    db.write(|tx| {
        JOBS.ack(tx, 1, &held[0])?;
        JOBS.retry(tx, 1, &held[1], 1, 50)?;
        JOBS.bury(tx, 1, &held[2])
    })?;
    claiming.commit()?;

    let mut claiming = db.begin(Mode::Optimistic)?;
    JOBS.claim(&mut claiming, 1, 1, 1000, 3)?;
    db.write(|tx| JOBS.claim(tx, 1, 1, 1000, 1).map(drop))?;
    let error = claiming.commit().expect_err("both took the first member");
    assert_eq!(error.kind(), StoreErrorKind::Conflict);
    Ok(())
}
