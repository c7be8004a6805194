//! A simulation: blocks of random operations of the keeper, checked one by one.
//!
//! Random choices depend on the seed and the block alone, and the simulation reads its state from
//! the database, so a killed run continues. About one operation in seven is invalid; it must be
//! rejected with the right error, without a trace. Some blocks are first tried and rolled back,
//! which must leave no confirmed transaction of the block, and all invariants intact. Some blocks
//! begin with a rollback of earlier ones.

mod draw;
mod find;
mod invalid;
mod queues;
mod rollback;
mod topics;
mod valid;

use crate::{
    error::Error,
    invariants, keeper,
    layout::txo::{BLACKLIST, Txid, WHITELIST},
    score, undo,
};
use draw::Draw;
use keyscape::store::{StoreError, Tx};

/// The number of operations of a block.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Tally {
    /// Successful operations.
    pub done: u64,
    /// Operations that were rejected as expected.
    pub refused: u64,
}

/// A wrong outcome, or a failure.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum SimError {
    /// A valid operation was rejected, or the store failed.
    #[error("{what} was rejected: {source}")]
    Refused {
        /// The operation.
        what: &'static str,
        /// The reason.
        source: Box<Error>,
    },
    /// An invalid operation was accepted.
    #[error("{what} was accepted, but is invalid")]
    Accepted {
        /// The operation.
        what: &'static str,
    },
    /// An operation was rejected with the wrong error.
    #[error("{what} was rejected with an unexpected error: {source}")]
    OtherError {
        /// The operation.
        what: &'static str,
        /// The error.
        source: Box<Error>,
    },
    /// A rejected operation has written something.
    #[error("{what} was rejected, but has written rows")]
    Trace {
        /// The operation.
        what: &'static str,
    },
    /// An operation had a wrong effect.
    #[error("after {what}: {why}")]
    Differs {
        /// The operation.
        what: &'static str,
        /// The difference.
        why: String,
    },
    /// The height does not fit the chain.
    #[error("block {0} is higher than blocks can be")]
    Height(u64),
    /// The store failed.
    #[error(transparent)]
    Store(#[from] StoreError),
}

impl SimError {
    /// Returns a conversion for errors of valid operations.
    fn refused(what: &'static str) -> impl Fn(Error) -> SimError {
        move |source| SimError::Refused { what, source: Box::new(source) }
    }
}

/// The number of blocks that can be rolled back.
const DEPTH: u32 = 6;

/// Writes the initial state: two tokens on the lists.
///
/// # Errors
/// [`SimError`].
pub fn begin(tx: &mut Tx<'_>, seed: u64) -> Result<(), SimError> {
    let draw = Draw::new(seed, 0);
    let refused = SimError::refused;
    keeper::whitelist(tx, draw.token(0)).map_err(refused("whitelist"))?;
    keeper::blacklist(tx, draw.token(1)).map_err(refused("blacklist"))?;
    Ok(())
}

/// Runs one block of random operations. Heights must increase; call `begin` before the first block.
///
/// # Errors
/// [`SimError`].
pub fn block(tx: &mut Tx<'_>, seed: u64, height: u64) -> Result<Tally, SimError> {
    let at = u32::try_from(height).ok().filter(|at| *at > 0).ok_or(SimError::Height(height))?;
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
    fn decided(&self) -> Result<String, SimError> {
        self.look("a look at the lists", |tx| {
            let white = WHITELIST.members(()).to_vec(tx)?;
            let black = BLACKLIST.members(()).to_vec(tx)?;
            let mut sets = Vec::new();
            for set in keeper::sets(tx)? {
                let members = keeper::set_members(tx, &set)?;
                sets.push((set, members));
            }
            Ok(format!("{white:?} {black:?} {sets:?} {:?}", keeper::peers(tx)?))
        })
    }

    fn run(&mut self) -> Result<(), SimError> {
        let height = self.height;
        self.valid("begin_block", |tx| undo::begin_block(tx, height))?;
        for _ in 0..self.draw.between(20, 50) {
            self.now += self.draw.between(1, 1_000);
            if self.draw.chance(15) { self.wrong()? } else { self.right()? }
        }
        Ok(())
    }

    /// Rolls back the last blocks, as in a chain reorganisation.
    fn reorganise(&mut self) -> Result<(), SimError> {
        let depth = u32::try_from(self.draw.between(1, 3)).unwrap_or(1);
        let to = self.height.saturating_sub(1 + depth);
        match undo::rollback_to(self.tx, to, self.now) {
            Ok(removed) => {
                self.tally.done += 1;
                self.orphaned(to, &removed.orphaned)?;
            }
            Err(Error::TooDeep { lowest, .. }) if lowest.is_none_or(|lowest| to < lowest) => {
                self.tally.refused += 1;
            }
            Err(source) => return Err(SimError::refused("rollback_to")(source)),
        }
        Ok(())
    }

    /// Checks that orphaned transactions are known and unconfirmed, and that no progress is above
    /// the new tip.
    fn orphaned(&self, tip: u32, orphaned: &[Txid]) -> Result<(), SimError> {
        const WHAT: &str = "rollback_to";
        for txid in orphaned {
            let score = self.look(WHAT, |tx| keeper::transaction_score(tx, *txid))?;
            let expected = Some(score::seen(self.now));
            must(WHAT, score == expected, || format!("the score of {txid} is {score:?}"))?;
        }
        for (source, height) in self.look(WHAT, |tx| keeper::sources(tx))? {
            must(WHAT, height <= tip, || format!("{source:?} has reached {height}"))?;
        }
        Ok(())
    }

    /// Runs a valid operation.
    fn valid<T>(
        &mut self,
        what: &'static str,
        operation: impl FnOnce(&mut Tx<'_>) -> Result<T, Error>,
    ) -> Result<T, SimError> {
        let done = operation(self.tx).map_err(SimError::refused(what))?;
        self.tally.done += 1;
        Ok(done)
    }

    /// Reads the effects of an operation.
    fn look<T>(
        &self,
        what: &'static str,
        read: impl FnOnce(&Tx<'_>) -> Result<T, Error>,
    ) -> Result<T, SimError> {
        read(self.tx).map_err(SimError::refused(what))
    }
}

/// Checks a condition after an operation.
fn must(what: &'static str, holds: bool, why: impl FnOnce() -> String) -> Result<(), SimError> {
    if holds { Ok(()) } else { Err(SimError::Differs { what, why: why() }) }
}

/// Runs a block and rolls it back. The decisions of operators stay, and all invariants hold. Then
/// restores the state.
fn trial(tx: &mut Tx<'_>, seed: u64, height: u32) -> Result<(), SimError> {
    const WHAT: &str = "rollback_to";
    let checkpoint = tx.checkpoint();
    let draw = Draw::new(!seed, u64::from(height));
    let mut block = Block { tx, draw, height, now: clock(height), tally: Tally::default() };
    block.run()?;
    let decided = block.decided()?;
    let now = block.now;
    let removed = block.valid(WHAT, |tx| undo::rollback_to(tx, height - 1, now))?;
    block.orphaned(height - 1, &removed.orphaned)?;
    let after = block.decided()?;
    must(WHAT, decided == after, || "lists, sets or peers have changed".to_owned())?;
    let broken = block.look(WHAT, |tx| invariants::check(tx))?;
    let first = broken.first().map(ToString::to_string);
    must(WHAT, broken.is_empty(), || first.unwrap_or_default())?;
    tx.rollback_to(checkpoint)?;
    Ok(tx.release(checkpoint)?)
}
