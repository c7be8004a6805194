//! Writes a genesis document.

use super::{
    CosmosError, bad,
    message::{decode, decode_any},
    schema,
};
use crate::{
    Address, AuthParams, Error, Prefix, Rules, keeper,
    layout::{acc, bank},
};
use keyscape::store::Read;
use prost::Message;
use serde_json::{Value, json};
use std::io;

/// Writes the document of a bank, in the format of the SDK. Addresses have the prefix of the
/// accounts. Missing parameters are the defaults of the SDK.
///
/// # Errors
/// [`CosmosError::UnknownType`] for an account whose message is unknown; errors of the bank and of
/// the output.
pub fn export(
    state: &(impl Read + ?Sized),
    rules: &Rules,
    chain_id: &str,
    out: &mut impl io::Write,
) -> Result<(), CosmosError> {
    let prefix = Prefix::of(state)?.or_else(|| rules.prefix().cloned()).unwrap_or_default();
    let auth = export_auth(state, rules)?;
    let bank = export_bank(state, rules, &prefix)?;
    let document = json!({ "app_state": { "auth": auth, "bank": bank }, "chain_id": chain_id });
    let format = serde_json::ser::PrettyFormatter::with_indent(b" ");
    let mut json = serde_json::Serializer::with_formatter(&mut *out, format);
    serde::Serialize::serialize(&document, &mut json)?;
    Ok(out.write_all(b"\n")?)
}

/// Decodes a message with all its fields.
fn value_of(
    rules: &Rules,
    fields: &'static [schema::Field],
    message: &impl Message,
    path: &str,
) -> Result<Value, CosmosError> {
    decode(rules, fields, &message.encode_to_vec(), path)
}

fn export_auth(state: &(impl Read + ?Sized), rules: &Rules) -> Result<Value, CosmosError> {
    let params = acc::AUTH_PARAMS.get(state)?.unwrap_or_else(AuthParams::sdk_default);
    let params = value_of(rules, schema::AUTH_PARAMS, &params, "auth.params")?;
    let mut accounts = Vec::new();
    let mut scan = acc::ACCOUNT_NUMBERS.scan_all(state)?;
    while let Some(row) = scan.next_row()? {
        let path = format!("auth.accounts[{}]", accounts.len());
        let owner = Address::new(row.value()?.to_vec()).map_err(|error| bad(&path, error))?;
        let Some(account) = keeper::get_account(state, &owner)? else { continue };
        accounts.push(decode_any(rules, account.type_url(), account.message(), &path)?);
    }
    Ok(json!({ "params": params, "accounts": accounts }))
}

fn export_bank(
    state: &(impl Read + ?Sized),
    rules: &Rules,
    prefix: &Prefix,
) -> Result<Value, CosmosError> {
    let params = value_of(rules, schema::BANK_PARAMS, &keeper::get_params(state)?, "bank.params")?;
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
    let balances = balances.into_iter();
    let balances =
        balances.map(|(owner, coins)| json!({ "address": prefix.show(&owner), "coins": coins }));
    let (mut supply, mut metadata, mut enabled) = (Vec::new(), Vec::new(), Vec::new());
    for row in keeper::supplies(state)? {
        let (key, amount) = row?;
        supply.push(coin(key.denom.as_str(), amount.to_string()));
    }
    for row in bank::METADATA.scan_all(state)? {
        metadata.push(value_of(rules, schema::METADATA, &row?.1, "bank.denom_metadata")?);
    }
    for row in bank::SEND_ENABLED.scan_all(state)? {
        let (key, is_enabled) = row?;
        enabled.push(json!({ "denom": key.denom.as_str(), "enabled": is_enabled }));
    }
    Ok(json!({
        "params": params,
        "balances": balances.collect::<Vec<_>>(),
        "supply": supply,
        "denom_metadata": metadata,
        "send_enabled": enabled,
    }))
}
