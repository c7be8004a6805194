//! The module against traces, stores and vectors of the Osmosis code.

#[path = "../../examples/replay/class.rs"]
mod class;
#[path = "../../examples/replay/command.rs"]
mod command;
#[path = "../../examples/replay/dump.rs"]
mod dump;
#[path = "../../examples/replay/engine.rs"]
mod engine;
#[path = "../../examples/replay/operations.rs"]
mod operations;
#[path = "../../examples/replay/vectors.rs"]
mod vectors;

use engine::Replay;
use keyscape::store::{Db, KeyRange, Read, StoreId};
use keyscape_concentrated_liquidity::invariants;
use keyscape_testkit::corpus::{self, unhex};
use serde_json::{Value, json};
use std::{collections::BTreeMap, sync::LazyLock};

/// The steps of all traces.
static TRACES: LazyLock<Vec<Value>> = LazyLock::new(|| corpus::lines("cl/traces.jsonl.gz"));

/// Every step has the result of the origin, and the same state after it, with corrected totals.
#[test]
fn all_traces_give_the_results_and_states_of_the_origin() {
    let mut replay = Replay::default();
    let mut rows = rows_by_scenario();
    for (place, line) in TRACES.iter().enumerate() {
        assert_eq!(replay.step(line).unwrap(), [""; 0]);
        let is_last = TRACES.get(place + 1).is_none_or(|next| next["s"] != line["s"]);
        if !is_last {
            continue;
        }
        let state = replay.db().unwrap().read().unwrap();
        assert_eq!(invariants::check(&state).unwrap(), [], "scenario {}", line["s"]);
        if let Some(expected) = rows.remove(&line["s"].to_string()) {
            assert_eq!(stored(replay.db().unwrap()), expected, "scenario {}", line["s"]);
        }
    }
    assert!(rows.is_empty());
    assert_eq!((replay.scenarios, replay.steps), (100, 5_630));
    let (lists, totals) = (replay.corrected_lists, replay.corrected_totals);
    assert!(lists > 0 && totals > 0, "{}", replay.summary());
}

/// Rows of a store without totals, which differ intentionally.
type Rows = BTreeMap<Vec<u8>, Vec<u8>>;

fn is_total(key: &[u8]) -> bool {
    matches!(key, [0x0e | 0x13, ..])
}

fn rows_by_scenario() -> BTreeMap<String, Rows> {
    let mut all = BTreeMap::<String, Rows>::new();
    for row in corpus::lines::<Value>("cl/rows.jsonl.gz") {
        let bytes = |name: &str| unhex(row[name].as_str().unwrap()).unwrap();
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
    let first: Vec<&Value> = TRACES.iter().take_while(|line| line["s"] == 0).collect();
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

/// If the rest of a swap is too small to move the price, the swap stays at the next tick, as in the
/// origin, and ends after 100 steps without effect.
#[test]
fn a_swap_whose_rest_moves_nothing_ends_at_its_tick() {
    let most = format!("1{}", "0".repeat(60));
    let step = |op: &str, input: Value| json!({"s": 0, "n": 0, "t": "1", "op": op, "in": input});
    let mut begin = step(
        "begin",
        json!({
            "accounts": {"a0": "10".repeat(20), "a1": "20".repeat(20)},
            "authorized_spacings": [100], "authorized_spreads": ["0"], "authorized_uptimes": ["1"],
            "incentive_threshold": 0, "spread_threshold": 0,
        }),
    );
    begin["set"] = json!({"bal/a0/atom": most, "bal/a0/osmo": most, "bal/a1/atom": most});
    let pool =
        json!({"pool": 1, "token0": "atom", "token1": "osmo", "spacing": 100, "spread": "0"});
    let tokens =
        json!([["atom", format!("1{}", "0".repeat(31))], ["osmo", "100000000000000000000"]]);
    let position = json!({
        "owner": "a0", "pool": 1, "tokens": tokens, "min0": "0", "min1": "0",
        "lower": -108_000_000, "upper": 342_000_000,
    });
    let mut replay = Replay::default();
    for line in [begin, step("create_pool", pool), step("create_position", position)] {
        // These steps state no changes, so the state differs.
        replay.step(&line).unwrap();
    }
    for amount in ["1", "12345678901234567"] {
        let coin = json!(["atom", amount]);
        let swap = json!({"sender": "a1", "pool": 1, "in": coin, "out": "osmo", "min": "0"});
        let mut swap = step("swap_in", swap);
        swap["err"] = json!("SwapNoProgressError");
        assert_eq!(replay.step(&swap).unwrap(), [""; 0], "{amount}");
        let mut estimate = step("estimate_out", json!({"pool": 1, "in": coin, "out": "osmo"}));
        estimate["err"] = json!("SwapNoProgressError");
        assert_eq!(replay.step(&estimate).unwrap(), [""; 0], "{amount}");
    }
}

/// Runs the command on a file with these lines. Returns the exit status and the output.
fn command(lines: &[u8]) -> (u8, String) {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("lines.jsonl");
    std::fs::write(&path, lines).unwrap();
    let path = path.to_str().unwrap().to_owned();
    let (mut out, mut messages) = (Vec::new(), Vec::new());
    let status = command::run(std::slice::from_ref(&path), &mut out, &mut messages).unwrap();
    assert!(messages.is_empty());
    (status, String::from_utf8(out).unwrap().replace(&path, "FILE"))
}

#[test]
fn lines_that_cannot_be_run_are_differences() {
    let (status, out) = command(
        b"{\"f\": \"tick_to_price\", \"in\": {\"tick\": 0}, \"out\": {\"price\": \"1\"}}\nno JSON\n\xff\n{}\n",
    );
    let lines: Vec<&str> = out.lines().collect();
    assert_eq!((status, lines.len()), (command::DIFFERENT, 4), "{out}");
    assert!(lines[0].starts_with("FILE:2: expected"), "{out}");
    assert_eq!(lines[2], "FILE:4: a step has no operation");
    assert!(lines[3].starts_with("0 scenarios, 1 steps, 1 vectors: 3 differences"), "{out}");
    let begin = TRACES[0].to_string();
    assert_eq!(command(begin.as_bytes()).0, command::SAME);
    let (status, out) =
        command(format!("{begin}\n{{\"op\": \"begin\", \"s\": 1, \"n\": 0}}\n").as_bytes());
    assert_eq!(status, command::DIFFERENT);
    assert!(out.starts_with("FILE:2: scenario 1 step 0 begin: no accounts"), "{out}");
}

/// A difference of the state is reported when it appears, not at every later step.
#[test]
fn a_state_difference_is_reported_once() {
    let mut lines = TRACES[..6].to_vec();
    lines[2]["set"]["bal/spread/99/usdc"] = json!("5");
    let text: Vec<String> = lines.iter().map(Value::to_string).collect();
    let (status, out) = command(text.join("\n").as_bytes());
    assert_eq!((status, out.lines().count()), (command::DIFFERENT, 2), "{out}");
    assert!(out.starts_with("FILE:3: "), "{out}");
}

#[test]
fn the_command_explains_itself() {
    let run = |arguments: &[&str]| {
        let arguments: Vec<String> = arguments.iter().map(ToString::to_string).collect();
        let (mut out, mut messages) = (Vec::new(), Vec::new());
        let status = command::run(&arguments, &mut out, &mut messages).unwrap();
        (status, String::from_utf8(out).unwrap(), String::from_utf8(messages).unwrap())
    };
    let (status, out, messages) = run(&["--help"]);
    assert!(status == command::SAME && out.contains("Usage: replay FILE") && messages.is_empty());
    let (status, out, messages) = run(&[]);
    assert!(status == command::UNUSABLE && out.is_empty() && messages.contains("Usage:"));
    let (status, _, messages) = run(&["missing.jsonl"]);
    assert_eq!(status, command::UNUSABLE);
    assert!(messages.starts_with("error: `missing.jsonl` cannot be read: "), "{messages}");
}

#[test]
fn all_vectors_have_the_results_of_the_origin() {
    let mut count = BTreeMap::<String, u32>::new();
    for vector in corpus::lines::<Value>("cl/vectors.jsonl.gz") {
        assert_eq!(vectors::difference(&vector), None);
        *count.entry(vector["f"].to_string()).or_default() += 1;
    }
    assert_eq!(count.values().sum::<u32>(), 17_310);
    assert_eq!(count.len(), 45, "{count:?}");
}

/// A runner that cannot find a difference would prove nothing.
#[test]
fn changed_vectors_differ() {
    let vector = json!({"f": "tick_to_price", "in": {"tick": 1}, "out": {"price": "1.000001"}});
    assert_eq!(vectors::difference(&vector), None);
    for (place, value) in [
        ("/out/price", json!("1.000002")),
        ("/out", json!({})),
        ("/in", json!({})),
        ("/in/tick", json!(400_000_000)),
        ("/f", json!("tick_to_nothing")),
        ("/f", json!(5)),
    ] {
        let mut changed = vector.clone();
        *changed.pointer_mut(place).unwrap() = value;
        assert!(vectors::difference(&changed).is_some(), "{changed}");
    }
    let error = json!({"f": "tick_to_price", "in": {"tick": 1}, "err": "PriceBoundError"});
    assert!(vectors::difference(&error).is_some());
}
