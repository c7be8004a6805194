//! The forms of row values in the checked model.

use crate::{
    descriptor::Message,
    model::{Keyspace, Type},
};
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
            (Some(RowValue::Typed(typed)), true) => match &*typed.ty {
                Type::Leaf(leaf) if leaf.is_bytes() => Some(EntryValue::OwnerKey),
                _ => None,
            },
            (None | Some(RowValue::Empty), false) => Some(EntryValue::Fixed(b"")),
            (Some(RowValue::Const(bytes)), false) => Some(EntryValue::Fixed(bytes)),
            _ => None,
        }
    }
}
