//! `keyscape index`: indexes that are added to maps with rows.

use super::{database::quiet, harness::Folder};
use insta::assert_snapshot;
use std::{
    fs,
    process::{Command, Stdio},
    thread,
    time::Duration,
};

const OLD: &str = "store shop\nmap orders = \"o\" {user: u8} {order: u8} -> u8\n";
const NEW: &str = "store shop\nmap orders = \"o\" {user: u8} {order: u8} -> u8\n\
    index by_order of orders = \"b\" {order} {user} -> empty\n\
    index by_price of orders = \"p\" {price: u8 from value} -> bytes\n    unique\n";

fn folder() -> Folder {
    let folder = Folder::new().file("old.keys", OLD).file("new.keys", NEW);
    quiet(&folder, &["create", "shop.redb", "--layout", "old.keys"]);
    for (user, order, price) in [("1", "7", "10"), ("2", "7", "11"), ("1", "8", "12")] {
        let (user, order) = (format!("user={user}"), format!("order={order}"));
        quiet(&folder, &["put", "shop.redb", "orders", &user, &order, "--", price]);
    }
    folder
}

#[test]
fn an_index_that_is_not_built_is_an_error_and_never_an_empty_answer() {
    let folder = folder();
    for command in ["scan", "count"] {
        let answer = folder.run(&[command, "shop.redb", "by_order", "--layout", "new.keys"]);
        let expected = "--- stderr\nerror: index `by_order` is not built: its map has 3 rows\n  \
            help: build it with `keyscape index build shop.redb by_order`\n--- exit 1\n";
        assert_eq!(answer, expected);
    }
    // Other keyspaces can be read and written, and writes maintain the index.
    let put =
        ["put", "shop.redb", "orders", "user=3", "order=9", "--layout", "new.keys", "--", "1"];
    assert_snapshot!(folder.run(&put), @"
    --- stderr
    warning: index `by_order` is not built, and cannot be read
      help: build it with `keyscape index build shop.redb by_order`
    warning: index `by_price` is not built, and cannot be read
      help: build it with `keyscape index build shop.redb by_price`
    --- exit 0
    ");
    assert!(folder.run(&["count", "shop.redb", "orders"]).contains("4\n"));
    let get = folder.run(&["get", "shop.redb", "by_price", "price=1"]);
    assert!(get.contains("is not built: its map has 4 rows"), "{get}");
    let check = folder.run(&["index", "check", "shop.redb", "by_order"]);
    assert!(check.contains("is not built") && check.ends_with("--- exit 1\n"), "{check}");
    for index in ["by_order", "by_price"] {
        let built = folder.run(&["index", "build", "shop.redb", index]);
        assert_eq!(built, format!("--- stderr\nindex `{index}` is built\n--- exit 0\n"));
    }
    assert_snapshot!(folder.run(&["scan", "shop.redb", "by_order"]), @"
    --- stdout
    order  user
    7      1
    7      2
    8      1
    9      3
    --- exit 0
    ");
    assert_snapshot!(folder.run(&["index", "check", "shop.redb", "by_price"]), @"
    --- stdout
    index `by_price` agrees with `orders`: 4 rows
    --- exit 0
    ");
}

#[test]
fn an_index_with_two_rows_for_one_entry_cannot_be_built() {
    let folder = folder();
    quiet(&folder, &["put", "shop.redb", "orders", "user=9", "order=9", "--", "10"]);
    let build = ["index", "build", "shop.redb", "by_price", "--layout", "new.keys"];
    assert_snapshot!(folder.run(&build), @"
    --- stderr
    error: `by_price` is unique, and its entry 0x700a belongs to another row: 0x0107
    --- exit 1
    ");
    quiet(&folder, &["delete", "shop.redb", "orders", "user=9", "order=9", "--layout", "new.keys"]);
    assert!(folder.run(&["index", "build", "shop.redb", "by_price"]).ends_with("--- exit 0\n"));
}

#[test]
fn an_index_that_is_dropped_is_forgotten() {
    let folder = folder();
    let build = ["index", "build", "shop.redb", "by_order", "--layout", "new.keys"];
    assert!(folder.run(&build).ends_with("--- exit 0\n"));
    assert!(folder.run(&["index", "build", "shop.redb", "by_price"]).ends_with("--- exit 0\n"));
    assert_snapshot!(folder.run(&["index", "drop", "shop.redb", "by_order"]), @"
    --- stderr
    deleted 3 entries of `by_order`
    --- exit 0
    ");
    let scan = folder.run(&["scan", "shop.redb", "by_order"]);
    assert!(scan.contains("is not built: its map has 3 rows"), "{scan}");
    assert!(folder.run(&["index", "drop", "shop.redb", "by_price"]).ends_with("--- exit 0\n"));
    // A layout without the indexes can write again.
    let put =
        ["put", "shop.redb", "orders", "user=5", "order=5", "--layout", "old.keys", "--", "1"];
    quiet(&folder, &put);
    assert!(folder.run(&["audit", "shop.redb"]).contains("nothing is wrong"));
}

#[test]
fn only_indexes_are_built() {
    assert_snapshot!(folder().run(&["index", "build", "shop.redb", "orders", "--layout", "new.keys"]), @"
    --- stderr
    error: there is no index `orders`
      help: indexes: `by_order`, `by_price`
    --- exit 2
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
    quiet(&folder, &["create", "shop.redb", "--layout", "old.keys"]);
    let row = |order: u32| {
        let user = order % 5;
        format!(
            "{{\"keyspace\":\"orders\",\"fields\":{{\"user\":{user},\"order\":{order}}},\"value\":1}}\n"
        )
    };
    let rows: String = (0..2000).map(row).collect();
    assert!(folder.output(&["import", "shop.redb"], rows.as_bytes()).status.success());
    let copy = |to: &str| fs::copy(folder.path().join("shop.redb"), folder.path().join(to));
    copy("whole.redb").unwrap();
    let build = ["index", "build", "whole.redb", "by_order", "--layout", "new.keys"];
    assert!(folder.output(&build, b"").status.success());
    let expected = folder.output(&["export", "whole.redb"], b"").stdout;
    let args =
        ["index", "build", "killed.redb", "by_order", "--layout", "new.keys", "--batch", "8"];
    let mut interrupted = 0;
    for attempt in 0..3 {
        copy("killed.redb").unwrap();
        let mut wait = 60 + 20 * attempt;
        loop {
            let mut child = Command::new(env!("CARGO_BIN_EXE_keyscape"))
                .args(args)
                .current_dir(folder.path())
                .stdout(Stdio::null())
                .stderr(Stdio::null())
                .spawn()
                .unwrap();
            thread::sleep(Duration::from_millis(wait));
            let _ = child.kill();
            let status = child.wait().unwrap();
            folder.output(&["repair", "killed.redb"], b"");
            if status.success() {
                break;
            }
            let state = folder.run(&["index", "check", "killed.redb", "by_order"]);
            interrupted += u32::from(state.contains("is not built"));
            wait += 80;
        }
        let built = folder.output(&["export", "killed.redb"], b"").stdout;
        assert!(built == expected, "attempt {attempt}");
        let check = folder.output(&["index", "check", "killed.redb", "by_order"], b"");
        assert!(check.status.success(), "{}", String::from_utf8_lossy(&check.stderr));
    }
    assert!(interrupted > 0, "no build was killed in the middle");
}
