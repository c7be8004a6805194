//! A simulation: blocks of random operations of the keeper, checked one by one.
//!
//! Random choices depend on the seed and the block alone, and the simulation reads its state from
//! the database, so a killed run continues. About one operation in seven is invalid; it must be
//! rejected with the right error, without a trace. Some blocks are first tried and rolled back,
//! which must leave no confirmed transaction of the block, and all invariants intact. Some blocks
//! begin with a rollback of earlier ones.

mod draw;
mod invalid;
mod queues;
mod searches;
mod topics;
mod valid;

use crate::{
    error::Error,
    invariants, keeper,
    layout::txo::{BLACKLIST, SETS, Txid, WHITELIST},
    score,
    undo::{self, RolledBack},
};
use draw::Draw;
use keyscape::store::Tx;
use keyscape_sim::{Fault, Tally, attempt, check, done, is};
use std::collections::BTreeSet;

/// The number of blocks that can be rolled back.
const DEPTH: u32 = 6;

/// Writes the initial state: two tokens on the lists.
///
/// # Errors
/// Errors of the database.
pub fn begin(tx: &mut Tx<'_>, seed: u64) -> Result<(), Fault> {
    let draw = Draw::new(seed, 0);
    WHITELIST.add(tx, (), draw.token(0))?;
    BLACKLIST.add(tx, (), draw.token(1))?;
    Ok(())
}

/// Runs one block of random operations. Heights must increase; call `begin` before the first block.
///
/// # Errors
/// [`Unexpected`](keyscape_sim::Unexpected) if an operation had the wrong outcome.
pub fn block(tx: &mut Tx<'_>, seed: u64, height: u64) -> Result<Tally, Fault> {
    let at = u32::try_from(height).ok().filter(|at| *at > 0);
    let at = at.ok_or_else(|| format!("block {height} is higher than blocks can be"))?;
    let mut draw = Draw::new(seed, height);
    if draw.chance(10) {
        trial(tx, seed, at)?;
    }
    let mut block = Block { tx, draw, height: at, now: clock(at), tally: Tally::default() };
    if block.draw.chance(8) {
        block.reorganise()?;
    }
    block.run()?;
    let below = at.saturating_sub(DEPTH);
    block.valid("prune", |tx| undo::prune(tx, below))?;
    Ok(block.tally)
}

/// Returns the time of a block, in nanoseconds: ten minutes each, from 2023 on.
fn clock(height: u32) -> u64 {
    1_700_000_000_000_000_000 + u64::from(height) * 600_000_000_000
}

/// A running block.
struct Block<'b, 'db> {
    tx: &'b mut Tx<'db>,
    draw: Draw,
    height: u32,
    now: u64,
    tally: Tally,
}

impl Block<'_, '_> {
    /// Returns the decisions and observations of operators as text.
    fn decided(&self) -> Result<String, Fault> {
        let white = WHITELIST.members(()).to_vec(self.tx)?;
        let black = BLACKLIST.members(()).to_vec(self.tx)?;
        let mut sets = Vec::new();
        for key in SETS.prefix_all().structures(self.tx)? {
            let set = key?.name;
            let members = SETS.members(&set).to_vec(self.tx)?;
            sets.push((set, members));
        }
        Ok(format!("{white:?} {black:?} {sets:?} {:?}", keeper::peers(self.tx)?))
    }

    fn run(&mut self) -> Result<(), Fault> {
        let height = self.height;
        self.valid("begin_block", |tx| undo::begin_block(tx, height))?;
        for _ in 0..self.draw.between(20, 50) {
            self.now += self.draw.between(1, 1_000);
            if self.draw.chance(15) { self.invalid_operation()? } else { self.valid_operation()? }
        }
        Ok(())
    }

    /// Rolls back the last blocks, as in a chain reorganisation.
    fn reorganise(&mut self) -> Result<(), Fault> {
        let depth = u32::try_from(self.draw.between(1, 3)).unwrap_or(1);
        let to = self.height.saturating_sub(1 + depth);
        let is_too_deep = |error: &Error| matches!(error, Error::TooDeep { lowest, .. } if lowest.is_none_or(|lowest| to < lowest));
        let now = self.now;
        let rollback = |tx: &mut Tx<'_>| undo::rollback_to(tx, to, now);
        match self.attempt("rollback_to", is_too_deep, rollback)? {
            Some(removed) => self.check_orphaned(to, &removed.orphaned),
            None => Ok(()),
        }
    }

    /// Checks that orphaned transactions are known and unconfirmed, and that no progress is above
    /// the new tip.
    fn check_orphaned(&self, tip: u32, orphaned: &[Txid]) -> Result<(), Fault> {
        const WHAT: &str = "rollback_to";
        for txid in orphaned {
            let score = keeper::transaction_score(self.tx, *txid)?;
            let expected = Some(score::seen(self.now));
            check(WHAT, score == expected, || format!("the score of {txid} is {score:?}"))?;
        }
        for (source, height) in keeper::sources(self.tx)? {
            check(WHAT, height <= tip, || format!("{source:?} has reached {height}"))?;
        }
        Ok(())
    }

    /// Rolls a transaction back. A final transaction, or one with a final spender, is rejected.
    fn roll_back(&mut self) -> Result<(), Fault> {
        const WHAT: &str = "rollback";
        let Some(known) = self.known_output()? else { return Ok(()) };
        let txid = known.outpoint.txid;
        let mut expected = vec![txid];
        let mut next = 0;
        let mut is_final = false;
        while let Some(current) = expected.get(next).copied() {
            next += 1;
            is_final |= self.is_final(current)?;
            for spender in keeper::spenders_of(self.tx, current)? {
                if !expected.contains(&spender) {
                    expected.push(spender);
                }
            }
        }
        if is_final {
            return self.refused("rollback of a final transaction", is!(Error: Final), |tx| {
                undo::rollback(tx, txid)
            });
        }
        let taken = self.valid(WHAT, |tx| undo::rollback(tx, txid))?;
        check(WHAT, taken.transactions == expected, || format!("{:?}", taken.transactions))?;
        self.check_gone(WHAT, &taken)
    }

    /// Checks that nothing is left of rolled back transactions, and that no topic has an output
    /// that needs one of them.
    fn check_gone(&self, what: &'static str, taken: &RolledBack) -> Result<(), Fault> {
        for txid in &taken.transactions {
            let score = keeper::transaction_score(self.tx, *txid)?;
            check(what, score.is_none(), || format!("something of {txid} is left"))?;
            let dependents = keeper::dependents_of(self.tx, *txid)?;
            check(what, dependents.is_empty(), || format!("{dependents:?} need {txid}"))?;
        }
        for (topic, outpoint) in &taken.released {
            let topics = keeper::topics_of(self.tx, *outpoint)?;
            let applied = keeper::applied(self.tx, topic, outpoint.txid)?;
            let known = keeper::output(self.tx, *outpoint)?;
            let has_left = !topics.contains(topic) && applied.is_none() && known.is_some();
            check(what, has_left, || format!("{outpoint:?} has not left {topic}"))?;
        }
        Ok(())
    }

    /// Returns the transactions whose outputs a transaction spends, transitively.
    fn ancestors(&self, txid: Txid) -> Result<BTreeSet<Txid>, Fault> {
        let (mut work, mut found) = (vec![txid], BTreeSet::new());
        while let Some(current) = work.pop() {
            for (input, _) in keeper::spent_by(self.tx, current)? {
                if found.insert(input.txid) {
                    work.push(input.txid);
                }
            }
        }
        Ok(found)
    }

    /// Runs an operation that may be rejected with an error that `may_refuse` accepts.
    fn attempt<T>(
        &mut self,
        what: &'static str,
        may_refuse: impl FnOnce(&Error) -> bool,
        operation: impl FnOnce(&mut Tx<'_>) -> Result<T, Error>,
    ) -> Result<Option<T>, Fault> {
        let result = attempt(self.tx, what, may_refuse, operation)?;
        match result {
            Some(_) => self.tally.done += 1,
            None => self.tally.refused += 1,
        }
        Ok(result)
    }

    /// Runs a valid operation.
    fn valid<T, E: Into<Error>>(
        &mut self,
        what: &'static str,
        operation: impl FnOnce(&mut Tx<'_>) -> Result<T, E>,
    ) -> Result<T, Fault> {
        let result = done(self.tx, what, |tx| operation(tx).map_err(Into::into))?;
        self.tally.done += 1;
        Ok(result)
    }
}

/// Runs a block and rolls it back. The decisions of operators stay, and all invariants hold. Then
/// restores the state.
fn trial(tx: &mut Tx<'_>, seed: u64, height: u32) -> Result<(), Fault> {
    const WHAT: &str = "rollback_to";
    let checkpoint = tx.checkpoint();
    let draw = Draw::new(!seed, u64::from(height));
    let mut block = Block { tx, draw, height, now: clock(height), tally: Tally::default() };
    block.run()?;
    let decided = block.decided()?;
    let now = block.now;
    let removed = block.valid(WHAT, |tx| undo::rollback_to(tx, height - 1, now))?;
    block.check_orphaned(height - 1, &removed.orphaned)?;
    let after = block.decided()?;
    check(WHAT, decided == after, || "lists, sets or peers have changed".to_owned())?;
    let broken = invariants::check(block.tx)?;
    let first = broken.first().map(ToString::to_string);
    check(WHAT, broken.is_empty(), || first.unwrap_or_default())?;
    tx.rollback_to(checkpoint)?;
    Ok(tx.release(checkpoint)?)
}
