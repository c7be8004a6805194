//! The parts of keys.

use super::{Name, Range, TypeExpr};
use crate::{Span, model::FromValue};

/// A part of a key.
#[derive(Clone, Debug, PartialEq)]
pub enum Seg {
    /// Fixed bytes.
    Lit(Lit),
    /// `{name}`, `{name: type}`, `{name: type from value}`, `{name: type from value each list}`
    Field(Field),
    /// `[segs]`, `[segs if cond]`
    Option(OptionSeg),
    /// `wrap hex(segs)`
    Wrap(WrapSeg),
    /// `{= sha256(a, b)}`
    Derived(Derived),
}

impl Seg {
    /// Returns its place.
    #[must_use]
    pub fn span(&self) -> Span {
        match self {
            Self::Lit(lit) => lit.span,
            Self::Field(field) => field.span,
            Self::Option(option) => option.span,
            Self::Wrap(wrap) => wrap.span,
            Self::Derived(derived) => derived.span,
        }
    }
}

/// Fixed bytes: `0x02`, `"text"`, or in a key `twox128("text")`.
#[derive(Clone, Debug, PartialEq)]
pub struct Lit {
    /// The bytes.
    pub bytes: Vec<u8>,
    /// Whether it was written as text.
    pub is_text: bool,
    /// The hash function around the literal. `bytes` are the bytes before hashing.
    pub function: Option<Name>,
    /// Its place.
    pub span: Span,
}

/// A field of a key.
#[derive(Clone, Debug, PartialEq)]
pub struct Field {
    /// Its name.
    pub name: Name,
    /// Its name in an older layout.
    pub was: Option<Name>,
    /// Its type. Indexes and `as` clauses may omit it.
    pub ty: Option<TypeExpr>,
    /// For an index, its source in the map's value.
    pub from_value: Option<FromValue>,
    /// The whole segment with its braces.
    pub span: Span,
}

/// An optional part of a key.
#[derive(Clone, Debug, PartialEq)]
pub struct OptionSeg {
    /// The segments inside.
    pub segs: Vec<Seg>,
    /// The condition for its presence. Without a guard, every key may have it or not.
    pub guard: Option<Cond>,
    /// The whole segment with its brackets.
    pub span: Span,
}

/// Segments with a codec around all of them.
#[derive(Clone, Debug, PartialEq)]
pub struct WrapSeg {
    /// The codec.
    pub codec: Name,
    /// The segments inside.
    pub segs: Vec<Seg>,
    /// From `wrap` to the closing bracket.
    pub span: Span,
}

/// Bytes that are computed from other fields.
#[derive(Clone, Debug, PartialEq)]
pub struct Derived {
    /// The hash function.
    pub function: Name,
    /// The fields, in the order in which their bytes are hashed.
    pub fields: Vec<Name>,
    /// The number of leading bytes of the digest, or `None` for all.
    pub length: Option<Range>,
    /// The whole segment with its braces.
    pub span: Span,
}

/// The condition for the presence of an optional part. `and` binds more tightly than `or`.
#[derive(Clone, Debug, PartialEq)]
pub enum Cond {
    /// `level is collection`, `level is not collection`, `kind is "overall"`
    Is {
        /// An enum or variant field.
        field: Name,
        /// Whether the condition is negated.
        negated: bool,
        /// A text of the enum (quoted, or bare if it is a name), or an arm of the variant.
        value: Name,
    },
    /// `height in 0..=5`
    In {
        /// A field of integers.
        field: Name,
        /// The range.
        range: Range,
    },
    /// All conditions hold.
    And(Vec<Cond>),
    /// Any condition holds.
    Or(Vec<Cond>),
}
