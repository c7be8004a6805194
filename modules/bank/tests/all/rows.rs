//! Rows that the Cosmos SDK wrote, through typed access: decoded, encoded again, adopted; and its
//! vesting accounts after delegations.

use crate::setup::{Outcome, coins};
use keyscape::{
    ValueForm,
    store::{Db, Spaces, StoreId},
    traits::Rows,
};
use keyscape_bank::{
    Account, AccountKind, Coin, Coins, VestingAccount,
    layout::{acc, bank},
    vesting::Vesting,
};
use keyscape_store_redb::Options;
use keyscape_testkit::corpus::{self, StoredRow};
use prost::Message;
use serde::Deserialize;
use std::collections::BTreeMap;

fn rows() -> Vec<StoredRow> {
    corpus::lines("golden/bank_rows.jsonl.gz")
}

/// Decodes a row and encodes its key and its owned value again.
fn again<K: Rows>(row: &StoredRow) -> Outcome {
    let key = K::decode(&row.key)?;
    let mut written = Vec::new();
    K::encode(&K::into_owned(key), &mut written)?;
    assert_eq!(written, row.key, "{row:?}");
    let value = K::Value::into_owned(K::Value::decode(&row.bytes)?);
    written.clear();
    K::Value::encode_owned(&value, &mut written)?;
    assert_eq!(written, row.bytes, "{row:?}");
    assert_eq!((K::SPACE, K::NAME), (&*row.store, &*row.keyspace));
    Ok(())
}

#[test]
fn every_row_of_the_sdk_is_read_and_written_again() -> Outcome {
    let mut covered = BTreeMap::<String, u32>::new();
    for row in rows() {
        match &*row.keyspace {
            "supply" => again::<bank::Supply>(&row)?,
            "metadata" => again::<bank::Metadata>(&row)?,
            "balances" => again::<bank::Balances>(&row)?,
            "holders" => again::<bank::Holders>(&row)?,
            "send_enabled" => again::<bank::SendEnabled>(&row)?,
            "params" => again::<bank::Params>(&row)?,
            "auth_params" => again::<acc::AuthParams>(&row)?,
            "accounts" => again::<acc::Accounts>(&row)?,
            "next_account_number" => again::<acc::NextAccountNumber>(&row)?,
            "account_numbers" => again::<acc::AccountNumbers>(&row)?,
            other => return Err(format!("an unknown keyspace `{other}`").into()),
        }
        *covered.entry(row.keyspace).or_default() += 1;
    }
    assert_eq!(covered.len(), 10, "{covered:?}");
    Ok(())
}

/// Checks messages of known types, not only bytes.
#[test]
fn every_account_of_the_sdk_is_decoded_and_encoded_again() -> Outcome {
    let mut kinds = [0; 3];
    for row in rows().into_iter().filter(|row| row.keyspace == "accounts") {
        let account = Account::decode(&*row.bytes)?;
        let (kind, written) = match account.kind()? {
            AccountKind::Base(base) => (0, Account::base(&base)),
            AccountKind::Module(module) => (1, Account::module(&module)?),
            AccountKind::Vesting(vesting) => (2, Account::vesting(&vesting)),
            _ => return Err(format!("`{}` is unknown", account.type_url()).into()),
        };
        assert_eq!(written.encode_to_vec(), row.bytes, "{row:?}");
        kinds[kind] += 1;
    }
    assert!(kinds.iter().all(|count| *count > 20), "{kinds:?}");
    Ok(())
}

/// The rows are samples without their index entries, so each is checked alone.
#[test]
fn every_row_of_the_sdk_fits_its_layout() -> Outcome {
    for row in rows() {
        bank::fits(&row.store, &row.key, &row.bytes)?;
        if row.keyspace == "send_enabled" {
            let value = <bank::SendEnabled as Rows>::Value::decode(&row.bytes)?;
            assert_eq!(Some(value), row.value.as_ref().and_then(serde_json::Value::as_bool));
        }
    }
    Ok(())
}

/// A row of the state that `InitGenesis` wrote. It calls the store of accounts `auth`.
#[derive(Deserialize)]
struct GenesisRow {
    store: String,
    #[serde(deserialize_with = "corpus::bytes")]
    key: Vec<u8>,
    #[serde(deserialize_with = "corpus::bytes")]
    bytes: Vec<u8>,
}

/// A whole state has the entries of all indexes.
#[test]
fn a_state_of_the_sdk_is_adopted_unless_an_entry_is_missing() -> Outcome {
    let text = include_str!("../../../../testing/corpus/golden/genesis-rows.jsonl");
    let rows: Vec<GenesisRow> = text.lines().map(serde_json::from_str).collect::<Result<_, _>>()?;
    let folder = tempfile::tempdir()?;
    for is_whole in [true, false] {
        let file = folder.path().join(format!("{is_whole}.redb"));
        let db = Db::new(Options::new().create(&file, Spaces::new(["bank", "acc"])?)?);
        db.write(|tx| -> Outcome {
            for row in &rows {
                let store = if row.store == "auth" { "acc" } else { &row.store };
                if is_whole || row.key.first() != Some(&0x03) {
                    tx.put(StoreId::of(store), &row.key, &row.bytes)?;
                }
            }
            Ok(())
        })?;
        drop(db);
        let adopted =
            keyscape_store_redb::adopt(&file, &[&bank::LAYOUT], &Options::new(), bank::fits);
        match (is_whole, adopted) {
            (true, adopted) => assert!(adopted?.read().is_ok()),
            (false, Ok(_)) => return Err("holders are missing".into()),
            (false, Err(error)) => assert!(error.to_string().contains("holders"), "{error}"),
        }
    }
    Ok(())
}

/// An account at a time, and after a delegation and its end.
#[derive(Deserialize)]
struct Delegation {
    #[serde(deserialize_with = "corpus::bytes")]
    account: Vec<u8>,
    at: i64,
    balance: String,
    vested: String,
    vesting: String,
    locked: String,
    delegate: String,
    #[serde(deserialize_with = "corpus::bytes")]
    after: Vec<u8>,
    locked_after: String,
    #[serde(default)]
    undelegate: String,
    #[serde(default, deserialize_with = "corpus::bytes")]
    after_undelegate: Vec<u8>,
}

/// Parses coins in the format of the SDK, which includes a zero vested amount in some cases.
fn without_zeros(text: &str) -> Coins {
    let zero = |coin: &&str| coin.starts_with('0');
    let kept: Vec<&str> = text.split(',').filter(|coin| !zero(coin)).collect();
    coins(&kept.join(","))
}

/// Returns the coins that have not vested yet.
fn unvested(vesting: &Vesting, now: i64) -> Coins {
    let amount = |coin: &Coin| {
        let amount = vesting.vesting_of(&coin.denom, now);
        Coin { denom: coin.denom.clone(), amount }
    };
    let left = vesting.original().iter().map(amount).filter(|coin| coin.amount != 0_u128);
    Coins::new(left.collect()).expect("sorted as the original")
}

#[test]
fn vesting_accounts_change_as_those_of_the_sdk_do() -> Outcome {
    let delegations: Vec<Delegation> = corpus::lines("golden/vesting.jsonl.gz");
    let mut undelegated = 0;
    for row in &delegations {
        let account = Account::decode(&*row.account)?;
        let account = account.vesting_account()?.ok_or("the account does not vest")?;
        let VestingAccount { base, mut vesting } = account;
        let bytes = |vesting: &Vesting| {
            let account = VestingAccount { base: base.clone(), vesting: vesting.clone() };
            Account::vesting(&account).encode_to_vec()
        };
        assert_eq!(bytes(&vesting), row.account);
        assert_eq!(vesting.vested(row.at), without_zeros(&row.vested));
        assert_eq!(unvested(&vesting, row.at), without_zeros(&row.vesting));
        assert_eq!(vesting.locked(row.at), coins(&row.locked));
        let balance = coins(&row.balance);
        vesting
            .track_delegation(row.at, &coins(&row.delegate), |denom| balance.amount_of(denom))?;
        assert_eq!(bytes(&vesting), row.after);
        assert_eq!(vesting.locked(row.at), coins(&row.locked_after));
        if !row.undelegate.is_empty() {
            vesting.track_undelegation(&coins(&row.undelegate));
            assert_eq!(bytes(&vesting), row.after_undelegate);
            undelegated += 1;
        }
    }
    assert!(delegations.len() == 600 && undelegated == 597, "{undelegated}");
    Ok(())
}
