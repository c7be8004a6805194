//! Missing or unreadable files, and readers that close the pipe.

use crate::harness::{Folder, rejected};
use insta::assert_snapshot;

#[test]
fn every_command_says_which_file_it_cannot_read() {
    let folder = Folder::new().file("sub/a.keys", "store s\n");
    for (file, reason) in [
        ("none.keys", "there is no such file"),
        ("sub", "it is a directory"),
        ("sub/a.keys/b.keys", "a part of its path is not a directory"),
    ] {
        let expected = format!("error: cannot read `{file}`: {reason}\n");
        for args in [
            &["check", file][..],
            &["encode", file, "orders"],
            &["decode", file, "00"],
            &["explain", file, "00"],
            &["fmt", file],
        ] {
            assert_eq!(rejected(folder.run(args)), expected, "{args:?}");
        }
    }
}

#[test]
fn a_layout_with_mistakes_encodes_nothing() {
    let folder = Folder::new().file("layout.keys", "store shop\nmap m = {id: nope} -> text\n");
    assert_snapshot!(rejected(folder.run(&["encode", "layout.keys", "m", "id=1"])), @"
    error: there is no type or codec `nope`
     --> layout.keys:2:14
      |
    2 | map m = {id: nope} -> text
      |              ^^^^
      help: declare it with `type NAME = …`, or use a codec

    layout.keys: 1 mistake
    ");
}

#[cfg(unix)]
#[test]
fn a_path_that_is_not_utf8_does_not_panic() {
    use std::{ffi::OsStr, os::unix::ffi::OsStrExt};
    let folder = Folder::new();
    let name = OsStr::from_bytes(b"\xff.keys");
    std::fs::write(folder.path().join(name), "store s\nmap m = 0x01 {id: u8} -> text\n").unwrap();
    let output = folder.command(&["check"]).arg(name).output().unwrap();
    assert_eq!(output.status.code(), Some(0), "{}", String::from_utf8_lossy(&output.stderr));
}

#[cfg(unix)]
#[test]
fn a_closed_pipe_is_not_an_error() {
    use std::{
        io::{Read, Write},
        process::Stdio,
    };
    let folder = Folder::new().file("layout.keys", "store s\nmap m = 0x01 {id: u64be} -> text\n");
    let mut command = folder.command(&["decode", "layout.keys"]);
    let command = command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child = command.spawn().unwrap();
    let mut first = [0; 16];
    let mut input = child.stdin.take().unwrap();
    let writer = std::thread::spawn(move || {
        for _ in 0..200_000 {
            if input.write_all(b"010000000000000001\n").is_err() {
                return;
            }
        }
    });
    child.stdout.take().unwrap().read_exact(&mut first).unwrap();
    let output = child.wait_with_output().unwrap();
    writer.join().unwrap();
    assert_eq!(output.status.code(), Some(0));
    assert_eq!(String::from_utf8_lossy(&output.stderr), "");
}

#[test]
fn an_element_of_a_list_is_named_as_decode_does() {
    let layout = "store s\nmap a = \"a\" {k: list(u8)[1..=3]} 0x00 -> empty\n";
    let folder = Folder::new().file("a.keys", layout);
    assert_snapshot!(rejected(folder.run(&["encode", "a.keys", "a", "k=[1,2,300]"])), @"
    error: field `k.2`: `300` is outside its domain
      help: expected an integer from 0 to 255
    ");
}

#[test]
fn addresses_that_no_engine_opens_say_what_is_wrong() {
    let folder = Folder::new().file("shop.keys", "store s\nitem i = \"i\" -> text\n");
    let unknown = folder.run(&["stat", "mysql://root:secret@db/shop"]);
    assert_snapshot!(rejected(&unknown), @"
    error: `mysql://` is not a kind of database
      help: name a file, or write `postgres://USER@HOST/DATABASE` or `tikv://HOST:PORT/NAME`
    ");
    let address = "mysql://root:secret@db/shop";
    for args in [
        &["check", address][..],
        &["diff", "shop.keys", address],
        &["create", address, "--layout", "shop.keys"],
        &["copy", "a.redb", address],
        &["sim", "bank", "--db", address],
        &["bank", "params", address],
        &["export", "a.redb", "--layout", address],
    ] {
        assert_eq!(folder.run(args), unknown, "{args:?}");
    }
    for name in ["postgres://", "postgres:///d", "postgres://u@/d", "postgres://?schema=s"] {
        let expected = format!(
            "error: the address `{name}` contains no host\n  \
             help: write `postgres://USER@HOST/DATABASE`\n"
        );
        assert_eq!(rejected(folder.run(&["stat", name])), expected);
    }
    if cfg!(not(feature = "tikv")) {
        assert_snapshot!(rejected(folder.run(&["stat", "tikv://127.0.0.1/shop"])), @"
        error: this program was built without TiKV
          help: build it with `cargo install --path crates/cli --features tikv`
        ");
    }
}

#[test]
fn passwords_are_not_shown() {
    let folder = Folder::new();
    for (address, shown) in [
        ("postgres://h", "postgres://h"),
        ("postgres://u@h/d", "postgres://u@h/d"),
        ("postgres://u:p@h:5/d?schema=s", "postgres://u:***@h:5/d?schema=s"),
        ("postgresql://u:p@a:x@h", "postgresql://u:***@h"),
        ("postgres://u:p/q@h/d", "postgres://u:***@h/d"),
        (
            "postgres:///d?host=/run/postgresql&password=p&sslmode=require",
            "postgres:///d?host=/run/postgresql&password=***&sslmode=require",
        ),
    ] {
        let expected = format!("error: `{shown}` is the address of a server, ");
        let printed = rejected(folder.run(&["repair", address]));
        assert!(printed.starts_with(&expected), "{printed}");
    }
    for path in ["a:b@c.redb", "a b://c"] {
        let expected = format!("error: cannot open `{path}`: there is no ");
        let printed = rejected(folder.run(&["repair", path]));
        assert!(printed.starts_with(&expected), "{printed}");
    }
    let printed = rejected(folder.run(&["stat", "postgres:///d?user=u&password=p"]));
    assert!(printed.contains("`postgres:///d?user=u&password=***` contains no host"), "{printed}");
}
