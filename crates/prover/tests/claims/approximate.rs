//! Codecs whose automata are not exact.

use crate::check;

#[test]
fn what_holds_from_above_is_proved() {
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
fn a_real_collision_of_checksummed_text_is_found_from_below() {
    let verdict = check(
        r#"store s
        map a = "a" {address: bech32("x", bytes[4])} -> empty
        map b = "a" {text: text(r"[a-z0-9]{1,40}")} -> empty"#,
    );
    assert!(verdict.starts_with("KS001 a: a"), "{verdict}");
}

#[test]
fn what_no_real_key_shows_is_unknown_and_names_the_codec() {
    let verdict = check(
        r#"store s
        map a = "a" {address: bech32("x", bytes[4])} -> empty
        map b = "a" {text: text(r"x1q{13}")} -> empty"#,
    );
    assert!(verdict.contains("unknown Inexact { codecs: [\"bech32("), "{verdict}");
}

#[test]
fn checksummed_text_behind_the_leading_part_is_completed_with_a_right_checksum() {
    let verdict = check(
        r#"store s map m = "m|" {pool: dec(u64)} "|" {owner: bech32("osmo", bytes[4])} -> empty
           scan pool as "m|" {pool}"#,
    );
    assert!(verdict.starts_with("KS003 m.pool: Foreign pool=1 m|1: m|10|osmo1"), "{verdict}");
}
