//! Codecs whose automata are not exact.

use crate::claims::{check, counterexample};
use keyscape_prover::{Fault, Rule};

#[test]
fn a_claim_about_the_upper_bound_is_proved() {
    assert_eq!(
        check(
            r#"store s
            type Address = base58check(version = 0x00, bytes[20])
            map own = "own:" {address: Address} -> empty  scan all
            map list = "list:" {address: Address} ":" {n: dec(u32)} -> empty  scan address"#
        ),
        "proved"
    );
}

#[test]
fn a_real_collision_of_checksummed_text_is_found_in_the_lower_bound() {
    let verdict = check(
        r#"store s
        map a = "a" {address: bech32("x", bytes[4])} -> empty
        map b = "a" {text: text(r"[a-z0-9]{1,40}")} -> empty"#,
    );
    assert!(verdict.starts_with("KS001 a: a"), "{verdict}");
}

#[test]
fn a_claim_without_a_real_counterexample_is_unknown_and_names_the_codec() {
    let verdict = check(
        r#"store s
        map a = "a" {address: bech32("x", bytes[4])} -> empty
        map b = "a" {text: text(r"x1q{13}")} -> empty"#,
    );
    assert!(verdict.contains("unknown Inexact { codecs: [\"bech32("), "{verdict}");
}

#[test]
fn checksummed_text_after_the_leading_part_has_a_correct_checksum() {
    let verdict = check(
        r#"store s map m = "m|" {pool: dec(u64)} "|" {owner: bech32("osmo", bytes[4])} -> empty
           scan pool as "m|" {pool}"#,
    );
    assert!(verdict.starts_with("KS003 m.pool: Foreign pool=1 m|1: m|10|osmo1"), "{verdict}");
}

#[test]
fn a_retired_key_of_the_lower_bound_is_not_minimal() {
    let text = r#"store s namespace n = 0x02 { reserve 0x09 "was used"
        map a = 0x09 {address: base58check(version = 0x00, bytes[20])} -> empty }"#;
    let refuted = counterexample(Rule::Allocated, text);
    let Fault::Allocated { row, .. } = &refuted.fault else { panic!("{:?}", refuted.fault) };
    assert!(row.key.starts_with(b"\x02\x091"), "{row:?}");
    assert!(!refuted.minimal, "no address of the shortest length that could be one was read");
}
