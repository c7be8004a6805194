//! Genesis documents of chains of the Cosmos SDK: the members `app_state.auth` and `app_state.bank`
//! in protobuf JSON.
//!
//! [`import`] writes the rows that `InitGenesis` of x/auth and x/bank write, and [`export`] gives
//! the document back.

mod message;
mod schema;

use crate::{
    Account, Address, AuthParams, BadAccount, Coin, Coins, CoinsError, Denom, Error, Metadata,
    Params, keeper,
    layout::{acc, bank},
    values::{Any, CoinMessage, SendEnabledMessage},
};
use bech32::{Bech32, Hrp, primitives::decode::CheckedHrpstring};
use keyscape::store::{Read, Tx};
use message::{decode, decode_any, encode, encode_any};
use prost::Message;
use serde::Deserialize;
use serde_json::{Map, Value, json, value::RawValue};
use std::{
    borrow::Cow,
    collections::{BTreeMap, BTreeSet},
    io,
};

/// The result of an import.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Imported {
    /// The name of the chain.
    pub chain_id: String,
    /// The number of accounts.
    pub accounts: u64,
    /// The number of addresses with balances.
    pub balances: u64,
    /// Whether the supply was computed, because the document states none.
    pub supply_is_computed: bool,
    /// The modules of the document that were not read.
    pub skipped: Vec<String>,
}

/// The reason why a document cannot be imported or exported.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum CosmosError {
    /// The document is not JSON, or has no `app_state`.
    #[error(transparent)]
    Json(#[from] serde_json::Error),
    /// A module is missing.
    #[error("the document has no `app_state.{0}`")]
    Missing(&'static str),
    /// A value does not fit its message.
    #[error("`{path}`: {why}")]
    Value {
        /// The path of the value.
        path: String,
        /// The reason.
        why: String,
    },
    /// An account type without a known message.
    #[error("`{path}`: the type `{type_url}` is unknown")]
    UnknownType {
        /// The path of the value.
        path: String,
        /// The type.
        type_url: String,
    },
    /// Balances of one address twice.
    #[error("`{0}` has balances twice")]
    Twice(String),
    /// A supply that differs from the sum of the balances.
    #[error("the document states the supply `{stated}`, but the balances add up to `{summed}`")]
    Supply {
        /// The stated supply.
        stated: Coins,
        /// The sum of the balances.
        summed: Coins,
    },
    /// The bank failed.
    #[error(transparent)]
    Bank(#[from] Error),
    /// The document could not be written.
    #[error(transparent)]
    Output(#[from] io::Error),
}

impl From<keyscape::Error> for CosmosError {
    fn from(error: keyscape::Error) -> CosmosError {
        CosmosError::Bank(error.into())
    }
}

impl From<keyscape::store::StoreError> for CosmosError {
    fn from(error: keyscape::store::StoreError) -> CosmosError {
        CosmosError::Bank(error.into())
    }
}

#[expect(clippy::needless_pass_by_value, reason = "callers pass errors that they own")]
fn bad(path: &str, why: impl ToString) -> CosmosError {
    CosmosError::Value { path: path.to_owned(), why: why.to_string() }
}

/// The parts of a document that are read. Other modules are not parsed.
#[derive(Deserialize)]
struct Document<'a> {
    #[serde(borrow)]
    app_state: BTreeMap<Cow<'a, str>, &'a RawValue>,
    #[serde(default)]
    chain_id: String,
}

/// Imports a document into an empty bank. The supply is computed if the document states none, and
/// accounts with the same number get free numbers, as in the SDK.
///
/// # Errors
/// [`CosmosError`]. [`genesis::verify`](crate::genesis::verify) checks the resulting state.
pub fn import(tx: &mut Tx<'_>, document: &str) -> Result<Imported, CosmosError> {
    let Document { app_state, chain_id } = serde_json::from_str(document)?;
    let part = |name: &'static str| -> Result<Value, CosmosError> {
        let raw = app_state.get(name).ok_or(CosmosError::Missing(name))?;
        let value: Value = serde_json::from_str(raw.get())?;
        if value.is_object() { Ok(value) } else { Err(bad(name, "expected an object")) }
    };
    let (auth, bank) = (part("auth")?, part("bank")?);
    let skipped = app_state.keys().filter(|name| !matches!(&***name, "auth" | "bank"));
    let skipped = skipped.map(|name| name.clone().into_owned()).collect();
    let accounts = import_auth(tx, auth)?;
    let (balances, supply_is_computed) = import_bank(tx, &bank)?;
    Ok(Imported { chain_id, accounts, balances, supply_is_computed, skipped })
}

/// Returns a member that is a list; a missing member is an empty list.
fn list<'v>(value: &'v Value, path: &str, name: &str) -> Result<&'v [Value], CosmosError> {
    match value.get(name) {
        None | Some(Value::Null) => Ok(&[]),
        Some(Value::Array(list)) => Ok(list),
        Some(_) => Err(bad(&format!("{path}.{name}"), "expected a list")),
    }
}

/// Decodes a value as a message of the given fields.
fn typed<T: Message + Default>(
    fields: &'static [schema::Field],
    value: &Value,
    path: &str,
) -> Result<T, CosmosError> {
    T::decode(&*encode(fields, value, path)?).map_err(|error| bad(path, error))
}

fn import_auth(tx: &mut Tx<'_>, mut auth: Value) -> Result<u64, CosmosError> {
    if let Some(params) = auth.get("params") {
        let params: AuthParams = typed(schema::AUTH_PARAMS, params, "auth.params")?;
        acc::AUTH_PARAMS.put(tx, &params)?;
    }
    let mut accounts = match auth.get_mut("accounts").map(Value::take) {
        None | Some(Value::Null) => Vec::new(),
        Some(Value::Array(accounts)) => accounts,
        Some(_) => return Err(bad("auth.accounts", "expected a list")),
    };
    renumber(&mut accounts)?;
    let mut next = None;
    for (place, value) in accounts.iter_mut().enumerate() {
        let path = format!("auth.accounts[{place}]");
        let (type_url, message) = encode_any(value, &path)?;
        let text = base_of(value, &path)?.get("address").and_then(Value::as_str);
        let (_, address) = address(text.unwrap_or_default(), &path)?;
        let invalid = |error: BadAccount| bad(&path, error);
        let account = Account::from_any(Any { type_url, value: message }).map_err(invalid)?;
        next = next.max(account.number().checked_add(1));
        let key = acc::AccountsAddress::new(address).map_err(|error| bad(&path, error))?;
        if acc::ACCOUNTS.contains(tx, key.by_ref())? {
            return Err(bad(&path, "the address has an account already"));
        }
        acc::ACCOUNTS.put(tx, key, &account)?;
    }
    if let Some(next) = next {
        acc::NEXT_ACCOUNT_NUMBER.set(tx, next)?;
    }
    Ok(accounts.len() as u64)
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

/// Gives accounts with a number that an earlier one has the lowest free numbers.
fn renumber(accounts: &mut [Value]) -> Result<(), CosmosError> {
    let mut seen = BTreeSet::new();
    let mut again: Vec<(u64, usize)> = Vec::new();
    for (place, account) in accounts.iter_mut().enumerate() {
        let path = format!("auth.accounts[{place}]");
        let number = match base_of(account, &path)?.get("account_number") {
            None | Some(Value::Null) => 0,
            Some(number) => message::number(number, &path)?,
        };
        if !seen.insert(number) {
            again.push((number, place));
        }
    }
    again.sort_unstable();
    let mut free = 0_u64;
    for (_, place) in again {
        while !seen.insert(free) {
            free += 1;
        }
        if let Some(account) = accounts.get_mut(place) {
            let base = base_of(account, "auth.accounts")?;
            base.insert("account_number".to_owned(), free.to_string().into());
        }
    }
    Ok(())
}

/// Decodes an address with the prefix of any chain.
fn address(text: &str, path: &str) -> Result<(Hrp, Vec<u8>), CosmosError> {
    let checked = CheckedHrpstring::new::<Bech32>(text)
        .map_err(|_| bad(path, format!("`{text}` is not an address")))?;
    Ok((checked.hrp(), checked.byte_iter().collect()))
}

fn coins(list: &[Value], path: &str) -> Result<Coins, CosmosError> {
    let mut coins = Vec::new();
    for (place, coin) in list.iter().enumerate() {
        let path = format!("{path}[{place}]");
        let coin: CoinMessage = typed(schema::COIN, coin, &path)?;
        coins.push(Coin::try_from(&coin).map_err(|error| bad(&path, error))?);
    }
    Coins::new(coins).map_err(|error| bad(path, error))
}

fn import_bank(tx: &mut Tx<'_>, value: &Value) -> Result<(u64, bool), CosmosError> {
    let params = value.get("params").unwrap_or(&Value::Null);
    let mut params: Params = typed(schema::BANK_PARAMS, params, "bank.params")?;
    // Settings of versions before v0.47 are in the parameters.
    let mut settings = std::mem::take(&mut params.send_enabled);
    for (place, setting) in list(value, "bank", "send_enabled")?.iter().enumerate() {
        let path = format!("bank.send_enabled[{place}]");
        settings.push(typed(schema::SEND_ENABLED, setting, &path)?);
    }
    for SendEnabledMessage { denom, enabled } in settings {
        let denom = Denom::new(denom).map_err(|error| bad("bank.send_enabled", error))?;
        keeper::set_send_enabled(tx, &denom, Some(enabled))?;
    }
    keeper::set_params(tx, &params)?;
    let mut summed = Coins::none();
    let mut owners = BTreeSet::new();
    let balances = list(value, "bank", "balances")?;
    for (place, balance) in balances.iter().enumerate() {
        let path = format!("bank.balances[{place}]");
        let text = balance.get("address").and_then(Value::as_str).unwrap_or_default();
        let (_, owner) = address(text, &path)?;
        let owner = Address::new(owner).map_err(|error| bad(&path, error))?;
        let coins = coins(list(balance, &path, "coins")?, &format!("{path}.coins"))?;
        for coin in &coins {
            keeper::set_balance(tx, &owner, coin)?;
        }
        let too_much = |error: CoinsError| bad(&path, error);
        summed = summed.plus(&coins).map_err(too_much)?;
        if !owners.insert(owner) {
            return Err(CosmosError::Twice(text.to_owned()));
        }
    }
    let stated = coins(list(value, "bank", "supply")?, "bank.supply")?;
    if !stated.is_empty() && stated != summed {
        return Err(CosmosError::Supply { stated, summed });
    }
    for coin in &summed {
        bank::SUPPLY.put(tx, coin.denom.by_ref(), coin.amount)?;
    }
    for (place, metadata) in list(value, "bank", "denom_metadata")?.iter().enumerate() {
        let path = format!("bank.denom_metadata[{place}]");
        let metadata: Metadata = typed(schema::METADATA, metadata, &path)?;
        let base = Denom::new(&*metadata.base).map_err(|error| bad(&path, error))?;
        bank::METADATA.put(tx, base, &metadata)?;
    }
    Ok((balances.len() as u64, stated.is_empty()))
}

/// Writes the document of a bank, in the format of the SDK. Addresses have the prefix of the
/// accounts.
///
/// # Errors
/// [`CosmosError::UnknownType`] for an account whose message is unknown; errors of the bank and of
/// the output.
pub fn export(
    state: &(impl Read + ?Sized),
    chain_id: &str,
    out: &mut impl io::Write,
) -> Result<(), CosmosError> {
    let (auth, prefix) = export_auth(state)?;
    let bank = export_bank(state, prefix)?;
    let document = json!({ "app_state": { "auth": auth, "bank": bank }, "chain_id": chain_id });
    let format = serde_json::ser::PrettyFormatter::with_indent(b" ");
    let mut json = serde_json::Serializer::with_formatter(&mut *out, format);
    serde::Serialize::serialize(&document, &mut json)?;
    Ok(out.write_all(b"\n")?)
}

/// Decodes a message with all its fields.
fn value_of(
    fields: &'static [schema::Field],
    message: &impl Message,
    path: &str,
) -> Result<Value, CosmosError> {
    decode(fields, &message.encode_to_vec(), path)
}

fn export_auth(state: &(impl Read + ?Sized)) -> Result<(Value, Option<Hrp>), CosmosError> {
    let params = acc::AUTH_PARAMS.get(state)?.unwrap_or_default();
    let params = value_of(schema::AUTH_PARAMS, &params, "auth.params")?;
    let (mut accounts, mut prefix) = (Vec::new(), None);
    let mut scan = acc::ACCOUNT_NUMBERS.scan_all(state)?;
    while let Some(row) = scan.next_row()? {
        let path = format!("auth.accounts[{}]", accounts.len());
        let owner = Address::new(row.value()?.to_vec()).map_err(|error| bad(&path, error))?;
        let Some(account) = keeper::get_account(state, &owner)? else { continue };
        let mut value = decode_any(account.type_url(), account.message(), &path)?;
        if prefix.is_none() {
            let text = base_of(&mut value, &path)?.get("address").and_then(Value::as_str);
            prefix = Some(address(text.unwrap_or_default(), &path)?.0);
        }
        accounts.push(value);
    }
    Ok((json!({ "params": params, "accounts": accounts }), prefix))
}

fn export_bank(state: &(impl Read + ?Sized), prefix: Option<Hrp>) -> Result<Value, CosmosError> {
    let params = value_of(schema::BANK_PARAMS, &keeper::get_params(state)?, "bank.params")?;
    let coin = |denom: &str, amount: String| json!({ "denom": denom, "amount": amount });
    let mut balances: Vec<(Address<'static>, Vec<Value>)> = Vec::new();
    keeper::each_balance(state, |owner, denom, amount| {
        let coin = coin(denom.as_str(), amount.to_string());
        match balances.last_mut().filter(|(last, _)| last == owner) {
            Some((_, coins)) => coins.push(coin),
            None => balances.push((owner.clone().into_owned(), vec![coin])),
        }
        Ok::<(), Error>(())
    })?;
    let mut shown = Vec::with_capacity(balances.len());
    for (owner, coins) in balances {
        let text = match prefix {
            Some(prefix) => bech32::encode::<Bech32>(prefix, owner.as_bytes())
                .map_err(|error| bad("bank.balances", error))?,
            None => owner.to_string(),
        };
        shown.push(json!({ "address": text, "coins": coins }));
    }
    let (mut supply, mut metadata, mut enabled) = (Vec::new(), Vec::new(), Vec::new());
    for row in keeper::supplies(state)? {
        let (key, amount) = row?;
        supply.push(coin(key.denom.as_str(), amount.to_string()));
    }
    for row in bank::METADATA.scan_all(state)? {
        metadata.push(value_of(schema::METADATA, &row?.1, "bank.denom_metadata")?);
    }
    for row in bank::SEND_ENABLED.scan_all(state)? {
        let (key, is_enabled) = row?;
        enabled.push(json!({ "denom": key.denom.as_str(), "enabled": is_enabled }));
    }
    Ok(json!({
        "params": params,
        "balances": shown,
        "supply": supply,
        "denom_metadata": metadata,
        "send_enabled": enabled,
    }))
}
