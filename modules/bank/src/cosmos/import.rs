//! Reads a genesis document.

use super::{
    CosmosError, Imported, bad,
    message::{self, encode, encode_any},
    schema,
};
use crate::{
    Account, Address, AuthParams, BadAccount, Coin, Coins, Denom, Metadata, Params, Prefix, Rules,
    keeper,
    layout::{acc, bank},
    values::{Any, CoinMessage, SendEnabledMessage},
};
use keyscape::{U256, store::Tx};
use prost::Message;
use ripemd::Ripemd160;
use serde::Deserialize;
use serde_json::{Map, Value, value::RawValue};
use sha2::{Digest, Sha256};
use std::{
    borrow::Cow,
    collections::{BTreeMap, BTreeSet},
};

/// The parts of a document that are read. Other modules are not parsed.
#[derive(Deserialize)]
struct Document<'a> {
    #[serde(borrow)]
    app_state: BTreeMap<Cow<'a, str>, &'a RawValue>,
    #[serde(default)]
    chain_id: String,
}

/// Imports a document into an empty bank. The supply is computed if the document states none, and
/// accounts with the same number get free numbers, as in the SDK. See [the module](super) for
/// deviations.
///
/// # Errors
/// [`CosmosError`]. [`invariants::check`](crate::invariants::check) checks the resulting state.
pub fn import(tx: &mut Tx<'_>, rules: &Rules, document: &str) -> Result<Imported, CosmosError> {
    let Document { app_state, chain_id } = serde_json::from_str(document)?;
    let part = |name: &'static str| -> Result<Value, CosmosError> {
        let missing = || bad(&format!("app_state.{name}"), "the member is missing");
        let raw = app_state.get(name).ok_or_else(missing)?;
        let value: Value = serde_json::from_str(raw.get())?;
        if value.is_object() {
            canonical(value, name)
        } else {
            Err(bad(name, "expected an object"))
        }
    };
    let (auth, bank) = (part("auth")?, part("bank")?);
    let skipped = app_state.keys().filter(|name| !matches!(&***name, "auth" | "bank"));
    let skipped = skipped.map(|name| name.clone().into_owned()).collect();
    let mut import = Import { tx, rules, prefix: rules.prefix().cloned() };
    let accounts = import.auth(auth)?;
    let (balances, supply_is_computed) = import.bank(&bank)?;
    Ok(Imported { chain_id, accounts, balances, supply_is_computed, skipped })
}

/// Renames members in lower camel case to snake case. All of them are fields of messages.
fn canonical(value: Value, path: &str) -> Result<Value, CosmosError> {
    match value {
        Value::Object(members) => {
            let mut renamed = Map::new();
            for (name, value) in members {
                let name = snake_case(&name);
                let path = format!("{path}.{name}");
                let value = canonical(value, &path)?;
                if renamed.insert(name, value).is_some() {
                    return Err(bad(&path, "the member occurs twice"));
                }
            }
            Ok(Value::Object(renamed))
        }
        Value::Array(list) => {
            let list = list.into_iter().enumerate();
            let list = list.map(|(index, value)| canonical(value, &format!("{path}[{index}]")));
            Ok(Value::Array(list.collect::<Result<_, _>>()?))
        }
        other => Ok(other),
    }
}

fn snake_case(name: &str) -> String {
    let mut snake = String::with_capacity(name.len());
    for letter in name.chars() {
        if letter.is_ascii_uppercase() {
            snake.push('_');
        }
        snake.push(letter.to_ascii_lowercase());
    }
    snake
}

/// Returns a member that is a list; a missing member is an empty list.
fn list<'v>(value: &'v Value, path: &str, name: &str) -> Result<&'v [Value], CosmosError> {
    match value.get(name) {
        None | Some(Value::Null) => Ok(&[]),
        Some(Value::Array(list)) => Ok(list),
        Some(_) => Err(bad(&format!("{path}.{name}"), "expected a list")),
    }
}

/// A running import.
struct Import<'i, 'db> {
    tx: &'i mut Tx<'db>,
    rules: &'i Rules,
    /// The prefix of all addresses, from the first one on.
    prefix: Option<Prefix>,
}

impl Import<'_, '_> {
    /// Decodes a value as a message of the given fields.
    fn typed<T: Message + Default>(
        &self,
        fields: &'static [schema::Field],
        value: &Value,
        path: &str,
    ) -> Result<T, CosmosError> {
        T::decode(&*encode(self.rules, fields, value, path)?).map_err(|error| bad(path, error))
    }

    /// Decodes an address. All addresses of a document have one prefix.
    fn address(&mut self, text: &str, path: &str) -> Result<Address<'static>, CosmosError> {
        let (prefix, address) = Prefix::read(text).map_err(|error| bad(path, error))?;
        let expected = self.prefix.get_or_insert_with(|| prefix.clone());
        if *expected == prefix {
            return Ok(address);
        }
        Err(bad(path, format!("`{text}` does not have the prefix `{expected}` of the chain")))
    }

    fn auth(&mut self, mut auth: Value) -> Result<u64, CosmosError> {
        let params = auth.get("params").unwrap_or(&Value::Null);
        let params: AuthParams = self.typed(schema::AUTH_PARAMS, params, "auth.params")?;
        acc::AUTH_PARAMS.put(self.tx, &params)?;
        let mut accounts = match auth.get_mut("accounts").map(Value::take) {
            None | Some(Value::Null) => Vec::new(),
            Some(Value::Array(accounts)) => accounts,
            Some(_) => return Err(bad("auth.accounts", "expected a list")),
        };
        renumber(&mut accounts)?;
        let mut next = None;
        for (index, value) in accounts.iter_mut().enumerate() {
            let account = self.account(value, &format!("auth.accounts[{index}]"))?;
            next = next.max(account.number().checked_add(1));
        }
        if let Some(next) = next {
            acc::NEXT_ACCOUNT_NUMBER.set(self.tx, next)?;
        }
        keeper::ensure_module(self.tx, self.rules, "fee_collector")?;
        Ok(accounts.len() as u64)
    }

    fn account(&mut self, value: &mut Value, path: &str) -> Result<Account, CosmosError> {
        let (type_url, message) = encode_any(self.rules, value, path)?;
        let text = base_of(value, path)?.get("address").and_then(Value::as_str);
        let address = self.address(text.unwrap_or_default(), path)?;
        let invalid = |error: BadAccount| bad(path, error);
        let account = Account::from_any(Any { type_url, value: message }).map_err(invalid)?;
        let key = account.base_account().and_then(|base| base.pub_key);
        let owner = key.as_ref().and_then(address_of);
        if owner.is_some_and(|owner| owner != address.as_bytes()) {
            return Err(bad(path, "the public key belongs to another address"));
        }
        if acc::ACCOUNTS.contains(self.tx, address.as_bytes())? {
            return Err(bad(path, "the address has an account already"));
        }
        acc::ACCOUNTS.put(self.tx, address.as_bytes(), &account)?;
        Ok(account)
    }

    fn coins(&self, list: &[Value], path: &str) -> Result<Coins, CosmosError> {
        let mut coins = Vec::new();
        for (index, coin) in list.iter().enumerate() {
            let path = format!("{path}[{index}]");
            let coin: CoinMessage = self.typed(schema::COIN, coin, &path)?;
            coins.push(Coin::try_from(&coin).map_err(|error| bad(&path, error))?);
        }
        Coins::new(coins).map_err(|error| bad(path, error))
    }

    fn bank(&mut self, value: &Value) -> Result<(u64, bool), CosmosError> {
        self.settings(value)?;
        let balances = list(value, "bank", "balances")?;
        let summed = self.balances(balances)?;
        let stated = self.coins(list(value, "bank", "supply")?, "bank.supply")?;
        if !stated.is_empty() && stated != summed {
            return Err(CosmosError::Supply { stated, summed });
        }
        for coin in &summed {
            bank::SUPPLY.put(self.tx, &coin.denom, coin.amount)?;
        }
        for (index, metadata) in list(value, "bank", "denom_metadata")?.iter().enumerate() {
            let path = format!("bank.denom_metadata[{index}]");
            let metadata: Metadata = self.typed(schema::METADATA, metadata, &path)?;
            let base = Denom::new(&*metadata.base).map_err(|error| bad(&path, error))?;
            if bank::METADATA.contains(self.tx, &base)? {
                return Err(bad(&path, format!("`{base}` has metadata already")));
            }
            bank::METADATA.put(self.tx, base, &metadata)?;
        }
        Ok((balances.len() as u64, stated.is_empty()))
    }

    /// Imports the parameters and the send settings, which are in the parameters before v0.47.
    fn settings(&mut self, value: &Value) -> Result<(), CosmosError> {
        const PATH: &str = "bank.send_enabled";
        let params = value.get("params").unwrap_or(&Value::Null);
        let mut params: Params = self.typed(schema::BANK_PARAMS, params, "bank.params")?;
        let mut settings = std::mem::take(&mut params.send_enabled);
        let own = list(value, "bank", "send_enabled")?;
        if !settings.is_empty() && !own.is_empty() {
            return Err(bad(PATH, "`bank.params.send_enabled` has settings too"));
        }
        for (index, setting) in own.iter().enumerate() {
            settings.push(self.typed(
                schema::SEND_ENABLED,
                setting,
                &format!("{PATH}[{index}]"),
            )?);
        }
        for SendEnabledMessage { denom, enabled } in settings {
            let denom = Denom::new(denom).map_err(|error| bad(PATH, error))?;
            if bank::SEND_ENABLED.contains(self.tx, &denom)? {
                return Err(bad(PATH, format!("`{denom}` has a setting already")));
            }
            keeper::set_send_enabled(self.tx, &denom, Some(enabled))?;
        }
        Ok(keeper::set_params(self.tx, &params)?)
    }

    /// Imports the balances, and returns their sum.
    fn balances(&mut self, balances: &[Value]) -> Result<Coins, CosmosError> {
        let mut sums: BTreeMap<Denom<'static>, U256> = BTreeMap::new();
        let mut owners = BTreeSet::new();
        for (index, balance) in balances.iter().enumerate() {
            let path = format!("bank.balances[{index}]");
            let text = balance.get("address").and_then(Value::as_str).unwrap_or_default();
            let owner = self.address(text, &path)?;
            let coins = self.coins(list(balance, &path, "coins")?, &format!("{path}.coins"))?;
            for coin in &coins {
                keeper::set_balance(self.tx, &owner, coin)?;
                let sum = sums.entry(coin.denom.clone()).or_insert(U256::ZERO);
                let more = sum.checked_add(coin.amount);
                *sum = more.ok_or_else(|| bad(&path, "the sum of the balances is too large"))?;
            }
            if !owners.insert(owner) {
                return Err(bad(&path, format!("`{text}` has balances already")));
            }
        }
        let coins = sums.into_iter().map(|(denom, amount)| Coin { denom, amount });
        Coins::new(coins.collect()).map_err(|error| bad("bank.balances", error))
    }
}

/// Returns the base account of an account: the account itself, or the one in its first member that
/// is an object.
fn base_of<'v>(
    account: &'v mut Value,
    path: &str,
) -> Result<&'v mut Map<String, Value>, CosmosError> {
    const DEPTH: usize = 3;
    let mut at = account;
    for _ in 0..DEPTH {
        let Value::Object(members) = at else { break };
        if members.contains_key("address") {
            return Ok(members);
        }
        match members.values_mut().find(|member| member.is_object()) {
            Some(inner) => at = inner,
            None => break,
        }
    }
    Err(bad(path, "expected an account with an `address`"))
}

/// Assigns the lowest free numbers to accounts whose number an earlier account has.
fn renumber(accounts: &mut [Value]) -> Result<(), CosmosError> {
    let mut seen = BTreeSet::new();
    let mut again: Vec<(u64, usize)> = Vec::new();
    for (index, account) in accounts.iter_mut().enumerate() {
        let path = format!("auth.accounts[{index}]");
        let number = match base_of(account, &path)?.get("account_number") {
            None | Some(Value::Null) => 0,
            Some(number) => message::number(number, &path)?,
        };
        if !seen.insert(number) {
            again.push((number, index));
        }
    }
    again.sort_unstable();
    let mut free = 0_u64;
    for (_, index) in again {
        while !seen.insert(free) {
            free += 1;
        }
        if let Some(account) = accounts.get_mut(index) {
            let base = base_of(account, "auth.accounts")?;
            base.insert("account_number".to_owned(), free.to_string().into());
        }
    }
    Ok(())
}

/// The message of every key that consists of bytes.
#[derive(Clone, PartialEq, Message)]
struct Key {
    #[prost(bytes = "vec", tag = "1")]
    key: Vec<u8>,
}

/// Returns the address of a secp256k1 or ed25519 key; `None` for other types.
fn address_of(key: &Any) -> Option<Vec<u8>> {
    let hash = |bytes: &[u8]| Sha256::digest(bytes).to_vec();
    let bytes = Key::decode(&*key.value).ok()?.key;
    match &*key.type_url {
        "/cosmos.crypto.secp256k1.PubKey" => Some(Ripemd160::digest(hash(&bytes)).to_vec()),
        "/cosmos.crypto.ed25519.PubKey" => Some(hash(&bytes).into_iter().take(20).collect()),
        _ => None,
    }
}
