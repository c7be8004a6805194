//! Invalid operations.

use super::Block;
use crate::{
    error::Error,
    keeper::{self, Admission, NewOutput},
    layout::txo::{Outpoint, Subscriptions, SubscriptionsKey},
    score,
    search::{self, Key, OutputQuery},
    undo,
};
use keyscape::{Claim, ErrorKind, store::Tx};
use keyscape_sim::{Fault, attempt, is, refused};

impl Block<'_, '_> {
    /// Draws and runs an invalid operation.
    pub(super) fn invalid_operation(&mut self) -> Result<(), Fault> {
        match self.draw.below(10) {
            0 => self.other_amount(),
            1 => self.other_spender(),
            2 => self.own_output(),
            3 => self.unknown_output(),
            4 => self.unknown_transaction(),
            5 => self.unconfirm_twice(),
            6 => self.block_again(),
            7 => self.lost_claim(),
            8 => self.outside_topic(),
            _ => self.no_keys(),
        }
    }

    /// Checks that an operation is rejected with its error, without a trace.
    pub(super) fn refused<T>(
        &mut self,
        what: &'static str,
        reason: impl FnOnce(&Error) -> bool,
        operation: impl FnOnce(&mut Tx<'_>) -> Result<T, Error>,
    ) -> Result<(), Fault> {
        refused(self.tx, what, reason, operation)?;
        self.tally.refused += 1;
        Ok(())
    }

    fn other_amount(&mut self) -> Result<(), Fault> {
        let Some(known) = self.known_output()? else { return Ok(()) };
        let new = NewOutput::new(known.outpoint, known.satoshis + 1, score::seen(self.now));
        self.refused("save_output with another amount", is!(Error: OtherAmount), |tx| {
            keeper::save_output(tx, &new)
        })
    }

    fn other_spender(&mut self) -> Result<(), Fault> {
        let Some((outpoint, _)) = self.spent_output()? else { return Ok(()) };
        let (other, score) = (self.draw.unknown(), score::seen(self.now));
        self.refused(
            "save_spend by another transaction",
            |error| matches!(error, Error::AlreadySpent { given, .. } if *given == other),
            |tx| keeper::save_spend(tx, outpoint, other, score),
        )
    }

    fn own_output(&mut self) -> Result<(), Fault> {
        let (outpoint, score) = (self.draw.outpoint(), score::seen(self.now));
        self.refused("save_spend of an own output", is!(Error: OwnOutput), |tx| {
            keeper::save_spend(tx, outpoint, outpoint.txid, score)
        })
    }

    fn unknown_output(&mut self) -> Result<(), Fault> {
        let outpoint = Outpoint { txid: self.draw.unknown(), vout: 0 };
        let topic = self.draw.topic()?;
        let is_right = is!(Error: UnknownOutput);
        if self.draw.chance(50) {
            let admission = Admission::default();
            let admit = |tx: &mut Tx<'_>| keeper::admit(tx, &topic, outpoint, &admission);
            return self.refused("admit of an unknown output", is_right, admit);
        }
        let add = |tx: &mut Tx<'_>| keeper::add_events(tx, outpoint, &[], &[]);
        self.refused("add_events to an unknown output", is_right, add)
    }

    fn unknown_transaction(&mut self) -> Result<(), Fault> {
        let (txid, at) = (self.draw.unknown(), (self.height, 0).into());
        let is_right = is!(Error: UnknownTransaction);
        if self.draw.chance(50) {
            let confirm = |tx: &mut Tx<'_>| keeper::confirm(tx, txid, at);
            return self.refused("confirm of an unknown transaction", is_right, confirm);
        }
        self.refused("rollback of an unknown transaction", is_right, |tx| undo::rollback(tx, txid))
    }

    fn unconfirm_twice(&mut self) -> Result<(), Fault> {
        let Some(known) = self.known_output()? else { return Ok(()) };
        let (txid, now) = (known.outpoint.txid, self.now);
        let unconfirm = |tx: &mut Tx<'_>| keeper::unconfirm(tx, txid, now);
        if self.is_final(txid)? {
            return self.refused("unconfirm of a final transaction", is!(Error: Final), unconfirm);
        }
        let is_right = is!(Error: NotConfirmed);
        if attempt(self.tx, "unconfirm", is_right, unconfirm)?.is_some() {
            self.tally.done += 1;
        }
        self.refused("unconfirm of an unconfirmed transaction", is_right, unconfirm)
    }

    fn block_again(&mut self) -> Result<(), Fault> {
        let height = self.height;
        self.refused("begin_block of a block that has begun", is!(Error: BlockOrder), |tx| {
            undo::begin_block(tx, height)
        })
    }

    fn lost_claim(&mut self) -> Result<(), Fault> {
        let key = SubscriptionsKey::from(self.draw.subscription()?);
        let lost = Claim::<Subscriptions> {
            member: self.draw.unknown(),
            score: score::seen(self.now),
            token: u64::MAX,
            attempts: 1,
            deadline: self.now,
        };
        self.refused(
            "ack of a claim that nobody has",
            |error| match error {
                Error::Store(error) => matches!(error.kind(), ErrorKind::ClaimLost { .. }),
                _ => false,
            },
            |tx| keeper::ack::<Subscriptions>(tx, &key, &lost),
        )
    }

    fn outside_topic(&mut self) -> Result<(), Fault> {
        let topic = self.draw.topic()?;
        let outpoint = Outpoint { txid: self.draw.unknown(), vout: 1 };
        self.refused("set_merkle_state outside of a topic", is!(Error: NotInTopic), |tx| {
            keeper::set_merkle_state(tx, &topic, outpoint, 1)
        })
    }

    fn no_keys(&mut self) -> Result<(), Fault> {
        let mut query = OutputQuery::of(Key::SpentBy(self.draw.txid()));
        query.keys.clear();
        self.refused("search without keys", is!(Error: NoKeys), |tx| search::page(tx, &query, 1))
    }
}
