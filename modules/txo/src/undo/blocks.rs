//! Begins blocks, rolls back to a block, and prunes old ones.

use super::rollback::{forget, owner, undo, unit_of};
use crate::{
    error::Error,
    keeper::{each_transaction, orphan, transaction_score},
    layout::{
        txo::Txid,
        txo_undo::{BLOCKS, FLOOR, NEXT_UNIT, UNITS},
    },
    score,
};
use keyscape::store::{Read, Tx};
use std::{collections::BTreeSet, ops::RangeBounds};

/// Begins a block. Later operations are rolled back together with the block. [`rollback_to`] does
/// not roll back the state before the first block, such as an imported state.
///
/// ```
/// # use keyscape_txo::layout::txo;
/// use keyscape_txo::{error::Error, undo};
///
/// # let db = keyscape::memory(&txo::LAYOUT)?;
/// db.write(|tx| {
///     undo::begin_block(tx, 850_000)?;
///     undo::begin_block(tx, 850_001)?;
///     assert!(matches!(undo::begin_block(tx, 850_001), Err(Error::BlockOrder { .. })));
///     assert_eq!(undo::block(tx)?, Some(850_001));
///     Ok::<(), Error>(())
/// })?;
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # Errors
/// [`Error::BlockOrder`] if this block or a higher one has begun, or if a transaction was confirmed
/// at this height or above before the first block began.
pub fn begin_block(tx: &mut Tx<'_>, height: u32) -> Result<(), Error> {
    tx.attempt(|tx| {
        let floor = floor(tx)?;
        // Before the first block, transactions are confirmed at any height, and the highest is not
        // recorded.
        let last = if floor.is_some() { tip(tx)? } else { highest(tx)? };
        if let Some(last) = last.filter(|last| height <= *last) {
            return Err(Error::BlockOrder { height, last });
        }
        if FLOOR.get(tx)?.is_none() {
            FLOOR.put(tx, floor.unwrap_or(height))?;
        }
        let unit = NEXT_UNIT.peek(tx)?;
        Ok(BLOCKS.put(tx, height, unit)?)
    })
}

/// Returns the highest block with a confirmed transaction. Reads all transactions.
fn highest(read: &impl Read) -> Result<Option<u32>, Error> {
    let mut highest = None;
    each_transaction(read, |_, score| {
        highest = highest.max(score::position(score).map(|at| at.height));
        Ok(())
    })?;
    Ok(highest)
}

/// Returns the highest block in which a transaction can be confirmed: the last block that has
/// begun, or the block below the lowest one that can be rolled back. Returns `None` if no block has
/// ever begun; then transactions can be confirmed at any height.
pub(crate) fn tip(read: &impl Read) -> Result<Option<u32>, Error> {
    match block(read)? {
        Some(last) => Ok(Some(last)),
        None => Ok(FLOOR.get(read)?.map(|floor| floor.saturating_sub(1))),
    }
}

/// Returns the lowest block with all its undo data; `None` if no block has begun. If no row is
/// stored, the first block is the lowest.
pub(super) fn floor(read: &impl Read) -> Result<Option<u32>, Error> {
    let stated = FLOOR.get(read)?;
    Ok(match stated {
        Some(floor) => Some(floor),
        None => BLOCKS.prefix_all().first(read)?.map(|(key, _)| key.height),
    })
}

/// Returns the last block that has begun.
///
/// # Errors
/// If the store fails.
pub fn block(read: &impl Read) -> Result<Option<u32>, Error> {
    Ok(BLOCKS.prefix_all().reverse().first(read)?.map(|(key, _)| key.height))
}

/// The result of a reorganisation.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Reorganised {
    /// The transactions of the removed blocks, which are unconfirmed now.
    pub orphaned: Vec<Txid>,
    /// The number of removed blocks.
    pub blocks: u64,
}

/// Removes the blocks above a height, as in a reorganisation of the chain. Their transactions
/// become unconfirmed, with the arrival time `nanoseconds`. The transactions stay known with their
/// outputs and spends. The progress of sources is reset to the end of block `height`. Decisions of
/// operators and the times of peers do not belong to a block and stay.
///
/// ```
/// # use keyscape_txo::layout::txo;
/// use keyscape_txo::{
///     error::Error,
///     keeper::{NewOutput, output, save_output},
///     layout::txo::{Outpoint, Txid},
///     score, undo,
/// };
///
/// # let db = keyscape::memory(&txo::LAYOUT)?;
/// let at = Outpoint { txid: Txid([7; 32]), vout: 0 };
/// db.write(|tx| {
///     undo::begin_block(tx, 850_000)?;
///     save_output(tx, &NewOutput::new(at, 500, score::confirmed(850_000, 3)))?;
///     // The chain contains another block 850000.
///     assert_eq!(undo::rollback_to(tx, 849_999, 17)?.orphaned, [at.txid]);
///     assert_eq!(output(tx, at)?.map(|output| output.score), Some(score::seen(17)));
///     assert!(matches!(undo::rollback_to(tx, 849_998, 17), Err(Error::TooDeep { .. })));
///     Ok::<(), Error>(())
/// })?;
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # Errors
/// [`Error::TooDeep`] if the undo data above `height` is missing: it was pruned, the height
/// precedes the first block, or no block has begun.
pub fn rollback_to(tx: &mut Tx<'_>, height: u32, nanoseconds: u64) -> Result<Reorganised, Error> {
    tx.attempt(|tx| {
        let Some(floor) = floor(tx)? else {
            return Err(Error::TooDeep { height, lowest: None });
        };
        let lowest = floor.saturating_sub(1);
        if height < lowest {
            return Err(Error::TooDeep { height, lowest: Some(lowest) });
        }
        let Some(above) = height.checked_add(1) else { return Ok(Reorganised::default()) };
        let marks = BLOCKS.prefix_all().range(above..);
        let Some((_, first)) = marks.first(tx)? else { return Ok(Reorganised::default()) };
        let mut owners = BTreeSet::new();
        for unit in numbers(tx, first..)?.into_iter().rev() {
            match owner(unit, &unit_of(tx, unit)?)? {
                Some(txid) => drop(owners.insert(txid)),
                // A unit without a transaction records only the progress of sources.
                None => undo(tx, unit)?,
            }
        }
        let blocks = marks.delete(tx)?;
        let mut orphaned = Vec::new();
        for txid in owners {
            let at = transaction_score(tx, txid)?.and_then(score::position);
            if at.is_some_and(|at| at.height > height) {
                orphaned.push(txid);
            }
        }
        orphan(tx, &orphaned, nanoseconds)?;
        Ok(Reorganised { orphaned, blocks })
    })
}

/// Deletes the undo data of blocks below `below`, and returns the number of deleted operations.
/// Afterwards `below - 1` is the lowest block for a rollback, and the transactions in lower blocks
/// are final. Does nothing unless `below` or a higher block has begun.
///
/// ```
/// # use keyscape_txo::layout::txo;
/// use keyscape_txo::{
///     error::Error,
///     keeper::{NewOutput, save_output},
///     layout::txo::{Outpoint, Txid},
///     score, undo,
/// };
///
/// # let db = keyscape::memory(&txo::LAYOUT)?;
/// let txid = Txid([7; 32]);
/// db.write(|tx| {
///     undo::begin_block(tx, 850_000)?;
///     let at = Outpoint { txid, vout: 0 };
///     save_output(tx, &NewOutput::new(at, 500, score::confirmed(850_000, 3)))?;
///     undo::begin_block(tx, 850_001)?;
///     assert_eq!(undo::prune(tx, 850_001)?, 1);
///     assert!(matches!(undo::rollback(tx, txid), Err(Error::Final(_))));
///     Ok::<(), Error>(())
/// })?;
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # Errors
/// If the store fails.
pub fn prune(tx: &mut Tx<'_>, below: u32) -> Result<u64, Error> {
    tx.attempt(|tx| {
        let remaining = BLOCKS.prefix_all().range(below..);
        let Some((_, first)) = remaining.first(tx)? else { return Ok(0) };
        let units = numbers(tx, ..first)?;
        for unit in &units {
            forget(tx, *unit)?;
        }
        BLOCKS.prefix_all().range(..below).delete(tx)?;
        if FLOOR.get(tx)?.is_none_or(|floor| floor < below) {
            FLOOR.put(tx, below)?;
        }
        Ok(units.len() as u64)
    })
}

/// Returns the units with numbers in a range, oldest first.
fn numbers(read: &impl Read, range: impl RangeBounds<u64>) -> Result<Vec<u64>, Error> {
    let mut units = Vec::new();
    let mut scan = UNITS.prefix_all().range(range).scan(read)?;
    while let Some(row) = scan.next_row()? {
        units.push(row.key.unit);
    }
    Ok(units)
}
