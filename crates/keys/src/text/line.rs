//! One line: `user=10 order=0`.

use super::{Datum, Textual, json};
use crate::DomainError;
use keyscape_codec::{Value, word};
use std::{
    borrow::Cow,
    fmt::{self, Write as _},
};

/// The line of a record without fields.
const NO_FIELDS: &str = "(no fields)";

/// Formats a value as one line.
///
/// A record is `path=value` pairs with dotted paths, an arm is its name and its fields, and a list
/// is JSON. A record without fields inside another one is `{}`.
///
/// ```
/// use keyscape_keys::text::{Datum, Fields, leaf, show};
///
/// let mut fields = Fields::new();
/// fields.put("user", leaf(None, &10_u64));
/// fields.put("name", Datum::text("Ann B."));
/// assert_eq!(show(&fields.finish()).to_string(), "user=10 name=\"Ann B.\"");
/// ```
#[must_use]
pub fn show(datum: &Datum) -> impl fmt::Display + '_ {
    Line(datum)
}

struct Line<'a>(&'a Datum);

impl fmt::Display for Line<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.0 {
            Datum::Record(fields) => pairs(fields, f),
            Datum::Arm(name, inner) => match &**inner {
                Datum::Record(fields) if !fields.is_empty() => {
                    write!(f, "{name} ")?;
                    pairs(fields, f)
                }
                _ => f.write_str(name),
            },
            datum => scalar(datum, f),
        }
    }
}

type NamedFields = [(Cow<'static, str>, Datum)];

fn pairs(fields: &NamedFields, f: &mut fmt::Formatter<'_>) -> fmt::Result {
    let mut is_first = true;
    collect(fields, "", &mut is_first, f)?;
    if is_first { f.write_str(NO_FIELDS) } else { Ok(()) }
}

fn collect(
    fields: &NamedFields,
    path: &str,
    is_first: &mut bool,
    f: &mut fmt::Formatter<'_>,
) -> fmt::Result {
    for (name, datum) in fields {
        let path = if path.is_empty() { name.to_string() } else { format!("{path}.{name}") };
        match datum {
            Datum::Record(inner) if !inner.is_empty() => collect(inner, &path, is_first, f)?,
            Datum::Arm(arm, inner) if matches!(&**inner, Datum::Record(of) if !of.is_empty()) => {
                if let Datum::Record(inner) = &**inner {
                    collect(inner, &format!("{path}.{arm}"), is_first, f)?;
                }
            }
            datum => {
                if !std::mem::take(is_first) {
                    f.write_char(' ')?;
                }
                write!(f, "{path}=")?;
                scalar(datum, f)?;
            }
        }
    }
    Ok(())
}

/// Formats a value as one word.
fn scalar(datum: &Datum, f: &mut fmt::Formatter<'_>) -> fmt::Result {
    match datum {
        Datum::Leaf(Value::Uint(number)) => write!(f, "{number}"),
        Datum::Leaf(Value::Int(number)) => write!(f, "{number}"),
        Datum::Leaf(Value::Float(number)) => write!(f, "{number:?}"),
        Datum::Leaf(Value::Text(text)) => f.write_str(&word::quoted(text)),
        Datum::Leaf(Value::Pair(a, b)) => write!(f, "[{a},{b}]"),
        Datum::Arm(name, _) => f.write_str(name),
        Datum::Leaf(Value::Bool(_) | Value::Bytes(_)) | Datum::List(_) | Datum::Record(_) => {
            json::put(datum, f)
        }
    }
}

/// Parses a value in the form of [`show`].
///
/// # Errors
/// [`DomainError`] if the line has another form or a field is wrong.
pub fn parse<T: Textual>(line: &str) -> Result<T, DomainError> {
    let form = || DomainError::outside(T::WHAT, "fields as `name=value`, separated by spaces");
    let line = line.trim();
    let mut rest = if line == NO_FIELDS { "" } else { line };
    let mut after_arm = rest;
    let arm = next_word(&mut after_arm).filter(|first| !first.contains('='));
    if arm.is_some() {
        rest = after_arm;
    }
    let mut fields = Vec::new();
    while let Some(pair) = next_word(&mut rest) {
        let (path, value) = pair.split_once('=').ok_or_else(form)?;
        let value = match value.starts_with('"') {
            false => value.to_owned(),
            true => match word::unquote(value) {
                Some((text, "")) => text,
                _ => return Err(form()),
            },
        };
        insert(&mut fields, path, Datum::text(value)).ok_or_else(form)?;
    }
    T::from_datum(match (arm, fields.is_empty()) {
        (Some(arm), true) => Datum::text(arm),
        (Some(arm), false) => Datum::Record(vec![(arm.to_owned().into(), Datum::Record(fields))]),
        (None, _) => Datum::Record(fields),
    })
}

/// Removes the first word. White space in quotes does not end it.
fn next_word<'l>(rest: &mut &'l str) -> Option<&'l str> {
    *rest = rest.trim_start();
    let (mut is_quoted, mut is_escaped) = (false, false);
    let end = rest.find(|char: char| {
        let ends = char.is_whitespace() && !is_quoted;
        if char == '"' && !is_escaped {
            is_quoted = !is_quoted;
        }
        is_escaped = char == '\\' && is_quoted && !is_escaped;
        ends
    });
    let (word, after) = rest.split_at(end.unwrap_or(rest.len()));
    *rest = after;
    (!word.is_empty()).then_some(word)
}

/// Inserts a value at a dotted path; `None` if the path already has one.
fn insert(fields: &mut Vec<(Cow<'static, str>, Datum)>, path: &str, value: Datum) -> Option<()> {
    let (first, rest) = match path.split_once('.') {
        Some((first, rest)) => (first, Some(rest)),
        None => (path, None),
    };
    let known = fields.iter_mut().find(|(name, _)| name == first);
    match (known, rest) {
        (None, None) => fields.push((first.to_owned().into(), value)),
        (None, Some(rest)) => {
            let mut inner = Vec::new();
            insert(&mut inner, rest, value)?;
            fields.push((first.to_owned().into(), Datum::Record(inner)));
        }
        (Some((_, Datum::Record(inner))), Some(rest)) => insert(inner, rest, value)?,
        (Some(_), _) => return None,
    }
    Some(())
}
