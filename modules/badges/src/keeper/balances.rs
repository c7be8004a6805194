//! The records of users in a collection, and the total.

use super::{Approver, approvals::next_version, collections};
use crate::{
    Amounts, AmountsError, Error, ErrorKind, Ranges,
    layout::badges::{Address, BALANCES, Id, Owner},
    names::owner_name,
    values::{BadgeCollection, UserBalanceStore, UserPermissions},
};
use keyscape::store::{Read, Tx};

/// Returns the stored record of a user in a collection, or the default of the collection.
///
/// # Errors
/// [`NoCollection`](ErrorKind::NoCollection),
/// [`CollectionDeleting`](ErrorKind::CollectionDeleting).
pub fn get_user(
    state: &(impl Read + ?Sized),
    collection: Id,
    user: &Address<'_>,
) -> Result<UserBalanceStore, Error> {
    let record = collections::live(state, collection)?;
    Ok(stored_or_default(state, collection, &record, user)?.0)
}

/// Returns the record of a user, and whether it is stored.
pub(super) fn stored_or_default(
    state: &(impl Read + ?Sized),
    id: Id,
    collection: &BadgeCollection,
    user: &Address<'_>,
) -> Result<(UserBalanceStore, bool), Error> {
    let owner = Owner::User { address: user.by_ref() };
    match BALANCES.get(state, (id, owner))? {
        Some(stored) => Ok((stored, true)),
        None => Ok((collection.default_balances.clone().unwrap_or_default(), false)),
    }
}

/// Returns the badges of a user in a collection.
///
/// # Errors
/// As [`get_user`].
pub fn amounts(
    state: &(impl Read + ?Sized),
    collection: Id,
    user: &Address<'_>,
) -> Result<Amounts, Error> {
    parse_user(&get_user(state, collection, user)?)
}

/// Returns the sum of the badges of all users with a row.
///
/// A user without a row owns the default balances of the collection, and counts from the first
/// change of the record on.
///
/// # Errors
/// Errors of the database.
pub fn total(state: &(impl Read + ?Sized), collection: Id) -> Result<Amounts, Error> {
    let row = BALANCES.get(state, (collection, Owner::Total))?;
    row.map_or_else(|| Ok(Amounts::default()), |row| parse_user(&row))
}

/// Parses the badges of a record.
pub(crate) fn parse_user(record: &UserBalanceStore) -> Result<Amounts, Error> {
    Ok(Amounts::from_messages(&record.balances)?)
}

/// Rejects badges that the collection does not have.
pub(super) fn check_valid(valid: &Ranges, amounts: &Amounts) -> Result<(), Error> {
    let ids = amounts.ids().without(valid);
    if ids.is_empty() { Ok(()) } else { Err(ErrorKind::InvalidBadges { ids }.into()) }
}

/// Writes the first row of a user from the default of the collection, with the versions of its
/// approvals, and adds its badges to the total.
pub(super) fn materialise(
    tx: &mut Tx<'_>,
    id: Id,
    user: &Address<'_>,
    mut record: UserBalanceStore,
) -> Result<UserBalanceStore, Error> {
    let user = user.clone().into_owned();
    for (approver, approvals) in [
        (Approver::Outgoing(user.clone()), &mut record.outgoing_approvals),
        (Approver::Incoming(user.clone()), &mut record.incoming_approvals),
    ] {
        for approval in approvals {
            approval.version = next_version(tx, id, &approver, &approval.approval_id)?.to_string();
        }
    }
    let minted = parse_user(&record)?;
    add_to_total(tx, id, &minted)?;
    put(tx, id, Owner::User { address: user }, &record)?;
    Ok(record)
}

/// Adds new badges to the total.
pub(super) fn add_to_total(tx: &mut Tx<'_>, id: Id, minted: &Amounts) -> Result<(), Error> {
    if minted.is_empty() {
        return Ok(());
    }
    let sum = total(tx, id)?.checked_add(minted).map_err(amounts_error(&Owner::Total))?;
    put(tx, id, Owner::Total, &UserBalanceStore { balances: sum.to_messages(), ..empty() })
}

pub(super) fn put(
    tx: &mut Tx<'_>,
    id: Id,
    owner: Owner<'_>,
    record: &UserBalanceStore,
) -> Result<(), Error> {
    Ok(BALANCES.put(tx, (id, owner), record)?)
}

/// Returns a record without badges and approvals. It has permissions, because every stored record
/// has them.
fn empty() -> UserBalanceStore {
    UserBalanceStore {
        user_permissions: Some(UserPermissions::default()),
        ..UserBalanceStore::default()
    }
}

/// Names the owner in an error about amounts.
pub(super) fn amounts_error(owner: &Owner<'_>) -> impl FnOnce(AmountsError) -> Error {
    let owner = owner_name(owner);
    move |source| ErrorKind::Amounts { owner, source }.into()
}
