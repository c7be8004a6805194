//! All known transactions.

use super::{confirm, output, spend};
use crate::{
    error::Error,
    layout::txo::{EVENTS, Event, LISTED, SPENT_BY, Score, Txid, TxidText},
};
use keyscape::store::Read;

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
