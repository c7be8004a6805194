//! native_db compared with the version of redb that it uses, which is older than ours.

use super::data::{Key, keys, some_keys, value};
use crate::fixture::{CACHE, leaked, ok, some};
use keyscape_bench::{Batch, Work, for_each};
use native_db::{Builder, Database, Models, ToKey, native_db};
use native_model::{Model, native_model};
use redb2::TableDefinition;
use serde::{Deserialize, Serialize};
use std::hint::black_box;

/// A row of native_db.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[native_model(id = 1, version = 1)]
#[native_db]
pub struct Row {
    /// Both fields of the key in one number.
    #[primary_key]
    pub key: u128,
    /// The value of the row.
    pub value: Vec<u8>,
}

fn number((user, order): Key) -> u128 {
    (u128::from(user) << 64) | u128::from(order)
}

fn row(key: Key) -> Row {
    Row { key: number(key), value: value(key).to_vec() }
}

fn filled() -> &'static Database<'static> {
    let folder = ok(tempfile::tempdir());
    let mut models = Models::new();
    ok(models.define::<Row>());
    let path = folder.path().join("native.redb");
    let db = ok(Builder::new().set_cache_size(CACHE).create(leaked(models), path));
    let tx = ok(db.rw_transaction());
    keys().for_each(|key| ok(tx.insert(row(key))));
    ok(tx.commit());
    leaked(db)
}

/// Reads with native_db.
pub fn get() -> impl Work {
    let state = ok(filled().r_transaction());
    for_each(some_keys(), move |key| {
        black_box(some(ok(state.get().primary::<Row>(number(*key)))));
    })
}

/// Writes with native_db, one durable transaction per batch.
pub fn put() -> impl Work {
    let db = filled();
    let rows: Vec<_> = some_keys().into_iter().map(row).collect();
    Batch::new(move || {
        let tx = ok(db.rw_transaction());
        for row in black_box(&rows) {
            ok(tx.upsert(row.clone()));
        }
        ok(tx.commit());
    })
}

const ROWS: TableDefinition<'static, &[u8], &[u8]> = TableDefinition::new("rows");

fn write(file: &redb2::Database, rows: &[Row]) {
    let tx = ok(file.begin_write());
    let mut sorted: Vec<([u8; 16], &[u8])> =
        rows.iter().map(|row| (row.key.to_be_bytes(), &row.value[..])).collect();
    sorted.sort_unstable_by_key(|row| row.0);
    let mut table = ok(tx.open_table(ROWS));
    for (key, value) in sorted {
        ok(table.insert(&key[..], value));
    }
    drop(table);
    ok(tx.commit());
}

fn raw() -> redb2::Database {
    let folder = ok(tempfile::tempdir());
    let path = folder.path().join("raw.redb");
    let file = ok(redb2::Builder::new().set_cache_size(CACHE).create(path));
    write(&file, &keys().map(row).collect::<Vec<_>>());
    file
}

/// Reads with the redb of native_db, and copies the value, because native_db always does.
pub fn raw_get() -> impl Work {
    let table = ok(ok(leaked(raw()).begin_read()).open_table(ROWS));
    for_each(some_keys(), move |key| {
        let value = some(ok(table.get(&number(*key).to_be_bytes()[..])));
        black_box(value.value().to_vec());
    })
}

/// Writes with the redb of native_db.
pub fn raw_put() -> impl Work {
    let file = raw();
    let rows: Vec<_> = some_keys().into_iter().map(row).collect();
    Batch::new(move || write(&file, black_box(&rows)))
}
