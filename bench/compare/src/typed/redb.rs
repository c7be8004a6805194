//! Handwritten code on redb: one transaction, one open table, its stable cursor, sorted writes.

use super::data::{
    Key, KeyBytes, VALUE, bounds_by_hand, by_hand, keys, pending_keys, read_by_hand, some_keys,
    some_rows, value,
};
use crate::fixture::{CACHE, leaked, ok, some};
use keyscape_bench::{Batch, Work, for_each, inputs::COUNT};
use redb::{
    Builder, Cursor, Database, Durability, ReadOnlyTable, ReadableDatabase, ReadableTable, Table,
    TableDefinition, WriteTransaction,
};
use std::{hint::black_box, ops::Bound};

type Bytes = &'static [u8];
const SHOP: TableDefinition<'static, Bytes, Bytes> = TableDefinition::new("shop");

/// Creates an empty file.
#[must_use]
pub fn empty() -> Database {
    let folder = ok(tempfile::tempdir());
    ok(Builder::new().set_cache_size(CACHE).create(folder.path().join("raw.redb")))
}

/// Creates a file with all rows.
fn filled() -> Database {
    let file = empty();
    let rows = keys().map(|key| (by_hand(b'o', key), value(key)));
    write(&file, true, rows.collect::<Vec<_>>().iter().map(|(key, value)| (*key, &value[..])));
    file
}

/// Writes rows in key order in one transaction.
fn write<'a>(file: &Database, durable: bool, rows: impl Iterator<Item = (KeyBytes, &'a [u8])>) {
    let tx = begin_write(file, durable);
    let mut sorted: Vec<(KeyBytes, &[u8])> = rows.collect();
    sorted.sort_unstable_by_key(|row| row.0);
    let mut table = ok(tx.open_table(SHOP));
    for (key, value) in sorted {
        ok(table.insert(&key[..], value));
    }
    drop(table);
    ok(tx.commit());
}

/// Begins a transaction whose commit is synced, or not.
pub fn begin_write(file: &Database, durable: bool) -> WriteTransaction {
    let mut tx = ok(file.begin_write());
    if durable {
        tx.set_two_phase_commit(true);
    } else {
        ok(tx.set_durability(Durability::None));
    }
    tx
}

/// Makes all earlier commits durable, which frees their old pages.
pub fn sync(file: &Database) {
    ok(begin_write(file, true).commit());
}

/// Opens a table with all rows for reading.
#[must_use]
pub fn clean() -> ReadOnlyTable<Bytes, Bytes> {
    ok(ok(leaked(filled()).begin_read()).open_table(SHOP))
}

/// Opens a table with all rows in a transaction that has rewritten some of them.
#[must_use]
pub fn dirty() -> Table<'static, Bytes, Bytes> {
    let tx = leaked(begin_write(leaked(filled()), true));
    let mut table = ok(tx.open_table(SHOP));
    for key in pending_keys() {
        ok(table.insert(&by_hand(b'o', key)[..], &value(key)[..]));
    }
    table
}

/// Reads values.
pub fn get(table: impl ReadableTable<Bytes, Bytes>) -> impl Work {
    for_each(some_keys(), move |key| {
        let value = some(ok(table.get(&by_hand(b'o', *key)[..])));
        black_box(value.value());
    })
}

/// Reads and decodes the next row below `high`. Returns whether one exists.
fn step(cursor: &mut Cursor<'_, Bytes, Bytes>, high: &[u8]) -> bool {
    let Some((key, value)) = ok(cursor.next()) else { return false };
    if key.value() >= high {
        return false;
    }
    let (user, order) = some(read_by_hand(key.value()));
    black_box(user);
    black_box(order);
    black_box(value.value());
    true
}

/// Reads all rows in order, repeatedly.
pub fn scan(table: impl ReadableTable<Bytes, Bytes> + 'static) -> impl Work {
    let table = leaked(table);
    let all = || ok(table.lower_bound(Bound::Included(&b"o/"[..])));
    let mut cursor = all();
    Batch::new(move || {
        for _ in 0..COUNT {
            if !step(&mut cursor, b"o0") {
                cursor = all();
            }
        }
    })
}

/// Reads the ten rows of each of many users.
pub fn scan_ten(table: impl ReadableTable<Bytes, Bytes>) -> impl Work {
    for_each(some_keys(), move |key| {
        let (low, high) = bounds_by_hand(key.0);
        let mut cursor = ok(table.lower_bound(Bound::Included(&low[..])));
        while step(&mut cursor, &high) {}
    })
}

/// Overwrites existing rows in key order, one transaction per batch that is not synced.
pub fn put() -> impl Work {
    overwrite(false)
}

/// Overwrites existing rows in key order, one synced transaction per batch.
pub fn put_durable() -> impl Work {
    overwrite(true)
}

fn overwrite(durable: bool) -> impl Work {
    let (file, rows) = (leaked(filled()), some_rows());
    let run = move || {
        let rows = black_box(&rows).iter();
        write(file, durable, rows.map(|(key, value)| (by_hand(b'o', *key), &value[..])));
    };
    Batch { before: || sync(file), run }
}

/// Overwrites rows and their index entries in key order.
pub fn put_indexed() -> impl Work {
    fn two((key, value): &(Key, [u8; VALUE])) -> [(KeyBytes, &[u8]); 2] {
        [(by_hand(b'b', *key), value), (by_hand(b'i', (key.1, key.0)), b"")]
    }
    let file = leaked(empty());
    let all: Vec<_> = keys().map(|key| (key, value(key))).collect();
    write(file, true, all.iter().flat_map(two));
    let rows = some_rows();
    let run = move || write(file, false, black_box(&rows).iter().flat_map(two));
    Batch { before: || sync(file), run }
}
