//! Bytes of a key that are computed from its fields: `{= sha256(owner, id)[4]}`.

use super::{Leaf, Place, Segment, Type, key::find_field};
use crate::{
    Span,
    datum::Record,
    encode::{EncodeError, EncodeReason, encode_type},
    traverse::{Item, ItemKind, traverse},
};
use keyscape_codec::{Value, WrapPart, hash::Function};
use std::sync::Arc;

/// The first bytes of a digest of fields in the same list.
#[derive(Clone, Debug)]
pub struct Derived {
    /// The hash function.
    pub function: Function,
    /// The number of leading bytes of the digest.
    pub length: usize,
    /// The fields whose concatenated bytes are hashed, never empty.
    pub inputs: Vec<Input>,
    /// The codec of the digest, including the wraps around it.
    pub leaf: Leaf,
    /// The wraps around the digest, innermost first.
    pub wraps: Vec<WrapPart>,
    /// The span of the declaration.
    pub span: Span,
}

/// An input of a digest.
#[derive(Clone, Debug)]
pub struct Input {
    /// The name of the field.
    pub name: String,
    /// The type of the field without the wraps around it, which do not affect the digest.
    pub ty: Arc<Type>,
}

impl Derived {
    /// Computes the digest from the fields of a record.
    ///
    /// # Errors
    /// [`EncodeError`] if a field is missing or has a wrong value.
    pub fn value(&self, record: &Record) -> Result<Value, EncodeError> {
        let mut bytes = Vec::new();
        for Input { name, ty } in &self.inputs {
            let missing = || EncodeError::new(name, EncodeReason::Missing);
            let datum = record.get(name).ok_or_else(missing)?;
            encode_type(ty, name, datum, &mut bytes)?;
        }
        let mut digest = self.function.digest(&bytes);
        digest.truncate(self.length);
        Ok(Value::Bytes(digest))
    }

    /// Appends the bytes that are derived from the fields of a record.
    ///
    /// # Errors
    /// [`EncodeError`] if a field is missing or has a wrong value.
    pub fn encode(&self, record: &Record, out: &mut Vec<u8>) -> Result<(), EncodeError> {
        let value = self.value(record)?;
        let failed = |error| EncodeError::new(&self.text(), EncodeReason::Value(error));
        self.leaf.codec.encode(&value, out).map_err(failed)
    }

    /// Returns the derivation in the notation of layouts, without braces: `= sha256(owner, id)[4]`.
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

/// Derived bytes of a key, with their place and the places of their inputs.
#[derive(Clone, Debug)]
pub struct DerivedPlace<'a> {
    /// The derived bytes.
    pub derived: &'a Derived,
    /// The place of the derived bytes.
    pub place: Place,
    /// The places of each input.
    pub inputs: Vec<std::ops::Range<Place>>,
}

/// Returns all derived bytes of a key, including those inside types.
#[must_use]
pub fn derived_places(key: &[Segment]) -> Vec<DerivedPlace<'_>> {
    let derived = traverse(key).filter_map(|item| match item.kind {
        ItemKind::Derived(derived) => Some((derived, item)),
        _ => None,
    });
    derived
        .map(|(derived, Item { place, scope, .. })| {
            let inputs = derived.inputs.iter().filter_map(|input| {
                let field = find_field(scope.segments, scope.start, &[&input.name])?;
                Some(field.place..field.end)
            });
            DerivedPlace { derived, place, inputs: inputs.collect() }
        })
        .collect()
}
