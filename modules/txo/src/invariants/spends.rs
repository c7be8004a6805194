//! Invariants of spends and the sets of spent outputs.

use super::{
    each_member,
    outputs::{known_events, lists, orphan, other_score, unlisted},
};
use crate::{
    error::{Dotted, Error},
    event::Text,
    keeper::{is_after, spender, spent_by, transaction_score},
    layout::txo::{Outpoint, SPENDS_SPENDER, SPENT, SPENT_BY, Txid, TxidText},
    score,
};
use keyscape::store::Read;
use keyscape_sim::{Breaches, Broken};
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
            report(&mut found, outpoint, spender, "it is not in the list of that transaction");
        }
        if outpoint.txid == spender {
            report(&mut found, outpoint, spender, "the transaction spends its own output");
        }
        let output = transaction_score(read, outpoint.txid)?;
        if spend.zip(output).is_some_and(|(spend, output)| !is_after(spend, output)) {
            report(&mut found, outpoint, spender, "it precedes the output in the chain");
        }
        for event in known_events(read, outpoint)? {
            if SPENT.score(read, &event, outpoint)?.is_none() {
                unlisted(&mut found, outpoint, format_args!("{}:spnd", Text(&event)));
            }
        }
    }
    each_member(read, &SPENT_BY.prefix_all(), |key, row| {
        let (outpoint, by) = (row.member, Txid(key.txid.0));
        if spender(read, outpoint)? != Some(by) {
            report(
                &mut found,
                outpoint,
                by,
                "it is in the list of that transaction, which does not spend it",
            );
        }
        Ok(())
    })?;
    cycles(read, &mut found)?;
    Ok(found.reported())
}

fn report(found: &mut Breaches, outpoint: Outpoint, spender: Txid, why: &str) {
    found.add(format_args!("the spend of output {} by {spender}: {why}", Dotted(outpoint)));
}

/// Reports cycles of unconfirmed spends. Positions order the spends of confirmed transactions.
fn cycles(read: &impl Read, found: &mut Breaches) -> Result<(), Error> {
    let mut walk = Walk { read, done: BTreeSet::new(), path: BTreeSet::new(), stack: Vec::new() };
    let mut scan = SPENT_BY.prefix_all().structures(read)?;
    while let Some(key) = scan.next_key()? {
        walk.enter(Txid(key.txid.0))?;
        while let Some((outpoint, spender)) = walk.step()? {
            report(found, outpoint, spender, "the transaction descends from itself");
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
        let unconfirmed = spends.filter(|(_, score)| score::position(*score).is_none());
        // `spends` reports a transaction that spends its own output.
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
        let (outpoint, set) = (row.member, format_args!("{}:spnd", Text(&key.event)));
        if !lists(read, outpoint, &key.event)? {
            orphan(&mut found, set, outpoint, "does not list this event");
            return Ok(());
        }
        let Some(by) = spender(read, outpoint)? else {
            orphan(&mut found, set, outpoint, "is unspent");
            return Ok(());
        };
        let expected = SPENT_BY.score(read, TxidText(by.0), outpoint)?;
        if expected != Some(row.score) {
            other_score(&mut found, outpoint, set, row.score, expected);
        }
        Ok(())
    })?;
    Ok(found.reported())
}
