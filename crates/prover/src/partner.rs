//! Partners: the other keyspaces with which a claim about two keyspaces does not hold.

use crate::verdict::{Unknown, Verdict};
use keyscape_layout::model::KeyspaceId;

/// A keyspace with which KS001, KS007 or KS008 is refuted or undecided.
#[derive(Clone, Debug)]
pub struct Partner {
    /// The other keyspace. `None` for a fault without one, and for a search that reached its limit
    /// and may have missed any keyspace.
    pub keyspace: Option<KeyspaceId>,
    /// Why it is not decided for this keyspace; `None` if it is refuted.
    pub undecided: Option<Unknown>,
    /// The reason for which the layout accepts it.
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

/// The most partners of one claim that are listed without being accepted.
const MAX_PARTNERS: usize = 64;

/// The partners of one claim. Those that are accepted are all kept, since each of them counts. Of the
/// others [`MAX_PARTNERS`] are kept: one of them already keeps the claim from being accepted.
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

    /// Returns the partners in the order of their declarations; those that have no name come last.
    pub(crate) fn sorted(mut self) -> Vec<Partner> {
        let place = |partner: &Partner| (partner.keyspace.is_none(), partner.keyspace);
        self.listed.sort_by_key(place);
        self.listed
    }
}

/// A verdict about a keyspace and others, with the partners for which it does not hold.
#[derive(Clone, Debug)]
pub(crate) struct PairVerdict {
    pub(crate) verdict: Verdict,
    pub(crate) partners: Vec<Partner>,
}

impl PairVerdict {
    pub(crate) const fn proved() -> Self {
        Self { verdict: Verdict::Proved, partners: Vec::new() }
    }

    /// No partner is decided.
    pub(crate) fn unknown(reason: Unknown) -> Self {
        let partners = vec![Partner::undecided(None, reason.clone())];
        Self { verdict: Verdict::Unknown(reason), partners }
    }
}
