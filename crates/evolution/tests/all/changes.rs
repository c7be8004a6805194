//! Seeded changes: each rule finds every change that breaks it, and no harmless one.
//!
//! Most changes are made of many keys by a few operations: a keyspace is removed, renamed, moved to
//! another prefix, and so on.

use keyscape_evolution::{Config, Rule, Unknown, diff};
use keyscape_layout::{Built, Layout, NoImports, read_beside};

const TYPES: &str = r#"
type L = "lo" | "hi"
type P = {p: u8} {q: u16be}
type V = | one 0x01 {n: u8} | two 0x02 {t: text(r"[a-z]{1,9}")}
"#;

/// Keys with a field `a` that no key with the prefix `0xee` or `0xdd` meets.
const KEYS: [&str; 22] = [
    r#""o/" {a: dec(u32)}"#,
    r#""o/" {a: dec(u64)} "/" {b: u32be}"#,
    r#"0x01 {a: u8}"#,
    r#"0x01 {a: u64be} {b: u64be}"#,
    r#"0x01 {a: u32le} {b: bytes[4]}"#,
    r#"0x01 {a: len8(bytes[0..=20])} {b: u8}"#,
    r#"0x01 {a: nul(text(r"[a-z]+"))} {b: bytes[0..]}"#,
    r#"0x01 {a: text(r"[a-z]{1,8}")}"#,
    r#""n:" {a: text(r"[a-z]+")} ":" {b: text(r"[a-z0-9]*")}"#,
    r#"0x01 {a: desc(u64be)} {b: u8}"#,
    r#"0x01 {a: hex(bytes[8])} "-" {b: dec(u8)}"#,
    r#"0x01 {a: u8} {b: L}"#,
    r#"0x01 {a: u8} {b: P} {c: u8}"#,
    r#"0x01 {a: u8} {b: V}"#,
    r#"0x01 {a: u8} [{b: u16be}]"#,
    r#"0x01 {a: u8 in 0..10} [{b: u16be} if a in 0..5]"#,
    r#"0x01 {a: u8} {b: list(u16be)[1..=3]}"#,
    r#"0x01 wrap hex({a: u16be} {b: u8})"#,
    r#"0x01 {= sha256(a)[2]} {a: u64be}"#,
    r#"0x01 {a: escaped(bytes[0..=20])} {b: u8}"#,
    r#"0x01 {a: i64be} {b: bool}"#,
    r#"0x01 {a: leb128(u32)} {b: f64}"#,
];

fn read(built: &Built, text: &str) -> Layout {
    let text = format!("store s\n{TYPES}{text}");
    // The store of some layouts has a backend, or structures.
    let text = match text.split_once("store s ") {
        Some((before, rest)) => {
            let (words, rest) = rest.split_once('\n').unwrap_or((rest, ""));
            format!("{before}{rest}").replacen("store s", &format!("store s {words}"), 1)
        }
        None => text,
    };
    read_beside(built, "a.keys", &text, &mut NoImports)
        .unwrap_or_else(|rejected| panic!("{text}\n{:?}", rejected.diagnostics))
}

/// The number of findings of a rule.
fn findings(rule: Rule, old: &str, new: &str) -> usize {
    let built = Built::default();
    let (a, b) = (read(&built, old), read(&built, new));
    let report = diff(&a, &b, Config::default());
    let found = report.findings.iter().filter(|finding| finding.rule == rule);
    found
        .inspect(|finding| assert!(finding.fault.is_ok(), "undecided: {old}\n{new}\n{finding:?}"))
        .count()
}

type Change = (String, String);

/// Checks that a rule finds all of some changes, and none of others.
fn check(rule: Rule, seeded: &[Change], harmless: &[Change]) {
    assert!(seeded.len() >= 20 && harmless.len() >= 20, "{rule:?} needs more changes");
    for (old, new) in seeded {
        assert!(findings(rule, old, new) > 0, "{rule:?} is not found:\n{old}\n{new}");
    }
    for (old, new) in harmless {
        assert_eq!(findings(rule, old, new), 0, "{rule:?} is found:\n{old}\n{new}");
    }
}

/// Changes that an operation makes of every key.
fn of_keys(change: impl Fn(&str) -> (String, String)) -> Vec<Change> {
    KEYS.iter().map(|key| change(key)).collect()
}

/// A key whose field `a` has another name.
fn renamed(key: &str, name: &str) -> String {
    key.replace("{a:", &format!("{{{name}:")).replace("(a)", "(z)").replace("if a ", "if z ")
}

const OTHER: &str = "map other = 0xee {x: u8}";

#[test]
fn lost_keys_are_found() {
    let mut seeded = of_keys(|key| (format!("map m = {key}"), OTHER.to_owned()));
    seeded.extend(of_keys(|key| (format!("map m = {key}"), format!("map m = 0xdd {key}"))));
    seeded
        .extend(of_keys(|key| (format!("map m = {key}"), format!("family f {{ map m = {key} }}"))));
    let mut harmless = of_keys(|key| (format!("map m = {key}"), format!("{OTHER} map m = {key}")));
    harmless.extend(of_keys(|key| (format!("map m = {key}"), format!("map n was m = {key}"))));
    harmless.extend(of_keys(|key| {
        (format!("map m = {key} -> json"), format!("map m = {key} -> empty scan all"))
    }));
    harmless.extend(of_keys(|key| {
        let deprecated = format!("map m = {key} deprecated \"use n\" map n = 0xdd {key}");
        (format!("map m = {key}"), deprecated)
    }));
    check(Rule::Lost, &seeded, &harmless);
}

#[test]
fn keys_that_are_read_differently_are_found() {
    let mut seeded =
        of_keys(|key| (format!("map m = {key}"), format!("map m = {}", renamed(key, "z"))));
    seeded.extend(of_keys(|key| (format!("map m = {key} {OTHER}"), format!("map other = {key}"))));
    let mut harmless = of_keys(|key| {
        if key.contains("sha256") {
            return (format!("map m = {key}"), format!("map m = {key}"));
        }
        (format!("map m = {key}"), format!("map m = {}", renamed(key, "z was a")))
    });
    harmless.extend(of_keys(|key| (format!("map m = {key}"), format!("map n was m = {key}"))));
    harmless.extend(of_keys(|key| (format!("map m = {key}"), format!("map m = 0xdd {key}"))));
    check(Rule::Reread, &seeded, &harmless);
}

#[test]
fn captured_rows_are_found() {
    let mut seeded = of_keys(|key| (format!("map m = {key}"), format!("map n = {key}")));
    seeded.extend(of_keys(|key| {
        (format!("map m = {key}"), format!("map m = {key} map n = {{x: bytes[0..]}}"))
    }));
    let mut harmless =
        of_keys(|key| (format!("map m = {key}"), format!("map m = {key} map n = 0xdd {key}")));
    harmless.extend(of_keys(|key| (format!("map m = {key}"), format!("map n was m = {key}"))));
    check(Rule::Captured, &seeded, &harmless);
}

#[test]
fn values_that_cannot_be_read_are_found() {
    let pairs = |pairs: &[(&str, &str)]| -> Vec<Change> {
        let map = |value: &str| format!("map m = 0x01 {{a: u8}} -> {value}");
        pairs.iter().map(|(old, new)| (map(old), map(new))).collect()
    };
    let seeded = pairs(&[
        ("u8", "u16be"),
        ("u32be", "u32le"),
        ("u32be", "i32be"),
        ("u32be", "bytes"),
        ("dec(u64)", "dec(u32)"),
        ("text", "bytes"),
        ("bytes", "text"),
        ("json", "json Order"),
        ("json Order", "json Cart"),
        ("proto Order", "proto Cart"),
        ("proto Order", "json"),
        ("proto BoolValue", "bool"),
        ("proto UInt64Value", "u64be"),
        ("empty", "u8"),
        ("u8", "empty"),
        ("const 0x00", "const 0x01"),
        ("const 0x0000", "u8"),
        ("L", "text"),
        ("P", "bytes[3]"),
        ("V", "P"),
        ("Mine", "Yours"),
        ("u8 reads u16be", "u8"),
        ("u8 in 0..9", "u8 in 1..9"),
    ]);
    let harmless = pairs(&[
        ("u8", "u8"),
        ("u8", "u16be reads u8"),
        ("u32be", "u64be reads u32be"),
        ("dec(u32)", "dec(u64)"),
        ("u8 in 0..9", "u8"),
        ("text(r\"[a-z]+\")", "text"),
        ("bytes[4]", "bytes"),
        ("json Order", "json"),
        ("json", "json"),
        ("json Order", "json Order"),
        ("proto Order", "proto Order"),
        ("proto BoolValue", "proto BoolValue"),
        ("empty", "empty"),
        ("empty", "const 0x00 reads empty"),
        ("const 0x01", "const 0x01"),
        ("const 0x01", "bool"),
        ("empty", "bytes"),
        ("L", "L"),
        ("P", "P"),
        ("V", "u8 reads V"),
        ("Mine", "Yours reads Mine"),
        ("u8 reads u16be", "u16be reads u8"),
    ]);
    check(Rule::Value, &seeded, &harmless);
}

/// The new form reads `a` as two values, one of which is the old one.
#[test]
fn values_with_another_reading_are_found() {
    let layout = |optional: &str| {
        format!("type W = {{p: text(r\"a?\")}} {optional}\nmap m = 0x01 {{a: u8}} -> W")
    };
    let two = layout("[{q: u8 in 97..=98}]");
    assert_eq!(findings(Rule::Value, &layout(""), &two), 1);
    assert_eq!(findings(Rule::Value, &two, &two), 0);
    assert_eq!(findings(Rule::Value, &layout(""), &layout("[\"-\" {q: u8}]")), 0);
}

#[test]
fn indexes_that_must_be_built_are_found() {
    let index = |key: &str| format!("map m = {key} index i of m = 0xee {{a}}");
    let mut seeded = of_keys(|key| (format!("map m = {key}"), index(key)));
    seeded.extend(of_keys(|key| (index(key), format!("map m = {key}"))));
    seeded.extend(of_keys(|key| {
        (index(key), format!("map m = {key} index i of m = 0xee 0x00 {{a}}"))
    }));
    seeded.extend(of_keys(|key| {
        let from = "{v: u8 from value}";
        (index(key), format!("map m = {key} -> json index i of m = 0xee {{a}} {from}"))
    }));
    // The same bytes, from another place in the value or from several.
    let takes = ["", " each", " optional", " v", " each v", " optional v", " each w.v"];
    for (old, new) in takes.iter().flat_map(|old| takes.iter().map(move |new| (old, new))) {
        let from = |take: &str| {
            let field = format!("{{v: u8 from value{take}}}");
            format!("map m = 0x01 {{a: u8}} -> json index i of m = 0xee {{a}} {field}")
        };
        if old != new {
            seeded.push((from(old), from(new)));
        }
    }
    // Rows without `b` had no entry.
    let optional =
        |index: &str| format!("map m = 0x01 {{a: u8}} [{{b: u8}}] index i of m = {index}");
    seeded.push((optional("0xee {b} {a}"), optional("0xee [{b}] {a}")));
    let mut harmless = of_keys(|key| (index(key), format!("{} scan all", index(key))));
    harmless.extend(of_keys(|key| (index(key), format!("{} map n = 0xdd {key}", index(key)))));
    harmless.extend(of_keys(|key| {
        let listing = format!("map m = {key} index listing of m was i = 0xee {{a}}");
        (index(key), listing)
    }));
    check(Rule::Index, &seeded, &harmless);
}

#[test]
fn rows_that_the_old_program_cannot_read_are_found() {
    let mut seeded =
        of_keys(|key| (format!("map m = {key}"), format!("map m = {key} map n = 0xdd {key}")));
    seeded.extend(of_keys(|key| (format!("map m = {key}"), format!("map m = 0xdd {key}"))));
    seeded.extend(of_keys(|key| {
        (format!("map m = {key} -> u8"), format!("map m = {key} -> u16be reads u8"))
    }));
    seeded.extend(of_keys(|key| (format!("map m = {key}"), format!("map n = {key}"))));
    let mut harmless = of_keys(|key| (format!("map m = {key} {OTHER}"), format!("map m = {key}")));
    harmless.extend(of_keys(|key| {
        (format!("map m = {key} -> u16be reads u8"), format!("map m = {key} -> u8"))
    }));
    harmless.extend(of_keys(|key| (format!("map m = {key}"), format!("map n was m = {key}"))));
    check(Rule::Forward, &seeded, &harmless);
}

#[test]
fn changes_of_order_and_of_cursors_are_found() {
    let scanned = |key: &str| format!("map m = {key} scan all");
    let mut seeded = of_keys(|key| (scanned(key), format!("map m = 0xdd {key} scan all")));
    seeded.extend(of_keys(|key| (scanned(key), format!("map n was m = {key} scan all"))));
    let mut harmless = of_keys(|key| (scanned(key), format!("{OTHER} {}", scanned(key))));
    harmless.extend(of_keys(|key| (scanned(key), format!("map m = {key} -> json scan all"))));
    // Nobody scans them.
    harmless.extend(of_keys(|key| (format!("map m = {key}"), format!("map m = 0xdd {key}"))));
    check(Rule::Order, &seeded, &harmless);
}

#[test]
fn retired_prefixes_that_are_used_again_are_found() {
    let in_namespace = |items: &str| format!("namespace n = 0x02 {{ {items} }}");
    let old = |word: &str| in_namespace(&format!("{word} 0x0C \"why\" map p = 0xee {{x: u8}}"));
    let mut seeded = of_keys(|key| {
        (old("reserve"), in_namespace(&format!("map p = 0xee {{x: u8}} map q = 0x0C {key}")))
    });
    seeded.extend(of_keys(|key| {
        let kept = format!("deprecated 0x0C \"why\" map p = 0xee {{x: u8}} map q = 0x0C {key}");
        (old("deprecated"), in_namespace(&kept))
    }));
    seeded.extend(of_keys(|key| (old("reserve"), format!("map q = 0x03 {key}"))));
    let mut harmless =
        of_keys(|key| (old("reserve"), format!("{} map q = 0x03 {key}", old("reserve"))));
    harmless.extend(of_keys(|key| {
        let more = format!("reserve 0x0C \"why\" map p = 0xee {{x: u8}} map q = 0x0D {key}");
        (old("deprecated"), in_namespace(&more))
    }));
    check(Rule::Retired, &seeded, &harmless);
}

#[test]
fn scans_and_indexes_that_are_gone_are_found() {
    let index = |key: &str| format!("map m = {key} scan all index i of m = 0xee {{a}}");
    let mut seeded = of_keys(|key| (index(key), format!("map m = {key} scan all")));
    seeded.extend(of_keys(|key| (index(key), format!("map m = {key} index i of m = 0xee {{a}}"))));
    let mut harmless = of_keys(|key| (index(key), format!("{} map z = 0xdd {key}", index(key))));
    harmless.extend(of_keys(|key| (format!("map m = {key}"), format!("map m = {key} scan all"))));
    check(Rule::Access, &seeded, &harmless);
}

#[test]
fn keys_over_the_limit_of_the_new_backend_are_found() {
    let on = |backend: &str, key: &str, length: usize| {
        format!("store s on {backend}\nmap m = {} {{long: bytes[{length}]}}", fixed(key))
    };
    let seeded = of_keys(|key| (on("rocksdb", key, 600), on("lmdb", key, 600)));
    let mut harmless = of_keys(|key| (on("rocksdb", key, 400), on("lmdb", key, 400)));
    harmless.extend(of_keys(|key| (on("lmdb", key, 600), on("rocksdb", key, 600))));
    harmless.extend(of_keys(|key| (on("lmdb", key, 600), on("lmdb", key, 600))));
    check(Rule::Limit, &seeded, &harmless);
}

/// A key without parts of unlimited length, which exceed every limit.
fn fixed(key: &str) -> String {
    key.replace("bytes[0..]", "bytes[0..=9]")
        .replace("[a-z]+", "[a-z]{1,9}")
        .replace("]*", "]{0,9}")
}

/// A score is escaped in records unless all scores have one length.
#[test]
fn scores_with_another_stored_form_are_lost() {
    let built = Built::default();
    let layout = |score: &str| {
        let text = format!("store s structures\nzset z = \"z\" member u8 score {score}\n");
        read_beside(&built, "a.keys", &text, &mut NoImports)
            .unwrap_or_else(|rejected| panic!("{:?}", rejected.diagnostics))
    };
    let lost = |old: &str, new: &str| {
        let report = diff(&layout(old), &layout(new), Config::default());
        report.findings.iter().any(|found| found.rule == Rule::Lost && found.fault.is_ok())
    };
    assert!(lost("dec(u64) in 10..=99", "dec(u64) in 10..=100"));
    assert!(!lost("dec(u64) in 10..=50", "dec(u64) in 10..=99"));
    assert!(!lost("dec(u64) in 10..=100", "dec(u64) in 10..=999"));
    assert!(lost("dec(u64) in 10..=999", "dec(u64) in 10..=100"));
}

#[test]
fn a_layout_is_compatible_with_itself() {
    for key in KEYS {
        let text = format!("map m = {key} -> json scan all index i of m = 0xee {{a}}");
        for rule in Rule::ALL {
            assert_eq!(findings(rule, &text, &text), 0, "{text}");
        }
    }
}

/// The shortest key has the same values in both orders, so another one shows the difference.
#[test]
fn fields_in_another_order_are_read_differently() {
    let swapped = [
        ("0x01 {a: u8} {b: u8}", "0x01 {b: u8} {a: u8}"),
        ("0x01 {a: u8} {b: u8}", "0x01 {a was b: u8} {b was a: u8}"),
        ("0x01 [{a: u8}] {b: u8}", "0x01 {b: u8} [{a: u8}]"),
        (r#""o/" {a: dec(u8)} "/" {b: dec(u8)}"#, r#""o/" {b: dec(u8)} "/" {a: dec(u8)}"#),
        (
            r#"{a: text(r"[a-z]")} {b: text(r"[a-z]")}"#,
            r#"{b: text(r"[a-z]")} {a: text(r"[a-z]")}"#,
        ),
    ];
    for (old, new) in swapped {
        let (old, new) = (format!("map m = {old}"), format!("map m = {new}"));
        assert!(findings(Rule::Reread, &old, &new) > 0, "{old}\n{new}");
    }
    let types = ["{p: u8} {q: u8}", "{q: u8} {p: u8}", "{p was q: u8} {q was p: u8}"];
    let [old, other, renamed] = types.map(|ty| format!("type S = {ty}"));
    for map in ["map m = 0x01 {a: S}", "map m = 0x01 {a: list(S)[1..=2]}"] {
        for new in [&other, &renamed] {
            let (old, new) = (format!("{old} {map}"), format!("{new} {map}"));
            assert!(findings(Rule::Reread, &old, &new) > 0, "{new}");
        }
    }
    let (map, set) = ("map m = 0x01 {a: u8} -> S", "set m = 0x01 member S");
    for new in [&other, &renamed] {
        let (a, b) = (format!("{old} {map}"), format!("{new} {map}"));
        assert!(findings(Rule::Value, &a, &b) > 0 && findings(Rule::Forward, &a, &b) > 0, "{b}");
        let (a, b) = (structures(&format!("{old} {set}")), structures(&format!("{new} {set}")));
        assert!(findings(Rule::Reread, &a, &b) > 0 && findings(Rule::Forward, &a, &b) > 0, "{b}");
    }
}

/// Makes the store of a layout one of structures.
fn structures(text: &str) -> String {
    format!("store s structures\n{text}")
}

/// The values of the inner lists are at the same offsets, but in other elements.
#[test]
fn elements_that_begin_elsewhere_are_not_the_same() {
    let is_found = |old: &str, new: &str| {
        let built = Built::default();
        let (a, b) = (read(&built, old), read(&built, new));
        let report = diff(&a, &b, Config::default());
        report.findings.iter().any(|finding| finding.rule == Rule::Reread)
    };
    let nested =
        |inner: &str, outer: &str| format!("map m = 0x01 {{a: list(list(u8){inner}){outer}}}");
    let composed = |ty: &str| format!("type S = {ty} map m = 0x01 {{a: list(S)[1..=2]}}");
    for (old, new) in [
        (nested("[2]", "[1..=3]"), nested("[1]", "[1..=6]")),
        (nested("[1..=2]", "[2]"), nested("[1..=2]", "[1]")),
        (composed("{y: list(u8)[2]}"), composed("{y: list(u8)[1]}")),
        (composed("{y: u8} [\"-\" {z: u8}]"), composed("[{z: u8} \"-\"] {y: u8}")),
        (composed("{y: u8} [0x00 {z: u8} 0x00]"), composed("[0x00 {z: u8} 0x00] {y: u8}")),
    ] {
        assert!(is_found(&old, &new), "{old}\n{new}");
        for text in [old, new] {
            let more = format!("{text} {OTHER}");
            assert!(!is_found(&text, &more), "{text}");
        }
    }
    // Each element begins with the same field.
    let wider = (composed("{y: dec(u8)} \"-\""), composed("{y: dec(u16)} \"-\""));
    assert!(!is_found(&wider.0, &wider.1));
}

#[test]
fn members_and_scores_that_the_old_program_cannot_read_are_found() {
    let set = |member: &str| structures(&format!("set m = 0x01 {{a: u8}} member {member}"));
    let zset = |score: &str| structures(&format!("zset m = 0x01 member u8 score {score}"));
    for of in [&set as &dyn Fn(&str) -> String, &zset] {
        assert_eq!(findings(Rule::Forward, &of("dec(u8)"), &of("dec(u16)")), 1);
        assert_eq!(findings(Rule::Forward, &of("dec(u16)"), &of("dec(u8)")), 0);
        assert_eq!(findings(Rule::Forward, &of("u16be"), &of("u16le")), 1);
        assert_eq!(findings(Rule::Lost, &of("dec(u16)"), &of("dec(u8)")), 1);
    }
}

/// Bytes of both forms are read in the declared one.
#[test]
fn the_form_after_reads_is_read_second() {
    let value = |form: &str| format!("map m = 0x01 {{a: u8}} -> {form}");
    for (old, new, expected) in [
        ("u32be", "bytes[4] reads u32be", 1),
        ("u32be", "dec reads u32be", 1),
        ("u64be reads u32be", "dec reads u32be", 2),
        ("u32be", "u64be reads u32be", 0),
        ("dec(u8)", "u64be reads dec(u64)", 0),
        ("dec reads u32be", "dec reads u32be", 0),
        ("dec(u8) reads u32be", "dec(u64) reads u32be", 1),
        ("json", "dec reads json", 0),
    ] {
        assert_eq!(findings(Rule::Value, &value(old), &value(new)), expected, "{old} to {new}");
    }
}

/// The bytes of the map and of the index stay, but the names of the fields change places.
#[test]
fn an_index_of_fields_that_were_renamed_has_other_entries() {
    let map = |key: &str| format!("map m = 0x01 {key} index i of m = 0x02 {{p}} {{q}}");
    let (old, new) = (map("{p: u8} {q: u8}"), map("{q was p: u8} {p was q: u8}"));
    assert_eq!(findings(Rule::Index, &old, &new), 1);
    let of_value = |ty: &str| {
        format!(
            "type S = {ty} map m = 0x01 {{a: u8}} -> S index i of m = 0x02 {{p: u8 from value}} {{a}}"
        )
    };
    let (old, new) = (of_value("{p: u8} {q: u8}"), of_value("{q was p: u8} {p was q: u8}"));
    assert_eq!(findings(Rule::Index, &old, &new), 1);
    let (old, new) = (of_value("{p: u8} {q: u8}"), of_value("{p: u8} {r was q: u8}"));
    assert_eq!(findings(Rule::Index, &old, &new), 0);
}

/// Neither backend accepts the empty key of the map.
#[test]
fn a_long_key_beside_an_empty_one_is_found() {
    let on =
        |backend: &str, max: u32| format!("store s on {backend}\nmap m = {{a: text[0..={max}]}}");
    assert_eq!(findings(Rule::Limit, &on("etcd", 600), &on("lmdb", 600)), 1);
    assert_eq!(findings(Rule::Limit, &on("etcd", 500), &on("lmdb", 500)), 0);
}

/// A search ends for a keyspace with its first answer. Without that, this change needs 2.6 million
/// units.
#[test]
fn a_keyspace_that_is_answered_needs_no_more_work() {
    let built = Built::default();
    let layout = |name, text| read_beside(&built, name, text, &mut NoImports).unwrap();
    let old = layout("deployed.keys", include_str!("../../../../layouts/onesat/deployed.keys"));
    let new = layout("sound.keys", include_str!("../../../../layouts/onesat/sound.keys"));
    let work = diff(&old, &new, Config::default()).work;
    assert!(work < 2_200_000, "{work}");
}

/// The first key that is found has the same values by chance, so that keys with other values are
/// tried, those of the last field first.
#[test]
fn keys_are_not_tried_after_the_budget_is_spent() {
    let built = Built::default();
    let layout = |key: &str| read(&built, &format!("map m = 0x01 {key} {{c: bytes[60]}}"));
    let (old, new) = (layout("{a: u8} {b: u8}"), layout("{b: u8} {a: u8}"));
    let reread = |work| {
        let findings = diff(&old, &new, Config { work, ..Config::default() }).findings;
        findings.into_iter().find(|finding| finding.rule == Rule::Reread).unwrap().fault
    };
    let all = diff(&old, &new, Config::default()).work;
    let mut found = 0;
    for work in (0..all).step_by(all / 100) {
        let fault = reread(work);
        assert!(matches!(fault, Ok(_) | Err(Unknown::Budget(_))), "{work}: {fault:?}");
        found += usize::from(fault.is_ok());
    }
    assert!((1..70).contains(&found), "{found} of {all}");
}
