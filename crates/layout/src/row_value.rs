//! Row values: their forms, and their encoding and decoding without generated code.
//!
//! The automaton of a space decodes its keys. The bytes of a value, a member or a score are given
//! exactly, so each type has its own automaton.

use crate::{
    Decoder, EncodeError, EncodeReason, Layout, Machine, Side, Span,
    datum::Datum,
    descriptor::Message,
    encode_type,
    model::{Field, Keyspace, KeyspaceId, Segment, Type},
};
use keyscape_automata::{Budget, OverBudget};
use keyscape_codec::wrapper::Wrapper;
use std::sync::Arc;

/// The form of the value of a row. Keys do not depend on it.
#[derive(Clone, Debug)]
pub enum RowValue {
    /// The empty value.
    Empty,
    /// Fixed bytes.
    Const(Vec<u8>),
    /// JSON, with an optional type name.
    Json(Option<String>),
    /// A protobuf message of the program.
    Proto(Message),
    /// A codec, a declared type, or a wrapper message of protobuf.
    Typed(TypedValue),
    /// A type that only the program defines.
    Own(String),
}

/// The type of a value that the layout defines.
#[derive(Clone, Debug)]
pub struct TypedValue {
    /// The type. As a value, `dec` has 256 bits, and `text` and `bytes` have any length.
    pub ty: Arc<Type>,
    /// The text of the value form in the layout, without a default length.
    pub text: String,
    /// The protobuf message whose only field is the value. Then `ty` has the same values with other
    /// bytes.
    pub wrapper: Option<Wrapper>,
}

/// The value of an entry of an index.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum EntryValue<'a> {
    /// The bytes of the map's key after its literal prefix.
    OwnerKey,
    /// Constant bytes.
    Fixed(&'a [u8]),
}

impl Keyspace {
    /// Returns the value of an entry of an index, if it follows from the row of the map. The value
    /// of a `unique` index is the key as `bytes`. The value of another index is `empty` or `const`.
    /// A layout can declare other forms, but only the program can write them.
    #[must_use]
    pub fn entry_value(&self) -> Option<EntryValue<'_>> {
        match (&self.value, self.unique) {
            (None, true) => Some(EntryValue::OwnerKey),
            (Some(RowValue::Typed(typed)), true) => {
                typed.ty.leaf().filter(|leaf| leaf.is_bytes()).map(|_| EntryValue::OwnerKey)
            }
            (None | Some(RowValue::Empty), false) => Some(EntryValue::Fixed(b"")),
            (Some(RowValue::Const(bytes)), false) => Some(EntryValue::Fixed(bytes)),
            _ => None,
        }
    }
}

/// The value of a row.
#[derive(Clone, Debug, PartialEq)]
pub enum RowDatum {
    /// A value that the layout determines: `empty` and `const`.
    Nothing,
    /// A value of a codec or of a declared type.
    Datum(Datum),
    /// Text that should be JSON. This crate does not check it.
    Json(String),
    /// Bytes of a form that only the program defines: a protobuf message or a type of the program.
    Bytes(Vec<u8>),
}

/// The error for bytes that do not have the declared form.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("expected {expected}")]
pub struct NotValue {
    /// The expected form.
    pub expected: String,
}

impl NotValue {
    fn new(expected: impl Into<String>) -> Self {
        Self { expected: expected.into() }
    }
}

/// Decodes the values of rows.
#[derive(Debug)]
pub struct ValueReader {
    form: Form,
}

#[derive(Debug)]
enum Form {
    Fixed(Vec<u8>),
    Json,
    Bytes,
    Wrapped(Wrapper),
    Typed(TypeReader),
}

impl ValueReader {
    /// Creates a reader for values of this form. Without a form, values are bytes.
    ///
    /// # Errors
    /// [`OverBudget`] if the automaton of its type exceeds the budget.
    pub fn new(value: Option<&RowValue>, budget: Budget) -> Result<Self, OverBudget> {
        let form = match value {
            Some(RowValue::Empty) => Form::Fixed(Vec::new()),
            Some(RowValue::Const(bytes)) => Form::Fixed(bytes.clone()),
            Some(RowValue::Json(_)) => Form::Json,
            Some(RowValue::Typed(typed)) => match typed.wrapper {
                Some(wrapper) => Form::Wrapped(wrapper),
                None => Form::Typed(TypeReader::new(&typed.ty, budget)?),
            },
            Some(RowValue::Proto(_) | RowValue::Own(_)) | None => Form::Bytes,
        };
        Ok(Self { form })
    }

    /// Decodes a value.
    ///
    /// # Errors
    /// [`NotValue`] if the bytes do not have this form.
    pub fn read(&self, bytes: &[u8]) -> Result<RowDatum, NotValue> {
        match &self.form {
            Form::Fixed(known) if known == bytes => Ok(RowDatum::Nothing),
            Form::Fixed(known) if known.is_empty() => Err(NotValue::new("nothing")),
            Form::Fixed(_) => Err(NotValue::new("the fixed bytes of the layout")),
            Form::Json => match std::str::from_utf8(bytes) {
                Ok(text) => Ok(RowDatum::Json(text.to_owned())),
                Err(_) => Err(NotValue::new("JSON")),
            },
            Form::Bytes => Ok(RowDatum::Bytes(bytes.to_vec())),
            Form::Wrapped(wrapper) => match wrapper.decode(bytes) {
                Ok(value) => Ok(RowDatum::Datum(Datum::Leaf(value))),
                Err(_) => Err(NotValue::new(wrapper.allowed())),
            },
            Form::Typed(reader) => reader.read(bytes).map(RowDatum::Datum),
        }
    }
}

/// Appends the bytes of the value of a row.
///
/// # Errors
/// [`EncodeError`] if the value does not have this form. The name of the field is `value`.
pub fn encode_value(
    form: Option<&RowValue>,
    datum: &RowDatum,
    out: &mut Vec<u8>,
) -> Result<(), EncodeError> {
    match (form, datum) {
        (Some(RowValue::Empty), RowDatum::Nothing) => {}
        (Some(RowValue::Const(bytes)), RowDatum::Nothing) => out.extend_from_slice(bytes),
        (Some(RowValue::Json(_)), RowDatum::Json(text)) => out.extend_from_slice(text.as_bytes()),
        (Some(RowValue::Proto(_) | RowValue::Own(_)) | None, RowDatum::Bytes(bytes)) => {
            out.extend_from_slice(bytes);
        }
        (Some(RowValue::Typed(typed)), RowDatum::Datum(datum)) => {
            return match (typed.wrapper, datum) {
                (Some(wrapper), Datum::Leaf(value)) => wrapper
                    .encode(value, out)
                    .map_err(|error| EncodeError::new("value", EncodeReason::Value(error))),
                _ => encode_type(&typed.ty, "value", datum, out),
            };
        }
        (form, _) => {
            let expected = match form {
                Some(RowValue::Empty | RowValue::Const(_)) => "nothing",
                Some(RowValue::Json(_)) => "JSON",
                Some(RowValue::Typed(_)) => "a value of its type",
                Some(RowValue::Proto(_) | RowValue::Own(_)) | None => "bytes",
            };
            return Err(EncodeError::new("value", EncodeReason::Shape { expected }));
        }
    }
    Ok(())
}

/// Decodes values of one type outside keys.
#[derive(Debug)]
pub struct TypeReader {
    ty: Arc<Type>,
    /// A layout with the type as its only key, for types that are not leaves.
    alone: Option<Box<(Layout, Machine)>>,
}

impl TypeReader {
    /// Creates a reader for a type.
    ///
    /// # Errors
    /// [`OverBudget`] if its automaton exceeds the budget.
    pub fn new(ty: &Arc<Type>, budget: Budget) -> Result<Self, OverBudget> {
        if ty.leaf().is_some() {
            return Ok(Self { ty: Arc::clone(ty), alone: None });
        }
        let layout = alone(ty);
        let machine = Machine::build(&layout, &[KeyspaceId(0)], Side::Over, budget)?;
        Ok(Self { ty: Arc::clone(ty), alone: Some(Box::new((layout, machine))) })
    }

    /// Decodes a value. If the bytes have several readings, returns the first.
    ///
    /// # Errors
    /// [`NotValue`] if no value has these bytes.
    pub fn read(&self, bytes: &[u8]) -> Result<Datum, NotValue> {
        if let Some(leaf) = self.ty.leaf() {
            let value = leaf.codec.decode(bytes).map(Datum::Leaf);
            return value.map_err(|_| NotValue::new(leaf.codec.allowed()));
        }
        let datum = self.alone.as_deref().and_then(|(layout, machine)| {
            let reading = Decoder::new(layout, machine).decode(bytes).readings.into_iter().next();
            reading?.fields.0.pop()
        });
        datum.map(|(_, datum)| datum).ok_or_else(|| NotValue::new("a value of its type"))
    }
}

/// Creates a layout in which values of a type are keys.
fn alone(ty: &Arc<Type>) -> Layout {
    let field = Field::new("value", Arc::clone(ty), Span::default());
    let key = vec![Segment::Field(field)];
    Layout::of_keys("value", vec![("value".to_owned(), key)], &Keyspace::default())
}
