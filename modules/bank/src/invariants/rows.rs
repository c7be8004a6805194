//! Invariants of single rows.

use crate::{
    Account, Error,
    layout::{acc, bank},
};
use keyscape::{
    U256, ValueForm,
    store::{KeyRange, Read, Row, StoreId},
    traits::{Keyspace, MapRows, Rows},
};
use keyscape_sim::{Breaches, Broken, Hex};

/// Checks that every row fits the layout and can be read, that no amount is zero, that balances in
/// their older form name the denomination of their key, that metadata describe the denomination of
/// their key, and that accounts can be decoded by their type. Invalid metadata are a
/// [warning](super::warnings()), because the SDK stores them.
///
/// # Errors
/// Errors of the database.
pub fn rows(state: &(impl Read + ?Sized)) -> Result<Vec<Broken>, Error> {
    let mut breaches = Breaches::of("row");
    let mut each = |store: &'static str,
                    check: fn(Row<'_>) -> Result<(), String>,
                    describe: fn(&[u8]) -> Option<String>| {
        let mut rows = state.rows(StoreId::of(store), KeyRange::all())?;
        while let Some(row) = rows.next()? {
            if let Err(why) = check(row) {
                breaches.add_with(|| {
                    let subject = describe(row.key).map_or_else(String::new, |text| text + ", ");
                    format!("{subject}key {} in the store `{store}`: {why}", Hex(row.key))
                });
            }
        }
        Ok::<(), Error>(())
    };
    each(bank::Balances::SPACE, check_bank, describe_in_bank)?;
    each(acc::Accounts::SPACE, check_acc, describe_in_acc)?;
    Ok(breaches.reported())
}

/// Describes a key; `None` if it fits no keyspace.
fn describe_in_bank(key: &[u8]) -> Option<String> {
    if let Ok(bank::BalancesKey { owner, denom }) = bank::Balances::decode(key) {
        return Some(format!("the balance of `{owner}` in `{denom}`"));
    }
    if let Ok(bank::HoldersKey { denom, owner }) = bank::Holders::decode(key) {
        return Some(format!("the holder `{owner}` of `{denom}`"));
    }
    if let Ok(bank::SupplyKey { denom }) = bank::Supply::decode(key) {
        return Some(format!("the supply of `{denom}`"));
    }
    if let Ok(bank::MetadataKey { denom }) = bank::Metadata::decode(key) {
        return Some(format!("the metadata of `{denom}`"));
    }
    if let Ok(bank::SendEnabledKey { denom }) = bank::SendEnabled::decode(key) {
        return Some(format!("whether `{denom}` may be sent"));
    }
    bank::Params::decode(key).ok().map(|_| "the parameters".to_owned())
}

/// Describes a key; `None` if it fits no keyspace. An entry of the index of numbers may contain any
/// bytes, so it is never a bad row.
fn describe_in_acc(key: &[u8]) -> Option<String> {
    if let Ok(acc::AccountsKey { address }) = acc::Accounts::decode(key) {
        return Some(format!("the account `{address}`"));
    }
    if acc::NextAccountNumber::decode(key).is_ok() {
        return Some("the next account number".to_owned());
    }
    if let Ok(acc::UnorderedNoncesKey { sender, .. }) = acc::UnorderedNonces::decode(key) {
        return Some(format!("an unordered transaction of `{sender}`"));
    }
    acc::AuthParams::decode(key).ok().map(|_| "the parameters".to_owned())
}

fn check_bank(row: Row<'_>) -> Result<(), String> {
    bank::fits(bank::Balances::SPACE, row.key, row.value).map_err(|misfit| misfit.to_string())?;
    if row.key.starts_with(bank::Supply::PREFIX) {
        return not_zero(read::<bank::Supply>(row)?.1);
    }
    if row.key.starts_with(bank::Balances::PREFIX) {
        return not_zero(read::<bank::Balances>(row)?.1);
    }
    if row.key.starts_with(bank::Metadata::PREFIX) {
        let (key, metadata) = read::<bank::Metadata>(row)?;
        return describes(&metadata, key.denom.as_str());
    }
    Ok(())
}

fn check_acc(row: Row<'_>) -> Result<(), String> {
    acc::fits(acc::Accounts::SPACE, row.key, row.value).map_err(|misfit| misfit.to_string())?;
    if row.key.starts_with(acc::Accounts::PREFIX) {
        let (_, account): (_, Account) = read::<acc::Accounts>(row)?;
        return account.kind().map(drop).map_err(|bad| bad.to_string());
    }
    Ok(())
}

/// Decodes a row that fits its keyspace.
fn read<K: Rows>(row: Row<'_>) -> Result<(K::Key<'_>, <K::Value as ValueForm>::View<'_>), String> {
    let key = K::decode(row.key).map_err(|error| error.to_string())?;
    let value = K::Value::decode_row(row.key, row.value).map_err(|error| error.to_string())?;
    Ok((key, value))
}

fn describes(metadata: &crate::Metadata, denom: &str) -> Result<(), String> {
    let base = &metadata.base;
    if base == denom {
        return Ok(());
    }
    Err(format!("the metadata describe `{base}`"))
}

fn not_zero(amount: U256) -> Result<(), String> {
    if amount == U256::ZERO { Err("an amount of zero has no row".to_owned()) } else { Ok(()) }
}
