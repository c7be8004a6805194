//! Handwritten code on the map that the memory engine uses.

use super::data::{
    Key, KeyBytes, bounds_by_hand, by_hand, keys, pending_keys, read_by_hand, some_keys, some_rows,
    value,
};
use crate::fixture::{leaked, some};
use imbl::OrdMap;
use keyscape_bench::{Batch, Work, for_each, inputs::COUNT};
use smallvec::SmallVec;
use std::{hint::black_box, ops::Bound, sync::Arc};

type Bytes = SmallVec<[u8; 40]>;
type Map = OrdMap<Bytes, Arc<[u8]>>;

fn put_row(map: &mut Map, key: &[u8], value: &[u8]) {
    map.insert(Bytes::from_slice(key), value.into());
}

/// Creates a map with all rows.
#[must_use]
pub fn clean() -> Map {
    let mut map = Map::new();
    keys().for_each(|key| put_row(&mut map, &by_hand(b'o', key), &value(key)));
    map
}

/// Creates a version of the map with some rows rewritten, while the old version still exists.
#[must_use]
pub fn dirty() -> Map {
    let mut map = leaked(clean()).clone();
    let rows = pending_keys().into_iter();
    rows.for_each(|key| put_row(&mut map, &by_hand(b'o', key), &value(key)));
    map
}

/// Reads values.
pub fn get(map: Map) -> impl Work {
    for_each(some_keys(), move |key| {
        let value = some(map.get(&by_hand(b'o', *key)[..]));
        black_box(&**value);
    })
}

/// Reads all rows in order, repeatedly.
pub fn scan(map: Map) -> impl Work {
    let map = leaked(map);
    let all = || map.range::<_, [u8]>((Bound::Included(&b"o/"[..]), Bound::Excluded(&b"o0"[..])));
    let mut rows = all();
    Batch::new(move || {
        for _ in 0..COUNT {
            match rows.next() {
                Some((key, value)) => {
                    let (user, order) = some(read_by_hand(key));
                    black_box(user);
                    black_box(order);
                    black_box(&**value);
                }
                None => rows = all(),
            }
        }
    })
}

/// Reads the ten rows of each of many users.
pub fn scan_ten(map: Map) -> impl Work {
    for_each(some_keys(), move |key| {
        let (low, high) = bounds_by_hand(key.0);
        let bounds = (Bound::Included(&low[..]), Bound::Excluded(&high[..]));
        for (key, value) in map.range::<_, [u8]>(bounds) {
            let (user, order) = some(read_by_hand(key));
            black_box(user);
            black_box(order);
            black_box(&**value);
        }
    })
}

/// Overwrites existing rows in key order, in a new version of the map.
pub fn put() -> impl Work {
    let (mut map, rows) = (clean(), some_rows());
    Batch::new(move || {
        let rows = black_box(&rows).iter().map(|(key, value)| (by_hand(b'o', *key), &value[..]));
        map = put_sorted(&map, rows.collect());
    })
}

/// Overwrites rows and their index entries in key order, like [`put`].
pub fn put_indexed() -> impl Work {
    let two = |(user, order): Key| [by_hand(b'b', (user, order)), by_hand(b'i', (order, user))];
    let mut map = Map::new();
    for key in keys() {
        let [row, entry] = two(key);
        put_row(&mut map, &row, &value(key));
        put_row(&mut map, &entry, b"");
    }
    let rows = some_rows();
    Batch::new(move || {
        let mut both: Vec<(KeyBytes, &[u8])> = Vec::with_capacity(2 * COUNT);
        for (key, value) in black_box(&rows) {
            let [row, entry] = two(*key);
            both.push((row, value));
            both.push((entry, b""));
        }
        map = put_sorted(&map, both);
    })
}

/// Returns a version of the map with some rows written in key order.
fn put_sorted(map: &Map, mut rows: Vec<(KeyBytes, &[u8])>) -> Map {
    let mut next = map.clone();
    rows.sort_unstable_by_key(|row| row.0);
    rows.iter().for_each(|(key, value)| put_row(&mut next, key, value));
    next
}
