//! Optimistic transactions.

use super::{A, B, Factory, Outcome, fill, kind, open};
use keyscape_store::{Db, KeyRange, Mode, Read, ReadExt, StoreError, StoreErrorKind, Tx};
use std::{error::Error, mem};

/// Whether the transaction that commits in between reads what the tested one writes. Then the two
/// cannot be serialized, and every engine must find the conflict. Otherwise a serializable engine
/// finds none.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Between {
    Reads,
    WritesOnly,
}

/// Whether a transaction conflicts if another one commits `write` between its reads and its commit.
fn conflict_with(
    db: &Db,
    between: Between,
    read: impl FnOnce(&mut Tx<'_>) -> Result<(), StoreError>,
    write: impl Fn(&mut Tx<'_>) -> Result<(), StoreError>,
) -> Result<bool, Box<dyn Error>> {
    let mut tx = db.begin(Mode::Optimistic)?;
    read(&mut tx)?;
    db.write(|tx| {
        if between == Between::Reads {
            tx.get(B, b"result")?;
        }
        write(tx)
    })?;
    tx.put(B, b"result", b"1")?;
    let before = db.read()?.get(B, b"result")?;
    match tx.commit() {
        Ok(_) => {
            db.write(|tx| tx.delete(B, b"result"))?;
            Ok(false)
        }
        Err(error) if error.kind() == StoreErrorKind::Conflict => {
            assert!(error.is_retryable());
            assert_eq!(db.read()?.get(B, b"result")?, before, "a conflict writes nothing");
            Ok(true)
        }
        Err(error) => Err(error.into()),
    }
}

/// Whether an engine finds a conflict that no engine may miss.
fn conflicts(
    db: &Db,
    read: impl FnOnce(&mut Tx<'_>) -> Result<(), StoreError>,
    write: impl Fn(&mut Tx<'_>) -> Result<(), StoreError>,
) -> Result<bool, Box<dyn Error>> {
    conflict_with(db, Between::Reads, read, write)
}

/// Whether an engine commits although another transaction wrote rows that were not read.
fn passes(
    db: &Db,
    read: impl FnOnce(&mut Tx<'_>) -> Result<(), StoreError>,
    write: impl Fn(&mut Tx<'_>) -> Result<(), StoreError>,
) -> Result<bool, Box<dyn Error>> {
    conflict_with(db, Between::WritesOnly, read, write).map(|conflict| !conflict)
}

/// Any write inside the read ranges conflicts, even if the two transactions could be serialized.
pub(super) fn any_later_write(factory: Factory<'_>) -> Outcome {
    let db = open(factory)?;
    assert!(!passes(&db, get(b"1"), put(b"1"))?, "a key that was read was written");
    let scan = |tx: &mut Tx<'_>| tx.rows(A, KeyRange::prefix(b"p/"))?.to_vec().map(drop);
    assert!(!passes(&db, scan, put(b"p/1"))?, "a new key in a range that was read");
    Ok(())
}

fn get(key: &'static [u8]) -> impl FnOnce(&mut Tx<'_>) -> Result<(), StoreError> {
    move |tx| tx.get(A, key).map(drop)
}

fn put(key: &'static [u8]) -> impl Fn(&mut Tx<'_>) -> Result<(), StoreError> {
    move |tx| tx.put(A, key, b"other")
}

pub(super) fn keys(factory: Factory<'_>) -> Outcome {
    let db = open(factory)?;
    fill(&db, A, &[(b"1", b"x"), (b"2", b"y")])?;
    assert!(conflicts(&db, get(b"1"), put(b"1"))?, "a key that was read was written");
    assert!(conflicts(&db, get(b"3"), put(b"3"))?, "a key that was not there was written");
    assert!(conflicts(&db, get(b"2"), |tx| tx.delete(A, b"2"))?, "a key that was read is gone");
    assert!(
        conflicts(&db, |tx| tx.read_many(A, &[b"1", b"9"], &mut |_, _| {}), put(b"9"))?,
        "one of many keys was written"
    );
    assert!(passes(&db, get(b"1"), |tx| tx.put(B, b"1", b"other store"))?, "stores are apart");
    assert!(passes(&db, get(b"1"), put(b"11"))?, "keys are apart");
    // A read after the other commit does not conflict with it.
    fill(&db, A, &[(b"1", b"new")])?;
    let mut tx = db.begin(Mode::Optimistic)?;
    tx.get(A, b"1")?;
    tx.put(A, b"1", b"newer")?;
    tx.commit()?;
    Ok(())
}

pub(super) fn phantoms(factory: Factory<'_>) -> Outcome {
    let db = open(factory)?;
    fill(&db, A, &[(b"p/1", b"x"), (b"p/3", b"y")])?;
    let scan = |backward: bool| {
        move |tx: &mut Tx<'_>| {
            let range = KeyRange::prefix(b"p/");
            let range = if backward { range.backward() } else { range };
            tx.rows(A, range)?.to_vec().map(drop)
        }
    };
    for backward in [false, true] {
        for key in [&b"p/0"[..], b"p/2", b"p/9", b"p/"] {
            db.write(|tx| tx.delete(A, key))?;
            let found = conflicts(&db, scan(backward), |tx| tx.put(A, key, b"phantom"))?;
            assert!(found, "phantom {key:?}, backward: {backward}");
        }
        assert!(conflicts(&db, scan(backward), |tx| tx.delete(A, b"p/0"))?, "a row went away");
        assert!(passes(&db, scan(backward), put(b"p0"))?, "outside the range");
        assert!(passes(&db, scan(backward), put(b"o"))?, "outside the range");
    }
    // An empty range was read, too.
    let nothing = |tx: &mut Tx<'_>| tx.rows(A, KeyRange::prefix(b"q/"))?.to_vec().map(drop);
    assert!(conflicts(&db, nothing, put(b"q/1"))?);
    Ok(())
}

pub(super) fn partly_read(factory: Factory<'_>) -> Outcome {
    let db = open(factory)?;
    fill(&db, A, &[(b"1", b""), (b"3", b""), (b"5", b""), (b"7", b"")])?;
    let two = |backward: bool, pending: bool| {
        move |tx: &mut Tx<'_>| {
            if pending {
                tx.put(A, b"4", b"own")?;
            }
            let range = if backward { KeyRange::all().backward() } else { KeyRange::all() };
            let mut rows = tx.rows(A, range)?;
            rows.next()?;
            rows.next()?;
            Ok(())
        }
    };
    assert!(conflicts(&db, two(false, false), |tx| tx.put(A, b"2", b""))?);
    db.write(|tx| tx.delete(A, b"2"))?;
    assert!(conflicts(&db, two(false, true), |tx| tx.put(A, b"0", b""))?);
    db.write(|tx| tx.delete(A, b"0"))?;
    assert!(conflicts(&db, two(true, false), |tx| tx.put(A, b"6", b""))?);
    assert!(conflicts(&db, two(false, false), put(b"3"))?, "the last row that was seen");
    // Rows that the cursor has not reached cause no conflict.
    assert!(passes(&db, two(false, false), put(b"9"))?);
    assert!(passes(&db, |tx| tx.rows(A, KeyRange::all()).map(drop), put(b"3"))?);
    Ok(())
}

pub(super) fn rolled_back_reads(factory: Factory<'_>) -> Outcome {
    let db = open(factory)?;
    let read = |tx: &mut Tx<'_>| {
        let checkpoint = tx.checkpoint();
        tx.get(A, b"1")?;
        tx.put(A, b"2", b"")?;
        tx.rollback_to(checkpoint)?;
        tx.release(checkpoint)
    };
    assert!(conflicts(&db, read, put(b"1"))?);
    Ok(())
}

pub(super) fn blind_writes(factory: Factory<'_>) -> Outcome {
    let db = open(factory)?;
    let read = |tx: &mut Tx<'_>| {
        tx.put(A, b"1", b"mine")?;
        // A transaction's own writes are not reads of the state.
        tx.get(A, b"1").map(drop)
    };
    assert!(passes(&db, read, put(b"1"))?);
    assert_eq!(db.read()?.get(A, b"1")?, Some(b"mine".to_vec()), "the later commit wins");
    // A read-only transaction has seen one state and needs no commit.
    let tx = db.begin(Mode::Optimistic)?;
    tx.get(A, b"1")?;
    fill(&db, A, &[(b"1", b"other")])?;
    tx.commit()?;
    Ok(())
}

pub(super) fn leaked_cursor(factory: Factory<'_>) -> Outcome {
    let db = open(factory)?;
    let read = |tx: &mut Tx<'_>| {
        let mut rows = tx.rows(A, KeyRange::all())?;
        rows.next()?;
        mem::forget(rows);
        Ok(())
    };
    assert!(conflicts(&db, read, put(b"1"))?);
    Ok(())
}

/// Writes the key that a transaction has read, and reads the key that it is about to write.
fn cross(db: &Db, written: &[u8], value: u8) -> Result<(), StoreError> {
    db.write(|tx| {
        tx.get(A, b"2")?;
        tx.put(A, written, &[value])
    })
}

pub(super) fn run_again(factory: Factory<'_>) -> Outcome {
    let db = open(factory)?;
    let mut runs = 0;
    let seen = db.optimistic(5, |tx| {
        runs += 1;
        let seen = tx.get(A, b"1")?;
        if runs < 3 {
            cross(&db, b"1", runs)?;
        }
        tx.put(A, b"2", b"done")?;
        Ok::<_, StoreError>(seen)
    })?;
    assert_eq!((runs, seen), (3, Some(vec![2])));
    let mut runs = 0;
    let failed: Result<(), StoreError> = db.optimistic(4, |tx| {
        runs += 1;
        tx.get(A, b"1")?;
        cross(&db, b"1", runs)?;
        tx.put(A, b"2", b"never")
    });
    assert_eq!(kind(failed), Err(StoreErrorKind::Conflict));
    assert_eq!(runs, 4);
    assert_eq!(db.read()?.get(A, b"2")?, Some(b"done".to_vec()));
    Ok(())
}
