//! Converts values from the command line to values of fields.

use super::{
    FieldError, FieldReason,
    argument::{Argument, Parts},
    json,
    key::read_hex,
};
use keyscape_codec::{Kind, Uint, Value};
use keyscape_layout::{
    Datum, Record, fields,
    model::{Arm, Leaf, Segment, Type},
};
use serde_json::Value as Json;

/// Builds a record from its parts. Encoding reports missing fields.
pub fn record(segments: &[Segment], parts: Parts, outer: &str) -> Result<Record, FieldError> {
    let known = fields(segments);
    let mut record = Record::default();
    for (name, given) in parts {
        let path = if outer.is_empty() { name.clone() } else { format!("{outer}.{name}") };
        let Some(field) = known.iter().find(|field| field.name == name) else {
            let known = known.iter().map(|field| field.name.clone()).collect();
            return Err(FieldError { path, reason: FieldReason::Unknown { name, known } });
        };
        record.set(name, datum(&field.ty, given, path)?);
    }
    Ok(record)
}

/// Describes the kind of a given value for error messages.
fn kind_of(given: &Argument) -> &'static str {
    match given {
        Argument::Text(_) | Argument::Json(Json::String(_)) => "text",
        Argument::Json(Json::Null) => "`null`",
        Argument::Json(Json::Bool(_)) => "a boolean",
        Argument::Json(Json::Number(_)) => "a number",
        Argument::Json(Json::Array(_)) => "a list",
        Argument::Json(Json::Object(_)) | Argument::Parts(_) => "an object",
    }
}

/// Converts a value of a type.
pub fn datum(ty: &Type, given: Argument, path: String) -> Result<Datum, FieldError> {
    let was = kind_of(&given);
    let wrong = |path, reason| Err(FieldError { path, reason });
    match ty {
        Type::Leaf(leaf) => match value(leaf, given) {
            Ok(value) => Ok(Datum::Leaf(value)),
            Err(reason) => wrong(path, reason),
        },
        Type::Enum(of) => match given {
            Argument::Text(name) | Argument::Json(Json::String(name))
                if of.texts.contains(&name) =>
            {
                Ok(Datum::Name(name))
            }
            Argument::Text(given) | Argument::Json(Json::String(given)) => {
                let known = of.texts.clone();
                let reason = FieldReason::Choice { given, what: "texts", known };
                wrong(path, reason)
            }
            _ => wrong(
                path,
                FieldReason::Shape { expected: "one of its texts".to_owned(), given: was },
            ),
        },
        Type::Composite(segments) => match object(given) {
            Some(parts) => Ok(Datum::Record(record(segments, parts, &path)?)),
            None => {
                let expected = format!("an object with {}", names(&fields(segments), "no fields"));
                wrong(path, FieldReason::Shape { expected, given: was })
            }
        },
        Type::Variant(arms) => variant(arms, given, path),
        Type::List(list) => match array(given) {
            Some(elements) => {
                let elements = elements.into_iter().enumerate().map(|(index, element)| {
                    datum(&list.element, element.into(), format!("{path}.{index}"))
                });
                Ok(Datum::List(elements.collect::<Result<_, _>>()?))
            }
            None => {
                let expected = format!("a list of {} to {} elements", list.min, list.max);
                wrong(path, FieldReason::Shape { expected, given: was })
            }
        },
    }
}

/// Returns the elements of a list, which may be JSON in a text.
fn array(given: Argument) -> Option<Vec<Json>> {
    match given {
        Argument::Json(Json::Array(elements)) => Some(elements),
        Argument::Text(text) => match json::parse(&text) {
            Ok(Json::Array(elements)) => Some(elements),
            _ => None,
        },
        Argument::Json(_) | Argument::Parts(_) => None,
    }
}

/// Returns the parts of an object, which may be JSON in a text.
fn object(given: Argument) -> Option<Parts> {
    match given {
        Argument::Parts(parts) => Some(parts),
        Argument::Text(text) => match Argument::from(json::parse::<Json>(&text).ok()?) {
            Argument::Parts(parts) => Some(parts),
            Argument::Text(_) | Argument::Json(_) => None,
        },
        Argument::Json(_) => None,
    }
}

fn names(fields: &[&keyscape_layout::model::Field], none: &str) -> String {
    match fields {
        [] => none.to_owned(),
        fields => {
            let names: Vec<&str> = fields.iter().map(|field| field.name.as_str()).collect();
            keyscape_diagnostics::suggestion::list(&names)
        }
    }
}

/// Converts an arm: an object with its name and fields, or its name alone.
fn variant(arms: &[Arm], given: Argument, path: String) -> Result<Datum, FieldError> {
    let was = match &given {
        Argument::Parts(parts) if parts.len() > 1 => "an object with several names",
        Argument::Parts(parts) if parts.is_empty() => "an empty object",
        given => kind_of(given),
    };
    let find = |name: &str| arms.iter().find(|arm| arm.name == name);
    let known = || arms.iter().map(|arm| arm.name.clone()).collect();
    let (name, inner) = match given {
        Argument::Text(text) | Argument::Json(Json::String(text)) if !text.starts_with('{') => {
            (text, Argument::Parts(Vec::new()))
        }
        given => match object(given).map(<[_; 1]>::try_from) {
            Some(Ok([(name, inner)])) => (name, inner),
            _ => {
                let name = arms.first().map_or("arm", |arm| arm.name.as_str());
                let expected =
                    format!("an object with the name of one arm, such as {{\"{name}\": {{…}}}}");
                let reason = FieldReason::Shape { expected, given: was };
                return Err(FieldError { path, reason });
            }
        },
    };
    let Some(arm) = find(&name) else {
        let reason = FieldReason::Choice { given: name, what: "arms", known: known() };
        return Err(FieldError { path, reason });
    };
    let path = format!("{path}.{name}");
    let was = kind_of(&inner);
    match object(inner) {
        Some(parts) => Ok(Datum::Arm(name, record(&arm.segments, parts, &path)?)),
        None => {
            let expected = format!("an object with {}", names(&fields(&arm.segments), "no fields"));
            Err(FieldError { path, reason: FieldReason::Shape { expected, given: was } })
        }
    }
}

/// Converts a value of a codec and checks its domain.
fn value(leaf: &Leaf, given: Argument) -> Result<Value, FieldReason> {
    let kind = leaf.codec.kind();
    if kind == Kind::Pair {
        return pair(leaf, given);
    }
    let was = kind_of(&given);
    let shape = || FieldReason::Shape { expected: leaf.codec.allowed(), given: was };
    let text = match given {
        Argument::Text(text) | Argument::Json(Json::String(text)) => text,
        Argument::Json(Json::Number(number)) => match kind {
            Kind::Uint | Kind::Int if number.is_f64() => {
                return Err(not_an_integer(&number, leaf));
            }
            Kind::Uint | Kind::Int | Kind::Float => number.to_string(),
            Kind::Text | Kind::Bytes | Kind::Bool | Kind::Pair => return Err(shape()),
        },
        Argument::Json(Json::Bool(flag)) if kind == Kind::Bool => flag.to_string(),
        Argument::Json(_) | Argument::Parts(_) => return Err(shape()),
    };
    let outside = || FieldReason::Outside { given: text.clone(), allowed: leaf.codec.allowed() };
    let digit = |NotDigits { what, position }| {
        let (given, allowed) = (text.clone(), leaf.codec.allowed());
        FieldReason::Digit { given, what, position, allowed }
    };
    let value = match kind {
        Kind::Uint => Value::Uint(unsigned(&text).map_err(digit)?.ok_or_else(outside)?),
        Kind::Int => Value::Int(signed(&text).map_err(digit)?.ok_or_else(outside)?),
        Kind::Float => match text.parse::<f64>() {
            // A number that overflows to infinity is not the text of infinity.
            Ok(number) if number.is_infinite() && text.contains(|c: char| c.is_ascii_digit()) => {
                return Err(outside());
            }
            Ok(number) => Value::Float(number),
            Err(_) => return Err(FieldReason::Float { given: text }),
        },
        Kind::Bool => match text.parse() {
            Ok(flag) => Value::Bool(flag),
            Err(_) => return Err(outside()),
        },
        Kind::Text => Value::Text(text.clone()),
        Kind::Bytes => Value::Bytes(bytes(leaf, &text)?),
        Kind::Pair => return Err(shape()),
    };
    match leaf.codec.encode(&value, &mut Vec::new()) {
        Ok(()) => Ok(value),
        Err(source) => Err(FieldReason::Value { given: text, source }),
    }
}

/// Returns the error of a JSON number that was parsed as a float. It has a fraction or an exponent,
/// or it is an integer of more than 64 bits.
fn not_an_integer(number: &serde_json::Number, leaf: &Leaf) -> FieldReason {
    /// Floats below this one are exact.
    const EXACT: f64 = (1_u64 << f64::MANTISSA_DIGITS) as f64;
    let (given, allowed) = (number.to_string(), leaf.codec.allowed());
    match number.as_f64() {
        Some(float) if float.abs() < EXACT => FieldReason::Fraction { given, allowed },
        _ => FieldReason::Inexact { given, allowed },
    }
}

/// Converts two integers: `[850000, 123]`.
fn pair(leaf: &Leaf, given: Argument) -> Result<Value, FieldReason> {
    let was = kind_of(&given);
    let shape = || {
        let allowed = leaf.codec.allowed();
        FieldReason::Shape { expected: format!("{allowed}, such as [1, 2]"), given: was }
    };
    let integer = |json: &Json| {
        let text = match json {
            Json::Number(number) if number.is_f64() => {
                return Err(not_an_integer(number, leaf));
            }
            Json::Number(number) => number.to_string(),
            Json::String(text) => text.clone(),
            _ => return Err(shape()),
        };
        unsigned(&text).ok().flatten().ok_or_else(shape)
    };
    let elements = array(given).ok_or_else(shape)?;
    let [a, b] = elements.as_slice() else { return Err(shape()) };
    let (a, b) = (integer(a)?, integer(b)?);
    let value = Value::Pair(a, b);
    match leaf.codec.encode(&value, &mut Vec::new()) {
        Ok(()) => Ok(value),
        Err(source) => Err(FieldReason::Value { given: format!("[{a},{b}]"), source }),
    }
}

/// Parses bytes: `0x…`, or their display form.
fn bytes(leaf: &Leaf, text: &str) -> Result<Vec<u8>, FieldReason> {
    match &leaf.shown {
        Some(shown) if !text.starts_with("0x") => shown
            .parse(text)
            .map_err(|source| FieldReason::Shown { given: text.to_owned(), source }),
        _ => plain_bytes(text),
    }
}

/// Parses bytes without a display form: `0x…`.
pub fn plain_bytes(text: &str) -> Result<Vec<u8>, FieldReason> {
    let given = || text.to_owned();
    if !text.starts_with("0x") {
        return Err(FieldReason::NotHex { given: given() });
    }
    let mut bytes = Vec::new();
    read_hex(text.as_bytes(), &mut bytes)
        .map_err(|source| FieldReason::Hex { given: given(), source })?;
    Ok(bytes)
}

/// A character of an integer that is not a digit, with its position counted from one; `None` if the
/// text has no digits.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct NotDigits {
    what: Option<char>,
    position: usize,
}

/// Splits an integer into its sign and its digits.
fn digits(text: &str) -> Result<(bool, &str), NotDigits> {
    let (negative, digits) = match text.strip_prefix('-') {
        Some(digits) => (true, digits),
        None => (false, text),
    };
    if digits.is_empty() {
        return Err(NotDigits { what: None, position: 1 });
    }
    match digits.chars().enumerate().find(|(_, char)| !char.is_ascii_digit()) {
        Some((at, char)) => {
            Err(NotDigits { what: Some(char), position: at + usize::from(negative) + 1 })
        }
        None => Ok((negative, digits)),
    }
}

/// Parses an unsigned integer; `None` if it is negative or too large for any field.
fn unsigned(text: &str) -> Result<Option<Uint>, NotDigits> {
    match digits(text)? {
        (true, _) => Ok(None),
        (false, digits) => Ok(Uint::from_str_radix(digits, 10).ok()),
    }
}

/// Parses a signed integer; `None` if it is too large for any field.
fn signed(text: &str) -> Result<Option<i128>, NotDigits> {
    digits(text)?;
    Ok(text.parse().ok())
}
