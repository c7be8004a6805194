//! Large counts and wide lengths.

use super::{all_proved, layout, prove, undecided};
use keyscape_layout::{NoImports, read};
use keyscape_prover::{Fault, Rule, Verdict};

#[test]
fn wide_lengths_are_not_expanded() {
    for codec in ["len32", "lenvar"] {
        let text = format!(
            "store s
            map a = 0x01 {{body: {codec}(bytes[0..=100000000])}} {{id: u64be}} -> empty scan body
            map b = 0x02 {{body: {codec}(text[0..=100000000])}} {{id: u64be}} -> empty scan body"
        );
        let report = prove(&layout(&text));
        for rule in [Rule::Disjoint, Rule::Unambiguous, Rule::Lossless] {
            let (proved, reasons) = undecided(&report, rule);
            assert!(proved > 0 && reasons.is_empty(), "{codec}: {reasons:?}");
        }
        // The scans are exact. If a claim is unknown, the reason names the codec.
        let (proved, reasons) = undecided(&report, Rule::ScanExact);
        assert_eq!(proved + reasons.len(), 2);
        assert!(reasons.iter().all(|reason| reason.contains(codec)), "{codec}: {reasons:?}");
    }
}

#[test]
fn wide_lengths_that_meet_are_never_proved() {
    let text = "store s
        map a = {body: len32(bytes[0..=100000000])} {id: u64be} -> empty
        map b = {body: len32(bytes[0..=100000000])} {tail: u64be} -> empty";
    let report = prove(&layout(text));
    let proved = undecided(&report, Rule::Disjoint).0;
    assert_eq!(proved, 0);
}

#[test]
fn large_counts_in_a_row_are_decided_or_named() {
    let field = |name: &str| format!(r#"{{{name}: text(r"[a-z]{{1,4096}}")}}"#);
    let apart = format!(
        "store s map m = {} \"/\" {} \"/\" {} -> empty scan a",
        field("a"),
        field("b"),
        field("c")
    );
    assert!(all_proved(&prove(&layout(&apart))));
    let joined = format!("store s map m = {} {} -> empty", field("a"), field("b"));
    let report = prove(&layout(&joined));
    let claim = report.claims.iter().find(|claim| claim.rule == Rule::Unambiguous).unwrap();
    assert!(matches!(claim.verdict, Verdict::Refuted(_)));
}

#[test]
fn nested_counts_that_do_not_fit_are_refused_in_words() {
    for pattern in ["([a-z]{1,4096}x){1,4096}", "((a{1,64}b){1,64}c){1,64}", "[a-z]*a[a-z]{4096}"] {
        let text = format!(r#"store s map m = {{x: text(r"{pattern}")}} -> empty"#);
        let rejected = read("scale.keys", &text, &mut NoImports).unwrap_err();
        let message = &rejected.diagnostics[0].message;
        assert!(message.contains("would be needed"), "{pattern}: {message}");
    }
}

#[test]
fn two_long_fields_are_measured_against_a_backend_by_their_lengths() {
    let bounded = |key: &str, backend: &str| {
        let layout = layout(&format!("store s on {backend} map m = {key} -> empty"));
        let report = prove(&layout);
        let claim = report.claims.iter().find(|claim| claim.rule == Rule::Bounded).unwrap();
        match &claim.verdict {
            Verdict::Proved => "proved".to_owned(),
            Verdict::Unknown(reason) => format!("{reason:?}"),
            Verdict::Refuted(counterexample) => match &counterexample.fault {
                Fault::Bounded { length, .. } => {
                    assert!(counterexample.minimal);
                    length.to_string()
                }
                fault => format!("{fault:?}"),
            },
        }
    };
    let two = |most: usize| format!(r#"{{a: text[1..={most}]}} "/" {{b: text[1..={most}]}}"#);
    assert_eq!(bounded(&two(1345), "postgresql"), "proved");
    assert_eq!(bounded(&two(1346), "postgresql"), "2693");
    // Two digits per byte and a literal: the lengths of keys have gaps at the limit.
    let hex = |most: usize| format!("{{a: hex(bytes[1..={most}])}} {{b: hex(bytes[1..={most}])}}");
    assert_eq!(bounded(&hex(673), "postgresql"), "proved");
    assert_eq!(bounded(&hex(674), "postgresql"), "2694");
    assert_eq!(bounded("{a: len32(bytes[0..=9000])} {b: u64be}", "postgresql"), "2693");
    // The prover computes the length of keys above 64 KiB without their bytes.
    assert_eq!(bounded("{a: text[0..]} 0x00 {b: u64be}", "etcd"), "1572865");
    assert_eq!(bounded("{a: text[0..]} {b: u64be}", "rocksdb"), "8388609");
    assert_eq!(bounded("{a: text[0..]} {b: u64be}", "redis"), "536870913");
    assert_eq!(bounded("{a: hex(bytes[0..])} {b: u64be}", "redb"), "805306370");
    assert_eq!(bounded("{a: text[0..]} {b: u64be}", "leveldb"), "4294967288");
    assert_eq!(bounded("{a: text[0..=99]} {b: u64be}", "leveldb"), "proved");
}
