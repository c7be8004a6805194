//! `-`: the layout on stdin.

use crate::harness::{BANK, Folder};
use insta::assert_snapshot;

#[test]
fn every_command_reads_its_layout_from_stdin() {
    let folder = Folder::new().file("types.keys", "type Id = u8\n").file("bank.keys", BANK);
    assert_snapshot!(folder.run_with(&["check", "-"], BANK), @"
    --- stdout
    bank: 2 keyspaces, 2 scans: 12 proved, 0 refuted, 0 unknown, 0 accepted (N ms)
    --- exit 0
    ");
    assert_snapshot!(folder.run_with(&["encode", "-", "balances", "owner=0x61", "denom=uatom"], BANK), @"
    --- stdout
    0201617561746f6d
    --- exit 0
    ");
    assert_snapshot!(folder.run_with(&["decode", "-", "0201617561746f6d"], BANK), @r#"
    --- stdout
    {"key":"0201617561746f6d","readings":[{"store":"bank","keyspace":"balances","fields":{"owner":"cosmos1vyl8dkts","denom":"uatom"}}]}
    --- exit 0
    "#);
    assert_snapshot!(folder.run_with(&["check", "-"], "store s\nmap a = {x: u9}\n"), @"
    --- stderr
    error: there is no type or codec `u9`
     --> stdin:2:13
    2 | map a = {x: u9}
      |             ^^
      help: did you mean `u16be`?

    stdin: 1 mistake
    --- exit 2
    ");
    let imports = "import \"types.keys\"\nstore s\nmap a = {x: Id}\n";
    assert_snapshot!(folder.run_with(&["check", "-"], imports), @"
    --- stdout
    s: 1 keyspace, 0 scans: 3 proved, 0 refuted, 0 unknown, 0 accepted (N ms)
    --- exit 0
    ");
    folder.run_with(&["create", "bank.redb", "--layout", "-"], BANK);
    assert_snapshot!(folder.run_with(&["count", "bank.redb", "balances", "--layout", "-"], BANK), @"
    --- stdout
    0
    --- exit 0
    ");
    let piped = folder.run_with(&["doc", "-"], BANK);
    let named = folder.run(&["doc", "bank.keys"]);
    assert_eq!(piped.replace("`stdin`", "`bank.keys`"), named);
}

#[test]
fn stdin_is_one_thing() {
    let folder = Folder::new();
    assert_snapshot!(folder.run_with(&["check", "-", "-"], BANK), @"
    --- stdout
    stdin: bank: 2 keyspaces, 2 scans: 12 proved, 0 refuted, 0 unknown, 0 accepted (N ms)
    --- stderr
    error: cannot read `stdin`: `-` can be given once
    --- exit 2
    ");
    assert_snapshot!(folder.run_with(&["decode", "-"], BANK), @"
    --- stderr
    error: stdin cannot be both the layout and the keys
      help: use a file for the layout
    --- exit 2
    ");
    assert_snapshot!(folder.run_with(&["import", "bank.redb", "--layout", "-"], BANK), @"
    --- stderr
    error: stdin cannot be both the layout and the lines
      help: use a file for the layout
    --- exit 2
    ");
}
