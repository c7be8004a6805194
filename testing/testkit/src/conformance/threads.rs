//! Concurrency.

use super::{A, B, Db, Factory, Outcome, fill, kind, open};
use keyscape_store::{KeyRange, Mode, Read, ReadExt, StoreError, StoreErrorKind, Tx};
use std::{
    error::Error,
    sync::atomic::{AtomicBool, AtomicU64, Ordering},
    thread,
};

const THREADS: u64 = 4;
const ROUNDS: u64 = 25;
/// Enough attempts even if every other thread wins every time.
pub(super) const ATTEMPTS: u32 = 1000;

pub(super) fn no_deadlock(factory: Factory<'_>) -> Outcome {
    let db = open(factory)?;
    let mut tx = db.begin(Mode::Write)?;
    let busy = Err(StoreErrorKind::Busy);
    assert_eq!(kind(db.begin(Mode::Write)), busy);
    let mut other = db.begin(Mode::Optimistic)?;
    other.put(A, b"1", b"x")?;
    assert_eq!(kind(other.commit()), busy);
    tx.put(A, b"2", b"y")?;
    tx.commit()?;
    let state = db.read()?;
    assert_eq!(state.get(A, b"1")?, None, "what was busy is not written later");
    assert_eq!(state.get(A, b"2")?, Some(b"y".to_vec()));
    Ok(())
}

/// Runs the same code on several threads.
pub(super) fn together(
    run: impl Fn(u64) -> Result<(), StoreError> + Sync,
) -> Result<(), Box<dyn Error>> {
    thread::scope(|scope| {
        let run = &run;
        let threads: Vec<_> = (0..THREADS).map(|number| scope.spawn(move || run(number))).collect();
        for thread in threads {
            thread.join().map_err(|_| "a thread panicked")??;
        }
        Ok(())
    })
}

fn number(tx: &dyn Read, key: &[u8]) -> Result<u64, StoreError> {
    let bytes = tx.get_with(A, key, |value| value.try_into().unwrap_or_default())?;
    Ok(bytes.map_or(0, u64::from_be_bytes))
}

fn increment(tx: &mut Tx<'_>, key: &[u8]) -> Result<(), StoreError> {
    let next = number(tx, key)? + 1;
    tx.put(A, key, &next.to_be_bytes())
}

pub(super) fn exclusive(factory: Factory<'_>) -> Outcome {
    let db = open(factory)?;
    let inside = AtomicU64::new(0);
    together(|_| {
        for _ in 0..ROUNDS {
            let mut tx = db.begin(Mode::Write)?;
            assert_eq!(inside.fetch_add(1, Ordering::SeqCst), 0, "two writers at once");
            increment(&mut tx, b"n")?;
            thread::yield_now();
            inside.fetch_sub(1, Ordering::SeqCst);
            tx.commit()?;
        }
        Ok(())
    })?;
    assert_eq!(number(&db.read()?, b"n")?, THREADS * ROUNDS);
    Ok(())
}

/// Runs exclusive and optimistic writers on one counter, and on separate counters.
pub(super) fn increments(factory: Factory<'_>) -> Outcome {
    let db = open(factory)?;
    together(|thread| {
        for _ in 0..ROUNDS {
            let run = |tx: &mut Tx<'_>| {
                increment(tx, b"shared")?;
                increment(tx, &[thread as u8])
            };
            if thread == 0 { db.write(run)? } else { db.optimistic(ATTEMPTS, run)? }
        }
        Ok(())
    })?;
    let state = db.read()?;
    assert_eq!(number(&state, b"shared")?, THREADS * ROUNDS);
    for thread in 0..THREADS {
        assert_eq!(number(&state, &[thread as u8])?, ROUNDS);
    }
    Ok(())
}

pub(super) fn whole_commits(factory: Factory<'_>) -> Outcome {
    let db = open(factory)?;
    fill(&db, A, &[(b"k", &[0])])?;
    fill(&db, B, &[(b"k", &[0])])?;
    let over = AtomicBool::new(false);
    thread::scope(|scope| -> Outcome {
        let reader = scope.spawn(|| read_whole_commits(&db, &over));
        let written = (1..=100).try_for_each(|round: u8| {
            db.write(|tx| {
                tx.put(A, b"k", &[round])?;
                tx.put(B, b"k", &[round])
            })
        });
        over.store(true, Ordering::SeqCst);
        let read = reader.join().map_err(|_| "a reader saw a part of a commit")?;
        written?;
        Ok(read?)
    })
}

fn read_whole_commits(db: &Db, over: &AtomicBool) -> Result<(), StoreError> {
    let mut last = db.read()?.revision();
    while !over.load(Ordering::SeqCst) {
        let state = db.read()?;
        let (a, b) = (state.get(A, b"k")?, state.get(B, b"k")?);
        assert_eq!(a, b);
        assert!(state.revision() >= last, "revisions went back");
        last = state.revision();
        // Equal revisions mean equal states.
        let again = db.read()?;
        if again.revision() == last {
            assert_eq!(again.get(A, b"k")?, a);
        }
    }
    Ok(())
}

/// Each thread takes a slot if fewer than three are taken. Four slots must never be taken.
pub(super) fn write_skew(factory: Factory<'_>) -> Outcome {
    let db = open(factory)?;
    together(|thread| {
        for round in 0..ROUNDS as u8 {
            db.optimistic(ATTEMPTS, |tx| {
                let taken = tx.rows(A, KeyRange::prefix(&[round]))?.to_vec()?.len();
                if taken < 3 {
                    tx.put(A, &[round, thread as u8], b"")?;
                }
                Ok::<_, StoreError>(())
            })?;
        }
        Ok(())
    })?;
    let state = db.read()?;
    for round in 0..ROUNDS as u8 {
        assert_eq!(state.rows(A, KeyRange::prefix(&[round]))?.to_vec()?.len(), 3);
    }
    Ok(())
}
