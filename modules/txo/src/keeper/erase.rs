//! Deletes all rows of a transaction.

use super::{output, spend, topics};
use crate::{
    error::Error,
    layout::txo::{
        LISTED, Listing, Name, OUTPUT, Satoshis, SatoshisAmount, Spends, SpendsSpender, Txid,
        TxidText,
    },
    undo::{Cell, Space},
};
use keyscape::store::Tx;

/// Deletes the outputs of a transaction, its spends, and its entries in topics and logs. Returns
/// whether it had any. Spends of its outputs belong to other transactions, which the caller erases
/// too.
pub(crate) fn erase(tx: &mut Tx<'_>, txid: Txid) -> Result<bool, Error> {
    let outputs = output::outputs_of(tx, txid)?;
    let spends = spend::spent_by(tx, txid)?;
    let listings = LISTED.members(TxidText(txid.0)).to_vec(tx)?;
    let is_known = !(outputs.is_empty() && spends.is_empty() && listings.is_empty());
    let delete = |tx: &mut Tx<'_>, cell: Result<Cell, Error>| cell?.replace(tx, None).map(drop);
    for outpoint in outputs {
        for event in output::events_of(tx, outpoint)? {
            delete(tx, Cell::event(&event, outpoint))?;
            delete(tx, Cell::spent(&event, outpoint))?;
        }
        for topic in topics::topics_of(tx, outpoint)? {
            for cell in topics::cells(tx, &topic, outpoint)? {
                cell.replace(tx, None)?;
            }
        }
        let sats = Cell::lookup::<Satoshis, SatoshisAmount>(Space::Satoshis, &outpoint.into());
        delete(tx, sats)?;
        OUTPUT.delete(tx, outpoint)?;
    }
    for (outpoint, _) in spends {
        for event in output::events_of(tx, outpoint)? {
            delete(tx, Cell::spent(&event, outpoint))?;
        }
        delete(tx, Cell::lookup::<Spends, SpendsSpender>(Space::Spends, &outpoint.into()))?;
        delete(tx, Cell::spent_by(txid, outpoint))?;
    }
    for listing in listings {
        match &listing {
            Listing::Topic { topic } => {
                delete(tx, topics::applied_cell(&Name::from(topic), txid))?;
            }
            Listing::Log { log } => delete(tx, super::logs::cell(log, txid))?,
        }
        delete(tx, topics::listing_cell(&listing, txid))?;
    }
    Ok(is_known)
}
