//! Operations on topics, and checks of their effects.

use super::Block;
use crate::{
    error::Error,
    keeper::{self, Admission},
    layout::txo::{Name, Txid},
    score,
};
use keyscape::store::Tx;
use keyscape_sim::{Fault, check, is};

impl Block<'_, '_> {
    pub(super) fn topic(&mut self) -> Result<(), Fault> {
        const WHAT: &str = "admit or remove";
        let Some(known) = self.known_output()? else { return Ok(()) };
        let (topic, outpoint) = (self.draw.topic()?, known.outpoint);
        let before = keeper::topic_count(self.tx, &topic)?;
        let expected = if self.draw.chance(75) {
            let admission = self.admission(&topic)?;
            let may_refuse = |error: &Error| {
                matches!(error, Error::NotReady { .. } | Error::MissingInput { .. })
            };
            let admit = |tx: &mut Tx<'_>| keeper::admit(tx, &topic, outpoint, &admission);
            let Some(is_new) = self.attempt(WHAT, may_refuse, admit)? else {
                let applied = keeper::applied(self.tx, &topic, outpoint.txid)?;
                return check(WHAT, applied.is_some(), || "the transaction is not applied".into());
            };
            let known = keeper::admission(self.tx, &topic, outpoint)?;
            check(WHAT, known.as_ref() == Some(&admission), || format!("{known:?}"))?;
            before + u64::from(is_new)
        } else {
            let remove = |tx: &mut Tx<'_>| keeper::remove_from_topic(tx, &topic, outpoint);
            let consumes = |own: &Admission| own.inputs.contains(&outpoint);
            if self.is_needed(&topic, outpoint.txid, consumes)? {
                let what = "remove_from_topic of a consumed output";
                return self.refused(what, is!(Error: Needed), remove);
            }
            before - u64::from(self.valid(WHAT, remove)?)
        };
        let after = keeper::topic_count(self.tx, &topic)?;
        check(WHAT, after == expected, || format!("{after} outputs instead of {expected}"))
    }

    /// Draws what an output needs: mostly outputs and transactions that the topic knows.
    fn admission(&mut self, topic: &Name<'_>) -> Result<Admission, Fault> {
        let mut admission = Admission::default();
        for _ in 0..self.draw.below(3) {
            let input = self.draw.outpoint();
            let topics = keeper::topics_of(self.tx, input)?;
            if topics.contains(topic) || self.draw.chance(20) {
                admission.inputs.push(input);
            }
        }
        for _ in 0..self.draw.below(3) {
            let dep = self.draw.txid();
            let applied = keeper::applied(self.tx, topic, dep)?;
            if applied.is_some() || self.draw.chance(20) {
                admission.deps.push(dep);
            }
        }
        Ok(admission)
    }

    /// Whether a topic has applied another transaction that needs this one, as `needs` decides.
    fn is_needed(
        &self,
        topic: &Name<'_>,
        txid: Txid,
        needs: impl Fn(&Admission) -> bool,
    ) -> Result<bool, Fault> {
        for dependent in keeper::dependents_of(self.tx, txid)? {
            let by = dependent.outpoint.txid;
            let own = keeper::admission(self.tx, &dependent.topic, dependent.outpoint)?;
            if dependent.topic == *topic
                && by != txid
                && keeper::applied(self.tx, topic, by)?.is_some()
                && own.is_some_and(|own| needs(&own))
            {
                return Ok(true);
            }
        }
        Ok(false)
    }

    pub(super) fn apply(&mut self) -> Result<(), Fault> {
        const WHAT: &str = "apply or unapply";
        let (topic, txid) = (self.draw.topic()?, self.draw.txid());
        let Some(score) = self.score_for(txid)? else { return Ok(()) };
        let expected = if self.draw.chance(80) {
            let expected = self.settled(txid, score)?;
            let apply = |tx: &mut Tx<'_>| keeper::apply(tx, &topic, txid, score);
            if !keeper::missing_dependencies(self.tx, &topic, txid)?.is_empty() {
                return self.refused("apply without a dependency", is!(Error: NotReady), apply);
            }
            if !keeper::missing_inputs(self.tx, &topic, txid)?.is_empty() {
                return self.refused("apply without an input", is!(Error: MissingInput), apply);
            }
            self.valid(WHAT, apply)?;
            self.check_score(WHAT, txid, expected)?;
            Some(expected)
        } else {
            let unapply = |tx: &mut Tx<'_>| keeper::unapply(tx, &topic, txid);
            if self.is_needed(&topic, txid, |_| true)? {
                return self.refused(
                    "unapply of a needed transaction",
                    is!(Error: Needed),
                    unapply,
                );
            }
            self.valid(WHAT, unapply)?;
            None
        };
        let after = keeper::applied(self.tx, &topic, txid)?;
        check(WHAT, after == expected, || format!("{after:?} instead of {expected:?}"))
    }

    pub(super) fn merkle(&mut self) -> Result<(), Fault> {
        const WHAT: &str = "set_merkle_state or reset_merkle_state";
        let Some(known) = self.known_output()? else { return Ok(()) };
        let outpoint = known.outpoint;
        for topic in keeper::topics_of(self.tx, outpoint)? {
            let before = keeper::merkle_state(self.tx, &topic, outpoint)?;
            let state = u32::try_from(self.draw.below(6)).unwrap_or_default();
            let set = |tx: &mut Tx<'_>| keeper::set_merkle_state(tx, &topic, outpoint, state);
            if keeper::contradiction(known.score, state).is_some() {
                self.refused("set_merkle_state against the score", is!(Error: MerkleState), set)?;
                continue;
            }
            let (was, expected) = if self.draw.chance(75) {
                (self.valid(WHAT, set)?, state)
            } else {
                let reset = |tx: &mut Tx<'_>| keeper::reset_merkle_state(tx, &topic, outpoint);
                let is_mined = score::position(known.score).is_some();
                let state = if is_mined { keeper::VALIDATED } else { keeper::UNMINED };
                (self.valid(WHAT, reset)?, state)
            };
            check(WHAT, was == before, || format!("it was in {before:?}, not in {was:?}"))?;
            let after = keeper::merkle_state(self.tx, &topic, outpoint)?;
            check(WHAT, after == Some(expected), || format!("it is in state {after:?}"))?;
            let states = keeper::merkle_states(self.tx, &topic)?;
            check(WHAT, states.contains(&expected), || {
                format!("the topic has the states {states:?}")
            })?;
        }
        Ok(())
    }
}
