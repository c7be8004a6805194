//! Typed access with Keyscape, on any engine.

use super::{
    Note,
    data::{Key, kept, keys, ok, pending_keys, some_keys, there, value},
    live, shop,
    shop::{BOUGHT, NOTED, ORDERS},
};
use keyscape::store::{Db, Durability, Layout, Memory, Mode, Read, Tx};
use keyscape_bench::{Batch, Work, inputs::COUNT};
use keyscape_store_redb::Options;
use std::hint::black_box;

/// Creates an empty database in memory.
#[must_use]
pub fn memory() -> Db {
    Db::new(Memory::new(ok(Layout::spaces_of(&[&shop::LAYOUT, &live::LAYOUT]))))
}

/// Creates an empty database in a temporary redb file.
#[must_use]
pub fn redb() -> Db {
    let folder = ok(tempfile::tempdir());
    let options = Options { cache_bytes: super::CACHE, ..Options::new() };
    let spaces = ok(Layout::spaces_of(&[&shop::LAYOUT, &live::LAYOUT]));
    Db::new(ok(options.create(folder.path().join("ours.redb"), spaces)))
}

/// Fills a database with all rows.
pub fn filled(db: Db) -> &'static Db {
    ok(db.write(|tx| keys().try_for_each(|key| ORDERS.put(tx, key, &value(key)))));
    kept(db)
}

/// Begins a transaction and rewrites some rows in it.
pub fn dirty(db: &'static Db) -> &'static Tx<'static> {
    let mut tx = ok(db.begin(Mode::Write));
    for key in pending_keys() {
        ok(ORDERS.put(&mut tx, key, &value(key)));
    }
    kept(tx)
}

/// Reads values without copying them.
pub fn get(state: &'static impl Read) -> impl Work {
    let keys = some_keys(COUNT);
    for key in &keys {
        assert_eq!(ok(ORDERS.get(state, *key)).as_deref(), Some(&value(*key)[..]));
    }
    let run = move || {
        for key in black_box(&keys) {
            there(ok(ORDERS.get_with(state, *key, |value| {
                black_box(value);
            })));
        }
    };
    Batch { before: || (), run }
}

/// Reads all rows in order, repeatedly.
pub fn scan(state: &'static impl Read) -> impl Work {
    assert_eq!(ok(ORDERS.prefix_all().count(state)), keys().count() as u64);
    let mut scan = ok(ORDERS.scan_all(state));
    let run = move || {
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
    };
    Batch { before: || (), run }
}

/// Reads the ten rows of each of many users.
pub fn scan_ten(state: &'static impl Read) -> impl Work {
    let keys = some_keys(COUNT);
    assert!(keys.iter().all(|key| ok(ORDERS.prefix_user(key.0).count(state)) == 10));
    let run = move || {
        for key in black_box(&keys) {
            let mut scan = ok(ORDERS.scan_user(state, key.0));
            while let Some(row) = ok(scan.next_row()) {
                black_box(row.key.user);
                black_box(row.key.order);
                black_box(ok(row.value()));
            }
        }
    };
    Batch { before: || (), run }
}

/// Overwrites existing rows, one transaction per batch.
pub fn put(db: &'static Db, durability: Durability) -> impl Work {
    let rows: Vec<_> = some_keys(COUNT).into_iter().map(|key| (key, value(key))).collect();
    let writer = db.with_durability(durability);
    let run = move || {
        ok(writer.write(|tx| {
            black_box(&rows).iter().try_for_each(|(key, value)| ORDERS.put(tx, *key, value))
        }));
    };
    Batch { before: move || ok(db.sync()), run }
}

/// Overwrites existing rows of a map with an index.
pub fn put_indexed(db: Db) -> impl Work {
    ok(db.write(|tx| keys().try_for_each(|key| BOUGHT.put(tx, key, &value(key)))));
    let rows: Vec<_> = some_keys(COUNT).into_iter().map(|key| (key, value(key))).collect();
    let writer = db.with_durability(Durability::Buffered);
    let run = move || {
        ok(writer.write(|tx| {
            black_box(&rows).iter().try_for_each(|(key, value)| BOUGHT.put(tx, *key, value))
        }));
    };
    Batch { before: move || ok(db.sync()), run }
}

/// Begins a transaction that contains all rows as JSON and is never committed.
pub fn noted() -> Tx<'static> {
    let mut tx = ok(kept(memory()).begin(Mode::Write));
    keys().for_each(|key| ok(NOTED.put(&mut tx, key, &Note::of(key))));
    tx
}

/// Reads JSON values in the transaction of [`noted`].
pub fn noted_get() -> impl Work {
    let tx = noted();
    let keys = some_keys(COUNT);
    assert!(keys.iter().all(|key| ok(NOTED.get(&tx, *key)) == Some(Note::of(*key))));
    let run = move || {
        for key in black_box(&keys) {
            black_box(there(ok(NOTED.get(&tx, *key))));
        }
    };
    Batch { before: || (), run }
}

/// Overwrites JSON values in the transaction of [`noted`].
pub fn noted_put() -> impl Work {
    let mut tx = noted();
    let rows: Vec<(Key, Note)> =
        some_keys(COUNT).into_iter().map(|key| (key, Note::of(key))).collect();
    let run = move || {
        for (key, note) in black_box(&rows) {
            ok(NOTED.put(&mut tx, *key, note));
        }
    };
    Batch { before: || (), run }
}

/// Reads the ten rows of each of many users in the transaction of [`noted`].
pub fn noted_scan() -> impl Work {
    let tx = noted();
    let keys = some_keys(COUNT);
    assert!(keys.iter().all(|key| ok(NOTED.prefix_user(key.0).count(&tx)) == 10));
    let run = move || {
        for key in black_box(&keys) {
            let mut scan = ok(NOTED.scan_user(&tx, key.0));
            while let Some(row) = ok(scan.next_row()) {
                black_box(row.key.order);
                black_box(ok(row.value()));
            }
        }
    };
    Batch { before: || (), run }
}
