//! Missing or unreadable files, and readers that close the pipe.

use crate::harness::{Folder, rejected};
use insta::assert_snapshot;

#[test]
fn a_missing_file_is_reported() {
    assert_snapshot!(rejected(Folder::new().run(&["check", "none.keys"])), @"error: cannot read `none.keys`: there is no such file");
}

#[test]
fn a_folder_is_not_a_layout() {
    let folder = Folder::new().file("sub/x", "");
    assert_snapshot!(rejected(folder.run(&["check", "sub"])), @"error: cannot read `sub`: it is a directory");
}

#[test]
fn every_command_says_which_file_it_cannot_read() {
    let folder = Folder::new();
    assert_snapshot!(rejected(folder.run(&["encode", "none.keys", "orders"])), @"error: cannot read `none.keys`: there is no such file");
    assert_snapshot!(rejected(folder.run(&["decode", "none.keys", "00"])), @"error: cannot read `none.keys`: there is no such file");
    assert_snapshot!(rejected(folder.run(&["explain", "none.keys", "00"])), @"error: cannot read `none.keys`: there is no such file");
    assert_snapshot!(rejected(folder.run(&["fmt", "none.keys"])), @"error: cannot read `none.keys`: there is no such file");
}

#[test]
fn a_layout_with_mistakes_encodes_nothing() {
    let folder = Folder::new().file("layout.keys", "store shop\nmap m = {id: nope} -> text\n");
    assert_snapshot!(rejected(folder.run(&["encode", "layout.keys", "m", "id=1"])), @"
    error: there is no type or codec `nope`
     --> layout.keys:2:14
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
fn a_path_below_a_file_is_an_error() {
    let folder = Folder::new().file("a.keys", "store s\n");
    assert_snapshot!(rejected(folder.run(&["check", "a.keys/b.keys"])), @"error: cannot read `a.keys/b.keys`: a part of its path is not a directory");
}

#[test]
fn a_rule_is_found_by_its_name() {
    let folder = Folder::new();
    let page = folder.run(&["rule", "scan-exact"]);
    assert!(page.contains("KS003 scan-exact\n"), "{page}");
    assert!(page.contains("// refuted KS003") && page.contains("// proved"), "{page}");
    assert_eq!(page, folder.run(&["rule", "ks003"]));
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
    assert_snapshot!(rejected(folder.run(&["stat", "postgres://"])), @"
    error: the address `postgres://` contains no host
      help: write `postgres://USER@HOST/DATABASE`
    ");
    if cfg!(not(feature = "tikv")) {
        assert_snapshot!(rejected(folder.run(&["stat", "tikv://127.0.0.1/shop"])), @"
        error: this program was built without TiKV
          help: build it with `cargo install --path crates/cli --features tikv`
        ");
    }
}
