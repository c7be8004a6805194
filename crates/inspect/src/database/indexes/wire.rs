//! Fields of protobuf messages by their numbers, without a descriptor.
//!
//! Integers and booleans are varints without zigzag, as `uint64`, `int64`, `bool` and enums have
//! them. Text is a `string`, and bytes are `bytes`. Other wire types are errors, because their
//! meaning depends on the descriptor.

use super::source::NotTaken;
use keyscape_codec::{Kind, Value};
use keyscape_layout::{
    Datum,
    model::{PathPart, Take, Type},
};

/// A field of a message. Repeated fields occur several times.
enum Wire<'m> {
    Varint(u64),
    Bytes(&'m [u8]),
    Fixed,
}

/// Returns the values at a path of field numbers. A missing single value in a message that exists
/// is the default of protobuf.
pub(super) fn values(
    message: &[u8],
    path: &[PathPart],
    take: Take,
    ty: &Type,
) -> Result<Vec<Datum>, NotTaken> {
    let Some((last, outer)) = path.split_last() else { return Err(NotTaken::Missing) };
    let mut message = message.to_vec();
    for part in outer {
        let mut inner = None;
        for wire in occurrences(&message, part)? {
            let Wire::Bytes(bytes) = wire else { return Err(wire.misfit("a message")) };
            // Protobuf merges repeated messages, which is the same as joining their bytes.
            inner.get_or_insert_with(Vec::new).extend_from_slice(bytes);
        }
        match inner {
            Some(inner) => message = inner,
            None if take == Take::One => return Err(NotTaken::Missing),
            None => return Ok(Vec::new()),
        }
    }
    let mut found = Vec::new();
    for wire in occurrences(&message, last)? {
        match (wire, kind_of(ty)) {
            // Repeated numbers may be packed.
            (Wire::Bytes(packed), Some(Kind::Uint | Kind::Int | Kind::Bool))
                if take == Take::Each =>
            {
                let mut rest = packed;
                while !rest.is_empty() {
                    let number = varint(&mut rest).ok_or(NotTaken::NotMessage)?;
                    found.push(datum(&Wire::Varint(number), ty)?);
                }
            }
            (wire, _) => found.push(datum(&wire, ty)?),
        }
    }
    Ok(match take {
        Take::Each => found,
        // The last occurrence of a single field counts.
        Take::Optional => found.pop().into_iter().collect(),
        Take::One => match found.pop() {
            Some(last) => vec![last],
            None => vec![datum(&default(ty), ty)?],
        },
    })
}

fn kind_of(ty: &Type) -> Option<Kind> {
    match ty {
        Type::Leaf(leaf) => Some(leaf.codec.kind()),
        _ => None,
    }
}

/// Returns the value that protobuf omits.
fn default(ty: &Type) -> Wire<'static> {
    match kind_of(ty) {
        Some(Kind::Uint | Kind::Int | Kind::Bool) => Wire::Varint(0),
        _ => Wire::Bytes(&[]),
    }
}

fn datum(wire: &Wire<'_>, ty: &Type) -> Result<Datum, NotTaken> {
    let text = |bytes: &[u8]| {
        String::from_utf8(bytes.to_vec())
            .map_err(|_| NotTaken::Wire { found: "bytes that are not UTF-8", expected: "text" })
    };
    Ok(match (ty, kind_of(ty), wire) {
        (Type::Enum(_), _, Wire::Bytes(bytes)) => Datum::Name(text(bytes)?),
        (_, Some(Kind::Uint), Wire::Varint(number)) => Datum::Leaf(Value::uint((*number).into())),
        (_, Some(Kind::Int), Wire::Varint(number)) => {
            Datum::Leaf(Value::Int(number.cast_signed().into()))
        }
        (_, Some(Kind::Bool), Wire::Varint(number)) => Datum::Leaf(Value::Bool(*number != 0)),
        (_, Some(Kind::Text), Wire::Bytes(bytes)) => Datum::Leaf(Value::Text(text(bytes)?)),
        (_, Some(Kind::Bytes), Wire::Bytes(bytes)) => Datum::Leaf(Value::Bytes(bytes.to_vec())),
        (_, kind, wire) => {
            return Err(wire.misfit(match kind {
                Some(Kind::Uint | Kind::Int | Kind::Bool) => "a varint",
                None | Some(Kind::Text) => "text",
                Some(Kind::Bytes) => "bytes",
                Some(Kind::Float | Kind::Pair) => "a form that protobuf does not have",
            }));
        }
    })
}

impl Wire<'_> {
    fn misfit(&self, expected: &'static str) -> NotTaken {
        let found = match self {
            Self::Varint(_) => "a varint",
            Self::Bytes(_) => "bytes with a length",
            Self::Fixed => "a number of fixed length",
        };
        NotTaken::Wire { found, expected }
    }
}

/// Returns all occurrences of a field in a message.
fn occurrences<'m>(message: &'m [u8], part: &PathPart) -> Result<Vec<Wire<'m>>, NotTaken> {
    let PathPart::Number(wanted) = part else { return Err(NotTaken::Missing) };
    let mut found = Vec::new();
    let mut rest = message;
    while !rest.is_empty() {
        let (number, wire) = field(&mut rest).ok_or(NotTaken::NotMessage)?;
        if number == u64::from(*wanted) {
            found.push(wire);
        }
    }
    Ok(found)
}

fn field<'m>(rest: &mut &'m [u8]) -> Option<(u64, Wire<'m>)> {
    let tag = varint(rest)?;
    let wire = match tag & 7 {
        0 => Wire::Varint(varint(rest)?),
        1 => {
            rest.split_off(..8)?;
            Wire::Fixed
        }
        2 => {
            let length = usize::try_from(varint(rest)?).ok()?;
            Wire::Bytes(rest.split_off(..length)?)
        }
        5 => {
            rest.split_off(..4)?;
            Wire::Fixed
        }
        // Groups are obsolete.
        _ => return None,
    };
    (tag >> 3 != 0).then_some((tag >> 3, wire))
}

fn varint(rest: &mut &[u8]) -> Option<u64> {
    let mut number = 0_u64;
    for shift in (0..64).step_by(7) {
        let byte = *rest.split_off_first()?;
        let bits = u64::from(byte & 0x7f);
        // The tenth byte has one bit left.
        if shift == 63 && bits > 1 {
            return None;
        }
        number |= bits << shift;
        if byte & 0x80 == 0 {
            return Some(number);
        }
    }
    None
}
