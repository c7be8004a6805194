//! KS010: keys that programs split.

use super::check;

/// Checks a split of one key.
fn split(key: &str, split: &str) -> String {
    check(&format!("store s map m = {key} split {split}"))
}

#[test]
fn a_separator_that_no_field_contains_is_proved() {
    for at in [r#"at "/""#, r#"at first "/""#, r#"at last "/""#] {
        assert_eq!(split(r#""u/" {a: dec(u64)} "/" {b: text(r"[a-z]*")}"#, at), "proved");
    }
}

#[test]
fn every_occurrence_has_to_be_a_separator() {
    assert_eq!(
        split(r#"0x02 "|" {a: bytes[2]} "|" {b: dec(u8)}"#, r#"at "|""#),
        r#"KS010 m at "|": \x02|a||0 m(a=a| b=0) [1, 3, 4] for [1, 4]"#
    );
    assert_eq!(
        split(r#"{a: dec(i8)} "-" {b: dec(i8)}"#, r#"at "-""#),
        r#"KS010 m at "-": 0--1 m(a=0 b=-1) [1, 2] for [1]"#
    );
}

#[test]
fn the_first_occurrence_has_to_be_the_first_separator() {
    let key = r#"{a: text(r"[a-z]+")} ":" {b: text(r"[a-z:]+")}"#;
    assert_eq!(split(key, r#"at first ":""#), "proved");
    assert_eq!(split(key, r#"at last ":""#), r#"KS010 m at last ":": a:: m(a=a b=:) [2] for [1]"#);
    assert_eq!(split(key, r#"at ":""#), r#"KS010 m at ":": a:: m(a=a b=:) [1, 2] for [1]"#);
}

/// A program that searches the whole key finds the occurrence. A program that first removes the
/// prefix does not.
#[test]
fn an_occurrence_that_begins_in_the_first_literals_counts() {
    let key = r#""a/" {x: text(r"/?b")} "//" {y: dec(u8)}"#;
    let said = split(key, r#"at first "//""#);
    assert_eq!(said, r#"KS010 m at first "//": a//b//0 m(x=/b y=0) [1] for [4]"#);
    assert_eq!(split(key, r#"at last "//""#), "proved");
    let inside = r#""a//" {x: text(r"/?b")} "//" {y: dec(u8)}"#;
    let said = split(inside, r#"at first "//""#);
    assert_eq!(said, "proved");
}

/// A few rows are all tried, so their digests are known.
#[test]
fn keys_with_derived_bytes_and_few_rows_are_decided() {
    // The digest of `0` begins with an underscore, and no digest begins with a bar.
    let key = r#""h" {= sha256(x)[1]} "_" {x: dec(u8)}"#;
    assert!(split(key, r#"at first "_""#).starts_with(r#"KS010 m at first "_": h__0 m(x=0)"#));
    assert_eq!(split(key, r#"at last "_""#), "proved");
    assert_eq!(split(&key.replace('_', "|"), r#"at first "|""#), "proved");
}

#[test]
fn the_last_occurrence_has_to_be_the_last_separator() {
    let key = r#"{a: text(r"[a-z:]+")} ":" {b: text(r"[a-z]+")}"#;
    assert_eq!(split(key, r#"at last ":""#), "proved");
    let said = split(key, r#"at first ":""#);
    assert_eq!(said, r#"KS010 m at first ":": ::a m(a=: b=a) [0] for [1]"#);
}

#[test]
fn a_later_field_may_contain_the_separator_of_an_earlier_one() {
    let key = r#"{a: dec(u8)} "-" {b: dec(u8)} "-" {c: bytes[0..=3]}"#;
    assert_eq!(split(key, r#"at first "-""#), "proved");
    assert!(split(key, r#"at last "-""#).contains(r"0-0-- m(a=0 b=0 c=-) [4] for [3]"));
}

#[test]
fn separators_inside_the_literal_prefix_do_not_count() {
    let key = r#""accum/pos/" {a: text(r"[a-z]+")} "/" {b: text(r"[a-z/]+")}"#;
    assert_eq!(split(key, r#"at first "/""#), "proved");
    // The end of the prefix and the start of the field form a separator.
    let key = r#""p|" {a: text(r"[|a-z][a-z]")} "||" {b: u8}"#;
    let said = split(key, r#"at first "||""#);
    assert!(said.contains(r"p||a||") && said.ends_with("[1] for [4]"), "{said}");
}

#[test]
fn a_field_that_ends_as_the_separator_begins_is_cut() {
    let key = r#"{a: text(r"x[a|]?")} "||" {b: dec(u8)}"#;
    assert_eq!(split(key, r#"at "||""#), r#"KS010 m at "||": x|||0 m(a=x| b=0) [1] for [2]"#);
    // A search from the right finds the whole separator.
    assert_eq!(split(key, r#"at last "||""#), "proved");
}

#[test]
fn a_choice_between_two_literals_parts_them() {
    let key = r#"{a: text(r"[a-z]")} "|" [{x: text(r"[0-9]")}] "|" {b: text(r"[a-z]||")} "||""#;
    let said = split(key, r#"at "||""#);
    assert!(said.contains("a|||| m(a=a b=) [1, 3] for [3]"), "{said}");
}

#[test]
fn texts_of_enums_are_values() {
    let layout = r#"store s type T = "a-b" | "c" map m = {t: T} "-" {n: dec(u8)} split at "-""#;
    assert_eq!(check(layout), r#"KS010 m at "-": a-b-0 m(t=a-b n=0) [1, 3] for [3]"#);
}

#[test]
fn arms_options_and_lists_have_separators_of_their_own() {
    let layout = r#"store s
        type Pair = {x: dec(u8)} "," {y: dec(u8)} ";"
        type V = | one "1:" {n: dec(u8)} | two "2:" {n: dec(u8)} ":" {m: dec(u8)}
        map a = "a" {pairs: list(Pair)[1..=3]} split at ";" split at "," split at last ";"
        map b = "b" {v: V} [":" {c: dec(u8)}] split at ":""#;
    assert_eq!(check(layout), "proved");
}

#[test]
fn numbers_of_fixed_width_contain_every_byte() {
    let key = r#"0x01 "|" {pool: u64be} "|" {tick: sign_i64(neg = 0x05, pos = 0x06)}"#;
    let said = split(key, r#"at "|""#);
    assert!(said.ends_with("m(pool=124 tick=0) [1, 9, 10] for [1, 10]"), "{said}");
}

#[test]
fn a_length_prefix_does_not_protect_from_splitting() {
    let key = r#"{a: len8(bytes[0..=300])} "|" {b: dec(u8)}"#;
    assert!(split(&key.replace("300", "9"), r#"at "|""#).contains("[1, 2] for [2]"));
    // The length byte can equal the separator.
    let key = r#"{a: len8(text(r"[a-z]{0,200}"))} "|" {b: dec(u8)}"#;
    assert!(split(key, r#"at "|""#).contains("KS010"));
    let key = r#"{a: len8(text(r"[a-z]{0,100}"))} "|" {b: dec(u8)}"#;
    assert_eq!(split(key, r#"at "|""#), "proved");
}

#[test]
fn checksummed_text_and_digests_are_decided_by_real_keys() {
    assert_eq!(split(r#"{a: bech32("x", bytes[20])} "-" {b: u8 in 0..=9}"#, r#"at "-""#), "proved");
    assert!(split(r#"{a: bech32("x", bytes[20])} "1" {b: u8}"#, r#"at "1""#).contains("KS010 m"));
    let said = split(r#"{a: u8} {= sha256(a)} "|" {b: dec(u8)}"#, r#"at "|""#);
    assert!(said.ends_with("m(a=11 b=0) [30, 33] for [33]"), "{said}");
}

#[test]
fn a_wrap_changes_the_bytes_that_are_split() {
    let key = r#"wrap hex({a: text(r"[a-z]+")} "/") ":" {b: u8 in 0..=9}"#;
    assert_eq!(split(key, r#"at ":""#), "proved");
    assert_eq!(split(key, r#"at "2f""#), "proved");
    assert!(split(&key.replace("a-z", "a-z/"), r#"at "2f""#).contains("2f2f:"));
}

#[test]
fn an_ambiguous_key_is_judged_by_each_reading() {
    let said = split(r#"{a: text(r"[a-z-]+")} "-" {b: text(r"[a-z-]+")}"#, r#"at "-""#);
    assert!(said.starts_with("KS002 m") && said.contains("KS010 m"), "{said}");
}

#[test]
fn a_refuted_split_can_be_accepted() {
    let text = r#"store s map m = {a: bytes[1]} "-" {b: u8} split at "-""#;
    assert!(check(&format!("{text} accept KS010 \"ids are small\"")).contains("(accepted)"));
    assert!(check(r#"store s map m = "-" accept KS010 "why""#).contains("idle accept"));
}
