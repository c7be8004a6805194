//! Coins that move between accounts, through the bank.

use super::Block;
use crate::{
    Error,
    layout::paw::{Account, Token},
};
use keyscape::{
    U256,
    store::{Read, Tx},
};
use keyscape_bank::{Address, Coin, Coins, Denom, Keeper, keeper as bank};

/// Returns an account as the bank names it.
fn address(account: &Account<'_>) -> Result<Address<'static>, Error> {
    Ok(Address::new(account.as_bytes().to_vec())?)
}

fn coin(token: &Token<'_>, amount: U256) -> Result<Coins, Error> {
    Ok(Coins::try_from(Coin::new(token.as_str(), amount)?)?)
}

/// Returns the account of a part of the module.
pub(crate) fn account_of(module: &str) -> Result<Account<'static>, Error> {
    Ok(Account::new(bank::module_address(module)?.as_bytes().to_vec())?)
}

/// Returns the account of a pool.
pub(crate) fn pool_account(pool: u64) -> Result<Account<'static>, Error> {
    account_of(&format!("dex/pool/{pool}"))
}

/// Sends coins. Zero coins are not sent.
pub(super) fn send(
    tx: &mut Tx<'_>,
    block: Block,
    from: &Account<'_>,
    to: &Account<'_>,
    token: &Token<'_>,
    amount: U256,
) -> Result<(), Error> {
    if amount == U256::ZERO {
        return Ok(());
    }
    let now = i64::try_from(block.time).unwrap_or(i64::MAX);
    let coins = coin(token, amount)?;
    Keeper::default().send(tx, now, &address(from)?, &address(to)?, &coins)?;
    Ok(())
}

/// Returns the error that a [`send`] would return. Nothing is sent.
pub(super) fn check_send(
    tx: &mut Tx<'_>,
    block: Block,
    from: &Account<'_>,
    to: &Account<'_>,
    token: &Token<'_>,
    amount: U256,
) -> Result<(), Error> {
    let checkpoint = tx.checkpoint();
    let sent = send(tx, block, from, to, token, amount);
    tx.rollback_to(checkpoint)?;
    tx.release(checkpoint)?;
    sent
}

/// Destroys coins of a part of the module.
pub(super) fn burn(
    tx: &mut Tx<'_>,
    module: &str,
    token: &Token<'_>,
    amount: U256,
) -> Result<(), Error> {
    if amount == U256::ZERO {
        return Ok(());
    }
    Keeper::default().burn(tx, module, &coin(token, amount)?)?;
    Ok(())
}

/// Returns the balance of an account.
pub(crate) fn balance(
    state: &(impl Read + ?Sized),
    account: &Account<'_>,
    token: &Token<'_>,
) -> Result<U256, Error> {
    Ok(bank::get_balance(state, &address(account)?, &Denom::new(token.as_str())?)?)
}
