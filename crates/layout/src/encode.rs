//! Values to keys.

use crate::{
    datum::{Datum, Record, fields, is_present},
    guard::Guard,
    model::{Keyspace, OptionSegment, Place, Segment, Type},
};
use keyscape_codec::{IntRange, Value, ValueError};

/// A key cannot be made from the values given.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum EncodeError {
    /// A field has no value.
    #[error("field `{field}` is missing")]
    Missing {
        /// The field.
        field: String,
    },
    /// A value was given for a field that does not exist.
    #[error("there is no field `{field}`")]
    Unknown {
        /// What was given.
        field: String,
        /// The fields that exist.
        known: Vec<String>,
    },
    /// A value was given for a part that its guard leaves out.
    #[error(
        "field `{field}` must be left out here: its part of the key is absent for these values"
    )]
    Absent {
        /// The field.
        field: String,
    },
    /// A value is not of the field's domain.
    #[error("field `{field}`: {source}")]
    Value {
        /// The field.
        field: String,
        /// What is wrong.
        source: ValueError,
    },
    /// A text or arm does not exist.
    #[error("field `{field}`: `{given}` is not one of {}", known.join(", "))]
    Choice {
        /// The field.
        field: String,
        /// What was given.
        given: String,
        /// What exists.
        known: Vec<String>,
    },
    /// A list has too few or too many elements.
    #[error("field `{field}`: {count} elements given, {min} to {max} allowed")]
    Count {
        /// The field.
        field: String,
        /// How many were given.
        count: usize,
        /// The fewest allowed.
        min: u32,
        /// The most allowed.
        max: u32,
    },
    /// A value has the wrong shape.
    #[error("field `{field}`: expected {expected}")]
    Shape {
        /// The field.
        field: String,
        /// What was expected.
        expected: &'static str,
    },
}

impl Keyspace {
    /// The key of these values.
    ///
    /// # Errors
    /// [`EncodeError`] names the field and what is wrong with it.
    pub fn encode(&self, record: &Record) -> Result<Vec<u8>, EncodeError> {
        let mut key = Vec::new();
        encode_segments(&self.key, record, &mut key)?;
        Ok(key)
    }

    /// The bytes of a key up to a place, such as the end of a scan's leading part. Only the fields
    /// before that place need values.
    ///
    /// # Errors
    /// [`EncodeError`] names the field and what is wrong with it.
    pub fn encode_until(&self, record: &Record, end: Place) -> Result<Vec<u8>, EncodeError> {
        let mut key = Vec::new();
        let mut until = Until { scope: &self.key, at: 0, end: end.0 };
        until.list(&self.key, record, &mut key)?;
        Ok(key)
    }
}

/// Encodes the segments before a place.
struct Until<'a> {
    scope: &'a [Segment],
    at: u32,
    end: u32,
}

impl Until<'_> {
    fn list(
        &mut self,
        segments: &[Segment],
        record: &Record,
        out: &mut Vec<u8>,
    ) -> Result<(), EncodeError> {
        for segment in segments {
            if self.at >= self.end {
                return Ok(());
            }
            let after = self.at + segment.places();
            if after <= self.end {
                encode_list(std::slice::from_ref(segment), self.scope, record, out)?;
            } else {
                self.part(segment, record, out)?;
            }
            self.at = after;
        }
        Ok(())
    }

    /// A segment that the place lies in.
    fn part(
        &mut self,
        segment: &Segment,
        record: &Record,
        out: &mut Vec<u8>,
    ) -> Result<(), EncodeError> {
        match segment {
            Segment::Literal(literal) => {
                let taken = (self.end - self.at) as usize;
                out.extend_from_slice(literal.bytes.get(..taken).unwrap_or(&literal.bytes));
                Ok(())
            }
            Segment::Derived(derived) => derived.encode(record, out),
            Segment::Option(option) => {
                if is_present(&option.segments, record) {
                    self.at += 1;
                    self.list(&option.segments, record, out)?;
                }
                Ok(())
            }
            Segment::Field(field) => match (&*field.ty, record.get(&field.name)) {
                (Type::Composite(inner), None) => {
                    // The place may lie in literals that it begins with, which need no value.
                    self.inside(inner, &field.name, &Record::default(), out)
                }
                (_, None) => Err(EncodeError::Missing { field: field.name.clone() }),
                (Type::Composite(inner), Some(Datum::Record(record))) => {
                    self.inside(inner, &field.name, record, out)
                }
                (ty, Some(_)) => {
                    Err(EncodeError::Shape { field: field.name.clone(), expected: shape(ty) })
                }
            },
        }
    }

    /// A composite that the place lies in.
    fn inside(
        &self,
        segments: &[Segment],
        field: &str,
        record: &Record,
        out: &mut Vec<u8>,
    ) -> Result<(), EncodeError> {
        let mut inside = Until { scope: segments, at: self.at, end: self.end };
        inside.list(segments, record, out).map_err(|error| error.inside(field))
    }
}

/// Appends the bytes of some segments for these values.
///
/// # Errors
/// [`EncodeError`] names the field and what is wrong with it.
pub fn encode_segments(
    segments: &[Segment],
    record: &Record,
    out: &mut Vec<u8>,
) -> Result<(), EncodeError> {
    let known = fields(segments);
    if let Some((field, _)) =
        record.0.iter().find(|(name, _)| known.iter().all(|f| f.name != *name))
    {
        let known = known.iter().map(|f| f.name.clone()).collect();
        return Err(EncodeError::Unknown { field: field.clone(), known });
    }
    encode_list(segments, segments, record, out)
}

/// `scope` is the list whose fields the guards speak of.
fn encode_list(
    segments: &[Segment],
    scope: &[Segment],
    record: &Record,
    out: &mut Vec<u8>,
) -> Result<(), EncodeError> {
    for segment in segments {
        match segment {
            Segment::Literal(literal) => out.extend_from_slice(&literal.bytes),
            Segment::Field(field) => {
                let datum = record
                    .get(&field.name)
                    .ok_or_else(|| EncodeError::Missing { field: field.name.clone() })?;
                encode_type(&field.ty, &field.name, datum, out)?;
            }
            Segment::Option(option) => encode_option(option, scope, record, out)?,
            Segment::Derived(derived) => derived.encode(record, out)?,
        }
    }
    Ok(())
}

fn encode_option(
    option: &OptionSegment,
    scope: &[Segment],
    record: &Record,
    out: &mut Vec<u8>,
) -> Result<(), EncodeError> {
    let given = is_present(&option.segments, record);
    // A guard may speak of a field that is not known yet, when only a prefix is encoded.
    let present = match &option.guard {
        Some(guard) if knows(guard, record) => holds(guard, scope, record),
        _ => given,
    };
    if present {
        return encode_list(&option.segments, scope, record, out);
    }
    match fields(&option.segments).into_iter().find(|f| record.get(&f.name).is_some()) {
        Some(field) if option.guard.is_some() => {
            Err(EncodeError::Absent { field: field.name.clone() })
        }
        // A field of an option inside, without the field that says that the outer one is there.
        Some(_) => encode_list(&option.segments, scope, record, out),
        None => Ok(()),
    }
}

fn knows(guard: &Guard, record: &Record) -> bool {
    let mut known = true;
    guard.each_condition(&mut |field, _| known &= record.get(field).is_some());
    known
}

fn holds(guard: &Guard, scope: &[Segment], record: &Record) -> bool {
    match guard {
        Guard::Is { field, choices } => {
            let ty = crate::guard::find_field(scope, field);
            let index = match (ty, record.get(field)) {
                (Some(Type::Enum(of)), Some(Datum::Name(name))) => {
                    of.texts.iter().position(|text| text == name)
                }
                (Some(Type::Variant(arms)), Some(Datum::Arm(name, _))) => {
                    arms.iter().position(|arm| arm.name == *name)
                }
                _ => None,
            };
            index.is_some_and(|index| choices.contains(&index))
        }
        Guard::In { field, range } => match (record.get(field), range) {
            (Some(Datum::Leaf(Value::Uint(n))), IntRange::Unsigned { low, high }) => {
                (low..=high).contains(&n)
            }
            (Some(Datum::Leaf(Value::Int(n))), IntRange::Signed { low, high }) => {
                (low..=high).contains(&n)
            }
            _ => false,
        },
        Guard::All(parts) => parts.iter().all(|part| holds(part, scope, record)),
        Guard::Any(parts) => parts.iter().any(|part| holds(part, scope, record)),
    }
}

/// Appends the bytes of one value.
///
/// # Errors
/// [`EncodeError`] names the field, within composites as `outer.inner`.
pub fn encode_type(
    ty: &Type,
    field: &str,
    datum: &Datum,
    out: &mut Vec<u8>,
) -> Result<(), EncodeError> {
    match (ty, datum) {
        (Type::Leaf(leaf), Datum::Leaf(value)) => leaf
            .codec
            .encode(value, out)
            .map_err(|source| EncodeError::Value { field: field.to_owned(), source }),
        (Type::Enum(of), Datum::Name(name)) => {
            let Some(bytes) = of.bytes_of(name) else {
                return Err(EncodeError::Choice {
                    field: field.to_owned(),
                    given: name.clone(),
                    known: of.texts.clone(),
                });
            };
            out.extend_from_slice(bytes);
            Ok(())
        }
        (Type::List(list), Datum::List(elements)) => {
            let count = elements.len();
            if count < list.min as usize || count > list.max as usize {
                return Err(EncodeError::Count {
                    field: field.to_owned(),
                    count,
                    min: list.min,
                    max: list.max,
                });
            }
            for (index, element) in elements.iter().enumerate() {
                encode_type(&list.element, &format!("{field}.{index}"), element, out)?;
            }
            Ok(())
        }
        (Type::Composite(segments), Datum::Record(record)) => {
            encode_segments(segments, record, out).map_err(|error| error.inside(field))
        }
        (Type::Variant(arms), Datum::Arm(name, record)) => {
            let Some(arm) = arms.iter().find(|arm| arm.name == *name) else {
                return Err(EncodeError::Choice {
                    field: field.to_owned(),
                    given: name.clone(),
                    known: arms.iter().map(|arm| arm.name.clone()).collect(),
                });
            };
            encode_segments(&arm.segments, record, out)
                .map_err(|error| error.inside(name).inside(field))
        }
        (ty, _) => Err(EncodeError::Shape { field: field.to_owned(), expected: shape(ty) }),
    }
}

const fn shape(ty: &Type) -> &'static str {
    match ty {
        Type::Leaf(_) => "a single value",
        Type::Enum(_) => "one of its texts",
        Type::Composite(_) => "an object with its fields",
        Type::Variant(_) => "an object with the name of an arm and its fields",
        Type::List(_) => "a list",
    }
}

impl EncodeError {
    /// The field that the error is about.
    #[must_use]
    pub fn field(&self) -> &str {
        match self {
            Self::Missing { field }
            | Self::Unknown { field, .. }
            | Self::Absent { field }
            | Self::Value { field, .. }
            | Self::Choice { field, .. }
            | Self::Count { field, .. }
            | Self::Shape { field, .. } => field,
        }
    }

    fn inside(mut self, outer: &str) -> Self {
        match &mut self {
            Self::Missing { field }
            | Self::Unknown { field, .. }
            | Self::Absent { field }
            | Self::Value { field, .. }
            | Self::Choice { field, .. }
            | Self::Count { field, .. }
            | Self::Shape { field, .. } => field.insert_str(0, &format!("{outer}.")),
        }
        self
    }
}
