//! Typed access with Keyscape, on any engine.

use super::{
    Note,
    data::{Key, VALUE, keys, pending_keys, some_keys, some_notes, some_rows, value},
    live, shop,
    shop::{BOUGHT, NOTED, ORDERS},
};
use crate::fixture::{self, leaked, ok, some};
use keyscape::store::{Db, Durability, Layout, Mode, Read, Snapshot, Tx};
use keyscape_bench::{Batch, Work, for_each, inputs::COUNT};
use std::hint::black_box;

const LAYOUTS: [&Layout; 2] = [&shop::LAYOUT, &live::LAYOUT];

/// Creates an empty database in memory.
#[must_use]
pub fn memory() -> Db {
    fixture::memory(&LAYOUTS)
}

/// Creates an empty database in a temporary redb file.
#[must_use]
pub fn redb() -> Db {
    fixture::redb(&LAYOUTS)
}

fn filled(db: Db) -> &'static Db {
    ok(db.write(|tx| keys().try_for_each(|key| ORDERS.put(tx, key, &value(key)))));
    leaked(db)
}

/// Fills a database with all rows, and begins to read it.
pub fn clean(db: Db) -> &'static Snapshot<'static> {
    leaked(ok(filled(db).read()))
}

/// Fills a database with all rows, begins a transaction and rewrites some rows in it.
pub fn dirty(db: Db) -> &'static Tx<'static> {
    let mut tx = ok(filled(db).begin(Mode::Write));
    for key in pending_keys() {
        ok(ORDERS.put(&mut tx, key, &value(key)));
    }
    leaked(tx)
}

/// Reads values without copying them.
pub fn get(state: &'static impl Read) -> impl Work {
    let keys = some_keys();
    for key in &keys {
        assert_eq!(ok(ORDERS.get(state, *key)).as_deref(), Some(&value(*key)[..]));
    }
    for_each(keys, move |key| {
        some(ok(ORDERS.get_with(state, *key, |value| {
            black_box(value);
        })));
    })
}

/// Reads all rows in order, repeatedly.
pub fn scan(state: &'static impl Read) -> impl Work {
    assert_eq!(ok(ORDERS.prefix_all().count(state)), keys().count() as u64);
    let mut scan = ok(ORDERS.scan_all(state));
    Batch::new(move || {
        for _ in 0..COUNT {
            match ok(scan.next_row()) {
                Some(row) => {
                    black_box(row.key.user);
                    black_box(row.key.order);
                    black_box(ok(row.value()));
                }
                None => scan = ok(ORDERS.scan_all(state)),
            }
        }
    })
}

/// Reads the ten rows of each of many users.
pub fn scan_ten(state: &'static impl Read) -> impl Work {
    let keys = some_keys();
    assert!(keys.iter().all(|key| ok(ORDERS.prefix_user(key.0).count(state)) == 10));
    for_each(keys, move |key| {
        let mut scan = ok(ORDERS.scan_user(state, key.0));
        while let Some(row) = ok(scan.next_row()) {
            black_box(row.key.user);
            black_box(row.key.order);
            black_box(ok(row.value()));
        }
    })
}

/// Overwrites existing rows, one transaction per batch.
pub fn put(db: Db, durability: Durability) -> impl Work {
    overwrite(filled(db), durability, |tx, key, value| ORDERS.put(tx, key, value))
}

/// Overwrites existing rows of a map with an index.
pub fn put_indexed(db: Db) -> impl Work {
    ok(db.write(|tx| keys().try_for_each(|key| BOUGHT.put(tx, key, &value(key)))));
    overwrite(leaked(db), Durability::Buffered, |tx, key, value| BOUGHT.put(tx, key, value))
}

fn overwrite(
    db: &'static Db,
    durability: Durability,
    put: impl Fn(&mut Tx<'_>, Key, &[u8; VALUE]) -> Result<(), keyscape::Error>,
) -> impl Work {
    let (rows, writer) = (some_rows(), db.with_durability(durability));
    let run = move || {
        ok(writer
            .write(|tx| black_box(&rows).iter().try_for_each(|(key, value)| put(tx, *key, value))));
    };
    Batch { before: move || ok(db.sync()), run }
}

/// Begins a transaction that contains all rows as JSON and is never committed.
pub fn noted() -> Tx<'static> {
    let mut tx = ok(leaked(memory()).begin(Mode::Write));
    keys().for_each(|key| ok(NOTED.put(&mut tx, key, &Note::of(key))));
    tx
}

/// Reads JSON values in the transaction of [`noted`].
pub fn noted_get() -> impl Work {
    let (tx, keys) = (noted(), some_keys());
    assert!(keys.iter().all(|key| ok(NOTED.get(&tx, *key)) == Some(Note::of(*key))));
    for_each(keys, move |key| {
        black_box(some(ok(NOTED.get(&tx, *key))));
    })
}

/// Overwrites JSON values in the transaction of [`noted`].
pub fn noted_put() -> impl Work {
    let mut tx = noted();
    for_each(some_notes(), move |(key, note)| ok(NOTED.put(&mut tx, *key, note)))
}

/// Reads the ten rows of each of many users in the transaction of [`noted`].
pub fn noted_scan() -> impl Work {
    let (tx, keys) = (noted(), some_keys());
    assert!(keys.iter().all(|key| ok(NOTED.prefix_user(key.0).count(&tx)) == 10));
    for_each(keys, move |key| {
        let mut scan = ok(NOTED.scan_user(&tx, key.0));
        while let Some(row) = ok(scan.next_row()) {
            black_box(row.key.order);
            black_box(ok(row.value()));
        }
    })
}
