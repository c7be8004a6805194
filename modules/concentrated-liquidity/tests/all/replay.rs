//! The keeper against traces and stores of the Osmosis keeper.

#[path = "../../examples/replay/class.rs"]
pub(crate) mod class;
#[path = "../../examples/replay/dump.rs"]
mod dump;
#[path = "../../examples/replay/engine.rs"]
mod engine;
#[path = "../../examples/replay/operations.rs"]
mod operations;

use crate::corpus;
use engine::Replay;
use keyscape::store::{Db, KeyRange, Read, StoreId};
use serde_json::{Value, json};
use std::collections::BTreeMap;

/// Every step has the result of the origin, and the state after it is the same, with true totals.
#[test]
fn all_traces_give_the_results_and_states_of_the_origin() {
    let mut replay = Replay::default();
    let mut rows = rows_by_scenario();
    let lines = corpus::lines("traces.jsonl.gz");
    for (place, line) in lines.iter().enumerate() {
        assert_eq!(replay.step(line).unwrap(), [""; 0]);
        let is_last = lines.get(place + 1).is_none_or(|next| next["s"] != line["s"]);
        if !is_last {
            continue;
        }
        if let Some(expected) = rows.remove(&line["s"].to_string()) {
            assert_eq!(stored(replay.db().unwrap()), expected, "scenario {}", line["s"]);
        }
    }
    assert!(rows.is_empty());
    assert_eq!((replay.scenarios, replay.steps), (100, 5_630));
    assert!(replay.true_lists > 0 && replay.true_totals > 0, "{}", replay.summary());
}

/// Rows of a store without totals, which differ on purpose.
type Rows = BTreeMap<Vec<u8>, Vec<u8>>;

fn is_total(key: &[u8]) -> bool {
    matches!(key, [0x0e | 0x13, ..])
}

fn rows_by_scenario() -> BTreeMap<String, Rows> {
    let mut all = BTreeMap::<String, Rows>::new();
    for row in corpus::lines("rows.jsonl.gz") {
        let bytes = |name: &str| corpus::hex(row[name].as_str().unwrap());
        let key = sound(&bytes("key"));
        if !is_total(&key) {
            all.entry(row["s"].to_string()).or_default().insert(key, bytes("value"));
        }
    }
    assert_eq!(all.len(), 40);
    all
}

/// Returns the key of the sound layout for a key of the deployed one.
fn sound(key: &[u8]) -> Vec<u8> {
    let text = |key: &[u8]| String::from_utf8(key.to_vec()).unwrap();
    match key {
        [0x02, ..] => text(key).replace('|', "/").into_bytes(),
        [0x09, ..] => {
            let mut key = key.to_vec();
            key[9] = b'/';
            key
        }
        [b'a', ..] => {
            let key = text(key).replacen("accum||acc||", "accum/acc/", 1);
            let key = key.replacen("accum||pos||", "accum/pos/", 1);
            key.replace("\x0a|", "\x0a/").into_bytes()
        }
        _ => key.to_vec(),
    }
}

fn stored(db: &Db) -> Rows {
    let state = db.read().unwrap();
    let rows = state.rows(StoreId::of("concentratedliquidity"), KeyRange::all()).unwrap();
    rows.to_vec().unwrap().into_iter().filter(|(key, _)| !is_total(key)).collect()
}

/// A change of a line.
type Change = fn(&mut Value);

/// A replay that cannot find a difference would prove nothing.
#[test]
fn a_changed_trace_differs() {
    let lines = corpus::lines("traces.jsonl.gz");
    let first: Vec<&Value> = lines.iter().take_while(|line| line["s"] == 0).collect();
    let swap = first.iter().position(|line| line["op"] == "swap_in" && line.get("ok").is_some());
    let swap = swap.unwrap();
    let error = first.iter().position(|line| line.get("err").is_some()).unwrap();
    let changes: [(usize, Change); 4] = [
        (swap, |line| line["ok"]["out"] = json!("1")),
        (swap, |line| line["set"]["price/99"]["tick"] = json!(1)),
        (swap, |line| line["set"]["bal/spread/99/usdc"] = json!("5")),
        (error, |line| line["err"] = json!("PoolNotFoundError")),
    ];
    for (place, change) in changes {
        let mut replay = Replay::default();
        for line in first.iter().take(place) {
            assert_eq!(replay.step(line).unwrap(), [""; 0]);
        }
        let mut line = first[place].clone();
        change(&mut line);
        assert_eq!(replay.step(&line).unwrap().len(), 1, "{line}");
    }
}
