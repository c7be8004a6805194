//! `keyscape index`: indexes that are added to maps with rows.

use crate::harness::{Folder, printed, rejected};
use insta::assert_snapshot;
use keyscape_store::StoreId;
use std::time::Duration;

const OLD: &str = "store shop\nmap orders = \"o\" {user: u8} {order: u8} -> u8\n";
const NEW: &str = "store shop\nmap orders = \"o\" {user: u8} {order: u8} -> u8\n\
    index by_order of orders = \"b\" {order} {user} -> empty\n\
    index by_price of orders = \"p\" {price: u8 from value} -> bytes\n    unique\n";

fn folder() -> Folder {
    let folder = Folder::new().file("old.keys", OLD).file("new.keys", NEW);
    folder.quiet(&["create", "shop.redb", "--layout", "old.keys"]);
    for (user, order, price) in [("1", "7", "10"), ("2", "7", "11"), ("1", "8", "12")] {
        let (user, order) = (format!("user={user}"), format!("order={order}"));
        folder.quiet(&["put", "shop.redb", "orders", &user, &order, "--", price]);
    }
    folder
}

#[test]
fn an_index_that_is_not_built_is_an_error_and_never_an_empty_answer() {
    let folder = folder();
    for command in ["scan", "count"] {
        let answer = folder.run(&[command, "shop.redb", "by_order", "--layout", "new.keys"]);
        let expected = "--- stderr\nerror: index `by_order` is not built: its map has 3 rows\n  \
            help: build it with `keyscape index build shop.redb by_order --layout new.keys`\n--- exit 1\n";
        assert_eq!(answer, expected);
    }
    // Other keyspaces can be read and written, and writes maintain the index.
    let put =
        ["put", "shop.redb", "orders", "user=3", "order=9", "--layout", "new.keys", "--", "1"];
    assert_snapshot!(folder.run(&put), @"
    --- stderr
    warning: index `by_order` is not built, and cannot be read
      help: build it with `keyscape index build shop.redb by_order --layout new.keys`
    warning: index `by_price` is not built, and cannot be read
      help: build it with `keyscape index build shop.redb by_price --layout new.keys`
    --- exit 0
    ");
    assert!(folder.run(&["count", "shop.redb", "orders"]).contains("4\n"));
    let get = folder.run(&["get", "shop.redb", "by_price", "price=1"]);
    assert!(get.contains("is not built: its map has 4 rows"), "{get}");
    assert!(get.contains("`keyscape index build shop.redb by_price`\n"), "{get}");
    let check = folder.run(&["index", "check", "shop.redb", "by_order"]);
    assert!(check.contains("is not built") && check.ends_with("--- exit 1\n"), "{check}");
    for index in ["by_order", "by_price"] {
        let built = folder.run(&["index", "build", "shop.redb", index]);
        assert_eq!(built, format!("--- stderr\nindex `{index}` is built\n--- exit 0\n"));
    }
    assert_snapshot!(printed(folder.run(&["scan", "shop.redb", "by_order"])), @"
    order  user
    7      1
    7      2
    8      1
    9      3
    ");
    assert_snapshot!(printed(folder.run(&["index", "check", "shop.redb", "by_price"])), @"index `by_price` agrees with `orders`");
}

#[test]
fn an_index_with_two_rows_for_one_entry_cannot_be_built() {
    let folder = folder();
    folder.quiet(&["put", "shop.redb", "orders", "user=9", "order=9", "--", "10"]);
    let build = ["index", "build", "shop.redb", "by_price", "--layout", "new.keys"];
    assert_snapshot!(folder.run(&build), @"
    --- stderr
    error: `by_price` is unique, and its entry 0x700a belongs to another row: 0x0107
    --- exit 1
    ");
    folder.quiet(&["delete", "shop.redb", "orders", "user=9", "order=9", "--layout", "new.keys"]);
    folder.stdout(&["index", "build", "shop.redb", "by_price"]);
}

#[test]
fn an_index_that_is_dropped_is_forgotten() {
    let folder = folder();
    let build = ["index", "build", "shop.redb", "by_order", "--layout", "new.keys"];
    folder.stdout(&build);
    folder.stdout(&["index", "build", "shop.redb", "by_price"]);
    assert_snapshot!(folder.run(&["index", "drop", "shop.redb", "by_order"]), @"
    --- stderr
    deleted 3 entries of `by_order`
    --- exit 0
    ");
    let scan = folder.run(&["scan", "shop.redb", "by_order"]);
    assert!(scan.contains("is not built: its map has 3 rows"), "{scan}");
    folder.stdout(&["index", "drop", "shop.redb", "by_price"]);
    // A layout without the indexes can write again.
    let put =
        ["put", "shop.redb", "orders", "user=5", "order=5", "--layout", "old.keys", "--", "1"];
    folder.quiet(&put);
    assert!(folder.run(&["audit", "shop.redb"]).contains("nothing is wrong"));
}

#[test]
fn only_indexes_are_built() {
    assert_snapshot!(rejected(folder().run(&["index", "build", "shop.redb", "orders", "--layout", "new.keys"])), @"
    error: `orders` is of kind `map`, not `index`
      help: keyspaces of kind `index`: `by_order`, `by_price`
    ");
}

#[test]
fn a_build_that_is_killed_continues_with_the_same_result() {
    let folder = Folder::new()
        .file("old.keys", "store shop\nmap orders = \"o\" {user: u8} {order: u16be} -> u8\n")
        .file(
            "new.keys",
            "store shop\nmap orders = \"o\" {user: u8} {order: u16be} -> u8\n\
             index by_order of orders = \"b\" {order} {user} -> empty\n",
        );
    folder.quiet(&["create", "shop.redb", "--layout", "old.keys"]);
    let row = |order: u32| {
        let user = order % 5;
        format!(
            "{{\"keyspace\":\"orders\",\"fields\":{{\"user\":{user},\"order\":{order}}},\"value\":1}}\n"
        )
    };
    let rows: String = (0..1200).map(row).collect();
    folder.stdout_with(&["import", "shop.redb"], rows.as_bytes());
    folder.copy("shop.redb", "whole.redb");
    folder.stdout(&["index", "build", "whole.redb", "by_order", "--layout", "new.keys"]);
    let expected = folder.stdout(&["export", "whole.redb"]);
    let args =
        ["index", "build", "killed.redb", "by_order", "--layout", "new.keys", "--batch", "8"];
    let mut interrupted = 0;
    for attempt in 0..3 {
        folder.copy("shop.redb", "killed.redb");
        let mut wait = 60 + 20 * attempt;
        loop {
            let has_ended = folder.kill_after(&args, Duration::from_millis(wait));
            folder.output(&["repair", "killed.redb"], b"");
            if has_ended {
                break;
            }
            let state = folder.run(&["index", "check", "killed.redb", "by_order"]);
            interrupted += u32::from(state.contains("is not built"));
            wait = wait * 3 / 2;
        }
        assert!(folder.stdout(&["export", "killed.redb"]) == expected, "attempt {attempt}");
        folder.stdout(&["index", "check", "killed.redb", "by_order"]);
    }
    assert!(interrupted > 0, "no build was killed in the middle");
}

const WORK: &str = r#"store work
type Tag = text(r"[a-z]{1,8}")
map tasks = "t/" {id: u8} -> json Task
index by_tag of tasks = "g/" {tag: Tag from value each meta.tags} "/" {id} -> empty
index by_due of tasks = "d/" {due: u16be from value optional due} {id} -> const 0x01
index by_name of tasks = "n/" {name: Tag from value each "all names"} -> bytes
    unique
map coins = "c/" {id: u8} -> proto Coin
index by_denom of coins = "e/" {denom: text(r"[a-z]*") from value 2.1} "/" {id} -> empty
index by_number of coins = "f/" {number: u32be from value each 3} {id} -> empty
index by_height of coins = "h/" {height: i64be from value optional 4} {id} -> empty
type Box = {size: u8} [{owner: u8} if size in 9] {kinds: list(u8)[0..=4]}
map boxes = "b/" {id: u8} -> Box
index by_kind of boxes = "k/" {kind: u16be from value each kinds} {id} -> empty
index by_owner of boxes = "o/" {owner: u8 from value optional} {id} -> empty
"#;

/// Lists the keys of an index, one in a line.
fn entries(folder: &Folder, index: &str) -> String {
    let scan = folder.run(&["scan", "work.redb", index, "--format", "json"]);
    let lines = scan.lines().filter_map(|line| line.split_once("\"fields\":"));
    let fields = lines.map(|(_, fields)| fields.split_inclusive('}').next().unwrap_or_default());
    fields.collect::<Vec<_>>().join(" ")
}

fn work() -> Folder {
    Folder::new().database("work", WORK)
}

/// Whether the audit and the checks of all indexes find nothing.
fn agrees(folder: &Folder) {
    let audit = folder.run(&["audit", "work.redb"]);
    assert!(audit.contains("nothing is wrong"), "{audit}");
    for index in ["by_tag", "by_due", "by_name", "by_denom", "by_number", "by_height", "by_kind"] {
        folder.stdout(&["index", "check", "work.redb", index]);
    }
}

#[test]
fn lists_and_optional_members_of_json_have_entries() {
    let folder = work();
    let put = |id: &str, value: &str| {
        folder.run(&["put", "work.redb", "tasks", &format!("id={id}"), "--", value])
    };
    let fine = "--- exit 0\n";
    assert_eq!(put("1", r#"{"meta":{"tags":["b","a","b"]},"due":7,"all names":["x","y"]}"#), fine);
    assert_eq!(put("2", r#"{"meta":{"tags":["b"]},"due":null}"#), fine);
    assert_eq!(put("3", "{}"), fine);
    assert_eq!(
        entries(&folder, "by_tag"),
        r#"{"tag":"a","id":1} {"tag":"b","id":1} {"tag":"b","id":2}"#
    );
    assert_eq!(entries(&folder, "by_due"), r#"{"due":7,"id":1}"#);
    assert_eq!(entries(&folder, "by_name"), r#"{"name":"x"} {"name":"y"}"#);
    agrees(&folder);
    // An element of a unique index belongs to one row.
    let taken = put("2", r#"{"all names":["z","y"]}"#);
    assert!(taken.contains("`by_name` is unique") && taken.contains("id=1"), "{taken}");
    // A replaced or deleted row loses the entries that its new value does not have.
    assert_eq!(put("1", r#"{"meta":{"tags":["c","b"]},"all names":["y"]}"#), fine);
    folder.quiet(&["delete", "work.redb", "tasks", "id=2"]);
    assert_eq!(entries(&folder, "by_tag"), r#"{"tag":"b","id":1} {"tag":"c","id":1}"#);
    assert_eq!(entries(&folder, "by_due"), "");
    assert_eq!(entries(&folder, "by_name"), r#"{"name":"y"}"#);
    agrees(&folder);
    assert_snapshot!(rejected(put("4", r#"{"meta":{"tags":"b"}}"#)), @"
    error: `by_tag` takes `tag` from a value of `tasks`, which does not provide it: it is not a list
      help: correct the value, or the type or path of the field in the layout
    ");
    assert_snapshot!(rejected(put("4", r#"{"due":70000}"#)), @"
    error: `by_due` takes `due` from a value of `tasks`, which does not provide it: field `due`: `70000` is outside its domain
      help: correct the value, or the type or path of the field in the layout
    ");
    assert_snapshot!(rejected(put("4", r#"{"meta":7}"#)), @"
    error: `by_tag` takes `tag` from a value of `tasks`, which does not provide it: it is inside a value without members
      help: correct the value, or the type or path of the field in the layout
    ");
    // A stored value without the field is replaced by an import.
    let bad = r#"{"keyspace":"tasks","fields":{"id":4},"raw":"0x7b"}"#;
    folder.stdout_with(&["import", "work.redb"], bad.as_bytes());
    assert_snapshot!(rejected(put("4", "{}")), @"
    error: `by_tag` takes `tag` from the stored value of `tasks`, which does not provide it: the value does not have the form of the layout
      help: replace the row with `keyscape import`, then build the index again with `keyscape index build`
    ");
    let good = r#"{"keyspace":"tasks","fields":{"id":4},"value":{}}"#;
    folder.stdout_with(&["import", "work.redb"], good.as_bytes());
    // An index is built from rows that exist, and rows are imported with their entries.
    for step in ["drop", "build"] {
        folder.stdout(&["index", step, "work.redb", "by_tag"]);
    }
    assert_eq!(entries(&folder, "by_tag"), r#"{"tag":"b","id":1} {"tag":"c","id":1}"#);
    agrees(&folder);
}

/// Only the program converts a value in the older form after `reads`.
#[test]
fn an_older_row_and_its_entries_are_left_to_the_program() {
    let layout = "store s\ntype Order = {ticket: u8} {amount: u16be}\n\
        map orders = \"o\" {id: u8} -> Order reads u8\n\
        index by_ticket of orders = \"t\" {ticket: u8 from value} {id} -> empty\n";
    let folder = Folder::new().database("s", layout);
    let lines = r#"{"keyspace":"orders","fields":{"id":1},"reads":7}
{"keyspace":"orders","fields":{"id":2},"value":{"ticket":4,"amount":5}}
{"keyspace":"by_ticket","fields":{"ticket":9,"id":1},"value":null}
"#;
    assert_snapshot!(folder.run_with(&["import", "s.redb", "--atomic"], lines), @"
    --- stderr
    imported 3 rows
    --- exit 0
    ");
    let before = folder.stdout(&["export", "s.redb"]);
    let value = r#"{"ticket":9,"amount":1}"#;
    assert_snapshot!(rejected(folder.run(&["put", "s.redb", "orders", "id=1", "--", value])), @"
    error: `by_ticket` takes `ticket` from the stored value of `orders`, which does not provide it: it has the older form after `reads`, which only the program converts
      help: write or delete the row with the program
    ");
    assert_snapshot!(rejected(folder.run(&["delete", "s.redb", "orders", "id=1"])), @"
    error: `by_ticket` takes `ticket` from the stored value of `orders`, which does not provide it: it has the older form after `reads`, which only the program converts
      help: write or delete the row with the program
    ");
    assert_snapshot!(rejected(folder.run(&["index", "build", "s.redb", "by_ticket"])), @"
    error: `by_ticket` takes `ticket` from the stored value of `orders`, which does not provide it: it has the older form after `reads`, which only the program converts
      help: build it with the program: open the database with `build_indexes()`
    ");
    assert_eq!(folder.stdout(&["export", "s.redb"]), before);
    folder.stdout(&["index", "check", "s.redb", "by_ticket"]);
    assert!(folder.run(&["audit", "s.redb"]).contains("nothing is wrong"));
    folder.stdout(&["salvage", "s.redb", "copy.redb"]);
    assert_eq!(folder.stdout(&["export", "copy.redb"]), before);
    // An entry of another value of its row, and one whose row is missing.
    folder.write("s.redb", &["s"], |tx| {
        [b"t\x08\x02", b"t\x05\x07"].iter().try_for_each(|key| tx.put(StoreId::of("s"), *key, b""))
    });
    let checked = folder.run(&["index", "check", "s.redb", "by_ticket"]);
    assert!(checked.contains("help: build it with the program"), "{checked}");
    folder.stdout(&["salvage", "s.redb", "clean.redb"]);
    assert_eq!(folder.stdout(&["export", "clean.redb"]), before);
}

#[test]
fn fields_of_protobuf_messages_are_found_by_their_numbers() {
    let folder = work();
    let put = |id: &str, value: &str| {
        folder.run(&["put", "work.redb", "coins", &format!("id={id}"), "--", value])
    };
    let fine = "--- exit 0\n";
    // 2 {1: "ink"}, 3: 5, 3: packed 5 and 300, 4: -1
    assert_eq!(put("1", "0x12050a03696e6b18051a0305ac0220ffffffffffffffffff01"), fine);
    // 2 {}, which has the default text
    assert_eq!(put("2", "0x1200"), fine);
    assert_eq!(entries(&folder, "by_denom"), r#"{"denom":"","id":2} {"denom":"ink","id":1}"#);
    assert_eq!(entries(&folder, "by_number"), r#"{"number":5,"id":1} {"number":300,"id":1}"#);
    assert_eq!(entries(&folder, "by_height"), r#"{"height":-1,"id":1}"#);
    agrees(&folder);
    for (value, why) in [
        ("0x1805", "it is missing"),
        ("0x12", "the value is not a protobuf message"),
        ("0x1005", "the message holds a varint, and the field needs a message"),
        ("0x12050a03696e6b1d01000000", "a number of fixed length, and the field needs a varint"),
        ("0x12030a01ff", "the message holds bytes that are not UTF-8, and the field needs text"),
        ("0x12050a03494e4b", "`by_denom` takes `denom` from a value of `coins`, which does not"),
    ] {
        let answer = put("3", value);
        assert!(answer.contains(why), "{value}: {answer}");
    }
    assert_eq!(put("1", "0x12050a03696e6b"), fine);
    // A program may have stored a text outside the domain of the index.
    folder.write("work.redb", &["work"], |tx| {
        tx.put(StoreId::of("work"), b"c/\x03", b"\x12\x05\x0a\x03INK")
    });
    let audit = folder.run(&["audit", "work.redb"]);
    let finding = "error[missing-field]: work/by_denom: rows whose value does not provide a field \
                   of the index: 1\n  632f03  the value does not provide `denom`: field `denom`: `I` at position 1 is not allowed";
    assert!(audit.contains(finding) && audit.ends_with("--- exit 1\n"), "{audit}");
    let checked = folder.run(&["index", "check", "work.redb", "by_denom"]);
    assert!(checked.contains(finding), "{checked}");
    let built = rejected(folder.run(&["index", "build", "work.redb", "by_denom"]));
    let stored = "`by_denom` takes `denom` from the stored value of `coins`";
    assert!(built.contains(stored), "{built}");
    folder.write("work.redb", &["work"], |tx| tx.delete(StoreId::of("work"), b"c/\x03"));
    folder.quiet(&["delete", "work.redb", "coins", "id=2"]);
    assert_eq!(entries(&folder, "by_denom"), r#"{"denom":"ink","id":1}"#);
    assert_eq!(entries(&folder, "by_number"), "");
    agrees(&folder);
}

#[test]
fn parts_of_described_values_have_entries() {
    let folder = work();
    let put = |id: &str, value: &str| {
        folder.quiet(&["put", "work.redb", "boxes", &format!("id={id}"), "--", value]);
    };
    put("1", r#"{"size":9,"owner":4,"kinds":[3,1,3]}"#);
    put("2", r#"{"size":1,"kinds":[]}"#);
    assert_eq!(entries(&folder, "by_kind"), r#"{"kind":1,"id":1} {"kind":3,"id":1}"#);
    assert_eq!(entries(&folder, "by_owner"), r#"{"owner":4,"id":1}"#);
    agrees(&folder);
    put("1", r#"{"size":1,"kinds":[3]}"#);
    put("2", r#"{"size":9,"owner":5,"kinds":[3]}"#);
    assert_eq!(entries(&folder, "by_kind"), r#"{"kind":3,"id":1} {"kind":3,"id":2}"#);
    assert_eq!(entries(&folder, "by_owner"), r#"{"owner":5,"id":2}"#);
    agrees(&folder);
    // Another file gets the same rows and entries.
    let exported = folder.stdout(&["export", "work.redb"]);
    folder.quiet(&["create", "copy.redb", "--layout", "work.keys"]);
    folder.stdout_with(&["import", "copy.redb"], exported.as_bytes());
    assert_eq!(folder.stdout(&["export", "copy.redb"]), exported);
    assert!(folder.run(&["audit", "copy.redb"]).contains("nothing is wrong"));
}
