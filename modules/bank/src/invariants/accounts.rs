//! Invariants of accounts.

use super::index;
use crate::{
    Account, AccountKind, Address, BaseAccount, Error, ModuleAccount, Prefix, keeper, layout::acc,
};
use keyscape::{
    ValueForm,
    store::{KeyRange, Read, StoreId},
    traits::{Keyspace, MapRows, Rows},
};
use keyscape_sim::{Breaches, Broken, readable};

/// Checks that the index of account numbers has an entry for each account and no other.
///
/// # Errors
/// Errors of the database, or a corrupt row.
pub fn account_numbers(state: &(impl Read + ?Sized)) -> Result<Vec<Broken>, Error> {
    Ok(index("account_numbers", &acc::ACCOUNT_NUMBERS.check(state)?))
}

/// Checks that the sequence is above all account numbers.
///
/// # Errors
/// Errors of the database, or a corrupt row.
pub fn next_number(state: &(impl Read + ?Sized)) -> Result<Vec<Broken>, Error> {
    let mut breaches = Breaches::of("account number");
    let next = acc::NEXT_ACCOUNT_NUMBER.peek(state)?;
    let last = acc::ACCOUNT_NUMBERS.prefix_all().reverse().first(state)?;
    if let Some((key, address)) = last.filter(|(key, _)| key.number >= next) {
        let (address, number) = (Address::new(address).map_err(keyscape::Error::from)?, key.number);
        breaches
            .add(format_args!("`{address}` has the number {number}, but the next one is {next}"));
    }
    Ok(breaches.reported())
}

/// Checks that every account matches its key. It names the address of the key, with the prefix of
/// any chain. A module account has the address derived from its name, or its address as its name,
/// and no blank permission. A vesting schedule has a positive duration. All addresses have one
/// prefix. Accounts of other types are skipped, and so are unreadable ones, which
/// [`rows`](super::rows()) reports.
///
/// # Errors
/// Errors of the database.
pub fn accounts(state: &(impl Read + ?Sized)) -> Result<Vec<Broken>, Error> {
    let mut breaches = Breaches::of("account");
    // `rows` reports a first account that cannot be read.
    let mut first = readable(Prefix::of(state))?.flatten();
    each(state, |address, account| {
        let mut broken = |fits: Result<(), String>| {
            if let Err(why) = fits {
                breaches.add(format_args!("`{address}`: {why}"));
            }
        };
        broken(check_prefix(&account, &mut first));
        match account.kind() {
            Ok(AccountKind::Base(base)) => broken(check_address(&base, &address)),
            Ok(AccountKind::Module(module)) => {
                broken(
                    module
                        .base_account
                        .as_ref()
                        .map_or(Ok(()), |base| check_address(base, &address)),
                );
                broken(check_module_address(&module, &address));
                broken(check_permissions(&module));
            }
            Ok(AccountKind::Vesting(account)) => {
                broken(check_address(&account.base, &address));
                broken(account.vesting.check_duration().map_err(|error| error.to_string()));
            }
            Ok(AccountKind::Unknown) | Err(_) => {}
        }
    })?;
    Ok(breaches.reported())
}

/// Checks that an account has the prefix of the first one.
fn check_prefix(account: &Account, first: &mut Option<Prefix>) -> Result<(), String> {
    let Some(prefix) = Prefix::of_account(account) else { return Ok(()) };
    let first = first.get_or_insert_with(|| prefix.clone());
    if *first == prefix {
        return Ok(());
    }
    Err(format!("its address has the prefix `{prefix}`, and that of another account `{first}`"))
}

fn check_address(base: &BaseAccount, address: &Address<'_>) -> Result<(), String> {
    let text = &base.address;
    match Prefix::read(text) {
        Ok((_, named)) if named == *address => Ok(()),
        Ok(_) => Err(format!("it names the address `{text}`, which is another one")),
        Err(_) => Err(format!("it names `{text}`, which is no address")),
    }
}

/// Checks that the address of a module account is derived from its name. Group policies of x/group
/// are module accounts that have their own address as their name.
fn check_module_address(module: &ModuleAccount, address: &Address<'_>) -> Result<(), String> {
    let name = &module.name;
    if name.trim().is_empty() {
        return Err("the name of the module is blank".to_owned());
    }
    let is_own_address = Prefix::read(name).is_ok_and(|(_, named)| named == *address);
    if is_own_address || keeper::derived_address(name) == address.as_bytes() {
        return Ok(());
    }
    Err(format!("the account of the module `{name}` has another address"))
}

/// Permissions are names that a program chooses, so any name is valid.
fn check_permissions(module: &ModuleAccount) -> Result<(), String> {
    if module.permissions.iter().any(|permission| permission.trim().is_empty()) {
        return Err(format!("the module `{}` has a blank permission", module.name));
    }
    Ok(())
}

/// Checks that no account has more delegated vesting coins than vesting coins. Unreadable accounts
/// are skipped: [`rows`](super::rows()) reports them.
///
/// # Errors
/// Errors of the database.
pub fn delegated_vesting(state: &(impl Read + ?Sized)) -> Result<Vec<Broken>, Error> {
    let mut breaches = Breaches::of("delegated vesting");
    each(state, |address, account| {
        let Ok(Some(account)) = account.vesting_account() else { return };
        let (original, delegated) =
            (account.vesting.original(), account.vesting.delegated_vesting());
        breaches.unless(original.covers(delegated), || {
            format!("`{address}` has delegated `{delegated}` of `{original}` that vest")
        });
    })?;
    Ok(breaches.reported())
}

/// Visits every readable account.
fn each(
    state: &(impl Read + ?Sized),
    mut visit: impl FnMut(Address<'_>, Account),
) -> Result<(), Error> {
    let range = KeyRange::prefix(acc::Accounts::PREFIX);
    let mut rows = state.rows(StoreId::of(acc::Accounts::SPACE), range)?;
    while let Some(row) = rows.next()? {
        let Ok(key) = acc::Accounts::decode(row.key) else { continue };
        let Ok(address) = Address::new(key.address.as_bytes()) else { continue };
        if let Ok(account) = <acc::Accounts as Rows>::Value::decode(row.value) {
            visit(address, account);
        }
    }
    Ok(())
}
