//! Invalid operations.

use super::{Block, SimError};
use crate::{
    error::Error,
    keeper::{self, Admission, NewOutput},
    layout::txo::{Outpoint, Subscriptions, SubscriptionsKey},
    score,
    search::{self, Key, Query},
    undo,
};
use keyscape::{Claim, ErrorKind, store::Tx};

impl Block<'_, '_> {
    /// Draws and runs an invalid operation.
    pub(super) fn wrong(&mut self) -> Result<(), SimError> {
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
        operation: impl FnOnce(&mut Tx<'_>) -> Result<T, Error>,
        is_right: impl FnOnce(&Error) -> bool,
    ) -> Result<(), SimError> {
        let before = self.tx.changes().clone();
        match operation(self.tx) {
            Ok(_) => return Err(SimError::Accepted { what }),
            Err(source) if !is_right(&source) => {
                return Err(SimError::OtherError { what, source: Box::new(source) });
            }
            Err(_) => {}
        }
        if !self.tx.changes().iter().eq(before.iter()) {
            return Err(SimError::Trace { what });
        }
        self.tally.refused += 1;
        Ok(())
    }

    fn other_amount(&mut self) -> Result<(), SimError> {
        let Some(known) = self.known_output()? else { return Ok(()) };
        let new = NewOutput::new(known.outpoint, known.satoshis + 1, score::seen(self.now));
        self.refused(
            "save_output with another amount",
            |tx| keeper::save_output(tx, &new),
            |error| matches!(error, Error::OtherAmount { .. }),
        )
    }

    fn other_spender(&mut self) -> Result<(), SimError> {
        let Some((outpoint, _)) = self.spent_output()? else { return Ok(()) };
        let (other, score) = (self.draw.unknown(), score::seen(self.now));
        self.refused(
            "save_spend by another transaction",
            |tx| keeper::save_spend(tx, outpoint, other, score),
            |error| matches!(error, Error::AlreadySpent { given, .. } if *given == other),
        )
    }

    fn own_output(&mut self) -> Result<(), SimError> {
        let (outpoint, score) = (self.draw.outpoint(), score::seen(self.now));
        self.refused(
            "save_spend of an own output",
            |tx| keeper::save_spend(tx, outpoint, outpoint.txid, score),
            |error| matches!(error, Error::OwnOutput(_)),
        )
    }

    fn unknown_output(&mut self) -> Result<(), SimError> {
        let outpoint = Outpoint { txid: self.draw.unknown(), vout: 0 };
        let topic = self.part(|draw| draw.topic())?;
        let is_right = |error: &Error| matches!(error, Error::UnknownOutput(_));
        if self.draw.chance(50) {
            let admission = Admission::default();
            let admit = |tx: &mut Tx<'_>| keeper::admit(tx, &topic, outpoint, &admission);
            return self.refused("admit of an unknown output", admit, is_right);
        }
        let add = |tx: &mut Tx<'_>| keeper::add_events(tx, outpoint, &[], &[]);
        self.refused("add_events to an unknown output", add, is_right)
    }

    fn unknown_transaction(&mut self) -> Result<(), SimError> {
        let (txid, at) = (self.draw.unknown(), (self.height, 0).into());
        let is_right = |error: &Error| matches!(error, Error::UnknownTransaction(_));
        if self.draw.chance(50) {
            let confirm = |tx: &mut Tx<'_>| keeper::confirm(tx, txid, at);
            return self.refused("confirm of an unknown transaction", confirm, is_right);
        }
        self.refused("rollback of an unknown transaction", |tx| undo::rollback(tx, txid), is_right)
    }

    fn unconfirm_twice(&mut self) -> Result<(), SimError> {
        let Some(known) = self.known_output()? else { return Ok(()) };
        let (txid, now) = (known.outpoint.txid, self.now);
        let unconfirm = |tx: &mut Tx<'_>| keeper::unconfirm(tx, txid, now);
        if self.is_final(txid)? {
            return self.refused("unconfirm of a final transaction", unconfirm, |error| {
                matches!(error, Error::Final(_))
            });
        }
        match unconfirm(self.tx) {
            Ok(_) => self.tally.done += 1,
            Err(Error::NotConfirmed(_)) => {}
            Err(source) => return Err(SimError::refused("unconfirm")(source)),
        }
        self.refused("unconfirm of what is in no block", unconfirm, |error| {
            matches!(error, Error::NotConfirmed(_))
        })
    }

    fn block_again(&mut self) -> Result<(), SimError> {
        let height = self.height;
        self.refused(
            "begin_block of a block that has begun",
            |tx| undo::begin_block(tx, height),
            |error| matches!(error, Error::BlockOrder { .. }),
        )
    }

    fn lost_claim(&mut self) -> Result<(), SimError> {
        let key = SubscriptionsKey::from(self.part(|draw| draw.subscription())?);
        let lost = Claim::<Subscriptions> {
            member: self.draw.unknown(),
            score: score::seen(self.now),
            token: u64::MAX,
            attempts: 1,
            deadline: self.now,
        };
        self.refused(
            "ack of a claim that nobody has",
            |tx| keeper::ack::<Subscriptions>(tx, &key, &lost),
            |error| match error {
                Error::Store(error) => matches!(error.kind(), ErrorKind::ClaimLost { .. }),
                _ => false,
            },
        )
    }

    fn outside_topic(&mut self) -> Result<(), SimError> {
        let topic = self.part(|draw| draw.topic())?;
        let outpoint = Outpoint { txid: self.draw.unknown(), vout: 1 };
        self.refused(
            "set_merkle_state outside of a topic",
            |tx| keeper::set_merkle_state(tx, &topic, outpoint, 1),
            |error| matches!(error, Error::NotInTopic { .. }),
        )
    }

    fn no_keys(&mut self) -> Result<(), SimError> {
        let mut query = Query::of(Key::SpentBy(self.draw.txid()));
        query.keys.clear();
        self.refused(
            "search without keys",
            |tx| search::page(tx, &query, 1),
            |error| matches!(error, Error::NoKeys),
        )
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{
        layout::txo,
        sim::{Tally, draw::Draw},
    };
    use keyscape::store::StoreId;

    #[test]
    fn a_refused_operation_that_has_replaced_a_row_by_one_as_long_has_left_a_trace() {
        let db = keyscape::memory(&txo::LAYOUT).unwrap();
        let store = StoreId::of("txo");
        db.write(|tx| {
            tx.put(store, b"key", b"one")?;
            let (draw, tally) = (Draw::new(1, 1), Tally::default());
            let mut block = Block { tx, draw, height: 1, now: 1, tally };
            let is_right = |error: &Error| matches!(error, Error::NoKeys);
            let mut refused = |value: &[u8]| {
                let write = |tx: &mut Tx<'_>| {
                    tx.put(store, b"key", value)?;
                    Err::<(), _>(Error::NoKeys)
                };
                block.refused("a test", write, is_right)
            };
            assert!(refused(b"one").is_ok());
            assert!(matches!(refused(b"two"), Err(SimError::Trace { .. })));
            Ok::<(), Error>(())
        })
        .unwrap();
    }
}
