//! Converts between protobuf JSON and protobuf bytes by the schema of a message.

use super::{
    CosmosError, bad,
    schema::{Field, Kind, fields_of},
};
use crate::Rules;
use base64::{Engine, engine::general_purpose::STANDARD};
use prost::encoding::{WireType, decode_key, decode_varint, encode_key, encode_varint};
use serde_json::{Map, Value};

const TYPE: &str = "@type";

/// Parses an integer: a number, or its text.
pub(super) fn number<T: std::str::FromStr>(value: &Value, path: &str) -> Result<T, CosmosError> {
    let text = match value {
        Value::String(text) => text.clone(),
        Value::Number(number) => number.to_string(),
        _ => return Err(bad(path, "expected an integer")),
    };
    text.parse().map_err(|_| bad(path, format!("`{text}` is not an integer of this size")))
}

/// Encodes a value as a message. Fields are in order of their numbers, and defaults are omitted, as
/// the SDK writes them.
pub(super) fn encode(
    rules: &Rules,
    fields: &'static [Field],
    value: &Value,
    path: &str,
) -> Result<Vec<u8>, CosmosError> {
    let empty = Map::new();
    let members = match value {
        Value::Object(members) => members,
        Value::Null => &empty,
        _ => return Err(bad(path, "expected an object")),
    };
    let is_known = |name: &str| name == TYPE || fields.iter().any(|field| field.name == name);
    if let Some(name) = members.keys().find(|name| !is_known(name)) {
        return Err(bad(path, format!("the member `{name}` is unknown")));
    }
    let mut out = Vec::new();
    for field in fields {
        let path = format!("{path}.{}", field.name);
        match members.get(field.name) {
            None | Some(Value::Null) => {}
            Some(Value::Array(list)) if field.is_list => {
                for value in list {
                    encode_field(rules, field, value, true, &path, &mut out)?;
                }
            }
            Some(_) if field.is_list => return Err(bad(&path, "expected a list")),
            Some(value) => encode_field(rules, field, value, false, &path, &mut out)?,
        }
    }
    Ok(out)
}

/// Encodes one value of a field. A default is written only in a list.
fn encode_field(
    rules: &Rules,
    field: &Field,
    value: &Value,
    in_list: bool,
    path: &str,
    out: &mut Vec<u8>,
) -> Result<(), CosmosError> {
    let text = || value.as_str().ok_or_else(|| bad(path, "expected a text"));
    let (scalar, is_message) = match &field.kind {
        Kind::Text => (Scalar::Bytes(text()?.as_bytes().to_vec()), false),
        Kind::Bytes => {
            let bytes = STANDARD.decode(text()?).map_err(|_| bad(path, "expected base64"))?;
            (Scalar::Bytes(bytes), false)
        }
        Kind::Bool => {
            let bool = value.as_bool().ok_or_else(|| bad(path, "expected true or false"))?;
            (Scalar::Number(bool.into()), false)
        }
        Kind::U32 => (Scalar::Number(number::<u32>(value, path)?.into()), false),
        Kind::U64 => (Scalar::Number(number(value, path)?), false),
        Kind::I64 => (Scalar::Number(number::<i64>(value, path)?.cast_unsigned()), false),
        Kind::Message(fields) => (Scalar::Bytes(encode(rules, fields, value, path)?), true),
        Kind::Any => {
            let (type_url, message) = encode_any(rules, value, path)?;
            let any = crate::values::Any { type_url, value: message };
            (Scalar::Bytes(prost::Message::encode_to_vec(&any)), true)
        }
    };
    match scalar {
        Scalar::Number(0) if !in_list => {}
        Scalar::Number(number) => {
            encode_key(field.number, WireType::Varint, out);
            encode_varint(number, out);
        }
        Scalar::Bytes(bytes) if bytes.is_empty() && !in_list && !is_message => {}
        Scalar::Bytes(bytes) => {
            encode_key(field.number, WireType::LengthDelimited, out);
            encode_varint(bytes.len() as u64, out);
            out.extend(bytes);
        }
    }
    Ok(())
}

/// The wire form of a value.
enum Scalar {
    Number(u64),
    Bytes(Vec<u8>),
}

/// Encodes a value that names its type. Returns the type and the message.
pub(super) fn encode_any(
    rules: &Rules,
    value: &Value,
    path: &str,
) -> Result<(String, Vec<u8>), CosmosError> {
    let type_url = value.get(TYPE).and_then(Value::as_str);
    let type_url = type_url.ok_or_else(|| bad(path, format!("expected `{TYPE}`")))?;
    if let Some(of) = rules.message_type(type_url) {
        return Ok((type_url.to_owned(), of.encode(value).map_err(|why| bad(path, why))?));
    }
    let fields = fields_of(type_url).ok_or_else(|| unknown(type_url, path))?;
    Ok((type_url.to_owned(), encode(rules, fields, value, path)?))
}

fn unknown(type_url: &str, path: &str) -> CosmosError {
    CosmosError::UnknownType { path: path.to_owned(), type_url: type_url.to_owned() }
}

/// Decodes a message to a value that names its type.
pub(super) fn decode_any(
    rules: &Rules,
    type_url: &str,
    bytes: &[u8],
    path: &str,
) -> Result<Value, CosmosError> {
    let message = match rules.message_type(type_url) {
        Some(of) => of.decode(bytes).map_err(|why| bad(path, why))?,
        None => {
            let fields = fields_of(type_url).ok_or_else(|| unknown(type_url, path))?;
            decode(rules, fields, bytes, path)?
        }
    };
    let mut members = Map::new();
    members.insert(TYPE.to_owned(), type_url.into());
    if let Value::Object(own) = message {
        members.extend(own);
    }
    Ok(Value::Object(members))
}

/// Decodes a message with all its fields. A field that the schema does not know is an error,
/// because it would be lost.
pub(super) fn decode(
    rules: &Rules,
    fields: &'static [Field],
    bytes: &[u8],
    path: &str,
) -> Result<Value, CosmosError> {
    let mut members = Map::new();
    for field in fields {
        let default = match (&field.kind, field.is_list) {
            (_, true) => Value::Array(Vec::new()),
            (Kind::Text | Kind::Bytes, _) => "".into(),
            (Kind::Bool, _) => false.into(),
            (Kind::U32, _) => 0.into(),
            (Kind::U64 | Kind::I64, _) => "0".into(),
            (Kind::Message(_) | Kind::Any, _) => Value::Null,
        };
        members.insert(field.name.to_owned(), default);
    }
    let mut rest = bytes;
    while !rest.is_empty() {
        let (number, wire) = decode_key(&mut rest).map_err(|error| bad(path, error))?;
        let field = fields.iter().find(|field| field.number == number);
        let field = field.ok_or_else(|| bad(path, format!("the field {number} is unknown")))?;
        let path = format!("{path}.{}", field.name);
        let value = decode_field(rules, field, wire, &mut rest, &path)?;
        match members.get_mut(field.name) {
            Some(Value::Array(list)) if field.is_list => list.push(value),
            Some(member) => *member = value,
            None => {}
        }
    }
    Ok(Value::Object(members))
}

fn decode_field(
    rules: &Rules,
    field: &Field,
    wire: WireType,
    rest: &mut &[u8],
    path: &str,
) -> Result<Value, CosmosError> {
    let number = decode_varint(rest).map_err(|error| bad(path, error))?;
    match (&field.kind, wire) {
        (Kind::Bool, WireType::Varint) => return Ok((number != 0).into()),
        (Kind::U32, WireType::Varint) => return Ok(number.into()),
        (Kind::U64, WireType::Varint) => return Ok(number.to_string().into()),
        (Kind::I64, WireType::Varint) => return Ok(number.cast_signed().to_string().into()),
        (Kind::Text | Kind::Bytes | Kind::Message(_) | Kind::Any, WireType::LengthDelimited) => {}
        _ => return Err(bad(path, "the field has another wire type")),
    }
    let length = usize::try_from(number).ok();
    let taken = length.and_then(|length| rest.split_at_checked(length));
    let (bytes, left) = taken.ok_or_else(|| bad(path, "the message ends early"))?;
    *rest = left;
    match &field.kind {
        Kind::Message(fields) => decode(rules, fields, bytes, path),
        Kind::Any => {
            let any: crate::values::Any =
                prost::Message::decode(bytes).map_err(|error| bad(path, error))?;
            decode_any(rules, &any.type_url, &any.value, path)
        }
        Kind::Bytes => Ok(STANDARD.encode(bytes).into()),
        _ => Ok(String::from_utf8(bytes.to_vec()).map_err(|error| bad(path, error))?.into()),
    }
}
