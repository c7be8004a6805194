//! Delegations to a module, and their return.

use super::{
    Keeper, Permission,
    accounts::{self, Tracked},
    balances, modules,
};
use crate::{Address, Coins, Error, Event};
use keyscape::{U256, store::Tx};

impl Keeper {
    /// Moves coins of an account, including locked ones, to a module with [`Permission::Staking`].
    /// Vesting accounts record the locked part. An empty list of coins changes no row.
    ///
    /// ```
    /// # mod setup { include!(concat!(env!("CARGO_MANIFEST_DIR"), "/tests/all/setup.rs")); }
    /// # use setup::{address, bank, fund};
    /// use keyscape_bank::{Coins, Error, Keeper, vesting::Schedule};
    ///
    /// # let db = bank();
    /// # let (ann, bob) = (address(1), address(2));
    /// # db.write(|tx| fund(tx, &ann, "100uatom"))?;
    /// let coins: Coins = "100uatom".parse()?;
    /// let keeper = Keeper::default();
    /// db.write(|tx| {
    ///     let schedule = Schedule::Delayed { end: 1_000 };
    ///     keeper.create_vesting_account(tx, 0, &ann, &bob, &coins, schedule)?;
    ///     // Locked coins can be delegated; returned coins are locked as before.
    ///     keeper.delegate(tx, 500, &bob, "pool", &coins)?;
    ///     assert!(keeper.locked_coins(tx, 500, &bob)?.is_empty());
    ///     keeper.undelegate(tx, "pool", &bob, &coins)?;
    ///     assert_eq!(keeper.locked_coins(tx, 500, &bob)?, coins);
    ///     Ok::<(), Error>(())
    /// })?;
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// [`Insufficient`](crate::ErrorKind::Insufficient), [`NoAccount`](crate::ErrorKind::NoAccount)
    /// for the delegator, [`NoModule`](crate::ErrorKind::NoModule),
    /// [`NotPermitted`](crate::ErrorKind::NotPermitted), [`Overflow`](crate::ErrorKind::Overflow),
    /// [`AccountType`](crate::ErrorKind::AccountType).
    pub fn delegate(
        &self,
        tx: &mut Tx<'_>,
        now: i64,
        delegator: &Address<'_>,
        module: &str,
        coins: &Coins,
    ) -> Result<Vec<Event>, Error> {
        tx.attempt(|tx| {
            modules::ensure(tx, &self.rules, module)?;
            let to = modules::permitted(tx, module, Permission::Staking)?;
            let mut balances = Coins::none();
            for coin in coins {
                let balance = balances::debit(tx, delegator, coin, U256::ZERO)?;
                balances.set(&coin.denom, balance);
            }
            let change = Tracked::Delegation { now, coins, balances: &balances };
            accounts::track(tx, &self.rules, delegator, &change)?;
            coins.iter().try_for_each(|coin| balances::credit(tx, &to, coin))?;
            Ok(vec![Event::spent(delegator, coins), Event::received(&to, coins)])
        })
    }

    /// Moves coins back from a module with [`Permission::Staking`]. A vesting account counts them
    /// as free coins first. Coins above its delegations are free.
    ///
    /// # Errors
    /// As [`Keeper::delegate`]; [`Insufficient`](crate::ErrorKind::Insufficient) is about the
    /// module.
    pub fn undelegate(
        &self,
        tx: &mut Tx<'_>,
        module: &str,
        delegator: &Address<'_>,
        coins: &Coins,
    ) -> Result<Vec<Event>, Error> {
        let from = modules::permitted(tx, module, Permission::Staking)?;
        tx.attempt(|tx| {
            for coin in coins {
                balances::debit(tx, &from, coin, U256::ZERO)?;
            }
            accounts::track(tx, &self.rules, delegator, &Tracked::Undelegation { coins })?;
            coins.iter().try_for_each(|coin| balances::credit(tx, delegator, coin))?;
            Ok(vec![Event::spent(&from, coins), Event::received(delegator, coins)])
        })
    }
}
