//! KS010 as text, as JSON and as SARIF.

use crate::harness::{Folder, refuted};
use insta::assert_snapshot;
use serde_json::{Value, json};

const LAYOUT: &str = r#"store dex
map ticks = 0x01 "|" {pool: u64be} "|" {tick: dec(i8)}
    split at "|"
map names = "n" {name: text(r"x[a|]?")} "||" {id: dec(u8)}
    split at first "||"
"#;

fn check(format: &str) -> String {
    Folder::new().file("layout.keys", LAYOUT).run(&["check", "--format", format, "layout.keys"])
}

#[test]
fn a_key_that_is_cut_elsewhere_is_shown_with_both_ways_to_cut_it() {
    assert_snapshot!(refuted(check("human")), @r#"
    error[KS010]: splitting keys of `ticks` at "|" cuts `pool`
     --> layout.keys:3:5
      |
    2 | map ticks = 0x01 "|" {pool: u64be} "|" {tick: dec(i8)}
      |                      ------------- `pool` can contain "|"
    3 |     split at "|"
      |     ^^^^^^^^^^^^ takes every "|" for a separator
      key      pool=124 tick=0   01 7c 00 00 00 00 00 00 00 7c 7c 30   ·|·······||0
                                                            ^^ part of `pool`, not a separator
      layout   3 parts           01 7c|00 00 00 00 00 00 00 7c 7c|30
      split    4 parts           01 7c|00 00 00 00 00 00 00 7c|7c|30
      in practice: a program that splits at "|" gets 4 parts instead of 3: it reads 0x00000000000000 instead of 0x000000000000007c
      fix, proved, no stored byte changes:   split at last "|"
      fix, proved, stored keys change:   map ticks = 0x01 "|" {pool: dec0(u64)[20]} "|" {tick: dec(i8)}

    error[KS010]: splitting keys of `names` at first "||" cuts `name`
     --> layout.keys:5:5
      |
    4 | map names = "n" {name: text(r"x[a|]?")} "||" {id: dec(u8)}
      |                 ----------------------- `name` and the bytes next to it can form "||"
    5 |     split at first "||"
      |     ^^^^^^^^^^^^^^^^^^^ takes the first "||" for the separator
      key      name=x| id=0   6e 78 7c 7c 7c 30   nx|||0
                                    ^^^^^ partly `name`, not a separator
      layout   2 parts        6e 78 7c 7c 7c|30
      split    2 parts        6e 78 7c 7c|7c 30
      in practice: a program that splits at first "||" reads "nx" instead of "nx|"
      fix, proved, no stored byte changes:   split at last "||"
      fix, proved, stored keys change:   map names = "n" {name: hex(text(r"x[a|]?"))} "||" {id: dec(u8)}
    dex: 2 keyspaces, 0 scans: 8 proved, 2 refuted, 0 unknown, 0 accepted (N ms)
    "#);
}

#[test]
fn cuts_and_separators_are_offsets_in_json() {
    let claims = check("json");
    let of_splits = claims.lines().filter(|line| line.contains("KS010"));
    let lines: Vec<String> = of_splits
        .map(|line| {
            let claim: Value = serde_json::from_str(line).unwrap();
            format!("{} {}", claim["split"], claim["counterexample"])
        })
        .collect();
    assert_snapshot!(lines.join("\n"), @r#"
    "at \"|\"" {"cuts":[1,9,10],"separators":[1,10],"parts":["01","00000000000000","","30"],"row":{"key":"017c000000000000007c7c30","keyspace":"ticks","fields":{"pool":124,"tick":0}}}
    "at first \"||\"" {"cuts":[2],"separators":[3],"parts":["6e78","7c30"],"row":{"key":"6e787c7c7c30","keyspace":"names","fields":{"name":"x|","id":0}}}
    "#);
}

#[test]
fn a_split_is_a_finding_at_its_clause_in_sarif() {
    let text = check("sarif");
    let json = text.trim_start_matches("--- stdout\n").split("\n--- ").next().unwrap();
    let document: Value = serde_json::from_str(json).unwrap();
    let result = &document["runs"][0]["results"][0];
    assert_snapshot!(format!("{:#}", result["locations"]), @r#"
    [
      {
        "physicalLocation": {
          "artifactLocation": {
            "uri": "layout.keys"
          },
          "region": {
            "startLine": 3,
            "startColumn": 5,
            "endLine": 3,
            "endColumn": 17
          }
        }
      }
    ]
    "#);
    let text = result["message"]["text"].as_str().unwrap();
    assert!(text.starts_with("splitting keys of `ticks` at \"|\" cuts `pool`\nkey "), "{text}");
    assert_eq!(result["properties"]["counterexample"]["cuts"], json!([1, 9, 10]));
    let change = &result["fixes"][0]["artifactChanges"][0];
    assert_snapshot!(change, @r#"{"artifactLocation":{"uri":"layout.keys"},"replacements":[{"deletedRegion":{"startLine":3,"startColumn":5,"endLine":3,"endColumn":17},"insertedContent":{"text":"split at last \"|\""}}]}"#);
    let rule = &document["runs"][0]["tool"]["driver"]["rules"][9];
    assert_eq!(rule["id"], "KS010");
    assert!(rule["help"]["markdown"].as_str().unwrap().contains("refuted KS010"), "{rule}");
}
