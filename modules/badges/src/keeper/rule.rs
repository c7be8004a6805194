//! One approval of any level, and whether it lets a transfer pass.

use super::{
    Approver,
    approvals::store_id,
    at,
    conditions::Limits,
    dynamic, lists,
    plan::{Changes, Plan, Usage, leaf_key, tracker_key},
};
use crate::{
    Amounts, Error, ErrorKind, MerkleProof, Ranges,
    layout::badges::{Address, ApprovalTrackersKey, Id, Kind, Owner, Party},
    names::owner_name,
    values::{
        ApprovalCriteria, BadMessage, CollectionApproval, MerkleChallenge, OrderCalculationMethod,
        PredeterminedBalances, number, ranges,
    },
};
use keyscape::{
    U256,
    store::{Hex, Read},
};

/// The reason why an approval does not apply to a transfer.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum Refusal {
    /// The sender, the recipient or the initiator is not in the list.
    #[error("the {0} is not approved")]
    Party(&'static str),
    /// An address list of the approval does not exist.
    #[error("address list `{0}` does not exist")]
    NoList(String),
    /// The time is not approved.
    #[error("the time is not approved")]
    Time,
    /// None of the badges is approved.
    #[error("the badges or ownership times are not approved")]
    Badges,
    /// A dynamic store is not true for the initiator.
    #[error("dynamic store {0} is not true for the initiator")]
    DynamicStore(Id),
    /// No proof fits a challenge.
    #[error("no proof fits challenge `{0}`")]
    Proof(String),
    /// Every proof that fits has a leaf without uses left.
    #[error("the leaf of challenge `{0}` is used up")]
    LeafUsed(String),
    /// The balances differ from the predetermined ones.
    #[error("the balances are not the predetermined ones")]
    Predetermined,
    /// A limit on amounts is reached.
    #[error("the limit on amounts ({0}) is reached")]
    Amounts(Kind),
    /// A limit on the number of transfers is reached.
    #[error("the limit on transfers ({0}) is reached")]
    Transfers(Kind),
}

/// The parties of a transfer and its other arguments.
pub(super) struct Request<'r> {
    pub(super) from: &'r Owner<'static>,
    pub(super) to: &'r Address<'static>,
    pub(super) initiator: &'r Address<'static>,
    pub(super) proofs: &'r [MerkleProof],
    /// The amounts of the whole transfer.
    pub(super) whole: &'r Amounts,
}

/// One approval of any level.
#[derive(Clone, Debug)]
pub(crate) struct Rule {
    pub(crate) approver: Approver,
    pub(crate) id: String,
    pub(crate) version: U256,
    pub(crate) approval: CollectionApproval,
    times: Ranges,
    pub(crate) ids: Ranges,
    pub(crate) ownership: Ranges,
    pub(crate) criteria: ApprovalCriteria,
    pub(crate) amounts: Limits,
    pub(crate) transfers: Limits,
}

/// A use of an approval: the amounts that it lets pass, and the rows that it changes.
pub(super) struct Passed {
    pub(super) amounts: Amounts,
    pub(super) changes: Changes,
}

impl Rule {
    /// Parses an approval.
    pub(crate) fn new(approver: Approver, approval: &CollectionApproval) -> Result<Rule, Error> {
        let criteria = approval.approval_criteria.clone().unwrap_or_default();
        Ok(Rule {
            approver,
            id: approval.approval_id.clone(),
            version: number(&approval.version)?,
            times: ranges(&approval.transfer_times)?,
            ids: ranges(&approval.badge_ids)?,
            ownership: ranges(&approval.ownership_times)?,
            amounts: Limits::parse(criteria.approval_amounts.as_ref())?,
            transfers: Limits::parse(criteria.max_num_transfers.as_ref())?,
            criteria,
            approval: approval.clone(),
        })
    }

    /// Returns the part of the remaining amounts that the rule approves, or the reason why it
    /// approves nothing.
    pub(super) fn apply(
        &self,
        plan: &Plan<'_>,
        request: &Request<'_>,
        remaining: &Amounts,
    ) -> Result<Result<Passed, Refusal>, Error> {
        if let Some(refusal) = self.parties(plan.state, request)? {
            return Ok(Err(refusal));
        }
        if !self.times.contains(plan.now) {
            return Ok(Err(Refusal::Time));
        }
        let mut amounts = remaining.at_all(&self.ids, &self.ownership);
        if amounts.is_empty() {
            return Ok(Err(Refusal::Badges));
        }
        for challenge in &self.criteria.dynamic_store_challenges {
            let store = store_id(&challenge.store_id)?;
            let value = match dynamic::get_dynamic_value(plan.state, store, request.initiator) {
                Err(error) if error.is_refusal() => false,
                value => value?,
            };
            if !value {
                return Ok(Err(Refusal::DynamicStore(store)));
            }
        }
        let mut changes = Changes::default();
        let leaf = match self.challenges(plan, request, &mut changes)? {
            Ok(leaf) => leaf,
            Err(refusal) => return Ok(Err(refusal)),
        };
        if let Some(predetermined) = &self.criteria.predetermined_balances {
            let expected = self.predetermined(plan, request, predetermined, leaf)?;
            if expected.as_ref() != Some(request.whole) {
                return Ok(Err(Refusal::Predetermined));
            }
        }
        for kind in Kind::ALL {
            let limit = self.amounts.of(kind);
            if limit > U256::ZERO {
                let key = self.key(plan.collection, &self.amounts.tracker, kind, request)?;
                let used = self.current(plan, &changes, &key)?.amounts;
                let most = Amounts::of(limit, self.ids.clone(), self.ownership.clone());
                amounts = amounts.min(&most.saturating_sub(&used));
                if amounts.is_empty() {
                    return Ok(Err(Refusal::Amounts(kind)));
                }
            }
        }
        for kind in Kind::ALL {
            if let Some(refusal) = self.count(plan, request, kind, &amounts, &mut changes)? {
                return Ok(Err(refusal));
            }
        }
        Ok(Ok(Passed { amounts, changes }))
    }

    /// Checks the lists and the conditions on the parties.
    fn parties(
        &self,
        state: &(impl Read + ?Sized),
        request: &Request<'_>,
    ) -> Result<Option<Refusal>, Error> {
        let (from, to) = (owner_name(request.from), request.to.to_string());
        let initiator = request.initiator.to_string();
        let approval = &self.approval;
        let lists = [
            ("sender", &approval.from_list_id, &from),
            ("recipient", &approval.to_list_id, &to),
            ("initiator", &approval.initiated_by_list_id, &initiator),
        ];
        for (party, list, name) in lists {
            match lists::resolve(state, list) {
                Ok(names) if names.contains(name) => {}
                Ok(_) => return Ok(Some(Refusal::Party(party))),
                Err(error) if matches!(error.kind(), ErrorKind::NoList(_)) => {
                    return Ok(Some(Refusal::NoList(list.clone())));
                }
                Err(error) => return Err(error),
            }
        }
        let criteria = &self.criteria;
        let refused = [
            ("recipient", criteria.require_to_equals_initiated_by && to != initiator),
            ("recipient", criteria.require_to_does_not_equal_initiated_by && to == initiator),
            ("sender", criteria.require_from_equals_initiated_by && from != initiator),
            ("sender", criteria.require_from_does_not_equal_initiated_by && from == initiator),
        ];
        let refused = refused.into_iter().find(|(_, refused)| *refused);
        Ok(refused.map(|(party, _)| Refusal::Party(party)))
    }

    /// Uses one leaf of every challenge. Returns the index of the leaf that can select
    /// predetermined balances.
    fn challenges(
        &self,
        plan: &Plan<'_>,
        request: &Request<'_>,
        changes: &mut Changes,
    ) -> Result<Result<Option<U256>, Refusal>, Error> {
        let mut selecting = None;
        for challenge in &self.criteria.merkle_challenges {
            let id = &challenge.challenge_tracker_id;
            let most = number(&challenge.max_uses_per_leaf)?;
            let mut refusal = Refusal::Proof(id.clone());
            let mut used = None;
            for proof in request.proofs {
                let Some(leaf) = proved(challenge, proof, request.initiator)? else { continue };
                let key = leaf_key(plan.collection, &self.approver, &self.id, id, leaf)?;
                if most > U256::ZERO {
                    let uses = plan.leaf(changes, &key)?.saturating_add(U256::ONE);
                    if uses > most {
                        refusal = Refusal::LeafUsed(id.clone());
                        continue;
                    }
                    changes.leaves.insert(key, uses);
                }
                used = Some(leaf);
                break;
            }
            let Some(leaf) = used else { return Ok(Err(refusal)) };
            if self.order().is_some_and(|order| order.challenge_tracker_id == *id) {
                selecting = Some(leaf);
            }
        }
        Ok(Ok(selecting))
    }

    fn order(&self) -> Option<&OrderCalculationMethod> {
        self.criteria.predetermined_balances.as_ref()?.order_calculation_method.as_ref()
    }

    /// Whether predetermined balances are selected by the number of transfers of a kind.
    fn is_ordered_by(&self, kind: Kind) -> bool {
        self.order().is_some_and(|order| match kind {
            Kind::Overall => order.use_overall_num_transfers,
            Kind::To => order.use_per_to_address_num_transfers,
            Kind::FromType => order.use_per_from_address_num_transfers,
            Kind::InitiatedBy => order.use_per_initiated_by_address_num_transfers,
        })
    }

    /// Returns the predetermined balances of the next transfer, or `None` if there are no more.
    fn predetermined(
        &self,
        plan: &Plan<'_>,
        request: &Request<'_>,
        predetermined: &PredeterminedBalances,
        leaf: Option<U256>,
    ) -> Result<Option<Amounts>, Error> {
        let mut order = leaf;
        for kind in Kind::ALL.into_iter().filter(|kind| self.is_ordered_by(*kind)) {
            let key = self.key(plan.collection, &self.transfers.tracker, kind, request)?;
            order = Some(self.current(plan, &Changes::default(), &key)?.transfers);
        }
        let Some(order) = order else { return Ok(None) };
        if let Some(increments) = &predetermined.incremented_balances {
            let start = Amounts::from_messages(&increments.start_balances)?;
            let by = |text: &str| Ok::<_, BadMessage>(number(text)?.checked_mul(order));
            let ids = by(&increments.increment_badge_ids_by)?;
            let times = by(&increments.increment_ownership_times_by)?;
            return Ok(ids.zip(times).and_then(|(ids, times)| start.shifted(ids, times)));
        }
        let index = usize::try_from(order).ok();
        let manual = index.and_then(|index| predetermined.manual_balances.get(index));
        Ok(manual.map(|manual| Amounts::from_messages(&manual.balances)).transpose()?)
    }

    /// Returns the key of a tracker for the party that the kind counts by.
    fn key(
        &self,
        collection: Id,
        tracker: &str,
        kind: Kind,
        request: &Request<'_>,
    ) -> Result<ApprovalTrackersKey<'static>, Error> {
        let address = match kind {
            Kind::Overall => None,
            Kind::To => Some(Party::User { address: request.to.clone() }),
            Kind::InitiatedBy => Some(Party::User { address: request.initiator.clone() }),
            Kind::FromType => Some(match request.from {
                Owner::User { address } => Party::User { address: address.clone() },
                Owner::Mint | Owner::Total => Party::Mint,
            }),
        };
        tracker_key(collection, &self.approver, &self.id, tracker, kind, address)
    }

    /// Returns a tracker with all due resets applied.
    fn current(
        &self,
        plan: &Plan<'_>,
        changes: &Changes,
        key: &ApprovalTrackersKey<'static>,
    ) -> Result<Usage, Error> {
        let mut tracker = plan.tracker(changes, key)?;
        if key.tracker.as_str() == self.amounts.tracker
            && self.amounts.is_reset(tracker.updated, plan.now)
        {
            tracker.amounts = Amounts::default();
        }
        if key.tracker.as_str() == self.transfers.tracker
            && self.transfers.is_reset(tracker.updated, plan.now)
        {
            tracker.transfers = U256::ZERO;
        }
        tracker.updated = plan.now;
        Ok(tracker)
    }

    /// Counts a use in the trackers of a kind: amounts in one tracker, the transfer in the other,
    /// which may be the same.
    fn count(
        &self,
        plan: &Plan<'_>,
        request: &Request<'_>,
        kind: Kind,
        amounts: &Amounts,
        changes: &mut Changes,
    ) -> Result<Option<Refusal>, Error> {
        if self.amounts.of(kind) > U256::ZERO {
            let key = self.key(plan.collection, &self.amounts.tracker, kind, request)?;
            let mut tracker = self.current(plan, changes, &key)?;
            tracker.amounts =
                tracker.amounts.checked_add(amounts).map_err(|_| BadMessage::Overflow)?;
            changes.trackers.insert(key, tracker);
        }
        let most = self.transfers.of(kind);
        if most > U256::ZERO || self.is_ordered_by(kind) {
            let key = self.key(plan.collection, &self.transfers.tracker, kind, request)?;
            let mut tracker = self.current(plan, changes, &key)?;
            tracker.transfers =
                tracker.transfers.checked_add(U256::ONE).ok_or(BadMessage::Overflow)?;
            if most > U256::ZERO && tracker.transfers > most {
                return Ok(Some(Refusal::Transfers(kind)));
            }
            changes.trackers.insert(key, tracker);
        }
        Ok(None)
    }
}

/// Returns the index of the leaf that a proof proves, or `None` if it does not fit the challenge.
fn proved(
    challenge: &MerkleChallenge,
    proof: &MerkleProof,
    initiator: &Address<'_>,
) -> Result<Option<U256>, Error> {
    let own = initiator.to_string();
    let leaf = if challenge.use_creator_address_as_leaf { &own } else { &proof.leaf };
    // A shorter proof could prove an inner node instead of a leaf.
    let length = U256::from(proof.aunts.len() as u64) == number(&challenge.expected_proof_length)?;
    let fits = length && !leaf.is_empty() && Hex(&proof.root(leaf)).to_string() == challenge.root;
    Ok(if fits { proof.leaf_index(leaf).map(U256::from) } else { None })
}

/// Returns the predetermined balances of the next transfer that an approval of the collection lets
/// pass. Returns `None` if the approval has no predetermined balances or no more of them, or if
/// they depend on a leaf that the proofs do not prove.
///
/// # Errors
/// [`Message`](ErrorKind::Message), [`Name`](ErrorKind::Name).
pub fn predetermined(
    state: &(impl Read + ?Sized),
    now: u64,
    collection: Id,
    approval: &CollectionApproval,
    (from, to, initiator): (&Owner<'static>, &Address<'static>, &Address<'static>),
    proofs: &[MerkleProof],
) -> Result<Option<Amounts>, Error> {
    let rule = Rule::new(Approver::Collection, approval)?;
    let plan = Plan::new(&state, collection, at(now));
    let request = Request { from, to, initiator, proofs, whole: &Amounts::default() };
    let Some(balances) = &rule.criteria.predetermined_balances else { return Ok(None) };
    let leaf = rule.challenges(&plan, &request, &mut Changes::default())?.unwrap_or(None);
    rule.predetermined(&plan, &request, balances, leaf)
}
