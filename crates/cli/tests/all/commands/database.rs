//! `keyscape create`, `get`, `scan`, `count`, `put`, `delete`, `stat`: rows of a database file.

use crate::harness::{Folder, printed, rejected};
use insta::assert_snapshot;

pub(super) const SHOP: &str = r#"store shop version 1

/// The orders of each user.
map orders = "o/" {user: dec(u64)} "/" {order: dec(u64)} -> text
    scan user

/// The users of each order.
index by_order of orders = "b/" {order} "/" {user} -> const 0x01
    scan order

/// Prices, once as decimal text.
map prices = "p/" {item: text(r"[a-z]+")} -> u64be reads dec
index first of prices = "f/" {item} -> bytes
    unique

item note = "n" -> json
map carts = "c/" {user: dec(u64)} -> proto Cart
map seen = "s/" {user: dec(u64)} -> empty
sequence next_order = "q" -> u64be
"#;

/// Creates a directory with a database that contains some orders.
pub(super) fn shop() -> Folder {
    let rows = r#"{"keyspace":"orders","fields":{"user":1,"order":7},"value":"ink"}
{"keyspace":"orders","fields":{"user":10,"order":7},"value":"a pen"}
{"keyspace":"orders","fields":{"user":1,"order":8},"value":"paper"}
"#;
    Folder::new().filled("shop", SHOP, rows)
}

fn on(folder: &Folder, command: &str, args: &[&str]) -> String {
    folder.run(&[&[command, "shop.redb"], args].concat())
}

#[test]
fn rows_are_listed_in_columns_and_as_json() {
    let folder = shop();
    assert_snapshot!(printed(on(&folder, "scan", &["orders"])), @r#"
    user  order  value
    1     7      ink
    1     8      paper
    10    7      "a pen"
    "#);
    assert_snapshot!(printed(on(&folder, "scan", &["orders", "user=1", "--reverse"])), @"
    user  order  value
    1     8      paper
    1     7      ink
    ");
    assert_snapshot!(printed(on(&folder, "scan", &["orders", "order=7", "--format", "json"])), @r#"
    {"store":"shop","keyspace":"orders","fields":{"user":1,"order":7},"value":"ink"}
    {"store":"shop","keyspace":"orders","fields":{"user":10,"order":7},"value":"a pen"}
    "#);
    assert_snapshot!(printed(on(&folder, "scan", &["by_order"])), @"
    order  user
    7      1
    7      10
    8      1
    ");
    assert_snapshot!(printed(on(&folder, "scan", &["prices"])), @"item  value");
    assert_snapshot!(on(&folder, "scan", &["prices", "--format", "json"]), @"--- exit 0");
    assert_snapshot!(printed(on(&folder, "count", &["orders"])), @"3");
    assert_snapshot!(printed(on(&folder, "count", &["orders", "--json", r#"{"user": 1}"#])), @"2");
}

#[test]
fn a_page_continues_after_its_cursor() {
    let folder = shop();
    assert_snapshot!(on(&folder, "scan", &["orders", "--limit", "2"]), @"
    --- stdout
    user  order  value
    1     7      ink
    1     8      paper
    --- stderr
    more: --after 'shop/orders>6f2f312f38'
    --- exit 0
    ");
    let after = ["orders", "--limit", "2", "--after", "shop/orders>6f2f312f38"];
    assert_snapshot!(printed(on(&folder, "scan", &after)), @r#"
    user  order  value
    10    7      "a pen"
    "#);
    let back = ["orders", "--reverse", "--limit", "1", "--after", "shop/orders<6f2f312f38"];
    assert_snapshot!(printed(on(&folder, "scan", &back)), @"
    user  order  value
    1     7      ink
    ");
    assert_snapshot!(rejected(on(&folder, "scan", &["orders", "--limit", "0"])), @"
    error: invalid value '0' for '--limit <ROWS>': 0 is not in 1..18446744073709551615

    For more information, try '--help'.
    ");
}

#[test]
fn a_cursor_of_another_scan_is_rejected() {
    let folder = shop();
    for (fields, cursor) in [
        ("user=10", "shop/orders>6f2f312f38"),
        ("user=1", "shop/orders<6f2f312f38"),
        ("user=1", "shop/prices>6f2f312f38"),
        ("user=1", "shop/orders>6f2"),
        ("user=1", ""),
    ] {
        let answer = on(&folder, "scan", &["orders", fields, "--after", cursor]);
        assert!(answer.starts_with(&format!("--- stderr\nerror: cursor `{cursor}`: ")), "{answer}");
        assert!(answer.ends_with("--- exit 2\n"), "{answer}");
    }
}

#[test]
fn values_have_the_forms_of_the_layout() {
    let folder = shop();
    for (args, value, shown) in [
        (&["prices", "item=ink"][..], "12", "12"),
        (&["note"], r#"{"b": [1, null], "a": "x"}"#, r#"{"b": [1, null], "a": "x"}"#),
        (&["carts", "user=1"], "0x0a03616263", "0x0a03616263"),
        (&["next_order"], "9007199254740993", "9007199254740993"),
        (&["orders", "user=2", "order=1"], "-- a = b", "-- a = b"),
        (&["orders", "user=2", "order=2"], "", ""),
    ] {
        folder.quiet(&[&["put", "shop.redb"], args, &["--", value]].concat());
        assert_eq!(on(&folder, "get", args), format!("--- stdout\n{shown}\n--- exit 0\n"));
    }
    folder.quiet(&["put", "shop.redb", "seen", "user=3"]);
    assert_snapshot!(printed(on(&folder, "get", &["seen", "user=3", "--format", "json"])), @r#"{"store":"shop","keyspace":"seen","fields":{"user":3},"value":null}"#);
    assert_snapshot!(printed(on(&folder, "get", &["next_order", "--format", "json"])), @r#"{"store":"shop","keyspace":"next_order","fields":{},"value":"9007199254740993"}"#);
    assert_snapshot!(printed(on(&folder, "scan", &["seen"])), @"
    user
    3
    ");
}

#[test]
fn a_value_of_another_form_is_rejected_and_nothing_is_written() {
    let folder = shop();
    let before = on(&folder, "export", &[]);
    let put = |args: &[&str]| on(&folder, "put", args);
    assert_snapshot!(rejected(put(&["prices", "item=ink", "--", "cheap"])), @"
    error: field `value`: `cheap` is not an integer: `c` at position 1 is not a digit
      help: expected an integer from 0 to 18446744073709551615
    ");
    assert_snapshot!(rejected(put(&["prices", "item=ink", "--", "18446744073709551616"])), @"
    error: field `value`: `18446744073709551616` is outside its domain
      help: expected an integer from 0 to 18446744073709551615
    ");
    assert_snapshot!(rejected(put(&["prices", "item=INK", "--", "1"])), @"
    error: field `item`: `I` at position 1 of `INK` is not allowed
      help: expected text matching `[a-z]+`
    ");
    assert_snapshot!(rejected(put(&["note", "--", "{"])), @"
    error: the value is not JSON: EOF while parsing an object at line 1 column 1
      help: put JSON text in double quotes
    ");
    assert_snapshot!(rejected(put(&["carts", "user=1", "--", "abc"])), @"
    error: field `value`: `abc` is not a byte string
      help: write bytes as `0x` and hexadecimal digits
    ");
    assert_snapshot!(rejected(put(&["seen", "user=1", "--", "x"])), @"error: `seen` takes no value, and `x` was given");
    assert_snapshot!(rejected(put(&["orders", "user=1", "order=1"])), @"
    error: the value of `orders` is missing
      help: put the value after `--`
    ");
    assert_snapshot!(rejected(put(&["orders", "user=1", "order=1", "ink"])), @"
    error: `ink` is not of the form `field=value`
      help: for example `user=1 … -- VALUE`
    ");
    assert_snapshot!(rejected(put(&["orders", "user=1", "--", "ink"])), @"
    error: field `order` is missing
      help: fields: `user`, `order`
    ");
    assert_snapshot!(rejected(put(&["orders", "usr=1", "--", "ink"])), @"
    error: there is no field `usr`
      help: did you mean `user`?
    ");
    assert_snapshot!(rejected(put(&["ordrs", "user=1", "--", "ink"])), @"
    error: there is no keyspace `ordrs`
      help: did you mean `orders`?
    ");
    assert_eq!(on(&folder, "export", &[]), before);
}

#[test]
fn indexes_follow_their_map_and_are_not_written_alone() {
    let folder = shop();
    assert_snapshot!(printed(on(&folder, "scan", &["by_order", "order=7", "--format", "json"])), @r#"
    {"store":"shop","keyspace":"by_order","fields":{"order":7,"user":1},"value":"0x01"}
    {"store":"shop","keyspace":"by_order","fields":{"order":7,"user":10},"value":"0x01"}
    "#);
    folder.quiet(&["delete", "shop.redb", "orders", "user=1", "order=7"]);
    assert_snapshot!(printed(on(&folder, "scan", &["by_order", "order=7", "--format", "json"])), @r#"{"store":"shop","keyspace":"by_order","fields":{"order":7,"user":10},"value":"0x01"}"#);
    folder.quiet(&["put", "shop.redb", "prices", "item=ink", "--", "3"]);
    assert_snapshot!(printed(on(&folder, "scan", &["first", "--format", "json"])), @r#"{"store":"shop","keyspace":"first","fields":{"item":"ink"},"value":"0x696e6b"}"#);
    assert_snapshot!(rejected(on(&folder, "put", &["by_order", "order=7", "user=3"])), @"
    error: `by_order` is an index of `orders`, and its entries follow from the rows of that map
      help: write `orders`; the same commit updates its indexes
    ");
    assert_snapshot!(rejected(on(&folder, "delete", &["by_order", "order=8", "user=1"])), @"
    error: `by_order` is an index of `orders`, and its entries follow from the rows of that map
      help: write `orders`; the same commit updates its indexes
    ");
}

#[test]
fn a_missing_row_is_reported() {
    let folder = shop();
    assert_snapshot!(on(&folder, "get", &["orders", "user=1", "order=9"]), @"
    --- stderr
    error: the row does not exist
    --- exit 1
    ");
    assert_snapshot!(on(&folder, "delete", &["orders", "user=1", "order=9"]), @"
    --- stderr
    error: the row does not exist
    --- exit 1
    ");
    assert_snapshot!(rejected(on(&folder, "get", &["orders", "user=1"])), @"
    error: field `order` is missing
      help: fields: `user`, `order`
    ");
    assert_snapshot!(printed(on(&folder, "scan", &["orders", "user=9"])), @"user  order  value");
    assert_snapshot!(printed(on(&folder, "count", &["orders", "user=9"])), @"0");
}

#[test]
fn writes_that_an_index_cannot_follow_are_rejected() {
    let layout = r#"store s
map accounts = 0x01 {id: u8} -> proto Account
index numbers of accounts = 0x02 {number: u64be from value} -> bytes
    unique
map people = 0x03 {name: text(r"[a-z]")} {town: text(r"[a-z]")} -> text
index names of people = 0x04 {name} -> bytes
    unique
"#;
    let folder = Folder::new().database("s", layout);
    let run = |args: &[&str]| folder.run(&[&args[..1], &["s.redb"], &args[1..]].concat());
    assert_snapshot!(rejected(run(&["put", "accounts", "id=1", "--", "0x00"])), @"
    error: `numbers` takes `number` from the values of `accounts`, which only the program can decode
      help: write these rows with the program, or `import` rows and entries together
    ");
    assert_snapshot!(rejected(run(&["delete", "accounts", "id=1"])), @"
    error: `numbers` takes `number` from the values of `accounts`, which only the program can decode
      help: write these rows with the program, or `import` rows and entries together
    ");
    assert_snapshot!(rejected(folder.run(&["index", "build", "s.redb", "numbers"])), @"
    error: `numbers` takes `number` from the values of `accounts`, which only the program can decode
      help: build it with the program: open the database with `build_indexes()`
    ");
    folder.stdout(&["scan", "s.redb", "numbers"]);
    assert_snapshot!(run(&["put", "people", "name=a", "town=x", "--", "1"]), @"--- exit 0");
    assert_snapshot!(run(&["put", "people", "name=a", "town=x", "--", "2"]), @"--- exit 0");
    assert_snapshot!(run(&["put", "people", "name=a", "town=y", "--", "3"]), @"
    --- stderr
    error: `names` is unique, and its entry 0x0461 belongs to another row: name=a town=x
    --- exit 1
    ");
    assert_snapshot!(run(&["delete", "people", "name=a", "town=y"]), @"
    --- stderr
    error: the row does not exist
    --- exit 1
    ");
    assert_snapshot!(run(&["delete", "people", "name=a", "town=x"]), @"--- exit 0");
    assert_snapshot!(run(&["put", "people", "name=a", "town=y", "--", "3"]), @"--- exit 0");
    assert_snapshot!(printed(run(&["scan", "names", "--format", "json"])), @r#"{"store":"s","keyspace":"names","fields":{"name":"a"},"value":"0x6179"}"#);
}

#[test]
fn stat_counts_rows_and_bytes_of_every_keyspace() {
    let folder = shop();
    let human = on(&folder, "stat", &[]);
    let human = human.lines().filter(|line| !line.starts_with("the file has "));
    assert_snapshot!(printed(human.collect::<Vec<_>>().join("\n")), @"
    keyspace         rows  key bytes  value bytes
    shop/orders         3         16           13
    shop/by_order       3         16            3
    shop/prices         0          0            0
    shop/first          0          0            0
    shop/note           0          0            0
    shop/carts          0          0            0
    shop/seen           0          0            0
    shop/next_order     0          0            0
    total               6         32           16
    ");
    let json = on(&folder, "stat", &["--format", "json"]);
    let (rest, size) = json.split_once("\"file_bytes\":").unwrap();
    assert_snapshot!(rest, @r#"
    --- stdout
    {"store":"shop","keyspace":"orders","rows":3,"key_bytes":16,"value_bytes":13}
    {"store":"shop","keyspace":"by_order","rows":3,"key_bytes":16,"value_bytes":3}
    {"store":"shop","keyspace":"prices","rows":0,"key_bytes":0,"value_bytes":0}
    {"store":"shop","keyspace":"first","rows":0,"key_bytes":0,"value_bytes":0}
    {"store":"shop","keyspace":"note","rows":0,"key_bytes":0,"value_bytes":0}
    {"store":"shop","keyspace":"carts","rows":0,"key_bytes":0,"value_bytes":0}
    {"store":"shop","keyspace":"seen","rows":0,"key_bytes":0,"value_bytes":0}
    {"store":"shop","keyspace":"next_order","rows":0,"key_bytes":0,"value_bytes":0}
    {"total":true,"rows":6,"key_bytes":32,"value_bytes":16,
    "#);
    let size = size.split('}').next().unwrap();
    let length = std::fs::metadata(folder.path().join("shop.redb")).unwrap().len();
    assert_eq!(size, length.to_string());
}

#[test]
fn entries_that_do_not_follow_from_their_row_are_not_written() {
    let layout =
        "store s map m = 'm' {a: u8} {b: u8} -> text index i of m = 'i' {b} -> empty unique";
    let accepted = format!("{layout} accept KS009 'another program writes it'");
    let folder = Folder::new()
        .file("plain.keys", layout.replace('\'', "\""))
        .file("u.keys", accepted.replace('\'', "\""));
    let said = folder.run(&["check", "plain.keys"]);
    assert!(said.contains("the values of its entries do not follow"), "{said}");
    assert!(said.contains("accept KS009 \"reason\"") && said.contains("--- exit 1"), "{said}");
    let said = folder.run(&["generate", "rust", "u.keys"]);
    assert!(said.contains("the values of `i` do not follow"), "{said}");
    assert!(said.contains("--- exit 2") && !said.contains("compile_error"), "{said}");
    let said = folder.run(&["generate", "rust", "u.keys", "--keys-only"]);
    assert!(said.contains("--- exit 0") && !said.contains("compile_error"), "{said}");
    folder.quiet(&["create", "u.redb", "--layout", "u.keys"]);
    let said = folder.run(&["put", "u.redb", "m", "a=1", "b=1", "--", "x"]);
    assert!(said.contains("the values of `i` do not follow from the rows of `m`"), "{said}");
    assert!(said.contains("--- exit 2"), "{said}");
    let stat = folder.run(&["scan", "u.redb", "m"]);
    assert!(stat.contains("--- exit 0") && !stat.contains("x\n"), "{stat}");
}
