//! `keyscape audit` of the databases that the systems write.

use crate::harness::Folder;

#[test]
fn nothing_is_found_in_a_healthy_database_of_each_system() {
    for system in ["bank", "cl", "txo", "badges", "paw", "chain"] {
        let folder = Folder::new();
        folder.run(&["sim", system, "--blocks", "15", "--db", "a.redb"]);
        let audit = folder.run(&["audit", "a.redb"]);
        assert!(audit.contains("rows: nothing is wrong\n"), "{system}: {audit}");
        assert!(audit.ends_with("--- exit 0\n"), "{system}: {audit}");
        let check = folder.run(&["check", "a.redb"]);
        assert!(check.ends_with("--- exit 0\n"), "{system}: {check}");
    }
}
