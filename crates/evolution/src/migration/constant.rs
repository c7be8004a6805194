//! Constants of declarations.

use keyscape_codec::{Kind, Uint, Value};
use keyscape_layout::{
    Datum, Record,
    model::Type,
    syntax::ast::{AssignSource, Int},
};

/// Returns the value of a constant for a type; `None` if it is of another kind.
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
