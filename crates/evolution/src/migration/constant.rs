//! Reads the constants and conditions of declarations, and writes them for the inverse.

use keyscape_codec::{Kind, Uint, Value, hex::digits};
use keyscape_layout::{
    Datum, Record,
    model::Type,
    syntax::ast::{AssignSource, Int},
};

/// Returns the value of a constant for a type; `None` if the constant has another kind.
pub(super) fn constant_of(source: &AssignSource, ty: &Type) -> Option<Datum> {
    let text = |bytes: &[u8]| String::from_utf8(bytes.to_vec()).ok();
    match (source, ty) {
        (AssignSource::Int(int), Type::Leaf(leaf)) => {
            number(int, leaf.codec.kind()).map(Datum::Leaf)
        }
        (AssignSource::Literal(literal), Type::Leaf(leaf)) => {
            Some(Datum::Leaf(match leaf.codec.kind() {
                Kind::Text if literal.is_text => Value::Text(text(&literal.bytes)?),
                Kind::Bytes => Value::Bytes(literal.bytes.clone()),
                Kind::Bool if literal.is_text => Value::Bool(text(&literal.bytes)?.parse().ok()?),
                _ => return None,
            }))
        }
        (AssignSource::Literal(literal), Type::Enum(_)) => {
            text(&literal.bytes).filter(|_| literal.is_text).map(Datum::Name)
        }
        (AssignSource::Literal(literal), Type::Variant(_)) => {
            let name = text(&literal.bytes).filter(|_| literal.is_text)?;
            Some(Datum::Arm(name, Record::default()))
        }
        _ => None,
    }
}

fn number(int: &Int, kind: Kind) -> Option<Value> {
    match kind {
        Kind::Uint if !int.negative || int.magnitude == Uint::ZERO => {
            Some(Value::Uint(int.magnitude))
        }
        Kind::Int => {
            let magnitude = i128::try_from(int.magnitude).ok()?;
            Some(Value::Int(if int.negative { -magnitude } else { magnitude }))
        }
        _ => None,
    }
}

/// Writes a constant, if the syntax of migrations has one for the value.
pub(super) fn constant_text(datum: &Datum) -> Option<String> {
    Some(match datum {
        // Literals have the escapes of Rust.
        Datum::Name(name) => format!("{name:?}"),
        Datum::Arm(name, inner) if inner.0.is_empty() => format!("{name:?}"),
        Datum::Leaf(Value::Uint(number)) => number.to_string(),
        Datum::Leaf(Value::Int(number)) => number.to_string(),
        Datum::Leaf(Value::Text(text)) => format!("{text:?}"),
        Datum::Leaf(Value::Bytes(bytes)) if !bytes.is_empty() => format!("0x{}", digits(bytes)),
        Datum::Leaf(Value::Bool(is_true)) => format!("\"{is_true}\""),
        _ => return None,
    })
}

/// Writes the condition that a field has one of these texts or arms.
pub(super) fn is_one_of(field: &str, names: &[String], ty: &Type) -> Option<String> {
    let all = ty.choices()?;
    if names.len() == all.len() {
        return None;
    }
    let each: Vec<String> = names.iter().map(|name| format!("{field} is {name:?}")).collect();
    Some(if each.len() == 1 { each.concat() } else { format!("({})", each.join(" or ")) })
}
