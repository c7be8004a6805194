//! The trait of all codecs.

use crate::{
    Description, IntRange, LowerBound, Malformed, Stretch, Value, ValueError, order, stretch,
};
use alloc::{
    string::{String, ToString},
    sync::Arc,
    vec::Vec,
};
use core::{cmp::Ordering, fmt};
use keyscape_automata::{Budget, Dfa, Lengths, OverBudget};

/// An encoding of the values of a field as bytes.
///
/// A codec includes its domain: `dec(u8) in 0..=5` is one codec, `dec(u8)` another. Its *language*
/// is exactly the set of byte strings that it can produce for values of its domain.
///
/// Laws, checked for every codec by one suite:
/// * `encode(decode(w)) = w` for every word `w` of the language, and decode accepts nothing else;
/// * `decode(encode(v)) = v` if the codec is [lossless](Codec::lossless);
/// * the result of [`Codec::order`] holds for all values of the domain;
/// * no encoding is longer than [`Codec::longest`];
/// * some encoding has each of the [lengths](Codec::lengths).
pub trait Codec: fmt::Debug + Send + Sync {
    /// Describes the codec and its domain. Codecs with equal descriptions are equal.
    fn describe(&self) -> Description;

    /// Returns the codec as a layout writes it, in one canonical form. The text is for readers and
    /// for maps keyed by codec; code that reasons about a codec uses [`Codec::describe`].
    fn text(&self) -> String {
        self.describe().to_string()
    }

    /// Returns the kind of its values.
    fn kind(&self) -> Kind;

    /// Describes the allowed values for messages: `an integer from 0 to 5`.
    fn allowed(&self) -> String;

    /// Appends the encoding of `value`. Appends nothing on an error.
    ///
    /// # Errors
    /// [`ValueError`] if the value is outside the domain.
    fn encode(&self, value: &Value, out: &mut Vec<u8>) -> Result<(), ValueError>;

    /// Returns the encoding of `value`.
    ///
    /// # Errors
    /// [`ValueError`] if the value is outside the domain.
    fn encoding(&self, value: &Value) -> Result<Vec<u8>, ValueError> {
        let mut bytes = Vec::new();
        self.encode(value, &mut bytes)?;
        Ok(bytes)
    }

    /// Returns the value whose encoding is `bytes`.
    ///
    /// # Errors
    /// [`Malformed`] if `bytes` is not in the language.
    fn decode(&self, bytes: &[u8]) -> Result<Value, Malformed>;

    /// Returns the language of the codec.
    ///
    /// # Errors
    /// [`OverBudget`] if the automaton exceeds the budget.
    fn language(&self, budget: Budget) -> Result<Language, OverBudget>;

    /// Returns whether the byte order of encodings is the order of values.
    fn order(&self) -> Order;

    /// Returns the order under another comparison of encodings. Used by codecs that wrap this one.
    fn order_by(&self, comparison: Comparison, budget: Budget<'_>) -> Order {
        order::by(self, comparison, budget)
    }

    /// Compares two values of the domain in logical order.
    fn compare(&self, a: &Value, b: &Value) -> Ordering;

    /// Returns whether distinct values have distinct encodings.
    fn lossless(&self) -> Loss {
        Loss::None
    }

    /// Whether no two values share a shorter encoding than those that [`Codec::lossless`] returns.
    fn shows_shortest_loss(&self) -> bool {
        true
    }

    /// Returns the length of the longest encoding; `None` if lengths are unbounded.
    fn longest(&self) -> Option<usize>;

    /// Returns the inner codec and the function of lengths, if the length of an encoding follows
    /// from the length of the inner encoding.
    fn stretch(&self) -> Option<(&dyn Codec, Stretch)> {
        None
    }

    /// Returns lengths of encodings: all of them if the language is exact, otherwise those that
    /// are known without an automaton. At or above `cap`, the set contains the least one only.
    ///
    /// # Errors
    /// [`OverBudget`] if the lengths form too many progressions.
    fn lengths(&self, cap: u64, budget: Budget) -> Result<Lengths, OverBudget> {
        stretch::lengths(self, cap, budget)
    }

    /// Returns an encoding of `length` bytes, if one is found.
    ///
    /// # Errors
    /// [`OverBudget`] if the search takes too much work.
    fn of_length(&self, length: usize, budget: Budget) -> Result<Option<Vec<u8>>, OverBudget> {
        stretch::of_length(self, length, budget)
    }

    /// Whether the upper automaton accepts the encodings, and besides them only words that are
    /// longer than [`Codec::longest`].
    fn is_cut(&self) -> bool {
        false
    }

    /// Returns test values of the domain: its ends, small values, powers and their neighbours.
    /// Never empty, without duplicates, at most about a thousand, simplest first.
    fn samples(&self) -> Vec<Value>;

    /// Returns the first of the [samples](Codec::samples). Codecs override it if they can compute
    /// it alone.
    fn simplest(&self) -> Option<Value> {
        self.samples().into_iter().next()
    }

    /// Returns the codec with a narrower domain of integers; `None` if its values are not integers,
    /// or if none is left.
    fn restrict(&self, range: &IntRange) -> Option<Arc<dyn Codec>> {
        let _ = range;
        None
    }

    /// Returns the integers of the domain, for integer codecs.
    fn integers(&self) -> Option<IntRange> {
        None
    }

    /// Returns the domain of pairs, for pair codecs.
    fn pairs(&self) -> Option<PairDomain> {
        None
    }

    /// Whether encodings contain a checksum or digest of their values.
    fn has_checksum(&self) -> bool {
        false
    }

    /// Returns the hash function, if the values are its digests. That distinct inputs have distinct
    /// values is then an assumption, which an answer about loss must name.
    fn hashes(&self) -> Option<&'static str> {
        None
    }
}

/// The byte strings that a codec can produce.
#[derive(Clone, Debug)]
pub enum Language {
    /// The exact language.
    Exact(Arc<Dfa>),
    /// An upper and a lower bound, for languages that are too costly for an exact automaton:
    /// checksums, or long bodies after a length.
    Between {
        /// Accepts every encoding.
        over: Arc<Dfa>,
        /// Accepts encodings only.
        under: LowerBound,
        /// Whether no encoding is a proper prefix of another, even if `over` does not show it.
        prefix_free: bool,
    },
}

impl Language {
    /// Returns the automaton that accepts every encoding.
    #[must_use]
    pub const fn over(&self) -> &Arc<Dfa> {
        let (Self::Exact(dfa) | Self::Between { over: dfa, .. }) = self;
        dfa
    }

    /// Returns the automaton that accepts encodings only. It equals the upper one if the language
    /// is exact.
    #[must_use]
    pub fn under(&self) -> &Arc<Dfa> {
        match self {
            Self::Exact(dfa) => dfa,
            Self::Between { under, .. } => under,
        }
    }

    /// Returns the automaton of an exact language.
    #[must_use]
    pub const fn exact(&self) -> Option<&Arc<Dfa>> {
        match self {
            Self::Exact(dfa) => Some(dfa),
            Self::Between { .. } => None,
        }
    }
}

/// The relation of byte order and value order.
#[derive(Clone, Debug, PartialEq)]
pub enum Order {
    /// Encodings that differ at a byte sort like their values. If one encoding is a prefix of
    /// another, `prefix` determines the smaller value.
    Ordered {
        /// The order of two values if one encoding is a prefix of the other.
        prefix: PrefixOrder,
    },
    /// `lower` is the smaller value but has the larger bytes, different at a byte. If `minimal` is
    /// set, no such pair has fewer bytes in total. Decoding a lossy codec may return other values.
    Misordered {
        /// The smaller value.
        lower: Value,
        /// The larger value.
        higher: Value,
        /// Whether no such pair has fewer bytes in total.
        minimal: bool,
    },
    /// `lower` and `higher` have one encoding, so the byte order does not distinguish them. Only
    /// lossy codecs return this, and only if they know of no misordered pair with different bytes.
    /// Decoding returns at most one of the two values, so a replay needs the values.
    Tied {
        /// The smaller value.
        lower: Value,
        /// The larger value.
        higher: Value,
    },
    /// Not decided, with the reason.
    Unknown(&'static str),
}

/// Other comparisons of encodings than byte by byte from the left.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Comparison {
    /// The shorter one first, and byte by byte only if lengths are equal, as after a length prefix.
    LengthFirst,
    /// Byte by byte from the right, for encodings of one length, as for reversed bytes.
    FromTheRight,
}

/// The order of two values if one encoding is a prefix of the other.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum PrefixOrder {
    /// The value with the shorter encoding is smaller.
    ShorterFirst,
    /// The value with the longer encoding is smaller.
    LongerFirst,
}

/// The loss of a codec.
#[derive(Clone, Debug, PartialEq)]
pub enum Loss {
    /// Distinct values have distinct encodings.
    None,
    /// Two values with one encoding.
    Lossy {
        /// A value.
        a: Value,
        /// Another value with the same encoding.
        b: Value,
    },
}

/// The kind of a codec's values.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Kind {
    /// [`Value::Uint`].
    Uint,
    /// [`Value::Int`].
    Int,
    /// [`Value::Float`].
    Float,
    /// [`Value::Text`].
    Text,
    /// [`Value::Bytes`].
    Bytes,
    /// [`Value::Bool`].
    Bool,
    /// [`Value::Pair`].
    Pair,
}

/// An integer type.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct IntType {
    /// The width: 8, 16, 32, 64 or 128; 256 for unsigned types only.
    pub bits: u32,
    /// Whether there are negative numbers.
    pub signed: bool,
}

/// The domain of a pair codec: unsigned integers, the first in wholes and the second in fractions
/// of a whole.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PairDomain {
    /// The smallest and the largest first integer.
    pub wholes: (u64, u64),
    /// The largest second integer; the smallest is zero.
    pub last_part: u64,
    /// The number of fractions in a whole.
    pub scale: u64,
    /// The largest first integer up to which pairs have distinct encodings, if the second integer
    /// stays below a whole; `None` if no such integer exists.
    pub max_distinct_whole: Option<u64>,
}
