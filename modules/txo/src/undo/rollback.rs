//! Rolls transactions back.

use super::{blocks::floor, recorder::restore};
use crate::{
    error::Error,
    keeper::{
        admission, dependents_of, erase, outputs_of, remove_released, transaction_score,
        unapply_released, with_descendants,
    },
    layout::{
        txo::{Dependent, Name, Outpoint, Txid},
        txo_undo::{OF_TXID, ROWS, UNITS},
    },
    score,
    values::{Row, Unit},
};
use keyscape::store::{Read, Tx};
use std::collections::BTreeSet;

/// The result of a rollback.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct RolledBack {
    /// The rolled-back transactions, the requested one first.
    pub transactions: Vec<Txid>,
    /// The outputs of other transactions that topics no longer admit, because they depended on a
    /// transaction that was rolled back.
    pub released: Vec<(Name<'static>, Outpoint)>,
    /// The number of operations that were undone.
    pub units: u64,
}

/// Rolls back a transaction and, transitively, every transaction that spends its outputs.
/// Afterwards the state is as if none of their operations had happened, see [the
/// module](crate::undo).
///
/// An output that a topic admitted with a dependency on one of these transactions leaves the topic.
/// If the topic has applied the transaction of that output, the transaction leaves the topic with
/// all its outputs. Outputs that depend on the transaction, or consume its outputs in the topic,
/// leave as well. Their transactions stay known, because they are valid without the topic.
///
/// A transaction whose outputs were never saved may have no operation of its own, but known spends.
/// In that case, the transactions that spend its outputs are rolled back, because they are invalid
/// without it.
///
/// ```
/// # use keyscape_txo::layout::txo;
/// use keyscape_txo::{
///     error::Error,
///     keeper::{NewOutput, save_output, save_spend},
///     layout::txo::{Outpoint, Txid},
///     score, undo,
/// };
///
/// # let db = keyscape::memory(&txo::LAYOUT)?;
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
/// transactions is final.
pub fn rollback(tx: &mut Tx<'_>, txid: Txid) -> Result<RolledBack, Error> {
    tx.attempt(|tx| {
        let transactions = with_descendants(tx, txid, |_| Ok(true))?;
        let mut units = BTreeSet::new();
        for txid in &transactions {
            if is_final(tx, *txid)? {
                return Err(Error::Final(*txid));
            }
            let mut own = OF_TXID.scan_txid(tx, txid.0)?;
            while let Some(row) = own.next_row()? {
                units.insert(row.key.unit);
            }
        }
        for unit in units.iter().rev() {
            undo(tx, *unit)?;
        }
        // The units of old blocks are pruned, and an imported state has no units.
        let mut is_known = !units.is_empty();
        for txid in &transactions {
            is_known |= erase(tx, *txid)?;
        }
        if !is_known {
            return Err(Error::UnknownTransaction(txid));
        }
        let released = release(tx, &transactions)?;
        Ok(RolledBack { transactions, released, units: units.len() as u64 })
    })
}

/// Whether a transaction is final: its block can no longer be rolled back. Before the first block
/// begins, every confirmed transaction is final. An unconfirmed transaction is never final.
///
/// # Errors
/// If the store fails.
pub fn is_final(read: &impl Read, txid: Txid) -> Result<bool, Error> {
    match transaction_score(read, txid)?.and_then(score::position) {
        Some(at) => Ok(floor(read)?.is_none_or(|floor| at.height < floor)),
        None => Ok(false),
    }
}

/// A transaction or an output that a topic has lost.
struct Lost {
    txid: Txid,
    /// The topic; `None` for all topics.
    topic: Option<Name<'static>>,
    /// The output; `None` for the whole transaction.
    output: Option<Outpoint>,
}

/// Removes the outputs that depend on erased transactions from their topics, transitively.
fn release(tx: &mut Tx<'_>, erased: &[Txid]) -> Result<Vec<(Name<'static>, Outpoint)>, Error> {
    let mut released = Vec::new();
    let erased = erased.iter().map(|txid| Lost { txid: *txid, topic: None, output: None });
    let mut work: Vec<Lost> = erased.collect();
    while let Some(lost) = work.pop() {
        for Dependent { topic, outpoint } in dependents_of(tx, lost.txid)? {
            let is_elsewhere = lost.topic.as_ref().is_some_and(|of| *of != topic);
            if is_elsewhere || !needs(tx, &topic, outpoint, lost.output)? {
                continue;
            }
            work.extend(leave(tx, topic, outpoint, &mut released)?);
        }
    }
    Ok(released)
}

/// Whether an admitted output depends on the lost transaction, or consumes a lost output.
fn needs(
    read: &impl Read,
    topic: &Name<'_>,
    outpoint: Outpoint,
    lost: Option<Outpoint>,
) -> Result<bool, Error> {
    let Some(lost) = lost else { return Ok(true) };
    Ok(admission(read, topic, outpoint)?.is_some_and(|own| own.inputs.contains(&lost)))
}

/// Removes an output from a topic. A transaction that the topic has applied leaves as a whole, so
/// no output stays admitted without its transaction. Returns the output or transaction that the
/// topic has lost.
fn leave(
    tx: &mut Tx<'_>,
    topic: Name<'static>,
    outpoint: Outpoint,
    released: &mut Vec<(Name<'static>, Outpoint)>,
) -> Result<Option<Lost>, Error> {
    let txid = outpoint.txid;
    let was_applied = unapply_released(tx, &topic, txid)?;
    let outputs = if was_applied { outputs_of(tx, txid)? } else { vec![outpoint] };
    let mut has_left = was_applied;
    for output in outputs {
        if remove_released(tx, &topic, output)? {
            released.push((topic.clone(), output));
            has_left = true;
        }
    }
    let output = (!was_applied).then_some(outpoint);
    Ok(has_left.then_some(Lost { txid, topic: Some(topic), output }))
}

/// Restores the rows that a unit changed, and deletes the unit.
pub(super) fn undo(tx: &mut Tx<'_>, unit: u64) -> Result<(), Error> {
    for row in rows_of(tx, unit)?.iter().rev() {
        restore(tx, unit, row)?;
    }
    forget(tx, unit)
}

/// Deletes the data of a unit.
pub(super) fn forget(tx: &mut Tx<'_>, number: u64) -> Result<(), Error> {
    if let Some(txid) = owner(number, &unit_of(tx, number)?)? {
        OF_TXID.delete(tx, (txid.0, number))?;
    }
    ROWS.prefix_unit(number).delete(tx)?;
    Ok(UNITS.delete(tx, number)?)
}

pub(super) fn unit_of(read: &impl Read, unit: u64) -> Result<Unit, Error> {
    UNITS.get(read, unit)?.ok_or_else(|| Error::corrupt_unit(unit, "it is missing"))
}

/// Returns the rows that a unit changed, in order.
fn rows_of(read: &impl Read, unit: u64) -> Result<Vec<Row>, Error> {
    let mut rows = Vec::new();
    let mut scan = ROWS.scan_unit(read, unit)?;
    while let Some(row) = scan.next_row()? {
        rows.push(row.value()?);
    }
    Ok(rows)
}

/// Returns the transaction of a unit.
pub(super) fn owner(unit: u64, data: &Unit) -> Result<Option<Txid>, Error> {
    let why = "its transaction id does not have 32 bytes";
    match &*data.txid {
        [] => Ok(None),
        bytes => {
            let txid = bytes.try_into().map(Txid);
            txid.map(Some).map_err(|_| Error::corrupt_unit(unit, why))
        }
    }
}
