//! Tests that the redb engine satisfies the rules of all engines, in memory and on disk.

use keyscape_store_redb::Options;
use keyscape_testkit::conformance::{Setup, run_local};
use redb::backends::InMemoryBackend;
use std::cell::Cell;

#[test]
fn redb_in_memory_keeps_every_rule() {
    run_local(&|Setup { spaces, limits }| {
        let options = Options { limits, ..Options::new() };
        Box::new(options.create_on(InMemoryBackend::new(), spaces).unwrap())
    });
}

#[test]
fn redb_on_disk_keeps_every_rule() {
    let folder = tempfile::tempdir().unwrap();
    let number = Cell::new(0);
    run_local(&|Setup { spaces, limits }| {
        number.set(number.get() + 1);
        let file = folder.path().join(format!("{}.redb", number.get()));
        Box::new(Options { limits, ..Options::new() }.create(file, spaces).unwrap())
    });
}
