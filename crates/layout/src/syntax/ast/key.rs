//! The parts of keys: segments and types.

use super::Name;
use crate::{Span, model::FromValue};
use keyscape_codec::Uint;

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
    /// Returns its span.
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

/// Returns all fields in source order, including those in options and wraps.
#[must_use]
pub fn all_fields(segs: &[Seg]) -> Vec<&Field> {
    let mut all = Vec::new();
    for seg in segs {
        match seg {
            Seg::Field(field) => all.push(field),
            Seg::Option(option) => all.extend(all_fields(&option.segs)),
            Seg::Wrap(wrap) => all.extend(all_fields(&wrap.segs)),
            Seg::Lit(_) | Seg::Derived(_) => {}
        }
    }
    all
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
    /// Its span.
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

/// A range of integers or of lengths.
#[derive(Clone, Debug, PartialEq)]
pub struct Range {
    /// The smallest number, or `None` without a lower bound.
    pub low: Option<Int>,
    /// The largest number, or `None` without an upper bound.
    pub high: Option<Int>,
    /// `..=` or a single number includes the upper end, `..` does not.
    pub inclusive: bool,
    /// Its span.
    pub span: Span,
}

/// An integer of the text. It can represent every integer type.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Int {
    /// Whether a minus sign precedes it.
    pub negative: bool,
    /// The number without its sign.
    pub magnitude: Uint,
    /// Its span.
    pub span: Span,
}

/// `NAME(args)[range] in range shown as NAME(args)`
#[derive(Clone, Debug, PartialEq)]
pub struct TypeExpr {
    /// A codec, a type, or `alias.Type` of an import.
    pub name: Name,
    /// The arguments in parentheses.
    pub args: Vec<TypeArg>,
    /// A range of lengths in brackets. `[32]` is exactly 32.
    pub length: Option<Range>,
    /// A range of integers.
    pub domain: Option<Range>,
    /// The display form of values.
    pub shown: Option<Shown>,
    /// The whole expression.
    pub span: Span,
}

/// An argument of a codec.
#[derive(Clone, Debug, PartialEq)]
pub enum TypeArg {
    /// A codec or a type of integers.
    Type(TypeExpr),
    /// `r"…"` (text) or `br"…"` (bytes).
    Regex {
        /// The expression.
        pattern: String,
        /// Whether it is over bytes.
        bytes: bool,
        /// Whether `not` precedes it: values that match the whole expression are excluded.
        negated: bool,
        /// The span of the token, with its quotes.
        span: Span,
    },
    /// `not "…"`: excludes values that contain the literal.
    NotLit(Lit),
    /// `neg = 0x05`
    Named {
        /// The name.
        name: Name,
        /// The bytes.
        value: Lit,
    },
    /// A literal: `bech32("cosmos", …)`.
    Lit(Lit),
    /// A number: `f64_sum(u32, u32, 1e9)`.
    Int(Int),
}

impl TypeArg {
    /// Returns the span of the argument.
    #[must_use]
    pub fn span(&self) -> Span {
        match self {
            Self::Type(expr) => expr.span,
            Self::Regex { span, .. } => *span,
            Self::NotLit(lit) | Self::Lit(lit) => lit.span,
            Self::Named { name, value } => name.span.to(value.span),
            Self::Int(int) => int.span,
        }
    }
}

/// `shown as bech32("cosmos")`
#[derive(Clone, Debug, PartialEq)]
pub struct Shown {
    /// The form.
    pub name: Name,
    /// Its arguments.
    pub args: Vec<Lit>,
    /// From `shown` to the end.
    pub span: Span,
}
