//! Errors in the declaration of a codec.

use alloc::string::String;
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
    /// No codec has this name.
    #[error("there is no codec `{name}`")]
    UnknownCodec {
        /// The name as written.
        name: String,
    },
    /// No display form has this name.
    #[error("there is no display form `{name}`")]
    UnknownForm {
        /// The name as written.
        name: String,
    },
    /// An integer type without a byte order.
    #[error("`{name}` needs a byte order: `{name}be` or `{name}le`")]
    ByteOrder {
        /// The name as written.
        name: String,
    },
    /// The arguments are not those of the codec.
    #[error("`{name}` is written `{usage}`")]
    Arguments {
        /// The codec.
        name: String,
        /// An example of correct usage.
        usage: &'static str,
    },
    /// A length range for a codec that takes none.
    #[error("`{name}` takes no length")]
    NoLength {
        /// The codec.
        name: String,
    },
    /// A range of integers for a codec whose values are not integers.
    #[error("`{name}` has no integers, so `in` does not apply to it")]
    NoIntegers {
        /// The codec.
        name: String,
    },
    /// A range whose lower end is above its upper end.
    #[error("the range `{low}..={high}` is empty: its ends are reversed")]
    Reversed {
        /// The lower end as written.
        low: String,
        /// The upper end as written.
        high: String,
    },
    /// An end of a range that is outside the type.
    #[error("{end} is not in the range of `{name}`, which holds {allowed}")]
    OutsideType {
        /// The end as written.
        end: String,
        /// The codec.
        name: String,
        /// The allowed values.
        allowed: String,
    },
    /// A text or bytes codec without a domain.
    #[error(
        "`{name}` must declare its domain: a regular expression or a length, such as {example}"
    )]
    Unstated {
        /// `text` or `bytes`.
        name: &'static str,
        /// An example of a domain.
        example: &'static str,
    },
    /// A domain without values.
    #[error("`{name}` has no values: no value satisfies all conditions")]
    Empty {
        /// The codec.
        name: String,
    },
    /// A regular expression of the wrong kind.
    #[error("`{name}` takes a regular expression over {expected}")]
    PatternKind {
        /// The codec.
        name: &'static str,
        /// `text, r"…"` or `bytes, br"…"`.
        expected: &'static str,
    },
    /// An invalid regular expression.
    #[error("{0}")]
    Regex(#[source] RegexError),
    /// An automaton that exceeds the budget.
    #[error("the domain is too large: {0}")]
    OverBudget(#[from] OverBudget),
    /// Encodings that are longer than the codec can hold.
    #[error(
        "`{name}` holds at most {most} bytes, but `{inner}` can be longer; give it a length range"
    )]
    TooLong {
        /// The codec.
        name: &'static str,
        /// The maximum length.
        most: usize,
        /// The inner codec.
        inner: String,
    },
    /// Encodings of several lengths, although one length is required.
    #[error("`{name}` needs encodings of one length, but those of `{inner}` vary")]
    VaryingLength {
        /// The codec.
        name: &'static str,
        /// The inner codec.
        inner: String,
    },
    /// An unsigned integer type, although a signed one is required.
    #[error("`{name}` needs a signed type, such as `i64`")]
    Unsigned {
        /// The codec.
        name: &'static str,
    },
    /// A named argument that is missing, unknown, given twice, or of the wrong length.
    #[error("`{name}` needs `{argument}` to be exactly one byte, such as `{argument} = {example}`")]
    OneByte {
        /// The codec.
        name: &'static str,
        /// The argument.
        argument: &'static str,
        /// An example of correct usage.
        example: &'static str,
    },
    /// Two bytes that must differ are equal.
    #[error("`{name}` needs two different bytes for `{a}` and `{b}`")]
    SameByte {
        /// The codec.
        name: &'static str,
        /// One argument.
        a: &'static str,
        /// The other argument.
        b: &'static str,
    },
    /// Arguments for a codec that takes none.
    #[error("`{name}` takes no arguments")]
    NoArguments {
        /// The codec.
        name: String,
    },
    /// An integer type that the codec does not support.
    #[error("`{name}` needs {expected}")]
    IntType {
        /// The codec.
        name: &'static str,
        /// The supported types.
        expected: &'static str,
    },
    /// A missing length, or a range, although one length is required.
    #[error("`{name}` needs its length in bytes: `{usage}`")]
    OneLength {
        /// The codec.
        name: &'static str,
        /// An example of correct usage.
        usage: &'static str,
    },
    /// A width that is too small for the values, or too large.
    #[error("`{name}` has {width} digits, but must hold {largest} and may have at most {most}")]
    Width {
        /// The codec.
        name: &'static str,
        /// The width as written.
        width: usize,
        /// The largest value, which must fit.
        largest: String,
        /// The maximum width.
        most: usize,
    },
    /// An inner codec whose values have another kind.
    #[error("`{name}` holds {expected}, but the values of `{inner}` are not")]
    OtherKind {
        /// The codec.
        name: &'static str,
        /// `text` or `bytes`.
        expected: &'static str,
        /// The inner codec.
        inner: String,
    },
    /// An inner codec without an exact language.
    #[error("`{name}` needs a codec with an exact language, unlike `{inner}`")]
    NotExact {
        /// The codec.
        name: &'static str,
        /// The inner codec.
        inner: String,
    },
    /// An invalid bech32 prefix.
    #[error("a bech32 prefix is 1 to 83 printable ASCII characters, none of them upper-case")]
    Prefix,
}
