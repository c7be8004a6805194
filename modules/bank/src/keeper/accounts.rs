//! Accounts and their vesting schedules.

use super::{some, transfers};
use crate::{
    Account, AccountKind, Address, BadAccount, BaseAccount, Coins, Error, ErrorKind,
    VestingAccount,
    layout::acc::{ACCOUNT_NUMBERS, ACCOUNTS, AccountsAddress, NEXT_ACCOUNT_NUMBER},
    vesting::{Schedule, Vesting},
};
use keyscape::store::{Read, Tx};

/// Returns the account of an address.
///
/// # Errors
/// If the row is corrupt.
pub fn get_account(
    state: &(impl Read + ?Sized),
    address: &Address<'_>,
) -> Result<Option<Account>, Error> {
    Ok(ACCOUNTS.get(state, key(address)?)?)
}

/// Whether an address has an account.
///
/// # Errors
/// Errors of the database.
pub fn has_account(state: &(impl Read + ?Sized), address: &Address<'_>) -> Result<bool, Error> {
    Ok(ACCOUNTS.contains(state, key(address)?)?)
}

/// Returns the address of the account with a number.
///
/// # Errors
/// If the entry is corrupt.
pub fn account_at(
    state: &(impl Read + ?Sized),
    number: u64,
) -> Result<Option<Address<'static>>, Error> {
    let Some(owner) = ACCOUNT_NUMBERS.owner(state, number)? else { return Ok(None) };
    let address = Address::new(owner.address.as_bytes().to_vec());
    Ok(Some(address.map_err(keyscape::Error::from)?))
}

/// Creates a base account and returns its number.
///
/// # Errors
/// [`AccountExists`](ErrorKind::AccountExists).
pub fn create_account(tx: &mut Tx<'_>, address: &Address<'_>) -> Result<u64, Error> {
    create(tx, address, |base| Ok(Account::base(&base)))
}

/// Creates a vesting account and sends it its coins, atomically.
///
/// ```
/// # mod setup { include!(concat!(env!("CARGO_MANIFEST_DIR"), "/tests/all/setup.rs")); }
/// # use setup::{address, bank, fund};
/// use keyscape_bank::{Coins, keeper, vesting::Schedule};
///
/// # let db = bank();
/// # let (ann, bob) = (address(1), address(2));
/// # db.write(|tx| fund(tx, &ann, "100uatom"))?;
/// let coins: Coins = "100uatom".parse()?;
/// let schedule = Schedule::Continuous { start: 1_000, end: 2_000 };
/// db.write(|tx| keeper::create_vesting_account(tx, 1_000, &ann, &bob, &coins, schedule))?;
/// let state = db.read()?;
/// assert!(keeper::spendable_coins(&state, 1_000, &bob)?.is_empty());
/// assert_eq!(keeper::spendable_coins(&state, 1_250, &bob)?.to_string(), "25uatom");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # Errors
/// [`AccountExists`](ErrorKind::AccountExists), [`Vesting`](ErrorKind::Vesting) if the schedule is
/// invalid or does not match the coins, and as [`send`](super::send).
pub fn create_vesting_account(
    tx: &mut Tx<'_>,
    now: i64,
    from: &Address<'_>,
    to: &Address<'_>,
    coins: &Coins,
    schedule: Schedule,
) -> Result<(), Error> {
    some(coins)?;
    let vesting = Vesting::new(coins.clone(), schedule)?;
    tx.attempt(|tx| {
        create(tx, to, |base| Ok(Account::vesting(&VestingAccount { base, vesting })))?;
        transfers::send(tx, now, from, to, coins)
    })
}

/// Creates an account with the next number.
pub(super) fn create(
    tx: &mut Tx<'_>,
    address: &Address<'_>,
    account: impl FnOnce(BaseAccount) -> Result<Account, BadAccount>,
) -> Result<u64, Error> {
    if has_account(tx, address)? {
        let address = address.clone().into_owned();
        return Err(ErrorKind::AccountExists { address }.into());
    }
    create_missing(tx, address, account)
}

/// Creates an account at an address without one.
fn create_missing(
    tx: &mut Tx<'_>,
    address: &Address<'_>,
    account: impl FnOnce(BaseAccount) -> Result<Account, BadAccount>,
) -> Result<u64, Error> {
    tx.attempt(|tx| {
        let account_number = NEXT_ACCOUNT_NUMBER.next(tx)?;
        let base =
            BaseAccount { address: address.to_string(), account_number, ..BaseAccount::default() };
        let account = account(base).map_err(|source| bad(address, source))?;
        ACCOUNTS.put(tx, key(address)?, &account)?;
        Ok(account_number)
    })
}

/// Creates a base account if the address has none.
pub(super) fn ensure(tx: &mut Tx<'_>, address: &Address<'_>) -> Result<(), Error> {
    if !has_account(tx, address)? {
        create_missing(tx, address, |base| Ok(Account::base(&base)))?;
    }
    Ok(())
}

/// Returns the vesting schedule of an account; `None` if the account does not exist.
pub(super) fn vesting_of(
    state: &(impl Read + ?Sized),
    address: &Address<'_>,
) -> Result<Option<Vesting>, Error> {
    let found = ACCOUNTS.get_with(state, key(address)?, |account| {
        if account.can_lock() { vesting_in(address, &account).map(Some) } else { Ok(None) }
    })?;
    Ok(found.transpose()?.flatten().map(|account| account.vesting))
}

fn vesting_in(address: &Address<'_>, account: &Account) -> Result<VestingAccount, Error> {
    match account.kind().map_err(|source| bad(address, source))? {
        AccountKind::Vesting(account) => Ok(account),
        _ => Err(ErrorKind::UnknownAccount {
            address: address.clone().into_owned(),
            type_url: account.type_url().to_owned(),
        }
        .into()),
    }
}

/// Updates the vesting state of an account. Does nothing for an account without vesting.
pub(super) fn track(
    tx: &mut Tx<'_>,
    address: &Address<'_>,
    change: impl FnOnce(&mut Vesting) -> Result<(), Error>,
) -> Result<(), Error> {
    let Some(account) = get_account(tx, address)? else {
        return Err(ErrorKind::NoAccount { address: address.clone().into_owned() }.into());
    };
    if !account.can_lock() {
        return Ok(());
    }
    let before = vesting_in(address, &account)?;
    let mut after = before.clone();
    change(&mut after.vesting)?;
    let account = account.with_vesting(&before, &after).map_err(|source| bad(address, source))?;
    ACCOUNTS.put(tx, key(address)?, &account)?;
    Ok(())
}

/// Converts an address to a key of the store of accounts.
pub(super) fn key<'a>(address: &'a Address<'_>) -> Result<AccountsAddress<'a>, Error> {
    Ok(AccountsAddress::new(address.as_bytes()).map_err(keyscape::Error::from)?)
}

pub(super) fn bad(address: &Address<'_>, source: BadAccount) -> Error {
    ErrorKind::BadAccount { address: address.clone().into_owned(), source }.into()
}
