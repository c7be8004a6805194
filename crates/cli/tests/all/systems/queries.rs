//! `keyscape bank`, `keyscape txo`, …, and genesis documents of Cosmos chains.

use crate::harness::{Folder, printed, simulated};
use insta::assert_snapshot;
use serde_json::{Value, json};

const GENESIS: &str = include_str!("../../../../../testing/corpus/golden/genesis.json");
const ANN: &str = "cosmos1qyqqqqqqqqqqqqqqqqqqqqqqqqqqqqqq2j8al7";
const BOB: &str = "cosmos1qgqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqggwm7m";
/// The account of the document that vests.
const VESTING: &str = "cosmos1qvqqqqqqqqqqqqqqqqqqqqqqqqqqqqqq3efexc";

/// Imports the genesis of a real chain.
fn imported() -> Folder {
    let folder = Folder::new().file("genesis.json", GENESIS);
    let made =
        folder.run(&["genesis", "import", "bank", "b.redb", "--from", "cosmos", "genesis.json"]);
    assert!(made.contains("created b.redb with 38 rows"), "{made}");
    folder
}

#[test]
fn a_genesis_of_cosmos_round_trips() {
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
fn metadata_that_the_sdk_would_reject_are_a_warning() {
    let folder = Folder::new();
    let mut document: Value = serde_json::from_str(GENESIS).unwrap();
    document["app_state"]["bank"]["denom_metadata"][0]["display"] = "other".into();
    let import = ["genesis", "import", "bank", "b.redb", "--from", "cosmos"];
    let warning = "warning: metadata: `uatom`: the displayed unit is not one of the units";
    let made = folder.run_with(&import, document.to_string());
    assert!(made.contains(warning) && made.ends_with("--- exit 0\n"), "{made}");
    let checked = folder.run(&["invariants", "bank", "b.redb"]);
    assert!(checked.contains(warning) && checked.ends_with("--- exit 0\n"), "{checked}");
    assert!(checked.contains("all invariants hold on 38 rows"), "{checked}");
    document["app_state"]["bank"]["denom_metadata"][0]["base"] = "u$".into();
    let refused = folder.run_with(
        &["genesis", "import", "bank", "c.redb", "--from", "cosmos"],
        document.to_string(),
    );
    assert!(refused.contains("bank.denom_metadata[0]"), "{refused}");
    assert!(refused.ends_with("--- exit 2\n"), "{refused}");
}

#[test]
fn a_chain_with_another_prefix_is_shown_with_it() {
    let (mut text, osmo) = (GENESIS.to_owned(), keyscape_bank::Prefix::new("osmo").unwrap());
    let show = |cosmos: &str| osmo.show(&cosmos.parse().unwrap());
    for byte in 1..=5_u8 {
        let address = keyscape_bank::Address::new([&[byte][..], &[0; 19]].concat()).unwrap();
        text = text.replace(&address.to_string(), &osmo.show(&address));
    }
    let folder = Folder::new();
    let made = folder.run_with(&["genesis", "import", "bank", "b.redb", "--from", "cosmos"], text);
    assert!(made.contains("created b.redb with 38 rows"), "{made}");
    let (ann, new) = (show(ANN), osmo.show(&keyscape_bank::Address::new(vec![9; 20]).unwrap()));
    // The prefix of the layout is accepted too.
    for owner in [&*ann, ANN] {
        let balance = folder.run(&["bank", "balance", "b.redb", owner, "uatom"]);
        assert!(balance.contains("uatom  100\n"), "{balance}");
    }
    let sent = folder.run(&["bank", "send", "b.redb", &ann, &new, "30uatom"]);
    assert!(sent.contains(&format!("recipient={new} sender={ann} amount=30uatom")), "{sent}");
    let poor = folder.run(&["bank", "send", "b.redb", &ann, &new, "71uatom"]);
    assert!(poor.contains(&format!("`{ann}` can spend 70uatom")), "{poor}");
    let other = ann.replacen("osmo", "juno", 1);
    let other = folder.run(&["bank", "balance", "b.redb", &other]);
    assert!(other.contains("expected an address in bech32"), "{other}");
    let juno = keyscape_bank::Prefix::new("juno").unwrap().show(&ANN.parse().unwrap());
    let other = folder.run(&["bank", "balance", "b.redb", &juno]);
    assert!(other.contains("addresses of this chain begin with `osmo1`"), "{other}");
    let args = ["genesis", "export", "bank", "b.redb", "--as", "cosmos"];
    let exported = folder.stdout(&args);
    assert!(exported.contains(&new) && !exported.contains("cosmos1"), "{exported}");
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
    let args = ["bank", "supply", "b.redb", "--limit", "1", "--format", "json"];
    assert_snapshot!(printed(folder.run(&args)), @r#"
    {"denom":"stake","amount":"35"}
    {"next":"bank/supply>007374616b65"}
    "#);
    let sent =
        folder.output(&["bank", "send", "b.redb", ANN, BOB, "30uatom", "--format", "json"], b"");
    let sent = String::from_utf8(sent.stdout).unwrap();
    let transfer: Value = serde_json::from_str(sent.lines().nth(2).unwrap()).unwrap();
    let attributes = json!({ "recipient": BOB, "sender": ANN, "amount": "30uatom" });
    assert_eq!(transfer, json!({ "event": "transfer", "attributes": attributes }));
    let balance = folder.run(&["bank", "balance", "b.redb", ANN, "uatom"]);
    assert!(balance.contains("uatom  70\n"), "{balance}");
    let fees = keyscape_bank::keeper::module_address("fee_collector").unwrap().to_string();
    for (args, text, exit) in [
        (vec!["send", "b.redb", ANN, BOB, "30stake"], "sending `stake` is disabled", 1),
        (vec!["send", "b.redb", ANN, BOB, "71uatom"], "can spend 70uatom", 1),
        (vec!["send", "b.redb", ANN, "bob", "1uatom"], "`bob` is not a valid TO", 2),
        (vec!["send", "none.redb", ANN, BOB, "1uatom"], "there is no such file", 2),
        (vec!["send", "b.redb", ANN, &fees, "1uatom"], "may not receive coins", 1),
        (vec!["send", "b.redb", ANN, BOB, "1uatom", "--blocked", BOB], "may not receive coins", 1),
        (vec!["balance", "b.redb", ANN, "uatom", "--limit", "3"], "`--limit` does not apply", 2),
        (vec!["balance", "b.redb", ANN, "--limit", "0"], "expected a number from 1", 2),
        (vec!["supply", "b.redb", "--limit", "abc"], "`abc` is not a valid `--limit`", 2),
        (vec!["supply", "b.redb", "--limit", "-1"], "expected a number from 0", 2),
        (vec!["supply", "b.redb", "nope"], "`nope` has no supply", 1),
        (vec!["owners", "b.redb", "nope"], "no account holds `nope`", 1),
        (vec!["metadata", "b.redb", "nope"], "`nope` has no metadata", 1),
    ] {
        let shown = folder.run(&[&["bank"][..], &args].concat());
        assert!(shown.contains(text) && shown.ends_with(&format!("--- exit {exit}\n")), "{shown}");
    }
    let holds = folder.run(&["invariants", "bank", "b.redb"]);
    assert!(holds.contains("all invariants hold on 38 rows"), "{holds}");
    let help = folder.run(&["bank", "-h"]);
    assert!(help.contains("owners         List the accounts that hold a denomination"), "{help}");
    assert!(help.contains("  keyscape bank send bank.redb cosmos1… cosmos1… 5stake,"), "{help}");
    assert_eq!(folder.run(&["bank", "help"]), folder.run(&["bank", "--help"]));
    assert_eq!(folder.run(&["txo", "help", "search"]), folder.run(&["txo", "search", "--help"]));
    let help = folder.run(&["bank", "owners", "-h"]);
    assert!(help.contains("keyscape bank owners bank.redb uatom --limit 10"), "{help}");
    assert!(help.contains("--limit <ROWS>") && help.contains("--after <CURSOR>"), "{help}");
}

#[test]
fn a_send_creates_the_account_of_a_module() {
    let folder = imported();
    let gov = keyscape_bank::keeper::module_address("gov").unwrap().to_string();
    let own = keyscape_bank::keeper::module_address("own").unwrap().to_string();
    for (to, args) in [(&gov, &[][..]), (&own, &["--module", "own=minter,other"])] {
        folder.stdout(&[&["bank", "send", "b.redb", ANN, to, "1uatom"], args].concat());
    }
    let account = folder.run(&["bank", "account", "b.redb", &own]);
    assert!(account.contains("permissions  minter\npermissions  other\n"), "{account}");
    let twice = folder.run(&["bank", "create-module", "b.redb", "gov"]);
    assert!(twice.contains(&format!("account `{gov}` already exists")), "{twice}");
    // A plain account at the address of a module is reported, and repaired with any permission.
    let mint = keyscape_bank::keeper::module_address("mint").unwrap().to_string();
    let mut document: Value = serde_json::from_str(GENESIS).unwrap();
    let plain = json!({
        "@type": "/cosmos.auth.v1beta1.BaseAccount", "address": mint,
        "pub_key": null, "account_number": "9", "sequence": "0",
    });
    document["app_state"]["auth"]["accounts"].as_array_mut().unwrap().push(plain);
    let import = ["genesis", "import", "bank", "c.redb", "--from", "cosmos"];
    let made = folder.run_with(&import, document.to_string());
    assert!(made.contains("the address belongs to the module `mint`"), "{made}");
    let args = ["bank", "create-module", "c.redb", "mint", "--permissions", "minter,printer"];
    let repaired = folder.run(&args);
    assert!(repaired.contains(&format!("mint    {mint}  9\n")), "{repaired}");
    let checked = folder.run(&["invariants", "bank", "c.redb"]);
    assert!(!checked.contains("warning"), "{checked}");
}

/// Runs a query as a table and as JSON. Returns the rows of the JSON.
fn rows(folder: &Folder, args: &[&str]) -> Vec<Value> {
    let table = folder.run(args);
    assert!(table.ends_with("--- exit 0\n"), "{args:?}: {table}");
    assert!(table.lines().count() > 3, "{args:?} has no rows: {table}");
    let output = folder.output(&[args, &["--format", "json"]].concat(), b"");
    assert!(output.status.success(), "{args:?}");
    let lines = String::from_utf8(output.stdout).unwrap();
    let rows = lines.lines().map(|line| serde_json::from_str(line).unwrap());
    let rows: Vec<Value> = rows.collect();
    assert!(rows.iter().all(Value::is_object) && !rows.is_empty(), "{args:?}: {lines}");
    rows
}

/// Returns the rows of a keyspace in a genesis document.
fn stored<'d>(document: &'d Value, keyspace: &str) -> Vec<&'d Value> {
    let rows = document["rows"].as_array().unwrap().iter();
    rows.filter(|row| {
        let name = row["keyspace"].as_str().unwrap();
        name.rsplit('.').next() == Some(keyspace)
    })
    .collect()
}

/// Returns the rows of a simulated system.
fn document(folder: &Folder, system: &str, db: &str) -> Value {
    let output = folder.output(&["genesis", "export", system, db], b"");
    serde_json::from_slice(&output.stdout).unwrap()
}

#[test]
fn every_query_of_the_bank_answers() {
    let folder = imported();
    let rows = |args: &[&str]| rows(&folder, &[&["bank"], args].concat());
    let cases: [(&[&str], Value); 11] = [
        (&["balance", "b.redb", ANN], json!({ "denom": "stake", "amount": "7" })),
        (&["spendable", "b.redb", ANN], json!({ "denom": "stake", "amount": "7" })),
        (&["owners", "b.redb", "uatom"], json!({ "owner": ANN, "amount": "100" })),
        (&["supply", "b.redb", "uatom"], json!({ "denom": "uatom", "amount": "510" })),
        (&["metadata", "b.redb", "uatom"], json!({ "base": "uatom" })),
        (&["send-enabled", "b.redb"], json!({ "denom": "stake", "enabled": false })),
        (&["send-enabled", "b.redb", "uatom"], json!({ "denom": "uatom", "enabled": true })),
        (&["params", "b.redb"], json!({ "tx_sig_limit": 7, "max_memo_characters": 256 })),
        (&["counts", "b.redb"], json!({ "prefix": "cosmos", "accounts": 5 })),
        (&["account", "b.redb", ANN], json!({ "address": ANN, "number": 0, "vesting": null })),
        (&["accounts", "b.redb"], json!({ "number": 0, "address": ANN })),
    ];
    for (args, expected) in cases {
        let found = rows(args);
        for (name, value) in expected.as_object().unwrap() {
            assert_eq!(found[0][name], *value, "{args:?}: {found:?}");
        }
    }
    let vesting = rows(&["account", "b.redb", VESTING]);
    assert_eq!(vesting[0]["vesting"]["schedule"], "continuous", "{vesting:?}");
    let args = ["bank", "create-module", "b.redb", "gov", "--format", "json"];
    let made = folder.output(&args, b"").stdout;
    let made: Value = serde_json::from_slice(&made).unwrap();
    assert_eq!((&made["module"], &made["number"]), (&json!("gov"), &json!(5)));
}

#[test]
fn every_query_of_the_index_answers() {
    let (folder, _) = simulated("txo");
    let document = document(&folder, "txo", "a.redb");
    search_odd_symbols(&folder, &document);
    let rows = |args: &[&str]| rows(&folder, &[&["txo"], args].concat());
    let text = |value: &Value| value.as_str().unwrap().to_owned();
    let topic = text(&rows(&["topics", "a.redb"])[0]["topic"]);
    let found = rows(&["search", "a.redb", &format!("tp:{topic}")]);
    let output = text(&found[0]["output"]);
    assert!(found[0]["satoshis"].is_string(), "{found:?}");
    let record = rows(&["output", "a.redb", &output]);
    assert_eq!((record.len(), &record[0]["output"]), (1, &json!(output)));
    assert!(record[0]["topics"][0]["merkle_state"].is_u64(), "{record:?}");
    // Every printed event is a key, and so is the transaction in upper case.
    for event in record[0]["events"].as_array().unwrap() {
        let listed = rows(&["search", "a.redb", event.as_str().unwrap()]);
        assert!(listed.iter().any(|row| row["output"] == output), "{event}: {listed:?}");
        assert!(rows(&["balance", "a.redb", event.as_str().unwrap()])[0]["satoshis"].is_string());
    }
    let upper = output.split_once('.').unwrap().0.to_uppercase();
    rows(&["search", "a.redb", &format!("txid:{upper}")]);
    rows(&["merkle", "a.redb", &topic]);
    let applied = stored(&document, "topic_txs");
    rows(&["applied", "a.redb", applied[0]["fields"]["topic"].as_str().unwrap()]);
    let logs = stored(&document, "logs");
    rows(&["log", "a.redb", logs[0]["fields"]["log"].as_str().unwrap()]);
    for query in ["progress", "peers", "lists", "sets"] {
        rows(&[query, "a.redb"]);
    }
    let set = text(&rows(&["sets", "a.redb"])[0]["set"]);
    rows(&["sets", "a.redb", &set]);
    let dead = stored(&document, "subscriptions");
    let dead = dead.iter().find(|row| row["family"] == "dead").expect("a dead transaction");
    let name = dead["fields"]["subscription"].as_str().unwrap();
    rows(&["dead", "a.redb", "--subscription", name]);
    let first = rows(&["progress", "a.redb", "--limit", "1"]);
    let next = rows(&["progress", "a.redb", "--after", first[1]["next"].as_str().unwrap()]);
    assert!(next[0] != first[0], "{next:?}");
    for blocks in ["1", "0"] {
        let args = ["txo", "rollback", "a.redb", "--to", "19", "--format", "json"];
        let removed = folder.stdout(&args);
        let first: Value = serde_json::from_str(removed.lines().next().unwrap()).unwrap();
        assert_eq!(first, json!({ "what": "blocks", "name": blocks, "effect": "removed" }));
    }
    let holds = folder.run(&["invariants", "txo", "a.redb"]);
    assert!(holds.contains("all invariants hold"), "{holds}");
    for (args, text, exit) in [
        (vec!["rollback", "a.redb"], "expected either a transaction, or `--to`", 2),
        (vec!["search", "a.redb", "nonsense"], "expected an event that begins with `txid:`", 2),
        (
            vec!["search", "a.redb", "own:x"],
            "`own:x` is not a valid KEY: expected `own:ADDRESS`",
            2,
        ),
        (vec!["search", "a.redb", "tp:nope"], "the topic `nope` has no outputs", 1),
        (vec!["search", "a.redb", "tp:t:tx"], "`txo applied DB t` lists the transactions", 2),
        (vec!["search", "a.redb", "own:x:spnd"], "`--spent` searches spent outputs", 2),
        (vec!["search", "a.redb", "tp:t", "--spent"], "`--spent` applies to events only", 2),
        (vec!["applied", "a.redb", "nope"], "has applied no transaction", 1),
        (vec!["log", "a.redb", "nope"], "the log `nope` has no transactions", 1),
        (vec!["sets", "a.redb", "nope"], "there is no set `nope`", 1),
        (vec!["merkle", "a.redb", "nope"], "the topic `nope` has no outputs", 1),
        (vec!["dead", "a.redb", "xx"], "`xx` is not a valid TOKEN: expected a token", 2),
        (vec!["output", "a.redb", &format!("{upper}.02")], "expected an index", 2),
        (vec!["output", "a.redb", &format!("{upper}.+2")], "expected an index", 2),
        (vec!["topics", "a.redb", "--after", "nope"], "no row with this cursor", 2),
    ] {
        let shown = folder.run(&[&["txo"][..], &args].concat());
        assert!(shown.contains(text) && shown.ends_with(&format!("--- exit {exit}\n")), "{shown}");
    }
}

/// Searches symbols that end like the key of spent outputs, or look like an escape.
fn search_odd_symbols(folder: &Folder, document: &Value) {
    let rows = |args: &[&str]| rows(folder, &[&["txo", "search", "a.redb"], args].concat());
    let has = |event: &str| {
        let events = stored(document, "events");
        events.iter().any(|row| row["fields"]["event"].to_string().contains(event))
    };
    assert!(has("FOO%3Aspnd") && has("50%25"), "the simulation draws these symbols");
    assert_eq!(rows(&["sym:FOO:spnd"]), rows(&["sym:FOO%3Aspnd"]));
    assert_eq!(rows(&["sym:50%"]), rows(&["sym:50%25"]));
    let spent = rows(&["sym:FOO", "--spent"]);
    assert!(spent.iter().all(|row| row["spent_by"].is_string()), "{spent:?}");
}

#[test]
fn every_query_of_the_other_systems_answers() {
    let folder = Folder::new();
    for system in ["cl", "badges", "paw"] {
        let (made, to) = (simulated(system).0, folder.path().join(format!("{system}.redb")));
        std::fs::copy(made.path().join("a.redb"), to).unwrap();
    }
    let paw = document(&folder, "paw", "paw.redb");
    let rows = |args: &[&str]| rows(&folder, args);
    let text = |value: &Value| value.as_str().map_or_else(|| value.to_string(), str::to_owned);
    let pools = rows(&["cl", "pools", "cl.redb"]);
    let has_digit = |value: &Value| text(value).bytes().any(|byte| (b'1'..=b'9').contains(&byte));
    let pool = pools.iter().find(|pool| has_digit(&pool["liquidity"])).expect("a pool in use");
    let (id, base, quote) = (text(&pool["pool"]), text(&pool["token0"]), text(&pool["token1"]));
    assert_eq!(rows(&["cl", "price", "cl.redb", &id, &base, &quote])[0]["base"], base);
    let itself = folder.run(&["cl", "price", "cl.redb", &id, &base, &base]);
    let why = format!("error: `{base}` is not a valid QUOTE: expected another token than `BASE`");
    assert!(itself.contains(&why) && itself.ends_with("--- exit 2\n"), "{itself}");
    let position = &rows(&["cl", "positions", "cl.redb", "--pool", &id])[0];
    rows(&["cl", "positions", "cl.redb", "--owner", &text(&position["owner"])]);
    let first = rows(&["cl", "ticks", "cl.redb", &id, "--limit", "1"]);
    rows(&["cl", "ticks", "cl.redb", &id, "--after", first[1]["next"].as_str().unwrap()]);

    let first = rows(&["badges", "collections", "badges.redb", "--limit", "1"]);
    rows(&["badges", "collections", "badges.redb", "--after", &text(&first[0]["collection"])]);
    let collections = rows(&["badges", "collections", "badges.redb"]);
    let in_use = collections.iter().find(|collection| {
        let id = text(&collection["collection"]);
        !folder
            .output(&["badges", "total", "badges.redb", &id, "--format", "json"], b"")
            .stdout
            .is_empty()
    });
    let in_use = in_use.expect("a collection with badges");
    let (id, owner) = (text(&in_use["collection"]), text(&in_use["created_by"]));
    rows(&["badges", "total", "badges.redb", &id]);
    rows(&["badges", "manager", "badges.redb", &id, "1700000000000"]);
    let balance = folder.run(&["badges", "balance", "badges.redb", &id, &owner]);
    assert!(balance.contains("badges") && balance.ends_with("--- exit 0\n"), "{balance}");

    for query in ["pools", "price", "providers"] {
        rows(&["paw", query, "paw.redb"]);
    }
    let asset = text(&rows(&["paw", "price", "paw.redb"])[0]["asset"]);
    rows(&["paw", "price", "paw.redb", &asset]);
    let request = stored(&paw, "requests");
    let request = text(&request[0]["fields"]["request"]);
    assert_eq!(text(&rows(&["paw", "request", "paw.redb", &request])[0]["request"]), request);
    for (args, text) in [
        (&["cl", "ticks", "cl.redb", "999999"][..], "999999"),
        (&["cl", "positions", "cl.redb", "--pool", "999999"], "999999"),
        (&["cl", "price", "cl.redb", "999999", "eth", "usdc"], "999999"),
        (&["badges", "total", "badges.redb", "999"], "there is no collection 999"),
        (&["badges", "manager", "badges.redb", "999", "1"], "there is no collection 999"),
        (&["paw", "request", "paw.redb", "999999"], "999999"),
    ] {
        let shown = folder.run(args);
        assert!(shown.contains(text) && shown.ends_with("--- exit 1\n"), "{shown}");
    }
}
