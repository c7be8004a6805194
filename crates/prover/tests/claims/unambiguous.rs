//! KS002.

use crate::check;

#[test]
fn undelimited_names_have_two_readings() {
    assert_eq!(
        check(
            r#"store s map pair = 0x03 {a: text(r"[a-z]{1,8}")} {b: text(r"[a-z]{1,8}")} -> empty"#
        ),
        "KS002 pair: \\x03aaa pair(a=a b=aa) = \\x03aaa pair(a=aa b=a)"
    );
}

#[test]
fn a_separator_that_may_stand_in_the_names_does_not_separate() {
    assert_eq!(
        check(
            r#"store s map pair = {a: text(r"[a-z/]{1,8}")} "/" {b: text(r"[a-z/]{1,8}")} -> empty"#
        ),
        "KS002 pair: a//a pair(a=a b=/a) = a//a pair(a=a/ b=a)"
    );
}

#[test]
fn fixed_parts_at_the_end_are_found_from_there() {
    assert_eq!(
        check(r#"store s map m = {address: bytes[1..=20]} "|" {pool: u64be} -> empty"#),
        "proved",
        "the length of the rest is known, so the key has one reading"
    );
}

#[test]
fn two_lengths_of_an_address_are_one_too_many() {
    let verdict = check(
        r#"store s map balances = "balances" {owner: bytes(br"(?s).{2}|.{4}")} {denom: text(r"[a-z]{3,9}")} -> dec"#,
    );
    assert_eq!(
        verdict,
        "KS002 balances: balancesaaaaaaa balances(owner=aa denom=aaaaa) = \
         balancesaaaaaaa balances(owner=aaaa denom=aaa)"
    );
}

#[test]
fn an_option_that_nobody_decides_is_ambiguous_and_a_guard_decides_it() {
    let layout = |guard: &str| {
        check(&format!(
            r#"store s
            type Level = "c" | "i"
            map m = [{{who: text(r"[a-z]{{1,4}}")}} {guard}] "-" [{{id: text(r"[a-z]{{1,4}}")}} "-"] {{level: Level}} -> empty"#
        ))
    };
    assert_eq!(layout("if level is not c"), "proved");
    assert_eq!(layout(""), "proved", "the dash tells");
    assert_eq!(
        check(
            r#"store s type T = "c" | "cc"
            map m = {t: T} [{x: text(r"c{1,2}")}] -> empty"#
        ),
        "KS002 m: cc m(t=c x=c) = cc m(t=cc)"
    );
}

#[test]
fn arms_of_a_variant_are_part_of_a_reading() {
    assert_eq!(
        check(
            r#"store s
            type Name = | long "n" {x: text(r"[a-z]{0,3}")} | short "na"
            map m = {name: Name} -> empty"#
        ),
        "KS002 m: na m(name=long(x=a)) = na m(name=short())"
    );
}
