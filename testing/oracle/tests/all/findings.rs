//! Layouts on which the prover was once wrong. Prover and oracle must agree on them.

use keyscape_layout::{NoImports, read};
use keyscape_oracle::{Examined, Oracle, Setting, Words, examine, report};

fn agree(text: &str) {
    let setting = Setting { backend: None, fixes: true };
    match examine(text, setting, &mut Words::default()) {
        Examined::Compared { disagreed, .. } => {
            assert!(disagreed.is_empty(), "{}", report(text, &disagreed));
        }
        other => panic!("{text}\nis not compared: {other:?}"),
    }
}

#[test]
fn a_digest_takes_no_value_of_its_input() {
    for digest in [
        "sha256(bytes[4])",
        "keccak256(bytes[4])",
        "twox_64(bytes[4])",
        "hex(sha256(bytes[4]))",
        "blake2_256(bytes[4])",
    ] {
        let text = format!(
            r#"store s map m = "m" {{id: bytes[4]}} -> empty
            index i of m = "i" {{id: {digest}}} -> empty"#
        );
        let examined = examine(&text, Setting::default(), &mut Words::default());
        assert!(matches!(examined, Examined::Rejected(_)), "{text}\n{examined:?}");
        // A digest accepts only values of its own output length.
        agree(&text.replace("{id: bytes[4]}", "{id: bytes[8..=64]}"));
    }
}

#[test]
fn by_names_the_whole_field() {
    agree(
        r#"store s
        type P = "p" {x: u8 in 0..=1} {n: dec(u8) in 2..=10}
        type Q = {x: u8 in 0..=1} {n: dec(u8) in 2..=10}
        map a = "a" {x: P} -> empty scan all by x
        map b = "b" {x: Q} -> empty scan all by x"#,
    );
}

#[test]
fn rows_without_an_entry_are_seen() {
    for text in [
        r#"map m = "m" {k: u8 in 0..=1} [{a: u8 in 0..=1}] -> empty
        index i of m = "i" [{k} {a}] -> empty"#,
        r#"map m = "n" [{a: u8 in 0..=1}] "/" [{b: u16be in 0..=1}] -> empty
        index i of m = "j" [{a} {b}] -> empty"#,
        r#"map m = "o" [{y: u8 in 0..=1} [{x: u8 in 0..=1} if w in 1..=2]] {w: u8 in 0..=2} -> empty
        index i of m = "k" [{y}] [{x} if w in 1..=2] {w} -> empty"#,
        r#"map m = "p" {k: u8 in 0..=1} [{a: u8 in 0..=1} [{b: u8 in 0..=1}]] -> empty
        index i of m = "l" [{b} [{a}]] {k} -> empty"#,
    ] {
        agree(&format!("store s {text}"));
    }
}

#[test]
fn undecided_pairs_are_accepted_one_by_one() {
    agree(
        r#"store s
        map k0 = {x: u8} {= blake2_128(x)[1]} "-" -> empty accept KS001 with k2 "known"
        map k1 = {x: u8} "a-" -> empty accept KS001 with k3 "known"
        map k2 = {x: u8} {= blake2_128(x)[1]} "-" -> empty accept KS001 with k0 "known"
        map k3 = {x: u8} "a-" -> empty accept KS001 with k1 "known""#,
    );
}

#[test]
fn prefixes_are_accepted_one_by_one() {
    agree(
        r#"store s
        namespace n = 0x02 {
            allocate core 0x01 ..= 0x0f
            map a = 0x0e {x: u8 in 0..=1} -> empty accept KS007 with b "known"
            map b = 0x0e 0x05 {x: u8 in 0..=1} {y: u8 in 0..=1} -> empty accept KS007 with a "known"
            map c = 0x0e 0x05 0x06 {x: u8 in 0..=1} {y: u8 in 0..=1} {z: u8 in 0..=1} -> empty
                accept KS007 with a "known"
        }"#,
    );
}

#[test]
fn a_guard_asks_for_the_least_integer() {
    agree(
        "store s map k = {x: i128be} [{z: u8 in 0..=1} \
         if x in -170141183460469231731687303715884105728] -> empty",
    );
}

#[test]
fn a_fix_keeps_the_declared_bounds() {
    agree(r#"store s map a = "a" {x: i8 in -2..=2} -> empty scan all by x"#);
    agree(r#"store s map b = "b" {x: i16le in -2..=2} -> empty scan all by x"#);
}

#[test]
fn a_fix_that_changes_derived_bytes_says_so() {
    agree(
        r#"store s
        type A = | m0 {y: u8 in 97..=98} | m1 "b"
        map m = {x: u8 in 97..=98} {= twox64(x, w)[1]} {y: A} {w: A} -> empty"#,
    );
}

#[test]
fn a_fix_that_reorders_arms_changes_no_derived_bytes() {
    agree(
        r#"store s
        type A = | m0 "c" | m1 "b"
        map m = "m" {= blake2_128(x)} {x: A} -> empty
        index i of m = "i" {x} -> empty scan all by x"#,
    );
}

#[test]
fn a_fix_keeps_both_parts_of_a_pair() {
    let pair = "f64_sum(u8 in 0..=1, u8 in 0..=10, 1e1)";
    agree(&format!("store s map m = wrap nibbles({{x: {pair}}}) -> empty"));
    agree(&format!("store s map m = {{x: {pair}}} -> empty scan all by x"));
}

#[test]
fn the_shortest_key_counts_for_all_retired_prefixes() {
    agree(
        r#"store s
        namespace n = 0x01 {
            reserve 0xff "old"
            reserve "a" "old"
            map k = {x: text(r"a?")} {y: Y} -> empty
        }
        type Y = | long {n: bytes(br"\xff{9}")} {z: bytes(br"[ab]")} | short "b""#,
    );
}

#[test]
fn an_ambiguous_index_tells_no_rows_apart() {
    agree(
        r#"store s map m = "m" {a: text(r"a?")} "/" {b: text(r"a?")} -> empty
        index i of m = "i" {a} {b} -> empty"#,
    );
}

#[test]
fn a_key_without_an_end_is_too_long_for_every_backend() {
    for backend in ["lmdb", "etcd", "redis", "rocksdb", "leveldb", "redb"] {
        agree(&format!(r#"store s on {backend} map m = "m" {{x: text(r"a*")}} -> empty"#));
    }
}

#[test]
fn derived_bytes_before_their_fields_leave_no_shortest_disorder() {
    agree(
        r#"store s
        type A = {= blake2_128(x)[2]} {x: nul(truncate(text(r"a{1,3}"))[2])}
        map m = {y: u8 in 97..=98} {z: u8 in 97..=98} {w: A} -> empty scan y, z by w"#,
    );
}

#[test]
fn reversed_cut_integers_have_an_order() {
    agree("store s map m = {x: rev(truncate(u32le in 0..=16777215)[3])} -> empty scan all by x");
}

/// Without `truncate`, the first part of a value can end at two offsets.
#[test]
fn a_fix_leaves_values_unambiguous_that_an_index_reads() {
    let layout = |cut: &str| {
        format!(
            r#"store s
            type Cut = {cut}
            type Value = {{c: Cut}} {{day: text(r"[ab]{{0,2}}")}}
            map other = "o" {{c: Cut}} -> empty
            map rows = "m" {{x: u8 in 0..=1}} -> Value
            index days of rows = "d" {{x}} {{day: text(r"[ab]{{0,2}}") from value}} -> empty"#
        )
    };
    let cut = layout(r#"truncate(text(r"[ab]{2,3}"))[2]"#);
    agree(&cut);
    for (text, is_ambiguous) in [(cut, false), (layout(r#"text(r"[ab]{2,3}")"#), true)] {
        let layout = read("values.keys", &text, &mut NoImports).unwrap();
        let mut words = Words::default();
        let oracle = Oracle::new(&layout, &mut words, &[], 2000).unwrap();
        assert_eq!(oracle.has_ambiguous_value(layout.find("days")[0]), is_ambiguous, "{text}");
    }
}
