//! Databases to measure, and shortcuts for values that must exist.

use keyscape::store::{Count, Counter, Db, Layout, Memory, Mode, StoreError, Tx};
use keyscape_store_redb::Options;
use std::{fmt::Debug, ops::Range, sync::Arc};

/// The cache size of redb in bytes, the same for every side.
pub const CACHE: usize = 1 << 30;

/// Unwraps a result. A comparison with an error would be meaningless.
pub fn ok<T, E: Debug>(result: Result<T, E>) -> T {
    match result {
        Ok(value) => value,
        Err(error) => panic!("{error:?}"),
    }
}

/// Unwraps a value that must exist.
pub fn some<T>(value: Option<T>) -> T {
    match value {
        Some(value) => value,
        None => panic!("a row is missing"),
    }
}

/// Leaks a value, because the measured work borrows from it for the rest of the program.
pub fn leaked<T>(value: T) -> &'static T {
    Box::leak(Box::new(value))
}

/// Creates an empty database in memory.
#[must_use]
pub fn memory(layouts: &[&Layout]) -> Db {
    Db::new(Memory::new(ok(Layout::spaces_of(layouts))))
}

/// Creates an empty database in a temporary redb file.
#[must_use]
pub fn redb(layouts: &[&Layout]) -> Db {
    let folder = ok(tempfile::tempdir());
    let options = Options { cache_bytes: CACHE, ..Options::new() };
    let spaces = ok(Layout::spaces_of(layouts));
    Db::new(ok(options.create(folder.path().join("ours.redb"), spaces)))
}

/// Adds numbered entries to a database, at most `batch` in one transaction.
pub fn fill<E: From<StoreError> + Debug>(
    db: &Db,
    numbers: Range<u64>,
    batch: usize,
    add: impl Fn(&mut Tx<'_>, u64) -> Result<(), E>,
) {
    for start in numbers.clone().step_by(batch) {
        let end = numbers.end.min(start + batch as u64);
        ok(db.write(|tx| (start..end).try_for_each(|number| add(tx, number))));
    }
}

/// Runs an operation in a transaction that is not committed, and returns its reads and writes.
pub fn counted(db: &Db, run: impl FnOnce(&mut Tx<'_>)) -> Count {
    let counter = Arc::new(Counter::new());
    let mut tx = ok(db.begin(Mode::Write));
    tx.set_meter(Some(counter.clone()));
    run(&mut tx);
    counter.count()
}
