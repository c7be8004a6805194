//! Rolls transactions back.

use super::{Cell, Recorder, Space};
use crate::{
    error::Error,
    keeper::spenders_of,
    layout::{
        txo::{LISTED, OUTPUT, SPENT_BY, Txid, TxidText},
        txo_undo::{FINALS, OF_TXID, ON_TXID, ROWS, UNITS},
    },
    values::{Row, Unit},
};
use keyscape::store::{Read, Tx};
use std::collections::{BTreeMap, BTreeSet};

/// The result of a rollback.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct RolledBack {
    /// The transactions, the requested one first.
    pub transactions: Vec<Txid>,
    /// The number of operations.
    pub units: u64,
}

/// Rolls a transaction back, with every transaction that spends its outputs, transitively: the
/// state is as if none of their operations had been done, see [the module](crate::undo).
///
/// A transaction may have no operation of its own but known spends, because its outputs were never
/// saved. Then the transactions that spend them are rolled back, because they are invalid without
/// it.
///
/// ```
/// # use keyscape::store::{Db, Layout, Memory};
/// # use keyscape_txo::layout::txo;
/// use keyscape_txo::{
///     error::Error,
///     keeper::{NewOutput, save_output, save_spend},
///     layout::txo::{Outpoint, Txid},
///     score, undo,
/// };
///
/// # let db = Db::new(Memory::new(Layout::spaces_of(&[&txo::LAYOUT])?));
/// let (txid, child) = (Txid([7; 32]), Txid([8; 32]));
/// let taken = db.write(|tx| {
///     let at = Outpoint { txid, vout: 0 };
///     save_output(tx, &NewOutput::new(at, 500, score::seen(1)))?;
///     save_spend(tx, at, child, score::seen(2))?;
///     undo::rollback(tx, txid) // it was never confirmed
/// })?;
/// assert_eq!(taken.transactions, [txid, child]);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # Errors
/// [`Error::UnknownTransaction`] if the transaction is unknown, [`Error::Final`] if one of the
/// transactions has a pruned operation, or was imported without its operations.
pub fn rollback(tx: &mut Tx<'_>, txid: Txid) -> Result<RolledBack, Error> {
    tx.attempt(|tx| {
        let (transactions, units) = falling(tx, txid)?;
        let mut recorder = Recorder::begin(tx, "rollback", None);
        for (number, owner) in units.iter().rev() {
            for row in rows_of(recorder.state(), *number)?.into_iter().rev() {
                let (cell, before) = cell_of(*number, row)?;
                recorder.set(cell, before.as_deref())?;
            }
            for parent in parents(*number, &unit_of(recorder.state(), *number)?)? {
                recorder.set(Cell::on_txid(parent, *number)?, None)?;
            }
            recorder.set(Cell::of_txid(*owner, *number)?, None)?;
        }
        recorder.finish()?;
        // Rows that are left had no unit: they were imported, for example.
        for txid in &transactions {
            if is_known(tx, *txid)? {
                return Err(Error::Final(*txid));
            }
        }
        if units.is_empty() {
            return Err(Error::UnknownTransaction(txid));
        }
        Ok(RolledBack { transactions, units: units.len() as u64 })
    })
}

/// Returns the transactions that are rolled back with one, and their units with the transaction of
/// each. A work list replaces recursion, because chains of transactions are long.
fn falling(read: &impl Read, txid: Txid) -> Result<(Vec<Txid>, BTreeMap<u64, Txid>), Error> {
    let (mut order, mut units) = (vec![txid], BTreeMap::new());
    let mut seen = BTreeSet::from([txid]);
    let mut next = 0;
    while let Some(current) = order.get(next).copied() {
        next += 1;
        if FINALS.contains(read, current.0)? {
            return Err(Error::Final(current));
        }
        let mut own = OF_TXID.scan_txid(read, current.0)?;
        while let Some(row) = own.next()? {
            units.insert(row.key.unit, current);
        }
        let mut spends = ON_TXID.scan_txid(read, current.0)?;
        while let Some(row) = spends.next()? {
            let unit = row.key.unit;
            let why = "it spends outputs and belongs to no transaction";
            let owner = owner(unit, &unit_of(read, unit)?)?;
            let owner = owner.ok_or(Error::CorruptUndo { unit, why })?;
            if seen.insert(owner) {
                order.push(owner);
            }
        }
        // Spenders with pruned units are found through their spends.
        for spender in spenders_of(read, current)? {
            if seen.insert(spender) {
                order.push(spender);
            }
        }
    }
    Ok((order, units))
}

/// Whether a transaction has outputs, spends outputs, or is listed.
fn is_known(read: &impl Read, txid: Txid) -> Result<bool, Error> {
    let text = TxidText(txid.0);
    Ok(OUTPUT.prefix_outpoint_txid(txid).structures(read)?.next()?.is_some()
        || SPENT_BY.exists(read, text)?
        || LISTED.exists(read, text)?)
}

pub(super) fn unit_of(read: &impl Read, unit: u64) -> Result<Unit, Error> {
    UNITS.get(read, unit)?.ok_or(Error::CorruptUndo { unit, why: "it is not there" })
}

/// Returns the rows that a unit changed, in order.
pub(super) fn rows_of(read: &impl Read, unit: u64) -> Result<Vec<Row>, Error> {
    let mut rows = Vec::new();
    let mut scan = ROWS.scan_unit(read, unit)?;
    while let Some(row) = scan.next()? {
        rows.push(row.value()?);
    }
    Ok(rows)
}

/// Returns the address of a row, and the value to restore.
pub(super) fn cell_of(unit: u64, row: Row) -> Result<(Cell, Option<Vec<u8>>), Error> {
    let Row { space, structure, member, before } = row;
    let why = "one of its rows is of no keyspace";
    let space = Space::of(space).ok_or(Error::CorruptUndo { unit, why })?;
    Ok((Cell { space, structure, member }, before))
}

/// Returns the transaction of a unit.
pub(super) fn owner(number: u64, unit: &Unit) -> Result<Option<Txid>, Error> {
    if unit.txid.is_empty() { Ok(None) } else { txid_of(number, &unit.txid).map(Some) }
}

/// Returns the transactions whose outputs a unit spends.
pub(super) fn parents(number: u64, unit: &Unit) -> Result<Vec<Txid>, Error> {
    unit.on.iter().map(|txid| txid_of(number, txid)).collect()
}

fn txid_of(unit: u64, bytes: &[u8]) -> Result<Txid, Error> {
    let why = "one of its transaction ids has not 32 bytes";
    bytes.try_into().map(Txid).map_err(|_| Error::CorruptUndo { unit, why })
}
