//! Logs of transactions, all known transactions, and the deletion of one.

use super::{confirm, output, spend, topics};
use crate::{
    error::Error,
    layout::txo::{
        EVENTS, Event, LISTED, LOGS, Listing, LogName, OUTPUT, SATOSHIS_AMOUNT, SPENDS_SPENDER,
        SPENT, SPENT_BY, Score, TOPIC_TXS, Txid, TxidText,
    },
    undo::Recorder,
};
use keyscape::store::{Read, Tx};

/// Adds a transaction to a log. It gets its score as an output does in
/// [`save_output`](super::save_output). Returns whether it is new there.
///
/// # Errors
/// If the store fails.
pub fn log(tx: &mut Tx<'_>, log: &LogName<'_>, txid: Txid, score: Score) -> Result<bool, Error> {
    let before = set_listing(tx, "log", &Listing::Log { log: log.into() }, txid, Some(score))?;
    Ok(before.is_none())
}

/// Removes a transaction from a log. Returns whether it was there.
///
/// # Errors
/// If the store fails.
pub fn unlog(tx: &mut Tx<'_>, log: &LogName<'_>, txid: Txid) -> Result<bool, Error> {
    let before = set_listing(tx, "unlog", &Listing::Log { log: log.into() }, txid, None)?;
    Ok(before.is_some())
}

/// Returns the score of a transaction in a log; `None` if the log does not contain it.
///
/// # Errors
/// If the store fails.
pub fn logged(read: &impl Read, log: &LogName<'_>, txid: Txid) -> Result<Option<Score>, Error> {
    Ok(LOGS.score(read, log, txid)?)
}

/// Adds a transaction to a topic or a log, or removes it if no score is given. Returns its previous
/// score there.
pub(super) fn set_listing(
    tx: &mut Tx<'_>,
    operation: &'static str,
    listing: &Listing<'_>,
    txid: Txid,
    score: Option<Score>,
) -> Result<Option<Score>, Error> {
    tx.attempt(|tx| {
        let score = score.map(|score| confirm::settle(tx, txid, score)).transpose()?;
        let mut unit = Recorder::begin(tx, operation, txid);
        let before = put_listing(&mut unit, listing, txid, score)?;
        unit.finish()?;
        Ok(before)
    })
}

/// Writes or deletes the score of a transaction in a topic or a log, and the entry in the
/// transaction's own list. Returns the previous score.
pub(super) fn put_listing(
    unit: &mut Recorder<'_, '_>,
    listing: &Listing<'_>,
    txid: Txid,
    score: Option<Score>,
) -> Result<Option<Score>, Error> {
    unit.member(&LISTED, TxidText(txid.0), listing, score.is_some())?;
    score_listing(unit, listing, txid, score)
}

/// Writes or deletes the score of a transaction in a topic or a log. Returns the previous score.
pub(super) fn score_listing(
    unit: &mut Recorder<'_, '_>,
    listing: &Listing<'_>,
    txid: Txid,
    score: Option<Score>,
) -> Result<Option<Score>, Error> {
    match listing {
        Listing::Topic { topic } => unit.score(&TOPIC_TXS, topic, txid, score),
        Listing::Log { log } => unit.score(&LOGS, log, txid, score),
    }
}

/// Returns the score of a transaction in a topic or a log.
pub(crate) fn listing_score(
    read: &impl Read,
    listing: &Listing<'_>,
    txid: Txid,
) -> Result<Option<Score>, Error> {
    match listing {
        Listing::Topic { topic } => topics::applied(read, topic, txid),
        Listing::Log { log } => logged(read, log, txid),
    }
}

/// Visits every known transaction once, with its score.
pub(crate) fn each_transaction(
    read: &impl Read,
    mut visit: impl FnMut(Txid, Score) -> Result<(), Error>,
) -> Result<(), Error> {
    let mut events = EVENTS.prefix_all().structures(read)?;
    while let Some(key) = events.next_key()? {
        if let Event::Txid { txid: TxidText(txid) } = key.event {
            each(read, Txid(txid), &mut visit)?;
        }
    }
    let has_outputs = |txid| Ok::<_, Error>(!output::outputs_of(read, txid)?.is_empty());
    let mut spends = SPENT_BY.prefix_all().structures(read)?;
    while let Some(key) = spends.next_key()? {
        let txid = Txid(key.txid.0);
        if !has_outputs(txid)? {
            each(read, txid, &mut visit)?;
        }
    }
    let mut listed = LISTED.prefix_all().structures(read)?;
    while let Some(key) = listed.next_key()? {
        let txid = Txid(key.txid.0);
        if !has_outputs(txid)? && spend::spent_by(read, txid)?.is_empty() {
            each(read, txid, &mut visit)?;
        }
    }
    Ok(())
}

fn each(
    read: &impl Read,
    txid: Txid,
    visit: &mut impl FnMut(Txid, Score) -> Result<(), Error>,
) -> Result<(), Error> {
    match confirm::transaction_score(read, txid)? {
        Some(score) => visit(txid, score),
        None => Ok(()),
    }
}

/// Deletes the outputs of a transaction, its spends, and its entries in topics and logs. Returns
/// whether it had any. Spends of its outputs belong to other transactions, which the caller erases
/// too.
pub(crate) fn erase(tx: &mut Tx<'_>, txid: Txid) -> Result<bool, Error> {
    let outputs = output::outputs_of(tx, txid)?;
    let spends = spend::spent_by(tx, txid)?;
    let listings = LISTED.members(TxidText(txid.0)).to_vec(tx)?;
    let is_known = !(outputs.is_empty() && spends.is_empty() && listings.is_empty());
    for outpoint in outputs {
        for event in output::events_of(tx, outpoint)? {
            EVENTS.remove(tx, &event, outpoint)?;
            SPENT.remove(tx, &event, outpoint)?;
        }
        for topic in topics::topics_of(tx, outpoint)? {
            topics::delete(&mut Recorder::without_unit(tx), &topic, outpoint)?;
        }
        SATOSHIS_AMOUNT.delete(tx, (), outpoint)?;
        OUTPUT.delete(tx, outpoint)?;
    }
    for (outpoint, _) in spends {
        for event in output::events_of(tx, outpoint)? {
            SPENT.remove(tx, &event, outpoint)?;
        }
        SPENDS_SPENDER.delete(tx, (), outpoint)?;
        SPENT_BY.remove(tx, TxidText(txid.0), outpoint)?;
    }
    for listing in listings {
        put_listing(&mut Recorder::without_unit(tx), &listing, txid, None)?;
    }
    Ok(is_known)
}
