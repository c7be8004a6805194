//! Compares counts with numbers counted by hand.

use super::harness::{BANK, MODULE, doc, layout};
use serde_json::{Value, json};

fn store(path: &str, index: usize) -> Value {
    let document: Value = serde_json::from_str(&doc(path, "json")).unwrap();
    document["stores"][index].clone()
}

#[test]
fn keyspaces_are_counted_by_kind() {
    let bank = store(BANK, 0);
    assert_eq!(bank["counts"]["kinds"], json!({"index": 1, "item": 1, "map": 4}));
    assert_eq!((&bank["counts"]["keyspaces"], &bank["counts"]["scans"]), (&json!(6), &json!(7)));
    assert_eq!(bank["first_bytes"][0]["used"], 6);
    assert_eq!(bank["first_bytes"][0]["free"], 250);
    let acc = store(BANK, 1);
    assert_eq!(acc["counts"]["kinds"], json!({"index": 1, "item": 1, "map": 2, "sequence": 1}));
    let chain = store(MODULE, 0);
    assert_eq!(chain["counts"]["kinds"], json!({"map": 6, "sequence": 1}));
    assert_eq!(chain["counts"]["namespaces"], 2);
    assert_eq!(chain["backend"]["longest_key"], 511);
}

#[test]
fn prefixes_of_ranges_are_counted_once_each() {
    let chain = store(MODULE, 0);
    let dex = &chain["namespaces"][0];
    assert_eq!(dex["keyspaces"], 6);
    let counts = ["used", "reserved", "deprecated", "free"].map(|name| dex[name].clone());
    assert_eq!(counts, [6, 1, 1, 248].map(Value::from));
    let ranges: Vec<Vec<u64>> = dex["ranges"]
        .as_array()
        .unwrap()
        .iter()
        .map(|range| {
            let names = ["allocated", "used", "reserved", "deprecated", "free"];
            names.iter().map(|name| range[name].as_u64().unwrap()).collect()
        })
        .collect();
    assert_eq!(ranges, [[15, 3, 1, 1, 10], [16, 1, 0, 0, 15], [208, 2, 0, 0, 206]]);
}

#[test]
fn a_leading_field_uses_every_byte_that_it_may_begin_with() {
    let chain = store(MODULE, 0);
    let oracle = &chain["namespaces"][1];
    assert_eq!((&oracle["used"], &oracle["free"]), (&json!(26), &json!(230)));
    assert_eq!(
        oracle["bytes"][0],
        json!({"byte": "61", "status": "field", "keyspaces": ["prices"]})
    );
}

#[test]
fn prefixes_of_two_bytes_are_counted_and_a_retired_one_in_use_is_a_conflict() {
    let text = r#"store s
        namespace n = 0x01 {
          allocate pairs 0x00FE ..= 0x0101
          reserve 0x0101 "kept"
          map a = 0x0100 {x: u8} -> empty
        }
        namespace m = 0x02 {
          deprecated 0x07 "old"
          item b = 0x07 -> empty
        }"#;
    let (_directory, path) = layout("pairs.keys", text);
    let store = store(&path, 0);
    let range = &store["namespaces"][0]["ranges"][0];
    let counts = ["allocated", "used", "reserved", "free"].map(|name| range[name].clone());
    assert_eq!(counts, [4, 1, 1, 2].map(Value::from));
    assert_eq!(store["namespaces"][1]["bytes"][0]["status"], "conflict");
    assert_eq!(store["claims"]["refuted"], 1);
}

#[test]
fn families_have_first_bytes_of_their_own() {
    let text = r#"store s
        family one { map a = 0x01 {x: u8} -> empty }
        family two { map b = 0x01 {x: u8} -> empty  item c = 0x02 -> empty }"#;
    let (_directory, path) = layout("families.keys", text);
    let store = store(&path, 0);
    let maps = store["first_bytes"].as_array().unwrap();
    let used: Vec<(&str, u64)> = maps
        .iter()
        .map(|map| (map["family"].as_str().unwrap(), map["used"].as_u64().unwrap()))
        .collect();
    assert_eq!(used, [("one", 1), ("two", 2)]);
    assert_eq!(store["counts"]["families"], 2);
}
