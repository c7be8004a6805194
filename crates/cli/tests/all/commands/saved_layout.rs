//! `keyscape layout`, and databases where layouts are expected.

use super::database::{SHOP, shop};
use crate::harness::{Folder, printed};
use insta::assert_snapshot;
use keyscape_store::{KeyRange, Read, StoreId};

/// Deletes the rows of the metadata that begin with a prefix, as if they had never been written.
fn forget(folder: &Folder, file: &str, prefix: &[u8]) {
    folder.write(file, &["shop"], |tx| {
        let rows = tx.rows(StoreId::META, KeyRange::prefix(prefix))?.to_vec()?;
        rows.iter().try_for_each(|(key, _)| tx.delete(StoreId::META, key))
    });
}

#[test]
fn the_layout_of_a_database_is_printed_and_used() {
    let folder = shop();
    let printed = folder.output(&["layout", "shop.redb"], b"");
    assert_eq!(String::from_utf8(printed.stdout).unwrap(), SHOP);
    let both = |args: &[&str]| {
        let [file, db] = ["shop.keys", "shop.redb"].map(|layout| {
            let args: Vec<&str> =
                args.iter().map(|arg| if *arg == "LAYOUT" { layout } else { arg }).collect();
            folder.run(&args).replace("shop.redb", "shop.keys")
        });
        assert_eq!(file, db, "{args:?}");
        assert!(file.ends_with("--- exit 0\n"), "{file}");
    };
    both(&["encode", "LAYOUT", "orders", "user=1", "order=7"]);
    both(&["decode", "LAYOUT", "6f2f312f37"]);
    both(&["explain", "LAYOUT", "6f2f312f37"]);
    both(&["doc", "LAYOUT"]);
    both(&["check", "LAYOUT"]);
    both(&["generate", "rust", "LAYOUT", "--keys-only"]);
    folder.quiet(&["create", "copy.redb", "--layout", "shop.redb"]);
    assert_eq!(folder.run(&["layout", "copy.redb"]), folder.run(&["layout", "shop.redb"]));
}

#[test]
fn imported_files_are_a_part_of_the_saved_layout() {
    let folder = Folder::new()
        .file("a/types.keys", "import \"../b/types.keys\" as deep\ntype Id = deep.Number\n")
        .file("b/types.keys", "type Number = u64be\n")
        .file("s.keys", "import \"a/types.keys\"\nstore s\nmap m = \"m\" {id: Id} -> text\n");
    folder.quiet(&["create", "s.redb", "--layout", "s.keys"]);
    folder.quiet(&["put", "s.redb", "m", "id=7", "--", "x"]);
    for file in ["s.keys", "a/types.keys", "b/types.keys"] {
        std::fs::remove_file(folder.path().join(file)).unwrap();
    }
    folder.quiet(&["put", "s.redb", "m", "id=8", "--", "y"]);
    assert_snapshot!(printed(folder.run(&["layout", "s.redb"])), @r#"
    import "types.keys"
    store s
    map m = "m" {id: Id} -> text
    //@ file types.keys
    import "2-types.keys" as deep
    type Id = deep.Number
    //@ file 2-types.keys
    type Number = u64be
    "#);
    let layout = folder.stdout(&["layout", "s.redb"]);
    let folder = folder.file("again.keys", layout);
    assert_snapshot!(printed(folder.run(&["scan", "s.redb", "m", "--layout", "again.keys"])), @"
    id  value
    7   x
    8   y
    ");
}

/// The previous version saved fingerprints and no text.
#[test]
fn a_database_of_the_previous_version_needs_its_layout_until_it_is_written() {
    let folder = shop();
    forget(&folder, "shop.redb", b"layout/");
    for command in [&["layout", "shop.redb"][..], &["scan", "shop.redb", "orders"]] {
        let expected = "--- stderr\nerror: `shop.redb` does not store the text of its layout\n  \
            help: give it with `--layout FILE`; a command that writes stores it\n--- exit 2\n";
        assert_eq!(folder.run(command), expected);
    }
    let count = ["count", "shop.redb", "orders", "--layout", "shop.keys"];
    assert!(folder.run(&count).contains("3\n"));
    folder.quiet(&["put", "shop.redb", "seen", "user=1", "--layout", "shop.keys"]);
    assert!(folder.run(&["count", "shop.redb", "orders"]).contains("3\n"));
}

#[test]
fn a_layout_of_other_stores_is_rejected_and_a_new_store_is_added_on_request() {
    let log = "store log version 1\nitem last = \"l\" -> text\n";
    let folder = shop().file("log.keys", log).file("both.keys", format!("{SHOP}\n{log}"));
    for command in [&["scan", "shop.redb", "last"][..], &["put", "shop.redb", "last"]] {
        let args = [command, &["--layout", "log.keys"]].concat();
        let args = if command[0] == "put" { [&args[..], &["--", "x"]].concat() } else { args };
        let expected = "--- stderr\nerror: the layout has none of the stores of the database: \
            `shop`\n  help: use the layout of this database; `keyscape layout` prints it\n\
            --- exit 1\n";
        assert_eq!(folder.run(&args), expected);
    }
    let put = ["put", "shop.redb", "last", "--layout", "both.keys", "--", "x"];
    assert_snapshot!(folder.run(&put), @"
    --- stderr
    error: store `log` is not in the database, which has `shop`
      help: add it with `--add-store`
    --- exit 1
    ");
    let put = ["put", "shop.redb", "last", "--layout", "both.keys", "--add-store", "--", "x"];
    folder.quiet(&put);
    assert_snapshot!(printed(folder.run(&["get", "shop.redb", "last"])), @"x");
    // A program that knows one of the stores saves its own text of it.
    folder.quiet(&["put", "shop.redb", "last", "--layout", "log.keys", "--", "y"]);
    let printed = folder.run(&["layout", "shop.redb"]);
    assert!(printed.contains("//@ layout log stores log\n"), "{printed}");
    assert!(printed.contains("//@ layout shop stores shop\n"), "{printed}");
    folder.stdout(&["check", "shop.redb"]);
    assert!(folder.run(&["count", "shop.redb", "orders"]).contains("3\n"));
}

#[test]
fn rows_come_in_as_bytes() {
    let folder = shop();
    let lines = "{\"store\":\"shop\",\"key\":\"6f2f322f39\",\"value\":\"696e6b\"}\n\
        {\"store\":\"shop\",\"key\":\"0x702f70656e\",\"value\":\"0x0000000000000007\"}\n\
        {\"store\":\"shop\",\"key\":\"ee\",\"value\":\"\"}\n";
    assert_snapshot!(folder.run_with(&["import", "shop.redb", "-"], lines), @"
    --- stderr
    warning: 1 imported row fits no keyspace of the layout
      help: `keyscape audit shop.redb` lists them
    imported 3 rows
    --- exit 0
    ");
    assert_snapshot!(printed(folder.run(&["scan", "shop.redb", "by_order", "order=9"])), @"
    order  user
    9      2
    ");
    folder.stdout(&["index", "check", "shop.redb", "first"]);
    let audit = folder.run(&["audit", "shop.redb"]);
    assert!(audit.contains("error[unknown-key]: shop: keys that no keyspace has: 1"), "{audit}");
}
