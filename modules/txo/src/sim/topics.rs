//! Operations on topics, and checks of their effects.

use super::{Block, SimError, must};
use crate::{
    error::Error,
    keeper::{self, Admission},
};
use keyscape::store::Tx;

impl Block<'_, '_> {
    pub(super) fn topic(&mut self) -> Result<(), SimError> {
        const WHAT: &str = "admit or remove";
        let Some(known) = self.known_output()? else { return Ok(()) };
        let (topic, outpoint) = (self.part(|draw| draw.topic())?, known.outpoint);
        let before = self.look(WHAT, |tx| keeper::topic_count(tx, &topic))?;
        let expected = if self.draw.chance(75) {
            let admission = Admission {
                inputs: (0..self.draw.below(3)).map(|_| self.draw.outpoint()).collect(),
                deps: (0..self.draw.below(3)).map(|_| self.draw.txid()).collect(),
            };
            let is_new = match keeper::admit(self.tx, &topic, outpoint, &admission) {
                Ok(is_new) => is_new,
                // The topic has applied the transaction already.
                Err(Error::NotReady { .. }) => {
                    self.tally.refused += 1;
                    return Ok(());
                }
                Err(source) => return Err(SimError::refused(WHAT)(source)),
            };
            self.tally.done += 1;
            let known = self.look(WHAT, |tx| keeper::admission(tx, &topic, outpoint))?;
            must(WHAT, known.as_ref() == Some(&admission), || format!("{known:?}"))?;
            before + u64::from(is_new)
        } else {
            let was_there =
                self.valid(WHAT, |tx| keeper::remove_from_topic(tx, &topic, outpoint))?;
            before - u64::from(was_there)
        };
        let after = self.look(WHAT, |tx| keeper::topic_count(tx, &topic))?;
        must(WHAT, after == expected, || format!("{after} outputs instead of {expected}"))
    }

    pub(super) fn apply(&mut self) -> Result<(), SimError> {
        const WHAT: &str = "apply or unapply";
        let (topic, txid) = (self.part(|draw| draw.topic())?, self.draw.txid());
        let Some(score) = self.score_for(txid)? else { return Ok(()) };
        let expected = if self.draw.chance(80) {
            let expected = self.settled(txid, score)?;
            let missing = self.look(WHAT, |tx| keeper::missing_dependencies(tx, &topic, txid))?;
            if !missing.is_empty() {
                return self.refused(
                    "apply without a dependency",
                    |tx| keeper::apply(tx, &topic, txid, score),
                    |error| matches!(error, Error::NotReady { .. }),
                );
            }
            self.valid(WHAT, |tx| keeper::apply(tx, &topic, txid, score))?;
            self.is_at(WHAT, txid, expected)?;
            Some(expected)
        } else {
            match keeper::unapply(self.tx, &topic, txid) {
                Ok(_) => self.tally.done += 1,
                Err(Error::Needed { .. }) => {
                    self.tally.refused += 1;
                    return Ok(());
                }
                Err(source) => return Err(SimError::refused(WHAT)(source)),
            }
            None
        };
        let after = self.look(WHAT, |tx| keeper::applied(tx, &topic, txid))?;
        must(WHAT, after == expected, || format!("{after:?} instead of {expected:?}"))
    }

    pub(super) fn merkle(&mut self) -> Result<(), SimError> {
        const WHAT: &str = "set_merkle_state or unset_merkle_state";
        let Some(known) = self.known_output()? else { return Ok(()) };
        let outpoint = known.outpoint;
        for topic in self.look(WHAT, |tx| keeper::topics_of(tx, outpoint))? {
            let before = self.look(WHAT, |tx| keeper::merkle_state(tx, &topic, outpoint))?;
            let state = u32::try_from(self.draw.below(6)).unwrap_or_default();
            if keeper::contradiction(known.score, state).is_some() {
                self.refused(
                    "set_merkle_state against the score",
                    |tx| keeper::set_merkle_state(tx, &topic, outpoint, state),
                    |error| matches!(error, Error::MerkleState { .. }),
                )?;
                continue;
            }
            let (was, expected) = if self.draw.chance(75) {
                let set = |tx: &mut Tx<'_>| keeper::set_merkle_state(tx, &topic, outpoint, state);
                (self.valid(WHAT, set)?, Some(state))
            } else {
                let unset = |tx: &mut Tx<'_>| keeper::unset_merkle_state(tx, &topic, outpoint);
                (self.valid(WHAT, unset)?, None)
            };
            must(WHAT, was == before, || format!("it was in {before:?}, not in {was:?}"))?;
            let after = self.look(WHAT, |tx| keeper::merkle_state(tx, &topic, outpoint))?;
            must(WHAT, after == expected, || format!("it is in state {after:?}"))?;
            let states = self.look(WHAT, |tx| keeper::merkle_states(tx, &topic))?;
            let is_there = expected.is_none_or(|state| states.contains(&state));
            must(WHAT, is_there, || format!("the topic has the states {states:?}"))?;
        }
        Ok(())
    }
}
