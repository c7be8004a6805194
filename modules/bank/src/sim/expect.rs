//! The expected effects of an operation.

use crate::{Address, Coins, Denom, Error, VestingAccount, keeper};
use keyscape::{
    U256,
    store::{Read, Tx},
};
use keyscape_sim::{Fault, done, same};
use std::{
    collections::{BTreeMap, btree_map::Entry},
    fmt::Display,
};

/// The expected balances and supplies after an operation.
#[derive(Default)]
pub(super) struct Expect {
    balances: BTreeMap<(Address<'static>, Denom<'static>), U256>,
    supplies: BTreeMap<Denom<'static>, U256>,
}

/// Computes a new amount. No drawn operation overflows; the comparison would find an overflow.
type Change = fn(U256, U256) -> U256;

impl Expect {
    fn balance(
        &mut self,
        state: &impl Read,
        address: &Address<'_>,
        coins: &Coins,
        change: Change,
    ) -> Result<(), Error> {
        for coin in coins {
            let amount =
                match self.balances.entry((address.clone().into_owned(), coin.denom.clone())) {
                    Entry::Occupied(entry) => entry.into_mut(),
                    Entry::Vacant(entry) => {
                        entry.insert(keeper::get_balance(state, address, &coin.denom)?)
                    }
                };
            *amount = change(*amount, coin.amount);
        }
        Ok(())
    }

    /// Expects coins to move from one account to another.
    pub(super) fn transfer(
        state: &impl Read,
        from: &Address<'_>,
        to: &Address<'_>,
        coins: &Coins,
    ) -> Result<Expect, Error> {
        let mut expect = Expect::default();
        expect.take(state, from, coins)?;
        expect.give(state, to, coins)?;
        Ok(expect)
    }

    pub(super) fn take(
        &mut self,
        state: &impl Read,
        from: &Address<'_>,
        coins: &Coins,
    ) -> Result<(), Error> {
        self.balance(state, from, coins, U256::saturating_sub)?;
        self.supply(state, coins, |supply, _| supply)
    }

    pub(super) fn give(
        &mut self,
        state: &impl Read,
        to: &Address<'_>,
        coins: &Coins,
    ) -> Result<(), Error> {
        self.balance(state, to, coins, U256::saturating_add)
    }

    /// Expects a change of the supplies of some coins.
    pub(super) fn supply(
        &mut self,
        state: &impl Read,
        coins: &Coins,
        change: Change,
    ) -> Result<(), Error> {
        for coin in coins {
            let supply = match self.supplies.entry(coin.denom.clone()) {
                Entry::Occupied(entry) => entry.into_mut(),
                Entry::Vacant(entry) => entry.insert(keeper::get_supply(state, &coin.denom)?),
            };
            *supply = change(*supply, coin.amount);
        }
        Ok(())
    }

    /// Runs a valid operation and checks its effects.
    pub(super) fn done<T>(
        self,
        tx: &mut Tx<'_>,
        operation: impl Display,
        run: impl FnOnce(&mut Tx<'_>) -> Result<T, Error>,
    ) -> Result<T, Fault> {
        let result = done(tx, &operation, run)?;
        for ((address, denom), expected) in &self.balances {
            let found = keeper::get_balance(tx, address, denom)?;
            let what = format!("the balance of `{address}` in `{denom}`");
            same(&operation, what, expected, &found)?;
        }
        for (denom, expected) in &self.supplies {
            let found = keeper::get_supply(tx, denom)?;
            same(&operation, format!("the supply of `{denom}`"), expected, &found)?;
        }
        Ok(result)
    }
}

/// Returns the delegated coins of a vesting account: the free ones and the vesting ones. `None` for
/// other accounts.
pub(super) fn delegated(
    state: &impl Read,
    address: &Address<'_>,
) -> Result<Option<(Coins, Coins)>, Error> {
    let account = keeper::get_account(state, address)?;
    let account = account.and_then(|account| account.vesting_account().ok().flatten());
    Ok(account.map(|VestingAccount { vesting, .. }| {
        (vesting.delegated_free().clone(), vesting.delegated_vesting().clone())
    }))
}
