//! `keyscape genesis`

use crate::harness::{Folder, rejected, simulated};
use insta::assert_snapshot;

/// Returns a simulated system in `a.redb`, with its genesis.
fn exported(system: &str) -> (Folder, String) {
    let (folder, _) = simulated(system);
    let genesis = export(&folder, system, "a.redb");
    (folder.file("genesis.json", &genesis), genesis)
}

fn export(folder: &Folder, system: &str, db: &str) -> String {
    let output = folder.output(&["genesis", "export", system, db], b"");
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    assert!(output.stderr.is_empty(), "{}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8(output.stdout).unwrap()
}

#[test]
fn a_genesis_round_trip_preserves_every_byte() {
    for system in ["bank", "cl", "txo", "badges", "paw"] {
        let (folder, genesis) = exported(system);
        let document: serde_json::Value = serde_json::from_str(&genesis).unwrap();
        assert_eq!(document["genesis"], system);
        assert!(document["rows"].as_array().unwrap().len() > 100);
        let made = folder.run(&["genesis", "import", system, "b.redb", "genesis.json"]);
        assert!(made.contains("created b.redb with "), "{made}");
        assert!(export(&folder, system, "b.redb") == genesis, "{system}");
        let holds = folder.run(&["invariants", system, "b.redb"]);
        assert!(holds.contains("all invariants hold"), "{holds}");
        // Any white space is allowed between rows.
        let spaced = genesis.replace(",\n{", " \n , \t{").replace("\"rows\":[", " \"rows\" : [ ");
        let args = ["genesis", "import", system, "c.redb"];
        assert!(folder.run_with(&args, spaced).contains("created c.redb"));
        assert!(export(&folder, system, "c.redb") == genesis, "{system}");
        assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 4);
    }
}

/// Each system of a chain can be exported from the shared file, and imported on its own.
#[test]
fn the_systems_of_a_chain_have_a_genesis_each() {
    let (folder, _) = simulated("chain");
    for system in ["bank", "cl", "txo", "badges", "paw"] {
        let genesis = export(&folder, system, "a.redb");
        let db = format!("{system}.redb");
        let made = folder.run_with(&["genesis", "import", system, &db], &genesis);
        assert!(made.contains(&format!("created {db} with ")), "{made}");
        assert!(export(&folder, system, &db) == genesis, "{system}");
    }
    assert_snapshot!(rejected(folder.run(&["genesis", "export", "chain", "a.redb"])), @"
    error: `chain` combines several systems and has no genesis
      help: export its systems one by one, for instance `keyscape genesis export paw DB`
    ");
}

#[test]
fn a_genesis_with_a_wrong_supply_is_rejected() {
    let (folder, genesis) = exported("bank");
    let mut document: serde_json::Value = serde_json::from_str(&genesis).unwrap();
    let rows = document["rows"].as_array_mut().unwrap();
    let mut supplies = rows.iter_mut().filter(|row| row["keyspace"] == "supply");
    let [first, second] = [supplies.next().unwrap(), supplies.next().unwrap()].map(|row| {
        let (denom, supply) = (row["fields"]["denom"].take(), row["value"].take());
        row["fields"]["denom"] = denom.clone();
        row["value"] = "7".into();
        // Only large numbers are text.
        let supply = supply.as_str().map_or_else(|| supply.to_string(), str::to_owned);
        let denom = denom.as_str().unwrap();
        format!("  supply: 7{denom} are stated, and the balances add up to {supply}{denom}\n")
    });
    let folder = folder.file("other.json", document.to_string());
    let refused = folder.run(&["genesis", "import", "bank", "b.redb", "other.json"]);
    let start = "error: this is not a valid first state of `bank`\n";
    let end = "  help: nothing was written\n--- exit 1\n";
    assert!(refused.ends_with(&format!("{start}{first}{second}{end}")), "{refused}");
    assert!(!folder.path().join("b.redb").exists());
    assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 3);
}

#[test]
fn an_invalid_genesis_leaves_no_file() {
    let (folder, genesis) = exported("bank");
    let import = |text: &str| {
        let shown = folder.run_with(&["genesis", "import", "bank", "b.redb"], text);
        assert!(!folder.path().join("b.redb").exists());
        shown
    };
    assert_snapshot!(rejected(import("")), @"
    error: stdin is not a genesis: EOF while parsing a value at line 1 column 0
      help: `keyscape genesis export` writes one
    ");
    assert_snapshot!(rejected(import("[]")), @"
    error: stdin is not a genesis: invalid type: sequence, expected an object with `genesis`, then `rows` at line 1 column 1
      help: `keyscape genesis export` writes one
    ");
    assert_snapshot!(rejected(import(r#"{"rows":[]}"#)), @"
    error: stdin is not a genesis: `genesis` must be its first member at line 1 column 8
      help: `keyscape genesis export` writes one
    ");
    assert_snapshot!(rejected(import(r#"{"genesis":"txo","rows":[]}"#)), @"
    error: stdin is a genesis of `txo`, not of `bank`
      help: `keyscape genesis import txo …`
    ");
    assert_snapshot!(rejected(import(r#"{"genesis":"bank","rows":[],"more":1}"#)), @"
    error: stdin is not a genesis: `more` is not allowed after `rows` at line 1 column 37
      help: `keyscape genesis export` writes one
    ");
    assert_snapshot!(rejected(import(r#"{"genesis":"bank","rows":[{"keyspace":"supply","fields":{"denom":"u$"},"value":"1"}]}"#)), @"
    error: stdin, row 1: field `denom`: `$` at position 2 of `u$` is not allowed
      nothing was written
      help: expected text matching `[a-zA-Z][a-zA-Z0-9/:._-]{2,127}`
    ");
    let row = r#"{"keyspace":"supply","fields":{"denom":"moon"},"value":1},"#;
    let twice = genesis.replacen("[\n", &format!("[\n{row}\n{row}\n"), 1);
    assert_snapshot!(rejected(import(&twice)), @"
    error: stdin, row 2: this row occurs twice
      nothing was written
    ");
    assert_snapshot!(rejected(import(r#"{"genesis":"bank","rows":[]}"#)), @"
    error: stdin has no rows
      help: `keyscape genesis export` writes one
    ");
    let cut = import(&genesis[..genesis.len() / 2]);
    assert!(cut.contains("EOF while parsing") && cut.ends_with("--- exit 2\n"), "{cut}");
    assert_snapshot!(rejected(folder.run(&["genesis", "import", "bank", "a.redb", "genesis.json"])), @"
    error: `a.redb` already exists
      help: choose another file; this one was not changed
    ");
    assert_snapshot!(rejected(folder.run(&["genesis", "import", "bank", "b.redb", "none.json"])), @"error: cannot read `none.json`: there is no such file");
    assert_snapshot!(rejected(folder.run(&["genesis", "export", "txo", "a.redb"])), @"
    error: `a.redb` has no rows of `txo`
      help: `keyscape sim txo --db DB` creates a file with such rows
    ");
}

#[test]
fn the_help_for_a_missing_file_names_the_simulation() {
    let folder = Folder::new();
    insta::assert_snapshot!(rejected(folder.run(&["genesis", "export", "txo", "none.redb"])), @"
    error: cannot open `none.redb`: there is no such file
      help: `keyscape sim txo --db none.redb` creates one
    ");
    insta::assert_snapshot!(rejected(folder.run(&["invariants", "txo", "none.redb"])), @"
    error: cannot open `none.redb`: there is no such file
      help: `keyscape sim txo --db none.redb` creates one
    ");
    insta::assert_snapshot!(rejected(folder.run(&["invariants", "txo", "no/none.redb"])), @"error: cannot open `no/none.redb`: there is no directory `no`");
}
