//! Conversions between values of codecs.

use keyscape_automata::{Budget, Dfa};
use keyscape_codec::{Arg, Call, IntType, Kind, Uint, Value, build};
use keyscape_layout::{
    Datum, TypeReader, encode_type,
    model::{Leaf, Type},
};
use std::sync::Arc;

/// A conversion of the value of an old field to the value of a new one.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) enum Convert {
    /// Keeps the value.
    Value,
    /// Keeps the bytes.
    SameBytes,
    /// Parses the digits of a text as a number.
    Number,
    /// Writes a number as digits, or bytes as text.
    Text,
    /// Takes the bytes of a text.
    Bytes,
    /// Takes the first number of a pair.
    First,
    /// Takes the second number of a pair.
    Second,
}

impl Convert {
    /// All conversion functions with their names.
    pub(super) const FUNCTIONS: [(&'static str, Self); 6] = [
        ("same_bytes", Self::SameBytes),
        ("number", Self::Number),
        ("text", Self::Text),
        ("bytes", Self::Bytes),
        ("first", Self::First),
        ("second", Self::Second),
    ];

    /// Returns the conversion of the function with this name.
    pub(super) fn find(name: &str) -> Option<Self> {
        Self::FUNCTIONS.iter().find(|(function, _)| *function == name).map(|(_, convert)| *convert)
    }

    /// Whether the conversion accepts values of one kind and makes values of the other.
    pub(super) const fn takes(self, from: Kind, to: Kind) -> bool {
        match self {
            Self::Value | Self::SameBytes => true,
            Self::Number => {
                matches!(from, Kind::Text | Kind::Bytes | Kind::Uint | Kind::Int)
                    && matches!(to, Kind::Uint | Kind::Int)
            }
            Self::Text => {
                matches!(from, Kind::Uint | Kind::Int | Kind::Bytes) && matches!(to, Kind::Text)
            }
            Self::Bytes => matches!(from, Kind::Text) && matches!(to, Kind::Bytes),
            Self::First | Self::Second => matches!((from, to), (Kind::Pair, Kind::Uint)),
        }
    }

    /// Returns the function that restores the old value from the new one.
    pub(super) fn inverse(self, from: Kind) -> Option<Self> {
        match (self, from) {
            (Self::Value | Self::SameBytes, _) => Some(self),
            (Self::Number, Kind::Text) | (Self::Bytes, Kind::Text) => Some(Self::Text),
            (Self::Number | Self::Text, Kind::Uint | Kind::Int) => Some(Self::Number),
            (Self::Text, Kind::Bytes) => Some(Self::Bytes),
            _ => None,
        }
    }

    /// Converts a value without checking the domain of the new field.
    pub(super) fn apply(self, from: &Type, to: &Type, datum: &Datum) -> Option<Datum> {
        if self == Self::Value {
            return Some(datum.clone());
        }
        if self == Self::SameBytes {
            let mut bytes = Vec::new();
            encode_type(from, "value", datum, &mut bytes).ok()?;
            return read_as(to, &bytes);
        }
        let (Datum::Leaf(value), Type::Leaf(leaf)) = (datum, to) else { return None };
        let converted = match (self, value) {
            (Self::First, Value::Pair(first, _)) => Value::Uint(*first),
            (Self::Second, Value::Pair(_, second)) => Value::Uint(*second),
            (Self::First | Self::Second, _) => return None,
            _ => of_text(leaf.codec.kind(), &text_of(value)?)?,
        };
        Some(Datum::Leaf(converted))
    }
}

/// Reads bytes as a value of a type.
fn read_as(to: &Type, bytes: &[u8]) -> Option<Datum> {
    TypeReader::new(&Arc::new(to.clone()), Budget::default()).ok()?.read(bytes).ok()
}

/// Returns the bytes of a number, text or bytes as text.
fn text_of(value: &Value) -> Option<Vec<u8>> {
    match value {
        Value::Uint(number) => Some(number.to_string().into_bytes()),
        Value::Int(number) => Some(number.to_string().into_bytes()),
        Value::Text(text) => Some(text.clone().into_bytes()),
        Value::Bytes(bytes) => Some(bytes.clone()),
        Value::Float(_) | Value::Bool(_) | Value::Pair(..) => None,
    }
}

/// Returns the value with these digits or bytes, if [`text_of`] would write them in the same way.
pub(super) fn of_text(kind: Kind, text: &[u8]) -> Option<Value> {
    let value = match kind {
        Kind::Uint => Value::Uint(std::str::from_utf8(text).ok()?.parse::<Uint>().ok()?),
        Kind::Int => Value::Int(std::str::from_utf8(text).ok()?.parse().ok()?),
        Kind::Text => Value::Text(String::from_utf8(text.to_vec()).ok()?),
        Kind::Bytes => Value::Bytes(text.to_vec()),
        Kind::Float | Kind::Bool | Kind::Pair => return None,
    };
    (text_of(&value)? == text).then_some(value)
}

/// Returns the texts of all values of a leaf as an exact language.
pub(super) fn texts(leaf: &Leaf, budget: Budget<'_>) -> Option<Arc<Dfa>> {
    let language = match leaf.codec.integers() {
        Some(range) => {
            let of = match leaf.codec.kind() {
                Kind::Int => IntType { bits: 128, signed: true },
                _ => IntType { bits: 256, signed: false },
            };
            let call = Call { budget, ..Call::new("dec").arg(Arg::Int(of)) };
            build(call).ok()?.restrict(&range)?.language(budget).ok()?
        }
        None => leaf.words()?,
    };
    language.exact().cloned()
}
