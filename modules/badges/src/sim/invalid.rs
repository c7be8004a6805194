//! Impossible operations.

use super::{
    draw::{Draw, owner},
    valid::{holder, is_not_approved},
};
use crate::{
    Amounts, ErrorKind, Id, Owner, Range,
    keeper::{self, CollectionChanges, NewList, Transfer},
    values::UserBalanceStore,
};
use keyscape::{U256, store::Tx};
use keyscape_sim::{Fault, is, refused};

/// Draws an impossible operation and tries it.
pub(super) fn operation(tx: &mut Tx<'_>, draw: &mut Draw) -> Result<(), Fault> {
    let id = draw.collection(tx)?;
    match draw.below(9) {
        0 => too_much(tx, draw, id),
        1 => not_the_initiator(tx, draw, id),
        2 => minted_by_a_user(tx, draw, id),
        3 => to_oneself(tx, draw, id),
        4 => invalid_badge(tx, draw, id),
        5 => not_the_manager(tx, draw, id),
        6 => an_id_with_a_dash(tx, draw),
        7 => a_list_that_exists(tx, draw),
        _ => no_collection(tx, draw),
    }
}

/// Sends one badge more than the sender owns, after a possible part.
fn too_much(tx: &mut Tx<'_>, draw: &mut Draw, id: Id) -> Result<(), Fault> {
    let Some((from, held)) = holder(tx, draw, id)? else { return no_collection(tx, draw) };
    let (to, part) = (draw.other(&from)?, draw.part(&held)?);
    let Some((ids, times, amount)) = held.iter().next() else { return Ok(()) };
    let more = Amounts::of(amount.saturating_add(U256::ONE), ids, times);
    let both = [
        Transfer::new(owner(&from), to.clone(), part),
        Transfer::new(owner(&from), to.clone(), more),
    ];
    let operation = format!("send more than `{from}` owns in collection {id}");
    refused(tx, &operation, is!(Amounts), |tx| keeper::transfer(tx, draw.now(), &from, id, &both))
}

/// Initiates a transfer without the approval of the owner.
fn not_the_initiator(tx: &mut Tx<'_>, draw: &mut Draw, id: Id) -> Result<(), Fault> {
    let Some((from, held)) = holder(tx, draw, id)? else { return no_collection(tx, draw) };
    let (to, part) = (draw.other(&from)?, draw.part(&held)?);
    let thief = draw.address_at(u64::MAX)?;
    let transfer = Transfer::new(owner(&from), to.clone(), part);
    let operation = format!("take badges of `{from}` in collection {id}");
    refused(tx, &operation, is_not_approved, |tx| {
        keeper::transfer(tx, draw.now(), &thief, id, &[transfer])
    })
}

fn minted_by_a_user(tx: &mut Tx<'_>, draw: &mut Draw, id: Id) -> Result<(), Fault> {
    let (manager, amounts) = (draw.manager(tx, id)?, draw.amounts()?);
    let user = draw.other(&manager)?;
    let transfer = Transfer::new(Owner::Mint, user.clone(), amounts);
    let operation = format!("mint in collection {id} by `{user}`");
    refused(tx, &operation, is_not_approved, |tx| {
        keeper::transfer(tx, draw.now(), &user, id, &[transfer])
    })
}

fn to_oneself(tx: &mut Tx<'_>, draw: &mut Draw, id: Id) -> Result<(), Fault> {
    let (user, amounts) = (draw.address()?, draw.amounts()?);
    let transfer = Transfer::new(owner(&user), user.clone(), amounts);
    refused(tx, "send to oneself", is!(ToSelf), |tx| {
        keeper::transfer(tx, draw.now(), &user, id, &[transfer])
    })
}

fn invalid_badge(tx: &mut Tx<'_>, draw: &mut Draw, id: Id) -> Result<(), Fault> {
    let manager = draw.manager(tx, id)?;
    let Ok(ids) = Range::new(1_000_u64, 1_001_u64) else { return Ok(()) };
    let transfer = Transfer::new(Owner::Mint, manager.clone(), Amounts::of(1_u64, ids, Range::ALL));
    refused(tx, "mint a badge that is not valid", is!(InvalidBadges), |tx| {
        keeper::transfer(tx, draw.now(), &manager, id, &[transfer])
    })
}

fn not_the_manager(tx: &mut Tx<'_>, draw: &mut Draw, id: Id) -> Result<(), Fault> {
    let (manager, now) = (draw.manager(tx, id)?, draw.now());
    let user = draw.other(&manager)?;
    let reason = is!(NotManager);
    let operation = format!("change collection {id} by `{user}`");
    let changes = CollectionChanges::default();
    refused(tx, &operation, reason, |tx| keeper::update_collection(tx, now, &user, id, changes))?;
    refused(tx, &operation, reason, |tx| keeper::delete_collection(tx, now, &user, id, 10))
}

fn an_id_with_a_dash(tx: &mut Tx<'_>, draw: &mut Draw) -> Result<(), Fault> {
    let manager = draw.address()?;
    let mut changes = draw.template(&manager);
    for approval in changes.approvals.iter_mut().flatten().take(1) {
        approval.approval_id = "a-b".to_owned();
    }
    let defaults = UserBalanceStore::default();
    refused(tx, "create an approval `a-b`", is!(Name), |tx| {
        keeper::create_collection(tx, &manager, &defaults, changes)
    })
}

fn a_list_that_exists(tx: &mut Tx<'_>, draw: &mut Draw) -> Result<(), Fault> {
    let creator = draw.address()?;
    let list = NewList { id: "All".to_owned(), ..NewList::default() };
    refused(tx, "create the list `All`", is!(ListExists), |tx| {
        keeper::create_list(tx, &creator, &list)
    })
}

fn no_collection(tx: &mut Tx<'_>, draw: &mut Draw) -> Result<(), Fault> {
    let (user, amounts, to) = (draw.address()?, draw.amounts()?, draw.address()?);
    let id = Id(U256::MAX);
    let transfer = Transfer::new(Owner::Mint, to, amounts);
    refused(tx, "mint in a collection that does not exist", is!(NoCollection), |tx| {
        keeper::transfer(tx, draw.now(), &user, id, &[transfer])
    })
}
