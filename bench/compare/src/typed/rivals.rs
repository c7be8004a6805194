//! Other libraries for typed rows, each on a `BTreeMap`.

use super::{
    Note,
    data::{Key, keys, some_keys, some_notes},
};
use crate::fixture::{ok, some};
use cosmwasm_std::{Order, Record, Storage};
use keyscape_bench::{Batch, Work, for_each};
use std::{
    collections::{BTreeMap, btree_map::Range},
    hint::black_box,
    ops::Bound,
};
use storey::{
    containers::{Item, IterableAccessor, Map, router},
    encoding::{Cover, DecodableWithImpl, EncodableWithImpl, Encoding},
    storage::{IterableStorage, StorageBackend, StorageBackendMut},
};

/// Rows in memory, sorted by key.
#[derive(Clone, Debug, Default)]
pub struct Flat(BTreeMap<Vec<u8>, Vec<u8>>);

impl Flat {
    fn between(&self, start: Bound<&[u8]>, end: Bound<&[u8]>) -> Range<'_, Vec<u8>, Vec<u8>> {
        self.0.range::<[u8], _>((start, end))
    }
}

impl Storage for Flat {
    fn get(&self, key: &[u8]) -> Option<Vec<u8>> {
        self.0.get(key).cloned()
    }

    fn range<'a>(
        &'a self,
        start: Option<&[u8]>,
        end: Option<&[u8]>,
        order: Order,
    ) -> Box<dyn Iterator<Item = Record> + 'a> {
        let start = start.map_or(Bound::Unbounded, Bound::Included);
        let rows = self.between(start, end.map_or(Bound::Unbounded, Bound::Excluded));
        let rows = rows.map(|(key, value)| (key.clone(), value.clone()));
        match order {
            Order::Ascending => Box::new(rows),
            Order::Descending => Box::new(rows.rev()),
        }
    }

    fn set(&mut self, key: &[u8], value: &[u8]) {
        self.0.insert(key.to_vec(), value.to_vec());
    }

    fn remove(&mut self, key: &[u8]) {
        self.0.remove(key);
    }
}

const NOTED: cw_storage_plus::Map<Key, Note> = cw_storage_plus::Map::new("n");

fn plus() -> Flat {
    let mut rows = Flat::default();
    keys().for_each(|key| ok(NOTED.save(&mut rows, key, &Note::of(key))));
    rows
}

/// Reads with cw-storage-plus.
pub fn plus_get() -> impl Work {
    let rows = plus();
    for_each(some_keys(), move |key| {
        black_box(ok(NOTED.load(&rows, *key)));
    })
}

/// Writes with cw-storage-plus.
pub fn plus_put() -> impl Work {
    let mut rows = plus();
    for_each(some_notes(), move |(key, note)| ok(NOTED.save(&mut rows, *key, note)))
}

/// Reads the rows of users with cw-storage-plus.
pub fn plus_scan() -> impl Work {
    let (rows, keys) = (plus(), some_keys());
    let count = |key: &Key| NOTED.prefix(key.0).range(&rows, None, None, Order::Ascending).count();
    assert!(keys.iter().all(|key| count(key) == 10));
    for_each(keys, move |key| {
        for row in NOTED.prefix(key.0).range(&rows, None, None, Order::Ascending) {
            black_box(ok(row));
        }
    })
}

impl StorageBackend for Flat {
    fn get(&self, key: &[u8]) -> Option<Vec<u8>> {
        self.0.get(key).cloned()
    }
}

impl StorageBackendMut for Flat {
    fn set(&mut self, key: &[u8], value: &[u8]) {
        self.0.insert(key.to_vec(), value.to_vec());
    }

    fn remove(&mut self, key: &[u8]) {
        self.0.remove(key);
    }
}

/// An iterator over copies of rows, which storey requires.
#[derive(Clone, Debug)]
pub struct Copies<'a>(Range<'a, Vec<u8>, Vec<u8>>);

impl Iterator for Copies<'_> {
    type Item = (Vec<u8>, Vec<u8>);

    fn next(&mut self) -> Option<Self::Item> {
        self.0.next().map(|(key, value)| (key.clone(), value.clone()))
    }
}

impl IterableStorage for Flat {
    type KeysIterator<'a> = std::iter::Map<Copies<'a>, fn((Vec<u8>, Vec<u8>)) -> Vec<u8>>;
    type ValuesIterator<'a> = std::iter::Map<Copies<'a>, fn((Vec<u8>, Vec<u8>)) -> Vec<u8>>;
    type PairsIterator<'a> = Copies<'a>;

    fn keys<'a>(&'a self, start: Bound<&[u8]>, end: Bound<&[u8]>) -> Self::KeysIterator<'a> {
        self.pairs(start, end).map(|row| row.0)
    }

    fn values<'a>(&'a self, start: Bound<&[u8]>, end: Bound<&[u8]>) -> Self::ValuesIterator<'a> {
        self.pairs(start, end).map(|row| row.1)
    }

    fn pairs<'a>(&'a self, start: Bound<&[u8]>, end: Bound<&[u8]>) -> Copies<'a> {
        Copies(self.between(start, end))
    }
}

/// The JSON encoding for storey.
#[derive(Clone, Copy, Debug)]
pub struct Json;

impl Encoding for Json {
    type EncodeError = serde_json::Error;
    type DecodeError = serde_json::Error;
}

impl EncodableWithImpl<Json> for Cover<&Note> {
    fn encode_impl(self) -> Result<Vec<u8>, serde_json::Error> {
        serde_json::to_vec(self.0)
    }
}

impl DecodableWithImpl<Json> for Cover<Note> {
    fn decode_impl(data: &[u8]) -> Result<Self, serde_json::Error> {
        serde_json::from_slice(data).map(Cover)
    }
}

/// The output of storey's macro, which has no documentation.
mod root {
    use super::{Item, Json, Map, Note, router};

    router! {
        router Root {
            0 -> noted: Map<u64, Map<u64, Item<Note, Json>>>,
        }
    }
}
use root::Root;

fn stored() -> Flat {
    let mut rows = Flat::default();
    let mut root = Root::access(&mut rows);
    let mut noted = root.noted_mut();
    keys().for_each(|key| ok(noted.entry_mut(&key.0).entry_mut(&key.1).set(&Note::of(key))));
    rows
}

/// Reads with storey.
pub fn storey_get() -> impl Work {
    let (rows, keys) = (stored(), some_keys());
    Batch::new(move || {
        let root = Root::access(&rows);
        let noted = root.noted();
        for key in black_box(&keys) {
            black_box(some(ok(noted.entry(&key.0).entry(&key.1).get())));
        }
    })
}

/// Writes with storey.
pub fn storey_put() -> impl Work {
    let (mut rows, notes) = (stored(), some_notes());
    Batch::new(move || {
        let mut root = Root::access(&mut rows);
        let mut noted = root.noted_mut();
        for (key, note) in black_box(&notes) {
            ok(noted.entry_mut(&key.0).entry_mut(&key.1).set(note));
        }
    })
}

/// Reads the rows of users with storey.
pub fn storey_scan() -> impl Work {
    let (rows, keys) = (stored(), some_keys());
    let count = |key: &Key| Root::access(&rows).noted().entry(&key.0).pairs().count();
    assert!(keys.iter().all(|key| count(key) == 10));
    Batch::new(move || {
        let root = Root::access(&rows);
        let noted = root.noted();
        for key in black_box(&keys) {
            for row in noted.entry(&key.0).pairs() {
                black_box(ok(row));
            }
        }
    })
}
