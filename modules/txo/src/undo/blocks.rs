//! Where blocks begin, going back to one, and forgetting old ones.

use super::rollback::{cell_of, owner, parents, rows_of, unit_of};
use crate::{
    error::Error,
    layout::txo_undo::{BLOCKS, FINALS, FLOOR, NEXT_UNIT, OF_TXID, ON_TXID, ROWS, UNITS},
};
use keyscape::store::{Read, Tx};
use std::ops::RangeBounds;

/// Begins a block: what is done from now on is taken back with it. What there was before the first block
/// begins, an imported state for instance, is not taken back by [`rollback_to`].
///
/// ```
/// # use keyscape::store::{Db, Layout, Memory};
/// # use keyscape_txo::layout::txo;
/// use keyscape_txo::{error::Error, undo};
///
/// # let db = Db::new(Memory::new(Layout::spaces_of(&[&txo::LAYOUT])?));
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
/// [`Error::BlockOrder`] if this block or a higher one has begun.
pub fn begin_block(tx: &mut Tx<'_>, height: u32) -> Result<(), Error> {
    tx.attempt(|tx| {
        let floor = floor(tx)?;
        let lowest = floor.and_then(|floor| floor.checked_sub(1));
        if let Some(last) = block(tx)?.max(lowest).filter(|last| height <= *last) {
            return Err(Error::BlockOrder { height, last });
        }
        if FLOOR.get(tx)?.is_none() {
            FLOOR.put(tx, floor.unwrap_or(height))?;
        }
        let unit = NEXT_UNIT.peek(tx)?;
        Ok(BLOCKS.put(tx, height, unit)?)
    })
}

/// The lowest block whose operations are all kept; `None` if no block has begun. It is the first
/// block where no row says so.
fn floor(read: &impl Read) -> Result<Option<u32>, Error> {
    let stated = FLOOR.get(read)?;
    Ok(match stated {
        Some(floor) => Some(floor),
        None => BLOCKS.prefix_all().first(read)?.map(|(key, _)| key.height),
    })
}

/// The block that has begun last.
///
/// # Errors
/// If the store fails.
pub fn block(read: &impl Read) -> Result<Option<u32>, Error> {
    Ok(BLOCKS.prefix_all().reverse().first(read)?.map(|(key, _)| key.height))
}

/// Goes back to the state at the end of a block: everything that was done since the first higher
/// block began is taken back, transactions that are in no block included. Returns how many operations
/// that were. See [the module](crate::undo) for what queues keep.
///
/// ```
/// # use keyscape::store::{Db, Layout, Memory};
/// # use keyscape_txo::layout::txo;
/// use keyscape_txo::{
///     error::Error,
///     keeper::{NewOutput, output, save_output},
///     layout::txo::{Outpoint, Txid},
///     score, undo,
/// };
///
/// # let db = Db::new(Memory::new(Layout::spaces_of(&[&txo::LAYOUT])?));
/// let at = Outpoint { txid: Txid([7; 32]), vout: 0 };
/// db.write(|tx| {
///     undo::begin_block(tx, 850_000)?;
///     save_output(tx, &NewOutput::new(at, 500, score::confirmed(850_000, 3)))?;
///     // Another block 850000 is in the chain.
///     assert_eq!(undo::rollback_to(tx, 849_999)?, 1);
///     assert!(output(tx, at)?.is_none());
///     assert!(matches!(undo::rollback_to(tx, 849_998), Err(Error::TooDeep { .. })));
///     Ok::<(), Error>(())
/// })?;
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # Errors
/// [`Error::TooDeep`] if what was done since then is not kept: it was forgotten, or lies before
/// the first block that has begun, or none has begun at all.
pub fn rollback_to(tx: &mut Tx<'_>, height: u32) -> Result<u64, Error> {
    tx.attempt(|tx| {
        let Some(floor) = floor(tx)? else {
            return Err(Error::TooDeep { height, lowest: None });
        };
        let lowest = floor.saturating_sub(1);
        if height < lowest {
            return Err(Error::TooDeep { height, lowest: Some(lowest) });
        }
        let Some(above) = height.checked_add(1) else { return Ok(0) };
        let marks = BLOCKS.prefix_all().range(above..);
        let Some((_, first)) = marks.first(tx)? else { return Ok(0) };
        let units = numbers(tx, first..)?;
        for unit in units.iter().rev() {
            for row in rows_of(tx, *unit)?.into_iter().rev() {
                let (cell, before) = cell_of(*unit, row)?;
                cell.replace(tx, before.as_deref())?;
            }
            forget(tx, *unit, false)?;
        }
        marks.delete(tx)?;
        Ok(units.len() as u64)
    })
}

/// Forgets what was done in blocks below `below`, and returns how many operations that were. Afterwards
/// the lowest block to go back to is `below - 1`, and the transactions of those operations
/// are final. Nothing is forgotten unless `below` or a higher block has begun.
///
/// ```
/// # use keyscape::store::{Db, Layout, Memory};
/// # use keyscape_txo::layout::txo;
/// use keyscape_txo::{
///     error::Error,
///     keeper::{NewOutput, save_output},
///     layout::txo::{Outpoint, Txid},
///     score, undo,
/// };
///
/// # let db = Db::new(Memory::new(Layout::spaces_of(&[&txo::LAYOUT])?));
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
        let kept = BLOCKS.prefix_all().range(below..);
        let Some((_, first)) = kept.first(tx)? else { return Ok(0) };
        let units = numbers(tx, ..first)?;
        for unit in &units {
            forget(tx, *unit, true)?;
        }
        BLOCKS.prefix_all().range(..below).delete(tx)?;
        if FLOOR.get(tx)?.is_none_or(|floor| floor < below) {
            FLOOR.put(tx, below)?;
        }
        Ok(units.len() as u64)
    })
}

/// The units whose numbers lie in a range, oldest first.
fn numbers(read: &impl Read, range: impl RangeBounds<u64>) -> Result<Vec<u64>, Error> {
    let mut units = Vec::new();
    let mut scan = UNITS.prefix_all().range(range).scan(read)?;
    while let Some(row) = scan.next()? {
        units.push(row.key.unit);
    }
    Ok(units)
}

/// Deletes what is kept of a unit. If what it did stays done, its transaction is final.
fn forget(tx: &mut Tx<'_>, number: u64, stays: bool) -> Result<(), Error> {
    let unit = unit_of(tx, number)?;
    if let Some(txid) = owner(number, &unit)? {
        // It is not listed if a rollback took it back.
        if stays && OF_TXID.contains(tx, (txid.0, number))? {
            FINALS.put(tx, txid.0, ())?;
        }
        OF_TXID.delete(tx, (txid.0, number))?;
    }
    for parent in parents(number, &unit)? {
        ON_TXID.delete(tx, (parent.0, number))?;
    }
    ROWS.prefix_unit(number).delete(tx)?;
    Ok(UNITS.delete(tx, number)?)
}
