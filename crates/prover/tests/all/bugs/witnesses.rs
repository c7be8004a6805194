//! The bytes in the bug reports, compared with the layouts before the fix.

use crate::bugs::{Bug, bugs};
use keyscape_automata::Budget;
use keyscape_codec::Value;
use keyscape_layout::{Decoder, Layout, Machine, Reading, Side, model::Type};
use keyscape_prover::Interval;
use serde_json::Value as Json;

fn bytes(witness: &Json, field: &str) -> Vec<u8> {
    let digits = witness[field].as_str().unwrap_or_else(|| panic!("{witness} has no {field}"));
    keyscape_testkit::unhex(digits).unwrap()
}

fn readings(layout: &Layout, key: &[u8]) -> Vec<Reading> {
    let space = &layout.spaces[0];
    let machine = Machine::build(layout, &space.keyspaces, Side::Over, Budget::default()).unwrap();
    Decoder::new(layout, &machine).decode(key).readings
}

/// Checks the witness of a report, and returns its kind.
fn check(bug: &Bug) -> &str {
    let witness = &bug.0["witness"];
    let about = format!("{}: {witness}", bug.text("id"));
    let of = |field: &str| bytes(witness, field);
    let count = |field: &str| readings(&bug.layout("before"), &of(field)).len();
    let kind = witness["kind"].as_str().unwrap();
    match kind {
        "collision" => assert!(count("key_hex") >= 2, "{about}"),
        // Splitting at separators yields too many parts. Decoding the whole key does not.
        "undecodable" => {
            let separator = of("separator_hex")[0];
            let parts = of("key_hex").split(|byte| *byte == separator).count();
            assert!(parts as u64 > witness["expected_fields"].as_u64().unwrap(), "{about}");
            assert_eq!(count("key_hex"), 1, "{about}");
        }
        "overlap" => {
            assert_eq!(count("b_key_hex"), 1, "{about}");
            assert!(of("b_key_hex").starts_with(&of("a_prefix_hex")), "{about}");
        }
        "bleed" => {
            for key in ["wanted_key_hex", "bled_key_hex"] {
                assert_eq!(count(key), 1, "{about}");
                assert!(of(key).starts_with(&of("prefix_hex")), "{about}");
            }
        }
        "missed" => {
            assert_eq!(count("written_key_hex"), 1, "{about}");
            assert!(!of("written_key_hex").starts_with(&of("scan_prefix_hex")), "{about}");
        }
        "lossy" => {
            let layout = bug.layout("before");
            let Some(Type::Leaf(score)) = layout.keyspaces[0].score.as_deref() else {
                panic!("{about}: no score")
            };
            let encoded = ["a", "b"].map(|field| {
                let value = Value::Uint(witness[field].as_u64().unwrap().into());
                let mut bytes = Vec::new();
                score.codec.encode(&value, &mut bytes).unwrap();
                bytes
            });
            assert_eq!(encoded[0], encoded[1], "{about}");
        }
        "misorder" => assert!(of("smaller_key_hex") > of("larger_key_hex"), "{about}"),
        "too_long" => assert!(witness["length"].as_u64() > witness["limit"].as_u64(), "{about}"),
        "bad_bound" => bound(witness),
        other => panic!("{about}: nothing says what `{other}` is"),
    }
    kind
}

/// Checks a wrong upper bound of a prefix against the correct one, with a key that it misses or
/// adds.
fn bound(witness: &Json) {
    let (prefix, victim) = (bytes(witness, "prefix_hex"), bytes(witness, "victim_key_hex"));
    let good = Interval::starting_with(&prefix);
    assert_eq!(good.high, Some(bytes(witness, "good_end_hex")), "{witness}");
    let bad = Interval { low: prefix.clone(), high: Some(bytes(witness, "bad_end_hex")) };
    let missed = good.contains(&victim) && !bad.contains(&victim);
    let foreign = !good.contains(&victim) && bad.contains(&victim);
    assert_eq!(good.contains(&victim), victim.starts_with(&prefix), "{witness}");
    match witness["effect"].as_str() {
        Some("underscan") => assert!(missed, "{witness}"),
        Some("overscan") => assert!(foreign, "{witness}"),
        effect => panic!("{effect:?} is no effect"),
    }
}

#[test]
fn the_counterexample_of_every_bug_is_real() {
    let bugs = bugs();
    let kinds: std::collections::BTreeSet<&str> = bugs.iter().map(check).collect();
    assert!(kinds.len() == 9, "{kinds:?}");
}

#[test]
fn a_prefix_of_nothing_but_ff_has_no_end() {
    for prefix in [&[][..], &[0xff], &[0xff, 0xff]] {
        assert_eq!(Interval::starting_with(prefix).high, None);
    }
    assert_eq!(Interval::starting_with(&[0x00, 0xff, 0xff]).high, Some(vec![0x01]));
}
