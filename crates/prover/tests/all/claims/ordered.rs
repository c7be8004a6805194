//! KS004.

use crate::claims::{check, counterexample};
use keyscape_prover::Rule;

fn by(ty: &str) -> String {
    check(&format!("store s map m = 0x01 {{x: {ty}}} -> empty scan all by x"))
}

#[test]
fn codecs_answer_for_their_domains() {
    for ordered in [
        "u64be",
        "flip(i64)",
        "f64",
        "dec(u64) in 1000..=9999",
        "u16le in 0..=255",
        "i8 in 0..=127",
        "sign_i64(neg = 0x05, pos = 0x06)",
        "text(r\"[a-z]{1,9}\")",
        "desc(u32be)",
        "len8(bytes[4])",
        "hex(bytes[4])",
    ] {
        assert_eq!(by(ordered), "proved", "{ordered}");
    }
    assert_eq!(by("dec(u64)"), "KS004 m.all: Reversed \\x012 m(x=2) < \\x0110 m(x=10)");
    assert_eq!(by("i8"), "KS004 m.all: Reversed \\x01\\xff m(x=-1) < \\x01\\x00 m(x=0)");
    assert!(by("u16le").starts_with("KS004 m.all: Reversed"));
    assert!(by("sign_i64(neg = 0x06, pos = 0x05)").starts_with("KS004 m.all: Reversed"));
    assert!(by("len8(text(r\"[a-z]{1,3}\"))").starts_with("KS004 m.all: Reversed"));
}

#[test]
fn the_byte_after_a_field_of_varying_length_decides() {
    let layout = |after: &str| {
        check(&format!(
            r#"store s map m = {{name: text(r"[a-z]{{1,3}}")}} {after} {{n: u8}} -> empty scan all by name"#
        ))
    };
    assert_eq!(layout("0x00"), "proved");
    assert_eq!(layout("\"-\""), "proved", "a dash is below all letters");
    assert_eq!(
        layout("\"~\""),
        "KS004 m.all: Reversed a~\\x00 m(name=a n=0) < aa~\\x00 m(name=aa n=0)"
    );
}

#[test]
fn a_tie_refutes() {
    assert_eq!(
        check(
            r#"store s map m = {a: text(r"a{0,2}")} [{b: text(r"a{1,2}")}] -> empty scan all by a"#
        )
        .lines()
        .find(|line| line.starts_with("KS004"))
        .unwrap(),
        "KS004 m.all: Tied a m(a= b=a) < a m(a=a)"
    );
}

#[test]
fn a_descending_name_at_the_end_of_a_key_sorts_its_shorter_self_first() {
    assert_eq!(
        check(
            r#"store s map m = {y: u8 in 97..=98} {w: desc(text(r"[ab]{0,1}"))} -> empty scan y by w"#
        ),
        "KS004 m.y: Reversed a\\x9d m(y=97 w=b) < a m(y=97 w=)"
    );
}

#[test]
fn under_a_guard_each_case_is_asked_for_its_own_worst_pair() {
    assert_eq!(
        check(
            r#"store s map m = {x: dec(u8) in 0..=12} [{y: u8 in 97..=98} if x in 0..=4] -> empty
               scan all by x"#
        ),
        "KS004 m.all: Reversed 5 m(x=5) < 10 m(x=10)"
    );
}

#[test]
fn rows_of_two_cases_of_a_guard_are_never_taken_for_ordered_by_example() {
    let verdict = check(
        r#"store s map b = "b" [{y: u8} if x in 1..=1 or x in 10..=10] "/" {x: dec(u32) in 1..=10} ":" {z: u8}
               -> empty scan y by x"#,
    );
    assert!(verdict.contains("KS004 b.y: Reversed"), "{verdict}");
    let verdict = check(
        r#"store s map c = "c" [{y: u8} if x in 77777 or x in 123456] "/"
               [{w: u8} if x in 50000..77777 or x in 77778..=99999] "/" {x: dec(u32) in 50000..=543219}
               -> empty scan y, w by x"#,
    );
    assert!(verdict.contains("KS004 c.y,w: Reversed"), "{verdict}");
}

#[test]
fn values_that_a_codec_stores_alike_are_a_tie() {
    assert_eq!(
        by("f64_of(u64)").lines().next().unwrap().split(" m(").next().unwrap(),
        "KS004 m.all: Tied \\x01\\xc3@\\x00\\x00\\x00\\x00\\x00\\x00"
    );
}

#[test]
fn arms_and_enums_come_in_the_order_of_their_declaration() {
    assert_eq!(
        check(r#"store s type T = "b" | "a" map m = {t: T} {n: u8} -> empty scan all by t"#),
        "KS004 m.all: Reversed b\\x00 m(t=b n=0) < a\\x00 m(t=a n=0)"
    );
    assert_eq!(
        check(
            r#"store s
            type Score = | confirmed 0x00 {height: u32be} {index: u64be} | pending 0x01 {nanos: u64be}
            map m = {score: Score} -> empty scan all by score"#
        ),
        "proved"
    );
}

#[test]
fn several_fields_in_order() {
    assert_eq!(
        check(
            r#"store s map m = "k" {p: u64be} {a: u16be} {b: dec(u8)} -> empty scan p by a  scan all by p, a"#
        ),
        "proved"
    );
    assert_eq!(
        check(r#"store s map m = "k" {a: u8} {b: dec(u8)} -> empty scan all by a, b"#),
        "KS004 m.all: Reversed k\\x002 m(a=0 b=2) < k\\x0010 m(a=0 b=10)"
    );
}

#[test]
fn lists_sort_element_by_element_and_shorter_first() {
    let list = |element: &str, after: &str| {
        check(&format!(
            "store s map m = {{path: list({element})[0..=3]}} {after} -> empty scan all by path"
        ))
    };
    assert_eq!(list("u16be", ""), "proved");
    assert_eq!(list("nul(text(r\"[a-z]{1,4}\"))", ""), "proved");
    assert_eq!(list("nul(text(r\"[a-z]{1,4}\"))", "0x00"), "proved");
    assert_eq!(
        list("nul(text(r\"[a-z]{1,4}\"))", "0x7f"),
        "KS004 m.all: Reversed \\x7f m(path=[]) < a\\x00\\x7f m(path=[a])"
    );
    assert!(list("dec(u8) in 10..=99", "").starts_with("proved"));
}

#[test]
fn two_values_with_one_encoding_are_shown_where_they_are_met() {
    assert_eq!(
        check(
            r#"store s
            type Cut = {x: truncate(u16be in 255..=257)[1]}
            map m = {y: Cut} {z: Cut} -> empty scan all by y, z"#
        )
        .lines()
        .next(),
        Some(
            "KS004 m.all: Tied \\x01\\x00 m(y=(x=256) z=(x=255)) < \\x01\\x00 m(y=(x=257) z=(x=255))"
        )
    );
    assert_eq!(
        check(
            r#"store s
            map m = {y: list(truncate(u16be in 255..=257)[1])[2]} -> empty scan all by y"#
        )
        .lines()
        .next(),
        Some("KS004 m.all: Tied \\x01\\x00 m(y=[256,255]) < \\x01\\x00 m(y=[257,255])")
    );
}

/// Whether the counterexample of KS004 is reported as minimal.
fn is_minimal(key: &str, by: &str) -> bool {
    let text = format!("store s map m = {key} -> empty scan all by {by}");
    counterexample(Rule::Ordered, &text).minimal
}

#[test]
fn rows_that_part_where_an_encoding_ends_may_be_shorter_than_the_codec_knows() {
    // "" before "a" is shorter than "a" before "b".
    assert!(!is_minimal(r#"{x: complement(text(r"[ab]{0,2}"))} {y: u8 in 251}"#, "x"));
    assert!(!is_minimal(r#"{x: truncate(truncate(text(r"a{0,3}"))[2])[1]} "b""#, "x"));
    // The codec `len8` does not report its shortest disorder, and the next fields are longer.
    assert!(!is_minimal(
        r#"{x: len8(truncate(text(r"[ab]{0,2}"))[1])} [{y: text(r"a?")} {z: u8 in 97..=98}]"#,
        "x, y"
    ));
    // Escapes make zero bytes longer. A longer pair without zero bytes has the shorter key.
    assert!(!is_minimal(r#"wrap escaped({x: pad_right(bytes(br"[\x00a]{0,2}"))[2]})"#, "x"));
    assert!(is_minimal(r#"{x: dec(u64)} "/""#, "x"));
    assert!(is_minimal("{x: pad_right(dec(u8) in 8..=11)[1]}", "x"));
}

/// Decoding with a lossy codec can return other values than the written ones.
#[test]
fn values_that_decoding_does_not_give_back_are_shown_as_they_are_written() {
    let said = |ty: &str| by(ty).lines().next().unwrap_or_default().to_owned();
    assert_eq!(
        said("pad_right(dec(u8) in 0..=13)[1]"),
        "KS004 m.all: Reversed \\x012 m(x=2) < \\x011 m(x=10)"
    );
    for ty in [
        "truncate(dec(u8) in 0..=13)[1]",
        "truncate(len8(bytes[0..=2]))[1]",
        "pad_right(lenvar(text(r\"[ab]{0,2}\")))[1]",
        "desc(pad_right(dec(u8) in 0..=13)[1])",
        "len8(truncate(dec(u8) in 0..=13)[1])",
    ] {
        let said = said(ty);
        assert!(said.starts_with("KS004 m.all: "), "{ty}: {said}");
        assert!(!said.contains("unknown"), "{ty}: {said}");
    }
}

/// If the order of a codec is unknown and its values are few, all values are compared.
#[test]
fn few_values_are_decided_one_by_one() {
    let said = |ty: &str| by(ty).lines().next().unwrap_or_default().to_owned();
    assert_eq!(said("len16le(escaped01(dec(u8) in 97..=109))"), "proved");
    let texts = said("len16le(escaped01(text(r\"a|b|aa\")))");
    assert!(texts.starts_with("KS004 m.all: Reversed"), "{texts}");
    assert!(said("rev(pad_right(text(r\"[ab]{0,2}\"))[1])").starts_with("KS004 m.all: Tied"));
    assert!(said("lenvar(truncate(text(r\"[ab]{0,3}\"))[2])").starts_with("KS004 m.all: "));
}

/// `by x` once referred to the part `x` of a composite that begins with a literal.
#[test]
fn a_name_orders_by_the_whole_field() {
    let layout = |by: &str| {
        check(&format!(
            r#"store s type P = "p" {{x: u8}} {{n: dec(u8)}} map m = "a" {{x: P}} -> empty
            scan all by {by}"#
        ))
    };
    let two_and_ten = "KS004 m.all: Reversed ap\\x002 m(x=(x=0 n=2)) < ap\\x0010 m(x=(x=0 n=10))";
    assert_eq!(layout("x"), two_and_ten);
    assert_eq!(layout("x.x, x.n"), two_and_ten);
    assert_eq!(layout("x.x"), "proved");
}

/// `by b` once meant all fields of the optional part.
#[test]
fn a_name_in_an_optional_part_leaves_the_rest_of_the_part_free() {
    let layout = |by: &str| {
        check(&format!(
            r#"store s map m = "m" [{{b: u8}} {{c: dec(u8)}}] -> empty scan all by {by}"#
        ))
    };
    assert_eq!(layout("b"), "proved");
    assert_eq!(layout("b, c"), "KS004 m.all: Reversed m\\x002 m(b=0 c=2) < m\\x0010 m(b=0 c=10)");
    assert_eq!(
        check(r#"store s map m = "m" [{b: dec(u8)} {c: u8}] -> empty scan all by b"#),
        "KS004 m.all: Reversed m2\\x00 m(b=2 c=0) < m10\\x00 m(b=10 c=0)"
    );
}

/// `truncate` removes only zero bytes here, so the order is that of the integers.
#[test]
fn bytes_that_are_cut_off_alike_do_not_count_for_the_order() {
    assert_eq!(by("rev(truncate(u32le in 0..=16777215)[3])"), "proved");
    assert_eq!(by("rev(truncate(u32le in 0..=255)[1])"), "proved");
    assert!(by("truncate(u32le in 0..=16777215)[3]").starts_with("KS004 m.all: Reversed"));
    assert!(!by("rev(truncate(u32be in 0..=16777215)[3])").starts_with("proved"));
}

/// The length precedes the digits, and in descending order numbers with more digits come first.
#[test]
fn descending_numbers_after_a_length_are_decided() {
    for ty in ["u8", "u16", "u64", "u128", "i8", "i64"] {
        let codec = format!("len8(desc(dec({ty})))");
        let said = check(&format!("store s map m = {{x: {codec}}} -> empty scan all by x"));
        assert!(said.starts_with("KS004 m.all: Reversed"), "{codec}: {said}");
    }
    let one_length = "len8(desc(dec(u64) in 100..=999))";
    assert_eq!(check(&format!("store s map m = {{x: {one_length}}} scan all by x")), "proved");
}
