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

/// A verdict about a keyspace and others, with all partners for which it does not hold.
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
