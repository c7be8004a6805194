//! The document as JSON: examples decode to themselves, and separators state whether they are safe.

use super::harness::{BANK, MODULE, doc, layout, stdout};
use serde_json::{Value, json};

const ONESAT: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../layouts/onesat/sound.keys");

fn keyspaces(path: &str) -> Vec<Value> {
    let document: Value = serde_json::from_str(&doc(path, "json")).unwrap();
    let stores = document["stores"].as_array().unwrap();
    stores.iter().flat_map(|store| store["keyspaces"].as_array().unwrap().clone()).collect()
}

#[test]
fn every_example_decodes_to_its_own_fields() {
    for path in [BANK, MODULE, ONESAT] {
        let keyspaces = keyspaces(path);
        assert!(!keyspaces.is_empty());
        // `decode` decodes keys of stores; the fields of a hash are not keys.
        let keyed: Vec<&Value> =
            keyspaces.iter().filter(|keyspace| keyspace["kind"] != "field").collect();
        let keys = keyed.iter().map(|keyspace| keyspace["example"]["key"].as_str().unwrap());
        let lines = stdout(&["decode", path].into_iter().chain(keys).collect::<Vec<_>>());
        assert_eq!(lines.lines().count(), keyed.len(), "{path}");
        for (keyspace, line) in keyed.into_iter().zip(lines.lines()) {
            let example = &keyspace["example"];
            assert_eq!(example["comes_back"], true, "{path}: {keyspace:#}");
            let decoded: Value = serde_json::from_str(line).unwrap();
            let readings = decoded["readings"].as_array().unwrap();
            let is_it = |found: &&Value| {
                found["keyspace"] == keyspace["name"] && found["fields"] == example["fields"]
            };
            assert!(readings.iter().any(|found| is_it(&found)), "{path}: {decoded:#}");
        }
    }
}

#[test]
fn the_bytes_of_the_segments_make_the_example() {
    for keyspace in keyspaces(BANK).iter().chain(&keyspaces(MODULE)) {
        let segments = keyspace["segments"].as_array().unwrap();
        let simple = |segment: &Value| segment["type"] == "literal" || segment["type"] == "leaf";
        if segments.iter().all(simple) {
            let bytes: String = segments
                .iter()
                .map(|s| s["bytes"].as_str().or(s["example"].as_str()).unwrap())
                .collect();
            assert_eq!(keyspace["example"]["key"], bytes.as_str());
        }
    }
}

#[test]
fn separators_say_whether_they_can_occur_before() {
    let module = keyspaces(MODULE);
    let named = |name: &str| module.iter().find(|found| found["name"] == name).unwrap();
    let separators = |name: &str| -> Vec<(String, bool)> {
        let list = named(name)["separators"].as_array().unwrap();
        let pair = |s: &Value| {
            let literal = s["literal"].as_str().unwrap().to_owned();
            (literal, s["can_occur_before"].as_bool().unwrap())
        };
        list.iter().map(pair).collect()
    };
    assert_eq!(separators("pool_by_tokens"), [("0x00".to_owned(), false)]);
    assert_eq!(separators("nonces"), [("\"-\"".to_owned(), true)]);
    let dash = |can| ("\"-\"".to_owned(), can);
    assert_eq!(separators("trackers"), [dash(false), dash(false)]);
    let example = named("nonces")["separators"][0]["example"].as_str().unwrap();
    assert_eq!(example, "6368616e6e656c2d30", "channel-0");
}

#[test]
fn a_list_describes_its_element() {
    let module = keyspaces(MODULE);
    let routes = module.iter().find(|found| found["name"] == "routes").unwrap();
    let list = &routes["segments"][2];
    assert_eq!((&list["type"], &list["min"], &list["max"]), (&json!("list"), &json!(1), &json!(3)));
    assert_eq!(list["element"]["codec"], "u16be");
    assert_eq!((&list["shortest"], &list["longest"]), (&json!(2), &json!(6)));
    assert_eq!(routes["example"]["fields"], json!({"hops": [1, 2]}));
}

#[test]
fn scans_carry_their_interval_and_verdicts() {
    let bank = keyspaces(BANK);
    let balances = bank.iter().find(|found| found["name"] == "balances").unwrap();
    let scan = &balances["scans"][0];
    assert_eq!((&scan["rows"], &scan["order"]), (&json!("proved"), &json!("proved")));
    assert_eq!(scan["begins"], "0x02 {owner}");
    let key = balances["example"]["key"].as_str().unwrap();
    let (start, end) = (scan["start"].as_str().unwrap(), scan["end"].as_str().unwrap());
    assert!(key.starts_with(start) && start <= key && key < end);
}

#[test]
fn a_tight_interval_is_reported_if_only_it_is_exact() {
    let text = "store s\nmap a = 0x37 {x: u8 in 0..=9} -> empty scan all\nitem b = 0x37 -> empty";
    let (_directory, path) = layout("tight.keys", text);
    let scan = keyspaces(&path)[0]["scans"][0].clone();
    assert_eq!((&scan["start"], &scan["end"]), (&json!("3700"), &json!("370a")));
    assert_eq!(scan["rows"], "proved");
    assert!(
        doc(&path, "markdown")
            .contains("keys that begin with `0x37` and continue from `0x00` to below `0x0a`")
    );
}

#[test]
fn accepted_claims_keep_their_verdict_and_reason() {
    let module = keyspaces(MODULE);
    let nonces = module.iter().find(|found| found["name"] == "nonces").unwrap();
    let claims = nonces["claims"].as_array().unwrap();
    let claim = claims.iter().find(|claim| claim["rule"] == "KS007").unwrap();
    assert_eq!(claim["verdict"], "refuted");
    assert_eq!(claim["accepted"], "deployed before the ranges");
    assert!(claim["because"].as_str().unwrap().ends_with("is outside the range `core`"));
}

#[test]
fn a_split_is_a_claim_of_the_document_in_all_formats() {
    let (_directory, path) = layout(
        "splits.keys",
        "store s\nmap m = 0x01 \"|\" {pool: u64be} \"|\" {tick: dec(u8)} -> empty\n    split at \"|\"\n",
    );
    let keyspaces = keyspaces(&path);
    let claims = keyspaces[0]["claims"].as_array().unwrap();
    let claim = claims.iter().find(|claim| claim["rule"] == "KS010").unwrap();
    let because = "key 0x017c000000000000007c7c30 of pool=124 tick=0 has 4 parts instead of 3";
    assert_eq!(claim["split"], "at \"|\"");
    assert_eq!((&claim["verdict"], &claim["because"]), (&json!("refuted"), &json!(because)));
    for format in ["markdown", "html"] {
        assert!(doc(&path, format).contains(because), "{format}");
    }
}
