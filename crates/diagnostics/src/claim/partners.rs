//! The partners that a message about a claim shows.

use super::{Subject, undecided};
use crate::{message::Message, suggestion};
use keyscape_layout::model::KeyspaceId;
use keyscape_prover::{AllocationFault, Claim, Collision, Fault, Partner, Rule, Unknown, Verdict};
use std::cmp::Reverse;

/// Whether a message about a claim shows a partner. The message about an accepted claim shows all
/// partners, other messages only those that are not accepted.
fn is_shown(claim: &Claim, partner: &Partner) -> bool {
    claim.accepted.is_some() || partner.accepted.is_none()
}

/// Whether the message about a claim shows a collision with another keyspace.
fn shows(claim: &Claim, other: KeyspaceId) -> bool {
    claim.partners.iter().any(|p| p.keyspace == Some(other) && is_shown(claim, p))
}

/// Returns the collisions that a message about a claim shows and that no message about another
/// keyspace shows, and the number of unlisted ones. Two keyspaces that share a key both have a
/// refuted claim with the same key. The keyspace that collides with more others reports it, so that
/// the cause is reported once; of two with equally many, the earlier one.
pub(super) fn unreported<'a>(
    subject: Subject<'a>,
    collisions: &'a [Collision],
) -> (Vec<&'a Collision>, usize) {
    let Subject { claim, claims, .. } = subject;
    let lists = |other: &Claim| match &other.verdict {
        Verdict::Refuted(counterexample) => {
            let mut rows = counterexample.fault.rows().into_iter();
            other.rule == claim.rule && rows.any(|row| row.keyspace == claim.keyspace)
        }
        _ => false,
    };
    let rank = |claim: &Claim| {
        let shown = claim.partners.iter().filter(|partner| is_shown(claim, partner)).count();
        (Reverse(shown), claim.keyspace)
    };
    let is_reported = |partner: KeyspaceId| {
        claims.iter().any(|other| {
            other.keyspace == partner
                && rank(other) < rank(claim)
                && other.accepted.is_some() == claim.accepted.is_some()
                && lists(other)
                && shows(other, claim.keyspace)
        })
    };
    let shown: Vec<&Collision> =
        collisions.iter().filter(|c| shows(claim, c.there.keyspace)).collect();
    let refuted = claim.partners.iter().filter(|p| p.undecided.is_none() && is_shown(claim, p));
    let more = refuted.count().saturating_sub(shown.len());
    (shown.into_iter().filter(|c| !is_reported(c.there.keyspace)).collect(), more)
}

/// Returns the names of the keyspaces for which a claim is not decided, with the first reason.
pub(super) fn undecided<'a>(subject: Subject<'a>) -> Option<(&'a Unknown, Vec<&'a str>)> {
    let claim = subject.claim;
    let partners = || claim.partners.iter().filter(|partner| is_shown(claim, partner));
    let reason = partners().find_map(|partner| partner.undecided.as_ref())?;
    let open = partners().filter(|partner| partner.undecided.is_some());
    let names = open.filter_map(|partner| partner.keyspace);
    Some((reason, names.map(|id| subject.layout.keyspace(id).name.as_str()).collect()))
}

/// Adds the partners that the counterexample does not show: keyspaces for which the claim is not
/// decided, and further keyspaces with comparable prefixes.
pub(super) fn add_others(subject: Subject<'_>, fault: &Fault, message: &mut Message) {
    if let Fault::Allocated { fault, .. } = fault {
        let shown = match fault {
            AllocationFault::Comparable { other } => Some(*other),
            _ => None,
        };
        let claim = subject.claim;
        let beside = claim.partners.iter().filter(|partner| is_shown(claim, partner));
        let others = beside.filter_map(|partner| partner.keyspace).filter(|id| Some(*id) != shown);
        let others: Vec<&str> =
            others.map(|id| subject.layout.keyspace(id).name.as_str()).collect();
        if !others.is_empty() {
            let list = suggestion::list(&others);
            message.note("begin alike too", format_args!("its prefix and that of {list}"));
        }
    }
    if let Some((reason, names)) = undecided(subject) {
        let of = match names.as_slice() {
            [] => String::new(),
            names => format!("for {}: ", suggestion::list(names)),
        };
        let reason = undecided::reason(subject.layout, reason);
        message.note("not decided", format_args!("{of}{reason}"));
    }
}

/// Returns the open question of a claim that is not decided for some keyspaces.
pub(super) fn question(subject: Subject<'_>) -> Option<String> {
    let (_, names) = undecided(subject)?;
    if names.is_empty() {
        return None;
    }
    let (keyspace, others) = (&subject.keyspace.name, suggestion::list(&names));
    match subject.claim.rule {
        Rule::Disjoint => Some(format!("`{keyspace}` shares keys with {others}")),
        Rule::StructureTyped => {
            Some(format!("`{keyspace}` and {others} use one key with two kinds of structures"))
        }
        _ => None,
    }
}
