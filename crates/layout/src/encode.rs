//! Encoding values as keys.

use crate::{
    datum::{Datum, Record, is_present},
    guard::Guard,
    model::{Field, Keyspace, OptionSegment, Place, Segment, Type, fields, places},
    traverse::join,
};
use keyscape_codec::ValueError;
use std::ops::Range;

/// The error for values that cannot be encoded as a key.
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
        /// The given name.
        field: String,
        /// The fields that exist.
        known: Vec<String>,
    },
    /// A value was given for a part that its guard makes absent.
    #[error(
        "field `{field}` must be left out here: its part of the key is absent for these values"
    )]
    Absent {
        /// The field.
        field: String,
    },
    /// A value is outside the domain of the field.
    #[error("field `{field}`: {source}")]
    Value {
        /// The field.
        field: String,
        /// The reason.
        source: ValueError,
    },
    /// A text or arm does not exist.
    #[error("field `{field}`: `{given}` is not one of {}", known.join(", "))]
    Choice {
        /// The field.
        field: String,
        /// The given name.
        given: String,
        /// The names that exist.
        known: Vec<String>,
    },
    /// A list has too few or too many elements.
    #[error("field `{field}`: {count} elements given, {min} to {max} allowed")]
    Count {
        /// The field.
        field: String,
        /// The number of given elements.
        count: usize,
        /// The lowest allowed number.
        min: u32,
        /// The highest allowed number.
        max: u32,
    },
    /// A value has the wrong shape.
    #[error("field `{field}`: expected {expected}")]
    Shape {
        /// The field.
        field: String,
        /// The expected form.
        expected: &'static str,
    },
}

impl Keyspace {
    /// Encodes the key of these values.
    ///
    /// # Errors
    /// [`EncodeError`] if a field is missing or has a wrong value.
    pub fn encode(&self, record: &Record) -> Result<Vec<u8>, EncodeError> {
        let mut key = Vec::new();
        encode_segments(&self.key, record, &mut key)?;
        Ok(key)
    }

    /// Encodes a key up to a place, such as the end of a scan's leading part. Only the fields
    /// before that place need values.
    ///
    /// # Errors
    /// [`EncodeError`] if a field is missing or has a wrong value.
    pub fn encode_until(&self, record: &Record, end: Place) -> Result<Vec<u8>, EncodeError> {
        let mut key = Vec::new();
        Encoder { end: end.0, ..Encoder::new(&mut key) }.list(&self.key, &self.key, record)?;
        Ok(key)
    }
}

/// Appends the bytes of some segments for these values.
///
/// # Errors
/// [`EncodeError`] if a field is missing or has a wrong value.
pub fn encode_segments(
    segments: &[Segment],
    record: &Record,
    out: &mut Vec<u8>,
) -> Result<(), EncodeError> {
    Encoder::new(out).whole(segments, record)
}

/// Appends the bytes of one value.
///
/// # Errors
/// [`EncodeError`] if the value is wrong. A field inside a composite is named `outer.inner`.
pub fn encode_type(
    ty: &Type,
    field: &str,
    datum: &Datum,
    out: &mut Vec<u8>,
) -> Result<(), EncodeError> {
    Encoder::new(out).value(ty, field, datum)
}

/// A literal or leaf of an encoded key.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct EncodedPart {
    /// The bytes in the key.
    pub bytes: Range<usize>,
    /// The place of the part.
    pub place: Place,
    /// Whether the bytes are a literal.
    pub is_literal: bool,
    /// The path of the field, including arms. All parts of a list have the path of the list. `None`
    /// for a literal outside lists.
    pub path: Option<String>,
}

/// Encodes some segments, and returns the parts of the result. If a value is missing or wrong,
/// returns the parts before it with the error.
pub fn encode_parts(
    segments: &[Segment],
    record: &Record,
) -> (Vec<EncodedPart>, Result<(), EncodeError>) {
    let mut bytes = Vec::new();
    let mut encoder = Encoder { parts: Some(Parts::default()), ..Encoder::new(&mut bytes) };
    let result = encoder.list(segments, segments, record);
    (encoder.parts.unwrap_or_default().found, result)
}

/// Encodes values up to a place.
struct Encoder<'o> {
    out: &'o mut Vec<u8>,
    /// The place of the next part.
    place: u32,
    /// The place at which encoding stops.
    end: u32,
    parts: Option<Parts>,
}

/// The parts of a key that is being encoded.
#[derive(Default)]
struct Parts {
    found: Vec<EncodedPart>,
    /// The path of the fields and arms around the next part.
    path: String,
    /// The number of lists around the next part.
    lists: usize,
}

impl<'o> Encoder<'o> {
    const fn new(out: &'o mut Vec<u8>) -> Self {
        Self { out, place: 0, end: u32::MAX, parts: None }
    }

    /// Encodes a whole list, which must have all fields of the record.
    fn whole(&mut self, segments: &[Segment], record: &Record) -> Result<(), EncodeError> {
        let known = fields(segments);
        let is_unknown = |(name, _): &&(String, Datum)| known.iter().all(|f| f.name != *name);
        if let Some((field, _)) = record.0.iter().find(is_unknown) {
            let known = known.iter().map(|f| f.name.clone()).collect();
            return Err(EncodeError::Unknown { field: field.clone(), known });
        }
        self.list(segments, segments, record)
    }

    /// Encodes segments. `scope` is the list whose fields the guards name.
    fn list(
        &mut self,
        segments: &[Segment],
        scope: &[Segment],
        record: &Record,
    ) -> Result<(), EncodeError> {
        for segment in segments {
            if self.place >= self.end {
                return Ok(());
            }
            let after = self.place + segment.places();
            let start = self.out.len();
            match segment {
                Segment::Literal(literal) => {
                    let room = (self.end - self.place) as usize;
                    let bytes = literal.bytes.get(..room).unwrap_or(&literal.bytes);
                    self.out.extend_from_slice(bytes);
                    self.part(start, true, "");
                }
                Segment::Derived(derived) => {
                    derived.encode(record, self.out)?;
                    self.part(start, false, &derived.text());
                }
                Segment::Option(option) if after <= self.end => {
                    self.option(option, scope, record)?;
                }
                Segment::Option(option) => {
                    if is_present(&option.segments, record) {
                        self.place += 1;
                        self.list(&option.segments, scope, record)?;
                    }
                }
                Segment::Field(field) => {
                    let outer = self.enter(&field.name);
                    self.field(field, record.get(&field.name), after <= self.end)?;
                    self.leave(outer);
                }
            }
            self.place = after;
        }
        Ok(())
    }

    fn field(
        &mut self,
        field: &Field,
        datum: Option<&Datum>,
        whole: bool,
    ) -> Result<(), EncodeError> {
        let name = || field.name.clone();
        match (&*field.ty, datum) {
            (ty, Some(datum)) if whole => self.value(ty, &field.name, datum),
            (Type::Composite(inner), Some(Datum::Record(record))) => {
                self.list(inner, inner, record).map_err(|error| error.inside(&field.name))
            }
            // The end may be in the first literals of the composite, which need no value.
            (Type::Composite(inner), None) if !whole => {
                let none = Record::default();
                self.list(inner, inner, &none).map_err(|error| error.inside(&field.name))
            }
            (_, None) => Err(EncodeError::Missing { field: name() }),
            (ty, Some(_)) => Err(EncodeError::Shape { field: name(), expected: shape(ty) }),
        }
    }

    fn option(
        &mut self,
        option: &OptionSegment,
        scope: &[Segment],
        record: &Record,
    ) -> Result<(), EncodeError> {
        let given = is_present(&option.segments, record);
        // In a prefix, a guard may name a field without a value.
        let present = match &option.guard {
            Some(guard) if knows(guard, record) => guard.holds(scope, record),
            _ => given,
        };
        if !present {
            match fields(&option.segments).into_iter().find(|f| record.get(&f.name).is_some()) {
                Some(field) if option.guard.is_some() => {
                    return Err(EncodeError::Absent { field: field.name.clone() });
                }
                // A nested option has a value, but the outer one has none. Encoding reports the
                // missing field.
                Some(_) => {}
                None => return Ok(()),
            }
        }
        self.place += 1;
        self.list(&option.segments, scope, record)
    }

    fn value(&mut self, ty: &Type, field: &str, datum: &Datum) -> Result<(), EncodeError> {
        let (start, name) = (self.out.len(), || field.to_owned());
        match (ty, datum) {
            (Type::Leaf(leaf), Datum::Leaf(value)) => {
                let failed = |source| EncodeError::Value { field: name(), source };
                leaf.codec.encode(value, self.out).map_err(failed)?;
                self.part(start, false, "");
            }
            (Type::Enum(of), Datum::Name(given)) => {
                let wrong = || EncodeError::Choice {
                    field: name(),
                    given: given.clone(),
                    known: of.texts.clone(),
                };
                self.out.extend_from_slice(of.bytes_of(given).ok_or_else(wrong)?);
                self.part(start, false, "");
            }
            (Type::List(list), Datum::List(elements)) => {
                let (count, min, max) = (elements.len(), list.min, list.max);
                if !(min as usize..=max as usize).contains(&count) {
                    return Err(EncodeError::Count { field: name(), count, min, max });
                }
                let first = self.place + 1;
                self.nest(true);
                for (index, element) in elements.iter().enumerate() {
                    self.place = first;
                    self.value(&list.element, &format!("{field}.{index}"), element)?;
                }
                self.nest(false);
            }
            (Type::Composite(segments), Datum::Record(record)) => {
                self.whole(segments, record).map_err(|error| error.inside(field))?;
            }
            (Type::Variant(arms), Datum::Arm(given, record)) => {
                let Some(index) = arms.iter().position(|arm| arm.name == *given) else {
                    let known = arms.iter().map(|arm| arm.name.clone()).collect();
                    return Err(EncodeError::Choice { field: name(), given: given.clone(), known });
                };
                let (before, rest) = arms.split_at(index);
                self.place += 1 + before.iter().map(|arm| places(&arm.segments)).sum::<u32>();
                let segments = rest.first().map_or(&[][..], |arm| &arm.segments);
                let outer = self.enter(given);
                self.whole(segments, record).map_err(|error| error.inside(given).inside(field))?;
                self.leave(outer);
            }
            (ty, _) => return Err(EncodeError::Shape { field: name(), expected: shape(ty) }),
        }
        Ok(())
    }

    /// Appends a name to the path and returns its former length.
    fn enter(&mut self, name: &str) -> usize {
        let Some(parts) = &mut self.parts else { return 0 };
        let outer = parts.path.len();
        if parts.lists == 0 {
            parts.path = join(&parts.path, name);
        }
        outer
    }

    /// Enters or leaves a list.
    fn nest(&mut self, entered: bool) {
        if let Some(parts) = &mut self.parts {
            parts.lists = if entered { parts.lists + 1 } else { parts.lists - 1 };
        }
    }

    /// Records the part that starts at `start`. `name` is the name of a part that is not a field.
    fn part(&mut self, start: usize, is_literal: bool, name: &str) {
        let Some(parts) = &mut self.parts else { return };
        let path = match parts.lists {
            0 if is_literal => None,
            0 => Some(join(&parts.path, name)),
            _ => Some(parts.path.clone()),
        };
        let (bytes, place) = (start..self.out.len(), Place(self.place));
        parts.found.push(EncodedPart { bytes, place, is_literal, path });
    }

    fn leave(&mut self, outer: usize) {
        if let Some(parts) = &mut self.parts {
            parts.path.truncate(outer);
        }
    }
}

fn knows(guard: &Guard, record: &Record) -> bool {
    let mut known = true;
    guard.each_condition(&mut |field, _| known &= record.get(field).is_some());
    known
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
    /// Returns the field of the error.
    #[must_use]
    pub fn field(&self) -> &str {
        let (Self::Missing { field }
        | Self::Unknown { field, .. }
        | Self::Absent { field }
        | Self::Value { field, .. }
        | Self::Choice { field, .. }
        | Self::Count { field, .. }
        | Self::Shape { field, .. }) = self;
        field
    }

    fn inside(mut self, outer: &str) -> Self {
        let (Self::Missing { field }
        | Self::Unknown { field, .. }
        | Self::Absent { field }
        | Self::Value { field, .. }
        | Self::Choice { field, .. }
        | Self::Count { field, .. }
        | Self::Shape { field, .. }) = &mut self;
        field.insert_str(0, &format!("{outer}."));
        self
    }
}
