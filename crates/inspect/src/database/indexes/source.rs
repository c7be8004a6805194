//! Extracts the fields of an index from the values of rows.

use super::{DynamicIndex, wire};
use crate::{
    database::{DatabaseError, SourceValue, Stored},
    input::{InputError, json, value},
};
use keyscape_codec::Kind;
use keyscape_layout::{
    Datum, RowDatum,
    model::{Field, FromValue, PathPart, RowValue, Take, Type, ValueSource},
};
use serde_json::Value as Json;

impl DynamicIndex<'_> {
    /// Returns the values of an index field in the value of a row: one, none or several, as the
    /// layout declares.
    ///
    /// # Errors
    /// [`DatabaseError::Extract`] if the value does not have the form that the layout describes, or
    /// if the field is missing or has another type. Other errors if only the program can extract
    /// the field.
    pub(super) fn field_values(
        &self,
        field: &Field,
        value: &[u8],
    ) -> Result<Vec<Datum>, DatabaseError> {
        let map = self.owner();
        let (Some(source), Some(FromValue { take, .. })) =
            (field.value_source(map.value.as_ref()), &field.from_value)
        else {
            return Err(self.only_program(&field.name));
        };
        let stored = self.reader.stored(self.map, value);
        let value = match stored {
            Stored::Reads(_) => SourceValue::Older,
            Stored::Value(_) | Stored::Raw(_) => SourceValue::New,
        };
        let found = match (source, stored) {
            (ValueSource::Whole, Stored::Value(RowDatum::Datum(datum))) => {
                several(*take, Some(datum))
            }
            (ValueSource::Whole, Stored::Reads(RowDatum::Datum(datum)))
                if self.has_same_older_values() =>
            {
                several(*take, Some(datum))
            }
            (
                ValueSource::Part(part),
                Stored::Value(RowDatum::Datum(Datum::Record(mut record))),
            ) => {
                let at = record.0.iter().position(|(name, _)| name == part);
                several(*take, at.map(|at| record.0.swap_remove(at).1))
            }
            (ValueSource::Json(path), Stored::Value(RowDatum::Json(text))) => {
                json_values(&text, path, *take, field)
            }
            (ValueSource::Proto(path), Stored::Value(RowDatum::Bytes(bytes))) => {
                wire::values(&bytes, path, *take, &field.ty)
            }
            (_, Stored::Reads(_)) => Err(NotTaken::OlderForm),
            _ => Err(NotTaken::OtherForm),
        };
        found.map_err(|why| DatabaseError::Extract {
            index: self.keyspace().name.clone(),
            field: field.name.clone(),
            map: map.name.clone(),
            value,
            why: why.to_string(),
        })
    }

    /// Whether only the program can compute the entries of all rows, or of rows in the older form
    /// after `reads`.
    pub fn needs_program_for_some_rows(&self) -> bool {
        let has_other_older_values = self.owner().reads.is_some() && !self.has_same_older_values();
        self.needs_program() || (self.takes_value() && has_other_older_values)
    }

    /// Whether values in the older form after `reads` are single values of the declared kind.
    fn has_same_older_values(&self) -> bool {
        let map = self.owner();
        let kind = kind_of(map.value.as_ref());
        kind.is_some() && kind == kind_of(map.reads.as_ref())
    }
}

/// Returns the kind of the values of a form; `None` if they are not single values.
fn kind_of(form: Option<&RowValue>) -> Option<Kind> {
    match form {
        Some(RowValue::Typed(typed)) => match &*typed.ty {
            Type::Leaf(leaf) => Some(leaf.codec.kind()),
            _ => None,
        },
        _ => None,
    }
}

/// The reason why a value does not provide a field.
#[derive(Debug, thiserror::Error)]
pub(super) enum NotTaken {
    #[error("the value does not have the form of the layout")]
    OtherForm,
    #[error("it has the older form after `reads`, which only the program converts")]
    OlderForm,
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
    Field(#[from] InputError),
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

/// Returns the values at a path in JSON. An absent member is treated like `null`.
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
    let convert = |json: Json| Ok(value::datum(&field.ty, json.into(), &field.name)?);
    match (take, at.filter(|found| !found.is_null())) {
        (Take::One, None) => Err(NotTaken::Missing),
        (Take::Optional | Take::Each, None) => Ok(Vec::new()),
        (Take::Each, Some(Json::Array(elements))) => elements.into_iter().map(convert).collect(),
        (Take::Each, Some(_)) => Err(NotTaken::NotList),
        (Take::One | Take::Optional, Some(found)) => Ok(vec![convert(found)?]),
    }
}
