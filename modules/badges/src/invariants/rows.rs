//! Every row belongs to the layout and has a value that the module would write.

use super::{Breaches, Broken};
use crate::{
    Amounts, Error,
    keeper::address,
    layout::badges::{
        self, AddressLists, ApprovalTrackers, Balances, Collections, DynamicStores, LAYOUT,
    },
    names::MINT,
    values::{AddressList, ApprovalTracker, BadgeCollection, DynamicStore, UserBalanceStore},
};
use keyscape::{
    store::{KeyRange, Read, Row, StoreId},
    traits::Keyspace,
};
use prost::Message;

/// Checks that every row decodes, and that its value has the form that the module writes: no
/// unknown fields, normalised amounts, the ids of the key.
///
/// # Errors
/// Errors of the database.
pub fn rows(state: &(impl Read + ?Sized)) -> Result<Vec<Broken>, Error> {
    let mut breaches = Breaches::of("row");
    for space in LAYOUT.spaces {
        let mut cursor = state.rows(StoreId::of(space), KeyRange::all())?;
        while let Some(row) = cursor.next()? {
            if let Err(why) = row_of(space, row) {
                breaches.add(Broken::Row { key: row.key.into(), why });
            }
        }
    }
    Ok(breaches.reported())
}

fn row_of(space: &str, row: Row<'_>) -> Result<(), String> {
    badges::fits(space, row.key, row.value).map_err(|misfit| misfit.to_string())?;
    if let Ok(key) = Collections::decode(row.key) {
        let collection = message::<BadgeCollection>(row.value)?;
        same_id(&collection.collection_id, &key.collection.to_string())?;
        if let Some(defaults) = &collection.default_balances {
            normalised(&defaults.balances)?;
        }
        return Ok(());
    }
    if Balances::decode(row.key).is_ok() {
        let user = message::<UserBalanceStore>(row.value)?;
        if user.user_permissions.is_none() {
            return Err("the permissions are missing".to_owned());
        }
        return normalised(&user.balances);
    }
    if ApprovalTrackers::decode(row.key).is_ok() {
        return normalised(&message::<ApprovalTracker>(row.value)?.amounts);
    }
    if let Ok(key) = AddressLists::decode(row.key) {
        let list = message::<AddressList>(row.value)?;
        same_id(&list.list_id, key.list.as_str())?;
        let mut names = list.addresses.iter().filter(|name| *name != MINT);
        return names.try_for_each(|name| match address(name) {
            Ok(_) => Ok(()),
            Err(error) => Err(error.to_string()),
        });
    }
    if let Ok(key) = DynamicStores::decode(row.key) {
        return same_id(&message::<DynamicStore>(row.value)?.store_id, &key.store.to_string());
    }
    Ok(())
}

/// Decodes a message that the module writes byte for byte like this.
fn message<M: Message + Default>(bytes: &[u8]) -> Result<M, String> {
    let message = M::decode(bytes).map_err(|error| error.to_string())?;
    if message.encode_to_vec() == bytes {
        return Ok(message);
    }
    Err("the value has fields that the module does not know, or is not in canonical form"
        .to_owned())
}

fn same_id(stated: &str, key: &str) -> Result<(), String> {
    if stated == key { Ok(()) } else { Err(format!("the value has the id `{stated}`")) }
}

fn normalised(balances: &[crate::values::Balance]) -> Result<(), String> {
    let amounts = Amounts::from_messages(balances).map_err(|error| error.to_string())?;
    if amounts.to_messages() == balances {
        return Ok(());
    }
    Err("the amounts are not normalised".to_owned())
}
