//! Transaction logs.

use super::confirm;
use crate::{
    error::Error,
    layout::txo::{LISTED, LOGS, Listing, LogName, Score, Txid, TxidText},
    undo::Recorder,
};
use keyscape::store::{Read, Tx};

/// Adds a transaction to a log. It gets its score as an output does in
/// [`save_output`](super::save_output). Returns whether it is new there.
///
/// # Errors
/// If the store fails.
pub fn log(tx: &mut Tx<'_>, log: &LogName<'_>, txid: Txid, score: Score) -> Result<bool, Error> {
    tx.attempt(|tx| {
        let score = confirm::settle(tx, txid, score)?;
        let mut unit = Recorder::begin(tx, "log", txid);
        let before = unit.score(&LOGS, log, txid, Some(score))?;
        unit.member(&LISTED, TxidText(txid.0), Listing::Log { log: log.into() }, true)?;
        unit.finish()?;
        Ok(before.is_none())
    })
}

/// Removes a transaction from a log. Returns whether it was there.
///
/// # Errors
/// If the store fails.
pub fn unlog(tx: &mut Tx<'_>, log: &LogName<'_>, txid: Txid) -> Result<bool, Error> {
    tx.attempt(|tx| {
        let mut unit = Recorder::begin(tx, "unlog", txid);
        let before = unit.score(&LOGS, log, txid, None)?;
        unit.member(&LISTED, TxidText(txid.0), Listing::Log { log: log.into() }, false)?;
        unit.finish()?;
        Ok(before.is_some())
    })
}

/// Returns the score of a transaction in a log; `None` if the log does not contain it.
///
/// # Errors
/// If the store fails.
pub fn logged(read: &impl Read, log: &LogName<'_>, txid: Txid) -> Result<Option<Score>, Error> {
    Ok(LOGS.score(read, log, txid)?)
}
