//! The state that an operation must leave.

use super::SimError;
use crate::{Address, Amounts, Error, ErrorKind, Id, keeper, values::BadMessage};
use keyscape::store::{Read, Tx};
use std::collections::BTreeMap;

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
        operation: impl Fn() -> String,
        run: impl FnOnce(&mut Tx<'_>) -> Result<T, Error>,
    ) -> Result<T, SimError> {
        let result = done(tx, &operation, run)?;
        for (user, expected) in &self.users {
            let found = keeper::amounts(tx, self.id, user)?;
            same(&operation, || format!("the badges of `{user}`"), expected, &found)?;
        }
        let found = keeper::total(tx, self.id)?;
        same(&operation, || "the total".to_owned(), &self.total, &found)?;
        Ok(result)
    }
}

/// Runs a possible operation.
pub(super) fn done<T>(
    tx: &mut Tx<'_>,
    operation: impl Fn() -> String,
    run: impl FnOnce(&mut Tx<'_>) -> Result<T, Error>,
) -> Result<T, SimError> {
    run(tx).map_err(|source| SimError::Refused { operation: operation(), source })
}

/// Fails unless both are equal.
pub(super) fn same<T: PartialEq + ToString>(
    operation: impl Fn() -> String,
    what: impl Fn() -> String,
    expected: &T,
    found: &T,
) -> Result<(), SimError> {
    if expected == found {
        return Ok(());
    }
    let (operation, what) = (operation(), what());
    let (expected, found) = (expected.to_string(), found.to_string());
    Err(SimError::Wrong { operation, what, expected, found })
}

/// Runs an impossible operation, which must be rejected with this error and write nothing.
pub(super) fn refused<T>(
    tx: &mut Tx<'_>,
    operation: impl Fn() -> String,
    reason: impl Fn(&ErrorKind) -> bool,
    run: impl FnOnce(&mut Tx<'_>) -> Result<T, Error>,
) -> Result<(), SimError> {
    let before = tx.changes().clone();
    match run(tx) {
        Ok(_) => return Err(SimError::Accepted { operation: operation() }),
        Err(source) if !reason(source.kind()) => {
            return Err(SimError::OtherReason { operation: operation(), source });
        }
        Err(_) => {}
    }
    if !tx.changes().iter().eq(before.iter()) {
        return Err(SimError::Trace { operation: operation() });
    }
    Ok(())
}
