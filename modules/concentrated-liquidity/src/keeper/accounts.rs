//! The accounts of pools, and coins that move between accounts.

use crate::{
    Error, address,
    layout::concentratedliquidity::Owner,
    math::Int,
    values::{Pool, to_coins},
};
use keyscape::store::Tx;
use keyscape_bank::{Address, Coins, Denom, keeper as bank};

/// Reads an address of a pool.
pub(super) fn account(text: &str) -> Result<Address<'static>, Error> {
    let account = address::bytes(text).and_then(|bytes| Address::new(bytes).ok());
    account.ok_or_else(|| Error::corrupt(format!("`{text}` is not an address")))
}

/// Returns an address as the owner of a position.
pub(super) fn owner(address: &Address<'_>) -> Result<Owner<'static>, Error> {
    Ok(Owner::new(address.as_bytes().to_vec()).map_err(keyscape::Error::from)?)
}

pub(super) fn denom(text: &str) -> Result<Denom<'static>, Error> {
    Denom::new(text.to_owned())
        .map_err(|error| Error::corrupt(format!("`{text}` is not a denomination: {error}")))
}

/// Returns amounts of both tokens of a pool as coins.
pub(super) fn pool_coins(pool: &Pool, amount0: Int, amount1: Int) -> Result<Coins, Error> {
    let mut amounts = [(pool.token0.clone(), amount0), (pool.token1.clone(), amount1)];
    amounts.sort();
    coins(&amounts)
}

pub(super) fn coins(amounts: &[(String, Int)]) -> Result<Coins, Error> {
    to_coins(amounts).map_err(|error| Error::corrupt(error.to_string()))
}

/// Sends coins; none is nothing to do.
pub(super) fn send(
    tx: &mut Tx<'_>,
    now: i64,
    from: &Address<'_>,
    to: &Address<'_>,
    coins: &Coins,
) -> Result<(), Error> {
    if coins.is_empty() {
        return Ok(());
    }
    Ok(bank::send(tx, seconds(now), from, to, coins)?)
}

/// Returns a time in seconds, as the bank has it.
pub(super) fn seconds(now: i64) -> i64 {
    now.div_euclid(1_000_000_000)
}
