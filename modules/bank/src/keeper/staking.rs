//! Delegations to a module, and their return.

use super::{
    Permission,
    accounts::{self, Tracked},
    balances, modules,
};
use crate::{Address, Coins, Error, rules::Context};
use keyscape::{U256, store::Tx};

/// Moves coins of an account, including locked ones, to a module with [`Permission::Staking`].
/// Vesting accounts record the locked part. An empty list of coins changes no row.
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
/// [`Insufficient`](crate::ErrorKind::Insufficient), [`NoAccount`](crate::ErrorKind::NoAccount) for
/// the delegator, [`NoModule`](crate::ErrorKind::NoModule),
/// [`NotPermitted`](crate::ErrorKind::NotPermitted), [`Overflow`](crate::ErrorKind::Overflow).
pub fn delegate(
    tx: &mut Tx<'_>,
    now: i64,
    delegator: &Address<'_>,
    module: &str,
    coins: &Coins,
) -> Result<(), Error> {
    delegate_in(tx, &mut Context::default(), now, delegator, module, coins)
}

/// Delegates coins under the rules of a context.
pub(crate) fn delegate_in(
    tx: &mut Tx<'_>,
    context: &mut Context<'_>,
    now: i64,
    delegator: &Address<'_>,
    module: &str,
    coins: &Coins,
) -> Result<(), Error> {
    let to = modules::permitted(tx, module, Permission::Staking)?;
    tx.attempt(|tx| {
        let mut balances = Coins::none();
        for coin in coins {
            let balance = balances::debit(tx, delegator, coin, U256::ZERO)?;
            balances.set(&coin.denom, balance);
        }
        let change = Tracked::Delegation { now, coins, balances: &balances };
        accounts::track(tx, context.rules, delegator, &change)?;
        context.spent(delegator, coins);
        coins.iter().try_for_each(|coin| balances::credit(tx, &to, coin))?;
        context.received(&to, coins);
        Ok(())
    })
}

/// Moves coins back from a module with [`Permission::Staking`]. A vesting account counts them as
/// free coins first. Coins above its delegations are free.
///
/// # Errors
/// As [`delegate`]; [`Insufficient`](crate::ErrorKind::Insufficient) is about the module.
pub fn undelegate(
    tx: &mut Tx<'_>,
    module: &str,
    delegator: &Address<'_>,
    coins: &Coins,
) -> Result<(), Error> {
    undelegate_in(tx, &mut Context::default(), module, delegator, coins)
}

/// Ends a delegation under the rules of a context.
pub(crate) fn undelegate_in(
    tx: &mut Tx<'_>,
    context: &mut Context<'_>,
    module: &str,
    delegator: &Address<'_>,
    coins: &Coins,
) -> Result<(), Error> {
    let from = modules::permitted(tx, module, Permission::Staking)?;
    tx.attempt(|tx| {
        for coin in coins {
            balances::debit(tx, &from, coin, U256::ZERO)?;
        }
        context.spent(&from, coins);
        accounts::track(tx, context.rules, delegator, &Tracked::Undelegation { coins })?;
        coins.iter().try_for_each(|coin| balances::credit(tx, delegator, coin))?;
        context.received(delegator, coins);
        Ok(())
    })
}
