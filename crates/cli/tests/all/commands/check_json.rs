//! Claims and errors as JSON.

use crate::harness::{Folder, refuted};
use insta::assert_snapshot;
use serde_json::Value;

fn check(layout: &str) -> String {
    Folder::new().file("layout.keys", layout).run(&["check", "--format", "json", "layout.keys"])
}

#[test]
fn every_claim_is_an_object_on_a_line() {
    let layout = r#"store shop
map orders = "o/" {user: dec(u64)} "/" {order: dec(u64)} -> text
    scan user by order as "o/" {user}
    accept KS004 "known"
"#;
    assert_snapshot!(refuted(check(layout)), @r#"
    {"rule":"KS001","store":"shop","keyspace":"orders","verdict":"proved","span":{"file":"layout.keys","line":2,"column":5,"end_line":2,"end_column":11},"fix":[]}
    {"rule":"KS002","store":"shop","keyspace":"orders","verdict":"proved","span":{"file":"layout.keys","line":2,"column":5,"end_line":2,"end_column":11},"fix":[]}
    {"rule":"KS003","store":"shop","keyspace":"orders","scan":"user","verdict":"refuted","counterexample":{"fault":"foreign","asked":{"user":1},"start":"6f2f31","end":"6f2f32","row":{"key":"6f2f31302f30","keyspace":"orders","fields":{"user":10,"order":0}}},"minimal":true,"span":{"file":"layout.keys","line":3,"column":5,"end_line":3,"end_column":38},"fix":[{"text":"scan user by order","effect":"no stored byte changes","replaces":{"file":"layout.keys","line":3,"column":5,"end_line":3,"end_column":38},"edit":{"file":"layout.keys","start":80,"end":113,"text":"scan user by order"}},{"text":"scan user by order as \"o/\" {user} \"/\"","effect":"no stored byte changes","replaces":{"file":"layout.keys","line":3,"column":5,"end_line":3,"end_column":38},"edit":{"file":"layout.keys","start":80,"end":113,"text":"scan user by order as \"o/\" {user} \"/\""}}]}
    {"rule":"KS004","store":"shop","keyspace":"orders","scan":"user","verdict":"refuted","accepted":"known","counterexample":{"disorder":"reversed","lower":{"key":"6f2f302f32","keyspace":"orders","fields":{"user":0,"order":2}},"higher":{"key":"6f2f302f3130","keyspace":"orders","fields":{"user":0,"order":10}}},"minimal":true,"span":{"file":"layout.keys","line":3,"column":18,"end_line":3,"end_column":23},"fix":[{"text":"map orders = \"o/\" {user: dec(u64)} \"/\" {order: u64be} -> text","effect":"stored keys change","replaces":{"file":"layout.keys","line":2,"column":1,"end_line":2,"end_column":65},"edit":{"file":"layout.keys","start":11,"end":75,"text":"map orders = \"o/\" {user: dec(u64)} \"/\" {order: u64be} -> text"},"idle_accepts":["`accept KS004` of `orders`"]},{"text":"map orders = \"o/\" {user: dec(u64)} \"/\" {order: dec0(u64)[20]} -> text","effect":"stored keys change","replaces":{"file":"layout.keys","line":2,"column":1,"end_line":2,"end_column":65},"edit":{"file":"layout.keys","start":11,"end":75,"text":"map orders = \"o/\" {user: dec(u64)} \"/\" {order: dec0(u64)[20]} -> text"},"idle_accepts":["`accept KS004` of `orders`"]}]}
    {"rule":"KS005","store":"shop","keyspace":"orders","field":"user","verdict":"proved","span":{"file":"layout.keys","line":2,"column":19,"end_line":2,"end_column":35},"fix":[]}
    {"rule":"KS005","store":"shop","keyspace":"orders","field":"order","verdict":"proved","span":{"file":"layout.keys","line":2,"column":40,"end_line":2,"end_column":57},"fix":[]}
    "#);
}

#[test]
fn collisions_and_readings_have_both_sides() {
    let layout = r#"store shop
map pairs = {a: text(r"[a-z]+")} {b: text(r"[a-z]+")} -> text
map words = {word: text(r"[a-z]+")} -> text
"#;
    assert_snapshot!(refuted(check(layout)), @r#"
    {"rule":"KS001","store":"shop","keyspace":"pairs","verdict":"refuted","partners":[{"keyspace":"words","verdict":"refuted"}],"counterexample":{"collisions":[{"key":"6161","readings":[{"keyspace":"pairs","fields":{"a":"a","b":"a"}},{"keyspace":"words","fields":{"word":"aa"}}]}],"more":0},"minimal":true,"span":{"file":"layout.keys","line":2,"column":5,"end_line":2,"end_column":10},"fix":[{"text":"map pairs = 0x00 {a: text(r\"[a-z]+\")} {b: text(r\"[a-z]+\")} -> text","effect":"bytes are added to stored keys","replaces":{"file":"layout.keys","line":2,"column":1,"end_line":2,"end_column":62},"edit":{"file":"layout.keys","start":11,"end":72,"text":"map pairs = 0x00 {a: text(r\"[a-z]+\")} {b: text(r\"[a-z]+\")} -> text"}},{"text":"map words = 0x00 {word: text(r\"[a-z]+\")} -> text","effect":"bytes are added to stored keys","replaces":{"file":"layout.keys","line":3,"column":1,"end_line":3,"end_column":44},"edit":{"file":"layout.keys","start":73,"end":116,"text":"map words = 0x00 {word: text(r\"[a-z]+\")} -> text"}}]}
    {"rule":"KS002","store":"shop","keyspace":"pairs","verdict":"refuted","counterexample":{"key":"616161","readings":[{"keyspace":"pairs","fields":{"a":"a","b":"aa"}},{"keyspace":"pairs","fields":{"a":"aa","b":"a"}}]},"minimal":true,"span":{"file":"layout.keys","line":2,"column":5,"end_line":2,"end_column":10},"fix":[{"text":"map pairs = {a: text(r\"[a-z]+\")} 0x00 {b: text(r\"[a-z]+\")} -> text","effect":"bytes are added to stored keys","replaces":{"file":"layout.keys","line":2,"column":1,"end_line":2,"end_column":62},"edit":{"file":"layout.keys","start":11,"end":72,"text":"map pairs = {a: text(r\"[a-z]+\")} 0x00 {b: text(r\"[a-z]+\")} -> text"}}]}
    {"rule":"KS005","store":"shop","keyspace":"pairs","field":"a","verdict":"proved","span":{"file":"layout.keys","line":2,"column":13,"end_line":2,"end_column":33},"fix":[]}
    {"rule":"KS005","store":"shop","keyspace":"pairs","field":"b","verdict":"proved","span":{"file":"layout.keys","line":2,"column":34,"end_line":2,"end_column":54},"fix":[]}
    {"rule":"KS001","store":"shop","keyspace":"words","verdict":"refuted","partners":[{"keyspace":"pairs","verdict":"refuted"}],"counterexample":{"collisions":[{"key":"6161","readings":[{"keyspace":"words","fields":{"word":"aa"}},{"keyspace":"pairs","fields":{"a":"a","b":"a"}}]}],"more":0},"minimal":true,"span":{"file":"layout.keys","line":3,"column":5,"end_line":3,"end_column":10},"fix":[{"text":"map words = 0x00 {word: text(r\"[a-z]+\")} -> text","effect":"bytes are added to stored keys","replaces":{"file":"layout.keys","line":3,"column":1,"end_line":3,"end_column":44},"edit":{"file":"layout.keys","start":73,"end":116,"text":"map words = 0x00 {word: text(r\"[a-z]+\")} -> text"}},{"text":"map pairs = 0x00 {a: text(r\"[a-z]+\")} {b: text(r\"[a-z]+\")} -> text","effect":"bytes are added to stored keys","replaces":{"file":"layout.keys","line":2,"column":1,"end_line":2,"end_column":62},"edit":{"file":"layout.keys","start":11,"end":72,"text":"map pairs = 0x00 {a: text(r\"[a-z]+\")} {b: text(r\"[a-z]+\")} -> text"}}]}
    {"rule":"KS002","store":"shop","keyspace":"words","verdict":"proved","span":{"file":"layout.keys","line":3,"column":5,"end_line":3,"end_column":10},"fix":[]}
    {"rule":"KS005","store":"shop","keyspace":"words","field":"word","verdict":"proved","span":{"file":"layout.keys","line":3,"column":13,"end_line":3,"end_column":36},"fix":[]}
    "#);
}

#[test]
fn a_scan_over_a_part_of_a_field_asks_with_an_object() {
    let layout = r#"store txo
type TokenId = {txid: text(r"[a-z_]{1,8}")} "_" {vout: dec(u32)}
map tokens = "t:" {token: TokenId} -> text
    scan token.txid as "t:"
"#;
    assert_snapshot!(refuted(check(layout)), @r#"
    {"rule":"KS001","store":"txo","keyspace":"tokens","verdict":"proved","span":{"file":"layout.keys","line":3,"column":5,"end_line":3,"end_column":11},"fix":[]}
    {"rule":"KS002","store":"txo","keyspace":"tokens","verdict":"proved","span":{"file":"layout.keys","line":3,"column":5,"end_line":3,"end_column":11},"fix":[]}
    {"rule":"KS003","store":"txo","keyspace":"tokens","scan":"token.txid","verdict":"refuted","counterexample":{"fault":"foreign","asked":{"token":{"txid":"a"}},"start":"743a","end":"743b","row":{"key":"743a5f5f30","keyspace":"tokens","fields":{"token":{"txid":"_","vout":0}}}},"minimal":false,"span":{"file":"layout.keys","line":4,"column":5,"end_line":4,"end_column":28},"fix":[{"text":"scan token.txid","effect":"no stored byte changes","replaces":{"file":"layout.keys","line":4,"column":5,"end_line":4,"end_column":28},"edit":{"file":"layout.keys","start":122,"end":145,"text":"scan token.txid"}}]}
    {"rule":"KS005","store":"txo","keyspace":"tokens","field":"token.txid","verdict":"proved","span":{"file":"layout.keys","line":3,"column":19,"end_line":3,"end_column":35},"fix":[]}
    {"rule":"KS005","store":"txo","keyspace":"tokens","field":"token.vout","verdict":"proved","span":{"file":"layout.keys","line":3,"column":19,"end_line":3,"end_column":35},"fix":[]}
    "#);
}

#[test]
fn an_unknown_claim_has_its_reason() {
    let layout = r#"store shop
map orders = 0x09 {user: text(r"[a-z]{2}")} -> text
    scan user as 0x09 {user: text(r"[a-z]{2,2}")}
    accept KS001 "idle"
"#;
    assert_snapshot!(refuted(check(layout)), @r#"
    {"rule":"KS001","store":"shop","keyspace":"orders","verdict":"proved","span":{"file":"layout.keys","line":2,"column":5,"end_line":2,"end_column":11},"fix":[]}
    {"rule":"KS002","store":"shop","keyspace":"orders","verdict":"proved","span":{"file":"layout.keys","line":2,"column":5,"end_line":2,"end_column":11},"fix":[]}
    {"rule":"KS003","store":"shop","keyspace":"orders","scan":"user","verdict":"unknown","span":{"file":"layout.keys","line":3,"column":5,"end_line":3,"end_column":50},"fix":[],"reason":"the scan asks with other bytes than the key has, and 132 values that were tried show no fault"}
    {"rule":"KS005","store":"shop","keyspace":"orders","field":"user","verdict":"proved","span":{"file":"layout.keys","line":2,"column":19,"end_line":2,"end_column":44},"fix":[]}
    {"error":"accept","message":"this accepts KS001 of `orders`, and no such claim fails","span":{"file":"layout.keys","line":4,"column":5,"end_line":4,"end_column":24},"help":"remove it; `check` then reports the claim if it fails again"}
    "#);
}

#[test]
fn a_fix_lists_the_acceptances_to_remove() {
    let output = check(include_str!("check/a_fix_lists_the_acceptances_to_remove.keys"));
    assert!(output.contains(r#""idle_accepts":["`accept KS001 with b` of `a`"]"#), "{output}");
}

#[test]
fn mistakes_are_objects_too() {
    assert_snapshot!(check("store shop\nmap orders = {user: dek(u64)} -> text\nmap\n"), @r#"
    --- stdout
    {"error":"layout","message":"there is no type or codec `dek`","span":{"file":"layout.keys","line":2,"column":21,"end_line":2,"end_column":24},"help":"did you mean `dec`?"}
    {"error":"layout","message":"expected the name of the keyspace, found the end of the file","span":{"file":"layout.keys","line":4,"column":1,"end_line":4,"end_column":1}}
    --- exit 2
    "#);
}

#[test]
fn a_missing_file_is_an_object_too() {
    let folder = Folder::new();
    assert_snapshot!(folder.run(&["check", "--format", "json", "none.keys"]), @r#"
    --- stdout
    {"error":"file","message":"cannot read `none.keys`: there is no such file","file":"none.keys"}
    --- exit 2
    "#);
}

#[test]
fn every_line_is_json() {
    let layout = r#"store shop
type Name = text(r"[a-z\n\"\\\\]+")
map pairs = {a: Name} {b: bytes[0..=4] shown as utf8} -> text
    scan a by b
"#;
    let folder = Folder::new().file("layout.keys", layout);
    let output = folder.output(&["check", "--format", "json", "layout.keys"], b"");
    let text = String::from_utf8(output.stdout).unwrap();
    assert!(text.lines().count() >= 4, "{text}");
    for line in text.lines() {
        serde_json::from_str::<Value>(line).unwrap();
    }
}

/// Returns the verdicts of the claims with fixes, and the edits of the fixes.
fn fixes(folder: &Folder) -> Vec<(Value, Vec<Value>)> {
    let output = folder.output(&["check", "--format", "json", "layout.keys"], b"");
    let lines = String::from_utf8(output.stdout).unwrap();
    let claims = lines.lines().map(|line| serde_json::from_str::<Value>(line).unwrap());
    claims
        .map(|claim| {
            let edits = claim["fix"].as_array().into_iter().flatten();
            let edits = edits.map(|fix| fix["edit"].clone()).collect();
            (claim, edits)
        })
        .collect()
}

/// Applies one edit to a text.
fn edited(text: &str, edit: &Value) -> String {
    let offset = |name: &str| usize::try_from(edit[name].as_u64().unwrap()).unwrap();
    let (before, after) = (&text[..offset("start")], &text[offset("end")..]);
    [before, edit["text"].as_str().unwrap(), after].concat()
}

#[test]
fn the_edit_of_a_fix_makes_the_claim_proved() {
    // Multi-byte characters, so offsets differ from columns.
    let layout = r#"// Größe: größer als zwei Zeichen
store shop
/// „Bestellungen“
map orders = "ö/" {user: dec(u64)} "/" {order: dec(u64)} -> text
    scan user by order as "ö/" {user}
map pairs = 0x01 {a: text(r"[a-z]+")} {b: text(r"[a-z]+")} -> text
map sums = 0x02 {x: f64_of(u64)} -> text
"#;
    let name =
        |claim: &Value| ["rule", "keyspace", "scan", "field"].map(|name| claim[name].clone());
    let mut tried = 0;
    for (claim, edits) in fixes(&Folder::new().file("layout.keys", layout)) {
        for edit in edits {
            assert_eq!(edit["file"], "layout.keys");
            let fixed = Folder::new().file("layout.keys", edited(layout, &edit));
            let again = fixes(&fixed).into_iter().map(|(claim, _)| claim);
            let same: Vec<Value> = again.filter(|other| name(other) == name(&claim)).collect();
            assert_eq!(same.len(), 1, "{edit}");
            assert_eq!(same[0]["verdict"], "proved", "{claim} after {edit}");
            tried += 1;
        }
    }
    assert!(tried >= 6, "{tried}");
}

/// A warning occurs in every format, and changes no verdict.
#[test]
fn warnings_about_proved_claims_are_reported_in_all_formats() {
    let layout = r#"store s
map m = "b" {name: text(r"[a-z]+")} [":" {n: u8}] -> empty
    scan name
map k = "k" {id: text(r"[1-9][0-9]*")} -> empty
    scan all by id
"#;
    let folder = Folder::new().file("layout.keys", layout);
    let json = folder.run(&["check", "--format", "json", "layout.keys"]);
    assert!(json.ends_with("--- exit 0\n"), "{json}");
    let of = |rule: &str| {
        let claims = json.lines().filter(|line| line.starts_with('{'));
        let claims = claims.map(|line| serde_json::from_str::<Value>(line).unwrap());
        let warned = claims.filter(|claim| claim["rule"] == rule && claim["warnings"].is_array());
        warned.collect::<Vec<_>>()
    };
    let [scan] = &of("KS003")[..] else { panic!("{json}") };
    assert_eq!(scan["verdict"], "proved");
    assert_eq!(scan["plain"]["row"]["key"], "626161");
    let [order] = &of("KS004")[..] else { panic!("{json}") };
    assert_eq!(
        order["warnings"][0]["message"],
        "`id` of `k` looks like decimal numbers and is ordered as text"
    );
    assert!(of("KS005").is_empty(), "each of these numbers has one text: {json}");
    let human = folder.run(&["check", "layout.keys"]);
    assert!(
        human.contains("warning[KS003]: read as a plain prefix, scan `name` of `m`"),
        "{human}"
    );
    assert!(human.contains("`10` comes before `9`") && human.contains("dec0(u64)[20]"), "{human}");
    assert!(human.ends_with("--- exit 0\n"), "{human}");
    let sarif = folder.run(&["check", "--format", "sarif", "layout.keys"]);
    assert_eq!(sarif.matches("\"level\": \"warning\"").count(), 2, "{sarif}");
}
