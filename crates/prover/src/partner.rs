//! Partners: the other keyspaces for which a claim about two keyspaces is not proved.

use crate::verdict::{Unknown, Verdict};
use keyscape_layout::model::KeyspaceId;

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

    /// Adds partners that no `accept … with` names.
    pub(crate) fn extend(&mut self, partners: impl IntoIterator<Item = Partner>) {
        self.listed.extend(partners);
    }

    /// Returns the partners in the order of their declarations. Partners without a keyspace come
    /// last.
    pub(crate) fn sorted(mut self) -> Vec<Partner> {
        let place = |partner: &Partner| (partner.keyspace.is_none(), partner.keyspace);
        self.listed.sort_by_key(place);
        self.listed
    }
}

/// A verdict about a keyspace and others, with the partners for which the claim is not proved.
#[derive(Clone, Debug)]
pub(crate) struct PairVerdict {
    pub(crate) verdict: Verdict,
    pub(crate) partners: Vec<Partner>,
}

impl PairVerdict {
    pub(crate) const fn proved() -> Self {
        Self { verdict: Verdict::Proved, partners: Vec::new() }
    }

    /// Returns an unknown verdict without decided partners.
    pub(crate) fn unknown(reason: Unknown) -> Self {
        let partners = vec![Partner::undecided(None, reason.clone())];
        Self { verdict: Verdict::Unknown(reason), partners }
    }
}
