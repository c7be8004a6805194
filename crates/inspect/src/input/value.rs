//! Converts values from the command line to values of fields.

use super::{
    InputError,
    argument::{Argument, Parts},
    json,
    key::read_hex,
};
use keyscape_codec::{Kind, Uint, Value, ValueError};
use keyscape_diagnostics::{datum::short, suggestion};
use keyscape_layout::{
    Datum, Record, field, fields,
    model::{Arm, Leaf, Segment, Type},
    traverse::join,
};
use serde_json::Value as Json;
use std::fmt::Display;

/// Builds a record from its parts. Encoding reports missing fields.
pub fn record(segments: &[Segment], parts: Parts, outer: &str) -> Result<Record, InputError> {
    let mut record = Record::default();
    for (name, given) in parts {
        let path = join(outer, &name);
        let Some(field) = field(segments, &name) else {
            return Err(InputError::unknown_field(&path, &field_names(segments)));
        };
        record.set(name, datum(&field.ty, given, &path)?);
    }
    Ok(record)
}

/// Lists the names of the fields of segments.
pub(crate) fn field_names(segments: &[Segment]) -> Vec<String> {
    fields(segments).into_iter().map(|field| field.name.clone()).collect()
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

/// Returns the error of a value of the wrong kind.
pub(crate) fn wrong_kind(expected: impl Display, given: &str) -> InputError {
    InputError::without_help(format!("expected {expected}, got {given}"))
}

/// Returns the error of a text that is not one of the known ones.
pub(crate) fn unknown_choice(given: &str, what: &str, known: &[String]) -> InputError {
    let message = format!("`{}` is not one of its {what}", short(given));
    InputError::new(message, suggestion::help(given, what, known))
}

/// Returns the error of a text that is not a number.
pub(crate) fn not_a_number(given: &str) -> InputError {
    InputError::new(format!("`{}` is not a number", short(given)), "expected a number")
}

/// Converts a value of a type. `path` names the value in errors.
pub fn datum(ty: &Type, given: Argument, path: &str) -> Result<Datum, InputError> {
    let kind = kind_of(&given);
    let wrong = |expected: String| wrong_kind(expected, kind).in_field(path);
    match ty {
        Type::Leaf(leaf) => {
            value(leaf, given).map(Datum::Leaf).map_err(|error| error.in_field(path))
        }
        Type::Enum(of) => match given {
            Argument::Text(name) | Argument::Json(Json::String(name)) => {
                match of.texts.contains(&name) {
                    true => Ok(Datum::Name(name)),
                    false => Err(unknown_choice(&name, "texts", &of.texts).in_field(path)),
                }
            }
            _ => Err(wrong("one of its texts".to_owned())),
        },
        Type::Composite(segments) => inner_record(segments, given, path).map(Datum::Record),
        Type::Variant(arms) => variant(arms, given, path),
        Type::List(list) => {
            let elements = array(given)
                .ok_or_else(|| wrong(format!("a list of {} to {} elements", list.min, list.max)))?;
            let elements = elements.into_iter().enumerate().map(|(index, element)| {
                datum(&list.element, element.into(), &format!("{path}.{index}"))
            });
            Ok(Datum::List(elements.collect::<Result<_, _>>()?))
        }
    }
}

/// Builds the record of a composite or an arm.
fn inner_record(segments: &[Segment], given: Argument, path: &str) -> Result<Record, InputError> {
    let kind = kind_of(&given);
    let Some(parts) = object(given) else {
        let names = match field_names(segments).as_slice() {
            [] => "no fields".to_owned(),
            names => suggestion::list(names),
        };
        return Err(wrong_kind(format_args!("an object with {names}"), kind).in_field(path));
    };
    record(segments, parts, path)
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

/// Converts an arm: an object with its name and fields, or its name alone.
fn variant(arms: &[Arm], given: Argument, path: &str) -> Result<Datum, InputError> {
    let kind = match &given {
        Argument::Parts(parts) if parts.len() > 1 => "an object with several names",
        Argument::Parts(parts) if parts.is_empty() => "an empty object",
        given => kind_of(given),
    };
    let (name, inner) = match given {
        Argument::Text(text) | Argument::Json(Json::String(text)) if !text.starts_with('{') => {
            (text, Argument::Parts(Vec::new()))
        }
        given => match object(given).map(<[_; 1]>::try_from) {
            Some(Ok([(name, inner)])) => (name, inner),
            _ => {
                let name = arms.first().map_or("arm", |arm| arm.name.as_str());
                let expected = format_args!(
                    "an object with the name of one arm, such as {{\"{name}\": {{…}}}}"
                );
                return Err(wrong_kind(expected, kind).in_field(path));
            }
        },
    };
    let Some(arm) = arms.iter().find(|arm| arm.name == name) else {
        let known: Vec<String> = arms.iter().map(|arm| arm.name.clone()).collect();
        return Err(unknown_choice(&name, "arms", &known).in_field(path));
    };
    let record = inner_record(&arm.segments, inner, &format!("{path}.{name}"))?;
    Ok(Datum::Arm(name, record))
}

/// Converts a value of a codec and checks its domain.
pub(crate) fn value(leaf: &Leaf, given: Argument) -> Result<Value, InputError> {
    let kind = leaf.codec.kind();
    if kind == Kind::Pair {
        return pair(leaf, given);
    }
    let given_kind = kind_of(&given);
    let wrong = || wrong_kind(leaf.codec.allowed(), given_kind);
    let text = match given {
        Argument::Text(text) | Argument::Json(Json::String(text)) => text,
        Argument::Json(Json::Number(number)) => match kind {
            Kind::Uint | Kind::Int => integer_text(&number, leaf)?,
            Kind::Float => number.to_string(),
            Kind::Text | Kind::Bytes | Kind::Bool | Kind::Pair => return Err(wrong()),
        },
        Argument::Json(Json::Bool(flag)) if kind == Kind::Bool => flag.to_string(),
        Argument::Json(_) | Argument::Parts(_) => return Err(wrong()),
    };
    let outside = || {
        let message = format!("`{}` is outside its domain", short(&text));
        InputError::new(message, format!("expected {}", leaf.codec.allowed()))
    };
    let value = match kind {
        Kind::Uint => Value::Uint(unsigned(&text, leaf)?.ok_or_else(outside)?),
        Kind::Int => {
            check_digits(&text, leaf)?;
            Value::Int(text.parse().map_err(|_| outside())?)
        }
        Kind::Float => match text.parse::<f64>() {
            // A number that overflows to infinity is not the text of infinity.
            Ok(number) if number.is_infinite() && text.contains(|c: char| c.is_ascii_digit()) => {
                return Err(outside());
            }
            Ok(number) => Value::Float(number),
            Err(_) => return Err(not_a_number(&text)),
        },
        Kind::Bool => Value::Bool(text.parse().map_err(|_| outside())?),
        Kind::Text => Value::Text(text.clone()),
        Kind::Bytes => Value::Bytes(bytes(leaf, &text)?),
        Kind::Pair => return Err(wrong()),
    };
    in_domain(leaf, value, &text)
}

/// Returns a value that its codec encodes. `given` is its text.
fn in_domain(leaf: &Leaf, value: Value, given: &str) -> Result<Value, InputError> {
    let Err(error) = leaf.codec.encode(&value, &mut Vec::new()) else { return Ok(value) };
    let given = short(given);
    let message = match &error {
        ValueError::Character { index, what, .. } => {
            format!("`{what}` at position {} of `{given}` is not allowed", index + 1)
        }
        ValueError::Incomplete { .. } => format!("`{given}` ends too early"),
        _ => format!("`{given}` is outside its domain"),
    };
    Err(match error {
        ValueError::Kind { expected: allowed }
        | ValueError::Outside { allowed }
        | ValueError::Character { allowed, .. }
        | ValueError::Incomplete { allowed } => {
            InputError::new(message, format!("expected {allowed}"))
        }
        _ => InputError::without_help(message),
    })
}

/// Returns the text of a JSON number that is an integer. serde_json parses a number with a fraction
/// or an exponent, and an integer of more than 64 bits, as a float.
fn integer_text(number: &serde_json::Number, leaf: &Leaf) -> Result<String, InputError> {
    /// Floats below this one are exact.
    const EXACT: f64 = (1_u64 << f64::MANTISSA_DIGITS) as f64;
    if !number.is_f64() {
        return Ok(number.to_string());
    }
    let allowed = leaf.codec.allowed();
    Err(match number.as_f64() {
        Some(float) if float.abs() < EXACT => InputError::new(
            format!("`{number}` is not written as an integer"),
            format!("expected {allowed}, without a fraction or an exponent"),
        ),
        _ => InputError::new(
            format!("`{number}` is not an integer that JSON represents exactly"),
            format!("expected {allowed}; write a large integer as text, in quotes"),
        ),
    })
}

/// Converts two integers: `[850000, 123]`.
fn pair(leaf: &Leaf, given: Argument) -> Result<Value, InputError> {
    let kind = kind_of(&given);
    let wrong = || wrong_kind(format_args!("{}, such as [1, 2]", leaf.codec.allowed()), kind);
    let integer = |json: &Json| {
        let text = match json {
            Json::Number(number) => integer_text(number, leaf)?,
            Json::String(text) => text.clone(),
            _ => return Err(wrong()),
        };
        unsigned(&text, leaf).ok().flatten().ok_or_else(wrong)
    };
    let elements = array(given).ok_or_else(wrong)?;
    let [a, b] = elements.as_slice() else { return Err(wrong()) };
    let (a, b) = (integer(a)?, integer(b)?);
    in_domain(leaf, Value::Pair(a, b), &format!("[{a},{b}]"))
}

/// Parses bytes: `0x…`, or their display form.
fn bytes(leaf: &Leaf, text: &str) -> Result<Vec<u8>, InputError> {
    match &leaf.shown {
        Some(shown) if !text.starts_with("0x") => shown.parse(text).map_err(|error| {
            let help = "bytes can also be written as `0x` and hexadecimal digits";
            InputError::new(format!("`{}`: {error}", short(text)), help)
        }),
        _ => plain_bytes(text),
    }
}

/// Parses bytes without a display form: `0x…`.
pub fn plain_bytes(text: &str) -> Result<Vec<u8>, InputError> {
    if !text.starts_with("0x") {
        let help = "write bytes as `0x` and hexadecimal digits";
        return Err(InputError::new(format!("`{}` is not a byte string", short(text)), help));
    }
    let mut bytes = Vec::new();
    read_hex(text.as_bytes(), &mut bytes)
        .map_err(|error| InputError::without_help(format!("`{}`: {error}", short(text))))?;
    Ok(bytes)
}

/// Parses an unsigned integer; `None` if it is negative or too large for any field.
fn unsigned(text: &str, leaf: &Leaf) -> Result<Option<Uint>, InputError> {
    check_digits(text, leaf)?;
    Ok(if text.starts_with('-') { None } else { Uint::from_str_radix(text, 10).ok() })
}

/// Checks that a text is an integer.
fn check_digits(text: &str, leaf: &Leaf) -> Result<(), InputError> {
    let digits = text.strip_prefix('-').unwrap_or(text);
    let mut characters = text.chars().enumerate().skip(text.len() - digits.len());
    let given = short(text);
    let message = match characters.find(|(_, char)| !char.is_ascii_digit()) {
        Some((at, char)) => {
            format!("`{given}` is not an integer: `{char}` at position {} is not a digit", at + 1)
        }
        None if text.is_empty() => "the value is empty".to_owned(),
        None if digits.is_empty() => format!("`{given}` has no digits"),
        None => return Ok(()),
    };
    Err(InputError::new(message, format!("expected {}", leaf.codec.allowed())))
}
