//! Every row has an existing owner. Versions and counters agree with the counted rows.

use super::{Breaches, Broken};
use crate::{
    Address, Error, Id, Level,
    keeper::{Approver, get_version, resolve},
    layout::badges::{
        ADDRESS_LISTS, APPROVAL_TRACKERS, APPROVAL_VERSIONS, BALANCES, CHALLENGE_TRACKERS,
        COLLECTIONS, DYNAMIC_STORES, DYNAMIC_VALUES, NEXT_ADDRESS_LIST, NEXT_COLLECTION,
        NEXT_DYNAMIC_STORE, Owner,
    },
    values::{CollectionApproval, UserBalanceStore},
};
use keyscape::{U256, store::Read};
use std::{collections::BTreeSet, fmt::Debug};

/// A row: its key, its collection, and the approval that it is about.
type Found<K> = (K, Id, Option<(Option<Approver>, String)>);

/// Checks that every balance, tracker, leaf and version belongs to a collection, every tracker and
/// leaf to an approval that exists or existed, and every value to a dynamic store.
///
/// # Errors
/// Errors of the database, or of a corrupt row.
pub fn belonging(state: &(impl Read + ?Sized)) -> Result<Vec<Broken>, Error> {
    let mut breaches = Breaches::of("belonging");
    let owned = |level: Level, approver: &Option<Address<'static>>, approval: &str| {
        Some((Approver::of(level, approver.clone()), approval.to_owned()))
    };
    let rows = BALANCES.scan_all(state)?.map(|row| {
        let (key, _) = row?;
        let collection = key.collection;
        Ok((key, collection, None))
    });
    of_collections(state, &mut breaches, "balances", rows)?;
    let rows = APPROVAL_VERSIONS.scan_all(state)?.map(|row| {
        let (key, _) = row?;
        let collection = key.collection;
        Ok((key, collection, None))
    });
    of_collections(state, &mut breaches, "approval_versions", rows)?;
    let rows = APPROVAL_TRACKERS.scan_all(state)?.map(|row| {
        let (key, _) = row?;
        let approval = owned(key.level, &key.approver, key.approval.as_str());
        let collection = key.collection;
        Ok((key, collection, approval))
    });
    of_collections(state, &mut breaches, "approval_trackers", rows)?;
    let rows = CHALLENGE_TRACKERS.scan_all(state)?.map(|row| {
        let (key, _) = row?;
        let approval = owned(key.level, &key.approver, key.approval.as_str());
        let collection = key.collection;
        Ok((key, collection, approval))
    });
    of_collections(state, &mut breaches, "challenge_trackers", rows)?;
    of_stores(state, &mut breaches)?;
    Ok(breaches.reported())
}

/// Checks the rows of one keyspace. Rows of one collection are adjacent, so each collection is
/// looked up once.
fn of_collections<K: Debug>(
    state: &(impl Read + ?Sized),
    breaches: &mut Breaches,
    keyspace: &'static str,
    rows: impl Iterator<Item = Result<Found<K>, Error>>,
) -> Result<(), Error> {
    let mut last: Option<(Id, Option<bool>)> = None;
    for row in rows {
        let (key, id, approval) = row?;
        let deleting = match last {
            Some((other, deleting)) if other == id => deleting,
            _ => COLLECTIONS.get_with(state, id, |found| found.deleting)?,
        };
        last = Some((id, deleting));
        let mut orphan = |missing: String| {
            breaches.add(Broken::Orphan { keyspace, key: format!("{key:?}"), missing });
        };
        match (deleting, approval) {
            (None, _) => orphan(format!("collection {id}")),
            (Some(false), Some((approver, approval))) => {
                let known = match approver {
                    Some(approver) => get_version(state, id, &approver, &approval)?,
                    None => None,
                };
                if known.is_none() {
                    orphan(format!("approval `{approval}`"));
                }
            }
            // The versions of a collection that is being deleted may be gone before its trackers.
            (Some(true), Some(_)) | (Some(_), None) => {}
        }
    }
    Ok(())
}

fn of_stores(state: &(impl Read + ?Sized), breaches: &mut Breaches) -> Result<(), Error> {
    let mut last: Option<(Id, bool)> = None;
    let mut scan = DYNAMIC_VALUES.scan_all(state)?;
    while let Some(row) = scan.next_row()? {
        let id = row.key.store;
        let exists = match last {
            Some((other, exists)) if other == id => exists,
            _ => DYNAMIC_STORES.contains(state, id)?,
        };
        last = Some((id, exists));
        if !exists {
            let (key, missing) = (format!("{:?}", row.key), format!("dynamic store {id}"));
            breaches.add(Broken::Orphan { keyspace: "dynamic_values", key, missing });
        }
    }
    Ok(())
}

/// Checks that every approval has the version of its row.
///
/// # Errors
/// Errors of the database, or of a corrupt row.
pub fn versions(state: &(impl Read + ?Sized)) -> Result<Vec<Broken>, Error> {
    let mut breaches = Breaches::of("version");
    let mut check = |id: Id, approver: &Approver, approval: &str, stated: &str| {
        let row = get_version(state, id, approver, approval)?;
        let row = row.map_or_else(|| "none".to_owned(), |row| row.to_string());
        if row != stated {
            let (approval, stated) =
                (format!("`{approval}` of collection {id}"), stated.to_owned());
            breaches.add(Broken::Version { approval, stated, row });
        }
        Ok::<(), Error>(())
    };
    let mut scan = COLLECTIONS.scan_all(state)?;
    while let Some(row) = scan.next_row()? {
        let (id, collection) = (row.key.collection, row.value()?);
        for approval in collection.collection_approvals.iter().filter(|_| !collection.deleting) {
            check(id, &Approver::Collection, &approval.approval_id, &approval.version)?;
        }
    }
    let mut deleting: Option<(Id, bool)> = None;
    let mut scan = BALANCES.scan_all(state)?;
    while let Some(row) = scan.next_row()? {
        let (id, user) = (row.key.collection, row.value()?);
        let Owner::User { address } = &row.key.owner else { continue };
        if deleting.is_none_or(|(other, _)| other != id) {
            let found = COLLECTIONS.get_with(state, id, |found| found.deleting)?;
            deleting = Some((id, found.unwrap_or(true)));
        }
        if deleting.is_some_and(|(_, deleting)| deleting) {
            continue;
        }
        let address = address.clone().into_owned();
        for approval in &user.outgoing_approvals {
            let approver = Approver::Outgoing(address.clone());
            check(id, &approver, &approval.approval_id, &approval.version)?;
        }
        for approval in &user.incoming_approvals {
            let approver = Approver::Incoming(address.clone());
            check(id, &approver, &approval.approval_id, &approval.version)?;
        }
    }
    Ok(breaches.reported())
}

/// Checks that the address lists of all approvals exist.
///
/// # Errors
/// Errors of the database, or of a corrupt row.
pub fn lists(state: &(impl Read + ?Sized)) -> Result<Vec<Broken>, Error> {
    let mut breaches = Breaches::of("lists");
    let mut known = BTreeSet::new();
    let mut check = |keyspace: &'static str, key: &dyn Fn() -> String, list: &str| {
        if known.contains(list) {
            return Ok(());
        }
        match resolve(state, list) {
            Ok(_) => {
                known.insert(list.to_owned());
            }
            Err(error) if error.is_refusal() => {
                let missing = format!("address list `{list}`");
                breaches.add(Broken::Orphan { keyspace, key: key(), missing });
            }
            Err(error) => return Err(error),
        }
        Ok::<(), Error>(())
    };
    let mut scan = COLLECTIONS.scan_all(state)?;
    while let Some(row) = scan.next_row()? {
        let (id, collection) = (row.key.collection, row.value()?);
        let defaults = collection.default_balances.unwrap_or_default();
        for list in
            collection.collection_approvals.iter().flat_map(lists_of).chain(user_lists(&defaults))
        {
            check("collections", &|| id.to_string(), list)?;
        }
    }
    let mut scan = BALANCES.scan_all(state)?;
    while let Some(row) = scan.next_row()? {
        let user = row.value()?;
        for list in user_lists(&user) {
            check("balances", &|| format!("{:?}", row.key), list)?;
        }
    }
    Ok(breaches.reported())
}

fn lists_of(approval: &CollectionApproval) -> [&str; 3] {
    [&approval.from_list_id, &approval.to_list_id, &approval.initiated_by_list_id]
}

fn user_lists(user: &UserBalanceStore) -> impl Iterator<Item = &str> {
    let outgoing = user.outgoing_approvals.iter();
    let outgoing = outgoing.flat_map(|each| [&each.to_list_id, &each.initiated_by_list_id]);
    let incoming = user.incoming_approvals.iter();
    let incoming = incoming.flat_map(|each| [&each.from_list_id, &each.initiated_by_list_id]);
    outgoing.chain(incoming).map(String::as_str)
}

/// Checks that the counters of collections and dynamic stores are above every existing id, and that
/// the counter of address lists is their number plus one.
///
/// # Errors
/// Errors of the database, or of a corrupt row.
pub fn counters(state: &(impl Read + ?Sized)) -> Result<Vec<Broken>, Error> {
    let mut breaches = Breaches::of("counter");
    let mut check = |counter: &'static str, next: U256, found: Id| {
        if found.get() >= next.max(U256::ONE) {
            breaches.add(Broken::Counter { counter, next: Id(next), found });
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
    let mut count = 0;
    let mut scan = ADDRESS_LISTS.scan_all(state)?;
    while scan.next_row()?.is_some() {
        count += 1;
    }
    if next.max(U256::ONE) != U256::from(count + 1) {
        breaches.add(Broken::Lists { next, count });
    }
    Ok(breaches.reported())
}
