//! Writes JSON. Texts contain lists as JSON.

use super::{Datum, datum::float};
use keyscape_codec::{Uint, Value, word};
use std::fmt::{self, Write};

/// Integers up to this one are exact in every JSON parser.
pub(super) const EXACT: u128 = 1 << 53;

/// Whether every JSON parser reads a number exactly. Other numbers are written as strings.
pub(super) fn is_exact(value: &Value) -> bool {
    match value {
        Value::Uint(number) => *number <= Uint::new(EXACT),
        Value::Int(number) => number.unsigned_abs() <= EXACT,
        Value::Float(number) => number.is_finite(),
        _ => true,
    }
}

/// Writes a datum as JSON.
pub(super) fn put(datum: &Datum, out: &mut impl Write) -> fmt::Result {
    match datum {
        Datum::Leaf(value) => put_value(value, out),
        Datum::List(elements) => {
            out.write_char('[')?;
            for (index, element) in elements.iter().enumerate() {
                if index > 0 {
                    out.write_char(',')?;
                }
                put(element, out)?;
            }
            out.write_char(']')
        }
        Datum::Record(fields) => {
            out.write_char('{')?;
            for (index, (name, datum)) in fields.iter().enumerate() {
                let comma = if index > 0 { "," } else { "" };
                write!(out, "{comma}\"{name}\":")?;
                put(datum, out)?;
            }
            out.write_char('}')
        }
        Datum::Arm(name, fields) => {
            write!(out, "{{\"{name}\":")?;
            put(fields, out)?;
            out.write_char('}')
        }
    }
}

fn put_value(value: &Value, out: &mut impl Write) -> fmt::Result {
    let number = |number: fmt::Arguments<'_>, out: &mut dyn Write| match is_exact(value) {
        true => out.write_fmt(number),
        false => write!(out, "\"{number}\""),
    };
    match value {
        Value::Uint(value) => number(format_args!("{value}"), out),
        Value::Int(value) => number(format_args!("{value}"), out),
        Value::Float(value) => number(format_args!("{value:?}"), out),
        Value::Bool(value) => write!(out, "{value}"),
        Value::Pair(a, b) => {
            let pair = [*a, *b].map(|number| Datum::Leaf(Value::Uint(number)));
            put(&Datum::List(pair.into()), out)
        }
        Value::Text(text) => put_text(text, out),
        // `leaf` has converted bytes to text.
        Value::Bytes(bytes) => put_text(&keyscape_codec::show_bytes(None, bytes), out),
    }
}

fn put_text(text: &str, out: &mut impl Write) -> fmt::Result {
    out.write_char('"')?;
    for char in text.chars() {
        match char {
            '"' => out.write_str("\\\"")?,
            '\\' => out.write_str("\\\\")?,
            '\n' => out.write_str("\\n")?,
            '\r' => out.write_str("\\r")?,
            '\t' => out.write_str("\\t")?,
            char if char < ' ' => write!(out, "\\u{:04x}", u32::from(char))?,
            char if word::is_command(char) => write!(out, "{}", char.escape_default())?,
            char => out.write_char(char)?,
        }
    }
    out.write_char('"')
}

/// Deeper JSON is rejected. No type nests as deeply.
const DEPTH: usize = 64;

/// Parses JSON. `null` is not a value.
pub(super) fn parse(text: &str) -> Option<Datum> {
    let mut rest = text;
    let datum = value(&mut rest, DEPTH)?;
    rest.trim_start().is_empty().then_some(datum)
}

fn value(rest: &mut &str, depth: usize) -> Option<Datum> {
    let depth = depth.checked_sub(1)?;
    *rest = rest.trim_start();
    match rest.chars().next()? {
        '"' => string(rest).map(Datum::text),
        '[' => {
            let mut elements = Vec::new();
            sequence(rest, '[', ']', |rest| {
                elements.push(value(rest, depth)?);
                Some(())
            })?;
            Some(Datum::List(elements))
        }
        '{' => {
            let mut fields = Vec::new();
            sequence(rest, '{', '}', |rest| {
                let name = string(rest)?;
                *rest = rest.trim_start().strip_prefix(':')?;
                fields.push((name.into(), value(rest, depth)?));
                Some(())
            })?;
            Some(Datum::Record(fields))
        }
        _ => {
            let end = rest.find([',', ']', '}', ' ', '\t', '\n', '\r']).unwrap_or(rest.len());
            let (word, after) = rest.split_at(end);
            *rest = after;
            let value = match word {
                "true" => Value::Bool(true),
                "false" => Value::Bool(false),
                word if word.bytes().all(|byte| byte.is_ascii_digit()) => {
                    Value::Uint(Uint::from_str_radix(word, 10).ok()?)
                }
                word if !word.contains(['.', 'e', 'E']) => Value::Int(word.parse().ok()?),
                word => float(word)?,
            };
            Some(Datum::Leaf(value))
        }
    }
}

fn string(rest: &mut &str) -> Option<String> {
    let (text, after) = word::unquote(rest.trim_start())?;
    *rest = after;
    Some(text)
}

/// Parses elements between brackets, separated by commas.
fn sequence(
    rest: &mut &str,
    open: char,
    close: char,
    mut element: impl FnMut(&mut &str) -> Option<()>,
) -> Option<()> {
    *rest = rest.strip_prefix(open)?.trim_start();
    if let Some(after) = rest.strip_prefix(close) {
        *rest = after;
        return Some(());
    }
    loop {
        element(rest)?;
        *rest = rest.trim_start();
        if let Some(after) = rest.strip_prefix(close) {
            *rest = after;
            return Some(());
        }
        *rest = rest.strip_prefix(',')?;
    }
}
