//! Conversions of values that were read: text and JSON have fewer kinds of values than codecs.

use super::Datum;
use keyscape_codec::{Kind, Uint, Value};

/// Converts a value to another kind, if it is one.
pub(super) fn coerce(kind: Kind, value: Value) -> Option<Value> {
    match (kind, value) {
        (Kind::Uint, Value::Int(number)) => u128::try_from(number).ok().map(Value::uint),
        (Kind::Int, Value::Uint(number)) => i128::try_from(number).ok().map(Value::Int),
        (Kind::Float, Value::Uint(number)) => float(&number.to_string()),
        (Kind::Float, Value::Int(number)) => float(&number.to_string()),
        (Kind::Text, value @ Value::Text(_)) => Some(value),
        (kind, Value::Text(text)) => parse(kind, &text),
        (Kind::Uint, value @ Value::Uint(_))
        | (Kind::Int, value @ Value::Int(_))
        | (Kind::Float, value @ Value::Float(_))
        | (Kind::Bool, value @ Value::Bool(_)) => Some(value),
        _ => None,
    }
}

fn parse(kind: Kind, text: &str) -> Option<Value> {
    let is_digits = |text: &str| !text.is_empty() && text.bytes().all(|c| c.is_ascii_digit());
    match kind {
        Kind::Uint if is_digits(text) => Uint::from_str_radix(text, 10).ok().map(Value::Uint),
        Kind::Int if is_digits(text.strip_prefix('-').unwrap_or(text)) => {
            text.parse().ok().map(Value::Int)
        }
        Kind::Float => float(text),
        Kind::Bool => text.parse().ok().map(Value::Bool),
        Kind::Uint | Kind::Int | Kind::Text | Kind::Bytes | Kind::Pair => None,
    }
}

fn float(text: &str) -> Option<Value> {
    let number: f64 = text.parse().ok()?;
    // A number that overflows to infinity is not the text of infinity.
    let overflows = number.is_infinite() && text.contains(|char: char| char.is_ascii_digit());
    (!overflows).then_some(Value::Float(number))
}

/// Converts a list of two integers.
pub(super) fn pair(elements: Vec<Datum>) -> Option<Value> {
    let [a, b] = <[Datum; 2]>::try_from(elements).ok()?;
    let integer = |datum| match datum {
        Datum::Leaf(value) => match coerce(Kind::Uint, value)? {
            Value::Uint(number) => Some(number),
            _ => None,
        },
        _ => None,
    };
    Some(Value::Pair(integer(a)?, integer(b)?))
}
