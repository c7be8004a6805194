//! Codecs by the names that layouts use.

use crate::{BuildError, BuildReason, Codec, IntType, Number, Uint, fixed::Endian};
use alloc::{
    format,
    string::{String, ToString},
    sync::Arc,
    vec::Vec,
};
use keyscape_automata::Budget;

mod arguments;
mod table;

use arguments::KnownCall;
use table::TABLE;

/// An argument of a codec. A [`Call`] contains built codecs, a [`Description`](crate::Description)
/// described ones.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Arg<C = Arc<dyn Codec>> {
    /// Another codec: `len8(bytes[20])`.
    Codec(C),
    /// An integer type: `dec(u64)`. Every name that [`int_type`] accepts has this form.
    Int(IntType),
    /// An integer type with a range: `u32 in 0..1e9`.
    IntIn(IntType, IntBounds),
    /// A number: `1e9`.
    Number(Uint),
    /// A regular expression, `r"…"` over text or `br"…"` over bytes.
    Regex {
        /// The expression.
        pattern: String,
        /// Whether it is over bytes.
        bytes: bool,
        /// Whether `not` precedes it: values that match in full are excluded.
        negated: bool,
    },
    /// `not "…"`: excludes values that contain this literal.
    NotLiteral(Vec<u8>),
    /// `neg = 0x05`.
    Named(String, Vec<u8>),
    /// `"cosmos"` or `0x00`.
    Literal(Vec<u8>),
}

/// The allowed length of text or bytes: `[32]` or `[1..=64]`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct LengthRange {
    /// The minimum length in bytes.
    pub min: u32,
    /// The maximum length in bytes, if any.
    pub max: Option<u32>,
}

impl LengthRange {
    pub(crate) fn checked(self) -> Result<Self, BuildReason> {
        match self.max {
            Some(max) if max < self.min => {
                Err(BuildReason::reversed(&self.min.to_string(), &max.to_string()))
            }
            _ => Ok(self),
        }
    }

    pub(crate) fn words(&self) -> String {
        match self.max {
            Some(1) if self.min == 1 => "1 byte".to_string(),
            Some(max) if max == self.min => format!("{max} bytes"),
            Some(max) => format!("{} to {max} bytes", self.min),
            None if self.min == 0 => "any length".to_string(),
            None => format!("at least {} bytes", self.min),
        }
    }
}

/// The range after `in`, both ends included. A missing end is the end of the type.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct IntBounds {
    /// The lower end.
    pub low: Option<Number>,
    /// The upper end.
    pub high: Option<Number>,
}

/// A codec as a layout writes it.
#[derive(Clone, Debug)]
pub struct Call<'a> {
    /// The name.
    pub name: &'a str,
    /// The arguments in parentheses.
    pub args: Vec<Arg>,
    /// The length in brackets.
    pub length: Option<LengthRange>,
    /// The range after `in`.
    pub domain: Option<IntBounds>,
    /// The limit on the size of automata.
    pub budget: Budget<'a>,
}

impl<'a> Call<'a> {
    /// Creates a call of the codec `name` without arguments.
    #[must_use]
    pub fn new(name: &'a str) -> Self {
        Self { name, args: Vec::new(), length: None, domain: None, budget: Budget::default() }
    }

    /// Adds an argument.
    #[must_use]
    pub fn arg(mut self, arg: Arg) -> Self {
        self.args.push(arg);
        self
    }

    /// Sets the length.
    #[must_use]
    pub fn length(mut self, min: u32, max: Option<u32>) -> Self {
        self.length = Some(LengthRange { min, max });
        self
    }

    /// Sets the range of integers.
    #[must_use]
    pub fn domain(mut self, domain: IntBounds) -> Self {
        self.domain = Some(domain);
        self
    }
}

const NAMES: [&str; TABLE.len()] = {
    let mut names = [""; TABLE.len()];
    let mut at = 0;
    while at < names.len() {
        names[at] = TABLE[at].name;
        at += 1;
    }
    names
};

/// Returns the names of all codecs.
#[must_use]
pub const fn names() -> &'static [&'static str] {
    &NAMES
}

/// Returns the integer type with this name: `u8`, …, `u256`, `i8`, …, `i128`.
#[must_use]
pub fn int_type(name: &str) -> Option<IntType> {
    let signed = name.starts_with('i');
    let bits = match name.strip_prefix(['u', 'i'])? {
        "8" => 8,
        "16" => 16,
        "32" => 32,
        "64" => 64,
        "128" => 128,
        "256" if !signed => 256,
        _ => return None,
    };
    Some(IntType { bits, signed })
}

/// Builds a codec from its form in a layout.
///
/// # Errors
/// [`BuildError`], worded for the author of the layout.
///
/// ```
/// use keyscape_codec::{Arg, Call, build};
///
/// let pattern = Arg::Regex { pattern: "[a-z]+".into(), bytes: false, negated: false };
/// let denom = build(Call::new("text").arg(pattern).length(3, Some(128)))?;
/// assert_eq!(denom.text(), r#"text(r"[a-z]+")[3..=128]"#);
/// let error = build(Call::new("u64")).unwrap_err();
/// assert_eq!(error.to_string(), "`u64` needs a byte order: `u64be` or `u64le`");
/// # Ok::<(), keyscape_codec::BuildError>(())
/// ```
#[expect(clippy::needless_pass_by_value, reason = "a call is made for this one use")]
pub fn build(call: Call<'_>) -> Result<Arc<dyn Codec>, BuildError> {
    let name = call.name;
    if int_type(name).is_some_and(|of| of.bits != 8) {
        return Err(BuildReason::byte_order(name).into());
    }
    let Some(entry) = TABLE.iter().find(|entry| entry.name == name) else {
        return Err(BuildReason::Declaration(format!("there is no codec `{name}`")).into());
    };
    if call.length.is_some() && !entry.takes_length {
        return Err(BuildReason::Declaration(format!("`{name}` takes no length")).into());
    }
    (entry.build)(&KnownCall { entry, call: &call })
}

/// Returns the type and byte order of a name such as `u64be`.
#[must_use]
pub fn fixed_type(name: &str) -> Option<(IntType, Endian)> {
    if let Some(of) = int_type(name) {
        return Some((of, Endian::Big));
    }
    let (of, endian) = match (name.strip_suffix("be"), name.strip_suffix("le")) {
        (Some(of), _) => (of, Endian::Big),
        (_, Some(of)) => (of, Endian::Little),
        _ => return None,
    };
    int_type(of).map(|of| (of, endian))
}
