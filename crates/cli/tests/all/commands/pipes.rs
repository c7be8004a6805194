//! Tests that a reader that closes the pipe changes no verdict.

use crate::harness::{BANK, Folder};
use std::process::{Command, Stdio};

/// Returns the exit status and stderr of a run whose stdout nobody reads.
fn unread(folder: &Folder, args: &[&str], stdin: &str) -> (i32, String) {
    let (reader, writer) = std::io::pipe().unwrap();
    drop(reader);
    let lines = folder.path().join("stdin");
    std::fs::write(&lines, stdin).unwrap();
    let output = Command::new(env!("CARGO_BIN_EXE_keyscape"))
        .args(args)
        .current_dir(folder.path())
        .stdin(std::fs::File::open(lines).unwrap())
        .stdout(writer)
        .stderr(Stdio::piped())
        .output()
        .unwrap();
    (output.status.code().unwrap(), String::from_utf8(output.stderr).unwrap())
}

const REFUTED: &str = "store s\nmap a = {x: text[0..=3]} {y: text[0..=3]}\n";

#[test]
fn a_check_that_nobody_reads_ends_with_its_verdict() {
    let folder = Folder::new().file("bad.keys", REFUTED).file("good.keys", BANK);
    for format in ["human", "json", "sarif"] {
        let args = ["check", "--format", format, "good.keys", "bad.keys"];
        assert_eq!(unread(&folder, &args, ""), (1, String::new()), "{format}");
    }
    assert_eq!(unread(&folder, &["check", "good.keys"], ""), (0, String::new()));
    let (exit, _) = unread(&folder, &["check", "bad.keys", "none.keys"], "");
    assert_eq!(exit, 2, "what comes later is decided as well");
}

#[test]
fn keys_that_nobody_reads_about_are_still_unknown() {
    let folder = Folder::new().file("bank.keys", BANK);
    let known = "020161616263";
    for command in ["decode", "explain"] {
        assert_eq!(unread(&folder, &[command, "bank.keys", known, "ff"], "").0, 1, "{command}");
        assert_eq!(unread(&folder, &[command, "bank.keys", known], "").0, 0, "{command}");
    }
    let many = format!("{known}\n").repeat(20_000);
    assert_eq!(unread(&folder, &["decode", "bank.keys"], &many).0, 0);
    assert_eq!(unread(&folder, &["decode", "bank.keys"], &(many + "ff\n")).0, 1);
}

#[test]
fn files_that_nobody_reads_about_are_still_different() {
    let folder = Folder::new().file("odd.keys", "store   s\n").file("good.keys", BANK);
    assert_eq!(unread(&folder, &["fmt", "--check", "odd.keys", "good.keys"], "").0, 1);
}
