//! Panics of user code that the caller catches: the transaction continues unharmed, or rejects
//! everything.

use super::{A, B, Factory, Outcome, fill, kind, open};
use keyscape_store::{
    Db, KeyRange, Meter, Mode, Operation, OverBudget, Read, ReadExt, StoreError, StoreErrorKind,
    StoreId,
};
use std::{
    ops::ControlFlow,
    panic::{AssertUnwindSafe, catch_unwind, resume_unwind},
    sync::Arc,
};

/// The payload of the panics.
#[derive(Debug, PartialEq)]
struct Bang;

/// Panics without a message on stderr.
fn bang() -> ! {
    resume_unwind(Box::new(Bang))
}

/// Whether `run` panics with [`Bang`].
fn bangs<T>(run: impl FnOnce() -> T) -> bool {
    match catch_unwind(AssertUnwindSafe(run)) {
        Ok(_) => false,
        Err(payload) => payload.downcast_ref() == Some(&Bang),
    }
}

pub(super) fn attempts(factory: Factory<'_>) -> Outcome {
    let db = open(factory)?;
    fill(&db, A, &[(b"1", b"old"), (b"2", b"old")])?;
    let mut tx = db.begin(Mode::Write)?;
    tx.put(A, b"1", b"kept")?;
    let before = tx.changes().clone();
    assert!(bangs(|| tx.attempt::<(), StoreError>(|tx| {
        tx.put(A, b"1", b"lost")?;
        tx.delete(A, b"2")?;
        tx.attempt(|tx| tx.put(B, b"1", b"lost, though this part succeeded"))?;
        let inner = tx.checkpoint();
        tx.put(B, b"2", b"lost")?;
        tx.rollback_to(inner)?;
        tx.attempt(|tx| {
            tx.put(B, b"3", b"lost")?;
            bang()
        })
    })));
    assert_eq!(tx.changes(), &before);
    assert_eq!(tx.get(A, b"2")?, Some(b"old".to_vec()));
    tx.put(B, b"4", b"kept")?;
    tx.commit()?;
    let state = db.read()?;
    assert_eq!(state.get(A, b"1")?, Some(b"kept".to_vec()));
    assert_eq!(state.rows(B, KeyRange::all())?.to_vec()?, [(b"4".to_vec(), b"kept".to_vec())]);
    Ok(())
}

pub(super) fn poisoned(factory: Factory<'_>) -> Outcome {
    let db = open(factory)?;
    for panics in [false, true] {
        let mut tx = db.begin(Mode::Write)?;
        let outer = tx.checkpoint();
        let part = |tx: &mut keyscape_store::Tx<'_>| {
            tx.put(A, b"1", b"half")?;
            // From here on, the part cannot be rolled back.
            tx.release(outer)?;
            tx.put(A, b"2", b"half")?;
            if panics { bang() } else { Err::<(), StoreError>(StoreErrorKind::ReadOnly.into()) }
        };
        let mut failed = None;
        assert_eq!(bangs(|| failed = tx.attempt(part).err()), panics);
        let stale = (!panics).then_some(StoreErrorKind::StaleCheckpoint);
        assert_eq!(failed.map(|error| error.kind()), stale);
        let poisoned = Err(StoreErrorKind::Poisoned);
        assert_eq!(kind(tx.put(A, b"3", b"")), poisoned);
        assert_eq!(kind(tx.get(A, b"3")), poisoned);
        assert_eq!(kind(tx.commit()), poisoned);
        assert!(db.read()?.rows(A, KeyRange::all())?.next()?.is_none());
    }
    Ok(())
}

/// A meter that panics at every operation.
struct BangMeter;

impl Meter for BangMeter {
    fn charge(&self, _: Operation, _: u64) -> Result<(), OverBudget> {
        bang()
    }
}

pub(super) fn callbacks(factory: Factory<'_>) -> Outcome {
    let db = open(factory)?;
    fill(&db, A, &[(b"1", b"one"), (b"2", b"two")])?;
    for mode in [Mode::Write, Mode::Optimistic] {
        let mut tx = db.begin(mode)?;
        for dirty in [false, true] {
            if dirty {
                tx.put(A, b"3", b"three")?;
            }
            let before = tx.changes().clone();
            assert!(bangs(|| tx.read(A, b"1", &mut |_| bang())), "a read swallows a panic");
            assert!(bangs(|| tx.read_many(A, &[b"2", b"1"], &mut |_, _| bang())));
            assert!(bangs(|| tx.walk::<StoreError>(A, KeyRange::all(), |_, _| bang())));
            tx.set_meter(Some(Arc::new(BangMeter)));
            let operations: [&mut dyn FnMut(&mut keyscape_store::Tx<'_>); 5] = [
                &mut |tx| drop(tx.put(A, b"4", b"")),
                &mut |tx| drop(tx.delete(A, b"1")),
                &mut |tx| drop(tx.get(A, b"1")),
                &mut |tx| drop(tx.rows(A, KeyRange::all())),
                &mut |tx| drop(tx.delete_range(A, KeyRange::all())),
            ];
            for operation in operations {
                assert!(bangs(|| operation(&mut tx)), "an operation swallows a panic");
            }
            tx.set_meter(None);
            assert_eq!(tx.changes(), &before);
            let rows = tx.rows(A, KeyRange::all())?.to_vec()?;
            assert_eq!(rows.len(), if dirty { 3 } else { 2 }, "rows are missing after a panic");
        }
        tx.walk(A, KeyRange::all(), |tx, row| {
            tx.put(B, row.key, row.value)?;
            Ok::<_, StoreError>(ControlFlow::Continue(()))
        })?;
        tx.delete(A, b"3")?;
        tx.commit()?;
        assert_eq!(db.read()?.rows(B, KeyRange::all())?.to_vec()?.len(), 3);
        db.write(|tx| tx.delete_range(B, KeyRange::all()))?;
    }
    Ok(())
}

pub(super) fn reads_of_panics(factory: Factory<'_>) -> Outcome {
    let db = open(factory)?;
    fill(&db, A, &[(b"1", b"old"), (b"2", b"old")])?;
    // Reads that end with a panic count as reads.
    let readings: [fn(&mut keyscape_store::Tx<'_>); 3] = [
        |tx| drop(tx.read(A, b"1", &mut |_| bang())),
        |tx| drop(tx.attempt::<(), StoreError>(|tx| tx.get(A, b"1").and_then(|_| bang()))),
        |tx| drop(tx.walk::<StoreError>(A, KeyRange::all(), |_, _| bang())),
    ];
    for (round, reading) in (0_u8..).zip(readings) {
        let mut tx = db.begin(Mode::Optimistic)?;
        assert!(bangs(|| reading(&mut tx)));
        tx.put(B, b"1", b"what was read")?;
        db.write(|tx| {
            tx.get(B, b"1")?;
            // The same value again would be no conflict.
            tx.put(A, b"1", &[round])
        })?;
        let conflict = Err(StoreErrorKind::Conflict);
        assert_eq!(kind(tx.commit()), conflict);
    }
    Ok(())
}

fn overwrite(db: &Db, store: StoreId) -> Result<(), StoreError> {
    db.write(|tx| tx.put(store, b"1", b"new"))
}

pub(super) fn writers(factory: Factory<'_>) -> Outcome {
    let db = open(factory)?;
    assert!(bangs(|| db.write::<(), StoreError>(|tx| {
        tx.put(A, b"1", b"lost")?;
        bang()
    })));
    // The next writer of the same thread does not block, and finds nothing.
    assert!(!db.write(|tx| tx.contains(A, b"1"))?);
    overwrite(&db, A)?;
    assert_eq!(db.read()?.get(A, b"1")?, Some(b"new".to_vec()));
    Ok(())
}
