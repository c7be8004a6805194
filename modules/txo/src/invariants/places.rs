//! The invariant that a transaction has one score.

use super::{Broken, broken::Breaches};
use crate::{
    error::Error,
    keeper::{applied, logged, transaction_score},
    layout::txo::{EVENTS, Event, LISTED, Listing, SPENT_BY, Score, Txid, TxidText},
};
use keyscape::store::Read;

/// Checks that all parts of a transaction have one score: its outputs, its spends, and itself in
/// topics and logs.
///
/// # Errors
/// If the store fails, or a row does not fit the layout.
pub fn places(read: &impl Read) -> Result<Vec<Broken>, Error> {
    let mut found = Breaches::of("places");
    let mut scan = EVENTS.prefix_all().structures(read)?;
    while let Some(key) = scan.next_key()? {
        // Other events contain outputs of many transactions, and are compared with these.
        let Event::Txid { txid: TxidText(txid) } = key.event else { continue };
        let place = Place::of(read, Txid(txid))?;
        let mut members = EVENTS.members(Event::from(&key.event)).scan(read)?;
        while let Some(row) = members.next_row()? {
            place.compare(row.score, || format!("txid:{}", TxidText(txid)), &mut found);
        }
    }
    let mut scan = SPENT_BY.prefix_all().structures(read)?;
    while let Some(key) = scan.next_key()? {
        let place = Place::of(read, Txid(key.txid.0))?;
        let mut members = SPENT_BY.members(key.txid).scan(read)?;
        while let Some(row) = members.next_row()? {
            place.compare(row.score, || format!("by:{}", key.txid), &mut found);
        }
    }
    let mut scan = LISTED.prefix_all().structures(read)?;
    while let Some(key) = scan.next_key()? {
        let place = Place::of(read, Txid(key.txid.0))?;
        for listing in LISTED.members(key.txid).to_vec(read)? {
            let (set, score) = match listing {
                Listing::Topic { topic } => {
                    (format!("tp:{topic}:tx"), applied(read, &topic, place.txid)?)
                }
                Listing::Log { log } => (log.as_str().to_owned(), logged(read, &log, place.txid)?),
            };
            // A missing entry is a violation of `listings`.
            if let Some(score) = score {
                place.compare(score, || set, &mut found);
            }
        }
    }
    Ok(found.reported())
}

/// The score of a transaction.
struct Place {
    txid: Txid,
    score: Option<Score>,
}

impl Place {
    fn of(read: &impl Read, txid: Txid) -> Result<Place, Error> {
        Ok(Place { txid, score: transaction_score(read, txid)? })
    }

    fn compare(&self, found: Score, set: impl FnOnce() -> String, broken: &mut Breaches) {
        if let Some(expected) = self.score.filter(|expected| *expected != found) {
            broken.push(Broken::Place { txid: self.txid, set: set(), found, expected });
        }
    }
}
