//! Manual pages.

use crate::harness::Folder;
use std::fs;

#[test]
fn every_command_has_a_page_with_its_examples() {
    let folder = Folder::new();
    assert_eq!(folder.run(&["man", "."]), "--- exit 0\n");
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
    let shown = Folder::new().run(&["man", "missing/man1"]);
    insta::assert_snapshot!(shown, @r"
    --- stderr
    error: cannot write `missing/man1`: there is no directory `missing`
    --- exit 2
    ");
}
