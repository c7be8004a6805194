//! The state that an operation must leave.

use crate::{Address, Amounts, Error, Id, keeper, values::BadMessage};
use keyscape::store::{Read, Tx};
use keyscape_sim::{Fault, done, same};
use std::{collections::BTreeMap, fmt::Display};

/// The expected badges and totals after an operation in one collection.
pub(super) struct Expect {
    id: Id,
    users: BTreeMap<Address<'static>, Amounts>,
    total: Amounts,
}

impl Expect {
    pub(super) fn new(state: &impl Read, id: Id) -> Result<Expect, Error> {
        Ok(Expect { id, users: BTreeMap::new(), total: keeper::total(state, id)? })
    }

    fn change(
        &mut self,
        state: &impl Read,
        user: &Address<'static>,
        change: impl FnOnce(&Amounts) -> Option<Amounts>,
    ) -> Result<(), Error> {
        let held = match self.users.get(user) {
            Some(held) => held.clone(),
            None => keeper::amounts(state, self.id, user)?,
        };
        self.users.insert(user.clone(), change(&held).ok_or(BadMessage::Overflow)?);
        Ok(())
    }

    pub(super) fn give(
        &mut self,
        state: &impl Read,
        to: &Address<'static>,
        amounts: &Amounts,
    ) -> Result<(), Error> {
        self.change(state, to, |held| held.checked_add(amounts).ok())
    }

    pub(super) fn take(
        &mut self,
        state: &impl Read,
        from: &Address<'static>,
        amounts: &Amounts,
    ) -> Result<(), Error> {
        self.change(state, from, |held| held.checked_sub(amounts).ok())
    }

    pub(super) fn minted(&mut self, amounts: &Amounts) -> Result<(), Error> {
        self.total = self.total.checked_add(amounts).map_err(|_| BadMessage::Overflow)?;
        Ok(())
    }

    /// Runs a possible operation, and checks its changes.
    pub(super) fn done<T>(
        self,
        tx: &mut Tx<'_>,
        operation: impl Display,
        run: impl FnOnce(&mut Tx<'_>) -> Result<T, Error>,
    ) -> Result<T, Fault> {
        let result = done(tx, &operation, run)?;
        for (user, expected) in &self.users {
            let found = keeper::amounts(tx, self.id, user)?;
            same(&operation, format!("the badges of `{user}`"), expected, &found)?;
        }
        let found = keeper::total(tx, self.id)?;
        same(&operation, "the total", &self.total, &found)?;
        Ok(result)
    }
}
