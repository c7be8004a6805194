//! Errors in the declaration of a codec.

use alloc::{format, string::String};
use core::ops::Range;
use keyscape_automata::{OverBudget, regex::RegexError};

/// A codec that cannot be built from its declaration.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{reason}")]
pub struct BuildError {
    /// The reason, in the words of the layout.
    pub reason: BuildReason,
    /// The index of the wrong argument, if one is wrong.
    pub arg: Option<usize>,
}

impl BuildError {
    pub(crate) const fn at(arg: usize, reason: BuildReason) -> Self {
        Self { reason, arg: Some(arg) }
    }

    /// Returns the byte range of the error inside the regular expression of argument
    /// [`arg`](Self::arg), if it has one.
    #[must_use]
    pub fn pattern_span(&self) -> Option<Range<usize>> {
        match &self.reason {
            BuildReason::Regex(RegexError::Syntax { start, end, .. }) => Some(*start..*end),
            _ => None,
        }
    }
}

impl From<BuildReason> for BuildError {
    fn from(reason: BuildReason) -> Self {
        Self { reason, arg: None }
    }
}

impl From<OverBudget> for BuildError {
    fn from(over: OverBudget) -> Self {
        BuildReason::OverBudget(over).into()
    }
}

/// The reason why a codec cannot be built.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum BuildReason {
    /// The name, an argument, the length or the range is wrong.
    #[error("{0}")]
    Declaration(String),
    /// An invalid regular expression.
    #[error("{0}")]
    Regex(#[source] RegexError),
    /// An automaton that exceeds the budget.
    #[error("the domain is too large: {0}")]
    OverBudget(#[from] OverBudget),
}

/// Reasons that several codecs have.
impl BuildReason {
    pub(crate) fn usage(name: &str, usage: &str) -> Self {
        Self::Declaration(format!("`{name}` is written `{usage}`"))
    }

    pub(crate) fn byte_order(name: &str) -> Self {
        Self::Declaration(format!("`{name}` needs a byte order: `{name}be` or `{name}le`"))
    }

    pub(crate) fn reversed(low: &str, high: &str) -> Self {
        Self::Declaration(format!("the range `{low}..={high}` is empty: its ends are reversed"))
    }

    pub(crate) fn width(name: &str, width: usize, largest: &str, max: usize) -> Self {
        Self::Declaration(format!(
            "`{name}` has {width} digits, but must hold {largest} and may have at most {max}"
        ))
    }

    pub(crate) fn bech32_prefix() -> Self {
        let allowed = "1 to 83 printable ASCII characters, none of them upper-case";
        Self::Declaration(format!("a bech32 prefix is {allowed}"))
    }
}
