//! Bytes of a key that are computed from its fields: `{= sha256(owner, id)[4]}`.

use crate::{
    Span,
    datum::Record,
    encode::{EncodeError, encode_type},
    model::{Leaf, Place, Segment, Type, places},
};
use keyscape_codec::{Value, WrapPart, hash::Function};
use std::sync::Arc;

/// The first bytes of a digest of fields that stand in the same list.
#[derive(Clone, Debug)]
pub struct Derived {
    /// The hash function.
    pub function: Function,
    /// How many bytes of the digest are kept.
    pub length: usize,
    /// The fields whose bytes, joined, are hashed; never empty.
    pub inputs: Vec<Input>,
    /// How the digest becomes bytes: as it is, or as the wraps around it change it.
    pub leaf: Leaf,
    /// Those wraps, the innermost first.
    pub wraps: Vec<WrapPart>,
    /// Where it stands.
    pub span: Span,
}

/// A field that goes into a digest.
#[derive(Clone, Debug)]
pub struct Input {
    /// Its name.
    pub name: String,
    /// Its type without the wraps around it: they do not change what is hashed.
    pub ty: Arc<Type>,
}

impl Derived {
    /// What is derived from the fields of a record.
    ///
    /// # Errors
    /// [`EncodeError`] if a field is missing or has a wrong value.
    pub fn value(&self, record: &Record) -> Result<Value, EncodeError> {
        let mut bytes = Vec::new();
        for Input { name, ty } in &self.inputs {
            let datum = record.get(name);
            let datum = datum.ok_or_else(|| EncodeError::Missing { field: name.clone() })?;
            encode_type(ty, name, datum, &mut bytes)?;
        }
        let mut digest = self.function.digest(&bytes);
        digest.truncate(self.length);
        Ok(Value::Bytes(digest))
    }

    /// Appends what is derived from the fields of a record.
    ///
    /// # Errors
    /// [`EncodeError`] if a field is missing or has a wrong value.
    pub fn encode(&self, record: &Record, out: &mut Vec<u8>) -> Result<(), EncodeError> {
        let value = self.value(record)?;
        let failed = |source| EncodeError::Value { field: self.text(), source };
        self.leaf.codec.encode(&value, out).map_err(failed)
    }

    /// As layouts write it, without braces: `= sha256(owner, id)[4]`.
    #[must_use]
    pub fn text(&self) -> String {
        self.leaf.codec.text()
    }

    /// Whether the same bytes are derived from the same fields.
    #[must_use]
    pub fn is_same(&self, other: &Self) -> bool {
        self.leaf.has_codec_of(&other.leaf)
            && self.inputs.iter().zip(&other.inputs).all(|(a, b)| a.ty.is_same(&b.ty))
    }
}

/// Derived bytes of a key, with where they and their inputs stand.
#[derive(Clone, Debug)]
pub struct DerivedPlace<'a> {
    /// What is derived.
    pub derived: &'a Derived,
    /// Where it stands.
    pub place: Place,
    /// From the first to behind the last place of each input.
    pub inputs: Vec<std::ops::Range<Place>>,
}

/// All derived bytes of a key, those inside of types included.
#[must_use]
pub fn derived_places(key: &[Segment]) -> Vec<DerivedPlace<'_>> {
    let mut found = Vec::new();
    collect(key, key, 0, 0, &mut found);
    found
}

/// `scope` is the list that inputs are named in, which starts at `scope_start`.
fn collect<'a>(
    segments: &'a [Segment],
    scope: &'a [Segment],
    start: u32,
    scope_start: u32,
    found: &mut Vec<DerivedPlace<'a>>,
) {
    let mut place = start;
    for segment in segments {
        match segment {
            Segment::Literal(_) => {}
            Segment::Option(option) => {
                collect(&option.segments, scope, place + 1, scope_start, found);
            }
            Segment::Field(field) => collect_type(&field.ty, place, found),
            Segment::Derived(derived) => {
                let inputs = derived.inputs.iter();
                let inputs = inputs.filter_map(|input| range_of(scope, scope_start, &input.name));
                let (place, inputs) = (Place(place), inputs.collect());
                found.push(DerivedPlace { derived, place, inputs });
            }
        }
        place += segment.places();
    }
}

fn collect_type<'a>(ty: &'a Type, start: u32, found: &mut Vec<DerivedPlace<'a>>) {
    match ty {
        Type::Leaf(_) | Type::Enum(_) => {}
        Type::Composite(segments) => collect(segments, segments, start, start, found),
        Type::List(list) => collect_type(&list.element, start + 1, found),
        Type::Variant(arms) => {
            let mut inside = start + 1;
            for arm in arms {
                collect(&arm.segments, &arm.segments, inside, inside, found);
                inside += places(&arm.segments);
            }
        }
    }
}

/// The places of a field that stands directly in a list.
fn range_of(scope: &[Segment], start: u32, name: &str) -> Option<std::ops::Range<Place>> {
    let mut place = start;
    for segment in scope {
        let end = place + segment.places();
        if matches!(segment, Segment::Field(field) if field.name == name) {
            return Some(Place(place)..Place(end));
        }
        place = end;
    }
    None
}
