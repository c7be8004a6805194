//! Operations under a meter.

use keyscape_store::{Count, Counter, Db, Meter, Mode, Operation, OverBudget, StoreError, Tx};
use std::{
    fmt::Display,
    sync::{
        Arc,
        atomic::{AtomicU64, Ordering},
    },
};

/// Runs an operation in a transaction that is not committed, and counts its reads and writes.
///
/// # Errors
/// As [`Db::begin`].
pub fn count<T>(db: &Db, run: impl FnOnce(&mut Tx<'_>) -> T) -> Result<(Count, T), StoreError> {
    let counter = Arc::new(Counter::new());
    let mut tx = db.begin(Mode::Write)?;
    tx.set_meter(Some(counter.clone()));
    let result = run(&mut tx);
    Ok((counter.count(), result))
}

/// Interrupts an operation at each of its charges in turn. Returns the number of interruptions
/// before the operation succeeds.
///
/// `begin` returns a transaction with earlier writes, which an interruption must not change.
///
/// # Errors
/// As `begin`.
///
/// # Panics
/// If an interrupted operation has written something, or reports a refusal.
pub fn interrupt<'db, E: Display>(
    begin: impl Fn() -> Result<Tx<'db>, E>,
    run: impl Fn(&mut Tx<'_>) -> Result<(), E>,
    is_refusal: impl Fn(&E) -> bool,
) -> Result<u64, E> {
    let mut charges = 0;
    loop {
        let mut tx = begin()?;
        let before = tx.changes().clone();
        tx.set_meter(Some(Arc::new(RefuseOnce { left: AtomicU64::new(charges) })));
        match run(&mut tx) {
            Ok(()) => return Ok(charges),
            Err(error) => assert!(!is_refusal(&error), "charge {charges}: {error}"),
        }
        assert!(tx.changes().iter().eq(before.iter()), "charge {charges} leaves writes");
        charges += 1;
    }
}

/// A meter that refuses one charge.
struct RefuseOnce {
    left: AtomicU64,
}

impl Meter for RefuseOnce {
    fn charge(&self, _: Operation, _: u64) -> Result<(), OverBudget> {
        let before = self.left.fetch_sub(1, Ordering::Relaxed);
        if before == 0 { Err(OverBudget { what: "calls", limit: 0, actual: 1 }) } else { Ok(()) }
    }
}
