//! `keyscape invariants`, and `keyscape audit` of the databases that the systems write.

use crate::harness::{Folder, refuted, rejected, simulated};
use insta::assert_snapshot;
use keyscape_badges::layout::badges;
use keyscape_bank::layout::bank;
use keyscape_concentrated_liquidity::layout::concentratedliquidity;
use keyscape_paw::layout::paw;
use keyscape_runtime::Misfit;
use keyscape_store::{Db, KeyRange, Read};
use keyscape_store_redb::Options;
use keyscape_txo::layout::txo;

#[test]
fn the_invariants_of_a_chain_are_those_of_its_systems() {
    let layout =
        std::fs::read(concat!(env!("CARGO_MANIFEST_DIR"), "/../../layouts/paw/sound.keys"));
    let folder = simulated("chain").0.file("paw.keys", layout.unwrap());
    let holds = folder.run(&["invariants", "chain", "a.redb"]);
    assert!(holds.contains("chain: all invariants hold on "), "{holds}");
    let put = ["put", "a.redb", "--layout", "paw.keys", "protocol_fees", "token=moon", "--", "5"];
    folder.stdout(&put);
    for (system, start) in [("chain", "paw: "), ("paw", "")] {
        let broken = folder.run(&["invariants", system, "a.redb"]);
        let line = format!("{start}pool coins: the module holds 0moon, not 5\n--- exit 1");
        assert!(broken.contains(&line), "{broken}");
    }
}

/// A file of one system is not a chain, and its bank alone is not the system.
#[test]
fn systems_that_a_file_lacks_are_named() {
    let folder = Folder::new();
    folder.run(&["sim", "paw", "--blocks", "3", "--db", "paw.redb"]);
    assert_snapshot!(rejected(folder.run(&["invariants", "chain", "paw.redb"])), @"
    error: `paw.redb` has no rows of `txo`, `cl` and `badges`
      help: name the system that the file contains; `chain` means all of them
    ");
    folder.run(&["sim", "bank", "--blocks", "3", "--db", "bank.redb"]);
    for command in [&["invariants"][..], &["genesis", "export"]] {
        let shown = folder.run(&[command, &["paw", "bank.redb"]].concat());
        assert!(shown.contains("error: `bank.redb` has no rows of `paw`\n"), "{shown}");
    }
}

#[test]
fn rows_written_without_the_module_are_found() {
    let folder = Folder::new();
    let bank = std::fs::read(concat!(env!("CARGO_MANIFEST_DIR"), "/../../layouts/bank/sound.keys"));
    let folder = folder.file("bank.keys", bank.unwrap());
    folder.run(&["sim", "bank", "--blocks", "5", "--db", "a.redb"]);
    let before = std::fs::read(folder.path().join("a.redb")).unwrap();
    let holds = folder.run(&["invariants", "bank", "a.redb"]);
    assert!(holds.contains("bank: all invariants hold on "), "{holds}");
    assert_eq!(std::fs::read(folder.path().join("a.redb")).unwrap(), before);

    let put = ["put", "a.redb", "--layout", "bank.keys", "supply", "denom=moon", "--", "5"];
    folder.stdout(&put);
    assert_snapshot!(refuted(folder.run(&["invariants", "bank", "a.redb"])), @"supply: 5moon are stated, and the balances add up to 0moon");
    let simulated = folder.run(&["sim", "bank", "--blocks", "5", "--db", "a.redb"]);
    let expected = "error: after block 5 of `bank`, invariants do not hold:\n  \
                    supply: 5moon are stated, and the balances add up to 0moon\n--- exit 1\n";
    assert!(simulated.ends_with(expected), "{simulated}");
    assert_snapshot!(rejected(folder.run(&["invariants", "bank", "b.redb"])), @"
    error: cannot open `b.redb`: there is no such file
      help: `keyscape sim bank --db b.redb` creates one
    ");
    // A file of another system is rejected.
    assert_snapshot!(rejected(folder.run(&["invariants", "txo", "a.redb"])), @"
    error: `a.redb` has no rows of `txo`
      help: `keyscape sim txo --db DB` creates a file with such rows
    ");
}

type Fits = fn(&str, &[u8], &[u8]) -> Result<(), Misfit>;

/// The spaces of each module, and the generated function that checks its rows.
const MODULES: [(&[&str], Fits); 5] = [
    (bank::LAYOUT.spaces, bank::fits),
    (txo::LAYOUT.spaces, txo::fits),
    (concentratedliquidity::LAYOUT.spaces, concentratedliquidity::fits),
    (badges::LAYOUT.spaces, badges::fits),
    (paw::LAYOUT.spaces, paw::fits),
];

/// Checks that the rows of a database fit their layouts, and that damaged keys do not.
fn all_rows_fit(folder: &Folder, system: &str) {
    let db = Options::new().open_all_spaces(folder.path().join("a.redb")).unwrap();
    let db = Db::new(db);
    let state = db.read().unwrap();
    let mut count = 0;
    for (store, space) in db.spaces().iter() {
        // The other spaces contain the metadata of the file and the progress of the run.
        let module = MODULES.iter().find(|(spaces, _)| spaces.contains(&space));
        let Some((_, fits)) = module else { continue };
        for (key, value) in state.rows(store, KeyRange::all()).unwrap().to_vec().unwrap() {
            let fitting = fits(space, &key, &value);
            assert!(fitting.is_ok(), "{space}: {key:02x?}: {fitting:?}");
            assert!(matches!(fits("elsewhere", &key, &value), Err(Misfit::Key)));
            let first = [&[key[0] ^ 0x80], &key[1..]].concat();
            assert!(fits(space, &first, &value).is_err(), "{space}: {key:02x?}");
            count += 1;
        }
    }
    assert!(count > 100, "{system}: {count}");
}

/// Covers maps, indexes, items, hashes, sets, sorted sets with counts and ranks, and queues.
#[test]
fn nothing_is_found_in_a_healthy_database_of_each_system() {
    for system in ["bank", "cl", "txo", "badges", "paw", "chain"] {
        let (folder, _) = simulated(system);
        all_rows_fit(&folder, system);
        let audit = folder.run(&["audit", "a.redb"]);
        assert!(audit.contains("rows: nothing is wrong\n"), "{system}: {audit}");
        assert!(audit.ends_with("--- exit 0\n"), "{system}: {audit}");
        let check = folder.run(&["check", "a.redb"]);
        assert!(check.ends_with("--- exit 0\n"), "{system}: {check}");
    }
}
