//! `keyscape rule`, and the pages of the rules in SARIF.

use crate::harness::{Folder, printed};
use serde_json::Value;

#[test]
fn a_rule_is_found_by_its_code_or_name() {
    let folder = Folder::new();
    let page = printed(folder.run(&["rule", "scan-exact"]));
    assert!(page.contains("KS003 scan-exact\n"), "{page}");
    assert!(page.contains("// refuted KS003") && page.contains("// proved"), "{page}");
    assert!(!page.contains("**") && !page.contains("```"), "marks are left out: {page}");
    assert_eq!(page, printed(folder.run(&["rule", "ks003"])));
    let coloured = printed(folder.run(&["rule", "KS003", "--proof", "--color", "always"]));
    assert!(coloured.contains("\u{1b}[1mClaim."), "marks become colours: {coloured:?}");
}

#[test]
fn every_rule_has_a_page_with_examples_and_its_claim() {
    let folder = Folder::new().file("a.keys", "store s\nitem i = 0x01 -> text\n");
    let sarif = folder.stdout(&["check", "--format", "sarif", "a.keys"]);
    let sarif: Value = serde_json::from_str(&sarif).unwrap();
    let pages = sarif["runs"][0]["tool"]["driver"]["rules"].as_array().unwrap();
    let list = printed(folder.run(&["rule"]));
    assert_eq!(list.lines().count(), 25);
    for line in list.lines() {
        let (code, name) = line.split_once(' ').unwrap();
        let name = name.split(' ').next().unwrap();
        let page = pages.iter().find(|page| page["id"] == code).unwrap();
        let page = page["help"]["markdown"].as_str().unwrap();
        assert!(page.starts_with(&format!("## {code} {name}\n")), "{page}");
        assert_eq!(page.matches("\n## ").count(), 0, "one section only: {page}");
        let proof = printed(folder.run(&["rule", code, "--proof"]));
        assert!(proof.contains("Claim.") && proof.contains("In practice."), "{proof}");
        // A wrong example and a right one.
        let (wrong, is_right) = match code[2..].parse().unwrap() {
            1..=10_u32 => (format!("refuted {code}"), page.contains("// proved")),
            101..=110 => (format!("// {code}"), page.matches("```new").count() >= 2),
            _ => (format!("\n{code}"), page.matches("```migration").count() >= 2),
        };
        assert!(page.contains(&wrong) && is_right, "{page}");
    }
}
