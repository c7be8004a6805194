//! Accounts.

use super::{Breaches, Broken, index};
use crate::{Account, AccountKind, Address, Error, layout::auth};
use keyscape::{
    Keyspace, MapRows, Rows, ValueForm,
    store::{KeyRange, Read, StoreId},
};

/// The index of account numbers has an entry for each account and no other, and the sequence is past
/// all of them.
///
/// # Errors
/// What the database reports, or a corrupt row.
pub fn account_numbers(state: &(impl Read + ?Sized)) -> Result<Vec<Broken>, Error> {
    let mut broken = entries(state)?;
    broken.extend(past_all_numbers(state)?);
    Ok(broken)
}

pub(super) fn entries(state: &(impl Read + ?Sized)) -> Result<Vec<Broken>, Error> {
    Ok(index("account_numbers", auth::ACCOUNT_NUMBERS.check(state)?))
}

pub(super) fn past_all_numbers(state: &(impl Read + ?Sized)) -> Result<Vec<Broken>, Error> {
    let next = auth::NEXT_ACCOUNT_NUMBER.peek(state)?;
    let last = auth::ACCOUNT_NUMBERS.prefix_all().reverse().first(state)?;
    Ok(match last {
        Some((key, address)) if key.number >= next => {
            let address = Address::new(address).map_err(keyscape::Error::from)?;
            vec![Broken::Number { address, number: key.number, next }]
        }
        _ => Vec::new(),
    })
}

/// No account has more noted as delegated out of what vests than vests. Accounts that cannot be read
/// are left out: [`rows`](super::rows) reports them.
///
/// # Errors
/// What the database reports.
pub fn delegated_vesting(state: &(impl Read + ?Sized)) -> Result<Vec<Broken>, Error> {
    let mut breaches = Breaches::of("delegated vesting");
    each(state, |address, account| {
        if !account.can_lock() {
            return;
        }
        let Ok(AccountKind::Vesting(account)) = account.kind() else { return };
        let (original, delegated) =
            (account.vesting.original(), account.vesting.delegated_vesting());
        if !original.covers(delegated) {
            breaches.add(Broken::DelegatedVesting {
                address: address.into_owned(),
                delegated: delegated.clone(),
                original: original.clone(),
            });
        }
    })?;
    Ok(breaches.reported())
}

/// Shows every account that can be read.
fn each(
    state: &(impl Read + ?Sized),
    mut show: impl FnMut(Address<'_>, Account),
) -> Result<(), Error> {
    let range = KeyRange::prefix(auth::Accounts::PREFIX);
    let mut rows = state.rows(StoreId::of(auth::Accounts::SPACE), range)?;
    while let Some(row) = rows.next()? {
        let Ok(key) = auth::Accounts::decode(row.key) else { continue };
        let Ok(address) = Address::new(key.address.as_bytes()) else { continue };
        if let Ok(account) = <auth::Accounts as Rows>::Value::decode(row.value) {
            show(address, account);
        }
    }
    Ok(())
}
