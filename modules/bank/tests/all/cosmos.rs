//! Genesis documents of the Cosmos SDK: the rows that its code writes, and the document again.

use crate::setup::{Outcome, address, begin, empty, sound};
use keyscape::store::{KeyRange, Read, StoreId, Tx};
use keyscape_bank::{
    Rules,
    cosmos::{self, CosmosError},
    keeper,
};
use keyscape_testkit::{hex, unhex};
use serde_json::{Value, json};
use std::collections::BTreeMap;

pub(crate) const DOCUMENT: &str = include_str!("../../../../testing/corpus/golden/genesis.json");
/// Made by `InitGenesis` of cosmos-sdk v0.50.15. It calls the store of accounts `auth`.
const ROWS: &str = include_str!("../../../../testing/corpus/golden/genesis-rows.jsonl");

type Rows = BTreeMap<(String, String), String>;

fn stored(tx: &Tx<'_>) -> Result<Rows, keyscape::store::StoreError> {
    let mut stored = Rows::new();
    for store in ["bank", "acc"] {
        let mut rows = tx.rows(StoreId::of(store), KeyRange::all())?;
        while let Some(row) = rows.next()? {
            stored.insert((store.to_owned(), hex(row.key)), hex(row.value));
        }
    }
    Ok(stored)
}

pub(crate) fn export(tx: &Tx<'_>, rules: &Rules) -> Result<String, CosmosError> {
    let mut out = Vec::new();
    cosmos::export(tx, rules, "test-1", &mut out)?;
    Ok(String::from_utf8(out).expect("JSON is UTF-8"))
}

#[test]
fn the_rows_of_a_real_genesis_are_those_of_the_sdk() -> Outcome {
    let db = empty();
    let mut tx = begin(&db);
    let imported = cosmos::import(&mut tx, &Rules::default(), DOCUMENT)?;
    assert_eq!((imported.accounts, imported.balances), (5, 5));
    assert_eq!((&*imported.chain_id, imported.supply_is_computed), ("test-1", false));
    let mut expected = Rows::new();
    for line in ROWS.lines() {
        let row: BTreeMap<String, String> = serde_json::from_str(line)?;
        let store = if row["store"] == "auth" { "acc" } else { &*row["store"] };
        expected.insert((store.to_owned(), row["key"].clone()), row["bytes"].clone());
    }
    assert_eq!(expected.len(), 38);
    assert_eq!(stored(&tx)?, expected);
    sound(&tx);
    assert_eq!(export(&tx, &Rules::default())?.trim_end(), DOCUMENT.trim_end());
    Ok(())
}

/// Imports a changed document, and exports it again.
fn changed(change: impl FnOnce(&mut Value)) -> Result<String, CosmosError> {
    let mut document: Value = serde_json::from_str(DOCUMENT)?;
    change(&mut document);
    let db = empty();
    let mut tx = begin(&db);
    cosmos::import(&mut tx, &Rules::default(), &document.to_string())?;
    export(&tx, &Rules::default())
}

#[test]
fn every_account_type_survives_a_round_trip() -> Outcome {
    let base = |byte: u8, number: u64| {
        json!({
            "address": address(byte).to_string(),
            "pub_key": null,
            "account_number": number.to_string(),
            "sequence": "7",
        })
    };
    let key =
        |kind: &str| json!({ "@type": format!("/cosmos.crypto.{kind}.PubKey"), "key": "AQID" });
    let multisig = json!({
        "@type": "/cosmos.crypto.multisig.LegacyAminoPubKey",
        "threshold": 2,
        "public_keys": [key("secp256k1"), key("ed25519")],
    });
    let vesting = |byte, number| {
        json!({
            "base_account": base(byte, number),
            "original_vesting": [{ "denom": "stake", "amount": "9" }],
            "delegated_free": [],
            "delegated_vesting": [{ "denom": "stake", "amount": "4" }],
            "end_time": "1800000000",
        })
    };
    let mut signed = base(11, 5);
    signed["pub_key"] = multisig;
    signed["@type"] = "/cosmos.auth.v1beta1.BaseAccount".into();
    let periods = json!([{ "length": "100", "amount": [{ "denom": "stake", "amount": "9" }] }]);
    let accounts = [
        json!({ "@type": "/cosmos.auth.v1beta1.BaseAccount" }),
        json!({
            "@type": "/cosmos.auth.v1beta1.ModuleAccount",
            "base_account": base(12, 6),
            "name": "x",
            "permissions": ["minter", "other"],
        }),
        json!({
            "@type": "/cosmos.vesting.v1beta1.PeriodicVestingAccount",
            "base_vesting_account": vesting(13, 7),
            "start_time": "1799999900",
            "vesting_periods": periods,
        }),
        json!({
            "@type": "/ibc.applications.interchain_accounts.v1.InterchainAccount",
            "base_account": base(14, 8),
            "account_owner": "controller",
        }),
        json!({
            "@type": "/ethermint.types.v1.EthAccount",
            "base_account": base(15, 9),
            "code_hash": "0xff",
        }),
    ];
    let mut expected: Value = serde_json::from_str(DOCUMENT)?;
    let list = expected["app_state"]["auth"]["accounts"].as_array_mut().ok_or("a list")?;
    list.push(signed);
    list.extend(accounts.into_iter().skip(1));
    let document = expected.clone();
    let exported: Value = serde_json::from_str(&changed(|value| *value = document)?)?;
    assert_eq!(exported, expected);
    Ok(())
}

#[test]
fn a_supply_is_computed_and_numbers_are_made_unique() -> Outcome {
    let exported = changed(|document| {
        let state = &mut document["app_state"];
        state["bank"]["supply"] = json!([]);
        state["gov"] = json!({ "anything": [1, 2] });
        let accounts = state["auth"]["accounts"].as_array_mut().expect("a list");
        for account in accounts.iter_mut().filter(|account| account.get("account_number").is_some())
        {
            account["account_number"] = "0".into();
        }
    })?;
    let exported: Value = serde_json::from_str(&exported)?;
    let original: Value = serde_json::from_str(DOCUMENT)?;
    let bank = |document: &Value| document["app_state"]["bank"].clone();
    assert_eq!(bank(&exported), bank(&original));
    let numbers: Vec<&Value> = exported["app_state"]["auth"]["accounts"]
        .as_array()
        .ok_or("a list")?
        .iter()
        .filter_map(|account| account.get("account_number"))
        .collect();
    assert_eq!(numbers, ["0", "1", "3", "4"]);
    Ok(())
}

#[test]
fn settings_of_older_parameters_become_rows() -> Outcome {
    let exported = changed(|document| {
        let bank = &mut document["app_state"]["bank"];
        bank["params"]["send_enabled"] = bank["send_enabled"].take();
    })?;
    assert_eq!(exported.trim_end(), DOCUMENT.trim_end());
    Ok(())
}

/// The generator of secp256k1 as a public key.
const GENERATOR: &str = "Anm+Zn753LusVaBilc6HCwcCm/zbLc4o2VnygVsW+BeY";

/// Repeats the first element of a list.
fn twice(list: &mut Value) {
    let first = list[0].clone();
    list.as_array_mut().expect("a list").insert(0, first);
}

/// The hash of this key is the first test vector of BIP-173.
#[test]
fn a_public_key_that_belongs_to_its_address_is_accepted() -> Outcome {
    let hash = "751e76e8199196d454941c45d1b3a323f1433bd6";
    let address = keyscape_bank::Address::new(unhex(hash).ok_or("digits")?)?;
    changed(|value| {
        let key = json!({ "@type": "/cosmos.crypto.secp256k1.PubKey", "key": GENERATOR });
        let account = &mut value["app_state"]["auth"]["accounts"][0];
        account["pub_key"] = key;
        account["address"] = address.to_string().into();
    })?;
    Ok(())
}

#[test]
fn documents_that_are_wrong_are_rejected_with_the_path() {
    type Change = fn(&mut Value);
    let cases: [(Change, &str); 15] = [
        (|value| value["app_state"]["bank"]["supply"][0]["amount"] = "36".into(), "35stake"),
        (|value| value["app_state"]["bank"] = json!(7), "`bank`: expected an object"),
        (
            |value| drop(value["app_state"].as_object_mut().map(|o| o.remove("auth"))),
            "app_state.auth",
        ),
        (
            |value| value["app_state"]["auth"]["accounts"][0]["@type"] = "/a.B".into(),
            "`/a.B` are unknown: a program registers them with `Rules::with_message_type`",
        ),
        (
            |value| value["app_state"]["auth"]["accounts"][0]["color"] = 1.into(),
            "`color` is unknown",
        ),
        (|value| value["app_state"]["auth"]["accounts"][1]["address"] = "x".into(), "accounts[1]"),
        (
            |value| {
                let first = value["app_state"]["bank"]["balances"][0].clone();
                value["app_state"]["bank"]["balances"][1] = first;
            },
            "has balances already",
        ),
        (
            |value| value["app_state"]["bank"]["balances"][2]["coins"][0]["amount"] = "-7".into(),
            "balances[2].coins[0]",
        ),
        (
            |value| value["app_state"]["bank"]["params"]["default_send_enabled"] = "yes".into(),
            "default_send_enabled",
        ),
        (
            |value| twice(&mut value["app_state"]["bank"]["denom_metadata"]),
            "bank.denom_metadata[1]`: `uatom` has metadata already",
        ),
        (
            |value| twice(&mut value["app_state"]["bank"]["send_enabled"]),
            "`stake` has a setting already",
        ),
        (
            |value| {
                let settings = value["app_state"]["bank"]["send_enabled"].clone();
                value["app_state"]["bank"]["params"]["send_enabled"] = settings;
            },
            "`bank.params.send_enabled` has settings too",
        ),
        (
            |value| {
                let key = json!({ "@type": "/cosmos.crypto.secp256k1.PubKey", "key": GENERATOR });
                value["app_state"]["auth"]["accounts"][0]["pub_key"] = key;
            },
            "accounts[0]`: the public key belongs to another address",
        ),
        (
            |value| {
                let key = json!({ "@type": "/cosmos.crypto.ed25519.PubKey", "key": GENERATOR });
                value["app_state"]["auth"]["accounts"][0]["pub_key"] = key;
            },
            "accounts[0]`: the public key belongs to another address",
        ),
        (
            |value| {
                let account = &mut value["app_state"]["auth"]["accounts"][0];
                account["accountNumber"] = "0".into();
            },
            "accounts[0].account_number`: the member occurs twice",
        ),
    ];
    for (change, text) in cases {
        let error = changed(change).expect_err(text);
        assert!(error.to_string().contains(text), "{text}: {error}");
    }
    let db = empty();
    let error =
        cosmos::import(&mut begin(&db), &Rules::default(), "no json").expect_err("not JSON");
    assert!(matches!(error, CosmosError::Json(_)), "{error}");
}

#[test]
fn an_account_of_an_unknown_type_is_not_exported() -> Outcome {
    let db = empty();
    let mut tx = begin(&db);
    cosmos::import(&mut tx, &Rules::default(), DOCUMENT)?;
    let any = keyscape_bank::values::Any {
        type_url: "/other.Account".into(),
        value: keeper::get_account(&tx, &address_of(1))?.ok_or("an account")?.message().to_vec(),
    };
    let account = keyscape_bank::Account::from_any(any)?;
    let key = keyscape_bank::layout::acc::AccountsAddress::new(address_of(1).as_bytes().to_vec())?;
    keyscape_bank::layout::acc::ACCOUNTS.put(&mut tx, key, &account)?;
    let error = export(&tx, &Rules::default()).expect_err("it would be lost");
    assert!(matches!(error, CosmosError::UnknownType { .. }), "{error}");
    Ok(())
}

/// Returns the address of the document that begins with a byte.
pub(crate) fn address_of(byte: u8) -> keyscape_bank::Address<'static> {
    let mut bytes = vec![0; 20];
    bytes[0] = byte;
    keyscape_bank::Address::new(bytes).expect("20 bytes")
}
