//! `keyscape fmt`

use crate::harness::{Folder, printed, refuted, rejected};
use insta::assert_snapshot;

const MESSY: &str = "store bank map balances=0x02{owner:Address} -> dec scan owner // in order\n";
const NEAT: &str =
    "store bank\nmap balances = 0x02 {owner: Address} -> dec\n    scan owner  // in order\n";

#[test]
fn files_are_written_in_place() {
    let folder = Folder::new().file("a.keys", MESSY).file("b.keys", NEAT);
    assert_snapshot!(folder.run(&["fmt", "a.keys", "b.keys"]), @"
    --- stderr
    formatted a.keys
    --- exit 0
    ");
    assert_eq!(folder.read("a.keys"), NEAT);
    assert_eq!(folder.read("b.keys"), NEAT);
    assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 2, "a temporary file is left");
}

#[test]
fn check_names_the_files_that_would_change() {
    let folder = Folder::new().file("a.keys", MESSY).file("b.keys", NEAT);
    assert_snapshot!(refuted(folder.run(&["fmt", "--check", "a.keys", "b.keys"])), @"a.keys");
    assert_eq!(folder.read("a.keys"), MESSY);
    assert_snapshot!(folder.run(&["fmt", "--check", "b.keys"]), @"--- exit 0");
}

#[test]
fn a_database_is_not_formatted() {
    let folder = Folder::new().database("s", "store s\nitem i = \"i\" -> text\n");
    assert_snapshot!(rejected(folder.run(&["fmt", "s.redb"])), @"
    error: `s.redb` is a database, not a layout file
      help: `keyscape layout s.redb` prints the layout that it stores
    ");
}

#[test]
fn stdin_goes_to_stdout() {
    assert_snapshot!(printed(Folder::new().run_with(&["fmt", "-"], MESSY)), @"
    store bank
    map balances = 0x02 {owner: Address} -> dec
        scan owner  // in order
    ");
    assert_snapshot!(refuted(Folder::new().run_with(&["fmt", "--check", "-"], MESSY)), @"stdin");
}

#[test]
fn a_mistake_leaves_the_file_and_does_not_stop_the_others() {
    let broken = "store\nmap = 0x01\n";
    let folder = Folder::new().file("a.keys", broken).file("b.keys", MESSY);
    assert_snapshot!(rejected(folder.run(&["fmt", "a.keys", "b.keys"])), @"
    error: expected a declaration, found `=`
     --> a.keys:2:5
      |
    2 | map = 0x01
      |     ^ expected a declaration

    a.keys: 1 mistake
    formatted b.keys
    ");
    assert_eq!(folder.read("a.keys"), broken);
    assert_eq!(folder.read("b.keys"), NEAT);
}

#[cfg(unix)]
#[test]
fn permissions_and_links_are_kept() {
    use std::{fs, os::unix::fs::PermissionsExt};
    let folder = Folder::new().file("a.keys", MESSY);
    let path = folder.path().join("a.keys");
    fs::set_permissions(&path, fs::Permissions::from_mode(0o640)).unwrap();
    let link = folder.path().join("link.keys");
    std::os::unix::fs::symlink(&path, &link).unwrap();
    folder.run(&["fmt", "link.keys"]);
    assert!(fs::symlink_metadata(&link).unwrap().is_symlink());
    assert_eq!(fs::metadata(&path).unwrap().permissions().mode() & 0o777, 0o640);
    assert_eq!(folder.read("a.keys"), NEAT);
}
