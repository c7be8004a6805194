//! `keyscape salvage`: the readable rows of damaged files.

use crate::harness::{Folder, printed, refuted, rejected};
use insta::assert_snapshot;
use keyscape_store::StoreId;
use std::collections::BTreeSet;

const LAYOUT: &str = r#"store shop
map orders = "o" {user: u16be} {order: u32be} -> text
index by_order of orders = "b" {order} {user} -> empty
store game structures
type Name = text(r"[a-z]{1,8}")
set friends = "f:" {of: Name} member Name counted
zset board = "b:" {game: u8} member Name score u16be counted ranked
queue jobs = "q:" {game: u8} member Name score u16be
"#;

const ORDERS: usize = 3000;

/// Creates a database with rows of all kinds.
fn folder() -> Folder {
    let folder = Folder::new().file("shop.keys", LAYOUT);
    folder.quiet(&["create", "a.redb", "--layout", "shop.keys"]);
    let mut lines = String::new();
    for order in 0..ORDERS {
        let text = "x".repeat(40);
        lines.push_str(&format!(
            "{{\"keyspace\":\"orders\",\"fields\":{{\"user\":{},\"order\":{order}}},\"value\":\"{text}\"}}\n",
            order % 7
        ));
    }
    for name in ["ann", "bob", "cid"] {
        for (keyspace, of, score) in [
            ("friends", "\"of\":\"ann\"", ""),
            ("board", "\"game\":1", ",\"score\":3"),
            ("jobs", "\"game\":1", ",\"score\":3"),
        ] {
            lines.push_str(&format!(
                "{{\"keyspace\":\"{keyspace}\",\"fields\":{{{of}}},\"member\":\"{name}\"{score}}}\n"
            ));
        }
    }
    folder.stdout_with(&["import", "a.redb"], lines.as_bytes());
    folder.stdout(&["queue", "claim", "a.redb", "jobs", "game=1", "--now", "5", "--until", "9"]);
    folder
}

fn lines(folder: &Folder, db: &str) -> BTreeSet<String> {
    folder.stdout(&["export", db]).lines().map(str::to_owned).collect()
}

fn write(folder: &Folder, change: impl FnOnce(&mut [u8])) {
    let file = folder.path().join("a.redb");
    let mut bytes = std::fs::read(&file).unwrap();
    change(&mut bytes);
    std::fs::write(file, bytes).unwrap();
}

#[test]
fn everything_is_copied_from_a_file_that_is_not_damaged() {
    let folder = folder();
    let before = lines(&folder, "a.redb");
    assert_snapshot!(printed(folder.run(&["salvage", "a.redb", "b.redb"])), @"read 6019 rows, copied 3010; derived rows were written again");
    assert_eq!(lines(&folder, "b.redb"), before);
    assert!(folder.run(&["audit", "b.redb"]).contains("nothing is wrong"));
    assert_snapshot!(rejected(folder.run(&["salvage", "a.redb", "b.redb"])), @"
    error: `b.redb` already exists
      help: choose another name
    ");
    // Mark the file as not closed cleanly.
    write(&folder, |bytes| bytes[9] |= 2);
    let salvaged = folder.run(&["salvage", "a.redb", "c.redb"]);
    assert!(salvaged.contains("--- exit 0"), "{salvaged}");
    assert_eq!(lines(&folder, "c.redb"), before);
}

#[test]
fn rows_around_damaged_pages_are_copied() {
    let folder = folder();
    let before = lines(&folder, "a.redb");
    let file = folder.path().join("a.redb");
    let sound = std::fs::read(&file).unwrap();
    // Pages that hold orders.
    let pages: Vec<usize> = (0..sound.len() / 4096)
        .filter(|page| {
            let page = &sound[page * 4096..(page + 1) * 4096];
            page.windows(40).any(|window| window == [b'x'; 40])
        })
        .collect();
    assert!(pages.len() > 20, "{}", pages.len());
    let mut lossy = 0;
    for (number, damaged) in [&pages[5..6], &pages[10..12], &pages[1..2]].into_iter().enumerate() {
        std::fs::write(&file, &sound).unwrap();
        write(&folder, |bytes| {
            damaged.iter().for_each(|page| bytes[page * 4096..(page + 1) * 4096].fill(0xA5));
        });
        let original = std::fs::read(&file).unwrap();
        let new = format!("{number}.redb");
        let output = folder.output(&["salvage", "a.redb", &new], b"");
        let text = String::from_utf8_lossy(&output.stdout).into_owned();
        let code = output.status.code().unwrap();
        assert!(code < 2, "{text} {}", String::from_utf8_lossy(&output.stderr));
        assert_eq!(std::fs::read(&file).unwrap(), original, "the damaged file is not changed");
        let saved = lines(&folder, &new);
        // A rebuilt count is smaller if members were lost. All other rows equal the original.
        let other: Vec<&String> = saved
            .difference(&before)
            .filter(|line| !line.contains("\"count\"") && !line.contains("\"rank\""))
            .collect();
        assert!(other.is_empty(), "{other:?}");
        assert!(saved.len() * 10 > before.len() * 8, "{} of {}: {text}", saved.len(), before.len());
        let audit = folder.run(&["audit", &new]);
        assert!(audit.contains("nothing is wrong"), "{audit}");
        if saved.len() < before.len() {
            lossy += 1;
            assert!(code == 1 && text.contains("error: "), "{text}");
        }
    }
    assert!(lossy > 0, "no page that was damaged held rows of the last commit");
}

#[test]
fn a_file_without_a_layout_needs_one() {
    let folder = Folder::new().file("shop.keys", LAYOUT);
    let store = StoreId::of("shop");
    folder.write("plain.redb", &["shop"], |tx| {
        tx.put(store, b"o\0\x01\0\0\0\x01", b"ink")?;
        tx.put(store, b"o\0\x01\0\0\0\x02", b"\xff")?;
        tx.put(store, b"zzz", b"")
    });
    assert_snapshot!(rejected(folder.run(&["salvage", "plain.redb", "b.redb"])), @"
    error: `plain.redb` does not store the text of its layout
      help: give it with `--layout FILE`; a command that writes stores it
    ");
    assert_snapshot!(refuted(folder.run(&["salvage", "plain.redb", "b.redb", "--layout", "shop.keys"])), @"
    error: shop: its value does not have the declared form: 1 row
      6f000100000002
    error: shop: no keyspace has this key: 1 row
      7a7a7a
    read 3 rows, copied 1; derived rows were written again
    ");
    assert!(folder.run(&["count", "b.redb", "by_order"]).contains("1\n"));
}

#[test]
fn repair_and_salvage_give_the_same_advice() {
    let folder = folder();
    let sound = std::fs::read(folder.path().join("a.redb")).unwrap();
    let (mut hopeless, mut without_layout, mut salvaged) = (0, 0, 0);
    for page in 0..12 {
        std::fs::write(folder.path().join("a.redb"), &sound).unwrap();
        write(&folder, |bytes| {
            // The first page begins with the magic number and the geometry of the file.
            let start = if page == 0 { 64 } else { page * 4096 };
            bytes[start..(page + 1) * 4096].fill(0xA5);
        });
        let salvage =
            |new: &str, more: &[&str]| folder.run(&[&["salvage", "a.redb", new], more].concat());
        let new = format!("{page}.redb");
        let copied = salvage(&new, &[]);
        let repaired = folder.run(&["repair", "a.redb"]);
        if repaired.ends_with("--- exit 0\n") {
            assert!(!copied.contains("no row of `a.redb` can be read"), "{copied}");
            continue;
        }
        if repaired.contains("none of its commits can be read") {
            hopeless += 1;
            assert!(
                copied.contains("`keyscape repair` cannot restore a commit either"),
                "{copied}"
            );
            assert!(salvage(&new, &["--layout", "shop.keys"]).ends_with("--- exit 2\n"));
        } else if repaired.contains("`keyscape salvage a.redb NEW --layout FILE`") {
            without_layout += 1;
            assert!(copied.contains("the layout that `a.redb` stores cannot be read"), "{copied}");
            let copied = salvage(&new, &["--layout", "shop.keys"]);
            assert!(copied.contains("--- stdout"), "{copied}");
        } else {
            salvaged += 1;
            assert!(repaired.contains("`keyscape salvage a.redb NEW`"), "{repaired}");
            assert!(copied.contains("--- stdout"), "{copied}");
        }
    }
    assert!(hopeless > 0 && without_layout > 0 && salvaged > 0);
}
