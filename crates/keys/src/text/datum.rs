//! The common form of text and JSON.

use super::json;
use crate::{DomainError, dynamic::Leaf};
use keyscape_codec::{Kind, Shown, Uint, Value, parse_bytes, show_bytes};
use std::borrow::Cow;

/// A value of a field or of a key.
#[derive(Clone, Debug, PartialEq)]
pub enum Datum {
    /// A value without parts. Bytes are a text.
    Leaf(Value),
    /// The elements of a list.
    List(Vec<Datum>),
    /// Fields by name. Absent fields are omitted.
    Record(Vec<(Cow<'static, str>, Datum)>),
    /// An arm of a variant with its fields. A parsed arm is a record with one field.
    Arm(&'static str, Box<Datum>),
}

impl Datum {
    /// Creates the datum of a text.
    #[must_use]
    pub fn text(text: impl Into<String>) -> Self {
        Self::Leaf(Value::Text(text.into()))
    }
}

/// Converts a value of a codec; `shown` is the display form of bytes.
#[must_use]
pub fn leaf<'k>(shown: Option<&Shown>, value: &impl Leaf<'k>) -> Datum {
    match value.to_value() {
        Value::Bytes(bytes) => Datum::text(show_bytes(shown, &bytes)),
        value => Datum::Leaf(value),
    }
}

/// Converts a datum to a value of a codec. `allowed` describes the values.
///
/// # Errors
/// [`DomainError`] if the datum has another form.
pub fn read_leaf<'k, T: Leaf<'k>>(
    what: &'static str,
    allowed: &str,
    shown: Option<&Shown>,
    datum: Datum,
) -> Result<T, DomainError> {
    // Text needs no conversion and no message about its form.
    let datum = match (T::KIND, datum) {
        (Kind::Text, Datum::Leaf(text @ Value::Text(_))) => {
            return T::from_value(text).ok_or_else(|| DomainError::outside(what, allowed));
        }
        (_, datum) => datum,
    };
    let given = super::show(&datum).to_string();
    let outside = || DomainError::outside(what, allowed).given(&given);
    let value = match (T::KIND, datum) {
        (Kind::Bytes, Datum::Leaf(Value::Text(text))) => {
            let bytes = parse_bytes(shown, &text)
                .map_err(|error| DomainError::outside(what, error.expected).given(&text))?;
            Some(Value::Bytes(bytes))
        }
        (Kind::Pair, datum) => pair(elements(datum).ok_or_else(outside)?),
        (kind, Datum::Leaf(value)) => coerce(kind, value),
        (_, Datum::List(_) | Datum::Record(_) | Datum::Arm(..)) => None,
    };
    value.and_then(T::from_value).ok_or_else(outside)
}

/// Converts a list.
#[must_use]
pub fn list<T>(elements: &[T], convert: impl FnMut(&T) -> Datum) -> Datum {
    Datum::List(elements.iter().map(convert).collect())
}

/// Converts a datum to a list.
///
/// # Errors
/// [`DomainError`] if the datum is not a list, or if an element is wrong.
pub fn read_list<T>(
    what: &'static str,
    datum: Datum,
    convert: impl FnMut(Datum) -> Result<T, DomainError>,
) -> Result<Vec<T>, DomainError> {
    let elements = elements(datum).ok_or_else(|| DomainError::outside(what, "a list"))?;
    elements.into_iter().map(convert).collect()
}

/// Returns the elements of a list, which may be JSON in a text.
fn elements(datum: Datum) -> Option<Vec<Datum>> {
    match datum {
        Datum::List(elements) => Some(elements),
        Datum::Leaf(Value::Text(text)) => match json::parse(&text) {
            Some(Datum::List(elements)) => Some(elements),
            _ => None,
        },
        Datum::Leaf(_) | Datum::Record(_) | Datum::Arm(..) => None,
    }
}

/// Converts a value that was read to the kind of a codec, if it has such a form. Text and JSON have
/// fewer kinds of values than codecs.
fn coerce(kind: Kind, value: Value) -> Option<Value> {
    match (kind, value) {
        (Kind::Uint, Value::Int(number)) => u128::try_from(number).ok().map(Value::uint),
        (Kind::Int, Value::Uint(number)) => i128::try_from(number).ok().map(Value::Int),
        (Kind::Float, Value::Uint(number)) => float(&number.to_string()),
        (Kind::Float, Value::Int(number)) => float(&number.to_string()),
        (Kind::Text, value @ Value::Text(_)) => Some(value),
        (kind, Value::Text(text)) => parse_kind(kind, &text),
        (Kind::Uint, value @ Value::Uint(_))
        | (Kind::Int, value @ Value::Int(_))
        | (Kind::Float, value @ Value::Float(_))
        | (Kind::Bool, value @ Value::Bool(_)) => Some(value),
        _ => None,
    }
}

fn parse_kind(kind: Kind, text: &str) -> Option<Value> {
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

/// Parses a floating-point number.
pub(super) fn float(text: &str) -> Option<Value> {
    let number: f64 = text.parse().ok()?;
    // A number that overflows to infinity is not the text of infinity.
    let overflows = number.is_infinite() && text.contains(|char: char| char.is_ascii_digit());
    (!overflows).then_some(Value::Float(number))
}

/// Converts a list of two integers.
fn pair(elements: Vec<Datum>) -> Option<Value> {
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

/// Returns the name and the fields of an arm: an object with its name, or the name of an arm
/// without fields. `allowed` lists the arms.
///
/// # Errors
/// [`DomainError`] if the datum has another form.
pub fn read_arm(
    what: &'static str,
    allowed: &str,
    datum: Datum,
) -> Result<(Cow<'static, str>, Datum), DomainError> {
    let none = || Datum::Record(Vec::new());
    match datum {
        Datum::Leaf(Value::Text(name)) => Ok((name.into(), none())),
        Datum::Arm(name, fields) => Ok((name.into(), *fields)),
        Datum::Record(mut fields) if fields.len() == 1 => {
            fields.pop().ok_or_else(|| DomainError::outside(what, allowed))
        }
        Datum::Leaf(_) | Datum::List(_) | Datum::Record(_) => {
            Err(DomainError::outside(what, allowed))
        }
    }
}

/// The fields of a record, while they are written or read.
#[derive(Clone, Debug, Default)]
pub struct Fields {
    what: &'static str,
    fields: Vec<(Cow<'static, str>, Datum)>,
}

impl Fields {
    /// Creates a record without fields.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Adds a field.
    pub fn put(&mut self, name: &'static str, datum: Datum) {
        self.fields.push((name.into(), datum));
    }

    /// Adds a field that may be absent.
    pub fn put_option<T>(
        &mut self,
        name: &'static str,
        value: Option<&T>,
        convert: impl FnOnce(&T) -> Datum,
    ) {
        if let Some(value) = value {
            self.put(name, convert(value));
        }
    }

    /// Returns the record.
    #[must_use]
    pub fn finish(self) -> Datum {
        Datum::Record(self.fields)
    }

    /// Reads the fields of a record, which may be JSON in a text.
    ///
    /// # Errors
    /// [`DomainError`] if the datum is not a record, or if a field occurs twice.
    pub fn read(what: &'static str, datum: Datum) -> Result<Self, DomainError> {
        let datum = match datum {
            Datum::Leaf(Value::Text(text)) => json::parse(&text),
            datum => Some(datum),
        };
        let Some(Datum::Record(fields)) = datum else {
            return Err(DomainError::outside(what, "an object with fields"));
        };
        for (index, (name, _)) in fields.iter().enumerate() {
            if fields.iter().take(index).any(|(earlier, _)| earlier == name) {
                return Err(DomainError::outside(what, &format!("the field `{name}` only once")));
            }
        }
        Ok(Self { what, fields })
    }

    /// Removes a field that may be absent.
    pub fn take_option(&mut self, name: &str) -> Option<Datum> {
        let index = self.fields.iter().position(|(known, _)| known == name)?;
        Some(self.fields.swap_remove(index).1)
    }

    /// Removes a field. `what` names it in errors.
    ///
    /// # Errors
    /// [`DomainError`] if it is missing.
    pub fn take(&mut self, name: &str, what: &'static str) -> Result<Datum, DomainError> {
        self.take_option(name)
            .ok_or_else(|| DomainError::outside(what, "a value: the field is missing"))
    }

    /// Checks that every field was removed. `known` lists all fields.
    ///
    /// # Errors
    /// [`DomainError`] if one is left, which the type does not have.
    pub fn end(self, known: &[&str]) -> Result<(), DomainError> {
        let Some((name, _)) = self.fields.first() else { return Ok(()) };
        let known = match known {
            [] => "no fields".to_owned(),
            known => format!("only the fields `{}`", known.join("`, `")),
        };
        Err(DomainError::outside(self.what, &format!("{known}, not `{name}`")))
    }
}
