//! Balances, and what of them can be spent.

use crate::{
    Address, Coin, Coins, Denom, Error, ErrorKind,
    keeper::accounts,
    layout::bank::{self, BALANCES, HOLDERS},
};
use keyscape::{
    Page, PageCursor, Scan, U256,
    store::{Read, Tx},
};

/// What an account has of a denomination.
///
/// # Errors
/// If the row is corrupt: that is never a balance of zero.
pub fn get_balance(
    state: &(impl Read + ?Sized),
    owner: &Address<'_>,
    denom: &Denom<'_>,
) -> Result<U256, Error> {
    Ok(BALANCES.get(state, (owner, denom))?.unwrap_or(U256::ZERO))
}

/// Everything that an account has. It reads as many rows as it returns; [`balances_page`] reads a few.
///
/// # Errors
/// If a row is corrupt, an amount of zero included.
pub fn get_all_balances(state: &(impl Read + ?Sized), owner: &Address<'_>) -> Result<Coins, Error> {
    let mut coins = Vec::new();
    let mut rows = balances(state, owner)?;
    while let Some(row) = rows.next()? {
        let amount = row.value()?;
        coins.push(Coin { denom: row.key.denom.into_owned(), amount });
    }
    Ok(Coins::new(coins)?)
}

/// The balances of an account, one by one, in order of denomination.
///
/// # Errors
/// What the database reports.
pub fn balances<'t>(
    state: &'t (impl Read + ?Sized),
    owner: &Address<'_>,
) -> Result<Scan<'t, bank::Balances, bank::BalancesOwner>, Error> {
    Ok(BALANCES.scan_owner(state, owner)?)
}

/// Some of the balances of an account: the first ones, or those behind a cursor.
///
/// # Errors
/// If a row is corrupt, or the cursor is not one of this account.
pub fn balances_page(
    state: &(impl Read + ?Sized),
    owner: &Address<'_>,
    after: Option<&PageCursor>,
    rows: usize,
) -> Result<Page<bank::Balances>, Error> {
    let mut prefix = BALANCES.prefix_owner(owner);
    if let Some(cursor) = after {
        prefix = prefix.after(cursor);
    }
    Ok(prefix.page(state, rows)?)
}

/// Who has a denomination, one by one. The length of an address sorts before its bytes.
///
/// # Errors
/// What the database reports.
pub fn holders<'t>(
    state: &'t (impl Read + ?Sized),
    denom: &Denom<'_>,
) -> Result<Scan<'t, bank::Holders, bank::HoldersDenom>, Error> {
    Ok(HOLDERS.scan_denom(state, denom)?)
}

/// Sets a balance, for a genesis and for tests. The supply stays what it is; an amount of zero deletes
/// the row.
///
/// # Errors
/// What the database reports. Then nothing has changed.
pub fn set_balance(tx: &mut Tx<'_>, owner: &Address<'_>, coin: &Coin) -> Result<(), Error> {
    if coin.amount == U256::ZERO {
        BALANCES.delete(tx, (owner, &coin.denom))?;
    } else {
        BALANCES.put(tx, (owner, &coin.denom), coin.amount)?;
    }
    Ok(())
}

/// What an account must keep. It can be more than the account has, namely after delegations were
/// slashed.
///
/// # Errors
/// [`UnknownAccount`](ErrorKind::UnknownAccount), [`BadAccount`](ErrorKind::BadAccount).
pub fn locked_coins(
    state: &(impl Read + ?Sized),
    now: i64,
    owner: &Address<'_>,
) -> Result<Coins, Error> {
    Ok(accounts::vesting_of(state, owner)?.map_or(Coins::none(), |vesting| vesting.locked(now)))
}

/// What an account must keep of a denomination.
///
/// # Errors
/// As [`locked_coins`].
pub fn locked_coin(
    state: &(impl Read + ?Sized),
    now: i64,
    owner: &Address<'_>,
    denom: &Denom<'_>,
) -> Result<U256, Error> {
    let vesting = accounts::vesting_of(state, owner)?;
    Ok(vesting.map_or(U256::ZERO, |vesting| vesting.locked_of(denom, now)))
}

/// What an account can spend: for each denomination what it has without what it must keep, or nothing of
/// it. It reads as many rows as the account has; [`spendable_coin`] reads two.
///
/// # Errors
/// As [`get_all_balances`] and [`locked_coins`].
pub fn spendable_coins(
    state: &(impl Read + ?Sized),
    now: i64,
    owner: &Address<'_>,
) -> Result<Coins, Error> {
    Ok(get_all_balances(state, owner)?.without(&locked_coins(state, now, owner)?))
}

/// What an account can spend of a denomination.
///
/// # Errors
/// As [`get_balance`] and [`locked_coins`].
pub fn spendable_coin(
    state: &(impl Read + ?Sized),
    now: i64,
    owner: &Address<'_>,
    denom: &Denom<'_>,
) -> Result<U256, Error> {
    let locked = locked_coin(state, now, owner, denom)?;
    Ok(get_balance(state, owner, denom)?.saturating_sub(locked))
}

/// Takes coins from an account of which some must stay there. Returns what it had.
pub(super) fn debit(
    tx: &mut Tx<'_>,
    owner: &Address<'_>,
    coin: &Coin,
    locked: U256,
) -> Result<U256, Error> {
    let mut had = U256::ZERO;
    BALANCES.update(tx, (owner, &coin.denom), |balance| {
        let balance = balance.unwrap_or(U256::ZERO);
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
        Ok(row(balance - coin.amount))
    })?;
    Ok(had)
}

/// Gives coins to an account.
pub(super) fn credit(tx: &mut Tx<'_>, owner: &Address<'_>, coin: &Coin) -> Result<(), Error> {
    BALANCES.update(tx, (owner, &coin.denom), |balance| {
        let balance = balance.unwrap_or(U256::ZERO).checked_add(coin.amount);
        let overflow = || ErrorKind::Overflow { what: "balance", denom: coin.denom.clone() };
        Ok::<_, Error>(row(balance.ok_or_else(overflow)?))
    })
}

/// What the row of an amount holds: zero has none.
pub(super) fn row(amount: U256) -> Option<U256> {
    (amount != U256::ZERO).then_some(amount)
}
