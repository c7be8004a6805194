//! Encoding values as keys.

use crate::{
    datum::{Datum, Record, is_present},
    model::{Keyspace, OptionSegment, Place, Segment, Type, fields, places},
    traverse::join,
};
use keyscape_codec::ValueError;
use smallvec::SmallVec;
use std::{fmt, ops::Range};

/// The error for values that cannot be encoded as a key.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub struct EncodeError {
    /// The path of the field: `outer.inner`.
    pub field: String,
    /// The reason.
    pub reason: EncodeReason,
}

/// The reason for which a value cannot be encoded.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum EncodeReason {
    /// The field has no value.
    Missing,
    /// A value was given for a field that does not exist.
    Unknown,
    /// A value was given for a part that its guard makes absent.
    Absent,
    /// The value is outside the domain of the field.
    Value(ValueError),
    /// The text or arm does not exist.
    Choice {
        /// The given name.
        given: String,
        /// The names that exist.
        known: Vec<String>,
    },
    /// A list has too few or too many elements.
    Count {
        /// The number of given elements.
        count: usize,
        /// The lowest allowed number.
        min: u32,
        /// The highest allowed number.
        max: u32,
    },
    /// The value has the wrong shape.
    Shape {
        /// The expected form.
        expected: &'static str,
    },
}

impl EncodeError {
    /// Creates the error of a field.
    #[must_use]
    pub fn new(field: &str, reason: EncodeReason) -> Self {
        Self { field: field.to_owned(), reason }
    }
}

impl fmt::Display for EncodeError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let field = &self.field;
        match &self.reason {
            EncodeReason::Missing => write!(f, "field `{field}` is missing"),
            EncodeReason::Unknown => write!(f, "there is no field `{field}`"),
            EncodeReason::Absent => write!(
                f,
                "field `{field}` must be left out here: its part of the key is absent for these \
                 values"
            ),
            EncodeReason::Value(error) => write!(f, "field `{field}`: {error}"),
            EncodeReason::Choice { given, known } => {
                write!(f, "field `{field}`: `{given}` is not one of {}", known.join(", "))
            }
            EncodeReason::Count { count, min, max } => {
                write!(f, "field `{field}`: {count} elements given, {min} to {max} allowed")
            }
            EncodeReason::Shape { expected } => write!(f, "field `{field}`: expected {expected}"),
        }
    }
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

/// Appends the bytes of the value of a field.
///
/// # Errors
/// [`EncodeError`] if the value is wrong.
pub fn encode_type(
    ty: &Type,
    field: &str,
    datum: &Datum,
    out: &mut Vec<u8>,
) -> Result<(), EncodeError> {
    let mut encoder = Encoder::new(out);
    encoder.path.push(Step::Name(field));
    encoder.value(ty, datum)
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
    let mut encoder = Encoder { parts: Some(Vec::new()), ..Encoder::new(&mut bytes) };
    let result = encoder.list(segments, segments, record);
    (encoder.parts.unwrap_or_default(), result)
}

/// Encodes values up to a place.
struct Encoder<'o, 'a> {
    out: &'o mut Vec<u8>,
    /// The place of the next part.
    place: u32,
    /// The place at which encoding stops.
    end: u32,
    /// The fields, arms and elements around the next part.
    path: SmallVec<[Step<'a>; 4]>,
    parts: Option<Vec<EncodedPart>>,
}

/// One step of a path to a value.
#[derive(Clone, Copy)]
enum Step<'a> {
    /// Into a field or an arm.
    Name(&'a str),
    /// Into an element of a list.
    Element(usize),
}

/// Returns the names and indices of a path joined with dots.
fn path_text(path: &[Step<'_>]) -> String {
    path.iter().fold(String::new(), |text, step| match step {
        Step::Name(name) => join(&text, name),
        Step::Element(index) => join(&text, &index.to_string()),
    })
}

impl<'o, 'a> Encoder<'o, 'a> {
    fn new(out: &'o mut Vec<u8>) -> Self {
        Self { out, place: 0, end: u32::MAX, path: SmallVec::new(), parts: None }
    }

    /// Returns the error of the current value.
    fn error(&self, reason: EncodeReason) -> EncodeError {
        EncodeError { field: path_text(&self.path), reason }
    }

    /// Returns the error of a field inside the current value.
    fn error_inside(&self, field: &str, reason: EncodeReason) -> EncodeError {
        EncodeError { field: join(&path_text(&self.path), field), reason }
    }

    /// Encodes a whole list, which must have all fields of the record.
    fn whole(&mut self, segments: &'a [Segment], record: &Record) -> Result<(), EncodeError> {
        let known = fields(segments);
        let is_unknown = |(name, _): &&(String, Datum)| known.iter().all(|f| f.name != *name);
        if let Some((field, _)) = record.0.iter().find(is_unknown) {
            return Err(self.error_inside(field, EncodeReason::Unknown));
        }
        self.list(segments, segments, record)
    }

    /// Encodes segments. `scope` is the list whose fields the guards name.
    fn list(
        &mut self,
        segments: &'a [Segment],
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
                    let max = (self.end - self.place) as usize;
                    let bytes = literal.bytes.get(..max).unwrap_or(&literal.bytes);
                    self.out.extend_from_slice(bytes);
                    self.part(start, true, "");
                }
                Segment::Derived(derived) => {
                    let encoded = derived.encode(record, self.out);
                    encoded.map_err(|error| self.error_inside(&error.field, error.reason))?;
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
                    self.path.push(Step::Name(&field.name));
                    self.field(&field.ty, record.get(&field.name), after <= self.end)?;
                    self.path.pop();
                }
            }
            self.place = after;
        }
        Ok(())
    }

    fn field(
        &mut self,
        ty: &'a Type,
        datum: Option<&Datum>,
        whole: bool,
    ) -> Result<(), EncodeError> {
        match (ty, datum) {
            (ty, Some(datum)) if whole => self.value(ty, datum),
            (Type::Composite(inner), Some(Datum::Record(record))) => {
                self.list(inner, inner, record)
            }
            // The end may be in the first literals of the composite, which need no value.
            (Type::Composite(inner), None) if !whole => self.list(inner, inner, &Record::default()),
            (_, None) => Err(self.error(EncodeReason::Missing)),
            (ty, Some(_)) => Err(self.error(EncodeReason::Shape { expected: shape(ty) })),
        }
    }

    fn option(
        &mut self,
        option: &'a OptionSegment,
        scope: &[Segment],
        record: &Record,
    ) -> Result<(), EncodeError> {
        let has_value = |field: &str| record.get(field).is_some();
        // In a prefix, a guard may name a field without a value.
        let guard = option.guard.as_ref();
        let guard = guard.filter(|guard| guard.conditions().iter().all(|(of, _)| has_value(of)));
        let is_present = match guard {
            Some(guard) => guard.holds(scope, record),
            None => is_present(&option.segments, record),
        };
        if !is_present {
            match fields(&option.segments).into_iter().find(|field| has_value(&field.name)) {
                Some(field) if option.guard.is_some() => {
                    return Err(self.error_inside(&field.name, EncodeReason::Absent));
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

    fn value(&mut self, ty: &'a Type, datum: &Datum) -> Result<(), EncodeError> {
        let start = self.out.len();
        match (ty, datum) {
            (Type::Leaf(leaf), Datum::Leaf(value)) => {
                let encoded = leaf.codec.encode(value, self.out);
                encoded.map_err(|error| self.error(EncodeReason::Value(error)))?;
                self.part(start, false, "");
                Ok(())
            }
            (Type::Enum(of), Datum::Name(given)) => {
                let Some(bytes) = of.bytes_of(given) else {
                    return Err(self.unknown_choice(ty, given));
                };
                self.out.extend_from_slice(bytes);
                self.part(start, false, "");
                Ok(())
            }
            (Type::List(list), Datum::List(elements)) => {
                let (count, min, max) = (elements.len(), list.min, list.max);
                if !(min as usize..=max as usize).contains(&count) {
                    return Err(self.error(EncodeReason::Count { count, min, max }));
                }
                let first = self.place + 1;
                for (index, element) in elements.iter().enumerate() {
                    self.place = first;
                    self.path.push(Step::Element(index));
                    self.value(&list.element, element)?;
                    self.path.pop();
                }
                Ok(())
            }
            (Type::Composite(segments), Datum::Record(record)) => self.whole(segments, record),
            (Type::Variant(arms), Datum::Arm(given, record)) => {
                let Some(index) = arms.iter().position(|arm| arm.name == *given) else {
                    return Err(self.unknown_choice(ty, given));
                };
                let before: u32 = arms[..index].iter().map(|arm| places(&arm.segments)).sum();
                self.place += 1 + before;
                self.path.push(Step::Name(&arms[index].name));
                self.whole(&arms[index].segments, record)?;
                self.path.pop();
                Ok(())
            }
            (ty, _) => Err(self.error(EncodeReason::Shape { expected: shape(ty) })),
        }
    }

    fn unknown_choice(&self, ty: &Type, given: &str) -> EncodeError {
        let known = ty.choices().unwrap_or_default().into_iter().map(str::to_owned).collect();
        self.error(EncodeReason::Choice { given: given.to_owned(), known })
    }

    /// Records the part that starts at `start`. `name` is the name of a part that is not a field.
    fn part(&mut self, start: usize, is_literal: bool, name: &str) {
        let Some(parts) = &mut self.parts else { return };
        let list = self.path.iter().position(|step| matches!(step, Step::Element(_)));
        let path = match list {
            Some(list) => Some(path_text(&self.path[..list])),
            None if is_literal => None,
            None => Some(join(&path_text(&self.path), name)),
        };
        let (bytes, place) = (start..self.out.len(), Place(self.place));
        parts.push(EncodedPart { bytes, place, is_literal, path });
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
