//! `keyscape check`: details of messages.

use crate::harness::{Folder, check};

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
fn an_entry_that_the_map_cannot_have_is_named() {
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
fn a_fix_tells_which_acceptances_to_remove() {
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
