//! `keyscape demo`

use crate::harness::{Folder, rejected};
use std::{path::Path, process::Command};

/// Runs a line in a shell, with the program on its path.
fn shell(folder: &Path, line: &str) -> (String, i32) {
    let program = Path::new(env!("CARGO_BIN_EXE_keyscape"));
    let path =
        format!("{}:{}", program.parent().unwrap().display(), std::env::var("PATH").unwrap());
    let output = Command::new("sh")
        .args(["-c", line])
        .current_dir(folder)
        .env("PATH", path)
        .output()
        .unwrap();
    let text = String::from_utf8(output.stdout).unwrap() + &String::from_utf8_lossy(&output.stderr);
    (text, output.status.code().unwrap())
}

fn without_figures(text: &str) -> String {
    let lines =
        text.lines().filter(|line| !line.contains(" ms)") && !line.contains(" ms for all)"));
    lines.collect::<Vec<_>>().join("\n")
}

#[test]
fn every_line_of_the_demonstration_can_be_repeated() {
    let folder = Folder::new();
    let (shown, exit) = shell(folder.path(), "keyscape demo 2>&1");
    assert_eq!(exit, 0, "{shown}");
    assert!(
        shown.contains("error[KS003]: scan `user` of `orders` returns rows with another `user`")
    );
    assert!(shown.contains("fix, proved, no stored byte changes:   scan user"));
    assert!(shown.contains("`:` at position 5 of `mine:tx` is not allowed"), "{shown}");
    assert_eq!(shown.matches("\ndigest: ").count(), 1, "{shown}");

    let commands: Vec<&str> = shown.lines().filter_map(|line| line.strip_prefix("$ ")).collect();
    assert!(commands.len() >= 14, "{shown}");
    let plain = without_figures(&shown);
    for command in commands {
        let (again, exit) = shell(folder.path(), &format!("{command} 2>&1"));
        let expected = match command {
            "keyscape check keyscape-demo/shop.keys" => 1,
            "keyscape encode keyscape-demo/txo.keys topics topic=mine:tx" => 2,
            _ => 0,
        };
        assert_eq!(exit, expected, "{command}\n{again}");
        // A repeated simulation is already complete, and suggested commands were not run.
        let was_shown = !command.contains(" sim ") && plain.contains(&format!("$ {command}\n"));
        let is_offer = plain
            .find("6. More to try")
            .is_some_and(|offers| plain[offers..].contains(&format!("$ {command}")));
        if was_shown && !is_offer {
            assert!(plain.contains(&without_figures(&again)), "{command}\n{again}\n---\n{plain}");
        }
    }
}

#[test]
fn an_existing_directory_is_not_changed() {
    let folder = Folder::new().file("keyscape-demo/mine.txt", "mine");
    insta::assert_snapshot!(rejected(folder.run(&["demo"])), @"
    error: `keyscape-demo` already exists
      help: remove it, or choose another directory: `keyscape demo DIRECTORY`
    ");
    assert_eq!(folder.read("keyscape-demo/mine.txt"), "mine");
    assert_eq!(std::fs::read_dir(folder.path().join("keyscape-demo")).unwrap().count(), 1);
    insta::assert_snapshot!(rejected(folder.run(&["demo", "no/such/place"])), @"error: cannot write `no/such/place`: there is no directory `no/such`");
}

/// The name of the program is not UTF-8.
#[cfg(unix)]
#[test]
fn a_demo_with_a_closed_pipe_completes() {
    use std::{
        ffi::OsStr,
        os::unix::{ffi::OsStrExt, process::CommandExt},
    };
    let folder = Folder::new();
    let (reader, writer) = std::io::pipe().unwrap();
    drop(reader);
    let mut demo = folder.command(&["demo"]);
    let demo = demo.arg0(OsStr::from_bytes(b"./\xff")).stdout(writer).output().unwrap();
    let stderr = String::from_utf8_lossy(&demo.stderr).into_owned();
    assert_eq!(demo.status.code(), Some(0), "{stderr}");
    let (said, exit) = shell(folder.path(), "keyscape invariants txo keyscape-demo/state.redb");
    assert_eq!(exit, 0, "{said}");
}
