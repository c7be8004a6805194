//! Descriptions of codecs as data.
//!
//! Code that reasons about a codec uses its description. The text of a codec is printed from the
//! description and never parsed.

use crate::{
    Arg, BuildError, Call, Codec, IntBounds, IntType, LengthRange, Number, Uint, build,
    hash::Function,
};
use alloc::{
    boxed::Box,
    format,
    string::{String, ToString},
    sync::Arc,
    vec::Vec,
};
use core::fmt;
use keyscape_automata::Budget;

/// A codec as data. Codecs with equal descriptions are equal.
///
/// ```
/// use keyscape_codec::{Arg, Call, Direction, build};
///
/// let height = build(Call::new("desc").arg(Arg::Codec(build(Call::new("u64be"))?)))?;
/// let text = build(Call::new("hex").arg(Arg::Codec(height)))?;
/// let described = text.describe();
/// assert_eq!(described.to_string(), "hex(desc(u64be))");
/// assert_eq!(described.direction(), Direction::Descending);
/// assert_eq!(described.base().to_string(), "u64be");
/// # Ok::<(), keyscape_codec::BuildError>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub struct Description {
    /// The name that layouts use, or that of a part of a wrap ([`Description::within`]).
    pub name: &'static str,
    /// The arguments in parentheses, including the inner codec.
    pub args: Vec<Arg<Box<Self>>>,
    /// The length in brackets.
    pub length: Option<LengthRange>,
    /// The integers after `in`, with both ends; `None` if the whole type is allowed.
    pub domain: Option<IntBounds>,
    /// The values of the codec.
    pub values: Values,
    /// For a part of a wrap that a layout cannot write: the form in which its bytes are joined with
    /// those of other parts.
    pub within: Option<&'static str>,
}

/// The values of a codec.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Values {
    /// Integers of a type: all of them, or those in [`Description::domain`].
    Integers(IntType),
    /// Text or bytes that are their own encoding.
    Words,
    /// A domain of its own: booleans, floating-point numbers, times, pairs, UUIDs.
    Own,
    /// The values of the inner codec, in the same order.
    Inner,
    /// The values of the inner codec, in reverse order.
    Reversed,
    /// Digests of encodings of the inner codec. A digest is its own encoding; the hashed value is
    /// lost.
    Digests(Function),
    /// Bytes that are computed from these fields of the key.
    Computed(Vec<String>),
}

/// The order of a codec relative to the natural order of its values: numbers by size, text and
/// bytes byte by byte.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Direction {
    /// The natural order.
    Ascending,
    /// The reverse of the natural order.
    Descending,
}

impl Direction {
    /// Returns the opposite direction.
    #[must_use]
    pub const fn reversed(self) -> Self {
        match self {
            Self::Ascending => Self::Descending,
            Self::Descending => Self::Ascending,
        }
    }
}

impl Description {
    pub(crate) const fn new(name: &'static str, values: Values) -> Self {
        Self { name, args: Vec::new(), length: None, domain: None, values, within: None }
    }

    /// Describes a codec with the values of `inner` in the same order.
    pub(crate) fn around(name: &'static str, inner: &dyn Codec) -> Self {
        Self::new(name, Values::Inner).codec(inner)
    }

    /// Adds a codec as an argument.
    pub(crate) fn codec(self, inner: &dyn Codec) -> Self {
        self.arg(Arg::Codec(Box::new(inner.describe())))
    }

    pub(crate) fn arg(mut self, arg: Arg<Box<Self>>) -> Self {
        self.args.push(arg);
        self
    }

    /// Adds a fixed length in bytes.
    pub(crate) fn width(mut self, width: usize) -> Self {
        let width = u32::try_from(width).unwrap_or(u32::MAX);
        self.length = Some(LengthRange { min: width, max: Some(width) });
        self
    }

    /// Returns the description of the inner codec.
    #[must_use]
    pub fn inner(&self) -> Option<&Self> {
        self.args.iter().find_map(|arg| match arg {
            Arg::Codec(inner) => Some(&**inner),
            _ => None,
        })
    }

    /// Returns the inner codec, if both have the same values.
    fn same_values(&self) -> Option<&Self> {
        match self.values {
            Values::Inner | Values::Reversed => self.inner(),
            _ => None,
        }
    }

    /// Returns the innermost codec with the same values. Codecs with equal bases have the same
    /// values. A digest is its own base, because its values are not those that were hashed.
    #[must_use]
    pub fn base(&self) -> &Self {
        let mut base = self;
        while let Some(inner) = base.same_values() {
            base = inner;
        }
        base
    }

    /// Returns the direction in which the codec orders its values.
    #[must_use]
    pub fn direction(&self) -> Direction {
        let mut direction = Direction::Ascending;
        let mut at = self;
        while let Some(inner) = at.same_values() {
            if at.values == Values::Reversed {
                direction = direction.reversed();
            }
            at = inner;
        }
        direction
    }

    /// Returns the integer type that the layout names for the values.
    #[must_use]
    pub fn int_type(&self) -> Option<IntType> {
        match self.base().values {
            Values::Integers(of) => Some(of),
            _ => None,
        }
    }

    /// Whether values of the codec are their own encodings.
    #[must_use]
    pub const fn is_plain(&self) -> bool {
        matches!(self.values, Values::Words | Values::Digests(_))
    }

    /// Returns the description in the form that a layout writes, without parts of a wrap that have
    /// no name in layouts.
    #[must_use]
    pub fn written(&self) -> Self {
        if let (Some(_), Some(inner)) = (self.within, self.inner()) {
            return inner.written();
        }
        let mut written = self.clone();
        for arg in &mut written.args {
            if let Arg::Codec(inner) = arg {
                **inner = inner.written();
            }
        }
        written
    }

    /// Returns the form in which a wrap joins the bytes with those of other parts, if a wrap does.
    #[must_use]
    pub fn wrap_form(&self) -> Option<&'static str> {
        self.within.or_else(|| self.inner()?.wrap_form())
    }

    /// Builds the codec.
    ///
    /// # Errors
    /// [`BuildError`] if the automata exceed the budget, or if no layout can write the codec.
    pub fn build(&self, budget: Budget) -> Result<Arc<dyn Codec>, BuildError> {
        let args = self.args.iter().map(|arg| arg.clone().try_map(|inner| inner.build(budget)));
        let args = args.collect::<Result<_, BuildError>>()?;
        let (name, length, domain) = (self.name, self.length, self.domain);
        build(Call { name, args, length, domain, budget })
    }
}

impl<C> Arg<C> {
    fn try_map<D, E>(self, codec: impl FnOnce(C) -> Result<D, E>) -> Result<Arg<D>, E> {
        Ok(match self {
            Self::Codec(inner) => Arg::Codec(codec(inner)?),
            Self::Int(of) => Arg::Int(of),
            Self::IntIn(of, bounds) => Arg::IntIn(of, bounds),
            Self::Number(number) => Arg::Number(number),
            Self::Regex { pattern, bytes, negated } => Arg::Regex { pattern, bytes, negated },
            Self::NotLiteral(literal) => Arg::NotLiteral(literal),
            Self::Named(name, value) => Arg::Named(name, value),
            Self::Literal(literal) => Arg::Literal(literal),
        })
    }
}

/// Prints the codec as a layout writes it, in one canonical form.
impl fmt::Display for Description {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Values::Computed(fields) = &self.values {
            write!(f, "= {}({})", self.name, fields.join(", "))?;
        } else {
            f.write_str(self.name)?;
        }
        for (index, arg) in self.args.iter().enumerate() {
            write!(f, "{}{arg}", if index == 0 { "(" } else { ", " })?;
        }
        if !self.args.is_empty() {
            f.write_str(")")?;
        }
        if let Some(length) = &self.length {
            write!(f, "{length}")?;
        }
        self.domain.as_ref().map_or(Ok(()), |domain| write!(f, " in {domain}"))
    }
}

impl fmt::Display for Arg<Box<Description>> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Codec(inner) => write!(f, "{inner}"),
            Self::Int(of) => write!(f, "{of}"),
            Self::IntIn(of, bounds) => write!(f, "{of} in {bounds}"),
            Self::Number(number) => match power_of_ten(*number) {
                Some(exponent) => write!(f, "1e{exponent}"),
                None => write!(f, "{number}"),
            },
            Self::Regex { pattern, bytes, negated } => {
                write!(f, "{}{}", if *negated { "not " } else { "" }, raw(pattern, *bytes))
            }
            Self::NotLiteral(literal) => write!(f, "not {}", quoted(literal)),
            Self::Named(name, value) => write!(f, "{name} = {}", hexadecimal(value)),
            Self::Literal(literal) => f.write_str(&quoted(literal)),
        }
    }
}

impl fmt::Display for IntType {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}{}", if self.signed { 'i' } else { 'u' }, self.bits)
    }
}

impl fmt::Display for LengthRange {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.max {
            Some(max) if max == self.min => write!(f, "[{max}]"),
            Some(max) => write!(f, "[{}..={max}]", self.min),
            None => write!(f, "[{}..]", self.min),
        }
    }
}

impl fmt::Display for IntBounds {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let end = |bound: Option<Number>| bound.map_or_else(String::new, |end| end.to_string());
        let including = if self.high.is_some() { "=" } else { "" };
        write!(f, "{}..{including}{}", end(self.low), end(self.high))
    }
}

fn power_of_ten(number: Uint) -> Option<u32> {
    (0..=76).find(|&exponent| Uint::from(10_u8).pow(exponent) == number)
}

/// Quotes a pattern as a layout writes it, with as many `#` as its quotes need.
fn raw(pattern: &str, bytes: bool) -> String {
    let mut hashes = String::new();
    while pattern.contains(&format!("\"{hashes}")) {
        hashes.push('#');
    }
    format!("{}r{hashes}\"{pattern}\"{hashes}", if bytes { "b" } else { "" })
}

/// Quotes a literal as a layout writes it: a string if it is readable, otherwise hexadecimal.
#[must_use]
pub fn quoted(literal: &[u8]) -> String {
    let plain = |&byte: &u8| matches!(byte, b' '..=b'~') && byte != b'"' && byte != b'\\';
    if literal.iter().all(plain) {
        format!("\"{}\"", String::from_utf8_lossy(literal))
    } else {
        hexadecimal(literal)
    }
}

fn hexadecimal(bytes: &[u8]) -> String {
    format!("0x{}", crate::hex::digits(bytes))
}
