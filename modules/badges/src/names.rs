//! Sets of names, and the names of owners.

use crate::layout::badges::Owner;
use std::collections::BTreeSet;

/// The name of the source of new badges.
pub(crate) const MINT: &str = "Mint";

/// Returns an owner as lists name it: an address in bech32, `Mint` or `Total`.
#[must_use]
pub fn owner_name(owner: &Owner<'_>) -> String {
    match owner {
        Owner::User { address } => address.to_string(),
        Owner::Mint => MINT.to_owned(),
        Owner::Total => "Total".to_owned(),
    }
}

/// A set of names: the listed ones, or all others.
///
/// ```
/// use keyscape_badges::Names;
///
/// let all_but_mint = Names::all().without(&Names::only(["Mint"]));
/// assert!(all_but_mint.contains("bb1…") && !all_but_mint.contains("Mint"));
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Names {
    listed: BTreeSet<String>,
    inverted: bool,
}

impl Names {
    /// Returns the set of the listed names.
    pub fn only<N: Into<String>>(names: impl IntoIterator<Item = N>) -> Names {
        Names { listed: names.into_iter().map(Into::into).collect(), inverted: false }
    }

    /// Returns the set of all names.
    #[must_use]
    pub fn all() -> Names {
        Names { listed: BTreeSet::new(), inverted: true }
    }

    /// Returns the set of all other names.
    #[must_use]
    pub fn inverted(self) -> Names {
        Names { inverted: !self.inverted, ..self }
    }

    /// Whether the set contains a name.
    #[must_use]
    pub fn contains(&self, name: &str) -> bool {
        self.listed.contains(name) != self.inverted
    }

    /// Whether the set is empty.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        !self.inverted && self.listed.is_empty()
    }

    /// Returns the names of both sets.
    #[must_use]
    pub fn intersection(&self, other: &Names) -> Names {
        let listed = match (self.inverted, other.inverted) {
            (false, false) => self.listed.intersection(&other.listed).cloned().collect(),
            (false, true) => self.listed.difference(&other.listed).cloned().collect(),
            (true, false) => other.listed.difference(&self.listed).cloned().collect(),
            (true, true) => self.listed.union(&other.listed).cloned().collect(),
        };
        Names { listed, inverted: self.inverted && other.inverted }
    }

    /// Returns the names of this set that the other does not contain.
    #[must_use]
    pub fn without(&self, other: &Names) -> Names {
        self.intersection(&other.clone().inverted())
    }
}
