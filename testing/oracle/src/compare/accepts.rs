//! `accept`: decides from the oracle's collisions which claims stay open.

use super::{ensure, ensure_true, is_exact, is_proved};
use crate::oracle::Oracle;
use keyscape_layout::model::{Accept, Keyspace, KeyspaceId};
use keyscape_prover::{Claim, Report, Rule};

/// Checks every claim that is or could be accepted, and every acceptance that is reported as idle.
///
/// # Errors
/// Returns the first difference.
pub(crate) fn accepts(oracle: &Oracle<'_>, report: &Report) -> Result<(), String> {
    for claim in &report.claims {
        let keyspace = oracle.layout.keyspace(claim.keyspace);
        accepted(oracle, claim).map_err(|difference| {
            format!("accepting {} of `{}`: {difference}", claim.rule.code(), keyspace.name)
        })?;
    }
    for id in oracle.layout.keyspace_ids() {
        let keyspace = oracle.layout.keyspace(id);
        for accept in &keyspace.accepts {
            let claims = report.claims.iter().filter(|claim| claim.keyspace == id);
            let used = claims.filter(|claim| matches(oracle, claim, accept)).collect::<Vec<_>>();
            let is_idle = report.idle_accepts.contains(&(id, accept.span));
            let name = || format!("`accept {}` of `{}`", accept.rule, keyspace.name);
            if is_idle {
                ensure(used.is_empty(), || format!("{} is said to be idle", name()))?;
            } else if !used.is_empty() || !is_exact(oracle) {
                continue;
            } else {
                return Err(format!("{} accepts nothing, and is not said to be idle", name()));
            }
        }
    }
    let open = |claim: &Claim| !is_proved(claim) && claim.accepted.is_none();
    let holds = report.idle_accepts.is_empty() && !report.claims.iter().any(open);
    ensure_true(report.holds() == holds, "open claims and the exit code differ")
}

/// Returns the keyspaces that refute a claim together with its own, and `None` if the claim fails
/// without another keyspace.
fn partners(oracle: &Oracle<'_>, claim: &Claim) -> Vec<Option<KeyspaceId>> {
    match claim.rule {
        Rule::Disjoint => oracle.collisions(claim.keyspace).into_keys().map(Some).collect(),
        Rule::StructureTyped => oracle.mistyped(claim.keyspace).into_keys().map(Some).collect(),
        Rule::Allocated => {
            let found = oracle.allocation(claim.keyspace).unwrap_or_default();
            let alone =
                found.outside.is_some() || !found.nested.is_empty() || !found.retired.is_empty();
            let others = found.comparable.into_keys().map(Some);
            others.chain(alone.then_some(None)).collect()
        }
        _ => vec![None],
    }
}

/// Returns the acceptances of a keyspace for the rule of a claim, and for its scan if they name
/// one.
fn candidates<'k>(keyspace: &'k Keyspace, claim: &Claim) -> Vec<&'k Accept> {
    let scan = claim.scan.and_then(|scan| keyspace.scans.get(scan)).map(|scan| &scan.name);
    let accepts = keyspace.accepts.iter().filter(|accept| accept.rule == claim.rule.code());
    accepts.filter(|accept| accept.scan.is_none() || accept.scan.as_ref() == scan).collect()
}

/// Whether an acceptance names a failing claim and, if it names a keyspace, one that the claim
/// fails with.
fn matches(oracle: &Oracle<'_>, claim: &Claim, accept: &Accept) -> bool {
    let keyspace = oracle.layout.keyspace(claim.keyspace);
    let is_candidate = candidates(keyspace, claim).iter().any(|other| other.span == accept.span);
    if is_proved(claim) || !is_candidate {
        return false;
    }
    accept.with.is_none()
        || partners(oracle, claim)
            .into_iter()
            .flatten()
            .any(|partner| is_with(oracle, accept, partner))
}

fn is_with(oracle: &Oracle<'_>, accept: &Accept, partner: KeyspaceId) -> bool {
    accept.with.as_ref() == Some(&oracle.layout.keyspace(partner).name)
}

/// Checks that a claim is accepted if and only if its acceptances cover all its partners.
fn accepted(oracle: &Oracle<'_>, claim: &Claim) -> Result<(), String> {
    let candidates = candidates(oracle.layout.keyspace(claim.keyspace), claim);
    let whole = candidates.iter().any(|accept| accept.with.is_none());
    let partners = partners(oracle, claim);
    let covers = |partner: &Option<KeyspaceId>| {
        partner.is_some_and(|partner| candidates.iter().any(|a| is_with(oracle, a, partner)))
    };
    let open: Vec<_> = partners.iter().filter(|partner| !whole && !covers(partner)).collect();
    match (is_proved(claim), claim.accepted.is_some()) {
        (true, accepted) => ensure_true(!accepted, "a proved claim is accepted"),
        (false, true) if whole => Ok(()),
        (false, true) => {
            ensure(open.is_empty(), || format!("nobody accepts {open:?}"))?;
            ensure_true(!partners.is_empty() || !is_exact(oracle), "nothing is accepted")
        }
        (false, false) => {
            let all = whole || !partners.is_empty() && open.is_empty();
            ensure_true(!(all && is_exact(oracle)), "all that refutes it is accepted")
        }
    }
}
