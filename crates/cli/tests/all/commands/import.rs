//! `keyscape export` and `keyscape import`.

use super::database::{SHOP, shop};
use crate::harness::{Folder, printed, rejected};
use insta::assert_snapshot;
use std::fmt::Write;

fn empty() -> Folder {
    Folder::new().database("shop", SHOP)
}

#[test]
fn an_export_can_be_imported() {
    let folder = shop();
    folder.quiet(&["put", "shop.redb", "note", "--", "null"]);
    folder.quiet(&["put", "shop.redb", "prices", "item=ink", "--", "3"]);
    let lines = folder.stdout(&["export", "shop.redb"]);
    assert_snapshot!(lines, @r#"
    {"store":"shop","keyspace":"by_order","fields":{"order":7,"user":1},"value":"0x01"}
    {"store":"shop","keyspace":"by_order","fields":{"order":7,"user":10},"value":"0x01"}
    {"store":"shop","keyspace":"by_order","fields":{"order":8,"user":1},"value":"0x01"}
    {"store":"shop","keyspace":"first","fields":{"item":"ink"},"value":"0x696e6b"}
    {"store":"shop","keyspace":"note","fields":{},"value":null}
    {"store":"shop","keyspace":"orders","fields":{"user":1,"order":7},"value":"ink"}
    {"store":"shop","keyspace":"orders","fields":{"user":1,"order":8},"value":"paper"}
    {"store":"shop","keyspace":"orders","fields":{"user":10,"order":7},"value":"a pen"}
    {"store":"shop","keyspace":"prices","fields":{"item":"ink"},"value":3}
    "#);
    let folder = folder.file("shop.jsonl", &lines);
    let create = ["import", "--create", "copy.redb", "--layout", "shop.keys", "shop.jsonl"];
    assert_snapshot!(folder.run(&create), @"
    --- stderr
    imported 9 rows
    --- exit 0
    ");
    assert_eq!(folder.stdout(&["export", "copy.redb"]), lines);
    // Again, over existing rows.
    assert_snapshot!(folder.run_with(&["import", "copy.redb", "--layout", "shop.keys"], &lines), @"
    --- stderr
    imported 9 rows
    --- exit 0
    ");
    assert_eq!(folder.stdout(&["export", "copy.redb"]), lines);
    assert_snapshot!(rejected(folder.run(&create)), @"
    error: `copy.redb` already exists
      help: choose another name
    ");
    assert_snapshot!(printed(folder.run(&["export", "shop.redb", "orders", "note"])), @r#"
    {"store":"shop","keyspace":"note","fields":{},"value":null}
    {"store":"shop","keyspace":"orders","fields":{"user":1,"order":7},"value":"ink"}
    {"store":"shop","keyspace":"orders","fields":{"user":1,"order":8},"value":"paper"}
    {"store":"shop","keyspace":"orders","fields":{"user":10,"order":7},"value":"a pen"}
    "#);
}

#[test]
fn rows_are_imported_with_their_entries() {
    let folder = empty();
    let line =
        "\n{\"keyspace\":\"orders\",\"fields\":{\"order\":2,\"user\":1},\"value\":\"ink\"}\n\n";
    assert_snapshot!(folder.run_with(&["import", "shop.redb"], line), @"
    --- stderr
    imported 1 row
    --- exit 0
    ");
    assert_snapshot!(folder.stdout(&["export", "shop.redb"]), @r#"
    {"store":"shop","keyspace":"by_order","fields":{"order":2,"user":1},"value":"0x01"}
    {"store":"shop","keyspace":"orders","fields":{"user":1,"order":2},"value":"ink"}
    "#);
}

#[test]
fn values_in_older_forms_and_broken_ones_keep_their_bytes() {
    let folder = empty();
    let lines = r#"{"store":"shop","keyspace":"first","fields":{"item":"a"},"value":"0x61"}
{"store":"shop","keyspace":"first","fields":{"item":"b"},"value":"0x62"}
{"store":"shop","keyspace":"note","fields":{},"raw":"0x7b0a7d"}
{"store":"shop","keyspace":"prices","fields":{"item":"a"},"reads":"12"}
{"store":"shop","keyspace":"prices","fields":{"item":"b"},"raw":"0xff"}
{"store":"shop","key":"0x00ff","value":"0x"}
"#;
    assert_snapshot!(folder.run_with(&["import", "shop.redb"], lines), @"
    --- stderr
    warning: 1 imported row fits no keyspace of the layout
      help: `keyscape audit shop.redb` lists them
    imported 6 rows
    --- exit 0
    ");
    assert_snapshot!(folder.run(&["export", "shop.redb"]), @r#"
    --- stdout
    {"store":"shop","key":"0x00ff","value":"0x"}
    {"store":"shop","keyspace":"first","fields":{"item":"a"},"value":"0x61"}
    {"store":"shop","keyspace":"first","fields":{"item":"b"},"value":"0x62"}
    {"store":"shop","keyspace":"note","fields":{},"raw":"0x7b0a7d"}
    {"store":"shop","keyspace":"prices","fields":{"item":"a"},"reads":12}
    {"store":"shop","keyspace":"prices","fields":{"item":"b"},"raw":"0xff"}
    --- stderr
    warning: exported as bytes, because they fit no keyspace: 1 row
    --- exit 0
    "#);
    assert_snapshot!(folder.run(&["scan", "shop.redb", "prices"]), @"
    --- stdout
    item  value
    a     12
    b     0xff
    --- stderr
    warning: 1 value does not have the declared form
      help: `keyscape export` prints them as `raw`
    --- exit 1
    ");
    let stat = folder.run(&["stat", "shop.redb"]);
    let stat = stat.lines().filter(|line| !line.starts_with("the file has "));
    assert_snapshot!(stat.collect::<Vec<_>>().join("\n"), @"
    --- stdout
    keyspace                rows  key bytes  value bytes
    shop/orders                0          0            0
    shop/by_order              0          0            0
    shop/prices                2          6            3
    shop/first                 2          6            2
    shop/note                  1          1            3
    shop/carts                 0          0            0
    shop/seen                  0          0            0
    shop/next_order            0          0            0
    shop: fits no keyspace     1          2            0
    total                      6         15            8
    --- stderr
    warning: 1 value does not have the declared form
      help: `keyscape export` prints them as `raw`
    --- exit 1
    ");
}

#[test]
fn a_bad_line_is_named_and_nothing_of_its_batch_is_written() {
    let folder = empty();
    let good = r#"{"keyspace":"orders","fields":{"user":1,"order":1},"value":"a"}"#;
    let before = folder.stdout(&["export", "shop.redb"]);
    let mut answers = String::new();
    for bad in [
        "{",
        "[1]",
        "not json",
        r#"{"keyspace":"ordrs"}"#,
        r#"{"keyspace":"orders","fields":{"user":1},"value":"a"}"#,
        r#"{"keyspace":"orders","fields":{"user":1,"order":"x"},"value":"a"}"#,
        r#"{"keyspace":"orders","fields":{"user":1,"order":2,"x":3},"value":"a"}"#,
        r#"{"keyspace":"orders","fields":[1,2],"value":"a"}"#,
        r#"{"keyspace":"orders","fields":{"user":1,"order":2}}"#,
        r#"{"keyspace":"orders","fields":{"user":1,"order":2},"value":7}"#,
        r#"{"keyspace":"orders","fields":{"user":1,"order":2},"value":"a","raw":"0x"}"#,
        r#"{"keyspace":"orders","fields":{"user":1,"order":2},"reads":"a"}"#,
        r#"{"keyspace":"orders","fields":{"user":1,"order":2},"raw":"zz"}"#,
        r#"{"keyspace":"orders","fields":{"user":1,"order":2},"valu":"a"}"#,
        r#"{"keyspace":"orders","fields":{"user":1,"order":2},"family":"count"}"#,
        r#"{"keyspace":"prices","fields":{"item":"a"},"value":1e40}"#,
        r#"{"store":"shop","key":"0xf","value":"0x"}"#,
        r#"{"store":"other","key":"0x00","value":"0x"}"#,
        r#"{"store":"keyscape:meta","key":"0x00","value":"0x"}"#,
        r#"{"key":"0x00","value":"0x"}"#,
        "{}",
    ] {
        let lines = format!("{good}\n{bad}\n{good}\n");
        let answer = folder.run_with(&["import", "shop.redb"], lines);
        let _ = writeln!(answers, "{bad}\n{answer}");
    }
    assert_snapshot!(answers);
    let binary = folder.run_with(&["import", "shop.redb"], b"\xff\n");
    assert_snapshot!(rejected(binary), @"
    error: stdin:1: it is not UTF-8
      nothing was written
    ");
    assert_eq!(folder.stdout(&["export", "shop.redb"]), before);
}

#[test]
fn batches_before_a_bad_line_stay_unless_all_is_one_commit() {
    let mut lines = String::new();
    for order in 0..10_500 {
        let _ = writeln!(
            lines,
            r#"{{"keyspace":"orders","fields":{{"user":1,"order":{order}}},"value":"a"}}"#
        );
    }
    lines.push_str("bad\n");
    let folder = empty().file("lines.jsonl", lines);
    let atomic = ["import", "--atomic", "shop.redb", "lines.jsonl"];
    assert_snapshot!(rejected(folder.run(&atomic)), @"
    error: lines.jsonl:10501: it is not an object in the format of `export`: expected value (column 1)
      nothing was written
    ");
    assert_snapshot!(printed(folder.run(&["count", "shop.redb", "orders"])), @"0");
    assert_snapshot!(rejected(folder.run(&["import", "shop.redb", "lines.jsonl"])), @"
    error: lines.jsonl:10501: it is not an object in the format of `export`: expected value (column 1)
      lines 1 to 10000 were written, later ones were not
    ");
    assert_snapshot!(printed(folder.run(&["count", "shop.redb", "by_order"])), @"10000");
    // A new database is complete or absent.
    let create = ["import", "new.redb", "--create", "--layout", "shop.keys", "lines.jsonl"];
    assert_snapshot!(rejected(folder.run(&create)), @"
    error: lines.jsonl:10501: it is not an object in the format of `export`: expected value (column 1)
      nothing was written
    ");
    let names = std::fs::read_dir(folder.path()).unwrap().map(|entry| entry.unwrap().file_name());
    let mut names: Vec<_> = names.collect();
    names.sort();
    assert_eq!(names, ["lines.jsonl", "shop.keys", "shop.redb"]);
}

#[test]
fn missing_entries_of_the_program_are_reported() {
    let layout = r#"store s
map accounts = 0x01 {id: u8} -> proto Account
index numbers of accounts = 0x02 {number: u8 from value} -> bytes
    unique
"#;
    let folder = Folder::new().database("s", layout);
    let row = r#"{"keyspace":"accounts","fields":{"id":7},"value":"0x01"}"#;
    let entry = r#"{"keyspace":"numbers","fields":{"number":1},"value":"0x07"}"#;
    let import =
        |how: &[&str], lines: &str| folder.run_with(&[&["import", "s.redb"], how].concat(), lines);
    assert_snapshot!(import(&["--atomic"], row), @"
    --- stderr
    error[entry-count]: s/numbers: the number of index entries is not that of the rows: 1
      0 entries for 1 row of `accounts`
      help: import rows and entries together, or build the index with `keyscape index build` or your program
    nothing was written
    --- exit 1
    ");
    assert_snapshot!(import(&["--atomic"], entry), @"
    --- stderr
    error[dangling-entry]: s/numbers: index entries without a row: 1
      0201  the row of the entry does not exist
      help: import rows and entries together, or build the index with `keyscape index build` or your program
    error[entry-count]: s/numbers: the number of index entries is not that of the rows: 1
      1 entry for 0 rows of `accounts`
      help: import rows and entries together, or build the index with `keyscape index build` or your program
    nothing was written
    --- exit 1
    ");
    assert_snapshot!(folder.run(&["export", "s.redb"]), @"--- exit 0");
    assert_snapshot!(import(&["--atomic"], &format!("{entry}\n{row}")), @"
    --- stderr
    imported 2 rows
    --- exit 0
    ");
    let other = r#"{"keyspace":"accounts","fields":{"id":8},"value":"0x01"}"#;
    assert_snapshot!(import(&[], other), @"
    --- stderr
    error[entry-count]: s/numbers: the number of index entries is not that of the rows: 1
      1 entry for 2 rows of `accounts`
      help: import rows and entries together, or build the index with `keyscape index build` or your program
    imported 1 row with these findings
    --- exit 1
    ");
    assert_snapshot!(printed(folder.run(&["count", "s.redb", "accounts"])), @"2");
}

#[test]
fn a_failed_import_leaves_no_new_file() {
    let folder = Folder::new().file("shop.keys", SHOP);
    let create = ["import", "--create", "new.redb", "--layout", "shop.keys"];
    assert_snapshot!(rejected(folder.run_with(&create, "{}")), @"
    error: stdin:1: `keyspace` is missing
      nothing was written
    ");
    assert!(!folder.path().join("new.redb").exists());
    assert_snapshot!(folder.run_with(&create, ""), @"
    --- stderr
    imported 0 rows
    --- exit 0
    ");
    assert_snapshot!(printed(folder.run(&["count", "new.redb", "--layout", "shop.keys", "orders"])), @"0");
}

#[test]
fn input_that_cannot_be_read_is_named() {
    let folder = empty();
    assert_snapshot!(rejected(folder.run(&["import", "shop.redb", "none.jsonl"])), @"error: cannot read `none.jsonl`: there is no such file");
    assert_snapshot!(rejected(folder.run(&["import", "shop.redb", "."])), @"error: cannot read `.`: it is a directory");
    assert_snapshot!(rejected(folder.run(&["import", "none.redb", "--layout", "shop.keys"])), @"
    error: cannot open `none.redb`: there is no such file
      help: check the path; `keyscape create none.redb --layout FILE` creates a database
    ");
    assert_snapshot!(rejected(folder.run(&["export", "shop.redb", "ordrs"])), @"
    error: there is no keyspace `ordrs`
      help: did you mean `orders`?
    ");
}
