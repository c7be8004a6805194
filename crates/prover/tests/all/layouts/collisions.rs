//! Known collisions of the original systems: two records of a layout that have the same key.

use crate::layouts::{
    files::open,
    golden::{bytes, decode, keyspace, start},
};
use crate::{repository::text, values};
use keyscape_layout::Layout;
use keyscape_testkit::{hex, unhex};
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

/// The layouts with a collision, and its two sides.
type Sides = (&'static [&'static str], Side, Side);

fn sides(collision: &Json) -> Sides {
    match collision["system"].as_str() {
        Some("bitbadges") => bitbadges(&collision["a"], &collision["b"]),
        Some("paw") => paw(&collision["a"], &collision["b"]),
        _ => bank_or_onesat(collision["why"].as_str().unwrap(), &collision["a"]),
    }
}

fn bitbadges(a: &Json, b: &Json) -> Sides {
    const V11: &[&str] = &["bitbadges/v11.keys"];
    const DASHED: &[&str] = &["bitbadges/v11.keys", "bitbadges/deployed.keys"];
    let collection =
        |side: &Json| Side("collections", json!({"collection": side["collection_id"]}));
    let store = |side: &Json| Side("dynamic_stores", json!({"store": side["dynamic_store"]}));
    let tracker = |side: &Json| {
        let (approval, tracker) = (&side["approval_id"], &side["amount_tracker_id"]);
        let record = json!({"collection": 1, "approval": approval, "tracker": tracker,
            "level": "collection", "kind": "overall"});
        Side("approval_trackers", record)
    };
    let challenge = |side: &Json| {
        let (approval, challenge) = (&side["approval_id"], &side["challenge_id"]);
        let record = json!({"collection": 1, "level": "collection", "approval": approval,
            "challenge": challenge, "leaf": side["leaf_index"]});
        Side("challenge_trackers", record)
    };
    let has = |field: &str| a.get(field).is_some();
    if has("collection_id") {
        (V11, collection(a), collection(b))
    } else if has("dynamic_store") {
        (V11, store(a), store(b))
    } else if has("challenge_id") {
        (DASHED, challenge(a), challenge(b))
    } else {
        (DASHED, tracker(a), tracker(b))
    }
}

fn paw(a: &Json, b: &Json) -> Sides {
    let pair = |side: &Json| {
        let tokens = json!({"token_a": side["pair"][0], "token_b": side["pair"][1]});
        Side("pool_by_tokens", tokens)
    };
    match (a["pair"][0].as_str(), a["entry"].as_str()) {
        (Some("a/b"), _) => (&["paw/deployed.keys"], pair(a), pair(b)),
        (Some("ab"), _) => (&["paw/documented.keys"], pair(a), pair(b)),
        (_, Some("oracle.EmergencyPauseStateKey")) => {
            (&["paw/deployed.keys"], Side("pause", json!({})), Side("voting_power", json!({})))
        }
        (_, Some("oracle IP->validator")) => (
            &["paw/deployed.keys", "paw/dbab9ec.keys"],
            Side("validators_by_ip", json!({"ip": a["ip"], "validator": a["validator"]})),
            Side("outlier_counts", json!({"validator": b["validator"], "asset": b["asset"]})),
        ),
        _ => panic!("nothing says which records these are: {a}"),
    }
}

/// Selects the collision by the first fields of an entry.
fn bank_or_onesat(why: &str, a: &Json) -> Sides {
    const DOCUMENTED: &[&str] = &["onesat/documented.keys"];
    const UNSOUND: &[&str] = &["onesat/documented.keys", "onesat/deployed.keys"];
    const BADGER: &[&str] = &["onesat/badger.keys", "onesat/badger-nul.keys"];
    let free = |keyspace, field: &str, value: &str| Side(keyspace, json!({ field: value }));
    match (why, a["fn"].as_str()) {
        (_, Some("KeyEvent")) if a["event"] == "sym:FOO:spnd" => {
            let symbol = |keyspace, symbol: &str| {
                Side(keyspace, json!({"event": {"sym": {"symbol": symbol}}}))
            };
            (UNSOUND, symbol("events", "FOO:spnd"), symbol("spent", "FOO"))
        }
        (_, Some("KeyEvent")) => (
            DOCUMENTED,
            Side("events", json!({"event": {"other": {"event": "tp:tm_bsv21"}}})),
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

fn recorded(kind: &str) -> Vec<Json> {
    let all: Vec<Json> =
        serde_json::from_str(&text("testing/corpus/golden/collisions.json")).unwrap();
    const KINDS: [&str; 4] = ["same_key", "same_prefix", "scan_overlap", "parse_bug"];
    assert!(all.iter().all(|c| KINDS.contains(&c["kind"].as_str().unwrap())));
    all.into_iter().filter(|collision| collision["kind"] == kind).collect()
}

#[test]
fn both_sides_of_every_known_collision_make_the_same_key() {
    for collision in recorded("same_key") {
        let key = bytes(&collision["key_hex"]);
        let (layouts, a, b) = sides(&collision);
        for file in layouts {
            let layout = open(file);
            assert_eq!(a.key(layout), key, "{file}: {collision}");
            assert_eq!(b.key(layout), key, "{file}: {collision}");
            let readings = decode(layout, keyspace(layout, a.0), &key);
            // A truncated key contains one reading only: the other side is lost, not ambiguous.
            let lost = collision["why"].as_str().unwrap().contains("truncat");
            assert_eq!(readings.len() == 1, lost, "{file}: {readings:?}");
        }
    }
}

#[test]
fn no_known_collision_is_left_in_the_sound_layouts() {
    for collision in recorded("same_key") {
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
    let [zset, hash] = &*recorded("scan_overlap") else { panic!("two overlaps are known") };
    let scores = |key: &str| Side("zset_scores", json!({"key": key})).start(layout, "key");
    assert_eq!(scores("z:own:A:spnd"), bytes(&zset["key_hex"]));
    assert!(scores("z:own:A:spnd").starts_with(&scores("z:own:A")));

    let all_amounts = Side("hash_fields", json!({"key": "h:sats"})).start(layout, "key");
    assert_eq!(all_amounts, bytes(&hash["key_hex"]));
    // The hash of an output with a transaction id that was searched for this prefix.
    let ground = [b"h:sats:".as_slice(), &unhex(&"5a".repeat(31)).unwrap()].concat();
    let digits = format!("0x{}", hex(&ground));
    let row = Side("hash_fields", json!({"key": digits, "field": "ev"}));
    assert!(row.key(layout).starts_with(&all_amounts));
}

#[test]
fn prefixes_that_are_known_to_be_given_away_twice_are() {
    let layout = open("paw/deployed.keys");
    let [rates] = &*recorded("same_prefix") else { panic!("one prefix is known") };
    let prefix = bytes(&rates["key_hex"]);
    for side in [
        Side("request_rates", json!({"requester": "0x01", "day": 1})),
        Side("randomness", json!({"validator": "0x01"})),
    ] {
        assert!(side.key(layout).starts_with(&prefix));
    }
}

#[test]
fn keys_that_their_own_code_reads_wrongly_have_one_reading_and_the_right_one() {
    let sides = [
        (
            "osmosis-cl/deployed.keys",
            Side("owner_positions", json!({"owner": format!("0x{X}"), "pool": 10, "position": 5})),
        ),
        (
            "osmosis-cl/v16.0.0.keys",
            Side(
                "incentives",
                json!({"pool": 1, "uptime": 0, "denom": "uosmo",
                    "creator": format!("0x{}", "7c".repeat(20))}),
            ),
        ),
    ];
    let bugs = recorded("parse_bug");
    assert_eq!(bugs.len(), sides.len());
    for (bug, (file, side)) in bugs.iter().zip(sides) {
        let layout = open(file);
        let key = bytes(&bug["key_hex"]);
        assert_eq!(side.key(layout), key, "{bug}");
        assert_eq!(decode(layout, keyspace(layout, side.0), &key).len(), 1, "{bug}");
    }
}

#[test]
fn a_tick_with_a_byte_that_is_no_sign_is_no_key_although_its_own_code_reads_it() {
    let layout = open("osmosis-cl/deployed.keys");
    let tick = |sign: &str| unhex(&format!("010000000000000001{sign}0000000000000001")).unwrap();
    let readings = |sign| decode(layout, keyspace(layout, "ticks"), &tick(sign)).len();
    assert_eq!([readings("06"), readings("05"), readings("00"), readings("ff")], [1, 0, 0, 0]);
}
