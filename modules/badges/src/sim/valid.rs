//! Possible operations.

use super::{
    draw::{Draw, SUPPLY, USES, owner},
    records,
};
use crate::{
    Address, Amounts, Error, ErrorKind, Id, Kind, Owner, Ranges,
    keeper::{self, Approver, Transfer, UserChanges},
    values::UserApproval,
};
use keyscape::{
    U256,
    store::{Read, Tx},
};
use keyscape_sim::{Fault, done, refused, same};
use std::{collections::BTreeMap, fmt::Display};

/// Draws and runs an operation, and checks its changes.
pub(super) fn operation(tx: &mut Tx<'_>, draw: &mut Draw) -> Result<(), Fault> {
    let id = draw.collection(tx)?;
    match draw.below(100) {
        0..25 => mint(tx, draw, id),
        25..55 => send(tx, draw, id),
        55..65 => claim(tx, draw, id),
        65..75 => send_for(tx, draw, id),
        75..82 => flags(tx, draw, id),
        _ => records::operation(tx, draw, id),
    }
}

/// Mints by the manager, up to the supply of each badge.
fn mint(tx: &mut Tx<'_>, draw: &mut Draw, id: Id) -> Result<(), Fault> {
    let (manager, to) = (draw.manager(tx, id)?, draw.address()?);
    let amounts = draw.amounts()?;
    let used =
        keeper::get_tracker(tx, id, &Approver::Collection, "mint", "supply", Kind::Overall, None)?;
    let all = Amounts::of(SUPPLY, Ranges::all(), Ranges::all());
    let fits = amounts.is_within(&all.saturating_sub(&used.1));
    let operation = format!("mint {amounts} in collection {id} for `{to}`");
    let transfer = Transfer::new(Owner::Mint, to.clone(), amounts.clone());
    let run = |tx: &mut Tx<'_>| keeper::transfer(tx, draw.now(), &manager, id, &[transfer]);
    if !fits {
        return refused(tx, &operation, is_not_approved, run);
    }
    let mut expect = Expect::new(tx, id)?;
    expect.give(tx, &to, &amounts)?;
    expect.mint(&amounts)?;
    expect.done(tx, &operation, run)?;
    Ok(())
}

pub(super) fn is_not_approved(kind: &ErrorKind) -> bool {
    matches!(kind, ErrorKind::NotApproved { .. })
}

/// Returns a user of a collection who owns badges.
pub(super) fn holder(
    state: &impl Read,
    draw: &mut Draw,
    id: Id,
) -> Result<Option<(Address<'static>, Amounts)>, Fault> {
    for _ in 0..8 {
        let user = draw.address()?;
        let held = keeper::amounts(state, id, &user)?;
        if !held.is_empty() {
            return Ok(Some((user, held)));
        }
    }
    Ok(None)
}

/// Sends part of one's own badges to one or two others.
fn send(tx: &mut Tx<'_>, draw: &mut Draw, id: Id) -> Result<(), Fault> {
    let Some((from, held)) = holder(tx, draw, id)? else { return mint(tx, draw, id) };
    let amounts = draw.part(&held)?;
    let mut to = vec![draw.other(&from)?];
    let twice = amounts.checked_add(&amounts);
    let second = draw.other(&from)?;
    if twice.is_ok_and(|twice| twice.is_within(&held))
        && draw.below(4) == 0
        && !to.contains(&second)
    {
        to.push(second);
    }
    let mut expect = Expect::new(tx, id)?;
    for to in &to {
        expect.take(tx, &from, &amounts)?;
        expect.give(tx, to, &amounts)?;
    }
    let operation = format!("send {amounts} of collection {id} from `{from}`");
    let transfer = Transfer { to, ..Transfer::new(owner(&from), from.clone(), amounts.clone()) };
    let run = |tx: &mut Tx<'_>| keeper::transfer(tx, draw.now(), &from, id, &[transfer]);
    expect.done(tx, &operation, run)?;
    Ok(())
}

/// Claims a badge with a code, as long as the code has uses.
fn claim(tx: &mut Tx<'_>, draw: &mut Draw, id: Id) -> Result<(), Fault> {
    let (claimant, (leaf, proof), amounts) = (draw.address()?, draw.code(), draw.claimed()?);
    let leaf = U256::from(leaf);
    let approver = Approver::Collection;
    let uses = keeper::get_uses(tx, id, &approver, "claim", "codes", leaf)?;
    let transfer = Transfer {
        proofs: proof.into_iter().collect(),
        ..Transfer::new(Owner::Mint, claimant.clone(), amounts.clone())
    };
    let operation = format!("claim with code {leaf} in collection {id}");
    let by_manager = draw.manager(tx, id)? == claimant;
    let run = |tx: &mut Tx<'_>| keeper::transfer(tx, draw.now(), &claimant, id, &[transfer]);
    // The manager needs no code, because the approval `mint` precedes the others.
    if !by_manager && uses >= U256::from(USES) {
        return refused(tx, &operation, is_not_approved, run);
    }
    let mut expect = Expect::new(tx, id)?;
    expect.give(tx, &claimant, &amounts)?;
    expect.mint(&amounts)?;
    expect.done(tx, &operation, run)?;
    if by_manager {
        return Ok(());
    }
    let found = keeper::get_uses(tx, id, &approver, "claim", "codes", leaf)?;
    same(&operation, "the uses of the code", &(uses + 1), &found)
}

/// Transfers badges by another initiator, whom the sender approves. The recipient approves
/// everybody.
fn send_for(tx: &mut Tx<'_>, draw: &mut Draw, id: Id) -> Result<(), Fault> {
    let Some((from, held)) = holder(tx, draw, id)? else { return mint(tx, draw, id) };
    let (to, agent) = (draw.other(&from)?, draw.other(&from)?);
    let (now, amounts) = (draw.now(), draw.part(&held)?);
    let outgoing = UserApproval::of_all("agent", "All", &agent.to_string());
    let incoming = UserApproval::of_all("any", "All", "All");
    let changes =
        UserChanges { outgoing_approvals: Some(vec![outgoing]), ..UserChanges::default() };
    let named = format!("approve an agent of `{from}` in collection {id}");
    done(tx, &named, |tx| keeper::update_user(tx, now, &from, id, changes))?;
    let changes =
        UserChanges { incoming_approvals: Some(vec![incoming]), ..UserChanges::default() };
    done(tx, &named, |tx| keeper::update_user(tx, now, &to, id, changes))?;
    let mut expect = Expect::new(tx, id)?;
    expect.take(tx, &from, &amounts)?;
    expect.give(tx, &to, &amounts)?;
    let operation = format!("send {amounts} of `{from}` in collection {id} by `{agent}`");
    let transfer = Transfer::new(owner(&from), to.clone(), amounts.clone());
    let used =
        expect.done(tx, &operation, |tx| keeper::transfer(tx, now, &agent, id, &[transfer]))?;
    let found = used.iter().any(|used| used.approver == Approver::Outgoing(from.clone()));
    same(&operation, "whether the sender's approval was used", &true, &found)
}

/// Changes the flags of a user.
fn flags(tx: &mut Tx<'_>, draw: &mut Draw, id: Id) -> Result<(), Fault> {
    let (user, now) = (draw.address()?, draw.now());
    let expected = draw.below(2) == 0;
    let changes =
        UserChanges { auto_approve_all_incoming: Some(expected), ..UserChanges::default() };
    let mut expect = Expect::new(tx, id)?;
    expect.give(tx, &user, &Amounts::default())?;
    let operation = format!("set the flag of `{user}` in collection {id}");
    expect.done(tx, &operation, |tx| keeper::update_user(tx, now, &user, id, changes))?;
    let found = keeper::get_user(tx, id, &user)?.auto_approve_all_incoming_transfers;
    same(&operation, "the flag", &expected, &found)
}

/// The expected badges and totals after an operation in one collection.
struct Expect {
    id: Id,
    users: BTreeMap<Address<'static>, Amounts>,
    total: Amounts,
}

impl Expect {
    fn new(state: &impl Read, id: Id) -> Result<Expect, Error> {
        Ok(Expect { id, users: BTreeMap::new(), total: keeper::total(state, id)? })
    }

    /// Returns the expected badges of a user, at first those of the state before the operation.
    fn held(&mut self, state: &impl Read, user: &Address<'static>) -> Result<&mut Amounts, Fault> {
        let before = keeper::amounts(state, self.id, user)?;
        Ok(self.users.entry(user.clone()).or_insert(before))
    }

    fn give(
        &mut self,
        state: &impl Read,
        to: &Address<'static>,
        amounts: &Amounts,
    ) -> Result<(), Fault> {
        let held = self.held(state, to)?;
        *held = held.checked_add(amounts)?;
        Ok(())
    }

    fn take(
        &mut self,
        state: &impl Read,
        from: &Address<'static>,
        amounts: &Amounts,
    ) -> Result<(), Fault> {
        let held = self.held(state, from)?;
        *held = held.checked_sub(amounts)?;
        Ok(())
    }

    fn mint(&mut self, amounts: &Amounts) -> Result<(), Fault> {
        self.total = self.total.checked_add(amounts)?;
        Ok(())
    }

    /// Runs a possible operation, and checks its changes.
    fn done<T>(
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
