//! Where a transaction is.
//!
//! All of a transaction has one score: its outputs, its spends and itself in topics and logs. Operations
//! that are given a score settle it here: the first one is that of the transaction, being seen once more
//! changes nothing, and a place in the chain moves the transaction as [`confirm`] does.

use super::{logs, output, spend, topics};
use crate::{
    error::Error,
    event,
    layout::txo::{EVENTS, LISTED, Listing, MerkleState, SPENT_BY, Score, Txid, TxidText},
    score,
    undo::Recorder,
};
use keyscape::store::{Read, Tx};

/// What moved with a transaction.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Moved {
    /// Its outputs.
    pub outputs: u64,
    /// The outputs that it spends.
    pub spends: u64,
    /// The topics that have applied it and the logs that have it.
    pub listings: u64,
}

/// A transaction is in a block: its outputs, its spends and itself get their new score in every set.
/// Members of queues stay where they are.
///
/// # Errors
/// [`Error::UnknownTransaction`] if nothing is known of it.
pub fn confirm(tx: &mut Tx<'_>, txid: Txid, at: MerkleState) -> Result<Moved, Error> {
    tx.attempt(|tx| move_to(tx, txid, Score::Confirmed { at }, "confirm").map(|(moved, _)| moved))
}

/// A transaction is in no block any more: it has the score of when it was seen, in every set.
///
/// # Errors
/// [`Error::UnknownTransaction`] if nothing is known of it, [`Error::NotConfirmed`] if it is
/// in no block.
pub fn unconfirm(tx: &mut Tx<'_>, txid: Txid, nanoseconds: u64) -> Result<Moved, Error> {
    tx.attempt(|tx| {
        let (moved, was_confirmed) = move_to(tx, txid, score::seen(nanoseconds), "unconfirm")?;
        if was_confirmed { Ok(moved) } else { Err(Error::NotConfirmed(txid)) }
    })
}

/// The score of a transaction: where it is, or when it was seen; `None` if nothing is known of it.
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

/// The score that a transaction has when an operation on it is given one. If that is another place in
/// the chain than it has, the transaction moves there, as a unit of its own.
pub(super) fn settle(tx: &mut Tx<'_>, txid: Txid, given: Score) -> Result<Score, Error> {
    match (transaction_score(tx, txid)?, score::place(given)) {
        (None, _) => Ok(given),
        (Some(known), None) => Ok(known),
        (Some(known), Some(_)) if known == given => Ok(given),
        (Some(_), Some(_)) => move_to(tx, txid, given, "confirm").map(|_| given),
    }
}

/// Moves a transaction, and says whether anything of it was confirmed.
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
