//! Help texts and manual pages.

use crate::harness::{Folder, printed, rejected};
use insta::assert_snapshot;
use std::fs;

fn run(args: &[&str]) -> String {
    Folder::new().run(args)
}

#[test]
fn the_commands_are_listed() {
    assert_snapshot!(printed(run(&["-h"])));
}

#[test]
fn check_documents_its_json() {
    assert_snapshot!(printed(run(&["check", "--help"])));
}

#[test]
fn encode_has_examples() {
    assert_snapshot!(printed(run(&["encode", "--help"])));
}

#[test]
fn decode_has_examples() {
    assert_snapshot!(printed(run(&["decode", "--help"])));
}

#[test]
fn mistakes_of_usage_have_status_2() {
    assert_snapshot!(rejected(run(&["chek", "x"])), @"
    error: unrecognized subcommand 'chek'

      tip: a similar subcommand exists: 'check'

    Usage: keyscape [OPTIONS] <COMMAND>

    For more information, try '--help'.
    ");
    assert_snapshot!(rejected(run(&["check"])), @"
    error: the following required arguments were not provided:
      <LAYOUT>...

    Usage: keyscape check <LAYOUT>...

    For more information, try '--help'.
    ");
    assert_snapshot!(rejected(run(&["check", "--format", "xml", "x"])), @"
    error: invalid value 'xml' for '--format <FORMAT>'
      [possible values: human, json, sarif]

    For more information, try '--help'.
    ");
}

#[test]
fn an_unknown_rule_is_an_error() {
    assert_snapshot!(rejected(run(&["rule", "KS011"])), @"
    error: invalid value 'KS011' for '[RULE]': rules are KS001 to KS010 and KS101 to KS115

    For more information, try '--help'.
    ");
    assert_snapshot!(rejected(run(&["rule", "scan-exac"])), @"
    error: invalid value 'scan-exac' for '[RULE]': did you mean `scan-exact`?

    For more information, try '--help'.
    ");
}

#[test]
fn the_version_is_that_of_the_package() {
    assert_eq!(
        run(&["--version"]),
        format!("--- stdout\nkeyscape {}\n--- exit 0\n", env!("CARGO_PKG_VERSION"))
    );
}

#[test]
fn every_shell_gets_completions() {
    for shell in ["bash", "elvish", "fish", "powershell", "zsh"] {
        let text = run(&["completions", shell]);
        assert!(text.contains("decode") && text.ends_with("--- exit 0\n"), "{text}");
    }
}

#[test]
fn every_command_has_a_page_with_its_examples() {
    let folder = Folder::new();
    folder.quiet(&["man", "."]);
    let page = folder.read("keyscape-check.1");
    assert!(page.starts_with(".ie") && page.contains("keyscape check shop.keys"), "{page}");
    let pages = fs::read_dir(folder.path()).unwrap().count();
    let commands = folder.run(&["-h"]);
    let listed = commands.lines().skip_while(|line| *line != "Commands:").skip(1);
    let listed = listed.take_while(|line| !line.is_empty()).count();
    assert!(pages > listed, "{pages} pages for {listed} commands");
}

#[test]
fn a_directory_that_is_missing_is_an_error() {
    let folder = Folder::new().file("page", "");
    for path in ["missing/man1", "page"] {
        let expected = format!(
            "error: `{path}` is not an existing directory\n  \
             help: create it first, or name another one\n"
        );
        assert_eq!(rejected(folder.run(&["man", path])), expected);
    }
}
