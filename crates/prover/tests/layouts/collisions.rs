//! Collisions that are known from the origins: both sides are records of a layout, and both make
//! the same key.

use crate::{
    files::open,
    golden::{bytes, decode, keyspace, start},
    repository::text,
    values::{self, unhex},
};
use keyscape_layout::Layout;
use serde_json::{Value as Json, json};

/// A record of a keyspace.
struct Side(&'static str, Json);

impl Side {
    fn key(&self, layout: &Layout) -> Vec<u8> {
        let found = layout.keyspace(keyspace(layout, self.0));
        found.encode(&values::record(&found.key, &self.1).unwrap()).unwrap()
    }

    fn start(&self, layout: &Layout, scan: &str) -> Vec<u8> {
        let found = layout.keyspace(keyspace(layout, self.0));
        start(found, scan, &values::record(&found.key, &self.1).unwrap()).unwrap()
    }
}

const X: &str = "99cfcc44e6bc906138b370f35c85583a3b54c8d8";

/// In which layouts a collision shows, and its two sides. The first fields of the entry tell which
/// one is meant.
fn sides(why: &str, a: &Json) -> (&'static [&'static str], Side, Side) {
    const DOCUMENTED: &[&str] = &["onesat/documented.keys"];
    const BADGER: &[&str] = &["onesat/badger.keys", "onesat/badger-nul.keys"];
    let free = |keyspace, field: &str, value: &str| Side(keyspace, json!({ field: value }));
    match (why, a["fn"].as_str()) {
        (_, Some("KeyEvent")) if a["event"] == "sym:FOO:spnd" => {
            (DOCUMENTED, free("events", "event", "sym:FOO:spnd"), free("spent", "event", "sym:FOO"))
        }
        (_, Some("KeyEvent")) => (
            DOCUMENTED,
            free("events", "event", "tp:tm_bsv21"),
            free("topics", "topic", "tm_bsv21"),
        ),
        (_, Some("KeyTopicOutputs")) => (
            &["onesat/documented.keys", "onesat/deployed.keys", "onesat/1842d5c.keys"],
            free("topics", "topic", "t:tx"),
            free("topic_txs", "topic", "t"),
        ),
        (_, Some("KeyQueue")) => (
            DOCUMENTED,
            free("subscriptions", "subscription", "tok:X"),
            free("tokens", "token", "X"),
        ),
        (_, Some("KeyMerkleState")) => (
            &["onesat/documented.keys", "onesat/deployed.keys", "onesat/1842d5c.keys"],
            Side("merkle", json!({"topic": "a", "state": 1})),
            free("logs", "log", "merkle:a:1"),
        ),
        ("\":\" joins key and member", _) => (
            BADGER,
            Side("set_members", json!({"key": "s:bsv21", "member": "whitelist:X"})),
            Side("set_members", json!({"key": "s:bsv21:whitelist", "member": "X"})),
        ),
        (why, _) if why.starts_with("no length prefix") => {
            let tail: String = "abcdefghijkl".bytes().map(|byte| format!("{byte:02x}")).collect();
            let long = format!("0x{X}{tail}");
            let short = format!("0x{X}");
            let address = |arm: &str, account: &str| json!({ arm: {"account": account} });
            let balance = |address: Json, denom: &str| {
                Side("balances", json!({"address": address, "denom": denom}))
            };
            (
                &["bank/v0.40-two-lengths.keys"],
                balance(address("short", &short), "abcdefghijklmno"),
                balance(address("long", &long), "mno"),
            )
        }
        _ => panic!("nothing says which records these are: {why} {a}"),
    }
}

fn known(kind: &str) -> Vec<Json> {
    let all: Vec<Json> =
        serde_json::from_str(&text("testing/corpus/golden/collisions.json")).unwrap();
    assert!(
        all.iter().all(|c| ["same_key", "scan_overlap"].contains(&c["kind"].as_str().unwrap()))
    );
    all.into_iter().filter(|collision| collision["kind"] == kind).collect()
}

#[test]
fn both_sides_of_every_known_collision_make_the_same_key() {
    for collision in known("same_key") {
        let key = bytes(&collision["key_hex"]);
        let (layouts, a, b) = sides(collision["why"].as_str().unwrap(), &collision["a"]);
        for file in layouts {
            let layout = open(file);
            assert_eq!(a.key(layout), key, "{file}: {collision}");
            assert_eq!(b.key(layout), key, "{file}: {collision}");
            let readings = decode(layout, keyspace(layout, a.0), &key);
            assert!(readings.len() >= 2, "{file}: {readings:?}");
        }
    }
}

#[test]
fn no_known_collision_is_left_in_the_sound_layouts() {
    for collision in known("same_key") {
        let system = collision["system"].as_str().unwrap();
        let layout = open(&format!("{system}/sound.keys"));
        let key = bytes(&collision["key_hex"]);
        for space in &layout.spaces {
            let readings = decode(layout, space.keyspaces[0], &key);
            assert!(readings.len() <= 1, "{collision}: {readings:?}");
        }
    }
}

#[test]
fn scans_that_are_known_to_overlap_do() {
    let layout = open("onesat/badger.keys");
    let [zset, hash] = &*known("scan_overlap") else { panic!("two overlaps are known") };
    let scores = |key: &str| Side("zset_scores", json!({"key": key})).start(layout, "key");
    assert_eq!(scores("z:own:A:spnd"), bytes(&zset["key_hex"]));
    assert!(scores("z:own:A:spnd").starts_with(&scores("z:own:A")));

    let all_amounts = Side("hash_fields", json!({"key": "h:sats"})).start(layout, "key");
    assert_eq!(all_amounts, bytes(&hash["key_hex"]));
    // The hash of an output whose transaction id was ground until it began like this.
    let ground = [b"h:sats:".as_slice(), &unhex(&"5a".repeat(31)).unwrap()].concat();
    let digits: String = ground.iter().map(|byte| format!("{byte:02x}")).collect();
    let row = Side("hash_fields", json!({"key": format!("0x{digits}"), "field": "ev"}));
    assert!(row.key(layout).starts_with(&all_amounts));
}
