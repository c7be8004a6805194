//! Serde: as the JSON of the CLI in formats for people, and as the text of `Display` in others.

use super::{Datum, Textual, json::is_exact};
use crate::DomainError;
use keyscape_codec::{Uint, Value};
use serde::{
    Deserialize, Deserializer, Serialize, Serializer,
    de::{self, MapAccess, SeqAccess, Visitor},
};
use std::{fmt, str::FromStr};

/// Serializes a value.
///
/// # Errors
/// Errors of the serializer.
pub fn serialize<T: Textual + fmt::Display, S: Serializer>(
    value: &T,
    serializer: S,
) -> Result<S::Ok, S::Error> {
    match serializer.is_human_readable() {
        true => value.to_datum().serialize(serializer),
        false => serializer.collect_str(value),
    }
}

/// Deserializes a value.
///
/// # Errors
/// Errors of the deserializer, and of values outside their domain.
pub fn deserialize<'de, T: Textual + FromStr<Err = DomainError>, D: Deserializer<'de>>(
    deserializer: D,
) -> Result<T, D::Error> {
    let value = match deserializer.is_human_readable() {
        true => T::from_datum(Datum::deserialize(deserializer)?),
        false => String::deserialize(deserializer)?.parse(),
    };
    value.map_err(de::Error::custom)
}

impl Serialize for Datum {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self {
            Self::Leaf(value) => serialize_value(value, serializer),
            Self::List(elements) => serializer.collect_seq(elements),
            Self::Record(fields) => {
                serializer.collect_map(fields.iter().map(|(name, datum)| (name, datum)))
            }
            Self::Arm(name, fields) => serializer.collect_map([(name, fields)]),
        }
    }
}

fn serialize_value<S: Serializer>(value: &Value, serializer: S) -> Result<S::Ok, S::Error> {
    match value {
        Value::Uint(number) => match u64::try_from(*number) {
            Ok(number) if is_exact(value) => serializer.serialize_u64(number),
            _ => serializer.collect_str(number),
        },
        Value::Int(number) => match i64::try_from(*number) {
            Ok(number) if is_exact(value) => serializer.serialize_i64(number),
            _ => serializer.collect_str(number),
        },
        Value::Float(number) if is_exact(value) => serializer.serialize_f64(*number),
        Value::Float(number) => serializer.collect_str(&format_args!("{number:?}")),
        Value::Bool(flag) => serializer.serialize_bool(*flag),
        Value::Pair(a, b) => {
            serializer.collect_seq([*a, *b].map(|number| Datum::Leaf(Value::Uint(number))))
        }
        Value::Text(text) => serializer.serialize_str(text),
        Value::Bytes(bytes) => serializer.serialize_str(&keyscape_codec::show_bytes(None, bytes)),
    }
}

impl<'de> Deserialize<'de> for Datum {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(DatumVisitor)
    }
}

struct DatumVisitor;

impl<'de> Visitor<'de> for DatumVisitor {
    type Value = Datum;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a key or a field of a layout")
    }

    fn visit_bool<E: de::Error>(self, value: bool) -> Result<Datum, E> {
        Ok(Datum::Leaf(Value::Bool(value)))
    }

    fn visit_u64<E: de::Error>(self, value: u64) -> Result<Datum, E> {
        Ok(Datum::Leaf(Value::Uint(Uint::from(value))))
    }

    fn visit_i64<E: de::Error>(self, value: i64) -> Result<Datum, E> {
        Ok(Datum::Leaf(Value::Int(i128::from(value))))
    }

    fn visit_u128<E: de::Error>(self, value: u128) -> Result<Datum, E> {
        Ok(Datum::Leaf(Value::uint(value)))
    }

    fn visit_i128<E: de::Error>(self, value: i128) -> Result<Datum, E> {
        Ok(Datum::Leaf(Value::Int(value)))
    }

    fn visit_f64<E: de::Error>(self, value: f64) -> Result<Datum, E> {
        Ok(Datum::Leaf(Value::Float(value)))
    }

    fn visit_str<E: de::Error>(self, value: &str) -> Result<Datum, E> {
        Ok(Datum::text(value))
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut elements: A) -> Result<Datum, A::Error> {
        let mut found = Vec::new();
        while let Some(element) = elements.next_element()? {
            found.push(element);
        }
        Ok(Datum::List(found))
    }

    fn visit_map<A: MapAccess<'de>>(self, mut fields: A) -> Result<Datum, A::Error> {
        let mut found = Vec::new();
        while let Some((name, datum)) = fields.next_entry::<String, Datum>()? {
            found.push((name.into(), datum));
        }
        Ok(Datum::Record(found))
    }
}
