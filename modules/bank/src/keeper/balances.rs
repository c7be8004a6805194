//! Balances and spendable coins.

use super::{Keeper, accounts};
use crate::{
    Address, Coin, Coins, Denom, Error, ErrorKind,
    layout::bank::{self, BALANCES, HOLDERS},
};
use keyscape::{
    Scan, U256,
    store::{Read, Tx},
};
use std::iter::FusedIterator;

/// Returns the balance of an account in one denomination.
///
/// # Errors
/// If the row is corrupt. A corrupt row never counts as a balance of zero.
pub fn get_balance(
    state: &(impl Read + ?Sized),
    owner: &Address<'_>,
    denom: &Denom<'_>,
) -> Result<U256, Error> {
    Ok(BALANCES.get(state, (owner, denom))?.unwrap_or(U256::ZERO))
}

/// Returns all balances of an account. It reads as many rows as the account has;
/// [`balances_page`](super::balances_page) reads a page. Rows of zero, which v0.40 to v0.42 left,
/// are omitted; the [invariants](crate::invariants::rows()) report them.
///
/// # Errors
/// If a row is corrupt.
pub fn get_all_balances(state: &(impl Read + ?Sized), owner: &Address<'_>) -> Result<Coins, Error> {
    let coins = balances(state, owner)?.collect::<Result<Vec<Coin>, Error>>()?;
    Ok(Coins::new(coins)?)
}

/// Iterates over the balances of an account, in order of denomination. Rows of zero are omitted.
/// The iteration ends after an error: a corrupt row, or an error of the database.
///
/// # Errors
/// Errors of the database.
pub fn balances<'t, R: Read + ?Sized>(
    state: &'t R,
    owner: &Address<'_>,
) -> Result<impl FusedIterator<Item = Result<Coin, Error>> + use<'t, R>, Error> {
    Ok(BALANCES.scan_owner(state, owner)?.filter_map(|row| match row {
        Ok((_, amount)) if amount == U256::ZERO => None,
        Ok((key, amount)) => Some(Ok(Coin { denom: key.denom, amount })),
        Err(error) => Some(Err(error.into())),
    }))
}

/// Iterates over the holders of a denomination. Addresses sort by length first.
///
/// # Errors
/// Errors of the database.
pub fn holders<'t>(
    state: &'t (impl Read + ?Sized),
    denom: &Denom<'_>,
) -> Result<Scan<'t, bank::Holders, bank::HoldersDenom>, Error> {
    Ok(HOLDERS.scan_denom(state, denom)?)
}

/// Sets a balance without changing the supply; zero deletes the row. For genesis and tests.
///
/// # Errors
/// Errors of the database. Nothing has changed then.
pub fn set_balance(tx: &mut Tx<'_>, owner: &Address<'_>, coin: &Coin) -> Result<(), Error> {
    match row(coin.amount) {
        None => BALANCES.delete(tx, (owner, &coin.denom))?,
        Some(amount) => BALANCES.put(tx, (owner, &coin.denom), amount)?,
    }
    Ok(())
}

impl Keeper {
    /// Returns the locked coins of an account. They can exceed its balances after a slashing.
    ///
    /// # Errors
    /// [`BadAccount`](ErrorKind::BadAccount), [`AccountType`](ErrorKind::AccountType).
    pub fn locked_coins(
        &self,
        state: &(impl Read + ?Sized),
        now: i64,
        owner: &Address<'_>,
    ) -> Result<Coins, Error> {
        accounts::locked_coins(state, &self.rules, now, owner)
    }

    /// Returns the spendable coins of an account: for each denomination, the balance minus the
    /// locked amount, at least zero. It reads as many rows as the account has;
    /// [`Keeper::spendable_coin`] reads two.
    ///
    /// # Errors
    /// As [`get_all_balances`] and [`Keeper::locked_coins`].
    pub fn spendable_coins(
        &self,
        state: &(impl Read + ?Sized),
        now: i64,
        owner: &Address<'_>,
    ) -> Result<Coins, Error> {
        Ok(get_all_balances(state, owner)?.without(&self.locked_coins(state, now, owner)?))
    }

    /// Returns the spendable amount of one denomination.
    ///
    /// # Errors
    /// As [`get_balance`] and [`Keeper::locked_coins`].
    pub fn spendable_coin(
        &self,
        state: &(impl Read + ?Sized),
        now: i64,
        owner: &Address<'_>,
        denom: &Denom<'_>,
    ) -> Result<U256, Error> {
        let locked = self.locked_coins(state, now, owner)?.amount_of(denom);
        Ok(get_balance(state, owner, denom)?.saturating_sub(locked))
    }
}

/// Subtracts a coin from an account, except for its locked amount. Returns the previous balance.
pub(super) fn debit(
    tx: &mut Tx<'_>,
    owner: &Address<'_>,
    coin: &Coin,
    locked: U256,
) -> Result<U256, Error> {
    let mut had = U256::ZERO;
    update(tx, owner, &coin.denom, |balance| {
        had = balance;
        let spendable = balance.saturating_sub(locked);
        if spendable < coin.amount {
            return Err(Error::from(ErrorKind::Insufficient {
                address: owner.clone().into_owned(),
                denom: coin.denom.clone(),
                balance,
                locked,
                spendable,
                asked: coin.amount,
            }));
        }
        Ok(balance - coin.amount)
    })?;
    Ok(had)
}

/// Adds a coin to an account.
pub(super) fn credit(tx: &mut Tx<'_>, owner: &Address<'_>, coin: &Coin) -> Result<(), Error> {
    update(tx, owner, &coin.denom, |balance| {
        let overflow = || ErrorKind::Overflow { what: "balance", denom: coin.denom.clone() };
        Ok(balance.checked_add(coin.amount).ok_or_else(overflow)?)
    })
}

/// Replaces a balance by the result of `change`.
fn update(
    tx: &mut Tx<'_>,
    owner: &Address<'_>,
    denom: &Denom<'_>,
    change: impl FnOnce(U256) -> Result<U256, Error>,
) -> Result<(), Error> {
    BALANCES.update(tx, (owner, denom), |balance| change(balance.unwrap_or(U256::ZERO)).map(row))
}

/// Returns the row value of an amount; zero has no row.
pub(super) fn row(amount: U256) -> Option<U256> {
    (amount != U256::ZERO).then_some(amount)
}
