//! stdin, stdout and colours: `-` for the layout, readers that close the pipe, and output without
//! colours.

use crate::harness::{BANK, Folder, printed, rejected};
use insta::assert_snapshot;
use std::process::Stdio;

#[test]
fn every_command_reads_its_layout_from_stdin() {
    let folder = Folder::new().file("types.keys", "type Id = u8\n").file("bank.keys", BANK);
    assert_snapshot!(printed(folder.run_with(&["check", "-"], BANK)), @"bank: 2 keyspaces, 2 scans: 12 proved, 0 refuted, 0 unknown, 0 accepted (N ms)");
    assert_snapshot!(printed(folder.run_with(&["encode", "-", "balances", "owner=0x61", "denom=uatom"], BANK)), @"0201617561746f6d");
    assert_snapshot!(printed(folder.run_with(&["decode", "-", "0201617561746f6d"], BANK)), @r#"{"key":"0201617561746f6d","readings":[{"store":"bank","keyspace":"balances","fields":{"owner":"cosmos1vyl8dkts","denom":"uatom"}}]}"#);
    assert_snapshot!(rejected(folder.run_with(&["check", "-"], "store s\nmap a = {x: u9}\n")), @"
    error: there is no type or codec `u9`
     --> stdin:2:13
      |
    2 | map a = {x: u9}
      |             ^^
      help: did you mean `u16be`?

    stdin: 1 mistake
    ");
    let imports = "import \"types.keys\"\nstore s\nmap a = {x: Id}\n";
    assert_snapshot!(printed(folder.run_with(&["check", "-"], imports)), @"s: 1 keyspace, 0 scans: 3 proved, 0 refuted, 0 unknown, 0 accepted (N ms)");
    folder.run_with(&["create", "bank.redb", "--layout", "-"], BANK);
    assert_snapshot!(printed(folder.run_with(&["count", "bank.redb", "balances", "--layout", "-"], BANK)), @"0");
    let piped = folder.run_with(&["doc", "-"], BANK);
    let named = folder.run(&["doc", "bank.keys"]);
    assert_eq!(piped.replace("`stdin`", "`bank.keys`"), named);
}

#[test]
fn stdin_is_read_once() {
    let folder = Folder::new();
    assert_snapshot!(folder.run_with(&["check", "-", "-"], BANK), @"
    --- stdout
    stdin: bank: 2 keyspaces, 2 scans: 12 proved, 0 refuted, 0 unknown, 0 accepted (N ms)
    --- stderr
    error: cannot read `stdin`: `-` can be given once
    --- exit 2
    ");
    assert_snapshot!(rejected(folder.run_with(&["decode", "-"], BANK)), @"
    error: stdin cannot be both the layout and the keys
      help: use a file for the layout
    ");
    assert_snapshot!(rejected(folder.run_with(&["import", "bank.redb", "--layout", "-"], BANK)), @"
    error: stdin cannot be both the layout and the lines
      help: use a file for the layout
    ");
}

/// Returns the exit status and stderr of a run whose stdout is a closed pipe.
fn with_closed_pipe(folder: &Folder, args: &[&str], stdin: &str) -> (i32, String) {
    let (reader, writer) = std::io::pipe().unwrap();
    drop(reader);
    let lines = folder.path().join("stdin");
    std::fs::write(&lines, stdin).unwrap();
    let mut command = folder.command(args);
    let command = command.stdin(std::fs::File::open(lines).unwrap()).stdout(writer);
    let output = command.stderr(Stdio::piped()).output().unwrap();
    (output.status.code().unwrap(), String::from_utf8(output.stderr).unwrap())
}

const REFUTED: &str = "store s\nmap a = {x: text[0..=3]} {y: text[0..=3]}\n";

#[test]
fn a_check_with_a_closed_pipe_exits_with_its_verdict() {
    let folder = Folder::new().file("bad.keys", REFUTED).file("good.keys", BANK);
    for format in ["human", "json", "sarif"] {
        let args = ["check", "--format", format, "good.keys", "bad.keys"];
        assert_eq!(with_closed_pipe(&folder, &args, ""), (1, String::new()), "{format}");
    }
    assert_eq!(with_closed_pipe(&folder, &["check", "good.keys"], ""), (0, String::new()));
    let (exit, _) = with_closed_pipe(&folder, &["check", "bad.keys", "none.keys"], "");
    assert_eq!(exit, 2, "later layouts are checked as well");
}

#[test]
fn decode_with_a_closed_pipe_exits_with_its_verdict() {
    let folder = Folder::new().file("bank.keys", BANK);
    let known = "020161616263";
    for command in ["decode", "explain"] {
        assert_eq!(
            with_closed_pipe(&folder, &[command, "bank.keys", known, "ff"], "").0,
            1,
            "{command}"
        );
        assert_eq!(with_closed_pipe(&folder, &[command, "bank.keys", known], "").0, 0, "{command}");
    }
    let many = format!("{known}\n").repeat(20_000);
    assert_eq!(with_closed_pipe(&folder, &["decode", "bank.keys"], &many).0, 0);
    assert_eq!(with_closed_pipe(&folder, &["decode", "bank.keys"], &(many + "ff\n")).0, 1);
}

#[test]
fn fmt_with_a_closed_pipe_exits_with_its_verdict() {
    let folder = Folder::new().file("odd.keys", "store   s\n").file("good.keys", BANK);
    assert_eq!(with_closed_pipe(&folder, &["fmt", "--check", "odd.keys", "good.keys"], "").0, 1);
}

fn escaped(text: &str) -> String {
    text.replace('\u{1b}', "␛")
}

#[test]
fn bytes_have_the_colour_of_their_part() {
    let folder = Folder::new().file("l.keys", BANK);
    let args = ["--color", "always", "explain", "l.keys", "020161756174"];
    assert_snapshot!(printed(escaped(&folder.run(&args))), @"
    ␛[1mbank/balances␛[0m␛[2m   One balance per account and denomination.␛[0m
      ␛[2m0␛[0m  ␛[2m02␛[0m ␛[36m01␛[0m ␛[36m61␛[0m ␛[33m75␛[0m ␛[33m61␛[0m ␛[33m74␛[0m   ␛[2m·␛[0m␛[36m·␛[0m␛[36ma␛[0m␛[33mu␛[0m␛[33ma␛[0m␛[33mt␛[0m
         ␛[2m└┘␛[0m␛[2m ␛[0m␛[36m└─␛[0m␛[36m─␛[0m␛[36m─┘␛[0m␛[36m ␛[0m␛[33m└─␛[0m␛[33m─␛[0m␛[33m──␛[0m␛[33m─␛[0m␛[33m─┘␛[0m
      ␛[2mat 0␛[0m   ␛[2m02␛[0m         ␛[2m(literal)␛[0m
      ␛[2mat 1␛[0m   ␛[36m01 61␛[0m      ␛[36mowner␛[0m       cosmos1vyl8dkts
      ␛[2mat 3␛[0m   ␛[33m75 61 74␛[0m   ␛[33mdenom␛[0m       uat
    ");
}

#[test]
fn without_colours_the_text_is_the_same() {
    let layout = "store s\nmap m = {a: u8} -> text\nmap n = {b: u8} -> text\n";
    let folder = Folder::new().file("l.keys", layout);
    let coloured = folder.run(&["check", "--color", "always", "l.keys"]);
    let plain = folder.run(&["check", "--color", "never", "l.keys"]);
    assert!(coloured.contains('\u{1b}'));
    assert_eq!(plain, folder.run(&["check", "l.keys"]));
    let mut stripped = String::new();
    for (index, piece) in coloured.split('\u{1b}').enumerate() {
        stripped.push_str(if index == 0 { piece } else { piece.split_once('m').unwrap().1 });
    }
    assert_eq!(stripped, plain);
}
