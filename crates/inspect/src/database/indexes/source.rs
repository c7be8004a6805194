//! The values that a row has for the fields that an index takes from its value.

use super::{SourceRow, wire};
use crate::{
    database::{DatabaseError, Reader, Stored},
    input::{json, value},
};
use keyscape_layout::{
    Datum, Layout, RowDatum,
    model::{Field, FromValue, KeyspaceId, PathPart, Take, ValueSource},
};
use serde_json::Value as Json;

/// Returns the values of a field of an index in the value of a row: one, none or several, as the
/// layout declares.
///
/// # Errors
/// [`DatabaseError::FromValue`] if only the program can take the field,
/// [`DatabaseError::OldValue`] if the value has another form than the layout describes, and
/// [`DatabaseError::Extract`] if the field is missing or has another type.
pub(super) fn values(
    layout: &Layout,
    reader: &Reader<'_>,
    index: KeyspaceId,
    field: &Field,
    row: SourceRow<'_>,
) -> Result<Vec<Datum>, DatabaseError> {
    let name = |id| layout.keyspace(id).name.clone();
    let form = layout.keyspace(row.map).value.as_ref();
    let (Some(source), Some(FromValue { take, .. })) =
        (field.value_source(form), &field.from_value)
    else {
        let (index, map) = (name(index), name(row.map));
        return Err(DatabaseError::FromValue { index, field: field.name.clone(), map });
    };
    let other_form = || DatabaseError::OldValue { map: name(row.map), field: field.name.clone() };
    let stored = reader.stored(row.map, row.value);
    let found = match (source, stored) {
        (ValueSource::Whole, Stored::Value(RowDatum::Datum(datum))) => several(*take, Some(datum)),
        // The older form of a single value has the same values.
        (ValueSource::Whole, Stored::Reads(RowDatum::Datum(datum @ Datum::Leaf(_)))) => {
            several(*take, Some(datum))
        }
        (ValueSource::Part(part), Stored::Value(RowDatum::Datum(Datum::Record(mut record)))) => {
            let at = record.0.iter().position(|(name, _)| name == part);
            several(*take, at.map(|at| record.0.swap_remove(at).1))
        }
        (ValueSource::Json(path), Stored::Value(RowDatum::Json(text))) => {
            json_values(&text, path, *take, field)
        }
        (ValueSource::Proto(path), Stored::Value(RowDatum::Bytes(bytes))) => {
            wire::values(&bytes, path, *take, &field.ty)
        }
        _ => return Err(other_form()),
    };
    match found {
        Ok(found) => Ok(found),
        Err(NotTaken::Missing) if matches!(source, ValueSource::Whole | ValueSource::Part(_)) => {
            Err(other_form())
        }
        Err(why) => Err(DatabaseError::Extract {
            index: name(index),
            field: field.name.clone(),
            map: name(row.map),
            why: why.to_string(),
        }),
    }
}

/// The reason why a value does not provide a field.
#[derive(Debug, thiserror::Error)]
pub(super) enum NotTaken {
    #[error("it is missing")]
    Missing,
    #[error("it is not a list")]
    NotList,
    #[error("it is inside {0}")]
    Inside(&'static str),
    #[error("the value is not JSON: {0}")]
    Json(#[from] serde_json::Error),
    #[error("the value is not a protobuf message")]
    NotMessage,
    #[error("the message holds {found}, and the field needs {expected}")]
    Wire { found: &'static str, expected: &'static str },
    #[error(transparent)]
    Field(#[from] crate::input::FieldError),
}

/// Returns the values of a decoded part.
fn several(take: Take, datum: Option<Datum>) -> Result<Vec<Datum>, NotTaken> {
    match (take, datum) {
        (Take::Each, Some(Datum::List(elements))) => Ok(elements),
        (Take::Each, Some(_)) => Err(NotTaken::NotList),
        (Take::Optional, None) => Ok(Vec::new()),
        (Take::One | Take::Each, None) => Err(NotTaken::Missing),
        (Take::One | Take::Optional, Some(datum)) => Ok(vec![datum]),
    }
}

/// Returns the values at a path in JSON. An absent member and `null` are the same.
fn json_values(
    text: &str,
    path: &[PathPart],
    take: Take,
    field: &Field,
) -> Result<Vec<Datum>, NotTaken> {
    let root: Json = json::parse(text)?;
    let mut at = Some(root);
    for part in path {
        let PathPart::Name(name) = part else { return Err(NotTaken::Missing) };
        at = match at {
            None | Some(Json::Null) => None,
            Some(Json::Object(mut members)) => members.remove(name),
            Some(Json::Array(_)) => return Err(NotTaken::Inside("a list")),
            Some(_) => return Err(NotTaken::Inside("a value without members")),
        };
    }
    let convert = |json: Json| Ok(value::datum(&field.ty, json.into(), field.name.clone())?);
    match (take, at.filter(|found| !found.is_null())) {
        (Take::One, None) => Err(NotTaken::Missing),
        (Take::Optional | Take::Each, None) => Ok(Vec::new()),
        (Take::Each, Some(Json::Array(elements))) => elements.into_iter().map(convert).collect(),
        (Take::Each, Some(_)) => Err(NotTaken::NotList),
        (Take::One | Take::Optional, Some(found)) => Ok(vec![convert(found)?]),
    }
}
