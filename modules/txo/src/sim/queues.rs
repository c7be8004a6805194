//! Operations on queues, and checks of their effects.

use super::Block;
use crate::{
    keeper::{self, Work},
    layout::txo::{
        Outpoint, SUBSCRIPTIONS, Score, Subscription, Subscriptions, SubscriptionsKey, TOKENS,
        Tokens, TokensKey,
    },
    worker::MemberOf,
};
use keyscape::{
    Acked, Backoff, Claim, Failed, Pushed, Queue, QueueMember, record::State, store::Tx,
};
use keyscape_sim::{Fault, check};

/// The duration of a lease, in nanoseconds.
const LEASE: u64 = 60_000_000_000;
const BACKOFF: Backoff = Backoff { first: 1_000_000_000, max: 60_000_000_000, attempts: 3 };

impl Block<'_, '_> {
    /// Reads the state of a member.
    fn member<W: Work>(
        &self,
        key: &W::Key<'_>,
        member: MemberOf<W>,
    ) -> Result<Option<QueueMember<Score>>, Fault> {
        Ok(Queue::<W>::new().get(self.tx, key.clone(), member)?)
    }

    /// Adds an output to the queue of a token.
    pub(super) fn enqueue_output(&mut self) -> Result<(), Fault> {
        const WHAT: &str = "enqueue_output";
        let (token, outpoint, score) = (self.draw.any_token(), self.draw.outpoint(), self.score());
        let key = TokensKey::from(token);
        let before = self.member::<Tokens>(&key, outpoint)?;
        let pushed = self.valid(WHAT, |tx| keeper::enqueue_output(tx, token, outpoint, score))?;
        check(WHAT, before.is_none() == (pushed == Pushed::New), || format!("{pushed:?}"))?;
        let after = self.member::<Tokens>(&key, outpoint)?;
        let next = after.map(|found| found.again.unwrap_or(found.score));
        let is_right = pushed == Pushed::Dead || next == Some(score);
        check(WHAT, is_right, || format!("it will be worked on with {next:?}"))
    }

    pub(super) fn enqueue(&mut self) -> Result<(), Fault> {
        const WHAT: &str = "enqueue_transaction";
        let subscription = self.draw.subscription()?;
        let (txid, score) = (self.draw.txid(), self.score());
        let pushed =
            self.valid(WHAT, |tx| keeper::enqueue_transaction(tx, &subscription, txid, score))?;
        if pushed == Pushed::Dead {
            let key = SubscriptionsKey::from(Subscription::from(&subscription));
            let revived = self.valid("revive", |tx| SUBSCRIPTIONS.revive(tx, key.clone(), txid))?;
            check("revive", revived, || "it was not dead".into())?;
        }
        Ok(())
    }

    /// Claims transactions, dispatches their outputs, lets some fail, and lets some leases expire.
    pub(super) fn work(&mut self) -> Result<(), Fault> {
        let subscription = self.draw.subscription()?;
        let key = SubscriptionsKey::from(Subscription::from(&subscription));
        for claim in self.claim::<Subscriptions>(&key)? {
            if !self.is_finished(&key, &claim)? {
                self.dispatch(&subscription, &claim)?;
            }
        }
        Ok(())
    }

    /// Claims outputs of a token, acknowledges most, lets some fail, and lets some leases expire.
    pub(super) fn work_on_token(&mut self) -> Result<(), Fault> {
        const WHAT: &str = "ack";
        let key = TokensKey::from(self.draw.any_token());
        for claim in self.claim::<Tokens>(&key)? {
            if self.is_finished(&key, &claim)? {
                continue;
            }
            let before = self.member::<Tokens>(&key, claim.member)?;
            let is_again = before.is_some_and(|found| found.again.is_some());
            let acked = self.valid(WHAT, |tx| keeper::ack::<Tokens>(tx, &key, &claim))?;
            check(WHAT, (acked == Acked::Again) == is_again, || format!("{acked:?}"))?;
            let after = self.member::<Tokens>(&key, claim.member)?;
            check(WHAT, after.is_some() == is_again, || format!("it is {after:?}"))?;
        }
        Ok(())
    }

    fn claim<W: Work>(&mut self, key: &W::Key<'_>) -> Result<Vec<Claim<W>>, Fault> {
        let now = self.now;
        self.valid("claim", |tx| Queue::<W>::new().claim(tx, key.clone(), now, LEASE, 4))
    }

    /// Ends some claims without success, and lets some expire. Returns whether this one is done.
    fn is_finished<W: Work>(&mut self, key: &W::Key<'_>, claim: &Claim<W>) -> Result<bool, Fault>
    where
        MemberOf<W>: Clone,
    {
        let (now, queue) = (self.now, Queue::<W>::new());
        let (what, state) = match self.draw.below(12) {
            0 => return Ok(true),
            1..=2 => {
                let failed =
                    self.valid("fail", |tx| queue.fail(tx, key.clone(), claim, now, &BACKOFF))?;
                let is_last = claim.attempts >= BACKOFF.attempts;
                let is_right = (failed == Failed::Buried) == is_last;
                check("fail", is_right, || format!("{failed:?} at {}", claim.attempts))?;
                return Ok(true);
            }
            3 => {
                self.valid("bury", |tx| queue.bury(tx, key.clone(), claim))?;
                ("bury", State::Dead)
            }
            4 => {
                let extend = |tx: &mut Tx<'_>| queue.extend(tx, key.clone(), claim, now, 2 * LEASE);
                let until = self.valid("extend", extend)?;
                check("extend", until == now + 2 * LEASE, || format!("until {until}"))?;
                ("extend", State::Leased(until))
            }
            5 => {
                let postpone = |tx: &mut Tx<'_>| queue.postpone(tx, key.clone(), claim, now, LEASE);
                ("postpone", State::Waiting(self.valid("postpone", postpone)?))
            }
            _ => return Ok(false),
        };
        let attempts = claim.attempts - u32::from(what == "postpone");
        let found = self.member::<W>(key, claim.member.clone())?;
        let is_right =
            found.is_some_and(|found| (found.state, found.attempts) == (state, attempts));
        check(what, is_right, || format!("it is {found:?}"))?;
        Ok(true)
    }

    /// Dispatches an output of a claimed transaction. An output that is dead stays so.
    fn dispatch(
        &mut self,
        subscription: &Subscription<'_>,
        claim: &Claim<Subscriptions>,
    ) -> Result<(), Fault> {
        const WHAT: &str = "dispatch";
        let (token, vout) = (self.draw.any_token(), self.draw.vout());
        let (key, outpoint) = (TokensKey::from(token), Outpoint { txid: claim.member, vout });
        let before = self.member::<Tokens>(&key, outpoint)?;
        let was_dead = before.is_some_and(|found| found.state == State::Dead);
        let done =
            self.valid(WHAT, |tx| keeper::dispatch(tx, subscription, claim, &[(token, vout)]))?;
        let expected = if was_dead { vec![(token, outpoint)] } else { Vec::new() };
        check(WHAT, done.dead == expected, || format!("{:?} are dead", done.dead))?;
        let after = self.member::<Tokens>(&key, outpoint)?;
        let is_dead = after.map(|found| found.state == State::Dead);
        check(WHAT, is_dead == Some(was_dead), || format!("it is {after:?}"))?;
        if was_dead && self.draw.chance(50) {
            let revived = self.valid("revive", |tx| TOKENS.revive(tx, key, outpoint))?;
            check("revive", revived, || "it was not dead".into())?;
        }
        Ok(())
    }
}
