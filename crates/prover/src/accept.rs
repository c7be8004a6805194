//! `accept`: failing claims that the layout accepts with a reason, and the other keyspaces for
//! which a claim about two keyspaces fails.

use crate::verdict::{Claim, Rule, Unknown, Verdict};
use keyscape_layout::{
    Layout, Span,
    model::{Accept, KeyspaceId, Scan},
};

/// A keyspace for which KS001, KS007 or KS008 is refuted or undecided.
#[derive(Clone, Debug)]
pub struct Partner {
    /// The other keyspace. `None` for a fault without another keyspace, and for a search that
    /// reached its limit and may have missed any keyspace.
    pub keyspace: Option<KeyspaceId>,
    /// The reason for an undecided partner, or `None` for a refuted one.
    pub undecided: Option<Unknown>,
    /// The reason for which the layout accepts the partner.
    pub accepted: Option<String>,
}

impl Partner {
    pub(crate) const fn refuted(keyspace: Option<KeyspaceId>) -> Self {
        Self { keyspace, undecided: None, accepted: None }
    }

    pub(crate) const fn undecided(keyspace: Option<KeyspaceId>, reason: Unknown) -> Self {
        Self { keyspace, undecided: Some(reason), accepted: None }
    }
}

/// The highest number of listed partners that are not accepted.
const MAX_PARTNERS: usize = 64;

/// The partners of one claim. All accepted partners are retained, because an acceptance without a
/// partner is idle. Of the others, [`MAX_PARTNERS`] are retained, because a single one prevents the
/// acceptance of the claim.
#[derive(Debug, Default)]
pub(crate) struct Partners {
    listed: Vec<Partner>,
    not_accepted: usize,
}

impl Partners {
    pub(crate) fn add(&mut self, partner: Partner, is_accepted: bool) {
        self.not_accepted += usize::from(!is_accepted);
        if is_accepted || self.not_accepted <= MAX_PARTNERS {
            self.listed.push(partner);
        }
    }

    /// Returns the partners in the order of their declarations. Partners without a keyspace come
    /// last.
    pub(crate) fn sorted(mut self) -> Vec<Partner> {
        let place = |partner: &Partner| (partner.keyspace.is_none(), partner.keyspace);
        self.listed.sort_by_key(place);
        self.listed
    }
}

/// Marks the claims that the layout accepts, and returns the acceptances that match none.
///
/// `accept … with` accepts one partner. A claim about two keyspaces is accepted if each of its
/// partners is accepted, or if an `accept` names no partner.
pub(crate) fn apply(layout: &Layout, claims: &mut [Claim]) -> Vec<(KeyspaceId, Span)> {
    let mut used: Vec<Span> = Vec::new();
    for claim in claims.iter_mut().filter(|claim| !matches!(claim.verdict, Verdict::Proved)) {
        let keyspace = layout.keyspace(claim.keyspace);
        let scan = claim.scan.and_then(|index| keyspace.scans.get(index));
        let matching: Vec<&Accept> =
            keyspace.accepts.iter().filter(|accept| is_about(accept, claim.rule, scan)).collect();
        let mut take = |name: Option<&str>| {
            let accepts = matching.iter().filter(|accept| accept.with.as_deref() == name);
            let reasons: Vec<&str> = accepts
                .map(|accept| {
                    used.push(accept.span);
                    accept.reason.as_str()
                })
                .collect();
            (!reasons.is_empty()).then(|| reasons.join("; "))
        };
        let whole = take(None);
        for partner in &mut claim.partners {
            let name = partner.keyspace.map(|other| layout.keyspace(other).name.as_str());
            partner.accepted = name.and_then(|name| take(Some(name))).or_else(|| whole.clone());
        }
        let mut reasons: Vec<String> = whole.into_iter().collect();
        let of_partners: Option<Vec<&String>> =
            claim.partners.iter().map(|partner| partner.accepted.as_ref()).collect();
        for reason in of_partners.unwrap_or_default() {
            if !reasons.contains(reason) {
                reasons.push(reason.clone());
            }
        }
        claim.accepted = (!reasons.is_empty()).then(|| reasons.join("; "));
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

/// Whether an acceptance names a rule and, if it names a scan, this one.
pub(crate) fn is_about(accept: &Accept, rule: Rule, scan: Option<&Scan>) -> bool {
    accept.rule == rule.code()
        && (accept.scan.is_none() || accept.scan.as_ref() == scan.map(|scan| &scan.name))
}

/// Whether a keyspace accepts that a rule fails with another keyspace.
pub(crate) fn is_accepted(
    layout: &Layout,
    keyspace: KeyspaceId,
    rule: Rule,
    other: KeyspaceId,
) -> bool {
    let other = layout.keyspace(other).name.as_str();
    let accepts = &layout.keyspace(keyspace).accepts;
    accepts.iter().filter(|accept| accept.rule == rule.code()).any(|accept| {
        let with = accept.with.as_deref();
        with.is_none_or(|with| with == other)
    })
}
