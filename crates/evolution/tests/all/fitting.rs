//! KS113: the rows that refute the claim.

use crate::migrations::{prove, word};
use keyscape_evolution::migration::{Claim, MigrationFault, Verdict};

/// Returns the verdicts of KS113 for a migration of one map.
fn fitting(old: &str, new: &str, text: &str) -> Vec<Verdict> {
    let answers = prove(old, new, text).answers.into_iter();
    let fitting = answers.filter(|answer| answer.claim == Claim::Fitting);
    fitting.map(|answer| answer.verdict).collect()
}

/// A row is converted with a value if its key is made from the value. Otherwise the key would lack
/// a field.
#[test]
fn rows_whose_key_is_made_from_the_value_refute_nothing_without_a_value() {
    for (old, new, moved, expected) in [
        (
            "type P = {q: u8} [{p: u8}]  map m = 0x01 {k: u8} -> P",
            "type R = {q: u8} [{p: u8}]  map m = 0x02 {k: u8} {w: u8} -> R",
            "w = value.q  value.q = value.q",
            "unknown",
        ),
        (
            "type P = {q: u8}  map m = 0x01 {k: u8} [{o: u8}] -> P",
            "type C = {x: u8} [{o: u8}]  type P = {q: u8}  map m = 0x02 {w: u8} {c: C} -> P",
            "w = value.q  c.x = k  c.o = o",
            "unknown",
        ),
        (
            "type P = {q: u8} [{p: u8}]  map m = 0x01 {k: u8} -> P",
            "type P = {q: u8} [{p: u8}]  map m = 0x02 {w: u8} {v: u8} -> P",
            "w = value.q  v = value.p",
            "refuted",
        ),
        (
            "type P = {q: u8}  map m = 0x01 {k: u16be} -> P",
            "type P = {q: u8}  map m = 0x02 {w: u8} {k: u8} -> P",
            "w = value.q",
            "refuted",
        ),
    ] {
        let layout = |text: &str| format!("store s\n{}", text.replace("  ", "\n"));
        let verdicts = fitting(&layout(old), &layout(new), &format!("move m {{ {moved} }}"));
        let words: Vec<&str> = verdicts.iter().map(word).collect();
        assert_eq!(words, [expected], "{old}: {verdicts:?}");
    }
}

/// The value that refutes the claim is a value of the old layout.
#[test]
fn a_value_with_arms_is_refuted_for_the_part_that_does_not_fit() {
    let layout = |x: &str, row: &str| {
        format!("store s structures\ntype V = | a \"a\" {{x: {x}}} {{y: u8}} | b \"b\"\n{row}")
    };
    for (row, field) in [
        ("map m = 0x01 {k: u8} -> V", "value.x"),
        ("map m = 0x01 {k: u8} -> list(V)[0..=3]", "value.x"),
        ("zset m = 0x01 {k: u8} member u8 score V", "score.x"),
    ] {
        let verdicts = fitting(&layout("u16be", row), &layout("u8", row), "");
        let [Verdict::Refuted(MigrationFault::Unfit { field: found, reason, .. })] = &verdicts[..]
        else {
            panic!("{row}: {verdicts:?}")
        };
        assert_eq!(found, field, "{row}: {reason}");
    }
}

/// Guards decide which parts the value around the unfitting part has.
#[test]
fn a_value_with_guards_is_refuted_for_the_part_that_does_not_fit() {
    let layout = |x: &str, ty: &str| {
        let ty = ty.replace("NUMBER", x);
        format!(
            "store s\ntype E = \"a\" | \"b\" | \"c\"\ntype P = {ty}\nmap m = 0x01 {{k: u8}} -> P"
        )
    };
    for ty in [
        "{e: E} {x: NUMBER} [{r: u8} if e is b]",
        "{e: E} [{x: NUMBER} if e is c] [{r: u8} if e is a]",
    ] {
        let verdicts = fitting(&layout("u16be", ty), &layout("u8", ty), "");
        let [Verdict::Refuted(MigrationFault::Unfit { field, .. })] = &verdicts[..] else {
            panic!("{ty}: {verdicts:?}")
        };
        assert_eq!(field, "value.x", "{ty}");
    }
}
