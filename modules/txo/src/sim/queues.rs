//! Operations on queues, and checks of their effects.

use super::{Block, SimError, must};
use crate::{
    error::Error,
    keeper::{self, Work},
    layout::txo::{Score, Subscription, Subscriptions, SubscriptionsKey, Tokens, TokensKey},
    worker::MemberOf,
};
use keyscape::{Backoff, Failed, Pushed, Queue, record::State, traits::QueueMember};

/// The duration of a lease, in nanoseconds.
const LEASE: u64 = 60_000_000_000;
const BACKOFF: Backoff = Backoff { first: 1_000_000_000, most: 60_000_000_000, attempts: 3 };

impl Block<'_, '_> {
    /// Reads the state of a member.
    fn known<W: Work>(
        &self,
        key: &W::Key<'_>,
        member: MemberOf<W>,
    ) -> Result<Option<QueueMember<Score>>, SimError> {
        let known = Queue::<W>::new().get(self.tx, key.clone(), member);
        known.map_err(Error::from).map_err(SimError::refused("a look into a queue"))
    }

    /// Adds an output to the queue of a token.
    pub(super) fn enqueue_output(&mut self) -> Result<(), SimError> {
        const WHAT: &str = "enqueue_output";
        let (token, outpoint, score) = (self.draw.any_token(), self.draw.outpoint(), self.score());
        let key = TokensKey::from(token);
        let before = self.known::<Tokens>(&key, outpoint)?;
        let pushed = self.valid(WHAT, |tx| keeper::enqueue_output(tx, token, outpoint, score))?;
        must(WHAT, before.is_none() == (pushed == Pushed::New), || format!("{pushed:?}"))?;
        let after = self.known::<Tokens>(&key, outpoint)?;
        let next = after.map(|known| known.again.unwrap_or(known.score));
        let is_right = pushed == Pushed::Dead || next == Some(score);
        must(WHAT, is_right, || format!("it will be worked on with {next:?}"))
    }

    pub(super) fn enqueue(&mut self) -> Result<(), SimError> {
        const WHAT: &str = "enqueue_transaction";
        let subscription = self.part(|draw| draw.subscription())?;
        let (txid, score) = (self.draw.txid(), self.score());
        let pushed =
            self.valid(WHAT, |tx| keeper::enqueue_transaction(tx, &subscription, txid, score))?;
        if pushed == Pushed::Dead {
            let key = SubscriptionsKey::from(Subscription::from(&subscription));
            let revived =
                self.valid("revive", |tx| keeper::revive::<Subscriptions>(tx, &key, txid))?;
            must("revive", revived, || "it was not given up".into())?;
        }
        Ok(())
    }

    /// Claims transactions, dispatches their outputs, lets some fail, and lets some leases expire.
    pub(super) fn work(&mut self) -> Result<(), SimError> {
        let subscription = self.part(|draw| draw.subscription())?;
        let key = SubscriptionsKey::from(Subscription::from(&subscription));
        let now = self.now;
        let claims =
            self.valid("claim", |tx| keeper::claim::<Subscriptions>(tx, &key, now, LEASE, 4))?;
        for claim in claims {
            match self.draw.below(12) {
                0 => {}
                10 => {
                    self.valid("bury", |tx| keeper::bury::<Subscriptions>(tx, &key, &claim))?;
                    let known = self.known::<Subscriptions>(&key, claim.member)?;
                    let is_dead = known.is_some_and(|known| known.state == State::Dead);
                    must("bury", is_dead, || format!("it is {known:?}"))?;
                }
                11 => {
                    let until = self.valid("extend", |tx| {
                        keeper::extend::<Subscriptions>(tx, &key, &claim, now, 2 * LEASE)
                    })?;
                    let known = self.known::<Subscriptions>(&key, claim.member)?;
                    let is_right = until == now + 2 * LEASE
                        && known.is_some_and(|known| known.state == State::Leased(until));
                    must("extend", is_right, || format!("it is {known:?}"))?;
                }
                1..=2 => {
                    let failed = self.valid("fail", |tx| {
                        keeper::fail::<Subscriptions>(tx, &key, &claim, now, &BACKOFF)
                    })?;
                    let is_last = claim.attempts >= BACKOFF.attempts;
                    let is_right = (failed == Failed::Buried) == is_last;
                    must("fail", is_right, || format!("{failed:?} at {}", claim.attempts))?;
                }
                _ => {
                    let outputs = [(self.draw.any_token(), self.draw.vout())];
                    self.valid("dispatch", |tx| {
                        keeper::dispatch(tx, &subscription, &claim, &outputs)
                    })?;
                }
            }
        }
        Ok(())
    }

    pub(super) fn work_on_token(&mut self) -> Result<(), SimError> {
        let key = TokensKey::from(self.draw.any_token());
        let now = self.now;
        let claims = self.valid("claim", |tx| keeper::claim::<Tokens>(tx, &key, now, LEASE, 4))?;
        for claim in claims {
            self.valid("ack", |tx| keeper::ack::<Tokens>(tx, &key, &claim))?;
        }
        Ok(())
    }
}
