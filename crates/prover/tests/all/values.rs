//! Conversion of JSON to records of a layout.

use keyscape_codec::{Kind, Value};
use keyscape_layout::{
    Datum, Record, fields,
    model::{Leaf, Segment, Type},
};
use keyscape_testkit::unhex;
use serde_json::Value as Json;

/// Converts a JSON object to a record. Fields may be absent.
pub(crate) fn record(segments: &[Segment], json: &Json) -> Result<Record, String> {
    let object = json.as_object().ok_or_else(|| format!("{json} is not an object"))?;
    let known = fields(segments);
    if let Some(name) = object.keys().find(|name| known.iter().all(|f| f.name != **name)) {
        return Err(format!("there is no field `{name}`"));
    }
    let mut record = Record::default();
    for field in known {
        if let Some(value) = object.get(&field.name) {
            record.set(field.name.clone(), datum(&field.ty, value)?);
        }
    }
    Ok(record)
}

/// Converts JSON to a value of a type.
pub(crate) fn datum(ty: &Type, json: &Json) -> Result<Datum, String> {
    Ok(match ty {
        Type::Leaf(leaf) => Datum::Leaf(leaf_value(leaf, json)?),
        Type::Enum(_) => Datum::Name(plain(json)?),
        Type::Composite(segments) => Datum::Record(record(segments, json)?),
        Type::List(list) => {
            let elements = json.as_array().ok_or_else(|| format!("{json} is not a list"))?;
            Datum::List(elements.iter().map(|e| datum(&list.element, e)).collect::<Result<_, _>>()?)
        }
        Type::Variant(arms) => {
            let arm = json.as_object().filter(|object| object.len() == 1);
            let (name, inside) = arm
                .and_then(|object| object.iter().next())
                .ok_or_else(|| format!("{json} is not one arm with its fields"))?;
            let arm = arms.iter().find(|arm| arm.name == *name);
            let arm = arm.ok_or_else(|| format!("there is no arm `{name}`"))?;
            Datum::Arm(name.clone(), record(&arm.segments, inside)?)
        }
    })
}

fn plain(json: &Json) -> Result<String, String> {
    match json {
        Json::String(text) => Ok(text.clone()),
        Json::Number(number) => Ok(number.to_string()),
        Json::Bool(truth) => Ok(truth.to_string()),
        other => Err(format!("{other} is not a single value")),
    }
}

fn leaf_value(leaf: &Leaf, json: &Json) -> Result<Value, String> {
    if let (Kind::Pair, Json::Array(both)) = (leaf.codec.kind(), json) {
        let number = |at: usize| both.get(at).and_then(Json::as_u64).map(Into::into);
        let (Some(a), Some(b)) = (number(0), number(1)) else {
            return Err(format!("{json} is not a pair"));
        };
        return Ok(Value::Pair(a, b));
    }
    let text = plain(json)?;
    let wrong = || format!("`{text}` is not a value of `{}`", leaf.codec.text());
    Ok(match leaf.codec.kind() {
        Kind::Uint => Value::Uint(text.parse().map_err(|_| wrong())?),
        Kind::Int => Value::Int(text.parse().map_err(|_| wrong())?),
        Kind::Float => Value::Float(text.parse().map_err(|_| wrong())?),
        Kind::Bool => Value::Bool(text.parse().map_err(|_| wrong())?),
        Kind::Text => Value::Text(text),
        Kind::Pair => return Err(wrong()),
        Kind::Bytes => Value::Bytes(match (text.strip_prefix("0x"), &leaf.shown) {
            (Some(digits), _) => unhex(digits).ok_or_else(wrong)?,
            (None, Some(shown)) => shown.parse(&text).map_err(|error| error.to_string())?,
            (None, None) => return Err(wrong()),
        }),
    })
}
