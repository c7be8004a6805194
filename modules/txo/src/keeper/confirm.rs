//! The position of a transaction in the chain.
//!
//! All parts of a transaction have one score: its outputs, its spends, and itself in topics and
//! logs. Operations with a score argument resolve it here. The first score becomes that of the
//! transaction. A later arrival time changes nothing. A position in the chain moves the transaction
//! as [`confirm`] does. No transaction precedes one whose outputs it spends.

use super::{output, spend, transactions};
use crate::{
    error::Error,
    event,
    layout::txo::{EVENTS, LISTED, MerkleState, SPENT_BY, Score, Txid, TxidText},
    score,
    undo::{self, Recorder},
};
use keyscape::store::{Read, Tx};

/// The parts that moved with a transaction.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Moved {
    /// The number of transactions: more than one if spending transactions moved too.
    pub transactions: u64,
    /// The number of outputs.
    pub outputs: u64,
    /// The number of spent outputs.
    pub spends: u64,
    /// The number of entries in topics and logs.
    pub listings: u64,
}

/// Confirms a transaction: its outputs, its spends and itself get their new score in every set, and
/// its outputs the merkle state of a confirmed output. Members of queues are not moved.
///
/// # Errors
/// [`Error::UnknownTransaction`] if the transaction is unknown, [`Error::Final`] if it is final at
/// another position, [`Error::UnconfirmedParent`] if it spends an output of an unconfirmed
/// transaction, [`Error::SpendBeforeOutput`] if it would precede a transaction whose
/// output it spends, or follow one that spends its outputs, [`Error::NoBlock`] if the block has not
/// begun.
pub fn confirm(tx: &mut Tx<'_>, txid: Txid, at: MerkleState) -> Result<Moved, Error> {
    tx.attempt(|tx| {
        check_may_move(tx, txid, Score::Confirmed { at })?;
        check_order(tx, txid, Score::Confirmed { at })?;
        let (moved, _) = move_to(tx, txid, Score::Confirmed { at }, "confirm")?;
        reject_unknown(txid, moved)
    })
}

/// Removes a transaction from its block: it gets the score of its arrival time, in every set. The
/// confirmed transactions that spend its outputs, transitively, are removed from their blocks too.
///
/// # Errors
/// [`Error::UnknownTransaction`] if the transaction is unknown, [`Error::NotConfirmed`] if it is
/// not in a block, [`Error::Final`] if a block can no longer be rolled back.
pub fn unconfirm(tx: &mut Tx<'_>, txid: Txid, nanoseconds: u64) -> Result<Moved, Error> {
    tx.attempt(|tx| {
        let transactions = spend::with_descendants(tx, txid, |spender| is_confirmed(tx, spender))?;
        let mut sum = Moved::default();
        for (index, each) in transactions.into_iter().enumerate() {
            check_may_move(tx, each, score::seen(nanoseconds))?;
            let (moved, was_confirmed) = move_to(tx, each, score::seen(nanoseconds), "unconfirm")?;
            reject_unknown(each, moved)?;
            if index == 0 && !was_confirmed {
                return Err(Error::NotConfirmed(txid));
            }
            sum.transactions += moved.transactions;
            sum.outputs += moved.outputs;
            sum.spends += moved.spends;
            sum.listings += moved.listings;
        }
        Ok(sum)
    })
}

/// Makes the transactions of removed blocks unconfirmed. The caller names every transaction above
/// the new tip, so the order of spends holds afterwards.
pub(crate) fn orphan(tx: &mut Tx<'_>, txids: &[Txid], nanoseconds: u64) -> Result<(), Error> {
    txids
        .iter()
        .try_for_each(|txid| move_to(tx, *txid, score::seen(nanoseconds), "orphan").map(drop))
}

/// Checks that a final transaction stays where it is.
fn check_may_move(read: &impl Read, txid: Txid, to: Score) -> Result<(), Error> {
    if transaction_score(read, txid)? != Some(to) && undo::is_final(read, txid)? {
        return Err(Error::Final(txid));
    }
    Ok(())
}

/// Rejects a transaction of which nothing was found.
fn reject_unknown(txid: Txid, moved: Moved) -> Result<Moved, Error> {
    if moved.transactions == 0 { Err(Error::UnknownTransaction(txid)) } else { Ok(moved) }
}

/// Whether a transaction is in a block.
pub(super) fn is_confirmed(read: &impl Read, txid: Txid) -> Result<bool, Error> {
    Ok(transaction_score(read, txid)?.and_then(score::position).is_some())
}

/// Checks that a transaction with a score follows every transaction whose outputs it spends, and
/// precedes every one that spends its outputs. A confirmed transaction has only confirmed parents.
fn check_order(read: &impl Read, txid: Txid, score: Score) -> Result<(), Error> {
    let at = score::position(score);
    if let Some(at) = at {
        if let Some(last) = undo::tip(read)?.filter(|last| at.height > *last) {
            return Err(Error::NoBlock { height: at.height, last });
        }
        for (outpoint, _) in spend::spent_by(read, txid)? {
            check_follows(read, outpoint.txid, txid, score)?;
        }
    }
    for spender in spend::spenders_of(read, txid)? {
        if let Some(spent) = transaction_score(read, spender)? {
            check_in_order(txid, score, spender, spent)?;
        }
    }
    Ok(())
}

/// Checks that a spending transaction with a score follows a transaction, if that is known.
pub(super) fn check_follows(
    read: &impl Read,
    parent: Txid,
    spender: Txid,
    score: Score,
) -> Result<(), Error> {
    match transaction_score(read, parent)? {
        Some(known) => check_in_order(parent, known, spender, score),
        None => Ok(()),
    }
}

/// Checks the order of a transaction and one that spends its outputs.
fn check_in_order(parent: Txid, output: Score, spender: Txid, spend: Score) -> Result<(), Error> {
    match (is_after(spend, output), score::position(output)) {
        (true, _) => Ok(()),
        (false, None) => Err(Error::UnconfirmedParent { parent, spender }),
        (false, Some(_)) => Err(Error::SpendBeforeOutput { parent, spender }),
    }
}

/// Whether a spend with one score may follow an output with another. Arrival times say nothing: a
/// spending transaction can arrive first.
pub(crate) fn is_after(spend: Score, output: Score) -> bool {
    match (score::position(spend), score::position(output)) {
        (None, _) => true,
        (Some(_), None) => false,
        (Some(spend), Some(output)) => spend > output,
    }
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
    match LISTED.members(TxidText(txid.0)).limit(1).to_vec(read)?.first() {
        Some(listing) => transactions::listing_score(read, listing, txid),
        None => Ok(None),
    }
}

/// Resolves the score of a transaction for an operation with a score argument. A new position in
/// the chain moves the transaction there, as a unit of its own.
pub(super) fn settle(tx: &mut Tx<'_>, txid: Txid, given: Score) -> Result<Score, Error> {
    match (transaction_score(tx, txid)?, score::position(given)) {
        (None, _) => check_order(tx, txid, given).map(|()| given),
        (Some(known), None) => Ok(known),
        (Some(known), Some(_)) if known == given => Ok(given),
        (Some(_), Some(_)) => {
            check_may_move(tx, txid, given)?;
            check_order(tx, txid, given)?;
            move_to(tx, txid, given, "confirm").map(|_| given)
        }
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
        was_confirmed |= before.and_then(score::position).is_some();
    };
    let mut unit = Recorder::begin(tx, operation, txid);
    for outpoint in outputs {
        note(output::score_of(unit.state(), outpoint)?);
        output::put_score(&mut unit, outpoint, score)?;
        moved.outputs += 1;
    }
    for (outpoint, _) in spends {
        note(spend::put_score(&mut unit, outpoint, txid, score)?);
        moved.spends += 1;
    }
    for listing in listings {
        note(transactions::score_listing(&mut unit, &listing, txid, Some(score))?);
        moved.listings += 1;
    }
    unit.finish()?;
    moved.transactions = u64::from(moved != Moved::default());
    Ok((moved, was_confirmed))
}
