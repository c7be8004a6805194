//! Rows, their owners, and the totals and counters that depend on them.

use super::{Broken, Collections};
use crate::{
    Amounts, Error, Id,
    keeper::{Approver, address, get_version, parse_user},
    layout::badges::{
        self, ADDRESS_LISTS, APPROVAL_TRACKERS, APPROVAL_VERSIONS, AddressLists, ApprovalTrackers,
        BALANCES, Balances, CHALLENGE_TRACKERS, COLLECTIONS, DYNAMIC_STORES, DYNAMIC_VALUES,
        DynamicStores, LAYOUT, NEXT_ADDRESS_LIST, NEXT_COLLECTION, NEXT_DYNAMIC_STORE, Owner,
    },
    names::MINT,
    values::{
        AddressList, ApprovalTracker, BadgeCollection, Balance, DynamicStore, UserBalanceStore,
    },
};
use keyscape::{
    U256,
    store::{KeyRange, Read, Row, StoreId},
    traits::Keyspace,
};
use keyscape_sim::{Breaches, Hex};
use prost::Message;
use std::fmt::Debug;

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
                breaches.add(format_args!("key {}: {why}", Hex(row.key)));
            }
        }
    }
    Ok(breaches.reported())
}

fn row_of(space: &str, row: Row<'_>) -> Result<(), String> {
    badges::fits(space, row.key, row.value).map_err(|misfit| misfit.to_string())?;
    if let Ok(key) = badges::Collections::decode(row.key) {
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

/// Decodes a message. Rejects bytes that the module would not write for it.
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

fn normalised(balances: &[Balance]) -> Result<(), String> {
    let amounts = Amounts::from_messages(balances).map_err(|error| error.to_string())?;
    if amounts.to_messages() == balances {
        return Ok(());
    }
    Err("the amounts are not normalised".to_owned())
}

/// Checks that every balance, tracker, leaf and version belongs to a collection, every tracker and
/// leaf to an approval that exists or existed, and every value to a dynamic store.
///
/// # Errors
/// Errors of the database, or of a corrupt row.
pub fn belonging(state: &(impl Read + ?Sized)) -> Result<Vec<Broken>, Error> {
    let mut breaches = Breaches::of("belonging");
    let mut collections = Collections::new(&state);
    let mut check = |keyspace: &'static str,
                     key: &dyn Debug,
                     id: Id,
                     approval: Option<(Option<Approver>, &str)>| {
        let missing = match (collections.is_deleting(id)?, approval) {
            (None, _) => format!("collection {id}"),
            // A deletion in batches can have deleted the versions, but not the trackers.
            (Some(true), _) | (Some(false), None) => return Ok(()),
            (Some(false), Some((approver, approval))) => {
                let version = match &approver {
                    Some(approver) => get_version(state, id, approver, approval)?,
                    None => None,
                };
                if version.is_some() {
                    return Ok(());
                }
                format!("approval `{approval}`")
            }
        };
        breaches.add(format_args!("{keyspace} {key:?}: {missing} does not exist"));
        Ok::<(), Error>(())
    };
    for row in BALANCES.scan_all(state)? {
        let (key, _) = row?;
        check("balances", &key, key.collection, None)?;
    }
    for row in APPROVAL_VERSIONS.scan_all(state)? {
        let (key, _) = row?;
        check("approval_versions", &key, key.collection, None)?;
    }
    for row in APPROVAL_TRACKERS.scan_all(state)? {
        let (key, _) = row?;
        let approver = Approver::of(key.level, key.approver.clone());
        let approval = Some((approver, key.approval.as_str()));
        check("approval_trackers", &key, key.collection, approval)?;
    }
    for row in CHALLENGE_TRACKERS.scan_all(state)? {
        let (key, _) = row?;
        let approver = Approver::of(key.level, key.approver.clone());
        let approval = Some((approver, key.approval.as_str()));
        check("challenge_trackers", &key, key.collection, approval)?;
    }
    let mut last: Option<(Id, bool)> = None;
    for row in DYNAMIC_VALUES.scan_all(state)? {
        let (key, _) = row?;
        let id = key.store;
        let exists = match last {
            Some((other, exists)) if other == id => exists,
            _ => DYNAMIC_STORES.contains(state, id)?,
        };
        last = Some((id, exists));
        if !exists {
            breaches.add(format_args!("dynamic_values {key:?}: dynamic store {id} does not exist"));
        }
    }
    Ok(breaches.reported())
}

/// The sum of one collection.
struct Sum {
    collection: Id,
    stated: Amounts,
    /// `None` if the sum exceeds 256 bits.
    summed: Option<Amounts>,
}

impl Sum {
    /// Compares both sums, unless the collection is being deleted: some of its rows are missing.
    fn end(self, state: &(impl Read + ?Sized), breaches: &mut Breaches) -> Result<(), Error> {
        let Sum { collection, stated, summed } = self;
        if summed.as_ref() != Some(&stated)
            && COLLECTIONS.get_with(state, collection, |row| row.deleting)? != Some(true)
        {
            let summed = summed.map_or_else(
                || "more than 2^256 - 1 of a badge".to_owned(),
                |summed| summed.to_string(),
            );
            breaches.add(format_args!(
                "collection {collection} states {stated}, and its users own {summed}"
            ));
        }
        Ok(())
    }
}

/// Checks that the total of every collection is the sum of its users' badges, for every id and
/// time.
///
/// # Errors
/// Errors of the database, or of a corrupt row.
pub fn totals(state: &(impl Read + ?Sized)) -> Result<Vec<Broken>, Error> {
    let mut breaches = Breaches::of("total");
    let mut current: Option<Sum> = None;
    let mut scan = BALANCES.scan_all(state)?;
    // The rows of one collection are adjacent, because a scan of the collection is exact.
    while let Some(row) = scan.next_row()? {
        let collection = row.key.collection;
        if let Some(ended) = current.take_if(|sum| sum.collection != collection) {
            ended.end(state, &mut breaches)?;
        }
        let empty =
            || Sum { collection, stated: Amounts::default(), summed: Some(Amounts::default()) };
        let sum = current.get_or_insert_with(empty);
        let amounts = parse_user(&row.value()?)?;
        match row.key.owner {
            Owner::Total => sum.stated = amounts,
            _ => sum.summed = sum.summed.take().and_then(|sum| sum.checked_add(&amounts).ok()),
        }
    }
    if let Some(last) = current {
        last.end(state, &mut breaches)?;
    }
    Ok(breaches.reported())
}

/// Checks that the counters of collections and dynamic stores are above every existing id, and that
/// the counter of address lists is their number plus one.
///
/// # Errors
/// Errors of the database, or of a corrupt row.
pub fn counters(state: &(impl Read + ?Sized)) -> Result<Vec<Broken>, Error> {
    let mut breaches = Breaches::of("counter");
    let mut check = |counter: &'static str, next: U256, id: Id| {
        if id.get() >= next.max(U256::ONE) {
            breaches.add(format_args!("{counter} is at {next}, and id {id} exists"));
        }
    };
    let next = NEXT_COLLECTION.peek(state)?;
    let mut scan = COLLECTIONS.scan_all(state)?;
    while let Some(row) = scan.next_row()? {
        check("next_collection", next, row.key.collection);
    }
    let next = NEXT_DYNAMIC_STORE.peek(state)?;
    let mut scan = DYNAMIC_STORES.scan_all(state)?;
    while let Some(row) = scan.next_row()? {
        check("next_dynamic_store", next, row.key.store);
    }
    let next = NEXT_ADDRESS_LIST.peek(state)?;
    let mut count = 0_u64;
    let mut scan = ADDRESS_LISTS.scan_all(state)?;
    while scan.next_row()?.is_some() {
        count += 1;
    }
    if next.max(U256::ONE) != U256::from(count + 1) {
        breaches.add(format_args!("next_address_list is at {next}, and {count} lists exist"));
    }
    Ok(breaches.reported())
}
