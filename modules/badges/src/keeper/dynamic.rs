//! Dynamic stores: one boolean per address, set by the creator of the store.

use super::{collections::Deleted, next};
use crate::{
    Error, ErrorKind,
    layout::badges::{Address, DYNAMIC_STORES, DYNAMIC_VALUES, Id, NEXT_DYNAMIC_STORE},
    values::DynamicStore,
};
use keyscape::{
    U256,
    store::{Read, Tx},
};

/// Creates a dynamic store and returns its id.
///
/// # Errors
/// Errors of the database.
pub fn create_dynamic_store(
    tx: &mut Tx<'_>,
    creator: &Address<'_>,
    default_value: bool,
) -> Result<Id, Error> {
    tx.attempt(|tx| {
        let id = Id(next!(NEXT_DYNAMIC_STORE, tx));
        let row = DynamicStore {
            store_id: id.to_string(),
            created_by: creator.to_string(),
            default_value,
            deleting: false,
        };
        DYNAMIC_STORES.put(tx, id, &row)?;
        Ok(id)
    })
}

/// Returns a dynamic store.
///
/// # Errors
/// Errors of the database.
pub fn get_dynamic_store(
    state: &(impl Read + ?Sized),
    id: Id,
) -> Result<Option<DynamicStore>, Error> {
    Ok(DYNAMIC_STORES.get(state, id)?)
}

/// Changes the default value of a dynamic store.
///
/// # Errors
/// [`NoStore`](ErrorKind::NoStore), [`NotCreator`](ErrorKind::NotCreator),
/// [`StoreDeleting`](ErrorKind::StoreDeleting).
pub fn update_dynamic_store(
    tx: &mut Tx<'_>,
    caller: &Address<'_>,
    id: Id,
    default_value: bool,
) -> Result<(), Error> {
    let mut store = live(id, created_by(tx, caller, id)?)?;
    store.default_value = default_value;
    Ok(DYNAMIC_STORES.put(tx, id, &store)?)
}

/// Sets the value of an address.
///
/// # Errors
/// As [`update_dynamic_store`].
pub fn set_dynamic_value(
    tx: &mut Tx<'_>,
    caller: &Address<'_>,
    id: Id,
    address: &Address<'_>,
    value: bool,
) -> Result<(), Error> {
    live(id, created_by(tx, caller, id)?)?;
    Ok(DYNAMIC_VALUES.put(tx, (id, address), value)?)
}

/// Returns the value of an address, or the default of the store.
///
/// # Errors
/// [`NoStore`](ErrorKind::NoStore), [`StoreDeleting`](ErrorKind::StoreDeleting).
pub fn get_dynamic_value(
    state: &(impl Read + ?Sized),
    id: Id,
    address: &Address<'_>,
) -> Result<bool, Error> {
    let store = live(id, existing(state, id)?)?;
    Ok(DYNAMIC_VALUES.get(state, (id, address))?.unwrap_or(store.default_value))
}

/// Deletes a dynamic store with its values, at most `limit` rows per call, at least one.
///
/// The first call closes the store for all other operations, and further calls continue. Only the
/// creator can make them. The record of the store is deleted last.
///
/// # Errors
/// [`NoStore`](ErrorKind::NoStore), [`NotCreator`](ErrorKind::NotCreator).
pub fn delete_dynamic_store(
    tx: &mut Tx<'_>,
    caller: &Address<'_>,
    id: Id,
    limit: u64,
) -> Result<Deleted, Error> {
    let mut store = created_by(tx, caller, id)?;
    let limit = limit.max(1);
    tx.attempt(|tx| {
        let mut rows = DYNAMIC_VALUES.prefix_store(id).limit(limit).delete(tx)?;
        let done = rows < limit;
        if done {
            DYNAMIC_STORES.delete(tx, id)?;
            rows += 1;
        } else if !store.deleting {
            store.deleting = true;
            DYNAMIC_STORES.put(tx, id, &store)?;
        }
        Ok(Deleted { rows, done })
    })
}

fn existing(state: &(impl Read + ?Sized), id: Id) -> Result<DynamicStore, Error> {
    get_dynamic_store(state, id)?.ok_or_else(|| ErrorKind::NoStore(id).into())
}

/// Returns a store that the caller has created.
fn created_by(tx: &Tx<'_>, caller: &Address<'_>, id: Id) -> Result<DynamicStore, Error> {
    let store = existing(tx, id)?;
    if store.created_by != caller.to_string() {
        return Err(ErrorKind::NotCreator { store: id, caller: caller.to_string() }.into());
    }
    Ok(store)
}

/// Returns the store unless it is being deleted.
fn live(id: Id, store: DynamicStore) -> Result<DynamicStore, Error> {
    if store.deleting { Err(ErrorKind::StoreDeleting(id).into()) } else { Ok(store) }
}
