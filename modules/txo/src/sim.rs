//! A simulation: blocks of random operations over all of the keeper's, checked as they are done.
//!
//! What is drawn depends on the seed and the block alone, and what there is to choose from is read from the
//! database: a run that was killed goes on where it was. Around one operation in seven is wrong on
//! purpose; it must be refused with the error that belongs to it and leave nothing behind. Some blocks are
//! tried first and taken back, which must restore every row; some go back over blocks before they begin.

mod draw;
mod find;
mod invalid;
mod queues;
mod valid;

use crate::{error::Error, undo};
use draw::Draw;
use keyscape::{
    record::{self, Kind},
    store::{ReadExt, StoreError, StoreId, Tx},
};

/// What a block did.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Tally {
    /// Operations that were done.
    pub done: u64,
    /// Operations that were refused, as they had to be.
    pub refused: u64,
}

/// A promise was broken.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum SimError {
    /// A valid operation was refused, or the store failed.
    #[error("{what} was refused: {source}")]
    Refused {
        /// The operation.
        what: &'static str,
        /// Why it was.
        source: Box<Error>,
    },
    /// An operation was done that must be refused.
    #[error("{what} was done, and must be refused")]
    Accepted {
        /// The operation.
        what: &'static str,
    },
    /// An operation was refused with an error that is not the one that belongs to it.
    #[error("{what} was refused with another error than it must be: {source}")]
    OtherError {
        /// The operation.
        what: &'static str,
        /// The error.
        source: Box<Error>,
    },
    /// An operation that was refused has left something.
    #[error("{what} was refused and has left rows behind")]
    Trace {
        /// The operation.
        what: &'static str,
    },
    /// What an operation did is not what it must do.
    #[error("after {what}: {why}")]
    Differs {
        /// The operation.
        what: &'static str,
        /// What is not as it must be.
        why: String,
    },
    /// The block has no height in the chain.
    #[error("block {0} is higher than blocks can be")]
    Height(u64),
    /// The store failed.
    #[error(transparent)]
    Store(#[from] StoreError),
}

impl SimError {
    /// What makes an error of a refusal that should not have been.
    fn refused(what: &'static str) -> impl Fn(Error) -> SimError {
        move |source| SimError::Refused { what, source: Box::new(source) }
    }
}

/// How many blocks can be taken back.
const DEPTH: u32 = 6;

/// The state before the first block: two tokens on the lists.
///
/// # Errors
/// [`SimError`].
pub fn begin(tx: &mut Tx<'_>, seed: u64) -> Result<(), SimError> {
    let draw = Draw::new(seed, 0);
    let refused = SimError::refused;
    crate::keeper::whitelist(tx, draw.token(0)).map_err(refused("whitelist"))?;
    crate::keeper::blacklist(tx, draw.token(1)).map_err(refused("blacklist"))?;
    Ok(())
}

/// One block of random operations. Heights grow; `begin` comes before the first.
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

/// The time of a block, in nanoseconds: ten minutes each, from 2023 on.
fn clock(height: u32) -> u64 {
    1_700_000_000_000_000_000 + u64::from(height) * 600_000_000_000
}

/// A block that is being run.
struct Block<'b, 'db> {
    tx: &'b mut Tx<'db>,
    draw: Draw,
    height: u32,
    now: u64,
    tally: Tally,
}

impl Block<'_, '_> {
    fn run(&mut self) -> Result<(), SimError> {
        let height = self.height;
        self.valid("begin_block", |tx| undo::begin_block(tx, height))?;
        for _ in 0..self.draw.between(20, 50) {
            self.now += self.draw.between(1, 1_000);
            if self.draw.chance(15) { self.wrong()? } else { self.right()? }
        }
        Ok(())
    }

    /// Takes the last blocks back: others are in the chain.
    fn reorganise(&mut self) -> Result<(), SimError> {
        let depth = u32::try_from(self.draw.between(1, 3)).unwrap_or(1);
        let to = self.height.saturating_sub(1 + depth);
        match undo::rollback_to(self.tx, to) {
            Ok(_) => self.tally.done += 1,
            Err(Error::TooDeep { lowest, .. }) if lowest.is_none_or(|lowest| to < lowest) => {
                self.tally.refused += 1;
            }
            Err(source) => return Err(SimError::refused("rollback_to")(source)),
        }
        Ok(())
    }

    /// Does an operation that is right.
    fn valid<T>(
        &mut self,
        what: &'static str,
        operation: impl FnOnce(&mut Tx<'_>) -> Result<T, Error>,
    ) -> Result<T, SimError> {
        let done = operation(self.tx).map_err(SimError::refused(what))?;
        self.tally.done += 1;
        Ok(done)
    }

    /// Reads what the operation must have changed.
    fn look<T>(
        &self,
        what: &'static str,
        read: impl FnOnce(&Tx<'_>) -> Result<T, Error>,
    ) -> Result<T, SimError> {
        read(self.tx).map_err(SimError::refused(what))
    }
}

/// Something that must hold after an operation.
fn must(what: &'static str, holds: bool, why: impl FnOnce() -> String) -> Result<(), SimError> {
    if holds { Ok(()) } else { Err(SimError::Differs { what, why: why() }) }
}

/// Runs a block, takes it back, and compares every row that it touched with what it was.
fn trial(tx: &mut Tx<'_>, seed: u64, height: u32) -> Result<(), SimError> {
    let store = StoreId::of("txo");
    let checkpoint = tx.checkpoint();
    let draw = Draw::new(!seed, u64::from(height));
    let mut block = Block { tx, draw, height, now: clock(height), tally: Tally::default() };
    block.run()?;
    block.valid("rollback_to", |tx| undo::rollback_to(tx, height - 1))?;
    let touched: Vec<(Vec<u8>, Option<Vec<u8>>)> = tx
        .changes()
        .iter()
        .filter(|change| change.store == store)
        .filter(|change| record::split(change.key).is_ok_and(|record| record.kind != Kind::Queue))
        .map(|change| (change.key.to_vec(), change.value.map(<[u8]>::to_vec)))
        .collect();
    tx.rollback_to(checkpoint)?;
    tx.release(checkpoint)?;
    for (key, value) in touched {
        let before = tx.get(store, &key)?;
        must("rollback_to", before == value, || {
            format!("the row {} is not what it was", key.escape_ascii())
        })?;
    }
    Ok(())
}
