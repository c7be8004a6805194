//! Fixes in other places than the refuted claim, and the cost of their search.

use crate::claims::fixes::fixes;
use keyscape_layout::{NoImports, read};
use keyscape_prover::{Config, NoFix, Rule, Verdict};

#[test]
fn a_scan_names_the_keyspaces_whose_rows_it_contains() {
    let geth = r#"store geth
        map header = "h" {number: u64be} {hash: bytes[32]} -> bytes
            scan number
        map td = "h" {number: u64be} {hash: bytes[32]} "t" -> bytes
        map canonical = "h" {number: u64be} "n" -> bytes"#;
    let fixes = fixes(Rule::ScanExact, geth);
    assert_eq!(fixes.lines().next(), Some("header same: scan number also canonical, td"));
}

#[test]
fn a_scan_does_not_name_a_keyspace_with_common_keys() {
    // The row that the scan reads belongs to both keyspaces.
    let both = r#"store s
        map a = 0x29 {x: bytes[1..=4]} {day: u64be} -> empty
        map b = 0x29 {y: bytes[1..=20]} -> empty
            scan all"#;
    assert_eq!(fixes(Rule::ScanExact, both), "b changed: map b = 0x2a {y: bytes[1..=20]} -> empty");
}

#[test]
fn a_prefix_that_is_taken_gives_way_to_a_free_one() {
    let module = |prefixes: &str| {
        fixes(
            Rule::Disjoint,
            &format!(
                "store s namespace m = 0x01 {{ {prefixes}
                map a = 0x29 {{x: bytes[1..=4]}} {{day: u64be}} -> empty
                map b = 0x29 {{y: bytes[1..=20]}} -> empty
                map c = 0x2A {{y: u8}} -> empty }}"
            ),
        )
    };
    assert_eq!(
        module(""),
        "a changed: map a = 0x2b {x: bytes[1..=4]} {day: u64be} -> empty\n\
         b changed: map b = 0x2b {y: bytes[1..=20]} -> empty"
    );
    assert_eq!(
        module("allocate all 0x20 ..= 0x2a reserve 0x20 \"old\""),
        "a changed: map a = 0x21 {x: bytes[1..=4]} {day: u64be} -> empty\n\
         b changed: map b = 0x21 {y: bytes[1..=20]} -> empty"
    );
    let texts = r#"store s
        map events = "z:" {event: text[1..]} -> empty
        map logs = "z:" {log: text[1..]} -> empty
        map old = "e:" -> empty"#;
    assert_eq!(
        fixes(Rule::Disjoint, texts).lines().next(),
        Some(r#"events changed: map events = "events:" {event: text[1..]} -> empty"#)
    );
    let words = r#"store s
        map balances = "balances" {x: text[1..]} -> empty
        map supply = "balances" {y: text[1..]} -> empty"#;
    assert!(
        fixes(Rule::Disjoint, words)
            .ends_with(r#"supply changed: map supply = "supply" {y: text[1..]} -> empty"#)
    );
}

#[test]
fn the_fields_of_a_hash_become_disjoint() {
    assert_eq!(
        fixes(
            Rule::Disjoint,
            r#"store s structures
            hash h = "h"
                field a = {a: text[1..]} -> u8
                field b = {b: text(r"[a-z]{2,3}")} -> u8"#
        ),
        r#"h.a added: field a = 0x00 {a: text[1..]} -> u8
h.a added: field b = 0xff {b: text(r"[a-z]{2,3}")} -> u8
h.b added: field b = 0xff {b: text(r"[a-z]{2,3}")} -> u8
h.b added: field a = 0x00 {a: text[1..]} -> u8"#
    );
}

#[test]
fn arms_without_a_byte_of_their_own_get_one() {
    let bank = |short: &str, long: &str| {
        fixes(
            Rule::Unambiguous,
            &format!(
                r#"store bank
                type Address = | short {{a: {short}}} | long {{b: {long}}}
                map balances = {{address: Address}} {{denom: text(r"[a-z]{{2,127}}")}} -> json"#
            ),
        )
    };
    assert_eq!(
        bank("bytes[20]", "bytes[32]"),
        "balances added: type Address = | short 0x14 {a: bytes[20]} | long 0x20 {b: bytes[32]}"
    );
}

#[test]
fn a_terminator_instead_of_a_length_restores_the_order() {
    let by = |ty: &str| {
        fixes(Rule::Ordered, &format!("store s map m = {{x: {ty}}} -> empty scan all by x"))
    };
    assert_eq!(
        by("len8(bytes[1..=255])"),
        "m changed: map m = {x: escaped(bytes[1..=255])} -> empty"
    );
    assert_eq!(by("leb128(u64)").lines().last(), Some("m changed: map m = {x: u64be} -> empty"));
    assert_eq!(by("rfc3339"), "m changed: map m = {x: time_text} -> empty");
    assert_eq!(by("complement(u16be)"), "m changed: map m = {x: u16be} -> empty");
    assert_eq!(
        by(r#"len16le(complement(text(r"[a-z]{1,2}")))"#).lines().last(),
        Some(r#"m changed: map m = {x: text(r"[a-z]{1,2}")} -> empty"#)
    );
}

#[test]
fn loss_is_ended_by_a_length_or_without_the_codec() {
    let of = |ty: &str| fixes(Rule::Lossless, &format!("store s map m = {{x: {ty}}} -> empty"));
    assert_eq!(
        of("truncate(bytes[1..=32])[8]"),
        "m changed: map m = {x: bytes[1..=32]} -> empty\n\
         m narrowed: map m = {x: truncate(bytes[1..=8])[8]} -> empty"
    );
    assert_eq!(of("truncate(bytes[32])[8]"), "m changed: map m = {x: bytes[32]} -> empty");
    assert_eq!(
        of("pad_right(dec(u8) in 0..=13)[1]"),
        "m changed: map m = {x: u8 in 0..=13} -> empty\n\
         m narrowed: map m = {x: pad_right(dec(u8) in 0..=9)[1]} -> empty",
        "one range, and integers of the width that they have"
    );
}

#[test]
fn lengths_are_bounded_together_if_one_bound_is_not_enough() {
    let on = |key: &str| fixes(Rule::Bounded, &format!("store s on lmdb map m = {key} -> json"));
    assert_eq!(
        on("{a: text[1..]} 0x00 {b: text[1..]}"),
        "m narrowed: map m = {a: text[1..=255]} 0x00 {b: text[1..=255]} -> json"
    );
    assert_eq!(on("{x: bytes[0..=5000]}"), "m narrowed: map m = {x: bytes[1..=511]} -> json");
    assert_eq!(
        on("{x: groups8(bytes[0..=5000])}"),
        "m narrowed: map m = {x: groups8(bytes[0..=447])} -> json",
        "56 groups of nine bytes, the last one full of nothing"
    );
    assert_eq!(
        on("{x: lenvar(bytes[0..=5000])}"),
        "m narrowed: map m = {x: lenvar(bytes[0..=509])} -> json"
    );
}

#[test]
fn an_index_gets_a_field_as_optional_as_its_map_has_it() {
    assert_eq!(
        fixes(
            Rule::Indexed,
            r#"store s
            type L = "x" | "y"
            map m = "m" {k: L} [{a: u8} if k is x] {v: u8} -> text
            index l of m = "l" {k} {v} -> empty"#
        ),
        r#"l added: index l of m = "l" {k} {v} [{a} if k is x] -> empty"#
    );
}

#[test]
fn a_missing_field_after_a_field_without_an_end_gets_a_separator() {
    assert_eq!(
        fixes(
            Rule::Indexed,
            r#"store s
            map m = "m:" {user: u32be} {id: text(r"[a-z]+")} -> json
            index i of m = "i:" {id} -> empty"#
        ),
        r#"i added: index i of m = "i:" {id} {user} -> empty"#,
        "a fixed width needs none"
    );
    assert_eq!(
        fixes(
            Rule::Indexed,
            r#"store s
            map m = "m:" {user: text(r"[a-z]+")} ":" {id: text(r"[a-z]+")} -> json
            index i of m = "i:" {id} -> empty"#
        ),
        r#"i added: index i of m = "i:" {id} ":" {user} -> empty"#
    );
}

#[test]
fn a_claim_without_a_fix_has_a_reason() {
    let none = |text: &str| {
        let layout = read("test.keys", text, &mut NoImports).unwrap();
        let report = keyscape_prover::check(&layout, Config::default());
        let claims = report.claims.into_iter();
        let refuted = claims.filter(|claim| matches!(claim.verdict, Verdict::Refuted(_)));
        refuted.map(|claim| claim.no_fix).collect::<Vec<_>>()
    };
    assert_eq!(
        none("store s map m = {x: f64_sum(u32 in 8388608.., u32 in 0..1e9, 1e9)}"),
        [Some(NoFix::NothingProves)]
    );
    assert_eq!(none("store s map m = {x: dec(u8)} -> empty scan all by x"), [None]);
}

#[test]
fn long_texts_on_a_backend_cost_little() {
    let text = r#"store r on foundationdb
        map recs = {sub: fdb_text(text(r"[a-z]+"))} {v: fdb_text(text[0..=1000])} -> bytes"#;
    assert_eq!(
        fixes(Rule::Bounded, text),
        r#"recs narrowed: map recs = {sub: fdb_text(text(r"[a-z]+")[..=4096])} {v: fdb_text(text[0..=1000])} -> bytes"#,
        "no automaton counts longer encodings of `fdb_text`"
    );
}
