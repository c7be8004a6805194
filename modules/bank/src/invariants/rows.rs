//! Invariants of single rows.

use super::{Breaches, Broken};
use crate::{
    Account, Error,
    layout::{acc, bank},
};
use keyscape::{
    U256, ValueForm,
    store::{KeyRange, Read, Row, StoreId},
    traits::{Keyspace, MapRows, Rows},
};

/// Checks that every row fits the layout and can be read, that no amount is zero, that balances in
/// their older form name the denomination of their key, that metadata describe the denomination of
/// their key, and that accounts can be decoded by their type. Invalid metadata are a
/// [warning](super::warnings()), because the SDK stores them.
///
/// # Errors
/// Errors of the database.
pub fn rows(state: &(impl Read + ?Sized)) -> Result<Vec<Broken>, Error> {
    let mut breaches = Breaches::of("row");
    let mut each = |store: &'static str, fits: fn(Row<'_>) -> Result<(), String>| {
        let mut rows = state.rows(StoreId::of(store), KeyRange::all())?;
        while let Some(row) = rows.next()? {
            if let Err(why) = fits(row) {
                breaches.add(Broken::Row { store, key: row.key.into(), why });
            }
        }
        Ok::<(), Error>(())
    };
    each(bank::Balances::SPACE, fits_bank)?;
    each(acc::Accounts::SPACE, fits_acc)?;
    Ok(breaches.reported())
}

/// Describes the key of a row, followed by a comma; empty if the key fits no keyspace. An entry of
/// the index of numbers may contain any bytes, so it is never a bad row.
pub(super) fn described(store: &str, key: &[u8]) -> String {
    let what = match store {
        bank::Balances::SPACE => described_in_bank(key),
        _ => described_in_acc(key),
    };
    what.map_or_else(String::new, |what| format!("{what}, "))
}

fn described_in_bank(key: &[u8]) -> Option<String> {
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

fn described_in_acc(key: &[u8]) -> Option<String> {
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

fn fits_bank(row: Row<'_>) -> Result<(), String> {
    if row.key.starts_with(bank::Balances::PREFIX) {
        return not_zero(read::<bank::Balances>(row)?.1);
    }
    if row.key.starts_with(bank::Supply::PREFIX) {
        return not_zero(read::<bank::Supply>(row)?.1);
    }
    if row.key.starts_with(<bank::Holders as keyscape::traits::IndexRows>::PREFIX) {
        return read::<bank::Holders>(row).map(drop);
    }
    if row.key.starts_with(bank::Metadata::PREFIX) {
        let (key, metadata) = read::<bank::Metadata>(row)?;
        return describes(&metadata, key.denom.as_str());
    }
    if row.key.starts_with(bank::SendEnabled::PREFIX) {
        return read::<bank::SendEnabled>(row).map(drop);
    }
    read::<bank::Params>(row).map(drop)
}

fn fits_acc(row: Row<'_>) -> Result<(), String> {
    if row.key.starts_with(acc::Accounts::PREFIX) {
        let (_, account): (_, Account) = read::<acc::Accounts>(row)?;
        return account.kind().map(drop).map_err(|bad| bad.to_string());
    }
    if row.key.starts_with(<acc::AccountNumbers as keyscape::traits::IndexRows>::PREFIX) {
        return read::<acc::AccountNumbers>(row).map(drop);
    }
    if row.key.starts_with(acc::UnorderedNonces::PREFIX) {
        return read::<acc::UnorderedNonces>(row).map(drop);
    }
    if row.key == <acc::NextAccountNumber as keyscape::traits::ItemRows>::KEY {
        return read::<acc::NextAccountNumber>(row).map(drop);
    }
    read::<acc::AuthParams>(row).map(drop)
}

/// Decodes a row of a keyspace.
fn read<K: Rows>(row: Row<'_>) -> Result<(K::Key<'_>, <K::Value as ValueForm>::View<'_>), String> {
    let key = K::decode(row.key)
        .map_err(|error| format!("the key does not belong to `{}`: {error}", K::NAME))?;
    let value = K::Value::decode_row(row.key, row.value)
        .map_err(|error| format!("the value does not belong to `{}`: {error}", K::NAME))?;
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
