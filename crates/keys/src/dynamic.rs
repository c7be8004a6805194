//! Codecs without a static form: built once, then used with dynamic values.

use crate::DomainError;
use keyscape_codec::{Call, Codec, Kind, Malformed, Sink, Uint, Value, ValueError, build};
use std::{borrow::Cow, sync::Arc};

/// A codec of generated code. The layout was proved with the same codec, so building it does not
/// fail. If building failed, every use would return an error.
#[derive(Clone, Debug)]
pub struct Dynamic {
    codec: Option<Arc<dyn Codec>>,
}

/// A Rust type that can hold the values of a codec.
pub trait Leaf<'k>: Sized {
    /// The kind of these values.
    const KIND: Kind;

    /// Converts to a value of the codec.
    fn to_value(&self) -> Value;

    /// Converts from a decoded value.
    fn from_value(value: Value) -> Option<Self>;
}

const UNBUILT: &str = "a value of a codec that can be built";
const OTHER: Malformed = Malformed { reason: "a value has another type than its field" };

impl Dynamic {
    /// Builds a codec from its form in a layout.
    #[must_use]
    pub fn new(call: Call<'_>) -> Self {
        Self { codec: build(call).ok() }
    }

    /// Builds a codec as an argument of another.
    #[must_use]
    pub fn inner(call: Call<'_>) -> keyscape_codec::Arg {
        match build(call) {
            Ok(codec) => keyscape_codec::Arg::Codec(codec),
            // The outer codec cannot be built with this argument either.
            Err(_) => keyscape_codec::Arg::Literal(Vec::new()),
        }
    }

    /// Appends the encoding of a value.
    ///
    /// # Errors
    /// [`DomainError`] if the value is outside the domain.
    pub fn put<'k>(
        &self,
        what: &'static str,
        value: &impl Leaf<'k>,
        out: &mut impl Sink,
    ) -> Result<(), DomainError> {
        let mut bytes = Vec::new();
        self.encode(&value.to_value(), &mut bytes)
            .map_err(|source| DomainError { what, source })?;
        out.put(&bytes);
        Ok(())
    }

    /// Checks that a value is in the domain.
    ///
    /// # Errors
    /// [`DomainError`] if it is not.
    pub fn check<'k>(&self, what: &'static str, value: &impl Leaf<'k>) -> Result<(), DomainError> {
        self.put(what, value, &mut Vec::new())
    }

    /// Returns the value whose encoding is `bytes`.
    ///
    /// # Errors
    /// [`Malformed`] if `bytes` is not an encoding.
    pub fn parse<'k, T: Leaf<'k>>(&self, bytes: &[u8]) -> Result<T, Malformed> {
        let codec = self.codec.as_ref().ok_or(Malformed { reason: UNBUILT })?;
        T::from_value(codec.decode(bytes)?).ok_or(OTHER)
    }

    fn encode(&self, value: &Value, out: &mut Vec<u8>) -> Result<(), ValueError> {
        let unbuilt = || ValueError::Kind { expected: UNBUILT.to_owned() };
        self.codec.as_ref().ok_or_else(unbuilt)?.encode(value, out)
    }
}

/// Implements [`Leaf`] for types whose values are one variant of [`Value`].
macro_rules! leaves {
    ($($variant:ident($wide:ty): $($type:ty),*;)*) => {$($(
        impl<'k> Leaf<'k> for $type {
            const KIND: Kind = Kind::$variant;

            fn to_value(&self) -> Value {
                Value::$variant(<$wide>::from(self.clone()))
            }

            fn from_value(value: Value) -> Option<Self> {
                match value {
                    Value::$variant(value) => value.try_into().ok(),
                    _ => None,
                }
            }
        }
    )*)*};
}

leaves! {
    Uint(Uint): u8, u16, u32, u64, u128, Uint;
    Int(i128): i8, i16, i32, i64, i128;
    Bool(bool): bool;
    Float(f64): f64;
    Text(String): Cow<'k, str>;
    Bytes(Vec<u8>): Cow<'k, [u8]>;
}

impl<A, B> Leaf<'_> for (A, B)
where
    A: Copy + Into<Uint> + TryFrom<Uint>,
    B: Copy + Into<Uint> + TryFrom<Uint>,
{
    const KIND: Kind = Kind::Pair;

    fn to_value(&self) -> Value {
        Value::Pair(self.0.into(), self.1.into())
    }

    fn from_value(value: Value) -> Option<Self> {
        match value {
            Value::Pair(a, b) => Some((a.try_into().ok()?, b.try_into().ok()?)),
            _ => None,
        }
    }
}

impl<const N: usize> Leaf<'_> for [u8; N] {
    const KIND: Kind = Kind::Bytes;

    fn to_value(&self) -> Value {
        Value::Bytes(self.to_vec())
    }

    fn from_value(value: Value) -> Option<Self> {
        match value {
            Value::Bytes(value) => value.try_into().ok(),
            _ => None,
        }
    }
}
