//! Possible operations on collections, lists and dynamic stores.

use super::draw::Draw;
use crate::{
    Id,
    keeper::{self, Approver, CollectionChanges, NewList},
    layout::badges::{NEXT_ADDRESS_LIST, NEXT_COLLECTION},
    values::{CustomDataTimeline, UserBalanceStore, one_range},
};
use keyscape::{U256, store::Tx};
use keyscape_sim::{Fault, done, same};

/// Draws and runs an operation, and checks its changes.
pub(super) fn operation(tx: &mut Tx<'_>, draw: &mut Draw, id: Id) -> Result<(), Fault> {
    match draw.below(18) {
        0 => create(tx, draw),
        1 => delete(tx, draw, id),
        2..5 => approvals(tx, draw, id),
        5..7 => custom_data(tx, draw, id),
        7..9 => list(tx, draw),
        9 => store(tx, draw),
        10 => delete_store(tx, draw),
        _ => value(tx, draw),
    }
}

fn create(tx: &mut Tx<'_>, draw: &mut Draw) -> Result<(), Fault> {
    let manager = draw.address()?;
    let (changes, expected) = (draw.template(&manager), NEXT_COLLECTION.peek(tx)?);
    let operation = "create a collection";
    let defaults = UserBalanceStore::default();
    let id = done(tx, operation, |tx| keeper::create_collection(tx, &manager, &defaults, changes))?;
    same(operation, "the id", &Id(expected), &id)?;
    let archived = keeper::is_archived(tx, id, draw.now())?;
    same(operation, "whether it is archived", &false, &archived)
}

/// Deletes a collection in batches within the block, if another one remains.
fn delete(tx: &mut Tx<'_>, draw: &mut Draw, id: Id) -> Result<(), Fault> {
    if draw.collection(tx)? == id {
        return create(tx, draw);
    }
    let (manager, now) = (draw.manager(tx, id)?, draw.now());
    let operation = format!("delete collection {id}");
    let limit = 1 + draw.below(20);
    loop {
        let deleted =
            done(tx, &operation, |tx| keeper::delete_collection(tx, now, &manager, id, limit))?;
        if deleted.done {
            break;
        }
    }
    let gone = keeper::get_collection(tx, id)?.is_none();
    same(&operation, "whether it is gone", &true, &gone)
}

/// Changes one approval. Its version increases by one, the other versions do not change.
fn approvals(tx: &mut Tx<'_>, draw: &mut Draw, id: Id) -> Result<(), Fault> {
    let (manager, now) = (draw.manager(tx, id)?, draw.now());
    let collection = keeper::get_collection(tx, id)?.unwrap_or_default();
    let mut approvals = collection.collection_approvals;
    let version = |tx: &Tx<'_>, approval: &str| {
        keeper::get_version(tx, id, &Approver::Collection, approval)
            .map(|version| version.unwrap_or(U256::ZERO))
    };
    let before = (version(tx, "open")?, version(tx, "mint")?);
    let uri = format!("block {now} {}", draw.below(1_000_000));
    for approval in approvals.iter_mut().filter(|approval| approval.approval_id == "open") {
        approval.uri.clone_from(&uri);
    }
    let changes = CollectionChanges { approvals: Some(approvals), ..CollectionChanges::default() };
    let operation = format!("change an approval of collection {id}");
    done(tx, &operation, |tx| keeper::update_collection(tx, now, &manager, id, changes))?;
    let after = (version(tx, "open")?, version(tx, "mint")?);
    same(&operation, "the version of `open`", &(before.0 + 1), &after.0)?;
    same(&operation, "the version of `mint`", &before.1, &after.1)
}

fn custom_data(tx: &mut Tx<'_>, draw: &mut Draw, id: Id) -> Result<(), Fault> {
    let (manager, now) = (draw.manager(tx, id)?, draw.now());
    let data = CustomDataTimeline {
        custom_data: format!("data {}", draw.below(100)),
        timeline_times: one_range(crate::Range::ALL),
    };
    let changes =
        CollectionChanges { custom_data: Some(vec![data.clone()]), ..CollectionChanges::default() };
    let operation = format!("change the data of collection {id}");
    done(tx, &operation, |tx| keeper::update_collection(tx, now, &manager, id, changes))?;
    let found = keeper::get_collection(tx, id)?.unwrap_or_default().custom_data_timeline;
    same(&operation, "whether the data is set", &true, &(found == [data]))
}

fn list(tx: &mut Tx<'_>, draw: &mut Draw) -> Result<(), Fault> {
    let (creator, listed) = (draw.address()?, draw.address()?);
    let number = NEXT_ADDRESS_LIST.peek(tx)?.max(U256::ONE);
    let whitelist = draw.below(2) == 0;
    let list = NewList {
        id: format!("list{number}"),
        addresses: vec![listed.to_string()],
        whitelist,
        ..NewList::default()
    };
    let operation = format!("create list {number}");
    done(tx, &operation, |tx| keeper::create_list(tx, &creator, &list))?;
    let found = keeper::resolve(tx, &list.id)?.contains(&listed.to_string());
    same(&operation, "whether it contains the address", &whitelist, &found)?;
    let stored = keeper::get_list(tx, &list.id)?.is_some();
    same(&operation, "whether it is stored", &true, &stored)
}

fn store(tx: &mut Tx<'_>, draw: &mut Draw) -> Result<(), Fault> {
    let (creator, user, default) = (draw.address()?, draw.address()?, draw.below(2) == 0);
    let operation = "create a dynamic store";
    let id = done(tx, operation, |tx| keeper::create_dynamic_store(tx, &creator, default))?;
    let found = keeper::get_dynamic_value(tx, id, &user)?;
    same(operation, "the default", &default, &found)
}

/// Sets a value of a dynamic store, or its default, by its creator.
fn value(tx: &mut Tx<'_>, draw: &mut Draw) -> Result<(), Fault> {
    let (id, user, value) = (draw.store(tx)?, draw.address()?, draw.below(2) == 0);
    let Some(found) = keeper::get_dynamic_store(tx, id)? else { return store(tx, draw) };
    let creator = keeper::address(&found.created_by)?;
    let operation = format!("change dynamic store {id}");
    if draw.below(4) == 0 {
        done(tx, &operation, |tx| keeper::update_dynamic_store(tx, &creator, id, value))?;
        let default = keeper::get_dynamic_store(tx, id)?.unwrap_or_default().default_value;
        return same(&operation, "the default", &value, &default);
    }
    done(tx, &operation, |tx| keeper::set_dynamic_value(tx, &creator, id, &user, value))?;
    let found = keeper::get_dynamic_value(tx, id, &user)?;
    same(&operation, "the value", &value, &found)
}

fn delete_store(tx: &mut Tx<'_>, draw: &mut Draw) -> Result<(), Fault> {
    let id = draw.store(tx)?;
    let Some(found) = keeper::get_dynamic_store(tx, id)? else { return store(tx, draw) };
    let creator = keeper::address(&found.created_by)?;
    let (operation, limit) = (format!("delete dynamic store {id}"), 1 + draw.below(4));
    while !done(tx, &operation, |tx| keeper::delete_dynamic_store(tx, &creator, id, limit))?.done {}
    let gone = keeper::get_dynamic_store(tx, id)?.is_none();
    same(&operation, "whether it is gone", &true, &gone)
}
