//! The accounts of pools, and coins that move between accounts.

use crate::{
    Error,
    math::{Dec, Int},
    values::{NegativeCoins, Pool, owner_from_text},
};
use keyscape::store::Tx;
use keyscape_bank::{Address, Coin, Coins, Denom, Keeper};

/// Parses the address of an account in the row of a pool.
pub(super) fn account(text: &str) -> Result<Address<'static>, Error> {
    let owner = owner_from_text(text);
    let owner = owner.ok_or_else(|| Error::corrupt(format!("`{text}` is not an address")))?;
    Ok(Address::new(owner.as_bytes().to_vec())?)
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

/// Converts whole amounts to coins, without zero amounts.
///
/// # Errors
/// [`Negative`](crate::ErrorKind::Negative): a negative amount must not become a payment.
pub(super) fn coins(amounts: &[(String, Int)]) -> Result<Coins, Error> {
    let mut coins = Vec::with_capacity(amounts.len());
    for (denom, amount) in amounts.iter().filter(|(_, amount)| !amount.is_zero()) {
        if amount.is_negative() {
            let (denom, amount) = (denom.clone(), Box::new(Dec::from_int(*amount)?));
            return Err(NegativeCoins { denom, amount }.into());
        }
        let coin = Coin::new(denom, amount.magnitude());
        coins.push(coin.map_err(|error| Error::corrupt(error.to_string()))?);
    }
    Coins::new(coins).map_err(|error| Error::corrupt(error.to_string()))
}

/// Sends coins. Does nothing for an empty list.
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
    Keeper::default().send(tx, seconds(now), from, to, coins)?;
    Ok(())
}

/// Converts nanoseconds to seconds, the unit of the bank.
fn seconds(now: i64) -> i64 {
    now.div_euclid(1_000_000_000)
}

#[cfg(test)]
mod tests {
    use super::coins;
    use crate::{ErrorKind, math::Int};

    #[test]
    fn a_negative_amount_is_rejected() {
        let amount = |number: i64| vec![("eth".to_owned(), Int::from(number))];
        assert!(coins(&amount(0)).is_ok_and(|coins| coins.is_empty()));
        assert!(coins(&amount(5)).is_ok_and(|coins| coins.to_string() == "5eth"));
        let refused = coins(&amount(-5));
        assert!(refused.is_err_and(|error| matches!(error.kind(), ErrorKind::Negative(_))));
    }
}
