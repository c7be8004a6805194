//! Migrations as text.

use keyscape_codec::{Value, hex::digits};
use keyscape_layout::{Datum, model::Type};

/// Joins two names of a path.
pub(super) fn dotted(outer: &str, inner: &str) -> String {
    format!("{outer}.{inner}")
}

/// Writes a constant, if a migration can.
pub(super) fn constant(datum: &Datum) -> Option<String> {
    Some(match datum {
        Datum::Name(name) => quoted(name),
        Datum::Arm(name, inner) if inner.0.is_empty() => quoted(name),
        Datum::Leaf(Value::Uint(number)) => number.to_string(),
        Datum::Leaf(Value::Int(number)) => number.to_string(),
        Datum::Leaf(Value::Text(text)) => quoted(text),
        Datum::Leaf(Value::Bytes(bytes)) if !bytes.is_empty() => format!("0x{}", digits(bytes)),
        Datum::Leaf(Value::Bool(is_true)) => quoted(&is_true.to_string()),
        _ => return None,
    })
}

/// Writes a text with the escapes of literals.
pub(super) fn quoted(text: &str) -> String {
    let mut written = String::from("\"");
    for character in text.chars() {
        match character {
            '"' => written.push_str("\\\""),
            '\\' => written.push_str("\\\\"),
            '\n' => written.push_str("\\n"),
            '\t' => written.push_str("\\t"),
            '\r' => written.push_str("\\r"),
            other if other.is_control() => {
                written.push_str(&format!("\\u{{{:x}}}", u32::from(other)));
            }
            other => written.push(other),
        }
    }
    written.push('"');
    written
}

/// Writes the condition that a field has one of some texts or arms.
pub(super) fn is_one_of(field: &str, names: &[String], ty: &Type) -> Option<String> {
    let all = ty.choices()?;
    if names.len() == all.len() {
        return None;
    }
    let each: Vec<String> =
        names.iter().map(|name| format!("{field} is {}", quoted(name))).collect();
    Some(match each.len() {
        1 => each.into_iter().next()?,
        _ => format!("({})", each.join(" or ")),
    })
}
