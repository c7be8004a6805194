//! States of real chains: other prefixes, metadata that the SDK does not validate, and account
//! types of programs.

use crate::{
    cosmos::{DOCUMENT, address_of},
    setup::{KEEPER, Outcome, address, begin, coins, empty, refused, sound},
};
use keyscape::store::Tx;
use keyscape_bank::{
    Address, BaseAccount, ErrorKind, Keeper, MessageType, Prefix, Reason, Rules,
    cosmos::{self, CosmosError},
    invariants, keeper, messages,
};
use prost::Message;
use serde_json::{Value, json};

fn document() -> Value {
    serde_json::from_str(DOCUMENT).expect("a document")
}

/// Returns the document with another prefix.
fn with_prefix(prefix: &Prefix) -> Value {
    let mut text = DOCUMENT.to_owned();
    for address in (1..=5).map(address_of) {
        text = text.replace(&address.to_string(), &prefix.show(&address));
    }
    assert!(!text.contains("cosmos1"));
    serde_json::from_str(&text).expect("a document")
}

fn import(tx: &mut Tx<'_>, document: &Value) -> Result<cosmos::Imported, CosmosError> {
    cosmos::import(tx, &Rules::default(), &document.to_string())
}

fn export(tx: &Tx<'_>, rules: &Rules) -> Result<Value, CosmosError> {
    Ok(serde_json::from_str(&crate::cosmos::export(tx, rules)?)?)
}

#[test]
fn accounts_of_a_chain_with_another_prefix_have_one_prefix() -> Outcome {
    let osmo = Prefix::new("osmo")?;
    let db = empty();
    let mut tx = begin(&db);
    import(&mut tx, &with_prefix(&osmo))?;
    assert_eq!(Prefix::of(&tx)?, Some(osmo.clone()));
    let ann = keeper::account_at(&tx, 0)?.ok_or("an account")?;
    messages::send(&mut tx, &Keeper::default(), 0, &ann, &address(9), &coins("1uatom"))?;
    keeper::create_module_account(&mut tx, "gov", &[])?;
    let new = keeper::get_account(&tx, &address(9))?.and_then(|account| account.base_account());
    assert_eq!(new.ok_or("an account")?.address, osmo.show(&address(9)));
    let exported = export(&tx, &Rules::default())?.to_string();
    assert!(!exported.contains("cosmos1"), "{exported}");
    sound(&tx);
    // A plain account with the prefix of another chain is a violation.
    let base = BaseAccount {
        address: address(8).to_string(),
        account_number: 7,
        ..BaseAccount::default()
    };
    let key = keyscape_bank::layout::acc::AccountsAddress::new(vec![8; 20])?;
    keyscape_bank::layout::acc::NEXT_ACCOUNT_NUMBER.set(&mut tx, 8)?;
    keyscape_bank::layout::acc::ACCOUNTS.put(&mut tx, key, &keyscape_bank::Account::base(&base))?;
    let broken = invariants::check(&tx)?;
    assert_eq!(broken.len(), 1, "{broken:?}");
    assert!(broken[0].to_string().contains("has the prefix `"), "{}", broken[0]);
    Ok(())
}

#[test]
fn rules_set_the_prefix_of_an_empty_state() -> Outcome {
    let db = empty();
    let mut tx = begin(&db);
    let rules = Rules::default().with_module("mint", &["minter"])?.with_prefix(Prefix::new("inj")?);
    Keeper::new(rules).mint(&mut tx, "mint", &coins("1foo"))?;
    KEEPER.create_account(&mut tx, &address(1))?;
    assert_eq!(Prefix::of(&tx)?, Some(Prefix::new("inj")?));
    sound(&tx);
    assert!(Prefix::new("Osmo").is_err() && Prefix::new("").is_err());
    Ok(())
}

#[test]
fn a_document_with_two_prefixes_is_rejected() -> Outcome {
    for prefix in ["osmo", "cosmosvaloper"] {
        let mut document = document();
        let other = Prefix::new(prefix)?.show(&address_of(1));
        document["app_state"]["bank"]["balances"][0]["address"] = other.clone().into();
        let db = empty();
        let error = import(&mut begin(&db), &document).expect_err("two prefixes");
        assert_eq!(
            error.to_string(),
            format!("`bank.balances[0]`: `{other}` does not have the prefix `cosmos` of the chain")
        );
    }
    Ok(())
}

#[test]
fn metadata_that_the_sdk_stores_are_imported_with_a_warning() -> Outcome {
    let mut document = document();
    let voucher = "ibc/27394FB092D2ECCD56123C74F36E4C1F926001CEADA9CA97EA622B25F41E5EB2";
    let list = document["app_state"]["bank"]["denom_metadata"].as_array_mut().ok_or("a list")?;
    list.push(json!({
        "denom_units": [{ "denom": "uatom", "exponent": 0 }],
        "base": voucher,
        "display": "transfer/channel-0/uatom",
        "name": "transfer/channel-0/uatom IBC token",
        "symbol": "UATOM",
    }));
    list.push(json!({ "base": "factory/cosmos1x/foo" }));
    let db = empty();
    let mut tx = begin(&db);
    import(&mut tx, &document)?;
    sound(&tx);
    let warnings = invariants::warnings(&tx)?;
    assert_eq!(warnings.len(), 2, "{warnings:?}");
    assert_eq!(warnings[0].to_string(), "metadata: `factory/cosmos1x/foo`: the name is blank");
    assert!(warnings[1].to_string().contains("the first unit is not the base"), "{warnings:?}");
    // Operations stay strict.
    let blank = keyscape_bank::Metadata { base: "foo".into(), ..Default::default() };
    let error = refused(&mut tx, |tx| keeper::set_metadata(tx, &blank));
    assert!(matches!(error.kind(), ErrorKind::Metadata { .. }), "{error}");
    Ok(())
}

#[test]
fn a_plain_account_at_the_address_of_a_module_is_a_warning() -> Outcome {
    let db = empty();
    let mut tx = begin(&db);
    keeper::create_module_account(&mut tx, "mint", &[])?;
    assert_eq!(invariants::warnings(&tx)?, []);
    let gov = keeper::module_address("gov")?;
    KEEPER.create_account(&mut tx, &gov)?;
    let warnings = invariants::warnings(&tx)?;
    assert_eq!(warnings.len(), 1, "{warnings:?}");
    let why = "the address belongs to the module `gov`, and the account does not";
    assert_eq!(warnings[0].to_string(), format!("account: `{gov}`: {why}"));
    sound(&tx);
    Ok(())
}

#[test]
fn an_account_of_injective_has_a_hash_of_bytes() -> Outcome {
    let inj = Prefix::new("inj")?;
    let mut document = with_prefix(&inj);
    let base = json!({
        "address": inj.show(&address(4)), "pub_key": null, "account_number": "9", "sequence": "0",
    });
    let account = json!({
        "@type": "/injective.types.v1beta1.EthAccount",
        "base_account": base,
        "code_hash": "AAECAw==",
    });
    let list = document["app_state"]["auth"]["accounts"].as_array_mut().ok_or("a list")?;
    list.push(account.clone());
    let db = empty();
    let mut tx = begin(&db);
    import(&mut tx, &document)?;
    let stored = keeper::get_account(&tx, &address(4))?.ok_or("an account")?;
    assert!(stored.message().ends_with(&[0x12, 4, 0, 1, 2, 3]), "{:02x?}", stored.message());
    let exported = export(&tx, &Rules::default())?;
    let accounts = exported["app_state"]["auth"]["accounts"].as_array().ok_or("a list")?;
    assert_eq!(accounts.last(), Some(&account));
    Ok(())
}

/// Converts the names of all members to lower camel case.
fn camel(value: Value) -> Value {
    match value {
        Value::Object(members) => {
            let name = |name: &str| {
                let mut parts = name.split('_');
                let first = parts.next().unwrap_or_default().to_owned();
                parts.fold(first, |name, part| {
                    let (head, rest) = part.split_at(1);
                    name + &head.to_uppercase() + rest
                })
            };
            let members = members.into_iter();
            Value::Object(members.map(|(key, value)| (name(&key), camel(value))).collect())
        }
        Value::Array(list) => list.into_iter().map(camel).collect(),
        other => other,
    }
}

#[test]
fn members_in_lower_camel_case_are_read() -> Outcome {
    let mut document = document();
    for module in ["auth", "bank"] {
        let state = document["app_state"][module].take();
        document["app_state"][module] = camel(state);
    }
    assert!(document.to_string().contains("sigVerifyCostEd25519"));
    let db = empty();
    let mut tx = begin(&db);
    import(&mut tx, &document)?;
    assert_eq!(export(&tx, &Rules::default())?, self::document());
    Ok(())
}

/// An account type of a program.
#[derive(Clone, PartialEq, Message)]
struct Bot {
    #[prost(message, optional, tag = "1")]
    base_account: Option<BaseAccount>,
    #[prost(bool, tag = "2")]
    is_tired: bool,
}

struct BotType;

impl MessageType for BotType {
    fn encode(&self, json: &Value) -> Result<Vec<u8>, Reason> {
        let base = &json["base_account"];
        let number = base["account_number"].as_str().ok_or("a number")?.parse()?;
        let address = base["address"].as_str().ok_or("an address")?.to_owned();
        let base = BaseAccount { address, account_number: number, ..BaseAccount::default() };
        let is_tired = json["is_tired"].as_bool().ok_or("true or false")?;
        Ok(Bot { base_account: Some(base), is_tired }.encode_to_vec())
    }

    fn decode(&self, message: &[u8]) -> Result<Value, Reason> {
        let bot = Bot::decode(message)?;
        let base = bot.base_account.ok_or("a base account")?;
        let number = base.account_number.to_string();
        let base = json!({ "address": base.address, "account_number": number });
        Ok(json!({ "base_account": base, "is_tired": bot.is_tired }))
    }
}

#[test]
fn a_program_registers_message_types() -> Outcome {
    const URL: &str = "/program.Bot";
    let mut document = document();
    let account = json!({
        "@type": URL,
        "base_account": { "address": address(7).to_string(), "account_number": "9" },
        "is_tired": true,
    });
    document["app_state"]["auth"]["accounts"].as_array_mut().ok_or("a list")?.push(account);
    let db = empty();
    let mut tx = begin(&db);
    let error = import(&mut tx, &document).expect_err("nobody knows the fields");
    assert!(matches!(&error, CosmosError::UnknownType { type_url, .. } if type_url == URL));
    assert!(error.to_string().contains("`Rules::with_message_type`"), "{error}");
    drop(tx);
    let (db, rules) = (empty(), Rules::default().with_message_type(URL, BotType));
    let mut tx = begin(&db);
    cosmos::import(&mut tx, &rules, &document.to_string())?;
    let stored = keeper::get_account(&tx, &address(7))?.ok_or("an account")?;
    assert_eq!((stored.type_url(), stored.number()), (URL, 9));
    assert_eq!(export(&tx, &rules)?, document);
    assert!(matches!(export(&tx, &Rules::default()), Err(CosmosError::UnknownType { .. })));
    Ok(())
}

#[test]
fn parameters_of_accounts_are_always_written() -> Outcome {
    let mut document = document();
    document["app_state"]["auth"]["params"].take();
    let db = empty();
    let mut tx = begin(&db);
    import(&mut tx, &document)?;
    let params = keyscape_bank::layout::acc::AUTH_PARAMS;
    assert_eq!(params.get(&tx)?, Some(keyscape_bank::AuthParams::default()));
    // A state that was not imported has no row; the document states the defaults of the SDK.
    let db = empty();
    let exported = export(&begin(&db), &Rules::default())?;
    assert_eq!(
        exported["app_state"]["auth"]["params"],
        self::document()["app_state"]["auth"]["params"]
    );
    Ok(())
}

#[test]
fn a_registered_fee_collector_is_created() -> Outcome {
    let db = empty();
    let mut tx = begin(&db);
    cosmos::import(&mut tx, &Rules::sdk()?, DOCUMENT)?;
    let account = keeper::get_module_account(&tx, "fee_collector")?;
    assert_eq!(account.base_account.ok_or("a base account")?.account_number, 5);
    sound(&tx);
    assert_eq!(invariants::warnings(&tx)?, []);
    Ok(())
}

#[test]
fn balances_in_many_denominations_are_summed() -> Outcome {
    let mut document = document();
    let bank = &mut document["app_state"]["bank"];
    bank["supply"] = json!([]);
    let balances = (0..3_000_u32).map(|place| {
        let owner = Address::new(place.to_be_bytes().repeat(5)).expect("an address");
        let coins = json!([
            { "denom": format!("ibc/{place:064X}"), "amount": "1" },
            { "denom": "stake", "amount": "2" },
        ]);
        json!({ "address": owner.to_string(), "coins": coins })
    });
    bank["balances"] = balances.collect();
    let db = empty();
    let mut tx = begin(&db);
    assert!(import(&mut tx, &document)?.supply_is_computed);
    assert_eq!(keeper::get_supply(&tx, &crate::setup::denom("stake"))?, 6_000_u128);
    sound(&tx);
    Ok(())
}
