//! Rollbacks of transactions, and checks of their effects.

use super::Block;
use crate::{
    error::Error,
    keeper,
    layout::txo::Txid,
    undo::{self, RolledBack},
};
use keyscape_sim::{Fault, check, is};
use std::collections::BTreeSet;

impl Block<'_, '_> {
    /// Rolls a transaction back. A final one, or one with a final spender, is kept.
    pub(super) fn take_back(&mut self) -> Result<(), Fault> {
        const WHAT: &str = "rollback";
        let Some(known) = self.known_output()? else { return Ok(()) };
        let txid = known.outpoint.txid;
        let mut expected = vec![txid];
        let mut next = 0;
        let mut is_final = false;
        while let Some(current) = expected.get(next).copied() {
            next += 1;
            is_final |= self.is_final(current)?;
            for spender in keeper::spenders_of(self.tx, current)? {
                if !expected.contains(&spender) {
                    expected.push(spender);
                }
            }
        }
        if is_final {
            return self.refused("rollback of a final transaction", is!(Error: Final), |tx| {
                undo::rollback(tx, txid)
            });
        }
        let taken = self.valid(WHAT, |tx| undo::rollback(tx, txid))?;
        check(WHAT, taken.transactions == expected, || format!("{:?}", taken.transactions))?;
        self.is_gone(WHAT, &taken)
    }

    /// Checks that nothing is left of rolled back transactions, and that no topic has an output
    /// that needs one of them.
    pub(super) fn is_gone(&self, what: &'static str, taken: &RolledBack) -> Result<(), Fault> {
        for txid in &taken.transactions {
            let score = keeper::transaction_score(self.tx, *txid)?;
            check(what, score.is_none(), || format!("something of {txid} is left"))?;
            let dependents = keeper::dependents_of(self.tx, *txid)?;
            check(what, dependents.is_empty(), || format!("{dependents:?} need {txid}"))?;
        }
        for (topic, outpoint) in &taken.released {
            let topics = keeper::topics_of(self.tx, *outpoint)?;
            let applied = keeper::applied(self.tx, topic, outpoint.txid)?;
            let known = keeper::output(self.tx, *outpoint)?;
            let has_left = !topics.contains(topic) && applied.is_none() && known.is_some();
            check(what, has_left, || format!("{outpoint:?} has not left {topic}"))?;
        }
        Ok(())
    }

    /// Returns the transactions whose outputs a transaction spends, transitively.
    pub(super) fn ancestors(&self, txid: Txid) -> Result<BTreeSet<Txid>, Fault> {
        let (mut work, mut found) = (vec![txid], BTreeSet::new());
        while let Some(current) = work.pop() {
            for (input, _) in keeper::spent_by(self.tx, current)? {
                if found.insert(input.txid) {
                    work.push(input.txid);
                }
            }
        }
        Ok(found)
    }
}
