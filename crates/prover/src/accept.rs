//! `accept`: claims that are known to fail, with the reason that the layout gives.

use crate::verdict::{AllocationFault, Claim, Fault, Verdict};
use keyscape_layout::{
    Layout, Span,
    model::{Accept, KeyspaceId},
};

/// Marks the claims that the layout accepts, and returns the acceptances that match none.
pub(crate) fn apply(layout: &Layout, claims: &mut [Claim]) -> Vec<(KeyspaceId, Span)> {
    let mut used: Vec<Span> = Vec::new();
    for claim in claims.iter_mut().filter(|claim| !matches!(claim.verdict, Verdict::Proved)) {
        let keyspace = layout.keyspace(claim.keyspace);
        let scan = claim.scan.and_then(|index| keyspace.scans.get(index));
        let others: Vec<&str> =
            others(claim).iter().map(|&other| layout.keyspace(other).name.as_str()).collect();
        let matching: Vec<&Accept> = keyspace
            .accepts
            .iter()
            .filter(|accept| accept.rule == claim.rule.code())
            .filter(|accept| accept.scan.is_none() || accept.scan.as_ref() == scan.map(|s| &s.name))
            .filter(|accept| accept.with.as_deref().is_none_or(|with| others.contains(&with)))
            .collect();
        used.extend(matching.iter().map(|accept| accept.span));
        // Accepting one partner does not accept the others.
        let covers = |other: &&str| matching.iter().any(|a| a.with.as_deref() == Some(*other));
        let whole = matching.iter().any(|accept| accept.with.is_none());
        if whole || !others.is_empty() && !is_cut(claim) && others.iter().all(covers) {
            let reasons: Vec<&str> = matching.iter().map(|a| a.reason.as_str()).collect();
            claim.accepted = Some(reasons.join("; "));
        }
    }
    let mut idle = Vec::new();
    for id in layout.keyspace_ids() {
        for accept in &layout.keyspace(id).accepts {
            if !used.contains(&accept.span) {
                idle.push((id, accept.span));
            }
        }
    }
    idle
}

/// The other keyspaces that refute a claim.
fn others(claim: &Claim) -> Vec<KeyspaceId> {
    let Verdict::Refuted(counterexample) = &claim.verdict else { return Vec::new() };
    match &counterexample.fault {
        Fault::Disjoint { collisions, .. } | Fault::StructureTyped { collisions, .. } => {
            collisions.iter().map(|collision| collision.there.keyspace).collect()
        }
        Fault::Allocated { fault: AllocationFault::Comparable { other }, .. } => vec![*other],
        _ => Vec::new(),
    }
}

/// Whether more keyspaces refute a claim than it lists.
fn is_cut(claim: &Claim) -> bool {
    let Verdict::Refuted(counterexample) = &claim.verdict else { return false };
    match &counterexample.fault {
        Fault::Disjoint { more, .. } | Fault::StructureTyped { more, .. } => *more > 0,
        _ => false,
    }
}
