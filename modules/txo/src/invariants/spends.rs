//! Invariants of spends and the sets of spent outputs.

use super::{
    Breaches, Broken, each_member,
    outputs::{known_events, lists},
};
use crate::{
    error::Error,
    event,
    keeper::{is_after, spender, spent_by, transaction_score},
    layout::txo::{Outpoint, SPENDS_SPENDER, SPENT, SPENT_BY, Txid, TxidText},
    score,
};
use keyscape::store::Read;
use std::collections::BTreeSet;

/// Checks that every spend is in the list of the spending transaction, under each event of its
/// output, if the output is known, and not before that output in the chain; that every entry of
/// such a list is a spend; and that no transaction descends from itself. Memory grows with the
/// number of unconfirmed transactions only.
///
/// # Errors
/// If the store fails, or a row does not fit the layout.
pub fn spends(read: &impl Read) -> Result<Vec<Broken>, Error> {
    let mut found = Breaches::of("spends");
    let mut rows = SPENDS_SPENDER.all(()).scan(read)?;
    while let Some(row) = rows.next_row()? {
        let (outpoint, spender) = (row.field.outpoint, row.value);
        let spend = SPENT_BY.score(read, TxidText(spender.0), outpoint)?;
        if spend.is_none() {
            let why = "it is not in the list of that transaction";
            found.add(Broken::Spend { outpoint, spender, why });
        }
        if outpoint.txid == spender {
            let why = "the transaction spends its own output";
            found.add(Broken::Spend { outpoint, spender, why });
        }
        let output = transaction_score(read, outpoint.txid)?;
        if spend.zip(output).is_some_and(|(spend, output)| !is_after(spend, output)) {
            let why = "it precedes the output in the chain";
            found.add(Broken::Spend { outpoint, spender, why });
        }
        for event in known_events(read, outpoint)? {
            if SPENT.score(read, &event, outpoint)?.is_none() {
                let set = format!("{}:spnd", event::print(&event));
                found.add(Broken::Unlisted { outpoint, set });
            }
        }
    }
    each_member(read, &SPENT_BY.prefix_all(), |key, row| {
        let (outpoint, by) = (row.member, Txid(key.txid.0));
        if spender(read, outpoint)? != Some(by) {
            let why = "it is in the list of that transaction, which does not spend it";
            found.add(Broken::Spend { outpoint, spender: by, why });
        }
        Ok(())
    })?;
    cycles(read, &mut found)?;
    Ok(found.reported())
}

/// Reports cycles of unconfirmed spends. Positions order the spends of confirmed transactions.
fn cycles(read: &impl Read, found: &mut Breaches) -> Result<(), Error> {
    let mut walk = Walk { read, done: BTreeSet::new(), path: BTreeSet::new(), stack: Vec::new() };
    let mut scan = SPENT_BY.prefix_all().structures(read)?;
    while let Some(key) = scan.next_key()? {
        walk.enter(Txid(key.txid.0))?;
        while let Some((outpoint, spender)) = walk.step()? {
            let why = "the transaction descends from itself";
            found.add(Broken::Spend { outpoint, spender, why });
        }
    }
    Ok(())
}

/// A depth-first walk from transactions to their parents.
struct Walk<'r, R> {
    read: &'r R,
    done: BTreeSet<Txid>,
    /// The transactions of the stack.
    path: BTreeSet<Txid>,
    /// The current path, with the inputs that are left of each transaction.
    stack: Vec<(Txid, Vec<Outpoint>)>,
}

impl<R: Read> Walk<'_, R> {
    /// Adds a transaction to the path, unless it is done or confirmed.
    fn enter(&mut self, txid: Txid) -> Result<(), Error> {
        if self.done.contains(&txid) {
            return Ok(());
        }
        let spends = spent_by(self.read, txid)?.into_iter();
        let unconfirmed = spends.filter(|(_, score)| score::place(*score).is_none());
        // A spend of an own output is reported as such.
        let inputs = unconfirmed.map(|(input, _)| input).filter(|input| input.txid != txid);
        let inputs: Vec<Outpoint> = inputs.collect();
        if !inputs.is_empty() {
            self.path.insert(txid);
            self.stack.push((txid, inputs));
        }
        Ok(())
    }

    /// Returns the next spend that closes a cycle.
    fn step(&mut self) -> Result<Option<(Outpoint, Txid)>, Error> {
        while let Some((txid, inputs)) = self.stack.last_mut() {
            let txid = *txid;
            match inputs.pop() {
                Some(input) if self.path.contains(&input.txid) => return Ok(Some((input, txid))),
                Some(input) => self.enter(input.txid)?,
                None => {
                    self.stack.pop();
                    self.path.remove(&txid);
                    self.done.insert(txid);
                }
            }
        }
        Ok(None)
    }
}

/// Checks that every spent member of an event is a spent output with this event and the score of
/// the spend.
///
/// # Errors
/// If the store fails, or a row does not fit the layout.
pub fn spent(read: &impl Read) -> Result<Vec<Broken>, Error> {
    let mut found = Breaches::of("spent");
    each_member(read, &SPENT.prefix_all(), |key, row| {
        let (outpoint, set) = (row.member, format!("{}:spnd", event::print(&key.event)));
        if !lists(read, outpoint, &key.event)? {
            let why = "does not list this event";
            found.add(Broken::Orphan { set, outpoint, why });
            return Ok(());
        }
        let Some(by) = spender(read, outpoint)? else {
            found.add(Broken::Orphan { set, outpoint, why: "is unspent" });
            return Ok(());
        };
        let expected = SPENT_BY.score(read, TxidText(by.0), outpoint)?;
        if expected != Some(row.score) {
            found.add(Broken::Score { outpoint, set, found: row.score, expected });
        }
        Ok(())
    })?;
    Ok(found.reported())
}
