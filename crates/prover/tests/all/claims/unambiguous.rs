//! KS002.

use crate::claims::check;

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
fn a_separator_that_names_may_contain_does_not_separate() {
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
fn an_option_without_a_guard_or_separator_is_ambiguous() {
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

#[test]
fn the_ends_of_list_elements_are_part_of_a_reading() {
    let list = |element: &str, after: &str| {
        check(&format!("store s map m = {{path: list({element})[1..=3]}} {after} -> empty"))
    };
    assert_eq!(list("len8(text(r\"[a-z]{1,4}\"))", ""), "proved");
    assert_eq!(list("text(r\"[a-z]{1,4}\")", ""), "KS002 m: aa m(path=[a,a]) = aa m(path=[aa])");
    assert_eq!(list("nul(text(r\"[a-z]{1,4}\"))", "{n: u8 in 0..=9}"), "proved");
    assert_eq!(
        list("u8", "{n: u8}"),
        "proved",
        "the last byte is the number, the others are elements"
    );
    assert_eq!(
        list("u8", "{n: list(u8)[0..=1]}"),
        "KS002 m: \\x00\\x00 m(path=[0] n=[0]) = \\x00\\x00 m(path=[0,0] n=[])"
    );
}
