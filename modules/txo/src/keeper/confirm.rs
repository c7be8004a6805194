//! The position of a transaction in the chain.
//!
//! All parts of a transaction have one score: its outputs, its spends, and itself in topics and
//! logs. Operations with a score argument resolve it here. The first score becomes that of the
//! transaction. A later arrival time changes nothing. A position in the chain moves the transaction
//! as [`confirm`] does.

use super::{logs, output, spend, topics};
use crate::{
    error::Error,
    event,
    layout::txo::{EVENTS, LISTED, Listing, MerkleState, SPENT_BY, Score, Txid, TxidText},
    score,
    undo::Recorder,
};
use keyscape::store::{Read, Tx};

/// The parts that moved with a transaction.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Moved {
    /// The number of its outputs.
    pub outputs: u64,
    /// The number of outputs that it spends.
    pub spends: u64,
    /// The number of topics and logs that list it.
    pub listings: u64,
}

/// Confirms a transaction: its outputs, its spends and itself get their new score in every set.
/// Members of queues are not moved.
///
/// # Errors
/// [`Error::UnknownTransaction`] if the transaction is unknown.
pub fn confirm(tx: &mut Tx<'_>, txid: Txid, at: MerkleState) -> Result<Moved, Error> {
    tx.attempt(|tx| move_to(tx, txid, Score::Confirmed { at }, "confirm").map(|(moved, _)| moved))
}

/// Removes a transaction from its block: it gets the score of its arrival time, in every set.
///
/// # Errors
/// [`Error::UnknownTransaction`] if the transaction is unknown, [`Error::NotConfirmed`] if it is
/// not in a block.
pub fn unconfirm(tx: &mut Tx<'_>, txid: Txid, nanoseconds: u64) -> Result<Moved, Error> {
    tx.attempt(|tx| {
        let (moved, was_confirmed) = move_to(tx, txid, score::seen(nanoseconds), "unconfirm")?;
        if was_confirmed { Ok(moved) } else { Err(Error::NotConfirmed(txid)) }
    })
}

/// Returns the score of a transaction: its position in the chain or its arrival time; `None` if it
/// is unknown.
///
/// # Errors
/// If the store fails.
pub fn transaction_score(read: &impl Read, txid: Txid) -> Result<Option<Score>, Error> {
    let outputs = EVENTS.members(event::txid(txid)).limit(1).to_vec(read)?;
    if let Some(output) = outputs.first() {
        return Ok(Some(output.score));
    }
    let spends = SPENT_BY.members(TxidText(txid.0)).limit(1).to_vec(read)?;
    if let Some(spend) = spends.first() {
        return Ok(Some(spend.score));
    }
    match LISTED.members(TxidText(txid.0)).limit(1).to_vec(read)?.pop() {
        Some(Listing::Topic { topic }) => topics::applied(read, &topic, txid),
        Some(Listing::Log { log }) => logs::logged(read, &log, txid),
        None => Ok(None),
    }
}

/// Resolves the score of a transaction for an operation with a score argument. A new position in
/// the chain moves the transaction there, as a unit of its own.
pub(super) fn settle(tx: &mut Tx<'_>, txid: Txid, given: Score) -> Result<Score, Error> {
    match (transaction_score(tx, txid)?, score::place(given)) {
        (None, _) => Ok(given),
        (Some(known), None) => Ok(known),
        (Some(known), Some(_)) if known == given => Ok(given),
        (Some(_), Some(_)) => move_to(tx, txid, given, "confirm").map(|_| given),
    }
}

/// Moves a transaction, and returns whether any part of it was confirmed.
fn move_to(
    tx: &mut Tx<'_>,
    txid: Txid,
    score: Score,
    operation: &'static str,
) -> Result<(Moved, bool), Error> {
    let outputs = output::outputs_of(tx, txid)?;
    let spends = spend::spent_by(tx, txid)?;
    let listings = LISTED.members(TxidText(txid.0)).to_vec(tx)?;
    let mut moved = Moved::default();
    let mut was_confirmed = false;
    let mut note = |before: Option<Score>| {
        was_confirmed |= before.and_then(score::place).is_some();
    };
    let mut unit = Recorder::begin(tx, operation, txid);
    for outpoint in outputs {
        note(output::score_of(unit.state(), outpoint)?);
        output::place(&mut unit, outpoint, score)?;
        moved.outputs += 1;
    }
    for (outpoint, _) in spends {
        note(spend::place(&mut unit, outpoint, txid, score)?);
        moved.spends += 1;
    }
    for listing in listings {
        note(match listing {
            Listing::Topic { topic } => {
                unit.score(topics::applied_cell(&topic, txid)?, Some(score))?
            }
            Listing::Log { log } => unit.score(logs::cell(&log, txid)?, Some(score))?,
        });
        moved.listings += 1;
    }
    unit.finish()?;
    if moved == Moved::default() {
        return Err(Error::UnknownTransaction(txid));
    }
    Ok((moved, was_confirmed))
}
