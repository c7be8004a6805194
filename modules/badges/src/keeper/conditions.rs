//! The conditions of approvals: limits, and checks of new approvals.

use super::{Rule, approval_id, approvals::store_id, lists, tracker_id};
use crate::{
    Amounts, Error, ErrorKind, MerkleProof,
    layout::badges::Kind,
    values::{ApprovalLimits, BadMessage, MerkleChallenge, number},
};
use keyscape::{U256, store::Read};
use std::collections::BTreeSet;

/// Limits by kind of tracker, and the tracker that they use.
#[derive(Clone, Debug, Default)]
pub(crate) struct Limits {
    limits: [U256; 4],
    pub(crate) tracker: String,
    reset: Option<(U256, U256)>,
}

impl Limits {
    /// Returns the limit of a kind; 0 is unlimited.
    pub(crate) fn of(&self, kind: Kind) -> U256 {
        let [overall, to, from, initiator] = self.limits;
        match kind {
            Kind::Overall => overall,
            Kind::To => to,
            Kind::FromType => from,
            Kind::InitiatedBy => initiator,
        }
    }

    pub(super) fn parse(message: Option<&ApprovalLimits>) -> Result<Limits, BadMessage> {
        let Some(message) = message else { return Ok(Limits::default()) };
        let reset = match &message.reset_time_intervals {
            None => None,
            Some(reset) => {
                let (start, length) = (number(&reset.start_time)?, number(&reset.interval_length)?);
                (start > U256::ZERO && length > U256::ZERO).then_some((start, length))
            }
        };
        let limits = [
            number(&message.overall)?,
            number(&message.per_to_address)?,
            number(&message.per_from_address)?,
            number(&message.per_initiated_by_address)?,
        ];
        Ok(Limits { limits, tracker: message.amount_tracker_id.clone(), reset })
    }

    /// Whether an interval has started since a tracker was last changed.
    pub(super) fn is_reset(&self, updated: U256, now: U256) -> bool {
        self.reset.is_some_and(|(start, length)| {
            let passed = now.checked_sub(start).and_then(|passed| passed.checked_rem(length));
            // The current interval started `passed` ago.
            passed.is_some_and(|passed| now - passed > updated)
        })
    }
}

impl Rule {
    /// Checks a new approval: its ids, its lists and its conditions.
    pub(super) fn check(&self, state: &(impl Read + ?Sized)) -> Result<(), Error> {
        approval_id(&self.id)?;
        tracker_id(&self.amounts.tracker)?;
        tracker_id(&self.transfers.tracker)?;
        let approval = &self.approval;
        for list in [&approval.from_list_id, &approval.to_list_id, &approval.initiated_by_list_id] {
            lists::resolve(state, list)?;
        }
        Amounts::check_pieces("the badges and times of an approval", &self.ids, &self.ownership)?;
        let mut challenges = BTreeSet::new();
        for challenge in &self.criteria.merkle_challenges {
            let id = &challenge.challenge_tracker_id;
            tracker_id(id)?;
            self.check_challenge(challenge)?;
            if !challenges.insert(id) {
                let (approval, challenge) = (self.id.clone(), id.clone());
                return Err(ErrorKind::DuplicateChallenge { approval, challenge }.into());
            }
        }
        for store in &self.criteria.dynamic_store_challenges {
            store_id(&store.store_id)?;
        }
        self.check_predetermined()
    }

    /// Rejects a challenge that no proof can satisfy.
    fn check_challenge(&self, challenge: &MerkleChallenge) -> Result<(), Error> {
        let impossible = |why| {
            let (approval, challenge) = (self.id.clone(), challenge.challenge_tracker_id.clone());
            Error::from(ErrorKind::Challenge { approval, challenge, why })
        };
        let is_digit = |byte: u8| matches!(byte, b'0'..=b'9' | b'a'..=b'f');
        if challenge.root.len() != 64 || !challenge.root.bytes().all(is_digit) {
            return Err(impossible("its root is not 64 lower-case hexadecimal digits"));
        }
        let length = number(&challenge.expected_proof_length)?;
        if length > U256::from(MerkleProof::MAX_AUNTS as u64) {
            return Err(impossible("its proofs have more than 64 aunts"));
        }
        number(&challenge.max_uses_per_leaf)?;
        Ok(())
    }

    /// Rejects predetermined balances that could never be selected, or in two ways.
    fn check_predetermined(&self) -> Result<(), Error> {
        let Some(predetermined) = &self.criteria.predetermined_balances else { return Ok(()) };
        let malformed = |why| {
            let approval = self.id.clone();
            Error::from(ErrorKind::Predetermined { approval, why })
        };
        let method = predetermined.order_calculation_method.as_ref();
        let method = method.ok_or_else(|| malformed("they have no order method"))?;
        let flags = [
            method.use_overall_num_transfers,
            method.use_per_to_address_num_transfers,
            method.use_per_from_address_num_transfers,
            method.use_per_initiated_by_address_num_transfers,
            method.use_merkle_challenge_leaf_index,
        ];
        if flags.into_iter().filter(|flag| *flag).count() != 1 {
            return Err(malformed("they need exactly one order method"));
        }
        let listed = !predetermined.manual_balances.is_empty();
        if listed == predetermined.incremented_balances.is_some() {
            return Err(malformed("they need either a list or increments"));
        }
        let mut challenges = self.criteria.merkle_challenges.iter();
        if method.use_merkle_challenge_leaf_index
            && !challenges.any(|other| other.challenge_tracker_id == method.challenge_tracker_id)
        {
            return Err(malformed("the challenge that selects them does not exist"));
        }
        for manual in &predetermined.manual_balances {
            Amounts::from_new_messages("the predetermined balances", &manual.balances)?;
        }
        if let Some(increments) = &predetermined.incremented_balances {
            Amounts::from_new_messages("the predetermined balances", &increments.start_balances)?;
            number(&increments.increment_badge_ids_by)?;
            number(&increments.increment_ownership_times_by)?;
        }
        Ok(())
    }

    /// Whether everything that this approval has let pass is within the limits of a new version.
    ///
    /// A limit of 0 means no limit. A missing limit or challenge may have existed before with a
    /// higher limit, so adding one counts as lowering.
    pub(super) fn is_within(&self, new: &Rule) -> bool {
        let not_lower = |old: U256, new: U256| new == U256::ZERO || old != U256::ZERO && old <= new;
        let challenges = &self.criteria.merkle_challenges;
        let uses = |challenge: &MerkleChallenge| number(&challenge.max_uses_per_leaf);
        let leaves = new.criteria.merkle_challenges.iter().all(|new| {
            let id = &new.challenge_tracker_id;
            let old = challenges.iter().find(|old| old.challenge_tracker_id == *id).map(uses);
            let old = old.transpose().ok().flatten().unwrap_or_default();
            uses(new).is_ok_and(|new| not_lower(old, new))
        });
        let mut kinds = Kind::ALL.into_iter();
        let limits = kinds.all(|kind| {
            not_lower(self.amounts.of(kind), new.amounts.of(kind))
                && not_lower(self.transfers.of(kind), new.transfers.of(kind))
        });
        let region = self.ids.is_subset(&new.ids) && self.ownership.is_subset(&new.ownership);
        leaves && limits && region
    }
}
