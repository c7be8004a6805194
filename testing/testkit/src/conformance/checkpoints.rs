//! Rollback to checkpoints.

use super::{A, B, Factory, Outcome, fill, kind, open};
use keyscape_store::{KeyRange, Mode, Read, ReadExt, StoreError, StoreErrorKind};

pub(super) fn restored(factory: Factory<'_>) -> Outcome {
    let db = open(factory)?;
    fill(&db, A, &[(b"1", b"old"), (b"2", b"old")])?;
    let mut tx = db.begin(Mode::Write)?;
    tx.put(A, b"1", b"first")?;
    let outer = tx.checkpoint();
    let at_outer = tx.changes().clone();
    tx.delete(A, b"1")?;
    tx.put(A, b"3", b"second")?;
    let inner = tx.checkpoint();
    let at_inner = tx.changes().clone();
    tx.put(A, b"1", b"third")?;
    tx.put(A, b"1", b"fourth")?;
    tx.delete(A, b"2")?;
    tx.put(B, b"x", b"third")?;
    tx.rollback_to(inner)?;
    assert!(tx.changes().iter().eq(at_inner.iter()));
    assert_eq!((tx.changes().rows(), tx.changes().bytes()), (at_inner.rows(), at_inner.bytes()));
    let rows = tx.rows(A, KeyRange::all())?.to_vec()?;
    assert_eq!(rows, [(b"2".to_vec(), b"old".to_vec()), (b"3".to_vec(), b"second".to_vec())]);
    // A checkpoint can be restored repeatedly.
    tx.put(B, b"y", b"fifth")?;
    tx.rollback_to(inner)?;
    assert_eq!(tx.get(B, b"y")?, None);
    tx.release(inner)?;
    tx.rollback_to(outer)?;
    assert!(tx.changes().iter().eq(at_outer.iter()));
    assert_eq!((tx.changes().rows(), tx.changes().bytes()), (at_outer.rows(), at_outer.bytes()));
    tx.release(outer)?;
    tx.commit()?;
    let state = db.read()?;
    assert_eq!(state.get(A, b"1")?, Some(b"first".to_vec()));
    assert_eq!(state.get(A, b"3")?, None);
    assert_eq!(state.get(B, b"x")?, None);
    Ok(())
}

pub(super) fn stale(factory: Factory<'_>) -> Outcome {
    let db = open(factory)?;
    let stale = Err(StoreErrorKind::StaleCheckpoint);
    let mut tx = db.begin(Mode::Optimistic)?;
    let outer = tx.checkpoint();
    let inner = tx.checkpoint();
    tx.rollback_to(outer)?;
    assert_eq!(kind(tx.rollback_to(inner)), stale);
    tx.release(outer)?;
    assert_eq!(kind(tx.release(outer)), stale);
    let mut other = db.begin(Mode::Optimistic)?;
    let foreign = other.checkpoint();
    let own = tx.checkpoint();
    assert_eq!(kind(tx.rollback_to(foreign)), stale);
    tx.rollback_to(own)?;
    Ok(())
}

pub(super) fn attempts(factory: Factory<'_>) -> Outcome {
    let db = open(factory)?;
    db.write(|tx| {
        tx.put(A, b"1", b"kept")?;
        let failed: Result<(), StoreError> = tx.attempt(|tx| {
            tx.put(A, b"1", b"lost")?;
            tx.attempt(|tx| tx.put(A, b"2", b"lost, though this part succeeded"))?;
            Err(StoreErrorKind::ReadOnly.into())
        });
        assert!(failed.is_err());
        tx.attempt(|tx| tx.put(A, b"3", b"kept"))
    })?;
    let rows = db.read()?.rows(A, KeyRange::all())?.to_vec()?;
    assert_eq!(rows, [(b"1".to_vec(), b"kept".to_vec()), (b"3".to_vec(), b"kept".to_vec())]);
    Ok(())
}
