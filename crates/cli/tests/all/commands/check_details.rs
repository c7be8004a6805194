//! `keyscape check`: details of messages, and claims with the verdict unknown.

use crate::harness::{Folder, check, printed, refuted};
use insta::assert_snapshot;

/// Asserts that the output for a layout contains each of these lines, without their indentation.
fn shows(layout: &str, lines: &[&str]) {
    let output = check(layout);
    for line in lines {
        let found = output.lines().any(|shown| shown.trim() == *line);
        assert!(found, "there is no line\n  {line}\nin\n{output}");
    }
}

/// All counterexamples of these claims are accepted. The remaining partners are undecided.
#[test]
fn the_summary_counts_what_is_printed() {
    let layout = r#"store s
map k0 = {x: u16be in 0..=999} {= blake2_128(x)[1]} "-"
    accept KS001 with k2 "known"
map k1 = {x: u16be in 0..=999} "a-"
    accept KS001 with k3 "known"
map k2 = {x: u16be in 0..=999} {= blake2_128(x)[1]} "-"
    accept KS001 with k0 "known"
map k3 = {x: u16be in 0..=999} "a-"
    accept KS001 with k1 "known"
"#;
    let output = check(layout);
    let printed = |level: &str| output.lines().filter(|line| line.starts_with(level)).count();
    assert_eq!((printed("unknown[KS001]"), printed("error")), (4, 0), "{output}");
    assert!(output.contains("0 refuted, 4 unknown, 0 accepted"), "{output}");
}

#[test]
fn a_row_without_an_entry_is_shown() {
    shows(
        "store s\nmap m = \"m\" {n: u8}\nindex i of m = \"i\" {n: u8 in 0..=254}\n",
        &[
            "reason: the index does not accept every value that `n` has in the map",
            "row without an entry   n=255   6d ff   m·",
            "help: write `{n}` in the index, without a type of its own, or `accept KS009 \"reason\"`",
        ],
    );
    shows(
        "store s\nmap m = \"m\" {k: u8} [{a: u8}]\nindex i of m = \"i\" [{k} {a}]\n",
        &[
            "reason: because of `a`, rows with some combination of optional parts have no entry",
            "row without an entry   k=0   6d 00   m·",
            "help: write the optional parts as in the key of `m`, or `accept KS009 \"reason\"`",
        ],
    );
}

/// The index allows combinations of optional parts that the guards of the map forbid.
#[test]
fn an_entry_that_the_map_cannot_have_is_reported() {
    shows(
        r#"store s
map m = "m" {k: u8 in 0..=1} [{x: u8} if k in 0..=0] [{y: u8} if k in 1..=1]
index i of m = "i" [{x}] [{y}] {k}
"#,
        &["note: `m` has no row with y=0 k=0; give the index the guards of `m`"],
    );
}

#[test]
fn an_empty_last_part_has_a_bar() {
    shows(
        "store s\nmap m = \"m\" {a: text(r\"[a-z=]*\")} \"=\" {b: text(r\"[a-z]*\")}\n    split at first \"=\"\n",
        &["layout   2 parts    6d 3d 3d|", "split    2 parts    6d 3d|3d"],
    );
}

#[test]
fn a_fix_lists_the_acceptances_to_remove() {
    let layout = r#"store s
map a = "m" {x: dec(u8)}
    accept KS001 with b "one is read at a time"
map b = "m" {x: text(r"[0-9a-f]{1,3}")}
"#;
    shows(layout, &["then remove `accept KS001 with b` of `a`, which would match nothing"]);
    let folder = Folder::new().file("layout.keys", layout);
    let output = folder.run(&["check", "--format", "json", "layout.keys"]);
    assert!(output.contains(r#""idle_accepts":["`accept KS001 with b` of `a`"]"#), "{output}");
}

/// The advice of KS001 to KS003 is about the ends of fields, which does not help here.
#[test]
fn an_undecided_length_asks_for_a_shorter_field() {
    shows(
        "store s on rocksdb\nmap m = {x: rune(blake2_128_concat(bytes[0..]))}\n",
        &["help: give the fields a smaller maximum length, or `accept KS006 \"reason\"`"],
    );
}

#[test]
fn a_scan_with_another_codec_that_shows_no_fault_stays_unknown() {
    let layout = r#"store shop
map orders = 0x09 {user: text(r"[a-z]{2}")} -> text
    scan user as 0x09 {user: text(r"[a-z]{2,2}")}
"#;
    assert_snapshot!(refuted(check(layout)), @r#"
    unknown[KS003]: it is not known whether scan `user` of `orders` returns its rows and no others
     --> layout.keys:3:5
    3 |     scan user as 0x09 {user: text(r"[a-z]{2,2}")}
      |     ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
      reason: the scan asks with other bytes than the key has, and 132 values that were tried show no fault
      help: ask with the bytes of the key (leave out `as`), or `accept KS003 scan user "reason"`
    shop: 1 keyspace, 1 scan: 3 proved, 0 refuted, 1 unknown, 0 accepted (N ms)
    "#);
}

#[test]
fn checksummed_text_without_an_end_may_stay_unknown() {
    let layout = r#"store shop
map owners = 0x01 {owner: bech32("c", bytes[1..=4])} {rest: text(r"[a-z0-9]+")} -> text
    scan owner
"#;
    assert_snapshot!(refuted(check(layout)), @r#"
    unknown[KS002]: it is not known whether every key of `owners` has one reading
     --> layout.keys:2:5
    2 | map owners = 0x01 {owner: bech32("c", bytes[1..=4])} {rest: text(r"[a-z0-9]+")} -> text
      |     ^^^^^^
      reason: no automaton has exactly the encodings of `bech32("c", bytes[1..=4])`, and no real key was found that settles it
      help: add a literal after the field that no encoding can contain, or `accept KS002 "reason"`

    unknown[KS003]: it is not known whether scan `owner` of `owners` returns its rows and no others
     --> layout.keys:3:5
    3 |     scan owner
      |     ^^^^^^^^^^
      reason: no automaton has exactly the encodings of `bech32("c", bytes[1..=4])`, and no real key was found that settles it
      help: add a literal after the field that no encoding can contain, or `accept KS003 scan owner "reason"`
    shop: 1 keyspace, 1 scan: 3 proved, 0 refuted, 2 unknown, 0 accepted (N ms)
    "#);
}

#[test]
fn an_unknown_claim_can_be_accepted() {
    let layout = r#"store shop
map orders = 0x09 {user: text(r"[a-z]{2}")} -> text
    scan user as 0x09 {user: text(r"[a-z]{2,2}")}
    accept KS003 scan user "the same bytes, written twice"
"#;
    assert_snapshot!(printed(check(layout)), @r#"
    accepted[KS003]: it is not known whether scan `user` of `orders` returns its rows and no others: the same bytes, written twice
     --> layout.keys:3:5
    3 |     scan user as 0x09 {user: text(r"[a-z]{2,2}")}
      |     ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
    shop: 1 keyspace, 1 scan: 3 proved, 0 refuted, 0 unknown, 1 accepted (N ms)
    "#);
}
