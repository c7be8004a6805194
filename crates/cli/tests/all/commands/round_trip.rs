//! Tests that `encode` accepts the output of `decode` and returns the same key.

use crate::harness::Folder;
use proptest::prelude::*;
use serde_json::Value;
use std::{cell::Cell, collections::BTreeMap};

/// Every form of value: numbers, text, bytes in all display forms, enums, composites, variants,
/// options.
const LAYOUT: &str = r#"store all
type Level = "low" | "a b" | "=\"" | "0x"
type Point = {txid: bytes[3] shown as reversed_hex} "_" {vout: dec(u32)}
type Arm = | plain 0x01 {n: u16le} | nested 0x02 {point: Point} | bare 0x03
map numbers = 0x01 {a: u8} {b: u64be} {c: flip(i64)} {d: f64} {e: u128le} {f: i128be} -> empty
map texts = 0x02 {a: nul(text(r"[^\x00]*"))} {b: text(r".*")} -> empty
map bytes = 0x03 {a: len8(bytes[0..=6] shown as utf8)} -> empty
map raw = 0x04 {a: len8(bytes[0..=6])} {b: bytes[0..=6] shown as utf8} -> empty
map shown = 0x05 {a: len8(bytes[1..=20]) shown as bech32("cosmos")} {b: bytes[0..=20] shown as base58check} -> empty
map sums = 0x07 {a: f64_sum(u32, u32, 1e9)} -> empty
map choices = 0x06 {level: Level} {arm: Arm} [":" {note: u8}] -> empty
"#;

/// Draws keys that mostly fit the layout: a prefix byte, then suitable bytes.
fn key() -> impl Strategy<Value = Vec<u8>> {
    let free = |n: std::ops::Range<usize>| proptest::collection::vec(any::<u8>(), n);
    prop_oneof![
        proptest::collection::vec(any::<u8>(), 57).prop_map(|rest| [vec![1], rest].concat()),
        ("[^\0]{0,6}", ".{0,6}").prop_map(|(a, b)| format!("\u{2}{a}\0{b}").into_bytes()),
        (free(0..7), free(0..7)).prop_map(|(a, b)| [vec![4, a.len() as u8], a, b].concat()),
        (0_u8..3, "[0-9a-f]{0,2}").prop_map(|(cut, digits)| {
            let text = format!("0x{digits}");
            let text = text.as_bytes().get(usize::from(cut)..).unwrap_or_default().to_vec();
            [vec![4, text.len() as u8], text.clone(), text].concat()
        }),
        (8_388_608_f64..4e9).prop_map(|sum| {
            let bits = sum.to_bits() ^ 1 << 63;
            [vec![7], bits.to_be_bytes().to_vec()].concat()
        }),
        (free(1..21), free(0..21)).prop_map(|(a, b)| [vec![5, a.len() as u8], a, b].concat()),
        (
            prop::sample::select(vec!["low", "a b", "=\"", "0x"]),
            prop_oneof![
                free(2..3).prop_map(|n| [vec![1], n].concat()),
                (free(3..4), any::<u32>()).prop_map(|(t, v)| [
                    vec![2],
                    t,
                    format!("_{v}").into_bytes()
                ]
                .concat()),
                Just(vec![3]),
            ],
            prop::option::of(any::<u8>()),
        )
            .prop_map(|(level, arm, note)| {
                let note = note.map_or(Vec::new(), |note| vec![b':', note]);
                [vec![6], level.as_bytes().to_vec(), arm, note].concat()
            }),
    ]
}

fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

/// Appends `path=value` for every nested value.
fn pairs(path: &str, value: &Value, out: &mut Vec<String>) {
    match value {
        Value::Object(map) if map.is_empty() => out.push(format!("{path}={{}}")),
        Value::Object(map) => {
            for (name, value) in map {
                let path = if path.is_empty() { name.clone() } else { format!("{path}.{name}") };
                pairs(&path, value, out);
            }
        }
        Value::String(text) => out.push(format!("{path}={text}")),
        value => out.push(format!("{path}={value}")),
    }
}

#[test]
fn encode_accepts_the_output_of_decode() {
    let folder = Folder::new().file("all.keys", LAYOUT);
    let read = Cell::new(0);
    let config = ProptestConfig { cases: 8, failure_persistence: None, ..Default::default() };
    proptest!(config, |(keys in proptest::collection::vec(key(), 12..21))| {
        let keys: Vec<String> = keys.iter().map(|key| hex(key)).collect();
        let output = folder.output(&["decode", "all.keys"], keys.join("\n").as_bytes());
        let text = String::from_utf8(output.stdout).unwrap();
        prop_assert_eq!(text.lines().count(), keys.len());
        // The keys and fields of each keyspace.
        let mut readings: BTreeMap<String, Vec<(&str, Value)>> = BTreeMap::new();
        for (line, key) in text.lines().zip(&keys) {
            let decoded: Value = serde_json::from_str(line).unwrap();
            prop_assert_eq!(decoded["key"].as_str(), Some(key.as_str()));
            for reading in decoded["readings"].as_array().unwrap() {
                read.set(read.get() + 1);
                let keyspace = reading["keyspace"].as_str().unwrap().to_owned();
                readings.entry(keyspace).or_default().push((key, reading["fields"].clone()));
            }
        }
        for (keyspace, rows) in &readings {
            let encode = ["encode", "all.keys", keyspace];
            let lines: String = rows.iter().map(|(_, fields)| format!("{fields}\n")).collect();
            let json = [&encode[..], &["--json", "-"]].concat();
            let encoded = folder.stdout_with(&json, lines.as_bytes());
            let expected: Vec<&str> = rows.iter().map(|(key, _)| *key).collect();
            prop_assert_eq!(encoded.lines().collect::<Vec<_>>(), expected);
            for (key, fields) in rows {
                let mut given = Vec::new();
                pairs("", fields, &mut given);
                // A command-line argument cannot contain this byte.
                if given.iter().all(|arg| !arg.contains('\0')) {
                    let args = encode.into_iter().chain(given.iter().map(String::as_str));
                    let encoded = folder.stdout(&args.collect::<Vec<_>>());
                    prop_assert_eq!(encoded.trim_end(), *key);
                }
            }
        }
    });
    let read = read.get();
    assert!(read > 60, "only {read} readings: the keys do not suit the layout");
}
