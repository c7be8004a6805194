//! The invariants of transactions: a transaction has one score, a position has one transaction, and
//! topics and logs agree with the own lists of transactions.

use super::each_member;
use crate::{
    error::Error,
    event::Text,
    keeper::{each_transaction, listing_score, transaction_score},
    layout::txo::{
        EVENTS, Event, Events, LISTED, LOGS, Listing, MerkleState, SPENT_BY, Score, SpentBy,
        TOPIC_TXS, Txid, TxidText,
    },
    score, undo,
};
use keyscape::{Zset, store::Read, traits::ZsetKeyspace};
use keyscape_sim::{Breaches, Broken};
use std::{
    collections::BTreeMap,
    fmt::{self, Display},
};

/// Checks that all parts of a transaction have one score: its outputs, its spends, and itself in
/// topics and logs.
///
/// # Errors
/// If the store fails, or a row does not fit the layout.
pub fn scores(read: &impl Read) -> Result<Vec<Broken>, Error> {
    let mut found = Breaches::of("scores");
    let mut scan = EVENTS.prefix_all().structures(read)?;
    while let Some(key) = scan.next_key()? {
        // Other events contain outputs of many transactions. `outputs` compares them with these.
        if let Event::Txid { txid: TxidText(txid) } = key.event {
            members_of::<Events>(read, Txid(txid), key.clone(), Text(&key.event), &mut found)?;
        }
    }
    let mut scan = SPENT_BY.prefix_all().structures(read)?;
    while let Some(key) = scan.next_key()? {
        let (txid, set) = (Txid(key.txid.0), format_args!("by:{}", key.txid));
        members_of::<SpentBy>(read, txid, key, set, &mut found)?;
    }
    each_listing(read, |txid, set, score| {
        // A missing entry is a violation of `listings`.
        if let Some(score) = score {
            compare(txid, score, transaction_score(read, txid)?, set, &mut found);
        }
        Ok(())
    })?;
    Ok(found.reported())
}

/// Checks that all members of a set that belongs to a transaction have its score.
fn members_of<K: ZsetKeyspace<Score = Score>>(
    read: &impl Read,
    txid: Txid,
    key: K::Key<'_>,
    set: impl Display,
    found: &mut Breaches,
) -> Result<(), Error> {
    let expected = transaction_score(read, txid)?;
    let mut members = Zset::<K>::new().members(key).scan(read)?;
    while let Some(row) = members.next_row()? {
        compare(txid, row.score, expected, &set, found);
    }
    Ok(())
}

fn compare(
    txid: Txid,
    score: Score,
    expected: Option<Score>,
    set: impl Display,
    found: &mut Breaches,
) {
    if let Some(expected) = expected.filter(|expected| *expected != score) {
        found.add(format_args!(
            "transaction {txid} has the score {score:?} in `{set}` and {expected:?} elsewhere"
        ));
    }
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
        if let Some(at) = score::position(score).filter(|at| at.height > last) {
            found.add(format_args!(
                "transaction {txid} is in block {}, and the last block is {last}",
                at.height
            ));
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
        let Some(at) = score::position(score).filter(|at| Some(*at) > after) else { return Ok(()) };
        seen.entry(at).and_modify(|(_, other)| *other = Some(txid)).or_insert((txid, None));
        if seen.len() > most {
            has_more = seen.pop_last().is_some();
        }
        Ok(())
    })?;
    for (at, (a, other)) in &seen {
        if let Some(b) = *other {
            found.add(format_args!(
                "transactions {a} and {b} are both at height {}, index {}",
                at.height, at.index
            ));
        }
    }
    Ok(seen.last_key_value().map(|(at, _)| *at).filter(|_| has_more))
}

/// Checks that a topic or a log contains a transaction exactly if the transaction's own list
/// contains the topic or log.
///
/// # Errors
/// If the store fails, or a row does not fit the layout.
pub fn listings(read: &impl Read) -> Result<Vec<Broken>, Error> {
    let mut found = Breaches::of("listings");
    let why = "the transaction's own list does not say so";
    let mut in_own_list = |txid: Txid, listing: Listing<'_>| {
        if !LISTED.contains(read, TxidText(txid.0), &listing)? {
            let set = ListingSet(&listing);
            found.add(format_args!("transaction {txid} and `{set}`: {why}"));
        }
        Ok(())
    };
    each_member(read, &TOPIC_TXS.prefix_all(), |key, row| {
        in_own_list(row.member, Listing::Topic { topic: (&key.topic).into() })
    })?;
    each_member(read, &LOGS.prefix_all(), |key, row| {
        in_own_list(row.member, Listing::Log { log: (&key.log).into() })
    })?;
    each_listing(read, |txid, set, score| {
        if score.is_none() {
            let why = "the transaction lists the set, which does not contain it";
            found.add(format_args!("transaction {txid} and `{set}`: {why}"));
        }
        Ok(())
    })?;
    Ok(found.reported())
}

/// Visits every entry of the transactions' own lists: the transaction, the topic or log, and the
/// score there.
fn each_listing(
    read: &impl Read,
    mut visit: impl FnMut(Txid, ListingSet<'_>, Option<Score>) -> Result<(), Error>,
) -> Result<(), Error> {
    let mut scan = LISTED.prefix_all().structures(read)?;
    while let Some(key) = scan.next_key()? {
        let txid = Txid(key.txid.0);
        for listing in LISTED.members(key.txid).to_vec(read)? {
            visit(txid, ListingSet(&listing), listing_score(read, &listing, txid)?)?;
        }
    }
    Ok(())
}

/// The set of a topic or log, as messages show it.
struct ListingSet<'l>(&'l Listing<'l>);

impl Display for ListingSet<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.0 {
            Listing::Topic { topic } => write!(f, "tp:{topic}:tx"),
            Listing::Log { log } => log.fmt(f),
        }
    }
}
