//! Values as the dynamic path sees them, and what can be wrong with one.

use alloc::{string::String, vec::Vec};

/// An integer without a sign, of 256 bits: wide enough for every type of integers.
///
/// ```
/// use keyscape_codec::Uint;
///
/// assert_eq!(Uint::from(7_u64) + Uint::ONE, Uint::from(8_u64));
/// ```
pub type Uint = ethnum::U256;

/// A value of a field.
#[derive(Clone, Debug, PartialEq)]
pub enum Value {
    /// An integer without a sign.
    Uint(Uint),
    /// An integer with a sign.
    Int(i128),
    /// A floating-point number; never NaN or −0.
    Float(f64),
    /// Text.
    Text(String),
    /// Bytes.
    Bytes(Vec<u8>),
    /// False or true.
    Bool(bool),
    /// Two integers without a sign.
    Pair(Uint, Uint),
}

impl Value {
    /// An integer without a sign.
    ///
    /// ```
    /// use keyscape_codec::Value;
    ///
    /// assert_eq!(Value::uint(7), Value::Uint(7_u8.into()));
    /// ```
    #[must_use]
    pub const fn uint(value: u128) -> Self {
        Self::Uint(Uint::new(value))
    }
}

/// A value cannot be encoded.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum ValueError {
    /// The value is of another kind than the codec's.
    #[error("expected {expected}")]
    Kind {
        /// What would have been allowed.
        expected: String,
    },
    /// The value is outside the domain.
    #[error("expected {allowed}")]
    Outside {
        /// What would have been allowed.
        allowed: String,
    },
    /// A character or byte of the value cannot stand where it stands.
    #[error("{} is not allowed; expected {allowed}", At { index: *index, what })]
    Character {
        /// Where it stands: in characters of a text, in bytes of bytes.
        index: usize,
        /// The character, or the byte in hexadecimal.
        what: String,
        /// What would have been allowed.
        allowed: String,
    },
    /// The value ends too early.
    #[error("the value ends too early; expected {allowed}")]
    Incomplete {
        /// What would have been allowed.
        allowed: String,
    },
}

struct At<'a> {
    index: usize,
    what: &'a str,
}

impl core::fmt::Display for At<'_> {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        write!(f, "`{}` at position {}", self.what, self.index + 1)
    }
}

/// Bytes are not an encoding of the codec.
///
/// ```
/// use keyscape_codec::fixed;
///
/// let error = fixed::parse_be::<u16>(&[1, 2, 3]).unwrap_err();
/// assert!(!error.to_string().is_empty());
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{reason}")]
pub struct Malformed {
    /// Why not.
    pub reason: &'static str,
}
