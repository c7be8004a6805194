//! The invariants of transactions: a transaction has one score, a position has one transaction, and
//! topics and logs agree with the own lists of transactions.

use super::{Breaches, Broken, each_member};
use crate::{
    error::Error,
    keeper::{applied, each_transaction, logged, transaction_score},
    layout::txo::{
        EVENTS, Event, LISTED, LOGS, Listing, MerkleState, SPENT_BY, Score, TOPIC_TXS, Txid,
        TxidText,
    },
    score, undo,
};
use keyscape::store::Read;
use std::collections::BTreeMap;

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
        let place = ScoredTransaction::of(read, Txid(txid))?;
        let mut members = EVENTS.members(&key.event).scan(read)?;
        while let Some(row) = members.next_row()? {
            place.compare(row.score, || format!("txid:{}", TxidText(txid)), &mut found);
        }
    }
    let mut scan = SPENT_BY.prefix_all().structures(read)?;
    while let Some(key) = scan.next_key()? {
        let place = ScoredTransaction::of(read, Txid(key.txid.0))?;
        let mut members = SPENT_BY.members(key.txid).scan(read)?;
        while let Some(row) = members.next_row()? {
            place.compare(row.score, || format!("by:{}", key.txid), &mut found);
        }
    }
    each_listing(read, |txid, set, score| {
        // A missing entry is a violation of `listings`.
        if let Some(score) = score {
            ScoredTransaction::of(read, txid)?.compare(score, || set, &mut found);
        }
        Ok(())
    })?;
    Ok(found.reported())
}

/// The number of positions that [`positions`] holds at once.
const POSITIONS: usize = 1 << 20;

/// Checks that no two transactions have one position in the chain, and that no transaction is in a
/// block above the last one. Large states are read several times, with a bounded number of
/// positions each time.
///
/// # Errors
/// If the store fails, or a row does not fit the layout.
pub fn positions(read: &impl Read) -> Result<Vec<Broken>, Error> {
    let mut found = Breaches::of("positions");
    above_tip(read, &mut found)?;
    let mut after = None;
    while let Some(last) = same_positions(read, after, POSITIONS, &mut found)? {
        after = Some(last);
    }
    Ok(found.reported())
}

fn above_tip(read: &impl Read, found: &mut Breaches) -> Result<(), Error> {
    let Some(last) = undo::tip(read)? else { return Ok(()) };
    each_transaction(read, |txid, score| {
        if let Some(at) = score::place(score).filter(|at| at.height > last) {
            found.add(Broken::AboveTip { txid, height: at.height, last });
        }
        Ok(())
    })
}

/// Compares the lowest `most` positions after a position, and reports each that has several
/// transactions once. Returns the highest of them if there may be more.
fn same_positions(
    read: &impl Read,
    after: Option<MerkleState>,
    most: usize,
    found: &mut Breaches,
) -> Result<Option<MerkleState>, Error> {
    // The first transaction at a position, and another one.
    let mut seen: BTreeMap<MerkleState, (Txid, Option<Txid>)> = BTreeMap::new();
    let mut has_more = false;
    each_transaction(read, |txid, score| {
        let Some(at) = score::place(score).filter(|at| Some(*at) > after) else { return Ok(()) };
        seen.entry(at).and_modify(|(_, other)| *other = Some(txid)).or_insert((txid, None));
        if seen.len() > most {
            has_more = seen.pop_last().is_some();
        }
        Ok(())
    })?;
    for (at, (a, other)) in &seen {
        if let Some(b) = *other {
            let (height, index) = (at.height, at.index);
            found.add(Broken::SamePosition { a: *a, b, height, index });
        }
    }
    Ok(seen.last_key_value().map(|(at, _)| *at).filter(|_| has_more))
}

/// The score of a transaction.
struct ScoredTransaction {
    txid: Txid,
    score: Option<Score>,
}

impl ScoredTransaction {
    fn of(read: &impl Read, txid: Txid) -> Result<ScoredTransaction, Error> {
        Ok(ScoredTransaction { txid, score: transaction_score(read, txid)? })
    }

    fn compare(&self, found: Score, set: impl FnOnce() -> String, broken: &mut Breaches) {
        if let Some(expected) = self.score.filter(|expected| *expected != found) {
            broken.add(Broken::Place { txid: self.txid, set: set(), found, expected });
        }
    }
}

/// Checks that a topic or a log contains a transaction exactly if the transaction's own list
/// contains the topic or log.
///
/// # Errors
/// If the store fails, or a row does not fit the layout.
pub fn listings(read: &impl Read) -> Result<Vec<Broken>, Error> {
    let mut found = Breaches::of("listings");
    let why = "the transaction's own list does not say so";
    each_member(read, &TOPIC_TXS.prefix_all(), |key, row| {
        let listing = Listing::Topic { topic: (&key.topic).into() };
        if !LISTED.contains(read, TxidText(row.member.0), listing)? {
            let set = format!("tp:{}:tx", key.topic);
            found.add(Broken::Listing { txid: row.member, set, why });
        }
        Ok(())
    })?;
    each_member(read, &LOGS.prefix_all(), |key, row| {
        let listing = Listing::Log { log: (&key.log).into() };
        if !LISTED.contains(read, TxidText(row.member.0), listing)? {
            let set = key.log.as_str().to_owned();
            found.add(Broken::Listing { txid: row.member, set, why });
        }
        Ok(())
    })?;
    each_listing(read, |txid, set, score| {
        if score.is_none() {
            let why = "the transaction's own list says that it is there";
            found.add(Broken::Listing { txid, set, why });
        }
        Ok(())
    })?;
    Ok(found.reported())
}

/// Visits every entry of the transactions' own lists: the transaction, the topic or log, and the
/// score there.
fn each_listing(
    read: &impl Read,
    mut visit: impl FnMut(Txid, String, Option<Score>) -> Result<(), Error>,
) -> Result<(), Error> {
    let mut scan = LISTED.prefix_all().structures(read)?;
    while let Some(key) = scan.next_key()? {
        let txid = Txid(key.txid.0);
        for listing in LISTED.members(key.txid).to_vec(read)? {
            let (set, score) = match listing {
                Listing::Topic { topic } => {
                    (format!("tp:{topic}:tx"), applied(read, &topic, txid)?)
                }
                Listing::Log { log } => (log.as_str().to_owned(), logged(read, &log, txid)?),
            };
            visit(txid, set, score)?;
        }
    }
    Ok(())
}
