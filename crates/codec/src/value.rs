//! Dynamic values, and their errors.

use alloc::{
    format,
    string::{String, ToString},
    vec::Vec,
};

/// An unsigned integer of 256 bits: wide enough for every integer type.
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
    /// An unsigned integer.
    Uint(Uint),
    /// A signed integer.
    Int(i128),
    /// A floating-point number; never NaN or −0.
    Float(f64),
    /// Text.
    Text(String),
    /// Bytes.
    Bytes(Vec<u8>),
    /// A boolean.
    Bool(bool),
    /// Two unsigned integers.
    Pair(Uint, Uint),
}

impl Value {
    /// Creates an unsigned integer.
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

/// A value that cannot be encoded.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum ValueError {
    /// A value of another kind than the codec's.
    #[error("expected {expected}")]
    Kind {
        /// The allowed values.
        expected: String,
    },
    /// A value outside the domain.
    #[error("expected {allowed}")]
    Outside {
        /// The allowed values.
        allowed: String,
    },
    /// A character or byte that is not allowed at its position.
    #[error("{} is not allowed; expected {allowed}", At { index: *index, what })]
    Character {
        /// The position: in characters for text, in bytes for bytes.
        index: usize,
        /// The character, or the byte in hexadecimal.
        what: String,
        /// The allowed values.
        allowed: String,
    },
    /// A value that ends too early.
    #[error("the value ends too early; expected {allowed}")]
    Incomplete {
        /// The allowed values.
        allowed: String,
    },
}

impl ValueError {
    /// Returns the error of `bytes` of which only the first `read` begin an allowed value. `text`
    /// is the value if it is text. `None` if all bytes were read.
    pub(crate) fn at(read: usize, bytes: &[u8], text: Option<&str>, allowed: &str) -> Option<Self> {
        let byte = bytes.get(read)?;
        let character = text.and_then(|text| {
            let mut characters = text.char_indices().enumerate();
            characters.find(|(_, (start, c))| start + c.len_utf8() > read)
        });
        let (index, what) = match character {
            Some((index, (_, character))) => (index, character.to_string()),
            None => (read, format!("0x{byte:02x}")),
        };
        Some(Self::Character { index, what, allowed: allowed.into() })
    }
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

/// Bytes that are not an encoding of the codec.
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
    /// The reason.
    pub reason: &'static str,
}
