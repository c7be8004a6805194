//! Engine failures at every call: a transaction is complete or absent, and nothing panics.

use keyscape_store::{
    Database, Db, Durability, KeyRange, Memory, Mode, Read, ReadExt, Spaces, StoreError,
    StoreErrorKind, StoreId, Tx,
};
use keyscape_testkit::{Failing, Fault};
use std::sync::Arc;

const A: StoreId = StoreId::of("a");
const B: StoreId = StoreId::of("b");

fn run(tx: &mut Tx<'_>) -> Result<(), StoreError> {
    let old = tx.get(A, b"1")?;
    tx.put(A, b"1", b"new")?;
    tx.put(B, b"1", old.as_deref().unwrap_or(b"none"))?;
    // A failing part is rolled back, whether it fails itself or the engine fails.
    let failed: Result<(), StoreError> = tx.attempt(|tx| {
        tx.put(B, b"2", b"never")?;
        tx.get(A, b"3")?;
        Err(StoreErrorKind::ReadOnly.into())
    });
    assert!(failed.is_err());
    let rows = tx.rows(A, KeyRange::all())?.to_vec()?;
    tx.put(B, b"3", &[rows.len() as u8])
}

type Contents = Vec<(Vec<u8>, Vec<u8>)>;

fn contents(db: &Db) -> Result<(Contents, Contents), StoreError> {
    let state = db.read()?;
    Ok((state.rows(A, KeyRange::all())?.to_vec()?, state.rows(B, KeyRange::all())?.to_vec()?))
}

fn start() -> Result<Arc<dyn Database>, Box<dyn std::error::Error>> {
    let memory: Arc<dyn Database> = Arc::new(Memory::new(Spaces::new(["a", "b"])?));
    Db::from(Arc::clone(&memory)).write(|tx| {
        tx.put(A, b"1", b"old")?;
        tx.put(A, b"2", b"old")
    })?;
    Ok(memory)
}

#[test]
fn after_a_fault_a_commit_is_complete_or_missing() -> Result<(), Box<dyn std::error::Error>> {
    let memory = start()?;
    let before = contents(&Db::from(Arc::clone(&memory)))?;
    Db::from(Arc::clone(&memory)).write(run)?;
    let after = contents(&Db::from(memory))?;
    for fault in [Fault::Before, Fault::After] {
        for mode in [Mode::Write, Mode::Optimistic] {
            let mut call = 1;
            loop {
                let memory = start()?;
                let failing = Arc::new(Failing::at(Arc::clone(&memory), call, fault));
                let db = Db::from(Arc::clone(&failing) as Arc<dyn Database>);
                let outcome = match mode {
                    Mode::Optimistic => db.optimistic(3, run),
                    _ => db.write(run),
                };
                let now = contents(&Db::from(memory))?;
                if !failing.has_failed() {
                    assert!(outcome.is_ok() && now == after);
                    break;
                }
                match outcome.map_err(|error| error.kind()) {
                    Ok(()) => return Err(format!("the fault at call {call} was lost").into()),
                    Err(StoreErrorKind::CommitUnknown) => {
                        assert!(now == before || now == after, "half a commit at call {call}");
                        assert!(fault == Fault::After && now == after);
                    }
                    Err(_) => assert_eq!(now, before, "something was written at call {call}"),
                }
                call += 1;
            }
            // begin, get, get, cursor, three rows or the end, commit
            assert!(call > 7, "only {call} calls were tried");
        }
    }
    Ok(())
}

#[test]
fn a_failure_poisons_the_transaction() -> Result<(), Box<dyn std::error::Error>> {
    // begin, get: the second call fails.
    let db = Db::new(Failing::at(start()?, 2, Fault::Before));
    let mut tx = db.begin(Mode::Write)?;
    tx.put(A, b"1", b"new")?;
    let error = tx.get(A, b"2").err().ok_or("the fault was lost")?;
    assert_eq!(error.kind(), StoreErrorKind::Backend { engine: "failing" });
    assert_eq!((error.store(), error.key()), (Some("a"), Some(&b"2"[..])));
    assert!(std::error::Error::source(&error).is_some());
    let poisoned = StoreErrorKind::Poisoned;
    assert_eq!(tx.get(A, b"1").map_err(|error| error.kind()), Err(poisoned));
    assert_eq!(tx.put(A, b"1", b"x").map_err(|error| error.kind()), Err(poisoned));
    assert_eq!(tx.delete(A, b"1").map_err(|error| error.kind()), Err(poisoned));
    assert_eq!(tx.rows(A, KeyRange::all()).map(drop).map_err(|e| e.kind()), Err(poisoned));
    assert_eq!(tx.commit().map_err(|error| error.kind()), Err(poisoned));
    assert_eq!(db.read()?.get(A, b"1")?, Some(b"old".to_vec()));
    Ok(())
}

#[test]
fn a_retryable_failure_ends_the_session_and_the_transaction_runs_again()
-> Result<(), Box<dyn std::error::Error>> {
    let expired = StoreErrorKind::SnapshotExpired;
    // begin, get: the second call fails.
    let open = || Ok::<_, Box<dyn std::error::Error>>(Failing::at(start()?, 2, Fault::Before));
    let db = Db::new(open()?.with_kind(expired));
    let mut tx = db.begin(Mode::Optimistic)?;
    for _ in 0..2 {
        assert_eq!(tx.get(A, b"1").map_err(|error| error.kind()), Err(expired));
    }
    assert_eq!(tx.put(A, b"1", b"x").map_err(|error| error.kind()), Err(expired));
    assert_eq!(tx.commit().map_err(|error| error.kind()), Err(expired));

    let db = Db::new(open()?.with_kind(expired));
    let mut runs = 0;
    db.optimistic(3, |tx| {
        runs += 1;
        // The program ignores the error of a read.
        let _ = tx.get(A, b"1");
        tx.put(A, b"1", b"new")
    })?;
    assert_eq!(runs, 2);
    assert_eq!(db.read()?.get(A, b"1")?, Some(b"new".to_vec()));
    Ok(())
}

#[test]
fn an_old_snapshot_expires_rather_than_miss_a_conflict() -> Result<(), Box<dyn std::error::Error>> {
    let memory = Memory::new(Spaces::new(["a"])?).with_conflict_capacity(100);
    let db = Db::new(memory).with_durability(Durability::Buffered);
    let mut tx = db.begin(Mode::Optimistic)?;
    tx.get(A, b"never written")?;
    tx.put(A, b"result", b"")?;
    for key in 0..20u8 {
        db.write(|tx| tx.put(A, &[key; 20], b""))?;
    }
    let error = tx.commit().err().ok_or("the commit was not compared with dropped keys")?;
    assert_eq!(error.kind(), StoreErrorKind::SnapshotExpired);
    assert!(error.is_retryable());
    Ok(())
}

#[test]
fn errors_are_small_and_contain_their_place() {
    assert_eq!(size_of::<StoreError>(), size_of::<usize>());
    let error = StoreError::new(StoreErrorKind::NeedsRepair).in_file("shop.redb");
    assert_eq!(
        error.to_string(),
        "the file was not closed cleanly (file `shop.redb`): run `keyscape repair shop.redb`"
    );
    let error = StoreError::new(StoreErrorKind::Corrupt { what: "not a number" })
        .at_key(&[1, 0xab])
        .in_keyspace("balances")
        .in_store("bank")
        .in_store("not this one");
    assert_eq!(
        error.to_string(),
        "corrupt: not a number (store `bank`, keyspace `balances`, key 01ab)"
    );
}

#[test]
fn the_text_of_an_error_contains_its_causes_once() {
    let full = std::io::Error::from(std::io::ErrorKind::StorageFull);
    let error = StoreError::backend("disk", full).in_store("bank");
    assert_eq!(error.to_string(), "the engine disk failed (store `bank`): no storage space");
    let outer = StoreError::new(StoreErrorKind::CommitUnknown).because(error);
    let text = outer.to_string();
    assert!(text.ends_with(": the engine disk failed (store `bank`): no storage space"), "{text}");
    let causes = std::iter::successors(std::error::Error::source(&outer), |error| error.source());
    assert_eq!(causes.last().unwrap().to_string(), "no storage space");
}
