//! What can be wrong with a codec as a layout writes it.

use alloc::string::String;
use core::ops::Range;
use keyscape_automata::{OverBudget, regex::RegexError};

/// A codec cannot be built from what a layout says.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{reason}")]
pub struct BuildError {
    /// What is wrong, in the words of the layout.
    pub reason: BuildReason,
    /// Which argument is at fault, if it is one of them.
    pub arg: Option<usize>,
}

impl BuildError {
    pub(crate) const fn at(arg: usize, reason: BuildReason) -> Self {
        Self { reason, arg: Some(arg) }
    }

    /// The place inside the regular expression of argument [`arg`](Self::arg), as byte offsets, for
    /// errors that have one.
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

/// Why a codec cannot be built.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum BuildReason {
    /// There is no such codec.
    #[error("there is no codec `{name}`")]
    UnknownCodec {
        /// The name as written.
        name: String,
    },
    /// There is no such form of display.
    #[error("there is no form of display `{name}`")]
    UnknownForm {
        /// The name as written.
        name: String,
    },
    /// An integer type stands where its bytes must be known.
    #[error("`{name}` needs a byte order: `{name}be` or `{name}le`")]
    ByteOrder {
        /// The name as written.
        name: String,
    },
    /// The arguments are not what the codec takes.
    #[error("`{name}` is written `{usage}`")]
    Arguments {
        /// The codec.
        name: String,
        /// How it is written.
        usage: &'static str,
    },
    /// A length range was given to a codec that takes none.
    #[error("`{name}` takes no length")]
    NoLength {
        /// The codec.
        name: String,
    },
    /// A range of integers was given to a codec whose values are not integers.
    #[error("`{name}` has no integers, so `in` does not apply to it")]
    NoIntegers {
        /// The codec.
        name: String,
    },
    /// A range runs backwards.
    #[error("the range `{low}..={high}` has nothing in it: its ends are reversed")]
    Reversed {
        /// The lower end as written.
        low: String,
        /// The upper end as written.
        high: String,
    },
    /// An end of a range is not of the type.
    #[error("{end} is not in the range of `{name}`, which holds {allowed}")]
    OutsideType {
        /// The end as written.
        end: String,
        /// The codec.
        name: String,
        /// What it holds.
        allowed: String,
    },
    /// Nothing says what the text or bytes may hold.
    #[error(
        "`{name}` must say what it may hold: a regular expression or a length, such as {example}"
    )]
    Unstated {
        /// `text` or `bytes`.
        name: &'static str,
        /// How that may look.
        example: &'static str,
    },
    /// No value is left.
    #[error("`{name}` has no values: nothing satisfies all that is asked of it")]
    Empty {
        /// The codec.
        name: String,
    },
    /// A regular expression of the other kind.
    #[error("`{name}` takes a regular expression over {wanted}")]
    PatternKind {
        /// The codec.
        name: &'static str,
        /// `text, r"…"` or `bytes, br"…"`.
        wanted: &'static str,
    },
    /// A regular expression is wrong.
    #[error("{0}")]
    Regex(#[source] RegexError),
    /// An automaton does not fit the budget.
    #[error("the domain is too large: {0}")]
    OverBudget(#[source] OverBudget),
    /// Encodings would be longer than the codec can hold.
    #[error(
        "`{name}` holds at most {most} bytes, but `{inner}` can be longer; give it a length range"
    )]
    TooLong {
        /// The codec.
        name: &'static str,
        /// The limit.
        most: usize,
        /// What is inside.
        inner: String,
    },
    /// Encodings must have one length.
    #[error("`{name}` needs encodings of one length, but those of `{inner}` vary")]
    VaryingLength {
        /// The codec.
        name: &'static str,
        /// What is inside.
        inner: String,
    },
    /// An integer type without a sign where one with a sign is needed.
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
        /// How that may look.
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
    /// Arguments were given to a codec that takes none.
    #[error("`{name}` takes no arguments")]
    NoArguments {
        /// The codec.
        name: String,
    },
    /// A type of integers that the codec does not take.
    #[error("`{name}` needs {wanted}")]
    IntType {
        /// The codec.
        name: &'static str,
        /// What it takes.
        wanted: &'static str,
    },
    /// A length that must be one number is missing, or is a range.
    #[error("`{name}` needs its length in bytes: `{usage}`")]
    OneLength {
        /// The codec.
        name: &'static str,
        /// How it is written.
        usage: &'static str,
    },
    /// A width that is too small for what it must hold, or too large.
    #[error("`{name}` has {width} places, but must hold {largest} and may have at most {most}")]
    Width {
        /// The codec.
        name: &'static str,
        /// The width as written.
        width: usize,
        /// What has to fit.
        largest: String,
        /// The widest.
        most: usize,
    },
    /// A codec inside has values of another kind.
    #[error("`{name}` holds {wanted}, but the values of `{inner}` are not")]
    OtherKind {
        /// The codec.
        name: &'static str,
        /// `text` or `bytes`.
        wanted: &'static str,
        /// What is inside.
        inner: String,
    },
    /// A codec inside whose encodings are not known exactly.
    #[error(
        "`{name}` needs a codec whose encodings are known exactly, and those of `{inner}` are not"
    )]
    NotExact {
        /// The codec.
        name: &'static str,
        /// What is inside.
        inner: String,
    },
    /// A bech32 prefix that cannot be one.
    #[error("a bech32 prefix is 1 to 83 printable ASCII characters, none of them upper-case")]
    Prefix,
}
