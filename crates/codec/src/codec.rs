//! What every codec can do.

use crate::{Description, Malformed, Uint, Under, Value, ValueError, order};
use alloc::{
    string::{String, ToString},
    sync::Arc,
    vec::Vec,
};
use core::{cmp::Ordering, fmt};
use keyscape_automata::{Budget, Dfa, OverBudget};

/// How the values of a field become bytes and back.
///
/// A codec carries its domain: `dec(u8) in 0..=5` is one codec, `dec(u8)` another. Its *language*
/// is exactly the set of byte strings that it can produce for values of its domain.
///
/// Laws, checked for every codec by one suite:
/// * `encode(decode(w)) = w` for every word `w` of the language, and decode accepts nothing else;
/// * `decode(encode(v)) = v` if the codec is [lossless](Codec::lossless);
/// * what [`Codec::order`] says holds for all values of the domain;
/// * no encoding is longer than [`Codec::longest`].
pub trait Codec: fmt::Debug + Send + Sync {
    /// Describes the codec and its domain. Codecs with equal descriptions are equal.
    fn describe(&self) -> Description;

    /// Prints the description: the codec as a layout writes it, in one canonical form. The text is for
    /// readers and for maps by codec; whatever reasons about a codec asks [`Codec::describe`].
    fn text(&self) -> String {
        self.describe().to_string()
    }

    /// What its values are.
    fn kind(&self) -> Kind;

    /// Which values are allowed, for messages: `an integer from 0 to 5`.
    fn allowed(&self) -> String;

    /// Appends the encoding of `value`. Nothing is appended on an error.
    ///
    /// # Errors
    /// [`ValueError`] if the value is not of the domain.
    fn encode(&self, value: &Value, out: &mut Vec<u8>) -> Result<(), ValueError>;

    /// The value whose encoding is `bytes`.
    ///
    /// # Errors
    /// [`Malformed`] if `bytes` is not in the language.
    fn decode(&self, bytes: &[u8]) -> Result<Value, Malformed>;

    /// The byte strings that it can produce.
    ///
    /// # Errors
    /// [`OverBudget`] if the automaton does not fit.
    fn language(&self, budget: Budget) -> Result<Language, OverBudget>;

    /// Whether bytes sort as values do.
    fn order(&self) -> Order;

    /// What holds if encodings are not compared byte by byte from the left, but in another way. A
    /// codec that wraps this one asks it.
    fn order_by(&self, comparison: Comparison) -> Order {
        order::by(self, comparison)
    }

    /// The logical order of two values of the domain.
    fn compare(&self, a: &Value, b: &Value) -> Ordering;

    /// Whether distinct values have distinct encodings.
    fn lossless(&self) -> Loss {
        Loss::None
    }

    /// Whether no two values share a shorter encoding than those that [`Codec::lossless`] names.
    fn shows_shortest_loss(&self) -> bool {
        true
    }

    /// The length of the longest encoding; `None` if there is no longest.
    fn longest(&self) -> Option<usize>;

    /// Values of the domain that are worth trying: its ends, small ones, powers and their
    /// neighbours. Never empty, without duplicates, at most about a thousand, simplest first.
    fn samples(&self) -> Vec<Value>;

    /// The first of the [samples](Codec::samples), for codecs that know it without the others.
    fn simplest(&self) -> Option<Value> {
        self.samples().into_iter().next()
    }

    /// The same codec with a narrower domain of integers, for codecs of integers; `None` if the
    /// codec has no integers, or none of them is left.
    fn restrict(&self, range: &IntRange) -> Option<Arc<dyn Codec>> {
        let _ = range;
        None
    }

    /// The integers of the domain, for codecs of integers.
    fn integers(&self) -> Option<IntRange> {
        None
    }

    /// The two integers of the domain, for codecs of pairs.
    fn pairs(&self) -> Option<PairDomain> {
        None
    }

    /// The hash function, if the values are its digests. That distinct inputs have distinct values
    /// is then an assumption, which an answer about loss has to name.
    fn hashes(&self) -> Option<&'static str> {
        None
    }
}

/// The byte strings that a codec can produce.
#[derive(Clone, Debug)]
pub enum Language {
    /// Exactly these.
    Exact(Arc<Dfa>),
    /// At most `over` and at least `under`; a checksum or a long body behind its length, for
    /// instance, is not worth an automaton.
    Between {
        /// Contains every encoding.
        over: Arc<Dfa>,
        /// Contains encodings only.
        under: Under,
        /// Whether no encoding is the beginning of another, even if `over` does not show it.
        prefix_free: bool,
    },
}

/// What a codec says about order.
#[derive(Clone, Debug, PartialEq)]
pub enum Order {
    /// Encodings that differ at a byte sort as their values do. Where one encoding is the beginning
    /// of another, `prefix` says which value is the smaller one.
    Ordered {
        /// Who comes first when one encoding is the beginning of the other.
        prefix: PrefixOrder,
    },
    /// `lower` is the smaller value but has the larger bytes, different at a byte. Of all such
    /// pairs, this is one with the fewest bytes in total, if `minimal`. A lossy codec need not give
    /// these values back.
    Misordered {
        /// The smaller value.
        lower: Value,
        /// The larger value.
        higher: Value,
        /// Whether no other such pair has fewer bytes.
        minimal: bool,
    },
    /// `lower` and `higher` have one encoding, so no order of bytes tells them apart. Only lossy
    /// codecs say so, and only those that know of no two values whose bytes differ and sort wrongly.
    /// Decoding gives at most one of these two back, hence a replay needs the values.
    Tied {
        /// The smaller value.
        lower: Value,
        /// The larger value.
        higher: Value,
    },
    /// Not decided, for the reason given.
    Unknown(&'static str),
}

/// Ways to compare encodings, other than byte by byte from the left.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Comparison {
    /// The shorter one first, and byte by byte only where lengths are equal; as behind a length.
    LengthFirst,
    /// Byte by byte from the right, for encodings of one length; as for reversed bytes.
    FromTheRight,
}

/// Which of two values is smaller when one encoding is the beginning of the other.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum PrefixOrder {
    /// The one with the shorter encoding.
    ShorterFirst,
    /// The one with the longer encoding.
    LongerFirst,
}

/// What a codec says about loss.
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

/// What kind of values a codec has.
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

/// A type of integers.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct IntType {
    /// 8, 16, 32, 64 or 128; 256 without a sign.
    pub bits: u32,
    /// Whether there are negative numbers.
    pub signed: bool,
}

/// Pairs of integers without a sign, the first counted in wholes and the second in parts of one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PairDomain {
    /// The smallest and the largest first integer.
    pub wholes: (u64, u64),
    /// The largest second integer; the smallest is zero.
    pub last_part: u64,
    /// How many parts are a whole.
    pub scale: u64,
    /// The largest first integer up to which pairs have distinct encodings, if no second integer
    /// makes up a whole; `None` if there is none.
    pub kept_apart: Option<u64>,
}

/// Integers from `low` to `high`, both included. Signed bounds are used for signed types only.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum IntRange {
    /// Integers without a sign.
    Unsigned {
        /// The smallest.
        low: Uint,
        /// The largest.
        high: Uint,
    },
    /// Integers with a sign.
    Signed {
        /// The smallest.
        low: i128,
        /// The largest.
        high: i128,
    },
}

impl IntRange {
    /// Whether every integer of `other` is one of these. Signed and unsigned integers are different
    /// values.
    #[must_use]
    pub fn contains(&self, other: &Self) -> bool {
        match (self, other) {
            (Self::Unsigned { low, high }, Self::Unsigned { low: least, high: most }) => {
                low <= least && most <= high
            }
            (Self::Signed { low, high }, Self::Signed { low: least, high: most }) => {
                low <= least && most <= high
            }
            _ => false,
        }
    }

    /// Whether some integer is in both.
    #[must_use]
    pub fn overlaps(&self, other: &Self) -> bool {
        match (self, other) {
            (Self::Unsigned { low, high }, Self::Unsigned { low: least, high: most }) => {
                low <= most && least <= high
            }
            (Self::Signed { low, high }, Self::Signed { low: least, high: most }) => {
                low <= most && least <= high
            }
            _ => false,
        }
    }
}
