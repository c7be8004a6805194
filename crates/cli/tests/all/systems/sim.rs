//! `keyscape sim`

use crate::harness::{Folder, rejected, simulated};
use insta::assert_snapshot;
use std::time::Duration;

/// Returns the output of a run, without machine-dependent figures.
fn run(folder: &Folder, arguments: &[&str]) -> String {
    without_speed(&folder.run(&[&["sim"], arguments].concat()))
}

fn without_speed(shown: &str) -> String {
    let lines = shown.lines().filter(|line| !line.starts_with("  speed "));
    lines.collect::<Vec<_>>().join("\n")
}

fn digest(shown: &str) -> String {
    assert!(shown.contains("\ndigest: "), "{shown}");
    shown.lines().find_map(|line| line.strip_prefix("digest: ")).unwrap_or_default().to_owned()
}

#[test]
fn the_same_seed_ends_in_the_same_state_in_memory_and_on_disk() {
    for system in ["bank", "cl", "txo", "badges", "paw", "chain"] {
        let (folder, disk) = simulated(system);
        let memory = without_speed(&folder.run(&disk.args));
        assert_eq!(memory, without_speed(&disk.output));
        assert_eq!(digest(&memory).len(), 64);
        let of_seed = |seed| digest(&run(&folder, &[system, "--blocks", "3", "--seed", seed]));
        assert_ne!(of_seed("5"), of_seed("6"));
    }
}

/// Starts an endless run, and kills it.
fn killed(folder: &Folder, system: &str, after: Duration) {
    let args = ["sim", system, "--blocks", "1000000000", "--seed", "9", "--db", "state.redb"];
    assert!(!folder.kill_after(&args, after));
}

/// Returns the last block of the run in the file.
fn reached(folder: &Folder, system: &str) -> u64 {
    let refused = run(folder, &[system, "--blocks", "0", "--seed", "9", "--db", "state.redb"]);
    let (_, rest) = refused.split_once("is at block ").unwrap_or_default();
    rest.split(',').next().and_then(|height| height.parse().ok()).unwrap_or_default()
}

#[test]
fn a_run_that_is_killed_again_and_again_ends_in_the_same_state() {
    for system in ["bank", "cl", "txo", "badges", "paw", "chain"] {
        let folder = Folder::new();
        for wait in [2, 5, 10, 20, 35, 60, 90] {
            killed(&folder, system, Duration::from_millis(wait));
        }
        // Wait longer each time, so that a slow machine commits blocks after a kill, too.
        let before = reached(&folder, system);
        let mut wait = Duration::from_millis(100);
        while reached(&folder, system) < before + 3 {
            killed(&folder, system, wait);
            wait *= 2;
        }
        let last = (reached(&folder, system) + 3).to_string();
        let arguments = [system, "--blocks", &last, "--seed", "9"];
        let ended = run(&folder, &[&arguments[..], &["--db", "state.redb"]].concat());
        assert!(ended.contains("continued after block "), "{ended}");
        assert_eq!(digest(&ended), digest(&run(&folder, &arguments)));
    }
}

#[test]
fn one_file_continues_both_systems() {
    let folder = Folder::new();
    for system in ["bank", "cl", "txo", "badges"] {
        run(&folder, &[system, "--blocks", "10", "--db", "a.redb"]);
    }
    let shown = run(&folder, &["bank", "--blocks", "25", "--db", "a.redb"]);
    assert!(shown.contains("bank: continued after block 10, blocks 11 to 25, seed 1"), "{shown}");
    assert_eq!(digest(&shown), digest(&run(&folder, &["bank", "--blocks", "25"])));
    let again = run(&folder, &["bank", "--blocks", "25", "--db", "a.redb"]);
    assert!(again.contains("bank: nothing to do: the file is at block 25, seed 1"), "{again}");
    assert_eq!(digest(&again), digest(&shown));
}

#[test]
fn a_file_of_another_run_is_rejected() {
    let folder = Folder::new().file("text.redb", "this is no database");
    run(&folder, &["bank", "--blocks", "10", "--db", "a.redb"]);
    assert_snapshot!(rejected(run(&folder, &["bank", "--seed", "2", "--db", "a.redb"])), @"
    error: the run of `bank` in this database has seed 1, not 2
      help: continue with `--seed 1`, or use another file
    ");
    assert_snapshot!(rejected(run(&folder, &["bank", "--blocks", "3", "--db", "a.redb"])), @"
    error: the run of `bank` in this database is at block 10, past block 3
      help: use `--blocks 10` or more, or use another file
    ");
    assert_snapshot!(rejected(run(&folder, &["bank", "--db", "text.redb"])), @"
    error: `text.redb` is not a redb database
      help: use a file that `keyscape create` or a program with Keyscape created
    ");
    assert_eq!(folder.read("text.redb"), "this is no database");
    assert_snapshot!(rejected(run(&folder, &["bank", "--db", "no/folder.redb"])), @"error: cannot create `no/folder.redb`: there is no directory `no`");
    assert_snapshot!(rejected(run(&folder, &["bench"])), @"
    error: invalid value 'bench' for '<SYSTEM>'
      [possible values: bank, cl, txo, badges, paw, chain]

    For more information, try '--help'.
    ");
    assert_snapshot!(rejected(run(&folder, &["bank", "--check-every", "0"])), @"
    error: invalid value '0' for '--check-every <K>': expected a number from 1

    For more information, try '--help'.
    ");
}

#[test]
fn a_simulation_rejects_a_file_of_another_program() {
    let folder =
        Folder::new().file("shop.keys", "store shop\nmap orders = \"o\" {n: u8} -> text\n");
    folder.run(&["create", "shop.redb", "--layout", "shop.keys"]);
    folder.run(&["put", "shop.redb", "orders", "n=1", "--", "ink"]);
    let before = std::fs::read(folder.path().join("shop.redb")).unwrap();
    assert_snapshot!(rejected(run(&folder, &["bank", "--blocks", "1", "--db", "shop.redb"])), @"
    error: `shop.redb` contains store `shop`, which no known system uses
      help: use a new file, or one that `keyscape sim` created
    ");
    assert_eq!(std::fs::read(folder.path().join("shop.redb")).unwrap(), before);
    // Several systems may share one file.
    run(&folder, &["bank", "--blocks", "1", "--db", "both.redb"]);
    let both = run(&folder, &["txo", "--blocks", "1", "--db", "both.redb"]);
    assert!(both.contains("digest: "), "{both}");
}
