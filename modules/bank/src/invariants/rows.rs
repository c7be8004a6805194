//! Rows, one by one.

use super::{Breaches, Broken};
use crate::{
    Account, Error,
    layout::{auth, bank},
    values,
};
use keyscape::{
    BadValue, Keyspace, MapRows, Rows, U256, ValueForm,
    store::{KeyRange, Read, Row, StoreId},
};

/// Every row is one of the layout and can be read; no amount is zero; balances in their older form name
/// the denomination of their key; accounts can be read as what their type says.
///
/// # Errors
/// What the database reports.
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
    each(auth::Accounts::SPACE, fits_auth)?;
    Ok(breaches.reported())
}

fn fits_bank(row: Row<'_>) -> Result<(), String> {
    if row.key.starts_with(bank::Balances::PREFIX) {
        let key = key::<bank::Balances>(row)?;
        let amount = values::balance(&key.denom, row.value);
        return not_zero(amount.map_err(|bad| bad_value::<bank::Balances>(&bad))?);
    }
    if row.key.starts_with(bank::Supply::PREFIX) {
        return not_zero(read::<bank::Supply>(row)?.1);
    }
    if row.key.starts_with(<bank::Holders as keyscape::IndexRows>::PREFIX) {
        return read::<bank::Holders>(row).map(drop);
    }
    if row.key.starts_with(bank::Metadata::PREFIX) {
        return read::<bank::Metadata>(row).map(drop);
    }
    if row.key.starts_with(bank::SendEnabled::PREFIX) {
        return read::<bank::SendEnabled>(row).map(drop);
    }
    read::<bank::Params>(row).map(drop)
}

fn fits_auth(row: Row<'_>) -> Result<(), String> {
    if row.key.starts_with(auth::Accounts::PREFIX) {
        let (_, account): (_, Account) = read::<auth::Accounts>(row)?;
        return account.kind().map(drop).map_err(|bad| bad.to_string());
    }
    if row.key.starts_with(<auth::AccountNumbers as keyscape::IndexRows>::PREFIX) {
        return read::<auth::AccountNumbers>(row).map(drop);
    }
    if row.key == <auth::NextAccountNumber as keyscape::ItemRows>::KEY {
        return read::<auth::NextAccountNumber>(row).map(drop);
    }
    read::<auth::AuthParams>(row).map(drop)
}

/// A row as one of a keyspace.
fn read<K: Rows>(row: Row<'_>) -> Result<(K::Key<'_>, <K::Value as ValueForm>::View<'_>), String> {
    let key = key::<K>(row)?;
    let value = K::Value::decode(row.value).map_err(|bad| bad_value::<K>(&bad))?;
    Ok((key, value))
}

fn key<K: Keyspace>(row: Row<'_>) -> Result<K::Key<'_>, String> {
    K::decode(row.key).map_err(|error| format!("the key is none of `{}`: {error}", K::NAME))
}

fn bad_value<K: Keyspace>(bad: &BadValue) -> String {
    format!("the value is none of `{}`: {bad}", K::NAME)
}

fn not_zero(amount: U256) -> Result<(), String> {
    if amount == U256::ZERO { Err("an amount of zero has no row".to_owned()) } else { Ok(()) }
}
