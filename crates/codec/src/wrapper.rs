//! The wrapper messages of Protocol Buffers for booleans and integers, such as
//! `google.protobuf.BoolValue`: a message with the value as field 1.
//!
//! As in every proto3 message, the default is omitted: false and 0 have no bytes. Only these bytes
//! are accepted, so each value has exactly one encoding. Wrappers are values of rows, not codecs of
//! fields: an empty field could not be distinguished from a missing one.

use crate::{Malformed, Value, ValueError, leb128, sink::Sink};
use alloc::{format, string::String, vec::Vec};

/// The tag of field 1 with a varint.
const TAG: u8 = 0x08;

/// A value that a wrapper message can hold.
///
/// ```
/// use keyscape_codec::wrapper::Scalar;
///
/// assert_eq!((-1_i32).to_varint(), u64::MAX);
/// assert_eq!(bool::from_varint(2), None);
/// ```
pub trait Scalar: Copy {
    /// Returns the varint that represents this value in a message.
    fn to_varint(self) -> u64;

    /// Returns the value that a varint represents.
    fn from_varint(number: u64) -> Option<Self>;
}

impl Scalar for bool {
    fn to_varint(self) -> u64 {
        self.into()
    }

    fn from_varint(number: u64) -> Option<Self> {
        match number {
            0 => Some(false),
            1 => Some(true),
            _ => None,
        }
    }
}

macro_rules! scalars {
    ($($int:ty: $to:expr, $from:expr;)*) => {$(
        impl Scalar for $int {
            fn to_varint(self) -> u64 {
                $to(self)
            }

            fn from_varint(number: u64) -> Option<Self> {
                $from(number).try_into().ok()
            }
        }
    )*};
}

// Negative numbers are encoded in 64 bits, independent of the width of the type.
scalars! {
    u32: u64::from, u64::from;
    u64: u64::from, u64::from;
    i32: |value| i64::from(value).cast_unsigned(), u64::cast_signed;
    i64: i64::cast_unsigned, u64::cast_signed;
}

/// Writes the wrapper message of a value.
///
/// ```
/// let mut row = Vec::new();
/// keyscape_codec::wrapper::put(true, &mut row);
/// assert_eq!(row, [0x08, 0x01]);
/// ```
#[inline]
pub fn put(value: impl Scalar, sink: &mut impl Sink) {
    let number = value.to_varint();
    if number != 0 {
        sink.push(TAG);
        leb128::put(number, sink);
    }
}

/// Parses a wrapper message from all of `bytes`.
///
/// # Errors
/// [`Malformed`] if the bytes are not exactly those that [`put`] writes for a value of the type.
///
/// ```
/// use keyscape_codec::wrapper::parse;
///
/// assert_eq!(parse::<u64>(&[0x08, 0xac, 0x02]), Ok(300));
/// assert_eq!(parse::<u64>(&[]), Ok(0));
/// assert!(parse::<u64>(&[0x08, 0x00]).is_err());
/// ```
#[inline]
pub fn parse<T: Scalar>(bytes: &[u8]) -> Result<T, Malformed> {
    let number = match bytes {
        [] => 0,
        [TAG, number @ ..] => match leb128::parse(number)? {
            0 => return Err(Malformed { reason: "a wrapper message contains its default value" }),
            number => number,
        },
        _ => return Err(Malformed { reason: "a wrapper message does not begin with field 1" }),
    };
    T::from_varint(number).ok_or(Malformed { reason: "a wrapper message is outside its range" })
}

/// A wrapper message, chosen at run time.
///
/// ```
/// use keyscape_codec::{Value, wrapper::Wrapper};
///
/// let wrapper = Wrapper::find("BoolValue").ok_or("unknown")?;
/// let mut row = Vec::new();
/// wrapper.encode(&Value::Bool(false), &mut row)?;
/// assert!(row.is_empty());
/// assert_eq!(wrapper.decode(&row)?, Value::Bool(false));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Wrapper {
    /// `google.protobuf.BoolValue`.
    Bool,
    /// `google.protobuf.Int32Value`.
    Int32,
    /// `google.protobuf.Int64Value`.
    Int64,
    /// `google.protobuf.UInt32Value`.
    UInt32,
    /// `google.protobuf.UInt64Value`.
    UInt64,
}

impl Wrapper {
    /// All wrappers.
    pub const ALL: [Self; 5] = [Self::Bool, Self::Int32, Self::Int64, Self::UInt32, Self::UInt64];

    /// Returns the wrapper with this name, without its package: `BoolValue`.
    #[must_use]
    pub fn find(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|wrapper| wrapper.name() == name)
    }

    /// Returns the name of the message without its package.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Bool => "BoolValue",
            Self::Int32 => "Int32Value",
            Self::Int64 => "Int64Value",
            Self::UInt32 => "UInt32Value",
            Self::UInt64 => "UInt64Value",
        }
    }

    /// Returns the name of a codec that has the same values in other bytes.
    #[must_use]
    pub const fn codec_name(self) -> &'static str {
        match self {
            Self::Bool => "bool",
            Self::Int32 => "i32be",
            Self::Int64 => "i64be",
            Self::UInt32 => "u32be",
            Self::UInt64 => "u64be",
        }
    }

    /// Appends the message of a value.
    ///
    /// # Errors
    /// [`ValueError`] if the value is of another kind or outside the range.
    pub fn encode(self, value: &Value, out: &mut Vec<u8>) -> Result<(), ValueError> {
        match (self, value) {
            (Self::Bool, Value::Bool(value)) => {
                put(*value, out);
                Ok(())
            }
            (Self::Int32, Value::Int(value)) => put_int::<i32, _>(*value, out),
            (Self::Int64, Value::Int(value)) => put_int::<i64, _>(*value, out),
            (Self::UInt32, Value::Uint(value)) => put_int::<u32, _>(*value, out),
            (Self::UInt64, Value::Uint(value)) => put_int::<u64, _>(*value, out),
            (Self::Bool, _) => Err(ValueError::Kind { expected: "false or true".into() }),
            _ => Err(ValueError::Kind { expected: "an integer".into() }),
        }
    }

    /// Parses a message from all of `bytes`.
    ///
    /// # Errors
    /// As [`parse`].
    pub fn decode(self, bytes: &[u8]) -> Result<Value, Malformed> {
        Ok(match self {
            Self::Bool => Value::Bool(parse(bytes)?),
            Self::Int32 => Value::Int(parse::<i32>(bytes)?.into()),
            Self::Int64 => Value::Int(parse::<i64>(bytes)?.into()),
            Self::UInt32 => Value::Uint(parse::<u32>(bytes)?.into()),
            Self::UInt64 => Value::Uint(parse::<u64>(bytes)?.into()),
        })
    }

    /// Describes the bytes of the message for errors.
    #[must_use]
    pub fn allowed(self) -> String {
        format!("a protobuf message `{}` in its shortest form", self.name())
    }
}

/// Appends the message of an integer that may be outside the range of `T`.
fn put_int<T: Scalar, V: TryInto<T>>(value: V, out: &mut Vec<u8>) -> Result<(), ValueError> {
    let outside =
        |_| ValueError::Outside { allowed: format!("an integer of {} bits", 8 * size_of::<T>()) };
    put(value.try_into().map_err(outside)?, out);
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Uint;

    /// Expected bytes were written by protoc.
    #[test]
    fn messages_have_the_bytes_of_protobuf() {
        let int = Value::Int;
        let cases: [(Wrapper, Value, &[u8]); 12] = [
            (Wrapper::Bool, Value::Bool(false), &[]),
            (Wrapper::Bool, Value::Bool(true), &[0x08, 0x01]),
            (Wrapper::UInt32, Value::uint(0), &[]),
            (Wrapper::UInt32, Value::uint(u32::MAX.into()), &[8, 0xff, 0xff, 0xff, 0xff, 0x0f]),
            (Wrapper::UInt64, Value::uint(0), &[]),
            (Wrapper::UInt64, Value::uint(127), &[0x08, 0x7f]),
            (Wrapper::UInt64, Value::uint(12637), &[0x08, 0xdd, 0x62]),
            (Wrapper::Int32, int(1), &[0x08, 0x01]),
            (
                Wrapper::Int32,
                int(-1),
                &[8, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x01],
            ),
            (
                Wrapper::Int32,
                int(i32::MIN.into()),
                &[8, 0x80, 0x80, 0x80, 0x80, 0xf8, 0xff, 0xff, 0xff, 0xff, 0x01],
            ),
            (Wrapper::Int64, int(0), &[]),
            (
                Wrapper::Int64,
                int(i64::MIN.into()),
                &[8, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x01],
            ),
        ];
        for (wrapper, value, bytes) in cases {
            let mut out = Vec::new();
            assert_eq!(wrapper.encode(&value, &mut out), Ok(()), "{wrapper:?} {value:?}");
            assert_eq!(out, bytes, "{wrapper:?} {value:?}");
            assert_eq!(wrapper.decode(bytes), Ok(value));
        }
    }

    #[test]
    fn other_bytes_are_not_a_message() {
        let spoiled: [(Wrapper, &[u8]); 11] = [
            (Wrapper::Bool, &[0x00]),
            (Wrapper::Bool, &[0x01]),
            (Wrapper::Bool, &[0x08]),
            (Wrapper::Bool, &[0x08, 0x00]),
            (Wrapper::Bool, &[0x08, 0x02]),
            (Wrapper::Bool, &[0x08, 0x81, 0x00]),
            (Wrapper::Bool, &[0x08, 0x01, 0x00]),
            (Wrapper::Bool, &[0x10, 0x01]),
            (Wrapper::UInt32, &[0x08, 0x80, 0x80, 0x80, 0x80, 0x10]),
            // -1 in 32 bits; protobuf writes 64.
            (Wrapper::Int32, &[0x08, 0xff, 0xff, 0xff, 0xff, 0x0f]),
            (Wrapper::UInt64, &[8, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x03]),
        ];
        for (wrapper, bytes) in spoiled {
            assert!(wrapper.decode(bytes).is_err(), "{wrapper:?} {bytes:?}");
        }
    }

    #[test]
    fn values_of_other_kinds_and_ranges_are_rejected() {
        let rejected = [
            (Wrapper::Bool, Value::uint(1)),
            (Wrapper::UInt32, Value::uint(1 << 32)),
            (Wrapper::UInt64, Value::Uint(Uint::MAX)),
            (Wrapper::Int32, Value::Int(i128::from(i32::MIN) - 1)),
            (Wrapper::Int64, Value::uint(1)),
        ];
        for (wrapper, value) in rejected {
            let mut out = Vec::new();
            assert!(wrapper.encode(&value, &mut out).is_err(), "{wrapper:?} {value:?}");
            assert!(out.is_empty());
        }
    }
}
