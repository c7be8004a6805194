//! `keyscape diff`

use crate::harness::{Folder, printed, refuted, rejected};
use insta::assert_snapshot;
use serde_json::Value;
use std::process::Command;

const OLD: &str = r#"store shop version 1
map orders = "o/" {user: dec(u64)} "/" {order: u32be} -> json
    scan user by order
map carts = "c/" {user: dec(u64)} -> json
"#;

const NEW: &str = r#"store shop version 2
map orders = "o/" {user: dec(u64)} "/" {order: u32le} -> json
    scan user
/// Codes that make an order cheaper.
map coupons = "c/" {code: text(r"[a-z0-9]{4}")} -> empty
"#;

fn shop() -> Folder {
    Folder::new().file("old.keys", OLD).file("new.keys", NEW)
}

#[test]
fn findings_show_keys_with_both_readings() {
    assert_snapshot!(refuted(shop().run(&["diff", "old.keys", "new.keys"])));
}

#[test]
fn a_harmless_change_is_compatible() {
    let new = OLD.replace("map carts", "map baskets was carts").replace("version 1", "version 2");
    let folder = Folder::new().file("old.keys", OLD).file("new.keys", new);
    assert_snapshot!(printed(folder.run(&["diff", "old.keys", "new.keys", "--level", "rolling"])), @"rolling compatible");
}

#[test]
fn every_finding_is_an_object_on_a_line() {
    let output = shop().output(&["diff", "--format", "json", "old.keys", "new.keys"], b"");
    let text = String::from_utf8(output.stdout).unwrap();
    let findings: Vec<Value> =
        text.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    let of = |rule: &str| findings.iter().filter(|found| found["rule"] == rule).collect::<Vec<_>>();
    assert_eq!(output.status.code(), Some(1));
    assert_eq!(of("KS101")[0]["counterexample"]["row"]["fields"]["user"], 0);
    assert_eq!(of("KS102")[0]["counterexample"]["key"], "6f2f302f00000001");
    assert_eq!(of("KS102")[0]["counterexample"]["old"]["fields"]["order"], 1);
    assert_eq!(of("KS102")[0]["counterexample"]["new"]["fields"]["order"], 16_777_216);
    assert_eq!(of("KS103")[0]["new"]["keyspace"], "coupons");
    assert_eq!(of("KS107")[0]["required"], false);
    assert!(findings.iter().all(|found| found["verdict"] == "found"));
}

#[test]
fn a_section_of_a_changelog_lists_the_changes() {
    let output = shop().run(&["diff", "--format", "markdown", "old.keys", "new.keys"]);
    assert_snapshot!(refuted(output));
}

#[test]
fn sarif_has_a_result_for_each_finding() {
    let json = shop().output(&["diff", "--format", "json", "old.keys", "new.keys"], b"");
    let sarif = shop().output(&["diff", "--format", "sarif", "old.keys", "new.keys"], b"");
    let document: Value = serde_json::from_slice(&sarif.stdout).unwrap();
    let results = document["runs"][0]["results"].as_array().unwrap();
    assert_eq!(results.len(), String::from_utf8(json.stdout).unwrap().lines().count());
    assert_eq!(results[0]["level"], "error");
    assert_eq!(
        results[0]["locations"][0]["physicalLocation"]["artifactLocation"]["uri"],
        "old.keys"
    );
    let rules = document["runs"][0]["tool"]["driver"]["rules"].as_array().unwrap();
    assert!(rules.iter().any(|rule| rule["id"] == "KS110"));
}

#[test]
fn the_level_decides_about_the_exit_status() {
    let wider = OLD.replace("{user: dec(u64)} \"/\"", "{user: dec(u128)} \"/\"");
    let folder = Folder::new().file("old.keys", OLD).file("new.keys", wider);
    let code = |level: &str| {
        folder.output(&["diff", "old.keys", "new.keys", "--level", level], b"").status.code()
    };
    assert_eq!(code("backward"), Some(0));
    assert_eq!(code("forward"), Some(1));
    assert_eq!(code("full"), Some(1));
    assert_eq!(code("rolling"), Some(1));
}

#[test]
fn a_layout_of_a_commit_is_read_with_its_imports() {
    let old = "import \"types/user.keys\"\nstore shop\nmap orders = \"o/\" {user: User}\n";
    let folder = Folder::new()
        .file("shop.keys", old)
        .file("types/user.keys", "import \"../types/id.keys\"\nstore types\ntype User = Id\n")
        .file("types/id.keys", "store types\ntype Id = dec(u64)\n");
    let git = |args: &[&str]| {
        let identity = ["-c", "user.name=a", "-c", "user.email=a@example.com"];
        let run = Command::new("git").args(identity).args(args).current_dir(folder.path()).output();
        assert!(run.unwrap().status.success(), "{args:?}");
    };
    git(&["init", "--quiet"]);
    git(&["add", "."]);
    git(&["commit", "--quiet", "--message", "old"]);
    let folder = folder.file("types/id.keys", "store types\ntype Id = dec(u8)\n");
    assert_snapshot!(refuted(folder.run(&["diff", "git:HEAD:shop.keys", "shop.keys"])), @r#"
    error[KS101]: stored keys of `orders` have no reading in the new layout
     --> shop.keys:3:5
      |
    3 | map orders = "o/" {user: User}
      |     ^^^^^^
      stored orders   user=256   6f 2f 32 35 36   o/256
      help: keep the old keys of `orders`, or move its rows with a migration

    not backward compatible: 1 finding
    "#);
    let missing = folder.run(&["diff", "git:HEAD:nowhere.keys", "shop.keys"]);
    assert!(missing.contains("cannot read `nowhere.keys` of `HEAD`"), "{missing}");
    assert!(missing.contains("--- exit 2"), "{missing}");
    assert_snapshot!(rejected(folder.run(&["diff", "git:shop.keys", "shop.keys"])), @"
    error: `git:shop.keys` is not of the form `git:REF:PATH`
      help: write a commit and a file, such as `git:main:shop.keys`
    ");
}

#[test]
fn a_layout_with_mistakes_is_rejected() {
    let folder = Folder::new().file("old.keys", OLD).file("new.keys", "store s\nmap a = {x}\n");
    let output = folder.output(&["diff", "old.keys", "new.keys"], b"");
    assert_eq!(output.status.code(), Some(2));
}

#[test]
fn a_renamed_keyspace_is_the_same_keyspace() {
    let folder = Folder::new()
        .file("old.keys", "store s\nmap sales = \"o\" {id: u16be} -> empty\n")
        .file("new.keys", "store s\nmap orders was sales = \"o\" {id: u16le} -> empty\n");
    let shown = folder.run(&["diff", "old.keys", "new.keys"]);
    let shown: Vec<&str> = shown.lines().filter(|line| line.contains("`sales`")).collect();
    assert_snapshot!(shown.join("\n"), @r"
    error[KS102]: stored keys of `sales` are read differently
      help: keep the old keys of `sales`, or move its rows with a migration
    ");
}
