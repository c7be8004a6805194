//! `keyscape bank`, `keyscape txo`, …, and genesis documents of Cosmos chains.

use crate::harness::Folder;
use insta::assert_snapshot;

const GENESIS: &str = include_str!("../../../../testing/corpus/golden/genesis.json");
const ANN: &str = "cosmos1qyqqqqqqqqqqqqqqqqqqqqqqqqqqqqqq2j8al7";
const BOB: &str = "cosmos1qgqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqggwm7m";

/// Imports the genesis of a real chain.
fn imported() -> Folder {
    let folder = Folder::new().file("genesis.json", GENESIS);
    let made =
        folder.run(&["genesis", "import", "bank", "b.redb", "--from", "cosmos", "genesis.json"]);
    assert!(made.contains("created b.redb with 38 rows"), "{made}");
    folder
}

#[test]
fn a_genesis_of_cosmos_comes_back() {
    let folder = imported();
    let args = ["genesis", "export", "bank", "b.redb", "--as", "cosmos", "--chain-id", "test-1"];
    let output = folder.output(&args, b"");
    assert_eq!(String::from_utf8(output.stdout).unwrap().trim_end(), GENESIS.trim_end());
    let other =
        folder.run(&["genesis", "import", "txo", "t.redb", "--from", "cosmos", "genesis.json"]);
    assert!(other.contains("`txo` has no documents for Cosmos"), "{other}");
    assert!(other.ends_with("--- exit 2\n"), "{other}");
    let wrong = GENESIS.replace("\"35\"", "\"36\"");
    let wrong =
        folder.run_with(&["genesis", "import", "bank", "c.redb", "--from", "cosmos"], wrong);
    assert!(wrong.contains("states the supply `36stake,510uatom`"), "{wrong}");
    assert!(!folder.path().join("c.redb").exists());
    let more =
        GENESIS.replace("\"app_state\": {", "\"app_state\": { \"gov\": {}, \"staking\": [1],");
    let more = folder.run_with(&["genesis", "import", "bank", "d.redb", "--from", "cosmos"], more);
    assert!(more.contains("not read: gov, staking"), "{more}");
}

#[test]
fn the_bank_answers_in_its_own_terms() {
    let folder = imported();
    assert_snapshot!(folder.run(&["bank", "owners", "b.redb", "uatom", "--limit", "2"]), @r"
    --- stdout
    owner                                          amount
    cosmos1qyqqqqqqqqqqqqqqqqqqqqqqqqqqqqqq2j8al7  100
    cosmos1qgqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqggwm7m  101
    --- stderr
    more: --after 'bank/holders>037561746f6d00140200000000000000000000000000000000000000'
    --- exit 0
    ");
    assert_snapshot!(folder.run(&["bank", "supply", "b.redb", "--format", "json"]), @r#"
    --- stdout
    {"denom":"stake","amount":"35"}
    {"denom":"uatom","amount":"510"}
    --- exit 0
    "#);
    let sent = folder.run(&["bank", "send", "b.redb", ANN, BOB, "30uatom"]);
    assert!(sent.contains("transfer ") && sent.ends_with("--- exit 0\n"), "{sent}");
    let balance = folder.run(&["bank", "balance", "b.redb", ANN, "uatom"]);
    assert!(balance.contains("uatom  70\n"), "{balance}");
    for (args, text, exit) in [
        (["send", "b.redb", ANN, BOB, "30stake"], "sending `stake` is disabled", 1),
        (["send", "b.redb", ANN, BOB, "71uatom"], "can spend 70uatom", 1),
        (["send", "b.redb", ANN, "bob", "1uatom"], "`bob` is not a valid TO", 2),
        (["send", "none.redb", ANN, BOB, "1uatom"], "there is no such file", 2),
    ] {
        let shown = folder.run(&[&["bank"][..], &args].concat());
        assert!(shown.contains(text) && shown.ends_with(&format!("--- exit {exit}\n")), "{shown}");
    }
    let holds = folder.run(&["invariants", "bank", "b.redb"]);
    assert!(holds.contains("all invariants hold on 38 rows"), "{holds}");
    let help = folder.run(&["bank", "-h"]);
    assert!(help.contains("owners         List the accounts that hold a denomination"), "{help}");
    let help = folder.run(&["bank", "owners", "-h"]);
    assert!(help.contains("keyscape bank owners bank.redb uatom --limit 10"), "{help}");
}

/// Every query without required arguments answers on a simulated state.
#[test]
fn every_system_answers() {
    let folder = Folder::new();
    for (system, queries) in [
        ("txo", &["topics", "progress", "peers"][..]),
        ("cl", &["pools"]),
        ("badges", &["collections"]),
        ("paw", &["pools", "price", "providers"]),
    ] {
        let db = format!("{system}.redb");
        let made = folder.run(&["sim", system, "--blocks", "12", "--db", &db]);
        assert!(made.ends_with("--- exit 0\n"), "{made}");
        for query in queries {
            let output = folder.output(&[system, query, &db, "--format", "json"], b"");
            assert!(output.status.success(), "{system} {query}");
            let lines = String::from_utf8(output.stdout).unwrap();
            assert!(!lines.is_empty(), "{system} {query}");
            for line in lines.lines() {
                serde_json::from_str::<serde_json::Value>(line).unwrap();
            }
        }
    }
    let removed = folder.run(&["txo", "rollback", "txo.redb", "--to", "10", "--time", "7"]);
    assert!(removed.contains("unconfirmed") && removed.ends_with("--- exit 0\n"), "{removed}");
    let wrong = folder.run(&["txo", "rollback", "txo.redb"]);
    assert!(wrong.contains("expected either a transaction, or `--to`"), "{wrong}");
    let wrong = folder.run(&["txo", "search", "txo.redb", "nonsense"]);
    assert!(wrong.contains("expected `txid:`") && wrong.ends_with("--- exit 2\n"), "{wrong}");
    let holds = folder.run(&["invariants", "txo", "txo.redb"]);
    assert!(holds.contains("all invariants hold"), "{holds}");
}
