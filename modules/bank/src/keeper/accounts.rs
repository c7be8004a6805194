//! Accounts and their vesting schedules.

use super::{Keeper, modules};
use crate::{
    Account, Address, BadAccount, BaseAccount, Coins, Error, ErrorKind, Event, Prefix, Reason,
    Rules, VestingAccount,
    layout::acc::{ACCOUNT_NUMBERS, ACCOUNTS, NEXT_ACCOUNT_NUMBER},
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
    Ok(ACCOUNTS.get(state, address.as_bytes())?)
}

/// Whether an address has an account.
///
/// # Errors
/// Errors of the database.
pub fn has_account(state: &(impl Read + ?Sized), address: &Address<'_>) -> Result<bool, Error> {
    Ok(ACCOUNTS.contains(state, address.as_bytes())?)
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

impl Keeper {
    /// Creates a base account and returns its number.
    ///
    /// # Errors
    /// [`AccountExists`](ErrorKind::AccountExists), [`ModuleAddress`](ErrorKind::ModuleAddress).
    pub fn create_account(&self, tx: &mut Tx<'_>, address: &Address<'_>) -> Result<u64, Error> {
        self.rules.check_free(address)?;
        create(tx, &self.rules, address, |base| Account::base(&base))
    }

    /// Creates a vesting account and sends it its coins, atomically.
    ///
    /// ```
    /// # mod setup { include!(concat!(env!("CARGO_MANIFEST_DIR"), "/tests/all/setup.rs")); }
    /// # use setup::{address, bank, fund};
    /// use keyscape_bank::{Coins, Keeper, vesting::Schedule};
    ///
    /// # let db = bank();
    /// # let (ann, bob) = (address(1), address(2));
    /// # db.write(|tx| fund(tx, &ann, "100uatom"))?;
    /// let coins: Coins = "100uatom".parse()?;
    /// let schedule = Schedule::Continuous { start: 1_000, end: 2_000 };
    /// let keeper = Keeper::default();
    /// db.write(|tx| {
    ///     keeper.create_vesting_account(tx, 1_000, &ann, &bob, &coins, schedule.clone())
    /// })?;
    /// let state = db.read()?;
    /// assert!(keeper.spendable_coins(&state, 1_000, &bob)?.is_empty());
    /// assert_eq!(keeper.spendable_coins(&state, 1_250, &bob)?.to_string(), "25uatom");
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// [`AccountExists`](ErrorKind::AccountExists), [`Vesting`](ErrorKind::Vesting) if the schedule
    /// is invalid or does not match the coins, [`ModuleAddress`](ErrorKind::ModuleAddress), and as
    /// [`Keeper::send`].
    pub fn create_vesting_account(
        &self,
        tx: &mut Tx<'_>,
        now: i64,
        from: &Address<'_>,
        to: &Address<'_>,
        coins: &Coins,
        schedule: Schedule,
    ) -> Result<Vec<Event>, Error> {
        let vesting = Vesting::new(coins.clone(), schedule)?;
        self.rules.check_free(to)?;
        tx.attempt(|tx| {
            let account = |base| Account::vesting(&VestingAccount { base, vesting });
            create(tx, &self.rules, to, account)?;
            self.send(tx, now, from, to, coins)
        })
    }
}

/// Creates an account with the next number.
pub(super) fn create(
    tx: &mut Tx<'_>,
    rules: &Rules,
    address: &Address<'_>,
    account: impl FnOnce(BaseAccount) -> Account,
) -> Result<u64, Error> {
    if has_account(tx, address)? {
        return Err(ErrorKind::AccountExists(address.clone().into_owned()).into());
    }
    create_missing(tx, rules, address, |base| Ok(account(base)))
}

/// Creates an account at an address without one. Its text has the prefix of the first account, or
/// the prefix of the rules if there is no account yet.
pub(super) fn create_missing(
    tx: &mut Tx<'_>,
    rules: &Rules,
    address: &Address<'_>,
    account: impl FnOnce(BaseAccount) -> Result<Account, BadAccount>,
) -> Result<u64, Error> {
    tx.attempt(|tx| {
        let prefix = Prefix::of(tx)?.or_else(|| rules.prefix().cloned());
        let text = prefix.unwrap_or_default().show(address);
        let account_number = NEXT_ACCOUNT_NUMBER.next(tx)?;
        let base = BaseAccount { address: text, account_number, ..BaseAccount::default() };
        let account = account(base).map_err(|source| bad(address, source))?;
        ACCOUNTS.put(tx, address.as_bytes(), &account)?;
        Ok(account_number)
    })
}

/// Creates an account if the address has none: a module account for a registered module, otherwise
/// a base account.
pub(super) fn ensure(tx: &mut Tx<'_>, rules: &Rules, address: &Address<'_>) -> Result<(), Error> {
    if has_account(tx, address)? {
        return Ok(());
    }
    create_missing(tx, rules, address, |base| match rules.module_at(address) {
        Some(module) => modules::account(base, &module.name, &module.permissions),
        None => Ok(Account::base(&base)),
    })?;
    Ok(())
}

/// Returns the locked coins of an address; none if it has no account.
pub(super) fn locked_coins(
    state: &(impl Read + ?Sized),
    rules: &Rules,
    now: i64,
    address: &Address<'_>,
) -> Result<Coins, Error> {
    let locked = ACCOUNTS.get_with(state, address.as_bytes(), |account| {
        if let Some(account) = account.vesting_account().map_err(|source| bad(address, source))? {
            return Ok(account.vesting.locked(now));
        }
        match rules.account_type(account.type_url()) {
            Some(of) => {
                let locked = of.locked(account.message(), now);
                locked.map_err(|why| rejected(address, &account, why))
            }
            None => Ok(Coins::none()),
        }
    })?;
    locked.unwrap_or_else(|| Ok(Coins::none()))
}

/// A change of the delegations of an account.
pub(super) enum Tracked<'c> {
    /// A delegation, with the balances before it.
    Delegation { now: i64, coins: &'c Coins, balances: &'c Coins },
    /// The end of a delegation.
    Undelegation { coins: &'c Coins },
}

/// Records a delegation or its end in an account that locks coins. Does nothing for other accounts.
pub(super) fn track(
    tx: &mut Tx<'_>,
    rules: &Rules,
    address: &Address<'_>,
    change: &Tracked<'_>,
) -> Result<(), Error> {
    let Some(account) = get_account(tx, address)? else {
        return Err(ErrorKind::NoAccount(address.clone().into_owned()).into());
    };
    let vesting = account.vesting_account().map_err(|source| bad(address, source))?;
    let changed = if let Some(before) = vesting {
        let mut after = before.clone();
        match *change {
            Tracked::Delegation { now, coins, balances } => {
                after.vesting.track_delegation(now, coins, |denom| balances.amount_of(denom))?;
            }
            Tracked::Undelegation { coins } => after.vesting.track_undelegation(coins),
        }
        account.with_vesting(&before, &after)
    } else if let Some(of) = rules.account_type(account.type_url()) {
        let message = match *change {
            Tracked::Delegation { now, coins, balances } => {
                of.delegated(account.message(), now, coins, balances)
            }
            Tracked::Undelegation { coins } => of.undelegated(account.message(), coins),
        };
        account.with_message(message.map_err(|why| rejected(address, &account, why))?)
    } else {
        return Ok(());
    };
    let changed = changed.map_err(|source| bad(address, source))?;
    ACCOUNTS.put(tx, address.as_bytes(), &changed)?;
    Ok(())
}

fn rejected(address: &Address<'_>, account: &Account, source: Reason) -> Error {
    let type_url = account.type_url().to_owned();
    ErrorKind::AccountType { address: address.clone().into_owned(), type_url, source }.into()
}

pub(super) fn bad(address: &Address<'_>, source: BadAccount) -> Error {
    ErrorKind::BadAccount { address: address.clone().into_owned(), source }.into()
}
