//! Transfers. All levels approve a transfer before balances and trackers are written.

use super::{
    Approver, Rule,
    approvals::{ApprovalRef, Message},
    at,
    balances::{self, amounts_error},
    collections,
    plan::Plan,
    rule::{Passed, Request},
};
use crate::{
    Amounts, Error, ErrorKind, MerkleProof,
    layout::badges::{Address, Id, Level, Owner},
    names::owner_name,
    values::{BadgeCollection, UserBalanceStore, ranges},
};
use keyscape::{
    U256,
    store::{Read, Tx},
};
use std::collections::BTreeSet;

/// A transfer of the same badges to each of several recipients.
#[derive(Clone, Debug)]
pub struct Transfer {
    /// The sender: a user, or `Mint` for new badges.
    pub from: Owner<'static>,
    /// The recipients in order. Each receives all amounts.
    pub to: Vec<Address<'static>>,
    /// The badges for each recipient.
    pub amounts: Amounts,
    /// Proofs for challenges of approvals.
    pub proofs: Vec<MerkleProof>,
    /// Approvals to try before the others, in the order of their list.
    pub prioritized: Vec<ApprovalRef>,
    /// Levels at which only prioritized approvals are tried.
    pub only_prioritized: Vec<Level>,
}

impl Transfer {
    /// Returns a transfer to one recipient without proofs and priorities.
    #[must_use]
    pub fn new(from: Owner<'static>, to: Address<'static>, amounts: Amounts) -> Transfer {
        let (proofs, prioritized, only_prioritized) = (Vec::new(), Vec::new(), Vec::new());
        Transfer { from, to: vec![to], amounts, proofs, prioritized, only_prioritized }
    }
}

/// An approval that let badges pass to a recipient.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct UsedApproval {
    /// The recipient.
    pub to: Address<'static>,
    /// The approver of the approval.
    pub approver: Approver,
    /// The id of the approval.
    pub approval: String,
    /// The version of the approval.
    pub version: U256,
    /// The badges that passed.
    pub amounts: Amounts,
}

/// Runs transfers in one collection. Returns the approvals that they used.
///
/// ```
/// # mod setup { include!(concat!(env!("CARGO_MANIFEST_DIR"), "/tests/all/setup.rs")); }
/// # use setup::{address, badges, open_collection};
/// use keyscape_badges::{Amounts, Owner, Range, keeper::{self, Transfer}};
///
/// # let (db, ann, bob) = (badges(), address(1), address(2));
/// # let id = db.write(|tx| open_collection(tx, &ann))?;
/// let ids = |start: u64, end: u64| Range::new(start, end);
/// db.write(|tx| {
///     let minted = Amounts::of(1_u64, ids(1, 100)?, Range::ALL);
///     keeper::transfer(tx, 5, &ann, id, &[Transfer::new(Owner::Mint, ann.clone(), minted)])?;
///     let some = Amounts::of(1_u64, ids(10, 19)?, Range::ALL);
///     let from = Owner::User { address: ann.clone() };
///     keeper::transfer(tx, 5, &ann, id, &[Transfer::new(from, bob.clone(), some)])?;
///     Ok::<(), Box<dyn std::error::Error>>(())
/// })?;
/// let state = db.read()?;
/// assert_eq!(keeper::amounts(&state, id, &ann)?.ids().to_string(), "1-9, 20-100");
/// assert_eq!(keeper::amounts(&state, id, &bob)?.ids().to_string(), "10-19");
/// assert_eq!(keeper::total(&state, id)?.ids().to_string(), "1-100");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # Errors
/// [`NotApproved`](ErrorKind::NotApproved), [`Amounts`](ErrorKind::Amounts),
/// [`InvalidBadges`](ErrorKind::InvalidBadges), [`ToSelf`](ErrorKind::ToSelf),
/// [`Archived`](ErrorKind::Archived), [`Version`](ErrorKind::Version).
pub fn transfer(
    tx: &mut Tx<'_>,
    now: u64,
    initiator: &Address<'_>,
    collection: Id,
    transfers: &[Transfer],
) -> Result<Vec<UsedApproval>, Error> {
    let record = collections::active(tx, collection, now)?;
    let initiator = initiator.clone().into_owned();
    tx.attempt(|tx| {
        let mut used = Vec::new();
        for transfer in transfers {
            check(&record, transfer)?;
            for to in &transfer.to {
                used.extend(transfer_to(tx, now, &initiator, (collection, &record), transfer, to)?);
            }
        }
        Ok(used)
    })
}

/// Checks the parts of a transfer that do not depend on balances and approvals.
fn check(collection: &BadgeCollection, transfer: &Transfer) -> Result<(), Error> {
    if transfer.to.is_empty() {
        return Err(ErrorKind::NoRecipient.into());
    }
    if transfer.amounts.is_empty() {
        return Err(ErrorKind::NoBadges.into());
    }
    transfer.amounts.check_size("the badges of a transfer")?;
    match &transfer.from {
        Owner::Total => return Err(ErrorKind::FromTotal.into()),
        Owner::User { address } if transfer.to.contains(address) => {
            return Err(ErrorKind::ToSelf(address.to_string()).into());
        }
        _ => {}
    }
    balances::check_valid(&ranges(&collection.valid_badge_ids)?, &transfer.amounts)
}

/// Transfers badges to one recipient: creates missing rows of users, approves the whole transfer
/// with a plan, then writes the changed rows.
fn transfer_to(
    tx: &mut Tx<'_>,
    now: u64,
    initiator: &Address<'static>,
    (id, collection): (Id, &BadgeCollection),
    transfer: &Transfer,
    to: &Address<'static>,
) -> Result<Vec<UsedApproval>, Error> {
    let sender = match &transfer.from {
        Owner::User { address } => Some((address, user(tx, (id, collection), address)?)),
        _ => None,
    };
    let mut receiver = user(tx, (id, collection), to)?;
    let request = Request {
        from: &transfer.from,
        to,
        initiator,
        proofs: &transfer.proofs,
        whole: &transfer.amounts,
    };
    let mut plan = Plan::new(&*tx, id, at(now));
    let parties = (sender.as_ref().map(|(_, record)| record), &receiver);
    let used = approve(&mut plan, &request, transfer, collection, parties)?;
    let changes = plan.finish();
    changes.write(tx)?;
    match sender {
        None => balances::add_to_total(tx, id, &transfer.amounts)?,
        Some((address, mut record)) => {
            let left = balances::parse_user(&record)?.checked_sub(&transfer.amounts);
            record.balances = left.map_err(amounts_error(&transfer.from))?.to_messages();
            balances::put(tx, id, Owner::User { address: address.by_ref() }, &record)?;
        }
    }
    let owner = Owner::User { address: to.by_ref() };
    let sum = balances::parse_user(&receiver)?.checked_add(&transfer.amounts);
    receiver.balances = sum.map_err(amounts_error(&owner))?.to_messages();
    balances::put(tx, id, owner, &receiver)?;
    Ok(used)
}

/// Returns the record of a user, and creates a row if the user has none.
fn user(
    tx: &mut Tx<'_>,
    (id, collection): (Id, &BadgeCollection),
    address: &Address<'_>,
) -> Result<UserBalanceStore, Error> {
    let (record, stored) = balances::stored_or_default(tx, id, collection, address)?;
    if stored { Ok(record) } else { balances::materialise(tx, id, address, record) }
}

/// Approves a transfer at the level of the collection, and at the levels of both users unless an
/// approval overrides them.
fn approve(
    plan: &mut Plan<'_>,
    request: &Request<'_>,
    transfer: &Transfer,
    collection: &BadgeCollection,
    (sender, receiver): (Option<&UserBalanceStore>, &UserBalanceStore),
) -> Result<Vec<UsedApproval>, Error> {
    let approver = &Approver::Collection;
    let listed = rules(approver, &collection.collection_approvals)?;
    let passed = approve_level(plan, request, transfer, approver, listed, request.whole.clone())?;
    let (mut outgoing, mut incoming) = (Amounts::default(), Amounts::default());
    let mut used = Vec::new();
    for (passed, rule) in passed {
        let sum =
            |sum: &Amounts| sum.checked_add(&passed.amounts).map_err(amounts_error(request.from));
        if !rule.criteria.overrides_from_outgoing_approvals {
            outgoing = sum(&outgoing)?;
        }
        if !rule.criteria.overrides_to_incoming_approvals {
            incoming = sum(&incoming)?;
        }
        used.push(passed);
    }
    if !outgoing.is_empty() {
        let (Owner::User { address }, Some(sender)) = (request.from, sender) else {
            // `Mint` has no approvals, so an approval of the collection must override them.
            return Err(not_approved(
                Level::Outgoing,
                Some(owner_name(request.from)),
                &outgoing,
                Vec::new(),
            ));
        };
        let automatic =
            sender.auto_approve_self_initiated_outgoing_transfers && request.initiator == address;
        if !automatic {
            let approver = Approver::Outgoing(address.clone());
            let listed = rules(&approver, &sender.outgoing_approvals)?;
            let passed = approve_level(plan, request, transfer, &approver, listed, outgoing)?;
            used.extend(passed.into_iter().map(|(used, _)| used));
        }
    }
    let automatic = receiver.auto_approve_all_incoming_transfers
        || receiver.auto_approve_self_initiated_incoming_transfers
            && request.initiator == request.to;
    if !incoming.is_empty() && !automatic {
        let approver = Approver::Incoming(request.to.clone());
        let listed = rules(&approver, &receiver.incoming_approvals)?;
        let passed = approve_level(plan, request, transfer, &approver, listed, incoming)?;
        used.extend(passed.into_iter().map(|(used, _)| used));
    }
    Ok(used)
}

fn rules<M: Message>(approver: &Approver, approvals: &[M]) -> Result<Vec<Rule>, Error> {
    approvals
        .iter()
        .map(|approval| Rule::new(approver.clone(), &approval.general(approver)))
        .collect()
}

/// Returns the approvals of an approver in a collection. A user without a row has the default
/// approvals. While a collection is being deleted, users have no approvals, because their rows may
/// be deleted already.
pub(crate) fn rules_of(
    state: &(impl Read + ?Sized),
    id: Id,
    approver: &Approver,
) -> Result<Vec<Rule>, Error> {
    let Some(collection) = collections::get_collection(state, id)? else { return Ok(Vec::new()) };
    let Some(address) = approver.address() else {
        return rules(approver, &collection.collection_approvals);
    };
    if collection.deleting {
        return Ok(Vec::new());
    }
    let (user, _) = balances::stored_or_default(state, id, &collection, address)?;
    match approver {
        Approver::Incoming(_) => rules(approver, &user.incoming_approvals),
        _ => rules(approver, &user.outgoing_approvals),
    }
}

/// Approves amounts at one level. Applies the rules in order, prioritized ones first, each to the
/// remaining part.
fn approve_level(
    plan: &mut Plan<'_>,
    request: &Request<'_>,
    transfer: &Transfer,
    approver: &Approver,
    rules: Vec<Rule>,
    mut remaining: Amounts,
) -> Result<Vec<(UsedApproval, Rule)>, Error> {
    let (mut passed, mut refusals) = (Vec::new(), Vec::new());
    for rule in in_order(transfer, approver, rules)? {
        if remaining.is_empty() {
            break;
        }
        match rule.apply(plan, request, &remaining)? {
            Err(refusal) => refusals.push((rule.id, refusal)),
            Ok(Passed { amounts, changes }) => {
                plan.accept(changes);
                remaining = remaining.saturating_sub(&amounts);
                let used = UsedApproval {
                    to: request.to.clone(),
                    approver: approver.clone(),
                    approval: rule.id.clone(),
                    version: rule.version,
                    amounts,
                };
                passed.push((used, rule));
            }
        }
    }
    if remaining.is_empty() {
        return Ok(passed);
    }
    let name = approver.address().map(ToString::to_string);
    Err(not_approved(approver.level(), name, &remaining, refusals))
}

fn not_approved(
    level: Level,
    approver: Option<String>,
    remaining: &Amounts,
    refusals: Vec<(String, super::Refusal)>,
) -> Error {
    match remaining.iter().next() {
        Some((ids, ..)) => ErrorKind::NotApproved { level, approver, ids, refusals }.into(),
        None => ErrorKind::NoBadges.into(),
    }
}

/// Returns the rules to try: prioritized ones, then the others, unless only prioritized ones apply.
/// Both groups have the order of the list.
fn in_order(
    transfer: &Transfer,
    approver: &Approver,
    rules: Vec<Rule>,
) -> Result<Vec<Rule>, Error> {
    let mut ids = BTreeSet::new();
    for prioritized in transfer.prioritized.iter().filter(|of| of.approver == *approver) {
        let ApprovalRef { approval, version, .. } = prioritized;
        if !rules.iter().any(|rule| rule.id == *approval && rule.version == *version) {
            let (approval, version) = (approval.clone(), version.to_string());
            return Err(ErrorKind::Version { approval, version }.into());
        }
        ids.insert(approval);
    }
    let (mut first, mut rest): (Vec<Rule>, Vec<Rule>) =
        rules.into_iter().partition(|rule| ids.contains(&rule.id));
    if !transfer.only_prioritized.contains(&approver.level()) {
        first.append(&mut rest);
    }
    Ok(first)
}
