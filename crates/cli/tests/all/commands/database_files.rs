//! Faulty database files, and layouts that do not match them.

use super::database::{SHOP, shop};
use crate::harness::{Folder, printed, rejected};
use insta::assert_snapshot;
use keyscape_store::{KeyRange, Read, StoreId};
use std::{
    fs,
    io::{BufRead, BufReader, Write},
    process::Stdio,
};

/// Commands that only read.
const READS: [&[&str]; 5] = [
    &["get", "FILE", "--layout", "shop.keys", "orders", "user=1", "order=7"],
    &["scan", "FILE", "--layout", "shop.keys", "orders"],
    &["count", "FILE", "--layout", "shop.keys", "orders"],
    &["stat", "FILE", "--layout", "shop.keys"],
    &["export", "FILE", "--layout", "shop.keys"],
];
const WRITES: [&[&str]; 4] = [
    &["put", "FILE", "--layout", "shop.keys", "orders", "user=1", "order=7", "--", "x"],
    &["delete", "FILE", "--layout", "shop.keys", "orders", "user=1", "order=7"],
    &["import", "FILE", "--layout", "shop.keys"],
    &["adopt", "FILE", "--layout", "shop.keys"],
];

/// Runs a command on a file.
fn on(folder: &Folder, file: &str, command: &[&str]) -> String {
    let args: Vec<&str> =
        command.iter().map(|arg| if *arg == "FILE" { file } else { arg }).collect();
    folder.run(&args)
}

/// Returns the message about a file, which must be the same for all commands.
fn all(folder: &Folder, file: &str) -> String {
    let mut answers = READS.iter().chain(&WRITES).map(|command| on(folder, file, command));
    let first = answers.next().unwrap();
    answers.for_each(|answer| assert_eq!(answer, first));
    first
}

#[test]
fn files_that_are_not_databases_are_rejected_and_not_changed() {
    let folder = Folder::new()
        .file("shop.keys", SHOP)
        .file("text.redb", "what is this")
        .file("short.redb", "re")
        .file("cut.redb", b"redb\x1a\x0a")
        .file("empty.redb", "");
    assert_snapshot!(rejected(all(&folder, "none.redb")), @"
    error: cannot open `none.redb`: there is no such file
      help: check the path; `keyscape create none.redb --layout FILE` creates a database
    ");
    assert_snapshot!(rejected(all(&folder, ".")), @"error: cannot open `.`: it is a directory");
    assert_snapshot!(rejected(all(&folder, "text.redb")), @"
    error: `text.redb` is not a redb database
      help: use a file that `keyscape create` or a program with Keyscape created
    ");
    for file in ["short.redb", "empty.redb"] {
        assert_eq!(all(&folder, file), all(&folder, "text.redb").replace("text.redb", file));
    }
    // If nothing can be repaired, no command refers to another one.
    assert_snapshot!(rejected(all(&folder, "cut.redb")), @"
    error: `cut.redb` cannot be read: not a redb file, or damaged
      help: try `keyscape repair cut.redb`, or copy the readable rows with `keyscape salvage cut.redb NEW`
    ");
    assert_snapshot!(rejected(folder.run(&["repair", "cut.redb"])), @"
    error: cannot repair `cut.redb`, and it was not changed: damaged: no complete commit in it has the right checksums
      help: restore it from a backup; none of its commits can be read
    ");
    assert_snapshot!(rejected(all(&folder, "no/none.redb")), @"error: cannot open `no/none.redb`: there is no directory `no`");
    assert_eq!(folder.read("text.redb"), "what is this");
    assert_eq!(folder.read("empty.redb"), "");
    assert_snapshot!(rejected(folder.run(&["repair", "text.redb"])), @"
    error: `text.redb` is not a redb database
      help: restore it from a backup
    ");
    assert_snapshot!(rejected(folder.run(&["repair", "none.redb"])), @"error: cannot open `none.redb`: there is no such file");
    assert_snapshot!(rejected(folder.run(&["create", "text.redb", "--layout", "shop.keys"])), @"
    error: `text.redb` already exists
      help: choose another name
    ");
    assert_snapshot!(rejected(folder.run(&["create", "no/such/folder.redb", "--layout", "shop.keys"])), @"error: cannot create `no/such/folder.redb`: there is no directory `no/such`");
    assert_snapshot!(rejected(folder.run(&["stat", "text.redb", "--layout", "none.keys"])), @"error: cannot read `none.keys`: there is no such file");
}

#[test]
fn reading_changes_no_byte_of_the_file() {
    let folder = shop();
    let before = fs::read(folder.path().join("shop.redb")).unwrap();
    for command in READS {
        assert!(on(&folder, "shop.redb", command).ends_with("--- exit 0\n"));
    }
    assert_eq!(fs::read(folder.path().join("shop.redb")).unwrap(), before);
}

/// Starts a process that imports its stdin, and has committed a first batch.
fn importer(folder: &Folder) -> (std::process::Child, std::process::ChildStdin) {
    let mut command = folder.command(&["import", "shop.redb"]);
    let command = command.stdin(Stdio::piped()).stdout(Stdio::null()).stderr(Stdio::piped());
    let mut child = command.spawn().unwrap();
    let mut stdin = child.stdin.take().unwrap();
    for order in 0..16_000 {
        let line = format!(
            "{{\"keyspace\":\"orders\",\"fields\":{{\"user\":5,\"order\":{order}}},\"value\":\"\"}}\n"
        );
        stdin.write_all(line.as_bytes()).unwrap();
    }
    (child, stdin)
}

#[test]
fn a_file_is_busy_while_a_process_writes_it_and_not_clean_after_a_kill() {
    let folder = shop();
    let (mut child, stdin) = importer(&folder);
    // The process has read more than fits into the pipe, so the file is open.
    assert_snapshot!(rejected(all(&folder, "shop.redb")), @"
    error: `shop.redb` is open in another process
      help: end that process, or read a copy of the file
    ");
    assert_snapshot!(rejected(folder.run(&["repair", "shop.redb"])), @"
    error: `shop.redb` is open in another process
      help: end that process, or read a copy of the file
    ");
    child.kill().unwrap();
    child.wait().unwrap();
    drop(stdin);
    assert_snapshot!(rejected(all(&folder, "shop.redb")), @"
    error: `shop.redb` was not closed cleanly, or is cut off
      help: restore its last complete commit with `keyscape repair shop.redb`
    ");
    assert_snapshot!(printed(folder.run(&["repair", "shop.redb"])), @"restored to the last complete commit");
    assert_snapshot!(printed(folder.run(&["repair", "shop.redb"])), @"sound: no repair was needed");
    let count = |args: &[&str]| {
        let count = folder.stdout(&[&["count", "shop.redb"], args].concat());
        count.trim().parse::<u64>().unwrap()
    };
    // The file contains only complete batches, and each row has its entry.
    let rows = count(&["orders", "user=5"]);
    assert!(rows > 0 && rows.is_multiple_of(10_000), "{rows}");
    assert_eq!(count(&["by_order", "user=5"]), rows);
    assert_eq!(count(&["orders", "user=1"]), 2);
}

#[test]
fn a_repair_that_fails_leaves_the_file_as_it_was() {
    let folder = shop();
    let file = folder.path().join("shop.redb");
    let sound = fs::read(&file).unwrap();
    assert_snapshot!(printed(folder.run(&["repair", "shop.redb"])), @"sound: no repair was needed");
    assert!(fs::read(&file).unwrap() == sound, "a sound file was changed");
    fs::write(&file, &sound[..30_000]).unwrap();
    assert_snapshot!(rejected(folder.run(&["repair", "shop.redb"])), @"
    error: cannot repair `shop.redb`, and it was not changed: damaged: no complete commit in it has the right checksums
      help: restore it from a backup; none of its commits can be read
    ");
    assert!(fs::read(&file).unwrap() == sound[..30_000], "the file was changed");
    for number in 0..30_usize {
        let mut bytes = sound.clone();
        for step in 0..=number {
            let place = 4 + (number * 7919 + step * step * 2971) % (bytes.len() - 4);
            bytes[place] ^= 1 << (step % 8);
        }
        fs::write(&file, &bytes).unwrap();
        for command in [&["stat", "shop.redb"][..], &["repair", "shop.redb"]] {
            let output = folder.output(command, b"");
            let code = output.status.code();
            let stat_of_wrong_rows = command[0] == "stat" && code == Some(1);
            assert!(matches!(code, Some(0 | 2)) || stat_of_wrong_rows, "{number}: {output:?}");
            let restored = output.stdout.starts_with(b"restored");
            assert!(restored || fs::read(&file).unwrap() == bytes, "{number}: it was changed");
        }
    }
    let left = fs::read_dir(folder.path()).unwrap().count();
    assert_eq!(left, 2, "a copy was left");
}

/// Returns the file with every copy of some bytes replaced.
fn replaced(bytes: &[u8], from: &[u8], to: &[u8]) -> Vec<u8> {
    let mut damaged = bytes.to_vec();
    for at in 0..bytes.len() - from.len() {
        if bytes[at..].starts_with(from) {
            damaged[at..at + to.len()].copy_from_slice(to);
        }
    }
    assert_ne!(damaged, bytes);
    damaged
}

#[test]
fn a_damaged_file_is_neither_read_nor_written() {
    let folder = shop();
    let file = folder.path().join("shop.redb");
    let damaged = replaced(&fs::read(&file).unwrap(), b"a pen", b"a PEN");
    fs::write(&file, &damaged).unwrap();
    assert_snapshot!(rejected(all(&folder, "shop.redb")), @"
    error: `shop.redb` cannot be read: damaged: its checksums do not match
      help: try `keyscape repair shop.redb`, or copy the readable rows with `keyscape salvage shop.redb NEW`
    ");
    assert_snapshot!(rejected(folder.run(&["repair", "shop.redb"])), @"
    error: cannot repair `shop.redb`, and it was not changed: damaged: no complete commit in it has the right checksums
      help: restore it from a backup, or copy the readable rows with `keyscape salvage shop.redb NEW`
    ");
    // Writing a row next to the damaged one would give both a new checksum.
    assert!(fs::read(&file).unwrap() == damaged, "a damaged file was changed");
    let scan = ["scan", "shop.redb", "orders", "user=10"];
    assert_snapshot!(folder.run(&[&scan[..], &["--no-verify"]].concat()), @r#"
    --- stdout
    user  order  value
    10    7      "a PEN"
    --- stderr
    warning: `shop.redb` is not verified: rows may be damaged
    --- exit 0
    "#);
    let put = ["put", "shop.redb", "orders", "user=1", "order=9"];
    assert_snapshot!(folder.run(&[&put[..], &["--no-verify", "--", "x"]].concat()), @"
    --- stderr
    warning: `shop.redb` is not verified: rows may be damaged
    --- exit 0
    ");
}

#[test]
fn a_layout_with_other_bytes_is_rejected_with_the_difference() {
    let folder = shop();
    let with = |from: &str, to: &str| {
        let changed = SHOP.replace(from, to);
        assert_ne!(changed, SHOP);
        fs::write(folder.path().join("changed.keys"), changed).unwrap();
        let read = folder.run(&["count", "shop.redb", "--layout", "changed.keys", "orders"]);
        let write = folder.run(&["put", "shop.redb", "--layout", "changed.keys", "seen", "user=1"]);
        (read, write)
    };
    let (read, write) = with("{order: dec(u64)} -> text", "{order: dec(u32)} -> text");
    assert_snapshot!(read, @"
    --- stderr
    error: keyspace `orders` of `shop` has changed its bytes: the database was written with `shop map = 0x6f2f {dec(u64)} 0x2f {dec(u64)} -> text[0..]`, the layout says `shop map = 0x6f2f {dec(u64)} 0x2f {dec(u32)} -> text[0..]`
      help: use the layout that it was written with, or move its rows with `keyscape migrate`
    --- exit 1
    ");
    assert_eq!(write, read);
    assert_snapshot!(with("version 1", "version 2").0, @"
    --- stderr
    error: keyspace `orders` of `shop` has changed its version: the database was written with `1`, the layout says `2`
      help: use the layout that it was written with, or move its rows with `keyscape migrate`
    --- exit 1
    ");
    // An older layout reads its own keyspaces.
    let (read, write) = with("item note = \"n\" -> json\n", "");
    assert_snapshot!(printed(read), @"3");
    assert_snapshot!(write, @"
    --- stderr
    error: keyspace `note` of `shop` is in the database and not in the layout
      help: keyspaces may be added to a layout, not left out
    --- exit 1
    ");
    // Names of fields, scans and documentation change no bytes; keyspaces may be added.
    let (read, _) = with("    scan user\n", "");
    assert_snapshot!(printed(read), @"3");
    let (read, write) = with("item note", "map more = \"m\" {n: u8} -> empty\nitem note");
    assert_snapshot!(printed(read), @"3");
    assert_snapshot!(write, @"--- exit 0");
    let put = ["put", "shop.redb", "seen", "user=1", "--layout", "shop.keys"];
    assert_snapshot!(folder.run(&put), @"
    --- stderr
    error: keyspace `more` of `shop` is in the database and not in the layout
      help: keyspaces may be added to a layout, not left out
    --- exit 1
    ");
}

#[test]
fn a_layout_that_is_not_sound_reads_and_does_not_write() {
    let layout = r#"store s
map a = "a" {x: text(r"[a-z]*")} -> text
map b = "ab" {y: text(r"[a-z]*")} -> text
"#;
    let folder = Folder::new().file("s.keys", layout);
    let run = |args: &[&str]| {
        folder.run(&[&args[..1], &["s.redb", "--layout", "s.keys"], &args[1..]].concat())
    };
    assert_snapshot!(folder.run(&["create", "s.redb", "--layout", "s.keys"]), @r#"
    --- stderr
    error[KS001]: keyspaces `a` and `b` share keys
     --> s.keys:2:5
      |
    2 | map a = "a" {x: text(r"[a-z]*")} -> text
      |     ^ a key of `a` …
    3 | map b = "ab" {y: text(r"[a-z]*")} -> text
      |     - … can be a key of `b`
      key          61 62    ab
      a     x=b    61|62
      b     y=""   61 62|
                      ^^ `x` in `a`, the literal "ab" in `b`
      in practice: writing `a` x=b replaces `b` y="", and deleting either deletes both
      fix, proved, bytes are added to stored keys:   map a = "a/" {x: text(r"[a-z]*")} -> text
      fix, proved, bytes are added to stored keys:   map b = "ab/" {y: text(r"[a-z]*")} -> text
    error: the layout is not sound, so nothing is written
      help: correct the layout; `keyscape check` prints the same claims
    --- exit 1
    "#);
    assert!(!folder.path().join("s.redb").exists());
    // A file of another program, with a further store.
    folder.write("s.redb", &["s", "theirs"], |tx| {
        tx.put(StoreId::of("theirs"), b"k", b"v")?;
        tx.put(StoreId::of("s"), b"aa", b"v")
    });
    assert_snapshot!(printed(run(&["scan", "a"])), @"
    x  value
    a  v
    ");
    let answer = run(&["put", "a", "x=b", "--", "v"]);
    assert!(answer.contains("error[KS001]") && answer.ends_with("--- exit 1\n"), "{answer}");
}

#[test]
fn rows_without_a_layout_are_adopted_if_all_of_them_fit() {
    let folder = Folder::new().file("shop.keys", SHOP);
    let write = |rows: &[(&[u8], &[u8])]| {
        folder.write("old.redb", &["shop"], |tx| {
            rows.iter().try_for_each(|(key, value)| tx.put(StoreId::of("shop"), key, value))
        });
    };
    write(&[(b"o/1/7", b"ink"), (b"b/7/1", b"\x01"), (b"o/01/7", b"ink"), (b"p/a", b"x")]);
    assert_snapshot!(folder.run(&["scan", "old.redb", "--layout", "shop.keys", "orders"]), @"
    --- stdout
    user  order  value
    1     7      ink
    --- stderr
    warning: skipped 1 row that belongs to no keyspace
      help: `keyscape stat` counts them, `keyscape export` prints them
    --- exit 1
    ");
    assert_snapshot!(rejected(folder.run(&["put", "old.redb", "--layout", "shop.keys", "seen", "user=1"])), @"
    error: store `shop` has rows, and no layout was ever saved for it
      help: `keyscape adopt old.redb --layout FILE` checks every row and saves the layout
    ");
    let adopt = || folder.run(&["adopt", "old.redb", "--layout", "shop.keys"]);
    assert_snapshot!(adopt(), @"
    --- stderr
    error: shop: 6f2f30312f37: no keyspace has this key
    error: shop: 702f61: its value does not have the declared form
    error: 2 rows do not fit the layout, so nothing is written
    --- exit 1
    ");
    folder.write("old.redb", &["shop"], |tx| tx.delete(StoreId::of("shop"), b"o/01/7"));
    write(&[(b"p/a", b"12")]);
    // All rows fit, and the entry of a unique index is missing.
    assert_snapshot!(adopt(), @"
    --- stderr
    error[missing-entry]: shop/first: rows without an index entry: 1
      702f61  the row has no entry 662f61
    error: index entries or records of structures do not follow from the rows, so nothing is written
      help: correct them, or `import` the rows into a new file, which writes entries again
    --- exit 1
    ");
    write(&[(b"f/a", b"a")]);
    assert_snapshot!(adopt(), @"
    --- stderr
    adopted 4 rows: all fit the layout
    --- exit 0
    ");
    assert_snapshot!(printed(folder.run(&["scan", "old.redb", "--layout", "shop.keys", "prices"])), @"
    item  value
    a     12
    ");
    assert_snapshot!(adopt(), @"
    --- stderr
    checked 4 rows: the database has this layout already
    --- exit 0
    ");
}

#[test]
fn a_value_without_the_field_of_an_index_is_not_adopted() {
    let layout = "store s\nmap tasks = \"t\" {id: u8} -> json\n\
        index by_due of tasks = \"d\" {due: u8 from value due} {id} -> empty\n";
    let folder = Folder::new().file("s.keys", layout);
    folder.write("a.redb", &["s"], |tx| tx.put(StoreId::of("s"), b"t\x01", br#"{"due":"soon"}"#));
    assert_snapshot!(folder.run(&["adopt", "a.redb", "--layout", "s.keys"]), @"
    --- stderr
    error[missing-field]: s/by_due: rows whose value does not provide a field of the index: 1
      7401  the value does not provide `due`: field `due`: `soon` is not an integer: `s` at position 1 is not a digit
    error: some values do not provide the fields of an index, so nothing is written
      help: correct these values, or the types or paths of the fields in the layout
    --- exit 1
    ");
}

/// Rows of a counted set, with its count.
#[test]
fn a_wrong_count_is_not_adopted() {
    let layout = r#"store game structures
type Name = text(r"[a-z]{1,8}")
set friends = "f:" {of: Name} member Name counted
"#;
    let folder = Folder::new().file("game.keys", layout);
    let store = StoreId::of("game");
    assert!(folder.run(&["create", "new.redb", "--layout", "game.keys"]).contains("--- exit 0"));
    for name in ["bob", "cid"] {
        let member = format!("member={name}");
        let args = ["put", "new.redb", "--layout", "game.keys", "friends", "of=ann", &member];
        let put = folder.run(&args);
        assert!(put.contains("--- exit 0"), "{put}");
    }
    let mut rows = Vec::new();
    folder.write("new.redb", &["game"], |tx| {
        rows = tx.rows(store, KeyRange::all())?.to_vec()?;
        Ok(())
    });
    for (file, count, expected) in
        [("right.redb", 2_u64, "--- exit 0"), ("wrong.redb", 3, "--- exit 1")]
    {
        folder.write(file, &["game"], |tx| {
            rows.iter().try_for_each(|(key, value)| tx.put(store, key, value))?;
            tx.put(store, b"sf:ann\x00\x01c", &count.to_be_bytes())
        });
        let adopted = folder.run(&["adopt", file, "--layout", "game.keys"]);
        assert!(adopted.contains(expected), "{adopted}");
        assert_eq!(adopted.contains("wrong-count"), count == 3, "{adopted}");
    }
}

#[test]
fn many_rows_that_do_not_fit_are_counted() {
    let folder = Folder::new().file("shop.keys", SHOP);
    folder.write("old.redb", &["shop", "other"], |tx| {
        (0..250_u8).try_for_each(|byte| tx.put(StoreId::of("shop"), &[0xee, byte], b""))?;
        tx.put(StoreId::of("other"), b"k", b"v")
    });
    assert_snapshot!(folder.run(&["adopt", "old.redb", "--layout", "shop.keys"]), @"
    --- stderr
    error: shop: ee00: no keyspace has this key
    error: shop: ee01: no keyspace has this key
    error: shop: ee02: no keyspace has this key
    error: shop: ee03: no keyspace has this key
    error: shop: ee04: no keyspace has this key
    error: shop: ee05: no keyspace has this key
    error: shop: ee06: no keyspace has this key
    error: shop: ee07: no keyspace has this key
    error: shop: ee08: no keyspace has this key
    error: shop: ee09: no keyspace has this key
    and 240 more
    error: 250 rows do not fit the layout, so nothing is written
    --- exit 1
    ");
}

#[test]
fn stores_outside_the_layout_are_reported() {
    let folder = shop();
    folder.write("shop.redb", &["shop", "other"], |tx| tx.put(StoreId::of("other"), b"k", b"v"));
    let stat = folder.run(&["stat", "shop.redb"]);
    assert!(stat.contains("other: not in the layout"), "{stat}");
    let export = folder.output(&["export", "shop.redb"], b"");
    assert_snapshot!(String::from_utf8(export.stderr).unwrap(), @"warning: store `other` is not in the layout and is not exported");
}

/// The command reads all rows even if the reader of its output closes the pipe.
#[test]
fn a_closed_pipe_is_not_an_error() {
    let folder = shop();
    // More output than a pipe holds.
    let (mut lines, value) = (String::new(), "x".repeat(200));
    for order in 0..2_000 {
        lines.push_str(&format!(
            "{{\"keyspace\":\"orders\",\"fields\":{{\"user\":3,\"order\":{order}}},\"value\":\"{value}\"}}\n"
        ));
    }
    assert!(folder.run_with(&["import", "shop.redb"], lines).ends_with("--- exit 0\n"));
    for command in [&["export", "shop.redb"][..], &["scan", "shop.redb", "orders"]] {
        let mut program = folder.command(command);
        let mut child = program.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
        let mut first = String::new();
        let mut out = BufReader::new(child.stdout.take().unwrap());
        out.read_line(&mut first).unwrap();
        drop(out);
        let output = child.wait_with_output().unwrap();
        assert!(output.status.success(), "{command:?}");
        assert_eq!(String::from_utf8_lossy(&output.stderr), "");
    }
}
