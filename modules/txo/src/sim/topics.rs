//! Operations on topics, and checks of their effects.

use super::{Block, SimError, must};
use crate::{
    error::Error,
    keeper::{self, Admission},
    layout::txo::{Name, Outpoint},
    score,
};
use keyscape::store::Tx;

impl Block<'_, '_> {
    pub(super) fn topic(&mut self) -> Result<(), SimError> {
        const WHAT: &str = "admit or remove";
        let Some(known) = self.known_output()? else { return Ok(()) };
        let (topic, outpoint) = (self.part(|draw| draw.topic())?, known.outpoint);
        let before = self.look(WHAT, |tx| keeper::topic_count(tx, &topic))?;
        let expected = if self.draw.chance(75) {
            let admission = self.admission(&topic)?;
            let is_new = match keeper::admit(self.tx, &topic, outpoint, &admission) {
                Ok(is_new) => is_new,
                Err(Error::NotReady { .. } | Error::MissingInput { .. }) => {
                    let applied =
                        self.look(WHAT, |tx| keeper::applied(tx, &topic, outpoint.txid))?;
                    must(WHAT, applied.is_some(), || "the transaction is not applied".into())?;
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
            if self.is_consumed(&topic, outpoint)? {
                return self.refused(
                    "remove_from_topic of a consumed output",
                    |tx| keeper::remove_from_topic(tx, &topic, outpoint),
                    |error| matches!(error, Error::Needed { .. }),
                );
            }
            let was_there =
                self.valid(WHAT, |tx| keeper::remove_from_topic(tx, &topic, outpoint))?;
            before - u64::from(was_there)
        };
        let after = self.look(WHAT, |tx| keeper::topic_count(tx, &topic))?;
        must(WHAT, after == expected, || format!("{after} outputs instead of {expected}"))
    }

    /// Draws what an output needs: mostly outputs and transactions that the topic knows.
    fn admission(&mut self, topic: &Name<'_>) -> Result<Admission, SimError> {
        const WHAT: &str = "a draw of an admission";
        let mut admission = Admission::default();
        for _ in 0..self.draw.below(3) {
            let input = self.draw.outpoint();
            let topics = self.look(WHAT, |tx| keeper::topics_of(tx, input))?;
            if topics.contains(topic) || self.draw.chance(20) {
                admission.inputs.push(input);
            }
        }
        for _ in 0..self.draw.below(3) {
            let dep = self.draw.txid();
            let applied = self.look(WHAT, |tx| keeper::applied(tx, topic, dep))?;
            if applied.is_some() || self.draw.chance(20) {
                admission.deps.push(dep);
            }
        }
        Ok(admission)
    }

    /// Whether a topic has applied another transaction that consumes an output.
    fn is_consumed(&self, topic: &Name<'_>, outpoint: Outpoint) -> Result<bool, SimError> {
        self.look("a look at dependents", |tx| {
            for dependent in keeper::dependents_of(tx, outpoint.txid)? {
                let by = dependent.outpoint.txid;
                let own = keeper::admission(tx, &dependent.topic, dependent.outpoint)?;
                if dependent.topic == *topic
                    && by != outpoint.txid
                    && keeper::applied(tx, topic, by)?.is_some()
                    && own.is_some_and(|own| own.inputs.contains(&outpoint))
                {
                    return Ok(true);
                }
            }
            Ok(false)
        })
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
            let missing = self.look(WHAT, |tx| keeper::missing_inputs(tx, &topic, txid))?;
            if !missing.is_empty() {
                return self.refused(
                    "apply without an input",
                    |tx| keeper::apply(tx, &topic, txid, score),
                    |error| matches!(error, Error::MissingInput { .. }),
                );
            }
            self.valid(WHAT, |tx| keeper::apply(tx, &topic, txid, score))?;
            self.is_at(WHAT, txid, expected)?;
            Some(expected)
        } else {
            let is_needed = self.look(WHAT, |tx| {
                for dependent in keeper::dependents_of(tx, txid)? {
                    let by = dependent.outpoint.txid;
                    let is_applied = keeper::applied(tx, &topic, by)?.is_some();
                    if dependent.topic == topic && by != txid && is_applied {
                        return Ok(true);
                    }
                }
                Ok(false)
            })?;
            if is_needed {
                return self.refused(
                    "unapply of a needed transaction",
                    |tx| keeper::unapply(tx, &topic, txid),
                    |error| matches!(error, Error::Needed { .. }),
                );
            }
            self.valid(WHAT, |tx| keeper::unapply(tx, &topic, txid))?;
            None
        };
        let after = self.look(WHAT, |tx| keeper::applied(tx, &topic, txid))?;
        must(WHAT, after == expected, || format!("{after:?} instead of {expected:?}"))
    }

    pub(super) fn merkle(&mut self) -> Result<(), SimError> {
        const WHAT: &str = "set_merkle_state or reset_merkle_state";
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
                (self.valid(WHAT, set)?, state)
            } else {
                let reset = |tx: &mut Tx<'_>| keeper::reset_merkle_state(tx, &topic, outpoint);
                let is_mined = score::place(known.score).is_some();
                let state = if is_mined { keeper::VALIDATED } else { keeper::UNMINED };
                (self.valid(WHAT, reset)?, state)
            };
            must(WHAT, was == before, || format!("it was in {before:?}, not in {was:?}"))?;
            let after = self.look(WHAT, |tx| keeper::merkle_state(tx, &topic, outpoint))?;
            must(WHAT, after == Some(expected), || format!("it is in state {after:?}"))?;
            let states = self.look(WHAT, |tx| keeper::merkle_states(tx, &topic))?;
            must(WHAT, states.contains(&expected), || {
                format!("the topic has the states {states:?}")
            })?;
        }
        Ok(())
    }
}
