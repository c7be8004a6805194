//! Decoding many keys with a layout of several keyspaces, like a tool that prints stored rows.

use crate::{
    Entry, Group, Side,
    dynamic::{Dynamic, record},
    for_each,
    inputs::{any_width, bytes, random, text},
};
use fastrand::Rng;
use keyscape_codec::Value;
use std::hint::black_box;

const LEDGER: &str = include_str!("ledger.keys");

/// Returns the groups of this module.
#[must_use]
pub fn entries() -> Vec<Entry> {
    vec![Entry { id: "many ledger decode".to_owned(), build: ledger }]
}

fn ledger() -> Group {
    let dynamic = Dynamic::new(LEDGER);
    let keys = random(|rng| {
        let (keyspace, fields) = row(rng);
        match dynamic.keyspace(keyspace).encode(&record(fields)) {
            Ok(key) => key,
            Err(error) => panic!("{keyspace}: {error}"),
        }
    });
    let mut decoder = dynamic.decoder();
    for key in &keys {
        assert_eq!(decoder.decode(key).readings.len(), 1, "a key has one reading");
    }
    let work = for_each(keys, move |key| {
        black_box(decoder.decode(key));
    });
    let side = Side::new("Keyscape, by layout", "seven keyspaces; values are owned", work);
    Group { title: "keys of a ledger, decode by layout".to_owned(), sides: vec![side] }
}

/// Returns a random keyspace with values for its fields.
fn row(rng: &mut Rng) -> (&'static str, Vec<(&'static str, Value)>) {
    let owner = |rng: &mut Rng| Value::Bytes(bytes::<20>(rng).to_vec());
    let number = |rng: &mut Rng| Value::Uint(any_width(rng).into());
    let denom = |rng: &mut Rng| {
        let length = rng.usize(3..=12);
        Value::Text(format!("u{}", text(rng, length)))
    };
    match rng.u8(0..7) {
        0 => ("accounts", vec![("owner", owner(rng))]),
        1 => ("balances", vec![("owner", owner(rng)), ("denom", denom(rng))]),
        2 => ("supply", vec![("denom", denom(rng))]),
        3 => {
            let tick = Value::Int(rng.i64(..).into());
            ("ticks", vec![("pool", number(rng)), ("tick", tick)])
        }
        4 => {
            let height = Value::Int(rng.i32(..).into());
            ("recent", vec![("time", number(rng)), ("height", height)])
        }
        5 => ("orders", vec![("user", number(rng)), ("order", number(rng))]),
        _ => ("blocks", vec![("hash", Value::Bytes(bytes::<32>(rng).to_vec()))]),
    }
}
