//! Delegations to a module, and their return.

use super::{Permission, accounts, balances, modules, some};
use crate::{Address, Coins, Error, ErrorKind, vesting::TrackError};
use keyscape::{U256, store::Tx};

/// Moves coins of an account, including locked ones, to a module with [`Permission::Staking`].
/// Vesting accounts record the locked part.
///
/// ```
/// # mod setup { include!(concat!(env!("CARGO_MANIFEST_DIR"), "/tests/all/setup.rs")); }
/// # use setup::{address, bank, fund};
/// use keyscape_bank::{Coins, Error, keeper, vesting::Schedule};
///
/// # let db = bank();
/// # let (ann, bob) = (address(1), address(2));
/// # db.write(|tx| fund(tx, &ann, "100uatom"))?;
/// let coins: Coins = "100uatom".parse()?;
/// db.write(|tx| {
///     let schedule = Schedule::Delayed { end: 1_000 };
///     keeper::create_vesting_account(tx, 0, &ann, &bob, &coins, schedule)?;
///     // Locked coins can be delegated; returned coins are locked as before.
///     keeper::delegate(tx, 500, &bob, "pool", &coins)?;
///     assert!(keeper::locked_coins(tx, 500, &bob)?.is_empty());
///     keeper::undelegate(tx, "pool", &bob, &coins)?;
///     assert_eq!(keeper::locked_coins(tx, 500, &bob)?, coins);
///     Ok::<(), Error>(())
/// })?;
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # Errors
/// [`Insufficient`](ErrorKind::Insufficient), [`NoAccount`](ErrorKind::NoAccount) for the
/// delegator, [`NoModule`](ErrorKind::NoModule), [`NotPermitted`](ErrorKind::NotPermitted),
/// [`Overflow`](ErrorKind::Overflow), [`NoCoins`](ErrorKind::NoCoins),
/// [`UnknownAccount`](ErrorKind::UnknownAccount).
pub fn delegate(
    tx: &mut Tx<'_>,
    now: i64,
    delegator: &Address<'_>,
    module: &str,
    coins: &Coins,
) -> Result<(), Error> {
    some(coins)?;
    let to = modules::permitted(tx, module, Permission::Staking)?;
    tx.attempt(|tx| {
        let mut had = Coins::none();
        for coin in coins {
            let balance = balances::debit(tx, delegator, coin, U256::ZERO)?;
            had.set(&coin.denom, balance);
        }
        accounts::track(tx, delegator, |vesting| {
            let tracked = vesting.track_delegation(now, coins, |denom| had.amount_of(denom));
            tracked.map_err(|error| match error {
                TrackError::Coins(error) => error.into(),
                TrackError::NotCovered(short) => ErrorKind::Insufficient {
                    address: delegator.clone().into_owned(),
                    denom: short.denom,
                    balance: short.balance,
                    locked: U256::ZERO,
                    spendable: short.balance,
                    asked: short.amount,
                }
                .into(),
            })
        })?;
        coins.iter().try_for_each(|coin| balances::credit(tx, &to, coin))
    })
}

/// Moves coins back from a module with [`Permission::Staking`]. A vesting account counts them as
/// free coins first. Coins above its delegations are free.
///
/// # Errors
/// As [`delegate`]; [`Insufficient`](ErrorKind::Insufficient) is about the module.
pub fn undelegate(
    tx: &mut Tx<'_>,
    module: &str,
    delegator: &Address<'_>,
    coins: &Coins,
) -> Result<(), Error> {
    some(coins)?;
    let from = modules::permitted(tx, module, Permission::Staking)?;
    tx.attempt(|tx| {
        for coin in coins {
            balances::debit(tx, &from, coin, U256::ZERO)?;
        }
        accounts::track(tx, delegator, |vesting| {
            vesting.track_undelegation(coins);
            Ok(())
        })?;
        coins.iter().try_for_each(|coin| balances::credit(tx, delegator, coin))
    })
}
